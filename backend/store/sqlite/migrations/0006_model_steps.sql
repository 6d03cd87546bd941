-- Came in the time of version 4, without a number: files of versions 4 and 5 may have it.
CREATE TABLE IF NOT EXISTS model_steps (user_id TEXT, turn INTEGER, position INTEGER, document BLOB NOT NULL,
    PRIMARY KEY (user_id, turn, position)) WITHOUT ROWID;
