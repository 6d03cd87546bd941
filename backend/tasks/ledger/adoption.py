"""What a new task can take over of the one before it: reads that still run, and reads that have just ended.

Reads of an interrupted task are *held* until the task that takes its place has been able to ask for the same;
what it does not ask for is let go. What a read has found answers the same read for as long as it is *fresh*.
Both belong to one user, and are known by the key of the call: nothing else is ever taken for the same.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from ...domain.clock import Clock
from ...domain.partials import PartialBatch
from ...domain.tool_call import ToolCall
from .running import Progress, RunningCall

HOLD_S = 2.0
"""How long a read is held for a task that may ask for the same."""

MOST_FRESH_BYTES = 64 * 2**20
"""How much is kept of what reads have found, for all users; what is oldest goes first."""

_BESIDE = 500
"""Bytes that a read counts for beside what it has found."""


class HeldReads:
    """Reads of interrupted tasks that wait to be taken over."""

    def __init__(self, let_go: Callable[[RunningCall], None], *, hold_s: float = HOLD_S) -> None:
        """`let_go` ends a read that nobody asks for."""
        self._let_go = let_go
        self._hold_s = hold_s
        self._held: dict[str, dict[str, tuple[RunningCall, asyncio.TimerHandle]]] = {}

    def __len__(self) -> int:
        """Return how many are held."""
        return sum(map(len, self._held.values()))

    def hold(self, call: RunningCall) -> None:
        """Hold a read; of two for the same, the first is let go."""
        self.release(call.user_id, only=(call.call.key,))
        timer = asyncio.get_running_loop().call_later(self._hold_s, self._time_is_up, call)
        self._held.setdefault(call.user_id, {})[call.call.key] = (call, timer)

    def take(self, user_id: str, key: str) -> RunningCall | None:
        """Return the read that is held under a key, if there is one; it is held no longer."""
        held = self._held.get(user_id, {})
        call, timer = held.pop(key, (None, None))
        if timer is not None:
            timer.cancel()
        if not held:
            self._held.pop(user_id, None)
        return call

    def release(
        self, user_id: str, *, only: Collection[str] | None = None, but: Collection[str] = ()
    ) -> None:
        """Let go what is held for a user: everything, or what has one of the keys, or none of some."""
        for key in [*self._held.get(user_id, {})]:
            if key not in but and (only is None or key in only):
                call = self.take(user_id, key)
                if call is not None:
                    self._let_go(call)

    def forget(self, call: RunningCall) -> None:
        """Hold a read no longer that has ended."""
        held = self._held.get(call.user_id, {}).get(call.call.key)
        if held is not None and held[0] is call:
            self.take(call.user_id, call.call.key)

    def release_all(self) -> None:
        """Let go of everything."""
        for user_id in [*self._held]:
            self.release(user_id)

    def _time_is_up(self, call: RunningCall) -> None:
        held = self._held.get(call.user_id, {}).get(call.call.key)
        if held is not None and held[0] is call:
            self.release(call.user_id, only=(call.call.key,))


@dataclass(frozen=True, slots=True)
class FreshRead:
    """A read that has ended, and what it has found."""

    call: ToolCall
    batches: Sequence[PartialBatch]
    at: Progress | None
    size: int


class FreshReads:
    """What reads have found that are fresh still (`ToolCall.fresh_until`)."""

    def __init__(self, clock: Clock, *, most_bytes: int = MOST_FRESH_BYTES) -> None:
        self._clock = clock
        self._most_bytes = most_bytes
        self._bytes = 0
        self._reads: OrderedDict[tuple[str, str], FreshRead] = OrderedDict()

    def put(self, call: ToolCall, batches: Iterable[PartialBatch], at: Progress | None = None) -> None:
        """Keep what a read has found that has ended."""
        found = tuple(batches)
        size = _BESIDE + sum(len(batch.items) for batch in found)
        self._drop((call.user_id, call.key))
        self._reads[call.user_id, call.key] = FreshRead(call, found, at, size)
        self._bytes += size
        while self._bytes > self._most_bytes:
            self._drop(next(iter(self._reads)))

    def get(self, user_id: str, key: str) -> FreshRead | None:
        """Return what a read of the user under a key has found, if it is fresh."""
        read = self._reads.get((user_id, key))
        if read is not None and not read.call.is_fresh(self._clock()):
            self._drop((user_id, key))
            return None
        return read

    def forget(self, user_id: str) -> None:
        """Forget what a user's reads have found."""
        for place in [each for each in self._reads if each[0] == user_id]:
            self._drop(place)

    def _drop(self, place: tuple[str, str]) -> None:
        read = self._reads.pop(place, None)
        self._bytes -= read.size if read else 0
