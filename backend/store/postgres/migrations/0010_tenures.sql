-- Whose users are, in a function: the driver's own statement was planned anew each time, since its cost by
-- estimate depends on the users asked for. That took longer than reading (0.31 ms, and 0.13 in a function).
-- It takes no lock, and waits for nobody; `claim` finds the same, with the user's row locked.
CREATE FUNCTION detour.tenures(users_ text[], replicas_ text[])
RETURNS TABLE (user_id text, replica text, owner text, fence bigint, occupied boolean, elsewhere boolean)
LANGUAGE plpgsql STABLE
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off
AS $$
BEGIN
    RETURN QUERY
    SELECT asked.user_id, asked.replica, u.owner, u.fence, u.occupied, u.owner <> asked.replica AND u.occupied
        AND EXISTS (SELECT FROM detour.replicas r WHERE r.replica = u.owner AND detour.is_alive(r))
    FROM unnest(users_, replicas_) AS asked (user_id, replica)
    JOIN detour.users u ON u.user_id = asked.user_id
    WHERE u.owner IS NOT NULL;
END $$;

-- Notes whose session is gone, as `note_sessions` does; returns the seconds until the first of these counts as
-- dead, null if there is none: looked for at a fixed pace, their users would wait for half of it more.
CREATE FUNCTION detour.watch_sessions() RETURNS double precision LANGUAGE plpgsql AS $$
BEGIN
    PERFORM detour.note_sessions();
    RETURN (SELECT extract(epoch FROM min(r.lost_at) + interval '1 second' - clock_timestamp())
        FROM detour.replicas r WHERE r.lost_at + interval '1 second' > clock_timestamp());
END $$;
