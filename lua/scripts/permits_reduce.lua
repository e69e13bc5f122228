-- permits: gives permits back. Down to none ends the acquisition, whatever became of it (held, queued, never
-- arrived), so that no request of it that is still on its way can take a permit any more. May be sent again:
-- it repeats its answer.
-- KEYS[1] the holders, KEYS[2] the queue (see permits_acquire). KEYS[3] the memory of acquisitions that are
-- over, which is the name of the channel too: a message names the owner ids that may go on.
-- ARGV[1] the owner id. ARGV[2] how many permits it keeps. ARGV[3] how long to remember, in ms.
-- Replies 1 if it held permits, 0 if it did not.
local owner, kept = ARGV[1], tonumber(ARGV[2])
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[3], '-inf', '(' .. now)
if redis.call('ZSCORE', KEYS[3], '1' .. owner) then
  return kept == 0 and 1 or 0
elseif redis.call('ZSCORE', KEYS[3], '0' .. owner) then
  return 0
end

local mark = '0'
local permits, deadline = string.match(redis.call('HGET', KEYS[1], owner) or '', '^(%d+) (%d+)$')
if permits and tonumber(deadline) >= now then
  mark = '1'
  if kept > 0 and kept < tonumber(permits) then
    redis.call('HSET', KEYS[1], owner, kept .. ' ' .. deadline)
  end
end
if kept == 0 then
  redis.call('HDEL', KEYS[1], owner)
  redis.call('HDEL', KEYS[2], owner)
  redis.call('ZADD', KEYS[3], now + ARGV[3], mark .. owner)
  if redis.call('PTTL', KEYS[3]) < tonumber(ARGV[3]) then
    redis.call('PEXPIRE', KEYS[3], ARGV[3])
  end
end

local held, living = 0, 0
local holders = redis.call('HGETALL', KEYS[1])
for i = 1, #holders, 2 do
  local number, until_ms = string.match(holders[i + 1], '^(%d+) (%d+)$')
  if number and tonumber(until_ms) >= now then
    held = held + number
    living = living + 1
  end
end
if living == 0 then
  redis.call('DEL', KEYS[1])
end
local waiting = {}
local queue = redis.call('HGETALL', KEYS[2])
for i = 1, #queue, 2 do
  local ticket, want, until_ms, limit = string.match(queue[i + 1], '^(%d+) (%d+) (%d+) (%d+)$')
  if tonumber(until_ms) >= now then
    waiting[#waiting + 1] = {tonumber(ticket), tonumber(want), tonumber(limit), queue[i]}
  end
end
table.sort(waiting, function(a, b) return a[1] < b[1] end)
local woken = {}
for _, waiter in ipairs(waiting) do
  held = held + waiter[2]
  if held > waiter[3] then
    break
  end
  woken[#woken + 1] = waiter[4]
end
if #woken > 0 then
  redis.call('PUBLISH', KEYS[3], table.concat(woken, ' '))
end
return mark == '1' and 1 or 0
