-- latch: looks at it, to wait.
-- KEYS[1] the latch (see latch_set).
-- Replies {1} if nothing is left to count, {0, ms that the latch lives, left} if something is, {-1} if there
-- is no such latch.
local count = redis.call('HGET', KEYS[1], 'count')
if not count then
  return {-1}
end
local left = count - (redis.call('HLEN', KEYS[1]) - 2)
if left <= 0 then
  return {1}
end
return {0, redis.call('PTTL', KEYS[1]), left}
