-- All that the SQLite store keeps, in tables of the same names, and who owns each user. Every key begins with
-- the user, and no statement joins two users: so the tables can be partitioned by user.
--
-- Documents are bytes: PostgreSQL's own JSON refuses U+0000, which users may write. Ids are compared by bytes.

CREATE TABLE detour.identity (
    id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
    name text NOT NULL DEFAULT replace(gen_random_uuid()::text, '-', '')
);
INSERT INTO detour.identity DEFAULT VALUES;

-- A row outlives the deletion of its user, so that the fence does: a process that was taken for dead must not
-- write again. `begun` is false until the user's first message, and again after a deletion.
CREATE TABLE detour.users (
    user_id text COLLATE "C" PRIMARY KEY,
    epoch text NOT NULL DEFAULT '',
    timeline text NOT NULL DEFAULT '',
    begun boolean NOT NULL DEFAULT false,
    seq bigint NOT NULL DEFAULT 0,
    turn bigint NOT NULL DEFAULT 0,
    writes bigint NOT NULL DEFAULT 0,
    owner text,
    fence bigint NOT NULL DEFAULT 0,
    occupied boolean NOT NULL DEFAULT false,
    followers text[] NOT NULL DEFAULT '{}',
    tokens double precision,
    tokens_at timestamptz
) WITH (fillfactor = 60);
CREATE INDEX users_occupied ON detour.users (owner) WHERE occupied;

CREATE TABLE detour.tasks (
    user_id text COLLATE "C", turn bigint, task_id text COLLATE "C" NOT NULL, status text NOT NULL, reason text,
    aside boolean NOT NULL, previous_task_id text COLLATE "C", said bytea NOT NULL, document bytea NOT NULL,
    PRIMARY KEY (user_id, turn)
) WITH (fillfactor = 70);
CREATE INDEX tasks_by_id ON detour.tasks (user_id, task_id);
CREATE INDEX tasks_unfinished ON detour.tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted');
CREATE INDEX tasks_in_turn ON detour.tasks (user_id, turn) WHERE NOT aside;
CREATE INDEX tasks_to_resume ON detour.tasks (user_id, turn)
    WHERE status NOT IN ('completed', 'failed', 'interrupted') OR reason = 'shutdown';

CREATE TABLE detour.messages (
    user_id text COLLATE "C", turn bigint, position bigint, task_id text COLLATE "C" NOT NULL,
    document bytea NOT NULL,
    PRIMARY KEY (user_id, turn, position)
);
CREATE TABLE detour.events (
    user_id text COLLATE "C", last_seq bigint, first_seq bigint NOT NULL, bodies bytea NOT NULL,
    PRIMARY KEY (user_id, last_seq)
);
CREATE TABLE detour.partials (
    user_id text COLLATE "C", turn bigint, last_position bigint, found bytea NOT NULL,
    PRIMARY KEY (user_id, turn, last_position)
);
CREATE TABLE detour.agents (
    user_id text COLLATE "C", turn bigint, agent text COLLATE "C", document bytea NOT NULL,
    PRIMARY KEY (user_id, turn, agent)
) WITH (fillfactor = 70);
CREATE TABLE detour.receipts (
    user_id text COLLATE "C", task_id text COLLATE "C", body bytea NOT NULL,
    PRIMARY KEY (user_id, task_id)
);
CREATE TABLE detour.acceptances (
    user_id text COLLATE "C", client_id text COLLATE "C", seq bigint NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (user_id, client_id)
);
CREATE TABLE detour.contexts (
    user_id text COLLATE "C", turn bigint, document bytea NOT NULL,
    PRIMARY KEY (user_id, turn)
);
CREATE TABLE detour.inputs (
    user_id text COLLATE "C", request_id text COLLATE "C", turn bigint NOT NULL, number bigint NOT NULL,
    resolution text, expires_at double precision NOT NULL, document bytea NOT NULL,
    PRIMARY KEY (user_id, request_id)
);
CREATE INDEX inputs_by_turn ON detour.inputs (user_id, turn, number);
CREATE INDEX inputs_open ON detour.inputs (expires_at) WHERE resolution IS NULL;
CREATE TABLE detour.checkpoints (
    user_id text COLLATE "C", turn bigint, resting boolean NOT NULL, body bytea NOT NULL,
    PRIMARY KEY (user_id, turn)
);
CREATE TABLE detour.tool_calls (
    user_id text COLLATE "C", turn bigint, call_id text COLLATE "C", unsettled boolean NOT NULL,
    document bytea NOT NULL,
    PRIMARY KEY (user_id, turn, call_id)
);
CREATE INDEX tool_calls_unsettled ON detour.tool_calls (user_id) WHERE unsettled;
CREATE TABLE detour.model_steps (
    user_id text COLLATE "C", turn bigint, position bigint, document bytea NOT NULL,
    PRIMARY KEY (user_id, turn, position)
);
CREATE TABLE detour.thread_steps (
    user_id text COLLATE "C", graph text COLLATE "C", number bigint, step_id text COLLATE "C" NOT NULL,
    parent text COLLATE "C", turn bigint NOT NULL, body bytea NOT NULL, pages bytea NOT NULL,
    pieces bytea NOT NULL,
    PRIMARY KEY (user_id, graph, number)
);
CREATE INDEX thread_steps_by_id ON detour.thread_steps (user_id, graph, step_id);
CREATE TABLE detour.thread_pieces (
    user_id text COLLATE "C", graph text COLLATE "C", piece_id bytea, body bytea NOT NULL,
    PRIMARY KEY (user_id, graph, piece_id)
);
CREATE TABLE detour.threads (
    user_id text COLLATE "C" PRIMARY KEY, created_at double precision NOT NULL,
    updated_at double precision NOT NULL, document bytea NOT NULL
);
CREATE INDEX threads_by_creation ON detour.threads (created_at, user_id);
CREATE INDEX threads_by_change ON detour.threads (updated_at, user_id);

-- Rows as `detour.write` takes them: of their own types, so that a later column changes no older program's call.
CREATE TYPE detour.own_row AS (
    user_id text, fence bigint, writes bigint, seq bigint, turn bigint, epoch text, timeline text,
    occupied boolean
);
CREATE TYPE detour.must_row AS (user_id text, request_id text);
CREATE TYPE detour.task_row AS (
    user_id text, turn bigint, task_id text, status text, reason text, aside boolean, previous_task_id text,
    said bytea, document bytea
);
CREATE TYPE detour.placed_row AS (user_id text, turn bigint, position bigint, task_id text, document bytea);
CREATE TYPE detour.events_row AS (user_id text, last_seq bigint, first_seq bigint, bodies bytea);
CREATE TYPE detour.of_turn_row AS (user_id text, turn bigint, key text, document bytea);
CREATE TYPE detour.named_row AS (user_id text, name text, seq bigint, body bytea);
CREATE TYPE detour.upto_row AS (user_id text, upto bigint);
CREATE TYPE detour.input_row AS (
    user_id text, request_id text, turn bigint, number bigint, resolution text, expires_at double precision,
    document bytea
);
CREATE TYPE detour.flagged_row AS (user_id text, turn bigint, key text, flag boolean, document bytea);
CREATE TYPE detour.step_row AS (
    user_id text, graph text, number bigint, step_id text, parent text, turn bigint, body bytea, pages bytea,
    pieces bytea
);
CREATE TYPE detour.piece_row AS (user_id text, graph text, piece_id bytea, body bytea);
CREATE TYPE detour.thread_row AS (
    user_id text, created_at double precision, updated_at double precision, document bytea
);

-- Writes a group of users' records, or nothing. The only way to change anything of a user: it begins with the
-- rows of all users of the group, locked in order, and refuses those whose fence is not the writer's.
--
-- Raises DT001 with the users (as JSON) whose tenure has ended, DT002 with the question that is no longer open,
-- and DT003 with the users of whom there are more or fewer writes than the writer knows of. So what reaches
-- the database late, when its writer has given the connection up for lost, changes nothing.
-- Returns who follows the users of the group.
CREATE FUNCTION detour.write(
    own detour.own_row[], must detour.must_row[], tasks_ detour.task_row[], messages_ detour.placed_row[],
    events_ detour.events_row[], partials_ detour.placed_row[], agents_ detour.of_turn_row[],
    receipts_ detour.named_row[], contexts_ detour.of_turn_row[], acceptances_ detour.named_row[],
    trim_events detour.upto_row[], measure_events text[], kept_bytes bigint, trim_partials detour.upto_row[],
    trim_contexts text[], kept_contexts int, inputs_ detour.input_row[], forget_checkpoints detour.upto_row[],
    checkpoints_ detour.flagged_row[], tool_calls_ detour.flagged_row[], model_steps_ detour.placed_row[],
    steps_ detour.step_row[], pieces_ detour.piece_row[], threads_ detour.thread_row[]
) RETURNS TABLE (followed text, by text[]) LANGUAGE plpgsql AS $$
DECLARE
    wrong text;
BEGIN
    -- A program that runs alone has the fence 0, and claims nobody: its users' rows begin here.
    IF EXISTS (SELECT FROM unnest(own) o WHERE o.fence = 0) THEN
        INSERT INTO detour.users (user_id) SELECT o.user_id FROM unnest(own) o WHERE o.fence = 0
            ORDER BY o.user_id ON CONFLICT DO NOTHING;
    END IF;
    PERFORM FROM detour.users u WHERE u.user_id IN (SELECT o.user_id FROM unnest(own) o)
        ORDER BY u.user_id FOR NO KEY UPDATE;
    SELECT json_agg(o.user_id)::text INTO wrong FROM unnest(own) o LEFT JOIN detour.users u USING (user_id)
        WHERE u.fence IS DISTINCT FROM o.fence;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'tenures have ended' USING ERRCODE = 'DT001', DETAIL = wrong;
    END IF;
    SELECT json_agg(o.user_id)::text INTO wrong FROM unnest(own) o JOIN detour.users u USING (user_id)
        WHERE u.writes <> o.writes;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'counts differ' USING ERRCODE = 'DT003', DETAIL = wrong;
    END IF;
    SELECT m.request_id INTO wrong FROM unnest(must) m WHERE NOT EXISTS (
        SELECT FROM detour.inputs i
        WHERE i.user_id = m.user_id AND i.request_id = m.request_id AND i.resolution IS NULL) LIMIT 1;
    IF wrong IS NOT NULL THEN
        RAISE EXCEPTION 'not open' USING ERRCODE = 'DT002', DETAIL = wrong;
    END IF;
    UPDATE detour.users u SET seq = o.seq, turn = greatest(u.turn, o.turn), writes = u.writes + 1,
        epoch = coalesce(o.epoch, u.epoch), begun = u.begun OR o.epoch IS NOT NULL,
        timeline = CASE WHEN o.epoch IS NULL THEN u.timeline ELSE o.timeline END,
        occupied = coalesce(o.occupied, u.occupied)
        FROM unnest(own) o WHERE u.user_id = o.user_id;
    IF cardinality(tasks_) > 0 THEN
        INSERT INTO detour.tasks AS t SELECT * FROM unnest(tasks_) ON CONFLICT (user_id, turn) DO UPDATE
            SET status = excluded.status, reason = excluded.reason, document = excluded.document
            WHERE t.status NOT IN ('completed', 'failed', 'interrupted');
    END IF;
    IF cardinality(messages_) > 0 THEN
        INSERT INTO detour.messages SELECT * FROM unnest(messages_) ON CONFLICT (user_id, turn, position)
            DO UPDATE SET task_id = excluded.task_id, document = excluded.document;
    END IF;
    IF cardinality(events_) > 0 THEN
        INSERT INTO detour.events SELECT * FROM unnest(events_);
    END IF;
    IF cardinality(partials_) > 0 THEN
        INSERT INTO detour.partials SELECT p.user_id, p.turn, p.position, p.document FROM unnest(partials_) p
            ON CONFLICT (user_id, turn, last_position) DO UPDATE SET found = excluded.found;
    END IF;
    IF cardinality(agents_) > 0 THEN
        INSERT INTO detour.agents SELECT * FROM unnest(agents_) ON CONFLICT (user_id, turn, agent)
            DO UPDATE SET document = excluded.document;
    END IF;
    IF cardinality(receipts_) > 0 THEN
        INSERT INTO detour.receipts SELECT r.user_id, r.name, r.body FROM unnest(receipts_) r
            ON CONFLICT (user_id, task_id) DO UPDATE SET body = excluded.body;
    END IF;
    IF cardinality(contexts_) > 0 THEN
        INSERT INTO detour.contexts SELECT c.user_id, c.turn, c.document FROM unnest(contexts_) c
            ON CONFLICT (user_id, turn) DO UPDATE SET document = excluded.document;
    END IF;
    IF cardinality(acceptances_) > 0 THEN
        INSERT INTO detour.acceptances SELECT * FROM unnest(acceptances_) ON CONFLICT DO NOTHING;
    END IF;
    IF cardinality(trim_events) > 0 THEN
        DELETE FROM detour.events e USING unnest(trim_events) t
            WHERE e.user_id = t.user_id AND e.last_seq <= t.upto;
    END IF;
    IF cardinality(measure_events) > 0 THEN
        -- The newest row fits whatever its size.
        DELETE FROM detour.events e USING (
            SELECT s.user_id, max(s.last_seq) AS upto FROM (
                SELECT l.user_id, l.last_seq, sum(octet_length(l.bodies)) OVER newest AS kept,
                    row_number() OVER newest AS place
                FROM detour.events l WHERE l.user_id = ANY (measure_events)
                WINDOW newest AS (PARTITION BY l.user_id ORDER BY l.last_seq DESC)) s
            WHERE s.kept > kept_bytes AND s.place > 1 GROUP BY s.user_id) t
            WHERE e.user_id = t.user_id AND e.last_seq <= t.upto;
    END IF;
    IF cardinality(trim_partials) > 0 THEN
        DELETE FROM detour.partials p USING unnest(trim_partials) t
            WHERE p.user_id = t.user_id AND p.turn < t.upto;
        DELETE FROM detour.agents a USING unnest(trim_partials) t
            WHERE a.user_id = t.user_id AND a.turn < t.upto;
    END IF;
    IF cardinality(trim_contexts) > 0 THEN
        DELETE FROM detour.contexts c WHERE c.user_id = ANY (trim_contexts) AND c.turn <= (
            SELECT o.turn FROM detour.contexts o WHERE o.user_id = c.user_id
            ORDER BY o.turn DESC LIMIT 1 OFFSET kept_contexts);
    END IF;
    IF cardinality(inputs_) > 0 THEN
        INSERT INTO detour.inputs AS i SELECT * FROM unnest(inputs_) ON CONFLICT (user_id, request_id)
            DO UPDATE SET resolution = excluded.resolution, document = excluded.document
            WHERE i.resolution IS NULL;
    END IF;
    IF cardinality(forget_checkpoints) > 0 THEN
        DELETE FROM detour.checkpoints c USING unnest(forget_checkpoints) f
            WHERE c.user_id = f.user_id AND c.turn = f.upto;
    END IF;
    IF cardinality(checkpoints_) > 0 THEN
        INSERT INTO detour.checkpoints SELECT c.user_id, c.turn, c.flag, c.document FROM unnest(checkpoints_) c
            ON CONFLICT (user_id, turn) DO UPDATE SET resting = excluded.resting, body = excluded.body;
    END IF;
    IF cardinality(tool_calls_) > 0 THEN
        INSERT INTO detour.tool_calls SELECT * FROM unnest(tool_calls_) ON CONFLICT (user_id, turn, call_id)
            DO UPDATE SET unsettled = excluded.unsettled, document = excluded.document;
    END IF;
    IF cardinality(model_steps_) > 0 THEN
        INSERT INTO detour.model_steps SELECT s.user_id, s.turn, s.position, s.document
            FROM unnest(model_steps_) s
            ON CONFLICT (user_id, turn, position) DO UPDATE SET document = excluded.document;
    END IF;
    IF cardinality(steps_) > 0 THEN
        INSERT INTO detour.thread_steps SELECT * FROM unnest(steps_) ON CONFLICT (user_id, graph, number)
            DO UPDATE SET step_id = excluded.step_id, parent = excluded.parent, turn = excluded.turn,
                body = excluded.body, pages = excluded.pages, pieces = excluded.pieces;
    END IF;
    IF cardinality(pieces_) > 0 THEN
        INSERT INTO detour.thread_pieces SELECT * FROM unnest(pieces_) ON CONFLICT DO NOTHING;
    END IF;
    IF cardinality(threads_) > 0 THEN
        INSERT INTO detour.threads SELECT * FROM unnest(threads_) ON CONFLICT (user_id) DO UPDATE
            SET created_at = excluded.created_at, updated_at = excluded.updated_at,
                document = excluded.document;
    END IF;
    RETURN QUERY SELECT u.user_id, u.followers FROM detour.users u JOIN unnest(own) o USING (user_id)
        WHERE cardinality(u.followers) > 0;
END $$;

-- Tells whether the write was stored that followed so many of a user's; its answer was lost. This waits for a
-- write that is still at work. If it is not stored it never will be: the count goes on, beyond what it names.
CREATE FUNCTION detour.was_stored(of_user text, of_fence bigint, after_writes bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    IF of_fence = 0 THEN
        INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    END IF;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user AND u.fence = of_fence
        FOR NO KEY UPDATE;
    -- By two, and not by one: that would look as if the write were stored to whoever asks once more.
    UPDATE detour.users u SET writes = u.writes + 2 WHERE u.user_id = known.user_id AND u.writes = after_writes;
    RETURN coalesce(known.writes = after_writes + 1, false);
END $$;

-- Deletes everything of a user but the row, which begins anew. Raises DT001. Returns whether there was anything.
CREATE FUNCTION detour.delete_user(of_user text, of_fence bigint, new_epoch text)
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
        'threads']
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

-- Deletes the steps of a thread before a number, and the pieces that no kept step needs.
CREATE FUNCTION detour.trim_thread(of_user text, of_fence bigint, of_graph text, oldest bigint, unused bytea[])
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM detour.users u WHERE u.user_id = of_user AND u.fence = of_fence FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a tenure has ended' USING ERRCODE = 'DT001', DETAIL = json_build_array(of_user)::text;
    END IF;
    DELETE FROM detour.thread_steps s WHERE s.user_id = of_user AND s.graph = of_graph AND s.number < oldest;
    DELETE FROM detour.thread_pieces p
        WHERE p.user_id = of_user AND p.graph = of_graph AND p.piece_id = ANY (unused);
END $$;
