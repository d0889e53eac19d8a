-- KEYS: the epoch.
-- ARGV: a random name for the state, if it has none.
redis.call('SET', KEYS[1], ARGV[1], 'NX')
return redis.call('GET', KEYS[1])
