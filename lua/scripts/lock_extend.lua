-- lock: prolongs a hold. Creates no key, shortens no ttl. May be sent again: a deadline that is not the one
-- named has been moved by this request before, and stays.
-- KEYS[1] the lock. One more for each further name. ARGV[1] the owner id. ARGV[2] the ttl in milliseconds.
-- ARGV[3] the deadline (Unix time in ms) that was last heard of the first name; empty: any.
-- Replies {1, ms left, deadline} if all are held, {0} if one is not.
for i = 1, #KEYS do
  if redis.call('GET', KEYS[i]) ~= ARGV[1] then
    return {0}
  end
end
local deadline = redis.call('PEXPIRETIME', KEYS[1])
if ARGV[3] == '' or tonumber(ARGV[3]) == deadline then
  for i = 1, #KEYS do
    redis.call('PEXPIRE', KEYS[i], ARGV[2], 'GT')
  end
end
return {1, redis.call('PTTL', KEYS[1]), redis.call('PEXPIRETIME', KEYS[1])}
