"""Drops turns that are older than `keep_days`, a few at a time.

Each step is taken with the user's conversation locked, so a message waits for one step at most; and a sweep
uses a quarter of the time. Where several processes share the store, each sweeps: the first to lease a user
marks the user as in use, and the others skip that user.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial

import structlog

from ..domain.errors import StoreUnavailable
from ..interruption_manager import InterruptionManager
from ..store.base import StateStore
from ..store.ownership import OwnedElsewhere
from ..store.retention import AgedPlace
from .agent_manager import AgentManager
from .conversation import Conversation
from .stopping import forget

SWEEP_EVERY_S = 3600.0
"""Seconds between two sweeps."""

EXPIRED_EVERY_S = 300.0
"""Seconds between two looks for threads that have expired: the index is read as a whole."""

EXPIRED_AT_ONCE = 100

TURNS_AT_ONCE = 20
"""Turns that one step drops."""

PAUSE = 3
"""The pause after a step, as a multiple of the step's time."""

Step = Callable[[Conversation], Awaitable[bool]]

_log = structlog.get_logger(__name__)


class Sweeper:
    """Drops turns that ended more than `keep_days` ago, while the server neither drains nor ends."""

    def __init__(
        self,
        manager: AgentManager,
        store: StateStore,
        interruptions: InterruptionManager,
        *,
        keep_days: int,
        now: Callable[[], Awaitable[datetime]],
        tally: Callable[[int, int], None],
    ) -> None:
        """With `keep_days` 0 nothing is dropped. `now` returns the time, and raises `StoreUnavailable`.

        `tally` counts the turns and the users that are dropped.
        """
        self._manager = manager
        self._store = store
        self._interruptions = interruptions
        self._keep_days = keep_days
        self._now = now
        self._tally = tally
        self._turns = self._users = 0

    async def sweep_for_ever(self) -> None:
        """Call `sweep` every `SWEEP_EVERY_S` seconds, until cancelled; return at once if all is kept."""
        while self._keep_days:
            try:
                await self.sweep()
            except StoreUnavailable as error:
                _log.warning("aged turns could not be read", reason=error.message)
            await asyncio.sleep(SWEEP_EVERY_S)

    async def sweep(self) -> None:
        """Drop all aged turns. Raises `StoreUnavailable`; the next sweep then does the rest."""
        before = await self._now() - timedelta(days=self._keep_days)
        self._turns = self._users = 0
        place: AgedPlace | None = AgedPlace()
        try:
            while place is not None and self._may_sweep:
                found = await self._store.aged_users(before, after=place)
                for user_id in found.user_ids:
                    await self._sweep_user(user_id, before)
                place = found.after
        finally:
            if self._turns or self._users:
                _log.info("aged turns were dropped", turns=self._turns, users=self._users)

    @property
    def _may_sweep(self) -> bool:
        return not (self._interruptions.shutting_down or self._interruptions.draining)

    async def _sweep_user(self, user_id: str, before: datetime) -> None:
        conversations = self._manager.conversations
        was_known = conversations.get(user_id) is not None
        try:
            with contextlib.ExitStack() as kept:
                more = True
                while more and self._may_sweep:
                    more = await self._in_a_quarter(user_id, partial(self._step, before=before, kept=kept))
        except OwnedElsewhere:
            return  # the owner sweeps, too
        except StoreUnavailable:
            raise
        except Exception:  # noqa: BLE001 - one user's damaged records must not keep those of others
            _log.exception("a user's aged turns could not be dropped", user_id=user_id)
        if not was_known:
            # Users who are long gone must not take the places of others in memory.
            conversations.drop(user_id)

    async def _in_a_quarter(self, user_id: str, step: Step) -> bool:
        """Take a step, then wait for three times as long as it took."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        more = await self._manager.with_conversation(user_id, step, loaded=False)
        await asyncio.sleep(PAUSE * (loop.time() - began))
        return more

    async def _step(
        self, conversation: Conversation, *, before: datetime, kept: contextlib.ExitStack
    ) -> bool:
        """Drop a few turns; the caller holds the conversation. Returns whether there may be more."""
        if conversation.unfinished or conversation.queued or conversation.unconfirmed is not None:
            return False
        try:
            dropped = await self._store.drop_aged(conversation.lease, before, most=TURNS_AT_ONCE)
        except StoreUnavailable:
            conversation.unload()  # the store may have dropped them all the same
            raise
        if dropped.turns:
            # It may name turns that are gone: the next holder loads those that are left.
            conversation.unload()
            self._count(turns=dropped.turns)
        if dropped.is_everything:
            await forget(conversation, aged=True)
            self._count(users=1)
        elif dropped.more and conversation.shared and not conversation.in_use:
            await conversation.commit(*conversation.mark_in_use())
            # Kept, so that it stays in use from step to step.
            kept.enter_context(self._manager.conversations.kept(conversation))
        return dropped.more

    def _count(self, *, turns: int = 0, users: int = 0) -> None:
        self._turns += turns
        self._users += users
        self._tally(turns, users)


class Expiry:
    """Forgets the users of threads whose time to live is over, unless a task of theirs is at work."""

    def __init__(
        self, manager: AgentManager, store: StateStore, *, now: Callable[[], Awaitable[datetime]]
    ) -> None:
        """`now` returns the time, and raises `StoreUnavailable`."""
        self._manager = manager
        self._store = store
        self._now = now

    async def sweep_for_ever(self) -> None:
        """Call `sweep` every `EXPIRED_EVERY_S` seconds, until cancelled."""
        while True:
            try:
                await self.sweep()
            except StoreUnavailable as error:
                _log.warning("expired threads could not be read", reason=error.message)
            await asyncio.sleep(EXPIRED_EVERY_S)

    async def sweep(self) -> None:
        """Forget the users of all expired threads. Raises `StoreUnavailable`; another sweep does the rest."""
        gone = 0
        now = await self._now()
        while True:
            found = await self._store.find_threads(
                expired_by=now, sort_by="thread_id", limit=EXPIRED_AT_ONCE, offset=0
            )
            forgotten = [await self._is_forgotten(each.user_id, now) for each in found]
            gone += sum(forgotten)
            # What stays would be found again: it is looked at by the next sweep.
            if len(found) < EXPIRED_AT_ONCE or not all(forgotten):
                break
        if gone:
            _log.info("expired threads were forgotten", threads=gone)

    async def _is_forgotten(self, user_id: str, now: datetime) -> bool:
        conversations = self._manager.conversations
        was_known = conversations.get(user_id) is not None
        try:
            is_gone = await self._manager.with_conversation(user_id, partial(_forget_expired, by=now))
        except OwnedElsewhere:
            return False  # the owner sweeps, too
        if not was_known:
            conversations.drop(user_id)
        return is_gone


async def _forget_expired(conversation: Conversation, *, by: datetime) -> bool:
    """Forget a user; the caller holds the conversation. Return False if tasks of the user are at work."""
    saved = await conversation.store.get_saved_thread(conversation.user_id)
    if saved is None or saved.expires_at is None or saved.expires_at > by:
        return False  # a client has just prolonged it
    if conversation.at_work or conversation.queued or conversation.unconfirmed is not None:
        return False
    await forget(conversation, aged=True)
    return True
