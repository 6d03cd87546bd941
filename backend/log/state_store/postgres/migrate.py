"""Brings a database's tables to what this program needs: numbered files of SQL, each applied once.

A release only adds to what the one before needs, so that both can run side by side. A database that a later
release has marked as beyond this program is refused.
"""

from typing import Any

import structlog

from ....errors import StoreUnavailable
from ..migration_files import Migration, migration_files
from .privileges import change_as_the_owner

_LOCK = 0x6465_746F_7572
"""The advisory lock that one process at a time holds while it migrates: the letters of the name."""

WAIT_S = 120
"""Seconds for which a replica waits for another one that migrates, and that a migration may take."""

_BEGIN = """
CREATE SCHEMA IF NOT EXISTS detour;
CREATE TABLE IF NOT EXISTS detour.migrations (
    number int PRIMARY KEY, name text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now(),
    least_program int NOT NULL DEFAULT 0);
"""

_log = structlog.get_logger(__name__)


def migrations() -> tuple[Migration, ...]:
    """Return the migrations, in order."""
    return migration_files(f"{__package__}.migrations")


async def migrate(connection: Any, *, apply: bool) -> None:
    """Apply the migrations that the database lacks, or with `apply` false only check that it lacks none.

    Raises `StoreUnavailable` if it lacks one, or is newer than this program can use.
    """
    known = migrations()
    newest = known[-1].number
    async with connection.transaction():
        # Until the transaction ends: two replicas that start together migrate one after the other.
        await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK, timeout=WAIT_S)
        exists = await connection.fetchval("SELECT to_regclass('detour.migrations') IS NOT NULL")
        if not exists and apply:
            await connection.execute(_BEGIN)
            exists = True
        applied: set[int] = set()
        if exists:
            rows = await connection.fetch("SELECT number, least_program FROM detour.migrations")
            applied = {row["number"] for row in rows}
            least = max((row["least_program"] for row in rows), default=0)
            if least > newest:
                raise StoreUnavailable(
                    f"The database is of a later version ({least}) than this program can use ({newest})."
                )
        missing = [each for each in known if each.number not in applied]
        if missing and not apply:
            raise StoreUnavailable(
                "The database lacks migrations, and DETOUR_MIGRATE is 'no': run `python -m backend.migrate`."
            )
        for each in missing:
            await connection.execute(each.text, timeout=WAIT_S)
            await connection.execute(
                "INSERT INTO detour.migrations (number, name) VALUES ($1, $2)", each.number, each.name
            )
            _log.info("a migration was applied", number=each.number, name=each.name)
        if missing:
            await change_as_the_owner(connection)
