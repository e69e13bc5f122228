-- reentrant-renew: puts the ttl back to its full length.
-- KEYS[1] the lock. ARGV[1] the owner. ARGV[2] the ttl in seconds.
-- Replies 1 if the owner holds the lock, 0 if not.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
redis.call('EXPIRE', KEYS[1], ARGV[2])
return 1
