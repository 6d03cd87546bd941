-- A queued task becomes an aside if the run of another task takes its message in: one word more in a function of
-- a hundred lines. A server of an earlier release changes no task's `aside`.
DO $$
DECLARE
    before text := pg_get_functiondef('detour.write'::regproc);
    after text := replace(before, 'SET status = excluded.status, reason = excluded.reason',
        'SET status = excluded.status, aside = excluded.aside, reason = excluded.reason');
BEGIN
    IF after = before THEN
        RAISE EXCEPTION 'detour.write is not as 0001 has left it';
    END IF;
    EXECUTE after;
END $$;
