-- Whose conversation is whose, and what browsers were given in the place of a token.

CREATE TABLE detour.conversations (
    user_id text COLLATE "C" PRIMARY KEY,
    person text COLLATE "C" NOT NULL,
    begun_at double precision NOT NULL
);
CREATE INDEX conversations_of ON detour.conversations (person, begun_at, user_id);

CREATE TABLE detour.grants (
    digest bytea PRIMARY KEY,
    body bytea NOT NULL,
    expires_at double precision NOT NULL
);

-- Makes a conversation a person's unless something is known of it, and tells whose it is now. The user's row is
-- locked as every write and every deletion locks it.
CREATE FUNCTION detour.give_to(to_person text, of_user text, at double precision) RETURNS text
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    PERFORM FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    INSERT INTO detour.conversations SELECT of_user, to_person, at
        WHERE NOT EXISTS (SELECT FROM detour.users u WHERE u.user_id = of_user AND u.begun)
            AND NOT EXISTS (SELECT FROM detour.threads t WHERE t.user_id = of_user)
        ON CONFLICT DO NOTHING;
    RETURN (SELECT c.person FROM detour.conversations c WHERE c.user_id = of_user);
END $$;

-- As before, and whose the conversation is.
CREATE OR REPLACE FUNCTION detour.delete_user(of_user text, of_fence bigint, new_epoch text)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
    rows bigint;
    deleted bigint := 0;
    name text;
BEGIN
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    IF known.fence IS DISTINCT FROM of_fence AND NOT (known.user_id IS NULL AND of_fence = 0) THEN
        RAISE EXCEPTION 'a tenure has ended' USING ERRCODE = 'DT001', DETAIL = json_build_array(of_user)::text;
    END IF;
    FOREACH name IN ARRAY ARRAY['tasks', 'messages', 'events', 'partials', 'agents', 'receipts', 'acceptances',
        'contexts', 'inputs', 'checkpoints', 'tool_calls', 'model_steps', 'thread_steps', 'thread_pieces',
        'threads', 'conversations']
    LOOP
        EXECUTE format('DELETE FROM detour.%I WHERE user_id = $1', name) USING of_user;
        GET DIAGNOSTICS rows = ROW_COUNT;
        deleted := deleted + rows;
    END LOOP;
    UPDATE detour.users u SET epoch = new_epoch, begun = false, seq = 0, turn = 0, writes = u.writes + 1,
        occupied = false
        WHERE u.user_id = of_user AND (u.begun OR u.seq > 0 OR deleted > 0);
    RETURN known.begun OR deleted > 0;
END $$;
