-- What servers changed by statements of their own, as functions, so that their role needs no right to a table;
-- and hints that are kept for replicas that ask for them.
--
-- Functions that change something run with the rights of the tables' owner (../functions.py).

-- Has a user taken up from what is stored: the owner decided without what it took for refused.
CREATE FUNCTION detour.let_go(of_user text, of_fence bigint) RETURNS void LANGUAGE sql AS $$
    UPDATE detour.users u SET owner = NULL, fence = detour.next_fence(), occupied = true
        WHERE u.user_id = of_user AND u.fence = of_fence AND u.fence <> 0
$$;

-- Keeps a grant, and drops those that have expired; what another session drops right now is left to it.
CREATE FUNCTION detour.put_grant(digest_ bytea, body_ bytea, expires_at_ double precision, now_ double precision)
RETURNS void LANGUAGE sql AS $$
    DELETE FROM detour.grants g WHERE g.digest IN (
        SELECT o.digest FROM detour.grants o WHERE o.expires_at <= now_ FOR UPDATE SKIP LOCKED);
    INSERT INTO detour.grants VALUES (digest_, body_, expires_at_)
        ON CONFLICT (digest) DO UPDATE SET body = excluded.body, expires_at = excluded.expires_at
$$;

-- Puts a grant in the place of the one with its digest, unless that has expired.
CREATE FUNCTION detour.replace_grant(
    digest_ bytea, body_ bytea, expires_at_ double precision, now_ double precision)
RETURNS void LANGUAGE sql AS $$
    UPDATE detour.grants g SET body = body_, expires_at = expires_at_
        WHERE g.digest = digest_ AND g.expires_at > now_
$$;

-- Drops a grant, and returns it, whether or not it has expired.
CREATE FUNCTION detour.take_grant(INOUT digest_ bytea, OUT body bytea, OUT expires_at double precision)
LANGUAGE sql AS $$
    DELETE FROM detour.grants g WHERE g.digest = digest_ RETURNING g.digest, g.body, g.expires_at
$$;

-- A replica that polls has no session: it counts as alive while its lease lasts.
ALTER TABLE detour.replicas ADD COLUMN polls boolean NOT NULL DEFAULT false;

CREATE FUNCTION detour.drain(me text, wanted boolean) RETURNS void LANGUAGE sql AS $$
    UPDATE detour.replicas r SET draining = wanted WHERE r.replica = me
$$;

-- Hints for replicas that poll. Like those that are notified they may be lost, so the table has no log: a
-- crash empties it. An empty hint stays while its replica polls, and tells by its absence that others were lost.
CREATE UNLOGGED TABLE detour.hints (
    replica text COLLATE "C" NOT NULL,
    payload text NOT NULL,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX hints_of ON detour.hints (replica);

-- Begins a lease. Hints of those who are dead go: nobody asks for them any more.
CREATE FUNCTION detour.join(me text, ttl interval, protocol_ int, facts_ text, polls_ boolean)
RETURNS int LANGUAGE sql AS $$
    DELETE FROM detour.hints h WHERE NOT EXISTS (
        SELECT FROM detour.replicas r WHERE r.replica = h.replica AND detour.is_alive(r));
    INSERT INTO detour.replicas (replica, lease_until, lease, protocol, facts, polls)
        VALUES (me, clock_timestamp() + ttl, ttl, protocol_, facts_, polls_) RETURNING lock_id
$$;

CREATE FUNCTION detour.leave(me text) RETURNS void LANGUAGE sql AS $$
    DELETE FROM detour.replicas r WHERE r.replica = me;
    DELETE FROM detour.hints h WHERE h.replica = me
$$;

-- Sends hints, each to the channel of a replica, in the way in which that one hears. Only to be called in a
-- transaction that does not wait for the disk.
CREATE FUNCTION detour.tell(channels text[], payloads text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO detour.hints (replica, payload)
        SELECT r.replica, t.payload FROM unnest(channels, payloads) AS t (channel, payload)
        JOIN detour.replicas r ON 'detour_' || r.replica = t.channel
        WHERE r.polls AND detour.is_alive(r);
    PERFORM pg_notify(t.channel, t.payload) FROM unnest(channels, payloads) AS t (channel, payload)
        WHERE NOT EXISTS (
            SELECT FROM detour.replicas r WHERE 'detour_' || r.replica = t.channel AND r.polls);
END $$;

-- As in 0004, to replicas that poll as well.
CREATE OR REPLACE FUNCTION detour.leave_command(
    of_user text, id text, kind_ text, body_ bytea, sender_ text, channel text, hint text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO detour.commands (user_id, command_id, kind, body, sender)
        VALUES (of_user, id, kind_, body_, sender_) ON CONFLICT DO NOTHING;
    PERFORM detour.tell(ARRAY[channel], ARRAY[hint]);
END $$;

CREATE OR REPLACE FUNCTION detour.answer_command(
    of_user text, id text, reply_ bytea, channel text, hint text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    UPDATE detour.commands c SET reply = reply_ WHERE c.user_id = of_user AND c.command_id = id;
    PERFORM detour.tell(ARRAY[channel], ARRAY[hint]);
END $$;

-- Returns the hints for a replica that polls, and drops them; an empty one tells that some may have been lost.
CREATE FUNCTION detour.take_hints(me text) RETURNS TABLE (payload text) LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    RETURN QUERY DELETE FROM detour.hints h WHERE h.replica = me AND h.payload <> '' RETURNING h.payload;
    IF NOT EXISTS (SELECT FROM detour.hints h WHERE h.replica = me AND h.payload = '') THEN
        RETURN QUERY INSERT INTO detour.hints AS h (replica, payload) VALUES (me, '') RETURNING h.payload;
    END IF;
END $$;
