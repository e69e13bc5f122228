-- lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer. Memory may be short: it frees what it must.
-- KEYS[1] the mark: the number of the last acquisition of its row that is over, with '.5' behind if it was not held
-- any more. KEYS[2] the lock. KEYS[3] the channel on which its waiters are woken. ARGV[1] the owner id. ARGV[2] how
-- long the mark stays, in ms. ARGV[3] the number of this acquisition in the mark's row, in 15 digits.
-- ARGV[4] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if the lock was held and is free now, 0 if it was not held.
local call, mark, name, number = redis.call, KEYS[1], KEYS[2], ARGV[3]
local before = call('GET', mark)
local is_known = before and before >= number
if call('GET', name) == ARGV[1] then
  call('DEL', name)
  if ARGV[4] ~= 'quiet' then
    call('PUBLISH', KEYS[3], '')
  end
  if not is_known then
    call('SET', mark, number, 'GET', 'PX', ARGV[2])  -- To GET a text is faster than to be told OK.
  end
  return 1
end
if is_known then
  return before == number and 1 or 0
end
call('DEL', mark)  -- Redis refuses what needs memory only before a script's first write.
call('SET', mark, number .. '.5', 'PX', ARGV[2])
return 0
