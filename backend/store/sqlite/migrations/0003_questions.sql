CREATE TABLE IF NOT EXISTS inputs (user_id TEXT, request_id TEXT, turn INTEGER NOT NULL,
    number INTEGER NOT NULL, resolution TEXT, expires_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, request_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoints (user_id TEXT, turn INTEGER, resting INTEGER NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
