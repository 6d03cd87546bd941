"""How much may be stored of a user before no more messages are taken."""

from typing import Protocol

from ...errors import QuotaExceeded

MEASURED_EVERY = 32
"""Messages of a user between two measurements, which take time with all that is stored: 1 ms for 3,000 rows.

Within them a user may store more than the quota, by what so many tasks may show.
"""

SELDOM_MEASURED_EVERY = 256
"""The same of a user who has stored less than half: each 32nd time cost 1 to 4 % of a message (measured)."""

MOST_USERS = 10_000
"""Users who are remembered."""


class Measured(Protocol):
    """What can tell how much is stored of a user."""

    async def stored_bytes(self, user_id: str) -> int:
        """Return about how many bytes. Raises `StoreUnavailable`."""
        ...


class Quota:
    """At most `most` bytes of a user, measured now and then; 0 is no limit."""

    def __init__(self, store: Measured, most: int) -> None:
        self._store = store
        self._most = most
        self._unmeasured: dict[
            str, int
        ] = {}  # messages since the last measurement; the one used last is last

    async def check(self, user_id: str) -> None:
        """Raise `QuotaExceeded` if a user has stored too much, and `StoreUnavailable`."""
        if not self._most:
            return
        count = self._unmeasured.pop(user_id, 0) + 1
        if count >= MEASURED_EVERY:
            stored = await self._store.stored_bytes(user_id)
            # Who is over it is measured with every message: what was deleted makes room at once.
            if stored > self._most:
                self._remember(user_id, MEASURED_EVERY)
                raise QuotaExceeded(
                    f"This conversation holds {stored >> 20} MiB and may hold {self._most >> 20}: delete it "
                    f"(DELETE /users/{user_id}), or begin another one."
                )
            count = 0 if 2 * stored > self._most else MEASURED_EVERY - SELDOM_MEASURED_EVERY
        self._remember(user_id, count)

    def _remember(self, user_id: str, count: int) -> None:
        if len(self._unmeasured) >= MOST_USERS:
            del self._unmeasured[next(iter(self._unmeasured))]
        self._unmeasured[user_id] = count
