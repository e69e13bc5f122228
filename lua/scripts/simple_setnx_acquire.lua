-- simple-setnx: takes the lock if it is free.
-- KEYS[1] the lock. ARGV[1] the owner. ARGV[2] the ttl in seconds; missing or 0: the lock never expires.
-- Replies 1 if the lock was taken, 0 if somebody holds it.
if redis.call('SETNX', KEYS[1], ARGV[1]) == 0 then
  return 0
end
local ttl = tonumber(ARGV[2]) or 0
if ttl > 0 then
  redis.call('EXPIRE', KEYS[1], ttl)
end
return 1
