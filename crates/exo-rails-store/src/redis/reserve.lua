-- KEYS: the sequence of ids, the open reservations, and for each claim the counter and its reservations.
-- ARGV: the clock, how long to hold, and for each claim the amount and the limit.
local now = current_time()

-- The time until the window ends or reservations expire, and `used` and `reserved` together fit into the room. `nil` if they
-- never do. Sums above 2^53 would be rounded, so the amounts are subtracted.
local function retry_after(held, used, resets, reserved, room)
    if room < 0 then
        return
    end
    local first = 0
    while true do
        local names = redis.call('ZRANGE', held, first, first + 99, 'WITHSCORES')
        for index = 1, #names, 2 do
            local expires = tonumber(names[index + 1])
            if resets and resets <= expires then
                if reserved <= room then
                    return resets - now
                end
                used, resets = 0, nil
            end
            reserved = reserved - tonumber(names[index]:match('%d+$'))
            if reserved <= room - used then
                return expires - now
            end
        end
        if #names < 200 then
            break
        end
        first = first + 100
    end
    if resets and reserved <= room then
        return resets - now
    end
end

local counters, earlier = {}, {}
for claim = 1, (#KEYS - 2) / 2 do
    local key, held = KEYS[1 + claim * 2], KEYS[2 + claim * 2]
    local amount, limit = tonumber(ARGV[1 + claim * 2]), tonumber(ARGV[2 + claim * 2])
    local used, resets, reserved = read_counter(key, held, now)
    local room = limit - (earlier[key] or 0) - amount
    if used + reserved > room then
        local resets_in = optional(resets and resets - now)
        local retry = optional(retry_after(held, used, resets, reserved, room))
        return { false, { digits(claim - 1), digits(used), digits(reserved), resets_in, retry } }
    end
    earlier[key] = (earlier[key] or 0) + amount
    counters[claim] = { key = key, held = held, amount = amount }
end

local id = digits(redis.call('INCR', KEYS[1]))
local expires = after(now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', digits(now - GRACE))
redis.call('ZADD', KEYS[2], digits(expires), id)
expire_at(KEYS[2], tonumber(redis.call('ZREVRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]) + GRACE)
for claim, counter in ipairs(counters) do
    local used, resets, reserved = read_counter(counter.key, counter.held, now)
    redis.call('ZADD', counter.held, digits(expires), id .. ':' .. claim .. ':' .. digits(counter.amount))
    write_counter(counter.key, counter.held, used, resets, reserved + counter.amount)
end
return { { id, digits(expires) }, false }
