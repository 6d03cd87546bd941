"""Brings a database's tables to what this program needs: numbered files of SQL, each applied once.

A release only adds to what the one before needs, so that both can run side by side. A database that a later
release has marked as beyond this program is refused.
"""

from collections.abc import Sequence
from typing import Any

import structlog

from ....errors import StoreUnavailable
from ..migration_files import Migration, Schema, migration_files
from .functions import set_up_functions

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
