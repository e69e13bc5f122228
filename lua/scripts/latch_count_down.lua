-- latch: counts down by one. May be sent again: a request counts once.
-- KEYS[1] the latch (see latch_set). ARGV[1] the id of this request. ARGV[2] the channel on which waiters are
-- woken when nothing is left.
-- Replies what is left, nil if there is no such latch.
local count = redis.call('HGET', KEYS[1], 'count')
if not count then
  return false
end
local counted = redis.call('HSETNX', KEYS[1], 'by:' .. ARGV[1], '') == 1
local left = math.max(0, count - (redis.call('HLEN', KEYS[1]) - 2))
if counted and left == 0 then
  redis.call('PUBLISH', ARGV[2], '')
end
return left
