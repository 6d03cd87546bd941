-- Whose conversation is whose, which an older server would show to anybody; and what browsers were given in
-- the place of a token.
CREATE TABLE IF NOT EXISTS conversations (user_id TEXT PRIMARY KEY, person TEXT NOT NULL,
    begun_at REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS grants (digest BLOB PRIMARY KEY, body BLOB NOT NULL,
    expires_at REAL NOT NULL) WITHOUT ROWID;
