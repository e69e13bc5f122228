-- permits: takes some of a limited number of permits, in the order of asking. The fair lock (one of one), the
-- read-write lock (a reader takes one, a writer all) and the semaphore are this. May be sent again, and is,
-- to wait: it answers for the same acquisition.
-- KEYS[1] the holders: a hash, owner id -> "permits deadline", and "limit". KEYS[2] the queue: a hash,
-- owner id -> "ticket permits deadline limit". KEYS[3] the memory of acquisitions that are over, and
-- channel.
-- ARGV[1] the owner id. ARGV[2] the permits wanted. ARGV[3] the limit. ARGV[4] the ttl in ms. ARGV[5] how
-- long a place in the queue is kept unless asked for again, in ms; 0: do not queue.
-- Replies {1, ms left, deadline} if held, {0, ms until something can change by itself (-1: never), a holder}
-- if not, {-1} if this acquisition is over, {-2, limit} if the permits are held under another limit.
-- Who takes permits tells the next in the queue to ask again, for it may have to wait for this hold's end.
-- Deadlines are Unix times in ms of the server's clock; a hold lives at its deadline and not after it.
local owner, want, limit = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
if redis.call('ZSCORE', KEYS[3], '1' .. owner) or redis.call('ZSCORE', KEYS[3], '0' .. owner) then
  return {-1}
end
local now = redis.call('TIME')
now = now[1] * 1000 + math.floor(now[2] / 1000)

local function keep(key, deadline)
  if redis.call('PEXPIRETIME', key) < deadline then
    redis.call('PEXPIREAT', key, string.format('%.0f', deadline))
  end
end

local soonest
local held, somebody, other_limit = 0, false, nil
local holders = redis.call('HGETALL', KEYS[1])
for i = 1, #holders, 2 do
  local permits, deadline = string.match(holders[i + 1], '^(%d+) (%d+)$')
  if permits then
    permits, deadline = tonumber(permits), tonumber(deadline)
    if deadline < now then
      redis.call('HDEL', KEYS[1], holders[i])
    elseif holders[i] == owner then
      return {1, deadline - now, deadline}
    else
      held = held + permits
      somebody = somebody or holders[i]
      soonest = math.min(soonest or deadline, deadline)
    end
  elseif tonumber(holders[i + 1]) ~= limit then
    other_limit = tonumber(holders[i + 1])
  end
end
if held > 0 and other_limit then
  return {-2, other_limit}
end

local queue = redis.call('HGETALL', KEYS[2])
local ticket, last = nil, 0
local waiting = {}
for i = 1, #queue, 2 do
  local number, permits, deadline = string.match(queue[i + 1], '^(%d+) (%d+) (%d+)')
  number, permits, deadline = tonumber(number), tonumber(permits), tonumber(deadline)
  if queue[i] == owner then
    ticket = number
  elseif deadline < now then
    redis.call('HDEL', KEYS[2], queue[i])
  else
    waiting[#waiting + 1] = {number, permits, deadline, queue[i]}
  end
  last = math.max(last, number)
end
local ahead, first = 0, nil
for _, waiter in ipairs(waiting) do
  if not first or waiter[1] < first[1] then
    first = waiter
  end
  if not ticket or waiter[1] < ticket then
    ahead = ahead + waiter[2]
    soonest = math.min(soonest or waiter[3], waiter[3])
    somebody = somebody or waiter[4]
  end
end

if held + ahead + want <= limit then
  local deadline = now + ARGV[4]
  redis.call('HSET', KEYS[1], 'limit', ARGV[3], owner, string.format('%d %.0f', want, deadline))
  redis.call('HDEL', KEYS[2], owner)
  keep(KEYS[1], deadline)
  if first then
    redis.call('PUBLISH', KEYS[3], first[4])
  end
  return {1, deadline - now, deadline}
end
if ARGV[5] ~= '0' then
  local deadline = now + ARGV[5]
  ticket = ticket or last + 1
  redis.call('HSET', KEYS[2], owner, string.format('%d %d %.0f %d', ticket, want, deadline, limit))
  keep(KEYS[2], deadline)
end
return {0, soonest and soonest - now or -1, somebody}
