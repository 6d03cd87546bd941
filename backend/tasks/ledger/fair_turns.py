"""Turns for what is scarce, such as processes, given in rotation, key by key.

A key is whose turns count together: a user's, or an address's.

`ConcurrencyLimit` bounds calls, of which there are many, and gives places in the order in which they were
asked for. Where places are few and held for long, that order would have everybody wait behind one key's
whole queue.
"""

import asyncio
import contextlib
from asyncio import Future, Semaphore
from collections import Counter, deque
from collections.abc import AsyncGenerator, Callable


class FairTurns:
    """At most `in_all` turns at once, of which a key has `per_key` at most."""

    def __init__(self, *, per_key: int, in_all: int) -> None:
        self._per_key = per_key
        self._in_all = in_all
        self._taken: Counter[str] = Counter()
        self._waiting: dict[str, deque[Future[None]]] = {}  # the key whose turn it is comes first

    @property
    def taken(self) -> int:
        """How many turns are taken."""
        return self._taken.total()

    def waiting(self, key: str) -> int:
        """Return how many wait for a turn of a key."""
        return len(self._waiting.get(key, ()))

    async def take(self, key: str) -> None:
        """Wait for a turn, which `give_back` ends. Cancelling the wait gives the turn to the next."""
        turn: Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(turn)
        self._pass_on()
        waited = False
        try:
            await turn
            waited = True
        finally:
            if not waited:
                self._give_up(key, turn)

    def give_back(self, key: str) -> None:
        """End a turn that `take` has given."""
        self._taken[key] -= 1
        if not self._taken[key]:
            del self._taken[key]
        self._pass_on()

    def _pass_on(self) -> None:
        """Give free turns to those who wait."""
        for key in list(self._waiting):
            if self.taken >= self._in_all:
                return
            if self._taken[key] < self._per_key:
                # A wait that was cancelled is still here until its task runs.
                waiting = deque(each for each in self._waiting.pop(key) if not each.cancelled())
                if not waiting:
                    continue
                turn = waiting.popleft()
                if waiting:
                    self._waiting[key] = waiting  # behind all others
                self._taken[key] += 1
                turn.set_result(None)

    def _give_up(self, key: str, turn: "Future[None]") -> None:
        """Take back a wait that was cancelled, perhaps in the step in which it got its turn."""
        if not turn.cancelled():
            self.give_back(key)
            return
        waiting = self._waiting.get(key, deque())
        if turn in waiting:
            waiting.remove(turn)
            if not waiting:
                del self._waiting[key]


# --- concurrency ---------------------------------------------------------------------------------------
# Limits how many calls run at once: for each user, and in all. The rest wait in the order they came.


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
