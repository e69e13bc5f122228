-- simple-setnx: frees the lock if it is the owner's.
-- KEYS[1] the lock. ARGV[1] the owner.
-- Replies 1 if the lock was freed, 0 if it is not (or no longer) the owner's.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('DEL', KEYS[1])
return 1
