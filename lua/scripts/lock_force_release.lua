-- any lock but the latch: ends whoever's holds. The fence moves on, so that what the holder still does is
-- refused; holders hear at their next extension or release that the lock is not theirs. May be sent again: it
-- repeats its answer, and does not end what others have taken since.
-- KEYS[1] the lock. KEYS[2] its memory of holds that were ended by force (with permits, of all acquisitions that
-- are over), and channel. KEYS[3] its fence.
-- KEYS[4] its queue. ARGV[1] how long to remember, in ms. ARGV[2] the id of this request.
-- Replies the owner ids of the holds that were ended.
local mark = 'f' .. ARGV[2]
local ended = {}
if redis.call('ZSCORE', KEYS[2], mark) then
  for _, member in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if string.sub(member, 1, #mark + 1) == mark .. ' ' then
      ended[#ended + 1] = string.sub(member, #mark + 2)
    end
  end
  table.sort(ended)
  return ended
end

if redis.call('TYPE', KEYS[1]).ok == 'hash' then
  local holders = redis.call('HGETALL', KEYS[1])
  for i = 1, #holders, 2 do
    if string.find(holders[i + 1], ' ', 1, true) then
      ended[#ended + 1] = holders[i]
    end
  end
else
  ended[1] = redis.call('GET', KEYS[1]) or nil
end
table.sort(ended)
redis.call('DEL', KEYS[1])
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local until_ms = now + ARGV[1]
redis.call('ZADD', KEYS[2], until_ms, mark)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '(' .. string.format('%.0f', now))
for _, owner in ipairs(ended) do
  redis.call('ZADD', KEYS[2], until_ms, '0' .. owner, until_ms, mark .. ' ' .. owner)
end
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[1]) then
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
if #ended > 0 then
  if redis.call('EXISTS', KEYS[3]) == 1 then
    redis.call('HINCRBY', KEYS[3], 'sequence', 1)
  end
  redis.call('PUBLISH', KEYS[2], table.concat(redis.call('HKEYS', KEYS[4]), ' '))
end
return ended
