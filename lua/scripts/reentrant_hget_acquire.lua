-- reentrant-hget: takes the lock if it is free, or once more if the client holds it. A hash counts the holds.
-- KEYS[1] the lock. ARGV[1] the client's id. ARGV[2] the ttl in milliseconds, which every hold renews.
-- Replies 1 if the lock is held, 0 if somebody else holds it. A ttl of 0 or below deletes the lock and replies 1.
if redis.call('HGET', KEYS[1], ARGV[1]) then
  redis.call('HINCRBY', KEYS[1], ARGV[1], 1)
elseif redis.call('HLEN', KEYS[1]) == 0 then
  redis.call('HMSET', KEYS[1], ARGV[1], 1)
else
  return 0
end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1
