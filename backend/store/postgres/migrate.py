"""Brings a database's tables to what this program needs: numbered files of SQL, each applied once.

A release only adds to what the one before needs, so that both can run side by side. A database that a later
release has marked as beyond this program is refused.
"""

from collections.abc import Sequence
from typing import Any

import structlog

from ...domain.errors import StoreUnavailable
from ..migration_files import Migration, Schema, migration_files

# --- functions -----------------------------------------------------------------------------------------
# How the functions run that change the tables: with the rights of their owner, and by index.


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


# --- migrate -------------------------------------------------------------------------------------------


DETOUR = Schema("detour", f"{__package__}.migrations")

_LOCK = 0x6465_746F_7572
"""The advisory lock that one process at a time holds while it migrates: the letters of the name."""

WAIT_S = 120
"""Seconds for which a replica waits for another one that migrates, and that a migration may take."""

_BEGIN = """
CREATE SCHEMA IF NOT EXISTS {schema};
CREATE TABLE IF NOT EXISTS {schema}.migrations (
    number int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
    least_program int NOT NULL DEFAULT 0);
"""

_log = structlog.get_logger(__name__)


def migrations() -> tuple[Migration, ...]:
    """Return the migrations of the store, in order."""
    return migration_files(DETOUR.package)


async def migrate(connection: Any, *, apply: bool, beside: Sequence[Schema] = ()) -> None:
    """Apply the migrations that the database lacks, or with `apply` false only check that it lacks none.

    First those of the store, then those of the schemas `beside` it; each whole or not at all, in a
    transaction of its own: what one has locked is free before the next one begins, which may take long.
    Raises `StoreUnavailable` if it lacks one, or is newer than this program can use.
    """
    for schema in (DETOUR, *beside):
        more = True
        while more:
            async with connection.transaction():
                # Until the transaction ends: two replicas that start together apply one after the other.
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK, timeout=WAIT_S)
                more = await _apply_next(connection, schema, apply=apply)


async def _apply_next(connection: Any, schema: Schema, *, apply: bool) -> bool:
    """Apply the first migration that a schema lacks; return whether it may lack another one."""
    known = migration_files(schema.package)
    newest = known[-1].number
    table = f"{schema.name}.migrations"
    exists = await connection.fetchval("SELECT to_regclass($1) IS NOT NULL", table)
    if not exists and apply:
        await connection.execute(_BEGIN.format(schema=schema.name))
        exists = True
    applied: set[int] = set()
    if exists:
        rows = await connection.fetch(f"SELECT number, least_program FROM {table}")
        applied = {row["number"] for row in rows}
        least = max((row["least_program"] for row in rows), default=0)
        if least > newest:
            raise StoreUnavailable(
                f"The database is of a later version ({least}) than this program can use ({newest})."
            )
    missing = [each for each in known if each.number not in applied]
    if not missing:
        return False
    if not apply:
        raise StoreUnavailable(
            "The database lacks migrations, and DETOUR_MIGRATE is 'no': run `python -m backend.migrate`."
        )
    first = missing[0]
    await connection.execute(first.text, timeout=WAIT_S)
    await connection.execute(f"INSERT INTO {table} (number, name) VALUES ($1, $2)", first.number, first.name)
    if schema is DETOUR:
        await set_up_functions(connection)
    _log.info("a migration was applied", schema=schema.name, number=first.number, name=first.name)
    return True


# --- privileges ----------------------------------------------------------------------------------------
# What the role of a server may do: read the tables, and call the functions that change them.
#
# So no statement of a server, however wrong, passes over what these functions check: the fence first of
# all.


_OWNS_THE_TABLES = """
SELECT quote_ident(r.rolname), r.rolsuper OR pg_has_role(r.oid, n.nspowner, 'MEMBER')
FROM pg_roles r, pg_namespace n WHERE r.rolname = $1 AND n.nspname = 'detour'"""

_GRANT = """
REVOKE ALL ON ALL TABLES IN SCHEMA detour FROM {role};
REVOKE ALL ON ALL SEQUENCES IN SCHEMA detour FROM {role};
GRANT USAGE ON SCHEMA detour TO {role};
GRANT SELECT ON ALL TABLES IN SCHEMA detour TO {role};
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA detour TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA detour GRANT SELECT ON TABLES TO {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA detour GRANT EXECUTE ON FUNCTIONS TO {role};
"""
"""The last two are for what later migrations make, if the same owner applies them."""

_GRANT_BESIDE = """
GRANT USAGE ON SCHEMA {schema} TO {role};
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {schema} TO {role};
REVOKE INSERT, UPDATE, DELETE ON {schema}.migrations FROM {role};
ALTER DEFAULT PRIVILEGES IN SCHEMA {schema} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {role};
"""
"""What lies beside the store belongs to no lease: there is no fence to pass over."""


async def grant(connection: Any, role: str, beside: Sequence[Schema] = ()) -> None:
    """Give a role what a server needs and nothing more; takes away what it had beyond that of the tables.

    Raises `StoreUnavailable` if there is no such role, or if it could do everything anyway.
    """
    found = await connection.fetchrow(_OWNS_THE_TABLES, role)
    if found is None:
        raise StoreUnavailable(f"There is no role {role!r}: CREATE ROLE makes it.")
    quoted, owns = found
    if owns:
        raise StoreUnavailable(
            f"The role {role!r} owns the tables, or may act as who does: grant it to another one."
        )
    async with connection.transaction():
        await connection.execute(_GRANT.format(role=quoted))
        for schema in beside:
            await connection.execute(_GRANT_BESIDE.format(schema=schema.name, role=quoted))
