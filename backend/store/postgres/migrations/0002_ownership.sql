-- Who owns whom. A replica is one process, with a new name at each start. It counts as alive while its lease
-- lasts, and its session: a connection that holds an advisory lock. So a killed process is noticed within a
-- second or two, and one that is frozen, or cut off, when its lease is over. All times are the database's.

CREATE SEQUENCE detour.fences;
CREATE SEQUENCE detour.locks AS int CYCLE;

CREATE TABLE detour.replicas (
    replica text COLLATE "C" PRIMARY KEY,
    lease_until timestamptz NOT NULL,
    lease interval NOT NULL,
    lock_id int NOT NULL DEFAULT nextval('detour.locks'),
    session_at timestamptz,
    lost_at timestamptz,
    draining boolean NOT NULL DEFAULT false,
    protocol int NOT NULL,
    facts text NOT NULL
);

CREATE TABLE detour.commands (
    user_id text COLLATE "C", command_id text COLLATE "C", number bigserial, kind text NOT NULL,
    body bytea NOT NULL, sender text COLLATE "C" NOT NULL, at timestamptz NOT NULL DEFAULT clock_timestamp(),
    reply bytea,
    PRIMARY KEY (user_id, command_id)
);
CREATE INDEX commands_unanswered ON detour.commands (user_id, number) WHERE reply IS NULL;

-- The number of a lock of a replica's session: the first half says what it is for.
CREATE FUNCTION detour.lock_class() RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT 1684370546 $$;

-- After a restart of the database every lease runs for its full time again, and a session that was lost
-- before counts no more: otherwise each restart longer than a lease would end every task there is.
CREATE FUNCTION detour.is_alive(r detour.replicas) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT greatest(r.lease_until, pg_postmaster_start_time() + r.lease) > clock_timestamp()
        AND (r.lost_at IS NULL OR r.lost_at + interval '1 second' > clock_timestamp()
            OR r.session_at IS NULL OR r.session_at < pg_postmaster_start_time())
$$;

-- A number that is never used twice: after a failover that lost commits the sequence would give some again,
-- so it begins with the timeline.
CREATE FUNCTION detour.next_fence() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT (('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint << 36)
        + nextval('detour.fences')
$$;

-- Begins a lease, or renews it. False: it is over, and the replica must begin anew under another name.
CREATE FUNCTION detour.renew(me text, ttl interval) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    UPDATE detour.replicas r SET lease_until = clock_timestamp() + ttl, lease = ttl
        WHERE r.replica = me AND detour.is_alive(r);
    RETURN FOUND;
END $$;

CREATE FUNCTION detour.join(me text, ttl interval, protocol_ int, facts_ text) RETURNS int LANGUAGE sql AS $$
    INSERT INTO detour.replicas (replica, lease_until, lease, protocol, facts)
        VALUES (me, clock_timestamp() + ttl, ttl, protocol_, facts_) RETURNING lock_id
$$;

-- Notes whose session is gone. Called by every replica, often.
CREATE FUNCTION detour.note_sessions() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    WITH held AS (
        SELECT l.objid::bigint AS lock_id FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.classid = detour.lock_class()::oid AND l.granted
            AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))
    UPDATE detour.replicas r SET
        lost_at = CASE WHEN h.lock_id IS NULL THEN clock_timestamp() END,
        session_at = CASE WHEN h.lock_id IS NULL THEN r.session_at ELSE clock_timestamp() END
        FROM detour.replicas s LEFT JOIN held h ON h.lock_id = s.lock_id
        WHERE r.replica = s.replica AND (
            (h.lock_id IS NULL AND r.lost_at IS NULL AND r.session_at IS NOT NULL)
            OR (h.lock_id IS NOT NULL AND (r.lost_at IS NOT NULL OR r.session_at IS NULL
                OR r.session_at < pg_postmaster_start_time())));
    -- What is long dead is of no use to anybody; its users are taken by then.
    DELETE FROM detour.replicas r WHERE r.lease_until < clock_timestamp() - interval '1 hour'
        AND NOT EXISTS (SELECT FROM detour.users u WHERE u.owner = r.replica AND u.occupied);
    DELETE FROM detour.commands c WHERE c.at < clock_timestamp() - interval '10 minutes';
END $$;

-- Begins the tenure of a user, or returns the one that lasts; `owned_by` is whoever must be asked instead.
-- A user of whom nothing is in anybody's memory belongs to whoever asks for him next.
CREATE FUNCTION detour.claim(of_user text, me text, OUT fence bigint, OUT unfinished boolean, OUT owned_by text)
LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    unfinished := false;
    IF known.owner = me THEN
        fence := known.fence;
    ELSIF known.occupied AND known.owner IS NOT NULL
        AND EXISTS (SELECT FROM detour.replicas r WHERE r.replica = known.owner AND detour.is_alive(r)) THEN
        owned_by := known.owner;
    ELSIF NOT EXISTS (SELECT FROM detour.replicas r WHERE r.replica = me AND detour.is_alive(r)) THEN
        RAISE EXCEPTION 'the lease is over' USING ERRCODE = 'DT004';
    ELSE
        fence := detour.next_fence();
        unfinished := known.occupied;
        UPDATE detour.users u SET owner = me, fence = claim.fence WHERE u.user_id = of_user;
    END IF;
END $$;

-- Takes some of the users whose owner is dead, or has given them up, with something unfinished.
CREATE FUNCTION detour.take(me text, most int) RETURNS TABLE (taken text) LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM detour.replicas r WHERE r.replica = me AND NOT r.draining AND detour.is_alive(r)) THEN
        RETURN;
    END IF;
    RETURN QUERY UPDATE detour.users u SET owner = me, fence = detour.next_fence() WHERE u.user_id IN (
        SELECT o.user_id FROM detour.users o WHERE o.occupied AND (o.owner IS NULL OR NOT EXISTS (
            SELECT FROM detour.replicas r WHERE r.replica = o.owner AND detour.is_alive(r)))
        ORDER BY o.user_id LIMIT most FOR NO KEY UPDATE SKIP LOCKED)
        RETURNING u.user_id;
END $$;

-- Gives a user up, so that another replica may take him at once.
CREATE FUNCTION detour.give_up(of_user text, of_fence bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE detour.users u SET owner = NULL WHERE u.user_id = of_user AND u.fence = of_fence
$$;

-- Leaves a command for a user's owner, once.
CREATE FUNCTION detour.leave_command(of_user text, id text, kind_ text, body_ bytea, sender_ text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- A command need not be durable: its sender repeats it until it is answered.
    SET LOCAL synchronous_commit = off;
    INSERT INTO detour.commands (user_id, command_id, kind, body, sender)
        VALUES (of_user, id, kind_, body_, sender_) ON CONFLICT DO NOTHING;
END $$;

CREATE FUNCTION detour.answer_command(of_user text, id text, reply_ bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    UPDATE detour.commands c SET reply = reply_ WHERE c.user_id = of_user AND c.command_id = id;
END $$;

-- Follows a user from another replica, or no more. The row is locked as every write locks it: so a write
-- either sees the follower, or is seen by what the follower reads next.
CREATE FUNCTION detour.follow(of_user text, me text, wanted boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    UPDATE detour.users u SET followers = CASE WHEN wanted
        THEN array_append(array_remove(u.followers, me), me) ELSE array_remove(u.followers, me) END
        WHERE u.user_id = of_user;
END $$;
