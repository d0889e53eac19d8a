-- KEYS: the record, the sequence of versions.
-- ARGV: the clock, the expected version ('any', 'absent' or a number), the change ('put' or 'remove'), the value, when it expires.
local now = current_time()
local found = read_record(KEYS[1], now)
local expected = ARGV[2]
if expected ~= 'any' and expected ~= (found and found[2] or 'absent') then
    return { false, found }
end

local version = digits(redis.call('INCR', KEYS[2]))
redis.call('DEL', KEYS[1])
if ARGV[3] == 'put' then
    redis.call('HSET', KEYS[1], 'value', ARGV[4], 'version', version, 'written', digits(now))
    local expires = after(now, ARGV[5])
    if expires then
        redis.call('HSET', KEYS[1], 'expires', digits(expires))
        expire_at(KEYS[1], expires)
    end
end
return { version, false }
