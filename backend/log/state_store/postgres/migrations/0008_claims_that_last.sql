-- As in 0004, but a tenure that lasts is only read: no lock, no transaction id, nothing for the log. Whoever
-- begins another tenure meanwhile changes the fence, and each write looks at that with the row locked.
CREATE OR REPLACE FUNCTION detour.claim(
    of_user text, me text, OUT fence bigint, OUT unfinished boolean, OUT owned_by text)
LANGUAGE plpgsql AS $$
DECLARE
    known detour.users%ROWTYPE;
BEGIN
    unfinished := false;
    SELECT u.fence INTO claim.fence FROM detour.users u WHERE u.user_id = of_user AND u.owner = me;
    IF FOUND THEN
        RETURN;
    END IF;
    INSERT INTO detour.users (user_id) VALUES (of_user) ON CONFLICT DO NOTHING;
    SELECT * INTO known FROM detour.users u WHERE u.user_id = of_user FOR NO KEY UPDATE;
    IF known.owner = me THEN
        -- Two of this replica claimed at once.
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
