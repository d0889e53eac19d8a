-- What all scripts use. ARGV[1] is by how many milliseconds the clock is ahead, and the epoch that the client knows. The first
-- key is the epoch: the name of the state at random. If the server has lost its data, it has no name or another one. The scripts do
-- not count this key.
local AHEAD, KNOWN_EPOCH = ARGV[1]:match('^(%d+) (.*)$')
if redis.call('GET', table.remove(KEYS, 1)) ~= KNOWN_EPOCH then
    return redis.error_reply('LOST all data')
end

-- The largest amount of a counter.
local MAX_AMOUNT = 9007199254740991

-- How long a reservation is known after it has expired.
local GRACE = 600000

local function current_time()
    local time = redis.call('TIME')
    return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000) + tonumber(AHEAD)
end

-- All digits of a number. `tostring` has only 14.
local function digits(number)
    return string.format('%.0f', number)
end

-- The time at the end of a duration in milliseconds. `nil` if the duration is an empty text, which means never.
local function after(now, duration)
    if duration ~= '' then
        return math.min(now + tonumber(duration), MAX_AMOUNT)
    end
end

-- Sets the time when Redis removes a key, or that it never does.
local function expire_at(key, time)
    if time then
        redis.call('PEXPIREAT', key, digits(time))
    else
        redis.call('PERSIST', key)
    end
end

-- A number for the answer, or `false`. In the answer of a script, `nil` would be the end.
local function optional(number)
    return number and digits(number) or false
end

-- Reads fields of a hash. The fields from the second argument on must be numbers that are not negative. Otherwise the script fails,
-- and names the key: the other keys can still be used.
local function read_fields(key, numbers_from, ...)
    local fields = redis.pcall('HMGET', key, ...)
    local is_damaged = fields.err ~= nil
    for index = numbers_from, select('#', ...) do
        local number = not is_damaged and fields[index]
        is_damaged = is_damaged or (number and (tonumber(number) or -1) < 0)
    end
    if is_damaged then
        error('`' .. key .. '` is damaged: remove it. Other keys are not affected', 0)
    end
    return fields
end

-- The value, the version and the age of a record, or `false`.
local function read_record(key, now)
    local record = read_fields(key, 2, 'value', 'version', 'written', 'expires')
    if not record[1] or (record[4] and tonumber(record[4]) <= now) then
        return false
    end
    return { record[1], record[2], digits(math.max(0, now - tonumber(record[3]))) }
end

-- The used and reserved amounts of a counter, and the end of its window, without what has expired. `held` is the sorted set of
-- the reservations. Their scores are the times when they expire, and their names end with the amounts.
local function read_counter(key, held, now)
    local fields = read_fields(key, 1, 'used', 'resets', 'reserved')
    local used, resets, reserved = tonumber(fields[1] or 0), tonumber(fields[2] or nil), tonumber(fields[3] or 0)
    if resets and resets <= now then
        used, resets = 0, nil
        redis.call('HDEL', key, 'used', 'resets')
    end
    local expired = redis.call('ZRANGEBYSCORE', held, '-inf', digits(now))
    if #expired > 0 then
        for _, name in ipairs(expired) do
            reserved = reserved - tonumber(name:match('%d+$'))
        end
        redis.call('ZREMRANGEBYSCORE', held, '-inf', digits(now))
        redis.call('HSET', key, 'reserved', digits(reserved))
    end
    -- Redis may have removed the set by itself. A script that writes nothing before `INCR` fails if the memory is full.
    if reserved > 0 and redis.call('EXISTS', held) == 0 then
        reserved = 0
        redis.call('HDEL', key, 'reserved')
    end
    return used, resets, reserved
end

-- Writes a counter, and lets Redis remove it when nothing in it counts.
local function write_counter(key, held, used, resets, reserved)
    local last = redis.call('ZREVRANGE', held, 0, 0, 'WITHSCORES')[2]
    if last then
        redis.call('HSET', key, 'reserved', digits(reserved))
        expire_at(held, tonumber(last))
    else
        redis.call('HDEL', key, 'reserved')
    end
    if used > 0 then
        redis.call('HSET', key, 'used', digits(used))
    end
    if resets then
        redis.call('HSET', key, 'resets', digits(resets))
    end
    if used > 0 and not resets then
        expire_at(key, nil)
    elseif used > 0 or last then
        expire_at(key, math.max(resets or 0, tonumber(last or 0)))
    end
end

-- The number, the time, the expiry and the content of an entry of a log.
local function read_entry(entry)
    local number, written, expires, value_at = entry:match('^(%d+) (%d+) (%d*)\n()')
    return tonumber(number), tonumber(written), tonumber(expires), entry:sub(value_at)
end
