-- KEYS: for each counter, the counter and its reservations.
local now = current_time()
for index = 1, #KEYS, 2 do
    local _, _, reserved = read_counter(KEYS[index], KEYS[index + 1], now)
    if reserved == 0 then
        redis.call('DEL', KEYS[index])
    end
end
