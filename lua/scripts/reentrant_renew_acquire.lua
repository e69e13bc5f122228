-- reentrant-renew: takes the lock if it is free, or once more if the owner holds it. A hash counts the holds.
-- KEYS[1] the lock. ARGV[1] the owner. ARGV[2] the ttl in seconds, which every hold renews.
-- Replies 1 if the lock is held, 0 if somebody else holds it. A ttl of 0 or below deletes the lock and replies 1.
if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
