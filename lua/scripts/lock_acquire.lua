-- lock: takes one or several names, all or none. May be sent again: it answers for the same acquisition.
-- KEYS[1] the lock. KEYS[2] its memory of acquisitions that are over. Two more for each further name.
-- ARGV[1] the owner id of this acquisition. ARGV[2] the ttl in milliseconds.
-- Replies {1, ms left, deadline} if all are held, {0, ms left, holder} if somebody holds one (-1 ms: without
-- ttl), {-1} if this acquisition is over: released, given up, or ended by force for one of the names.
local call = redis.call
local owner = ARGV[1]
local held = 0
for i = 1, #KEYS, 2 do
  local over = call('ZMSCORE', KEYS[i + 1], '1' .. owner, '0' .. owner)
  if over[1] or over[2] then
    return {-1}
  end
  local holder = call('GET', KEYS[i])
  if holder == owner then
    held = held + 1
  elseif holder then
    return {0, call('PTTL', KEYS[i]), holder}
  end
end
local left
if held == 0 then
  for i = 1, #KEYS, 2 do
    call('SET', KEYS[i], owner, 'PX', ARGV[2])
  end
  left = tonumber(ARGV[2])
elseif held < #KEYS / 2 then
  return {-1}
else
  left = call('PTTL', KEYS[1])
end
return {1, left, call('PEXPIRETIME', KEYS[1])}
