-- reentrant-hash: takes the lock if it is free, or once more if the owner holds it. A hash counts the holds.
-- KEYS[1] the lock. ARGV[1] the owner. ARGV[2] the ttl in seconds; missing or 0: the lock never expires.
-- Replies 1 if the lock is held, 0 if somebody else holds it. Taking it again does not lengthen the ttl.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  local ttl = tonumber(ARGV[2]) or 0
  if ttl > 0 then
    redis.call('EXPIRE', KEYS[1], ttl)
  end
  return 1
end
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
  return 1
end
return 0
