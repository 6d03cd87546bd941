CREATE TABLE IF NOT EXISTS tool_calls (user_id TEXT, turn INTEGER, call_id TEXT, unsettled INTEGER NOT NULL,
    document BLOB NOT NULL, PRIMARY KEY (user_id, turn, call_id)) WITHOUT ROWID;
