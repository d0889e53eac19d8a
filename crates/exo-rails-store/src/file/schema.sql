-- The tables of a state file. Times are milliseconds since 1970. Rows that have expired may still be there: each query checks
-- the time.

-- The last number that was a version of a record or the id of a reservation.
CREATE TABLE sequence (last INTEGER NOT NULL) STRICT;
INSERT INTO sequence VALUES (0);

-- The name of the file, at random. The ids of reservations begin with it.
CREATE TABLE epoch (name TEXT NOT NULL) STRICT;
INSERT INTO epoch VALUES (lower(hex(randomblob(8))));

-- The clocks of the last process that has written: see `clock.rs`.
CREATE TABLE clock (
    id INTEGER NOT NULL PRIMARY KEY,
    start TEXT,
    difference INTEGER NOT NULL,
    latest INTEGER NOT NULL
) STRICT;

CREATE TABLE record (
    key TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL,
    version INTEGER NOT NULL,
    written INTEGER NOT NULL,
    expires INTEGER
) STRICT;
CREATE INDEX record_expires ON record (expires) WHERE expires IS NOT NULL;

CREATE TABLE counter (
    key TEXT NOT NULL PRIMARY KEY,
    used INTEGER NOT NULL,
    resets INTEGER
) STRICT;
CREATE INDEX counter_resets ON counter (resets) WHERE resets IS NOT NULL;

-- The reservations that are not settled, also for some time after they have expired.
CREATE TABLE reservation (id INTEGER NOT NULL PRIMARY KEY, expires INTEGER NOT NULL) STRICT;
CREATE INDEX reservation_expires ON reservation (expires);

-- The amounts of reservations that have not expired.
CREATE TABLE held (
    reservation INTEGER NOT NULL REFERENCES reservation ON DELETE CASCADE,
    claim INTEGER NOT NULL,
    key TEXT NOT NULL,
    amount INTEGER NOT NULL,
    expires INTEGER NOT NULL,
    PRIMARY KEY (reservation, claim)
) STRICT;
CREATE INDEX held_key ON held (key, expires);
CREATE INDEX held_expires ON held (expires);

CREATE TABLE log (key TEXT NOT NULL PRIMARY KEY, next INTEGER NOT NULL, expires INTEGER) STRICT;
CREATE INDEX log_expires ON log (expires) WHERE expires IS NOT NULL;

CREATE TABLE entry (
    log TEXT NOT NULL REFERENCES log ON DELETE CASCADE,
    number INTEGER NOT NULL,
    written INTEGER NOT NULL,
    value BLOB NOT NULL,
    PRIMARY KEY (log, number)
) STRICT;
