-- The earliest version that can be read. Version 1 lasted three hours and kept other things of a task.
CREATE TABLE IF NOT EXISTS journal (id INTEGER PRIMARY KEY, rows BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS erasures (id INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS users (user_id TEXT PRIMARY KEY, epoch TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS tasks (user_id TEXT, turn INTEGER, task_id TEXT NOT NULL, status TEXT NOT NULL,
    reason TEXT, aside INTEGER NOT NULL, updated_at REAL NOT NULL, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (user_id TEXT, last_seq INTEGER, first_seq INTEGER NOT NULL,
    bodies BLOB NOT NULL, PRIMARY KEY (user_id, last_seq)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS partials (user_id TEXT, turn INTEGER, last_position INTEGER, found BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, last_position)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS agents (user_id TEXT, turn INTEGER, agent TEXT, state TEXT NOT NULL,
    detail TEXT NOT NULL, done INTEGER NOT NULL, total INTEGER NOT NULL, count INTEGER NOT NULL,
    PRIMARY KEY (user_id, turn, agent)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS receipts (user_id TEXT, task_id TEXT, body BLOB NOT NULL,
    PRIMARY KEY (user_id, task_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS acceptances (user_id TEXT, client_id TEXT, seq INTEGER NOT NULL,
    body BLOB NOT NULL, PRIMARY KEY (user_id, client_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS contexts (user_id TEXT, turn INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn)) WITHOUT ROWID;
