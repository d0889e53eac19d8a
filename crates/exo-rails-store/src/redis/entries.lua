-- KEYS: the log.
local now = current_time()
local entries = redis.call('LRANGE', KEYS[1], 0, -1)
local found = {}
for index, entry in ipairs(entries) do
    local number, written, _, value = read_entry(entry)
    found[index] = { digits(number), digits(math.max(0, now - written)), value }
end
-- The last entry has the expiry of the log.
local _, _, expires = read_entry(entries[#entries] or '0 0 \n')
if expires and expires <= now then
    return {}
end
return found
