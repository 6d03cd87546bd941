"""Whose users are. Every message asks; those who ask while an answer is on its way share the next one.

Under load a statement for each message was a quarter of a replica's CPU and half of the database's.
"""

import asyncio
from asyncio import Future
from collections.abc import Mapping

from ..state_store.postgres.lanes import Connection, Lane
from ..state_store.postgres.rows import from_key, key
from .base import Claimed, OwnedElsewhere, Tenure

TENURES = "SELECT user_id, replica, owner, fence, occupied, elsewhere FROM detour.tenures($1, $2)"

Found = Mapping[tuple[str, str], Claimed | OwnedElsewhere]
"""By user, and the replica that asks."""


class LastingTenures:
    """Reads tenures over a lane."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self._asked: list[tuple[str, str]] = []
        self._answer: Future[Found] | None = None

    async def of(self, user_id: str, replica: str) -> Claimed | None:
        """Return a replica's tenure of a user, read after this call; None if it may begin one.

        Raises `OwnedElsewhere`, and what a job of the lane raises. Cancelling one who asks cancels no other.
        """
        answer = self._answer
        if answer is None or answer.done():  # done, and never begun: there is no connection
            self._asked = []
            answer = self._answer = self._lane.post(self._read)
            # Once all who asked are cancelled, nobody hears of its failure, and that is no fault.
            answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._asked.append((user_id, replica))
        await asyncio.wait({answer})  # cancelled, this does not cancel the answer that others wait for
        found = answer.result().get((user_id, replica))
        if isinstance(found, OwnedElsewhere):
            raise OwnedElsewhere(user_id, found.owner)
        return found

    async def _read(self, connection: Connection) -> Found:
        asked, self._asked, self._answer = self._asked, [], None
        users, replicas = [key(user_id) for user_id, _ in asked], [replica for _, replica in asked]
        found: dict[tuple[str, str], Claimed | OwnedElsewhere] = {}
        for row in await connection.fetch(TENURES, users, replicas):
            user_id, replica = from_key(row["user_id"]), row["replica"]
            if row["owner"] == replica:
                found[user_id, replica] = Claimed(Tenure(user_id, row["fence"]), row["occupied"])
            elif row["elsewhere"]:
                found[user_id, replica] = OwnedElsewhere(user_id, row["owner"])
        return found
