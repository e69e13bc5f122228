-- setex-unpack: frees the lock if it is the owner's.
-- KEYS[1] the lock. ARGV[1] the owner.
-- Replies the string "1" if the lock was freed, "0" if it is another's, "-1" if it is nobody's.
local holder = redis.call('GET', KEYS[1])
if not holder then
  return '-1'
end
if holder ~= ARGV[1] then
  return '0'
end
redis.call('DEL', KEYS[1])
return '1'
