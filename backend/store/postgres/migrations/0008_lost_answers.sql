-- What is asked again, because the answer was lost or a claim is made before each step.

-- As in 0004, but a tenure that lasts is only read: no lock, no transaction id, nothing for the log. Whoever
-- begins another tenure meanwhile changes the fence, and each write looks at that with the row locked.
-- `unfinished` is told again, so that whoever never got the answer knows: the caller tells what it has at work.
CREATE OR REPLACE FUNCTION detour.claim(
    of_user text, me text, OUT fence bigint, OUT unfinished boolean, OUT owned_by text)
LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    SELECT u.fence, u.occupied INTO claim.fence, claim.unfinished
        FROM detour.users u WHERE u.user_id = of_user AND u.owner = me;
    IF FOUND THEN
        RETURN;
    END IF;
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    unfinished := false;
    IF known.owner = me THEN
        -- An earlier call, whose answer was given up, was at work until now.
        fence := known.fence;
        unfinished := known.occupied;
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

-- As in 0001, but null where another tenure has begun since: that user's count tells nothing any more.
CREATE OR REPLACE FUNCTION detour.was_stored(of_user text, of_fence bigint, after_writes bigint)
RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    IF of_fence = 0 THEN
        INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    END IF;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user AND u.fence = of_fence
        FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    -- By two, and not by one: that would look as if the write were stored to whoever asks once more.
    UPDATE detour.users u SET writes = u.writes + 2 WHERE u.user_id = known.user_id AND u.writes = after_writes;
    RETURN known.writes = after_writes + 1;
END $$;

-- As in 0002, but the names of those go that ended without a word: each replica has a new one.
CREATE OR REPLACE FUNCTION detour.follow(of_user text, me text, wanted boolean) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    UPDATE detour.users u SET followers = ARRAY(
            SELECT f FROM unnest(u.followers) f WHERE f <> me AND EXISTS (
                -- Its lease, and not whether it is alive: a session that was lost may come back.
                SELECT FROM detour.replicas r WHERE r.replica = f
                    AND greatest(r.lease_until, pg_postmaster_start_time() + r.lease) > clock_timestamp())
        ) || CASE WHEN wanted THEN ARRAY[me] ELSE '{}'::text[] END
        WHERE u.user_id = of_user;
END $$;
