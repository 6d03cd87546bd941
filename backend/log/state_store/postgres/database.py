"""The database of a server: how its connections are made."""

from typing import Any

import asyncpg

from ....errors import StoreUnavailable
from .lanes import ANSWER_WITHIN_S, CONNECT_WITHIN_S, Connection
from .refusing import unusable

FAILURES = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError, ValueError)
"""What a connection raises that cannot be made or used; `ValueError` where the address is none."""

_TIMELINE = """
SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)
    || '-' || coalesce(to_regclass('detour.users')::oid, 0)"""
"""The timeline is another one after a failover, and the table after a restore by `pg_restore`."""

_STATEMENTS_KEPT = 200
"""Prepared statements of a connection."""


class Database:
    """The database at `address`; `timeline` is that of the newest connection.

    With `pooled`, a pooler may be in between that gives each transaction another connection: then nothing is
    prepared ahead. `direct` is the address of the same database with no such pooler in between; where it is
    "", `address` is.
    """

    def __init__(self, address: str, *, direct: str = "", pooled: bool = False) -> None:
        self._address = address
        self._direct = direct
        self._statements_kept = 0 if pooled else _STATEMENTS_KEPT
        self.timeline = ""

    def unusable(self, error: Exception) -> StoreUnavailable:
        """Return what refuses a start because of an error of a connection."""
        return unusable(error, self._address)

    async def connect(self) -> Connection:
        """Return a new connection. Raises one of `FAILURES`."""
        return await self._connect(self._address, self._statements_kept)

    async def connect_directly(self) -> Connection:
        """Return a new connection that may be a session, if there is an address for that."""
        if not self._direct:
            return await self.connect()
        return await self._connect(self._direct, _STATEMENTS_KEPT)

    async def _connect(self, address: str, statements_kept: int) -> Connection:
        connect: Any = asyncpg.connect  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        connection: Connection = await connect(
            address,
            timeout=CONNECT_WITHIN_S,
            command_timeout=ANSWER_WITHIN_S,
            statement_cache_size=statements_kept,
            server_settings={"application_name": "detour"},
        )
        usable = False
        try:
            # A failover breaks every connection, so the timeline is right for as long as one lasts.
            await self.learn_timeline(connection)
            usable = True
        finally:
            if not usable:
                connection.terminate()
        return connection

    async def learn_timeline(self, connection: Connection) -> None:
        """Read the timeline. Raises one of `FAILURES`."""
        self.timeline = await connection.fetchval(_TIMELINE)
