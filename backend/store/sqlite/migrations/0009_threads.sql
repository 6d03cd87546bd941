-- An older server would leave them behind where a user is deleted.
CREATE TABLE IF NOT EXISTS threads (user_id TEXT PRIMARY KEY, created_at REAL NOT NULL,
    updated_at REAL NOT NULL, document BLOB NOT NULL) WITHOUT ROWID;
