-- What is kept of searches and bookings at real sellers, in an SQLite file: the tables of migrations/. Times are
-- seconds since 1970.

-- Searches that have not ended, by what is searched for: whoever runs one again after a crash reads it on.
CREATE TABLE searches (
    user_id TEXT,
    search TEXT,
    request_id TEXT NOT NULL,
    begun_at REAL NOT NULL,
    PRIMARY KEY (user_id, search)
) WITHOUT ROWID;

-- What was sent to a seller, written before it was sent, and what it came to: a booking where it is done.
CREATE TABLE orders (
    user_id TEXT,
    call_id TEXT,
    seller TEXT NOT NULL,
    arguments TEXT NOT NULL,
    sent BLOB NOT NULL,
    begun_at REAL NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('begun', 'done', 'refused')),
    reference TEXT,
    PRIMARY KEY (user_id, call_id)
) WITHOUT ROWID;

-- What is booked, by our own reference; the document has the seller's ids of it.
CREATE TABLE sales (
    reference TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    seller_id TEXT NOT NULL,
    made_at REAL NOT NULL,
    document BLOB NOT NULL
) WITHOUT ROWID;
CREATE INDEX sales_of_user ON sales (user_id, made_at);

-- Who travels, sealed where the server has a key for it.
CREATE TABLE travellers (
    user_id TEXT PRIMARY KEY,
    document BLOB NOT NULL
) WITHOUT ROWID;
