-- KEYS: the record.
return read_record(KEYS[1], current_time())
