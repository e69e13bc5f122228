-- multi-lock: takes all names, or none. May be sent again: it answers for the same acquisition.
-- KEYS[1] the mark: the number of the last acquisition of its row that is over, as are those before it. Then the
-- names, and then, for each, the memory of holds of it that were ended by force. ARGV[1] the owner id of this
-- acquisition. ARGV[2] the ttl in milliseconds. ARGV[3] the number of this acquisition in the mark's row, in 15 digits.
-- Replies {1, ms left, deadline} if all are held, {0, ms left, holder} if somebody holds one (-1 ms: without
-- ttl), {-1} if this acquisition is over: released, given up, or ended by force for one of the names.
local call = redis.call
local owner = ARGV[1]
local last = (#KEYS + 1) / 2  -- The last name.
local over = call('GET', KEYS[1])
over = over and over >= ARGV[3]
for i = last + 1, #KEYS do
  over = over or call('EXISTS', KEYS[i]) == 1 and call('ZSCORE', KEYS[i], '0' .. owner)
end
if over then
  return {-1}
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
