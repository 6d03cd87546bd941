"""Brings the tables of `DETOUR_POSTGRES` to what this program needs, and says what it did.

`python -m backend.migrate`, before servers start that run with `DETOUR_MIGRATE=no`. Servers that still run
the release before go on. With `--grant ROLE` that role gets what a server needs of the tables, and no more.
"""

import asyncio
import sys
from argparse import ArgumentParser
from collections.abc import Sequence

from .domain.errors import StoreUnavailable
from .http.plugin_loading import settings_class
from .http.settings import WrongSettingsError, read_flags, read_settings
from .store.migration_files import Schema
from .store.postgres.store import PostgresStateStore
from .tasks.task_owner import TaskOwner

ABOUT = """Brings the tables of a PostgreSQL database up to date. With --grant ROLE it gives a role what a
server needs of them, and no more."""


async def migrate(address: str, beside: Sequence[Schema] = (), *, grant_to: str = "") -> None:
    """Apply what the database lacks, and give a role what a server needs, of the schemas `beside` it, too.

    Raises `StoreUnavailable`.
    """
    # Nothing is prepared ahead: a pooler may be in between.
    store = PostgresStateStore(address, TaskOwner().spawn, beside=beside, pooled=True)
    await store.open(lambda _user_id, _events: None)
    try:
        if grant_to:
            await store.grant(grant_to)
    finally:
        await store.close()


def main(given: Sequence[str] = ()) -> None:
    """Migrate the database that the settings name. Raises SystemExit."""
    kind = settings_class()
    own = ArgumentParser(add_help=False, allow_abbrev=False)
    own.add_argument("--grant", metavar="ROLE", default="")
    flags, rest = own.parse_known_args(given)
    try:
        settings = read_settings(kind, read_flags(rest, kind, program="detour migrate", about=ABOUT))
    except WrongSettingsError as error:
        raise SystemExit(str(error)) from None
    if settings.postgres is None:
        raise SystemExit("DETOUR_POSTGRES: set it to the address of the database.")
    try:
        address = settings.postgres_direct or settings.postgres
        asyncio.run(migrate(address.get_secret_value(), settings.schemas, grant_to=flags.grant))
    except StoreUnavailable as error:
        raise SystemExit(error.message) from None
    sys.stdout.write("The tables are up to date.\n")
    if flags.grant:
        sys.stdout.write(
            f"The role {flags.grant!r} may read them, and call the functions that change them.\n"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
