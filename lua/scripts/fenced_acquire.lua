-- fenced lock: takes the lock and mints its fencing token (epoch, sequence) in one step. May be sent again:
-- the answer holds the token that this acquisition has minted.
-- KEYS[1] the mark: the number of the last acquisition of its row that is over, as are those before it. KEYS[2] the
-- lock. KEYS[3] the memory of holds of it that were ended by force. KEYS[4] its fence, a hash without ttl.
-- ARGV[1] the owner id. ARGV[2] the ttl in ms. ARGV[3] the number of this acquisition in the mark's row, in 15
-- digits. ARGV[4], ARGV[5] the highest epoch and sequence that the client knows; 0, 0: none.
-- Replies {1, ms left, deadline, epoch, sequence} if held, {0, ms left, holder} if somebody else holds it,
-- {-1} if this acquisition is over.
-- A new epoch begins when the fence is gone, when the server is another one than minted last (restarted, or
-- promoted, perhaps with writes lost), or when the client knows of a higher token than the server does.
local owner = ARGV[1]
local over = redis.call('GET', KEYS[1])
if over and over >= ARGV[3] or redis.call('ZSCORE', KEYS[3], '0' .. owner) then
  return {-1}
end
local holder = redis.call('GET', KEYS[2])
if holder and holder ~= owner then
  return {0, redis.call('PTTL', KEYS[2]), holder}
end
local fence = redis.call('HMGET', KEYS[4], 'epoch', 'sequence', 'server', 'owner')
local epoch, sequence = tonumber(fence[1] or 0), tonumber(fence[2] or 0)
if not holder then
  local known_epoch, known_sequence = tonumber(ARGV[4]), tonumber(ARGV[5])
  local server = string.match(redis.call('INFO', 'replication'), 'master_replid:(%w+)')
  local behind = epoch < known_epoch or (epoch == known_epoch and sequence < known_sequence)
  if fence[3] ~= server or behind then  -- Also if there is no fence.
    local now = redis.call('TIME')
    epoch = math.max(now[1] * 1000 + math.floor(now[2] / 1000), epoch + 1, known_epoch + 1)
    sequence = 0
  end
  sequence = sequence + 1
  redis.call('HSET', KEYS[4], 'epoch', epoch, 'sequence', sequence, 'server', server, 'owner', owner)
  redis.call('SET', KEYS[2], owner, 'PX', ARGV[2])
elseif fence[4] ~= owner then
  return {-1}
end
return {1, redis.call('PTTL', KEYS[2]), redis.call('PEXPIRETIME', KEYS[2]), epoch, sequence}
