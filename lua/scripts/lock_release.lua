-- lock: ends an acquisition, whatever became of it, so that no request of it that is still on its way can
-- take the lock any more. May be sent again: it repeats its answer.
-- KEYS[1] the lock. KEYS[2] its memory of acquisitions that are over, which is the name of the channel too on
-- which waiters are woken. Two more for each further name. ARGV[1] the owner id. ARGV[2] how long to remember, in ms.
-- ARGV[3] 'quiet' wakes nobody: a minority of several servers is given back, which was never the lock.
-- Replies 1 if all names were held and are free now, 0 if one was not held.
local call = redis.call
local owner = ARGV[1]
local now = call('TIME')
-- As text, which arithmetic would have to be turned into again: the first three of six digits are milliseconds.
local now_ms = now[1] .. string.sub('00000' .. now[2], -6, -4)
local released = 0
for i = 1, #KEYS, 2 do
  local memory = KEYS[i + 1]
  call('ZREMRANGEBYSCORE', memory, '-inf', '(' .. now_ms)
  local over = call('ZMSCORE', memory, '1' .. owner, '0' .. owner)
  if over[1] then
    released = released + 1
  elseif not over[2] then
    local mark = '0'
    if call('GET', KEYS[i]) == owner then
      call('DEL', KEYS[i])
      if ARGV[3] ~= 'quiet' then
        call('PUBLISH', memory, '')
      end
      mark = '1'
      released = released + 1
    end
    call('ZADD', memory, now_ms + ARGV[2], mark .. owner)
    if call('PTTL', memory) < tonumber(ARGV[2]) then
      call('PEXPIRE', memory, ARGV[2])
    end
  end
end
return released == #KEYS / 2 and 1 or 0
