-- lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer. Memory may be short: it frees what it must.
-- KEYS[1] the mark that this acquisition is over. KEYS[2] the lock. KEYS[3] the channel on which its waiters are
-- woken. ARGV[1] the owner id. ARGV[2] how long the mark stays, in ms.
-- ARGV[3] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if the lock was held and is free now, 0 if it was not held.
local call, mark, name = redis.call, KEYS[1], KEYS[2]
if call('GET', name) == ARGV[1] then
  call('DEL', name)
  if ARGV[3] ~= 'quiet' then
    call('PUBLISH', KEYS[3], '')
  end
  call('SET', mark, '1', 'GET', 'PX', ARGV[2])  -- GET: see lock_acquire.
  return 1
end
local before = call('GET', mark)
if before then
  return tonumber(before)
end
call('DEL', mark)  -- Of nothing: Redis refuses what needs memory only before a script's first write.
call('SET', mark, '0', 'PX', ARGV[2])
return 0
