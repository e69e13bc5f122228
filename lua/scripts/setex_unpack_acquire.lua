-- setex-unpack: takes the lock if it is free.
-- KEYS[1] the lock. ARGV[1] the ttl in seconds. ARGV[2] the owner. ARGV goes to SETEX as it is.
-- Replies the string "1" if the lock was taken, the string "0" if somebody holds it: strings, not integers.
if redis.call('EXISTS', KEYS[1]) == 1 then
  return '0'
end
redis.call('SETEX', KEYS[1], unpack(ARGV))
return '1'
