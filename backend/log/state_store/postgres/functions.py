"""How the functions run that change the tables: with the rights of their owner, and by index."""

from typing import Any

_SET_UP = """
DO $$
DECLARE
    changing regprocedure;
BEGIN
    FOR changing IN SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'detour'::regnamespace AND p.provolatile = 'v'
    LOOP
        -- Temporary objects last: whoever calls could make some, under the names that a function uses.
        -- A function keeps the plans of its first calls. In a new database these would read whole tables
        -- for a user's few rows, and go on so among the remains of those that were deleted.
        -- A scan that is not wanted has an estimate so high that its plan would be compiled: 130 ms a hint.
        EXECUTE format(
            'ALTER FUNCTION %s SECURITY DEFINER SET search_path = pg_catalog, pg_temp'
            ' SET enable_seqscan = off SET plan_cache_mode = force_generic_plan SET jit = off', changing);
    END LOOP;
    -- New functions may be called by everybody: then reading would be enough to change everything.
    REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA detour FROM PUBLIC;
END $$
"""


async def set_up_functions(connection: Any) -> None:
    """Have each function that changes something run as the tables' owner, for nobody but who is granted it.

    To be called by the owner after each migration: one that replaces a function forgets this of it.
    """
    await connection.execute(_SET_UP)
