-- What is dropped for its age. When a task has ended is in its document alone: read from there, as it is stored,
-- so that programs of an earlier release write the index as well.

-- When a task was changed last, in seconds since 1970; null where the document is damaged.
CREATE FUNCTION detour.changed_at(document bytea) RETURNS double precision LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    place int := position('"updated_at":"'::bytea IN document);
BEGIN
    IF place = 0 THEN
        RETURN NULL;
    END IF;
    RETURN extract(epoch FROM
        substring(encode(substring(document FROM place + 14 FOR 40), 'escape') FROM '^[^"]*')::timestamptz);
EXCEPTION WHEN data_exception THEN
    RETURN NULL;
END $$;

CREATE INDEX tasks_by_end ON detour.tasks (detour.changed_at(document), user_id, turn)
    WHERE status IN ('completed', 'failed', 'interrupted');
CREATE INDEX conversations_by_begin ON detour.conversations (begun_at, user_id);

-- Drops these turns of a user, each with the id of its task and the last turn in which something was said of it,
-- and the events up to a number; `rest` are rows of events in the place of those with the same last number.
-- Raises DT001.
CREATE FUNCTION detour.drop_aged(
    of_user text, of_fence bigint, turns bigint[], task_ids text[], last_turns bigint[], client_ids text[],
    events_upto bigint, rest detour.events_row[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    name text;
BEGIN
    PERFORM FROM detour.users u WHERE u.user_id = of_user AND u.fence = of_fence FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a tenure has ended' USING ERRCODE = 'DT001', DETAIL = json_build_array(of_user)::text;
    END IF;
    DELETE FROM detour.messages m USING unnest(turns, task_ids, last_turns) AS t (turn, task_id, last_turn)
        WHERE m.user_id = of_user AND m.turn BETWEEN t.turn AND t.last_turn
            AND (m.turn = t.turn OR m.task_id = t.task_id);
    DELETE FROM detour.acceptances a WHERE a.user_id = of_user AND a.client_id = ANY (client_ids);
    DELETE FROM detour.receipts r WHERE r.user_id = of_user AND r.task_id = ANY (task_ids);
    FOREACH name IN ARRAY ARRAY['tasks', 'partials', 'agents', 'contexts', 'checkpoints', 'tool_calls',
        'model_steps', 'inputs']
    LOOP
        EXECUTE format('DELETE FROM detour.%I WHERE user_id = $1 AND turn = ANY ($2)', name)
            USING of_user, turns;
    END LOOP;
    DELETE FROM detour.events e WHERE e.user_id = of_user AND e.last_seq <= events_upto;
    UPDATE detour.events e SET first_seq = r.first_seq, bodies = r.bodies FROM unnest(rest) r
        WHERE e.user_id = of_user AND e.last_seq = r.last_seq;
END $$;
