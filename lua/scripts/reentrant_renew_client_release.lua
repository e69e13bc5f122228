-- reentrant-renew-client: as reentrant-renew's release, but the reply is DEL's own, and only exactly 0 holds free.
-- KEYS[1] the lock. ARGV[1] the owner.
-- Replies DEL's 1 or 0 after the last hold, 0 if the owner still holds it, nil if the owner does not hold it.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) == 0 then
  return redis.call('DEL', KEYS[1])
end
return 0
