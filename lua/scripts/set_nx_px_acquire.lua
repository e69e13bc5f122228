-- set-nx-px, as a script: takes the lock if it is free.
-- KEYS[1] the lock. ARGV[1] the token. ARGV[2] the ttl in milliseconds.
-- Replies 1 if the lock was taken, 0 if somebody holds it.
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return 1
end
return 0
