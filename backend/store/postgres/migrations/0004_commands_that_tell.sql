-- A command, and a reply, tell their hint themselves: one round trip instead of two. That is only right in a
-- transaction that does not wait for the disk: NOTIFY holds a lock of the whole server until its commit.

CREATE FUNCTION detour.leave_command(
    of_user text, id text, kind_ text, body_ bytea, sender_ text, channel text, hint text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    -- A command need not be durable: its sender repeats it until it is answered.
    SET LOCAL synchronous_commit = off;
    INSERT INTO detour.commands (user_id, command_id, kind, body, sender)
        VALUES (of_user, id, kind_, body_, sender_) ON CONFLICT DO NOTHING;
    PERFORM pg_notify(channel, hint);
END $$;

CREATE FUNCTION detour.answer_command(of_user text, id text, reply_ bytea, channel text, hint text)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    UPDATE detour.commands c SET reply = reply_ WHERE c.user_id = of_user AND c.command_id = id;
    PERFORM pg_notify(channel, hint);
END $$;

-- As in 0002, but only the beginning of a tenure waits for the disk: a row that was locked and left as it was
-- needs no commit of its own. A fence must be durable, or a crash of the database could give it twice.
CREATE OR REPLACE FUNCTION detour.claim(
    of_user text, me text, OUT fence bigint, OUT unfinished boolean, OUT owned_by text)
LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    unfinished := false;
    IF known.owner = me THEN
        fence := known.fence;
        SET LOCAL synchronous_commit = off;
    ELSIF known.occupied AND known.owner IS NOT NULL
        AND EXISTS (SELECT FROM detour.replicas r WHERE r.replica = known.owner AND detour.is_alive(r)) THEN
        owned_by := known.owner;
        SET LOCAL synchronous_commit = off;
    ELSIF NOT EXISTS (SELECT FROM detour.replicas r WHERE r.replica = me AND detour.is_alive(r)) THEN
        RAISE EXCEPTION 'the lease is over' USING ERRCODE = 'DT004';
    ELSE
        fence := detour.next_fence();
        unfinished := known.occupied;
        UPDATE detour.users u SET owner = me, fence = claim.fence WHERE u.user_id = of_user;
    END IF;
END $$;
