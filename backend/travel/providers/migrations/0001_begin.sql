-- What is kept of searches and bookings at real sellers, as in the file. Ids are compared by bytes, documents
-- are bytes.

-- Searches that have not ended, by what is searched for: whoever runs one again after a crash reads it on.
CREATE TABLE detour_sellers.searches (
    user_id text COLLATE "C",
    search text COLLATE "C",
    request_id text NOT NULL,
    begun_at timestamptz NOT NULL,
    PRIMARY KEY (user_id, search)
);

-- What was sent to a seller, written before it was sent, and what it came to: a booking where it is done.
CREATE TABLE detour_sellers.orders (
    user_id text COLLATE "C",
    call_id text COLLATE "C",
    seller text NOT NULL,
    arguments text NOT NULL,
    sent bytea NOT NULL,
    begun_at timestamptz NOT NULL,
    state text NOT NULL CHECK (state IN ('begun', 'done', 'refused')),
    reference text COLLATE "C",
    PRIMARY KEY (user_id, call_id)
);

-- What is booked, by our own reference; the document has the seller's ids of it.
CREATE TABLE detour_sellers.sales (
    reference text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    seller_id text NOT NULL,
    made_at timestamptz NOT NULL,
    document bytea NOT NULL
);
CREATE INDEX sales_of_user ON detour_sellers.sales (user_id, made_at);

-- Who travels, sealed where the server has a key for it.
CREATE TABLE detour_sellers.travellers (
    user_id text COLLATE "C" PRIMARY KEY,
    document bytea NOT NULL
);
