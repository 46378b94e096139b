-- The waiting queue. Each command is one round trip. It uses Redis's clock, so that all instances agree on the time.
-- KEYS[1] is the prefix of all keys. ARGV: command, argument, admissions per second, capacity, waiting ms, visit ms, token, length.
--   enqueue <user>           answers 0, -1 if the queue is full
--   order <token>            answers the place, 0 if admitted, -1 if unknown
--   leave <token>            answers 0
-- Returns the answer, how many users this call admitted, and how many now wait; -1 for the last if it did not look.
-- token:<token> holds "<state> <user>", where the state is w (waiting), a (admitted) or p (paid).
-- The sorted set `waiting` is ordered by turn, `admitted` by the end of the visit.
local prefix = KEYS[1] .. ':'
local rate, capacity = tonumber(ARGV[3]), tonumber(ARGV[4])
local waiting_ms, visit_ms, length = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[8])
local waiting, admitted, allowance = prefix .. 'waiting', prefix .. 'admitted', prefix .. 'allowance'
-- Redis serves nobody else while the script runs, so one call repairs no more entries than this.
local batch = 100
local admissions, waits_now = 0, -1
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- Admits as many users as rate and capacity allow. Both `enqueue` and `order` call it. Waiting users poll, so the queue
-- needs no background job.
local function admit()
  redis.call('ZREMRANGEBYSCORE', admitted, '-inf', now)
  -- No visit ends later than one that begins now, unless the clock was set back.
  for _, visitor in ipairs(redis.call('ZRANGEBYSCORE', admitted, '(' .. now + visit_ms, '+inf', 'LIMIT', 0, batch)) do
    redis.call('ZADD', admitted, now + visit_ms, visitor)
    redis.call('PEXPIRE', prefix .. 'token:' .. visitor, visit_ms)
  end
  waits_now = redis.call('ZCARD', waiting)
  if waits_now == 0 then return end
  local free = capacity - redis.call('ZCARD', admitted)
  local then_ms, left = unpack(redis.call('HMGET', allowance, 'at', 'left'))
  left = math.min(rate, (tonumber(left) or rate) + math.max(0, now - (tonumber(then_ms) or now)) * rate / 1000)
  local gone = 0
  while free > 0 and left >= 1 and gone < batch do
    local head = redis.call('ZPOPMIN', waiting)[1]
    if not head then break end
    waits_now = waits_now - 1
    -- The token of a user who stopped polling has expired, so that user uses up no admission.
    local value = redis.call('GET', prefix .. 'token:' .. head)
    if value then
      redis.call('SET', prefix .. 'token:' .. head, 'a' .. string.sub(value, 2), 'PX', visit_ms)
      redis.call('PEXPIRE', prefix .. 'user:' .. string.sub(value, 3), visit_ms)
      redis.call('ZADD', admitted, now + visit_ms, head)
      free, left, admissions = free - 1, left - 1, admissions + 1
    else
      gone = gone + 1
    end
  end
  redis.call('HSET', allowance, 'at', now, 'left', tostring(left))
end

local function enqueue(user, token)
  local owner = prefix .. 'user:' .. user
  local previous = redis.call('GET', owner)
  local waits = previous and redis.call('ZSCORE', waiting, previous)
  if not waits and redis.call('ZCARD', waiting) >= length then
    -- Nobody else may ask for a while, and those who left still fill the queue.
    admit()
    if redis.call('ZCARD', waiting) >= length then return -1 end
  end
  if previous then
    redis.call('ZREM', waiting, previous)
    redis.call('ZREM', admitted, previous)
    redis.call('DEL', prefix .. 'token:' .. previous)
  end
  redis.call('SET', owner, token, 'PX', waiting_ms)
  redis.call('SET', prefix .. 'token:' .. token, 'w ' .. user, 'PX', waiting_ms)
  redis.call('ZADD', waiting, redis.call('INCR', prefix .. 'turn'), token)
  admit()
  return 0
end

local function order(token)
  admit()
  local key = prefix .. 'token:' .. token
  local value = redis.call('GET', key)
  if not value then return -1 end
  local place = redis.call('ZRANK', waiting, token)
  if not place then return 0 end
  redis.call('PEXPIRE', key, waiting_ms)
  redis.call('PEXPIRE', prefix .. 'user:' .. string.sub(value, 3), waiting_ms)
  return place + 1
end

local function leave(token)
  local key = prefix .. 'token:' .. token
  local value = redis.call('GET', key)
  if value then redis.call('SET', key, 'p' .. string.sub(value, 2), 'KEEPTTL') end
  redis.call('ZREM', admitted, token)
  return 0
end

local command, argument = ARGV[1], ARGV[2]
local answer
if command == 'enqueue' then
  answer = enqueue(argument, ARGV[7])
elseif command == 'order' then
  answer = order(argument)
else
  answer = leave(argument)
end
return { answer, admissions, waits_now }
