-- What is booked of the demo inventory, in an SQLite file: the tables of migrations/0001_begin.sql, but for what
-- only several processes need. Times are seconds since 1970.

CREATE TABLE bookings (
    reference TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    subject TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('held', 'booked', 'cancelled')),
    made_at REAL NOT NULL,
    held_until REAL,
    document BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX bookings_of_user ON bookings (user_id, made_at);

-- What a booking takes, for good or, where it is held, until then.
CREATE TABLE claims (
    item TEXT,
    day INTEGER,
    reference TEXT NOT NULL,
    count INTEGER NOT NULL CHECK (count > 0),
    until REAL,
    PRIMARY KEY (item, day, reference)
) WITHOUT ROWID;
CREATE INDEX claims_of_booking ON claims (reference);

-- What each call came to; empty bytes are a call that must not be carried out any more.
CREATE TABLE calls (
    user_id TEXT,
    call_id TEXT,
    arguments TEXT NOT NULL,
    document BLOB NOT NULL,
    PRIMARY KEY (user_id, call_id)
) WITHOUT ROWID;
