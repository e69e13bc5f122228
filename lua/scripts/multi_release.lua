-- multi-lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer. Memory may be short: it frees what it must.
-- KEYS[1] the mark: the number of the last acquisition of its row that is over, with '.5' behind if not all names
-- were held any more. Then the names, and then, for each, the channel on which its waiters are woken. ARGV[1] the
-- owner id. ARGV[2] how long the mark stays, in ms. ARGV[3] the number of this acquisition in the mark's row, in 15 digits.
-- ARGV[4] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if all names were held and are free now, 0 if one was not held.
local call, number = redis.call, ARGV[3]
local names = (#KEYS - 1) / 2
local released = 0
for i = 2, names + 1 do
  if call('GET', KEYS[i]) == ARGV[1] then
    call('DEL', KEYS[i])
    if ARGV[4] ~= 'quiet' then
      call('PUBLISH', KEYS[i + names], '')
    end
    released = released + 1
  end
end
local before = call('GET', KEYS[1])
local is_known = before and before >= number
if released == 0 then
  if is_known then
    return before == number and 1 or 0
  end
  call('DEL', KEYS[1])  -- Redis refuses what needs memory only before a script's first write.
end
local mark = released == names and number or number .. '.5'
if not is_known or before < mark then
  call('SET', KEYS[1], mark, 'PX', ARGV[2])
end
return released == names and 1 or 0
