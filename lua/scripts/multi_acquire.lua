-- multi-lock: takes all names, or none. May be sent again: it answers for the same acquisition.
-- KEYS[1] the mark that this acquisition is over. Then the names, and then, for each, the memory of holds of it
-- that were ended by force. ARGV[1] the owner id of this acquisition. ARGV[2] the ttl in milliseconds.
-- Replies {1, ms left, deadline} if all are held, {0, ms left, holder} if somebody holds one (-1 ms: without
-- ttl), {-1} if this acquisition is over: released, given up, or ended by force for one of the names.
local call = redis.call
local owner = ARGV[1]
local last = (#KEYS + 1) / 2  -- The last name.
local hints = call('EXISTS', KEYS[1], KEYS[last + 1])
for i = last + 2, #KEYS do
  hints = hints + call('EXISTS', KEYS[i])
end
if hints > 0 then
  local over = call('EXISTS', KEYS[1]) == 1
  for i = last + 1, #KEYS do
    over = over or call('ZSCORE', KEYS[i], '0' .. owner)
  end
  if over then
    return {-1}
  end
end
local held = 0
for i = 2, last do
  local holder = call('GET', KEYS[i])
  if holder == owner then
    held = held + 1
  elseif holder then
    return {0, call('PTTL', KEYS[i]), holder}
  end
end
local left
if held == 0 then
  for i = 2, last do
    call('SET', KEYS[i], owner, 'PX', ARGV[2])
  end
  left = tonumber(ARGV[2])
elseif held < last - 1 then
  return {-1}
else
  left = call('PTTL', KEYS[2])
end
return {1, left, call('PEXPIRETIME', KEYS[2])}
