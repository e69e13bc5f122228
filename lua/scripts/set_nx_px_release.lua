-- set-nx-px: frees the lock if the token is still the one that it was taken with.
-- KEYS[1] the lock. ARGV[1] the token.
-- Replies 1 if the lock was freed, 0 if it is another's or nobody's.
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0
