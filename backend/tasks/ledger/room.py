"""How many calls may run at once: so many for one user, and so many in all; the rest wait in order."""

import contextlib
from asyncio import Semaphore
from collections.abc import AsyncGenerator, Callable


class Room:
    """Room for calls. A user who fills his own share holds up nobody else."""

    def __init__(self, *, per_user: int, in_all: int | None = None) -> None:
        self._per_user = per_user
        self._all = Semaphore(in_all) if in_all is not None else None
        self._users: dict[str, Semaphore] = {}
        self._present: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def taken(self, user_id: str, *, waits: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Take a place, and give it back. `waits` is called where there is none yet.

        Cancelling the wait gives the turn to the next.
        """
        own = self._users.setdefault(user_id, Semaphore(self._per_user))
        self._present[user_id] = self._present.get(user_id, 0) + 1
        try:
            if own.locked() or (self._all is not None and self._all.locked()):
                waits()
            async with own, self._all or contextlib.nullcontext():
                yield
        finally:
            self._present[user_id] -= 1
            if not self._present[user_id]:
                del self._users[user_id], self._present[user_id]
