-- reentrant-renew: gives one hold back; the last one frees the lock.
-- KEYS[1] the lock. ARGV[1] the owner.
-- Replies 1 if the lock is free now, 0 if the owner still holds it, nil if the owner does not hold it.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return nil
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) > 0 then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
