-- KEYS: the log.
-- ARGV: the clock, the entry, how many to keep, when the log expires.
local now = current_time()
local number = 0
local last = redis.call('LINDEX', KEYS[1], -1)
if last then
    local last_number, _, expires = read_entry(last)
    if expires and expires <= now then
        redis.call('DEL', KEYS[1])
    else
        number = last_number + 1
    end
end

local expires = after(now, ARGV[4])
redis.call('RPUSH', KEYS[1], digits(number) .. ' ' .. digits(now) .. ' ' .. (expires and digits(expires) or '') .. '\n' .. ARGV[2])
redis.call('LTRIM', KEYS[1], '-' .. ARGV[3], -1)
expire_at(KEYS[1], expires)
return digits(number)
