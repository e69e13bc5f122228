-- reentrant-hget: gives one hold back; the last one frees the lock.
-- KEYS[1] the lock. ARGV[1] the client's id.
-- Replies 1 if a hold was given back, 0 if the client holds nothing.
local holds = redis.call('HGET', KEYS[1], ARGV[1])
if not holds then
  return 0
end
if tonumber(holds) > 1 then
  redis.call('HINCRBY', KEYS[1], ARGV[1], -1)
else
  redis.call('DEL', KEYS[1])
end
return 1
