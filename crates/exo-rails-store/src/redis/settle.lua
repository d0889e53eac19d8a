-- KEYS: the sequence of ids, the open reservations, and for each claim the counter and its reservations.
-- ARGV: the clock, the id, when the reservation expires, and for each claim the reserved amount, the used amount and the window.
local now = current_time()
local id, expires = ARGV[2], tonumber(ARGV[3])
local known = redis.call('ZREM', KEYS[2], id) == 1
-- The server has not given the number, so it has lost its latest data.
if not known and tonumber(id) > tonumber(redis.call('GET', KEYS[1]) or 0) then
    return redis.error_reply('LOST the latest data')
end
-- A reservation that would still be known is settled already.
if not known and now < expires + GRACE then
    return
end

for claim = 1, (#KEYS - 2) / 2 do
    local key, held = KEYS[1 + claim * 2], KEYS[2 + claim * 2]
    local amount, added, window = ARGV[1 + claim * 3], tonumber(ARGV[2 + claim * 3]), ARGV[3 + claim * 3]
    local used, resets, reserved = read_counter(key, held, now)
    if redis.call('ZREM', held, id .. ':' .. claim .. ':' .. amount) == 1 then
        reserved = reserved - tonumber(amount)
    end
    if added > 0 then
        if used == 0 then
            resets = after(now, window)
        end
        used = math.min(used + added, MAX_AMOUNT)
    end
    write_counter(key, held, used, resets, reserved)
end
