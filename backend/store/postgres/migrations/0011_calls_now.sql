-- Stores the begin of a tool call, apart from the user's other writes: their count stays as it is, as whoever
-- counts them may be unable to. Raises DT001. Returns false, and stores nothing, if its task is no longer stored.
CREATE FUNCTION detour.begin_call(of_user text, of_fence bigint, of_turn bigint, of_call text, of_document bytea)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM detour.users u WHERE u.user_id = of_user AND u.fence = of_fence FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a tenure has ended' USING ERRCODE = 'DT001', DETAIL = json_build_array(of_user)::text;
    END IF;
    IF NOT EXISTS (SELECT FROM detour.tasks t WHERE t.user_id = of_user AND t.turn = of_turn) THEN
        RETURN false;
    END IF;
    INSERT INTO detour.tool_calls VALUES (of_user, of_turn, of_call, true, of_document)
        ON CONFLICT (user_id, turn, call_id) DO UPDATE SET unsettled = true, document = excluded.document;
    RETURN true;
END $$;
