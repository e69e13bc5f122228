-- reentrant-hash: gives one hold back; the last one frees the lock.
-- KEYS[1] the lock. ARGV[1] the owner.
-- Replies 1 if a hold was given back, 0 if the owner holds nothing.
if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then
  return 0
end
if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) < 1 then
  redis.call('DEL', KEYS[1])
end
return 1
