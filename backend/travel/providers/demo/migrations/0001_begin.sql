-- What is booked of the demo inventory, as in the file. Ids are compared by bytes, documents are bytes.

CREATE TABLE detour_demo.bookings (
    reference text COLLATE "C" PRIMARY KEY,
    user_id text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    state text NOT NULL CHECK (state IN ('held', 'booked', 'cancelled')),
    made_at timestamptz NOT NULL,
    held_until timestamptz,
    document bytea NOT NULL
);
CREATE INDEX bookings_of_user ON detour_demo.bookings (user_id, made_at);

-- What a booking takes, for good or, where it is held, until then.
CREATE TABLE detour_demo.claims (
    item text COLLATE "C",
    day int,
    reference text COLLATE "C" REFERENCES detour_demo.bookings ON DELETE CASCADE,
    count int NOT NULL CHECK (count > 0),
    until timestamptz,
    PRIMARY KEY (item, day, reference)
);
CREATE INDEX claims_of_booking ON detour_demo.claims (reference);

-- Rows to be locked, by whoever takes a place: a flight, hotel or car on a day. They say nothing of who it was.
CREATE TABLE detour_demo.places (
    item text COLLATE "C",
    day int,
    PRIMARY KEY (item, day)
);

-- What each call came to; empty bytes are a call that must not be carried out any more. No document at all has
-- only a call that is being carried out, in the transaction that does it.
CREATE TABLE detour_demo.calls (
    user_id text COLLATE "C",
    call_id text COLLATE "C",
    arguments text NOT NULL,
    document bytea,
    PRIMARY KEY (user_id, call_id)
);
