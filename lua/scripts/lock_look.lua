-- any lock but the latch: who holds it.
-- KEYS[1] the lock.
-- Replies owner id, permits, ms left (-1: for ever) of each holder, in order of the owner ids.
local found = {}
if redis.call('TYPE', KEYS[1]).ok == 'hash' then
  local now = redis.call('TIME')
  now = now[1] * 1000 + math.floor(now[2] / 1000)
  local holders = redis.call('HGETALL', KEYS[1])
  for i = 1, #holders, 2 do
    local permits, deadline = string.match(holders[i + 1], '^(%d+) (%d+)$')
    if permits and tonumber(deadline) >= now then
      found[#found + 1] = {holders[i], tonumber(permits), deadline - now}
    end
  end
else
  local owner = redis.call('GET', KEYS[1])
  if owner then
    found[1] = {owner, 1, redis.call('PTTL', KEYS[1])}
  end
end
table.sort(found, function(a, b) return a[1] < b[1] end)
return found
