-- An older server would begin each thread anew.
CREATE TABLE IF NOT EXISTS thread_steps (user_id TEXT, graph TEXT, number INTEGER, step_id TEXT NOT NULL,
    parent TEXT, turn INTEGER NOT NULL, body BLOB NOT NULL, pages BLOB NOT NULL, pieces BLOB NOT NULL,
    PRIMARY KEY (user_id, graph, number)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS thread_pieces (user_id TEXT, graph TEXT, piece_id BLOB, body BLOB NOT NULL,
    PRIMARY KEY (user_id, graph, piece_id)) WITHOUT ROWID;
