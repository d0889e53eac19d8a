-- KEYS: the counter and its reservations.
local now = current_time()
local used, resets, reserved = read_counter(KEYS[1], KEYS[2], now)
return { digits(used), digits(reserved), optional(resets and resets - now) }
