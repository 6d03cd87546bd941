"""Gathers writes on the event loop and hands them over in groups, one group at a time.

While one group is being written the next one gathers: the longer the disk takes, the larger groups become.
A group takes further writes until its thread begins. The thread often waits for the interpreter, and without
this the first words of a new task would wait for the ending of the old one.
"""

import asyncio
from asyncio import Future
from collections.abc import Callable, Sequence
from typing import NamedTuple

import structlog

from ..domain.errors import StoreUnavailable
from ..domain.events import StoredEvent
from .base import Listener, no_lease_ends
from .ownership import Lease, LeaseEnded, OnLeaseEnded
from .records import Record

LINGER_S = 0.004
"""Seconds for which records that nobody waits for gather, such as an agent's progress."""

PACE_S = 0.003
"""Seconds that what agents find and say may wait once `AT_ONCE` groups came faster than that.

A group takes 0.25 ms of CPU, whatever is in it; the tokens of 50 models would make a group each."""

AT_ONCE = 8
"""Groups that may come faster than `PACE_S`, such as the few that one user's change of mind makes."""

FLUSH_AGAIN_S = 0.5
"""Seconds until records that could not be written are tried again."""

MOST_PENDING = 100_000
"""Writes that may wait for the disk; the store refuses more."""

_log = structlog.get_logger(__name__)


class Write(NamedTuple):
    """One user's records; `durable` is what the caller waits for, if it does."""

    lease: Lease
    records: tuple[Record, ...]
    durable: "Future[int] | None"


class Written(NamedTuple):
    """The outcome of one write: its events and the user's `seq`, or its error."""

    write: Write
    events: tuple[StoredEvent, ...] = ()
    seq: int = 0
    error: Exception | None = None


class PendingWrites:
    """The writes that are not durable yet. For use on one event loop.

    `hand_over` takes a group to be written, whose outcome comes back through `written`. `take_back` returns
    that group if nobody has begun to write it, to be handed over again; None if somebody has. `gives_up` is
    set once a failed write is not to be tried again.
    """

    def __init__(
        self,
        hand_over: Callable[[list[Write]], None],
        listener: Listener,
        on_lease_ended: OnLeaseEnded = no_lease_ends,
        *,
        take_back: Callable[[], list[Write] | None] = lambda: None,
    ) -> None:
        self._hand_over = hand_over
        self._take_back = take_back
        self._will_join = False
        self._handed_over: list[Future[None]] = []
        self._listener = listener
        self._on_lease_ended = on_lease_ended
        self._pending: list[Write] = []
        self._before_next: list[Callable[[], None]] = []
        self._group_under_way = False
        self._commit_is_pending = False
        self._timer: asyncio.Handle | None = None
        self._due = 0.0
        self._not_before = 0.0
        self._paced_until = 0.0
        self.gives_up = False

    @property
    def has_any(self) -> bool:
        """Whether some write is not durable yet, or is still to be made for the next group."""
        return bool(self._pending or self._before_next) or self._group_under_way

    @property
    def waits(self) -> bool:
        """Whether some write waits for the next group."""
        return bool(self._pending)

    def accept(self, write: Write) -> None:
        """Take a write for the next group. Raises `StoreUnavailable` if too many wait."""
        if len(self._pending) >= MOST_PENDING:
            raise StoreUnavailable("The store cannot take anything right now.")
        self._pending.append(write)
        self._commit_is_pending |= write.durable is not None
        self._schedule()

    def before_next(self, call: Callable[[], None]) -> None:
        """Call `call` once, before the next group is handed over: soon, for a client waits for it."""
        self._before_next.append(call)
        self._schedule()

    def _schedule(self) -> None:
        """Schedule the next group: at the end of this loop step if somebody waits for it, else in a while."""
        if not (self._pending or self._before_next):
            return
        # While a group is under way, `written` schedules the next one.
        if self._group_under_way:
            if not self._will_join and (self._commit_is_pending or self._before_next):
                self._will_join = True
                asyncio.get_running_loop().call_soon(self._join)
            return
        # The group that is due takes it along: what nobody waits for makes none come sooner.
        if self._timer is not None and not (self._commit_is_pending or self._before_next):
            return
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._commit_is_pending:
            due = now
        elif self._before_next:
            due = max(now, self._paced_until - AT_ONCE * PACE_S, self._not_before)
        else:
            due = max(now + LINGER_S, self._not_before)
        if self._timer is not None:
            if self._due <= due:
                return
            self._timer.cancel()
        self._due = due
        self._timer = loop.call_at(due, self.flush) if due > now else loop.call_soon(self.flush)

    def flush(self) -> None:
        """Hand over what is pending, unless a group is under way."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._group_under_way:
            return
        self._group_under_way = True  # before the calls: the records that they make schedule no other group
        group = self._gathered()
        self._group_under_way = bool(group)
        if group:
            # Bounded by now: groups that somebody waits for come faster, and must not add up to a long wait.
            now = asyncio.get_running_loop().time()
            self._paced_until = min(max(self._paced_until, now), now + AT_ONCE * PACE_S) + PACE_S
            self._hand_over(group)
        self._tell_handed_over()

    async def all_handed_over(self) -> None:
        """Hand over all that is pending by now, after the group under way if there is one."""
        self.flush()
        if self._pending or self._before_next:
            handed_over: Future[None] = asyncio.get_running_loop().create_future()
            self._handed_over.append(handed_over)
            self._commit_is_pending = True
            self._schedule()
            await handed_over

    def _tell_handed_over(self) -> None:
        told, self._handed_over = self._handed_over, []
        for each in told:
            if not each.done():
                each.set_result(None)

    def _join(self) -> None:
        """Add what is pending to the group under way, if nobody has begun to write it."""
        group = self._take_back() if self._group_under_way else None
        if group is not None:
            group += self._gathered()
            self._hand_over(group)
            self._tell_handed_over()
        self._will_join = False

    def _gathered(self) -> list[Write]:
        """Return all that is pending, with what those record who have asked to be called before."""
        before, self._before_next = self._before_next, []
        for call in before:
            try:
                call()
            except Exception:  # noqa: BLE001 - one that fails must not keep the others' writes from the disk
                _log.exception("something could not be recorded")
        group, self._pending = self._pending, []
        self._commit_is_pending = False
        return group

    def end(self, lease: Lease) -> None:
        """Tell that a lease is over."""
        self._on_lease_ended(lease)

    def written(self, group: Sequence[Written]) -> None:
        """Take the outcome of the group: publish its events, and resolve what callers wait for."""
        self._group_under_way = False
        # Events before futures: whoever awaits a commit finds its events published.
        self.publish(group)
        # Before the futures, too: whoever awaits one finds that the lease is over.
        for ended in {each.write.lease for each in group if isinstance(each.error, LeaseEnded)}:
            self._on_lease_ended(ended)
        again = [written.write for written in group if self._will_retry(written)]
        for written in group:
            durable = written.write.durable
            if durable is None or durable.done():
                continue
            if written.error is not None:
                durable.set_exception(written.error)
            else:
                durable.set_result(written.seq)
        # In front of what came since: a user's records stay in order.
        self._pending[:0] = again
        if again:
            # Only what somebody waits for is tried sooner: each try may write megabytes in vain.
            self._not_before = asyncio.get_running_loop().time() + FLUSH_AGAIN_S
        self._schedule()

    def publish(self, group: Sequence[Written]) -> None:
        """Pass a group's events on, of each user together."""
        events: dict[str, list[StoredEvent]] = {}
        for written in group:
            events.setdefault(written.write.lease.user_id, []).extend(written.events)
        for user_id, stored in events.items():
            if stored:
                self._listener(user_id, stored)

    def _will_retry(self, written: Written) -> bool:
        """Return whether a failed write is kept for a retry: nobody awaits it, and the disk may recover."""
        if written.error is None or written.write.durable is not None:
            return False
        if isinstance(written.error, LeaseEnded):
            return False  # whoever owns the user now has found out by other means, or does so again
        if isinstance(written.error, StoreUnavailable) and not self.gives_up:
            return True
        _log.error("records were lost", user_id=written.write.lease.user_id, reason=str(written.error))
        return False
