-- permits: prolongs a hold. Creates none, shortens none. May be sent again: a deadline that is not the one
-- named has been moved by this request before, and stays.
-- KEYS[1] the holders (see permits_acquire). ARGV[1] the owner id. ARGV[2] the ttl in ms. ARGV[3] the
-- deadline that was last heard; empty: any.
-- Replies {1, ms left, deadline} if held, {0} if not.
local hold = redis.call('HGET', KEYS[1], ARGV[1])
if not hold then
  return {0}
end
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)
local permits, deadline = string.match(hold, '^(%d+) (%d+)$')
deadline = tonumber(deadline)
if deadline < now then
  return {0}
end
if (ARGV[3] == '' or tonumber(ARGV[3]) == deadline) and now + ARGV[2] > deadline then
  deadline = now + ARGV[2]
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%d %.0f', permits, deadline))
  if redis.call('PEXPIRETIME', KEYS[1]) < deadline then
    redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', deadline))
  end
end
return {1, deadline - now, deadline}
