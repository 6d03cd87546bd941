-- Commands end with what their senders wait for: one that was refused must not be carried out afterwards.
--
-- Programs of an earlier release leave commands that are wanted until they are deleted, and begin none: what such
-- an owner carries out right now can be withdrawn all the same.
ALTER TABLE detour.commands ADD COLUMN IF NOT EXISTS wanted_until timestamptz NOT NULL DEFAULT 'infinity';
-- The replica that has begun to carry it out.
ALTER TABLE detour.commands ADD COLUMN IF NOT EXISTS begun_by text COLLATE "C";
CREATE INDEX commands_by_age ON detour.commands (at);

-- As in 0005, and nobody begins the command once its sender has given it up.
CREATE FUNCTION detour.leave_command(
    of_user text, id text, kind_ text, body_ bytea, sender_ text, channel text, hint text, within interval)
RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    INSERT INTO detour.commands (user_id, command_id, kind, body, sender, wanted_until)
        VALUES (of_user, id, kind_, body_, sender_, clock_timestamp() + within) ON CONFLICT DO NOTHING;
    PERFORM detour.tell(ARRAY[channel], ARRAY[hint]);
END $$;

-- Begins to carry a command out. False: it is not wanted any more, is answered, or was begun by another replica
-- that is alive. To be called by the user's owner, who decides nothing else about the user meanwhile.
CREATE FUNCTION detour.begin_command(of_user text, id text, me text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    UPDATE detour.commands c SET begun_by = me
        WHERE c.user_id = of_user AND c.command_id = id AND c.reply IS NULL
            AND c.wanted_until > clock_timestamp()
            AND (c.begun_by = me OR NOT EXISTS (
                SELECT FROM detour.replicas r WHERE r.replica = c.begun_by AND detour.is_alive(r)));
    RETURN FOUND;
END $$;

-- Has a command begun by whoever owns the user next: nothing of it was done.
CREATE FUNCTION detour.release_command(of_user text, id text, me text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    UPDATE detour.commands c SET begun_by = NULL
        WHERE c.user_id = of_user AND c.command_id = id AND c.begun_by = me;
END $$;

-- Takes a command back, unless it has a reply, or a replica that is alive has begun it: then there will be one.
CREATE FUNCTION detour.withdraw_command(of_user text, id text, OUT withdrawn boolean, OUT reply bytea)
LANGUAGE plpgsql AS $$
BEGIN
    SET LOCAL synchronous_commit = off;
    DELETE FROM detour.commands c WHERE c.user_id = of_user AND c.command_id = id AND c.reply IS NULL
        AND NOT EXISTS (SELECT FROM detour.replicas r WHERE r.replica = c.begun_by AND detour.is_alive(r));
    SELECT c.reply INTO withdraw_command.reply FROM detour.commands c
        WHERE c.user_id = of_user AND c.command_id = id;
    withdrawn := NOT FOUND;
END $$;
