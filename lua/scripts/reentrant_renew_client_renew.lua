-- reentrant-renew-client: puts the ttl back to its full length, and replies what EXPIRE says.
-- KEYS[1] the lock. ARGV[1] the owner. ARGV[2] the ttl in seconds.
-- Replies EXPIRE's 1 or 0 if the owner holds the lock, 0 if not.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  return redis.call('EXPIRE', KEYS[1], ARGV[2])
end
return 0
