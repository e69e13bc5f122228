-- multi-lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer. Memory may be short: it frees what it must.
-- KEYS[1] the mark that this acquisition is over. Then the names, and then, for each, the channel on which its
-- waiters are woken. ARGV[1] the owner id. ARGV[2] how long the mark stays, in ms.
-- ARGV[3] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if all names were held and are free now, 0 if one was not held.
local call = redis.call
local names = (#KEYS - 1) / 2
local released = 0
for i = 2, names + 1 do
  if call('GET', KEYS[i]) == ARGV[1] then
    call('DEL', KEYS[i])
    if ARGV[3] ~= 'quiet' then
      call('PUBLISH', KEYS[i + names], '')
    end
    released = released + 1
  end
end
if released == 0 then
  local before = call('GET', KEYS[1])
  if before then
    return tonumber(before)
  end
  call('DEL', KEYS[1])  -- Of nothing: Redis refuses what needs memory only before a script's first write.
end
local answer = released == names and 1 or 0
call('SET', KEYS[1], answer, 'PX', ARGV[2])
return answer
