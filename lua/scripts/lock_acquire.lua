-- lock: takes a name. May be sent again: it answers for the same acquisition.
-- KEYS[1] the mark: the number of the last acquisition of its row that is over, as are those before it. KEYS[2] the
-- lock. KEYS[3] the memory of holds of it that were ended by force. ARGV[1] the owner id of this acquisition.
-- ARGV[2] the ttl in milliseconds. ARGV[3] the number of this acquisition in the mark's row, in 15 digits.
-- Replies {1, ms left, deadline (Unix time in ms)} if it is held, or only the deadline if all of the ttl is left;
-- {0, ms left, holder} if somebody else holds it (-1 ms: without ttl), {-1} if this acquisition is over:
-- released, given up, or ended by force.
local call, owner = redis.call, ARGV[1]
local name, memory = KEYS[2], KEYS[3]
local over = call('GET', KEYS[1])
if over and over >= ARGV[3] then
  return {-1}
end
local holder
if call('EXISTS', name, memory) > 0 then
  if call('ZSCORE', memory, '0' .. owner) then
    return {-1}
  end
  holder = call('GET', name)
end
if not holder then
  call('SET', name, owner, 'GET', 'PX', ARGV[2])  -- There is nothing to GET: nil is made faster than a status.
  return call('PEXPIRETIME', name)
end
if holder == owner then
  local left, deadline = call('PTTL', name), call('PEXPIRETIME', name)
  return left == tonumber(ARGV[2]) and deadline or {1, left, deadline}
end
return {0, call('PTTL', name), holder}
