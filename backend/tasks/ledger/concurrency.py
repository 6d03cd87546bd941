"""Limits how many calls run at once: for each user, and in all. The rest wait in the order they came."""

import contextlib
from asyncio import Semaphore
from collections.abc import AsyncGenerator, Callable


class ConcurrencyLimit:
    """Slots for calls. A user who fills his own share delays nobody else."""

    def __init__(self, *, per_user: int, in_all: int | None = None) -> None:
        self._per_user = per_user
        self._all = Semaphore(in_all) if in_all is not None else None
        self._users: dict[str, Semaphore] = {}
        self._present: dict[str, int] = {}

    @contextlib.asynccontextmanager
    async def slot(self, user_id: str, *, on_wait: Callable[[], None]) -> AsyncGenerator[None, None]:
        """Take a slot and give it back. Calls `on_wait` first if none is free.

        Cancelling the wait gives the turn to the next.
        """
        own = self._users.setdefault(user_id, Semaphore(self._per_user))
        self._present[user_id] = self._present.get(user_id, 0) + 1
        try:
            if own.locked() or (self._all is not None and self._all.locked()):
                on_wait()
            # The user's own slot first: who waits for that must not occupy one that another user could have.
            async with own, self._all or contextlib.nullcontext():
                yield
        finally:
            # Counted, since a semaphore does not tell who still waits for it; dropped with its last user.
            self._present[user_id] -= 1
            if not self._present[user_id]:
                del self._users[user_id], self._present[user_id]
