"""The conversations in memory: loaded when their users do something, dropped when there are too many."""

import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Generator, Iterator

from ..domain.errors import StoreUnavailable
from ..store.ownership import Lease, LeaseEnded
from .conversation import Conversation, Runtime

MOST_IDLE = 1_000
"""How many conversations without a running task stay in memory."""

MOST_IDLE_BYTES = 64 * 1024 * 1024
"""Bytes of results and states that these may hold; 200 users of a graph once held 1.7 GB (measured)."""


class Conversations:
    """Maps users to their conversations.

    A conversation without a running task stays in memory until there are too many; the longest unused is
    dropped first. Each belongs to a lease: `locked` acquires it if need be, and loads the conversation.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._by_user: dict[str, Conversation] = {}
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._idle_bytes = 0
        self.recovering: set[str] = set()
        """Users whose unfinished work of an earlier owner is not all recovered yet."""

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self._by_user)

    def __iter__(self) -> Iterator[Conversation]:
        """Iterate over the conversations in memory."""
        return iter([*self._by_user.values()])

    def get(self, user_id: str) -> Conversation | None:
        """Return the conversation of a user if it is in memory."""
        return self._by_user.get(user_id)

    def end(self, lease: Lease) -> Conversation | None:
        """Drop the conversation of a lease that has ended, and return it; None if it is not in memory."""
        conversation = self._by_user.get(lease.user_id)
        if conversation is None or conversation.lease != lease:
            return None
        conversation.ended = True
        conversation.log.end(lease)
        self._drop(lease.user_id)
        return conversation

    def drop(self, user_id: str) -> None:
        """Drop an idle conversation from memory; the next holder loads it anew."""
        if user_id in self._idle:
            self._drop(user_id)

    def mark_all_unused(self) -> None:
        """Call `mark_unused` on all: a late call, for instance, ends without a change of its conversation."""
        for conversation in self:
            if conversation.in_use:
                self._track_idle(conversation)

    def clear(self) -> None:
        """Drop all from memory, as a process that ends does."""
        self._by_user.clear()
        self._idle.clear()
        self._idle_bytes = 0

    async def acquire(self, user_id: str) -> bool:
        """Lease a user who is not at work here; return whether an earlier owner has left work unfinished.

        Raises `OwnedElsewhere` and `StoreUnavailable`. A lease whose answer was lost, or not awaited, may
        have begun: the next call returns the same.
        """
        known = self._by_user.get(user_id)
        if known is not None and not known.idle:
            return False
        acquired = await self._runtime.ownership.acquire(user_id)
        known = self._by_user.get(user_id)  # another caller may have acquired it meanwhile
        if known is not None and known.lease == acquired.lease:
            return False  # the unfinished work of this lease is known here
        if known is not None:
            self.end(known.lease)
        self._by_user[user_id] = conversation = Conversation(
            acquired.lease, self._runtime, on_change=self._track_idle
        )
        conversation.in_use = acquired.unfinished
        return acquired.unfinished

    def knows(self, user_id: str) -> bool:
        """Return whether a user's conversation is in memory, or is being recovered."""
        return user_id in self._by_user or user_id in self.recovering

    async def lease(self, user_id: str) -> Lease:
        """Return this process's lease of a user, without loading anything. Raises `StoreUnavailable`."""
        while (known := self._by_user.get(user_id)) is None:
            await self.acquire(user_id)
        return known.lease

    @contextlib.asynccontextmanager
    async def locked(self, user_id: str, *, loaded: bool = True) -> AsyncGenerator[Conversation, None]:
        """Lock a user's conversation, loaded unless told otherwise; others wait their turn.

        Raises as `acquire` does, and `LeaseEnded`. Cancelling the wait gives up the turn.
        """
        while user_id not in self._by_user:
            await self.acquire(user_id)
        conversation = self._by_user[user_id]
        # Before the next await, in which idle conversations may be dropped: this one is not idle any more,
        # and a second conversation of the same user would let two tasks be active.
        self._idle_bytes -= self._idle.pop(user_id, 0)
        with self.kept(conversation):
            async with conversation.lock:
                if conversation.ended:
                    raise LeaseEnded(conversation.lease)
                if loaded and not conversation.loaded:
                    await conversation.load()
                yield conversation

    @contextlib.contextmanager
    def kept(self, conversation: Conversation) -> Generator[None]:
        """Keep a conversation in memory."""
        conversation.holders += 1
        try:
            yield
        finally:
            conversation.holders -= 1
            self._track_idle(conversation)

    def _track_idle(self, conversation: Conversation) -> None:
        """Register a conversation that may have become idle; drop the longest unused beyond the bounds.

        Takes constant time.
        """
        if conversation.ended:
            return
        # Not before all is recovered: if this process ended, nobody else would do it.
        if conversation.user_id not in self.recovering:
            with contextlib.suppress(StoreUnavailable):  # tried again by `mark_all_unused`
                conversation.mark_unused()
        if not conversation.idle:
            return
        size = conversation.results_bytes
        self._idle_bytes += size - self._idle.pop(conversation.user_id, 0)
        self._idle[conversation.user_id] = size
        while self._idle and (len(self._idle) > MOST_IDLE or self._idle_bytes > MOST_IDLE_BYTES):
            self._drop(next(iter(self._idle)))

    def _drop(self, user_id: str) -> None:
        self._idle_bytes -= self._idle.pop(user_id, 0)
        self._by_user.pop(user_id, None)
