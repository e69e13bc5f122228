-- lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer.
-- KEYS[1] the lock. KEYS[2] its memory of acquisitions that are over, which is the name of the channel too on
-- which waiters are woken. Two more for each further name. ARGV[1] the owner id. ARGV[2] how long to remember, in ms.
-- ARGV[3] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if all names were held and are free now, 0 if one was not held.
local owner = ARGV[1]
local now = redis.call('TIME')
local now_ms = now[1] * 1000 + math.floor(now[2] / 1000)
local released = 0
for i = 1, #KEYS, 2 do
  local memory = KEYS[i + 1]
  redis.call('ZREMRANGEBYSCORE', memory, '-inf', '(' .. now_ms)
  if redis.call('ZSCORE', memory, '1' .. owner) then
    released = released + 1
  elseif not redis.call('ZSCORE', memory, '0' .. owner) then
    local mark = '0'
    if redis.call('GET', KEYS[i]) == owner then
      redis.call('DEL', KEYS[i])
      if ARGV[3] ~= 'quiet' then
        redis.call('PUBLISH', memory, '')
      end
      mark = '1'
      released = released + 1
    end
    redis.call('ZADD', memory, now_ms + ARGV[2], mark .. owner)
    if redis.call('PTTL', memory) < tonumber(ARGV[2]) then
      redis.call('PEXPIRE', memory, ARGV[2])
    end
  end
end
return released == #KEYS / 2 and 1 or 0
