-- latch: makes it, unless it is there. May be sent again: it repeats its answer.
-- KEYS[1] the latch: a hash with its count, who made it, and a field for each request that counted down.
-- ARGV[1] the id of this request. ARGV[2] the count. ARGV[3] the ttl in ms of the latch.
-- Replies {1, left} if this request has made it, {0, left} if another has.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'count', ARGV[2], 'maker', ARGV[1])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
end
local left = math.max(0, redis.call('HGET', KEYS[1], 'count') - (redis.call('HLEN', KEYS[1]) - 2))
return {redis.call('HGET', KEYS[1], 'maker') == ARGV[1] and 1 or 0, left}
