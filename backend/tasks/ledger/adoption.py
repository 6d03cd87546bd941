"""What a new task can adopt of the one before it: reads that still run, and reads that have just ended.

Reads of an interrupted task are *held* until the task that takes its place could ask for the same; those it
does not ask for are cancelled. What a read has found answers the same read while it is *fresh*. Both are
known by user and key of the call, so nothing else is ever taken for the same.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from ...domain.encoding import Clock
from ...domain.partials import PartialBatch
from ...domain.tool_call import ToolCall
from .calls import Progress, RunningCall

HOLD_S = 2.0
"""Seconds for which a read is held for a task that may ask for the same."""

MOST_FRESH_BYTES = 64 * 2**20
"""Bytes of fresh findings that are kept for all users; the oldest go first."""

_BASE_BYTES = 500
"""Bytes that a read counts for beside what it has found."""


class HeldReads:
    """Reads of interrupted tasks that wait to be adopted; they are cancelled when nobody does."""

    def __init__(self, *, hold_s: float = HOLD_S) -> None:
        self._hold_s = hold_s
        self._held: dict[str, dict[str, tuple[RunningCall, asyncio.TimerHandle]]] = {}

    def __len__(self) -> int:
        """Return how many are held."""
        return sum(map(len, self._held.values()))

    def hold(self, call: RunningCall) -> None:
        """Hold a read for `HOLD_S`. If one is held for the same, that is cancelled."""
        user_id, key = call.user_id, call.call.key
        self._cancel(user_id, key)
        timer = asyncio.get_running_loop().call_later(self._hold_s, self._cancel, user_id, key)
        self._held.setdefault(user_id, {})[key] = (call, timer)

    def take(self, user_id: str, key: str) -> RunningCall | None:
        """Return the read that is held under a key, if any, and hold it no longer."""
        held = self._held.get(user_id, {})
        call, timer = held.pop(key, (None, None))
        if timer is not None:
            timer.cancel()
        if not held:
            self._held.pop(user_id, None)
        return call

    def cancel(self, user_id: str, *, but: Collection[str] = ()) -> None:
        """Cancel what is held for a user, except under some keys."""
        for key in [*self._held.get(user_id, {})]:
            if key not in but:
                self._cancel(user_id, key)

    def cancel_all(self) -> None:
        """Cancel everything that is held."""
        for user_id in [*self._held]:
            self.cancel(user_id)

    def forget(self, call: RunningCall) -> None:
        """Hold a read no longer, because it has ended."""
        held = self._held.get(call.user_id, {}).get(call.call.key)
        # Another read for the same may be held: two tasks of a user can make it at once.
        if held is not None and held[0] is call:
            self.take(call.user_id, call.call.key)

    def _cancel(self, user_id: str, key: str) -> None:
        call = self.take(user_id, key)
        if call is not None:
            call.cancel()


@dataclass(frozen=True, slots=True)
class FreshRead:
    """A read that has ended, and what it has found."""

    call: ToolCall
    batches: Sequence[PartialBatch]
    last_progress: Progress | None
    size: int


class FreshReads:
    """What reads have found, until `ToolCall.fresh_until`."""

    def __init__(self, clock: Clock, *, most_bytes: int = MOST_FRESH_BYTES) -> None:
        self._clock = clock
        self._most_bytes = most_bytes
        self._bytes = 0
        self._reads: OrderedDict[tuple[str, str], FreshRead] = OrderedDict()

    def put(
        self, call: ToolCall, batches: Iterable[PartialBatch], last_progress: Progress | None = None
    ) -> None:
        """Keep what a read has found that has ended."""
        found = tuple(batches)
        size = _BASE_BYTES + sum(len(batch.items) for batch in found)
        self._drop((call.user_id, call.key))
        self._reads[call.user_id, call.key] = FreshRead(call, found, last_progress, size)
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
        """Drop what a user's reads have found."""
        for place in [each for each in self._reads if each[0] == user_id]:
            self._drop(place)

    def _drop(self, place: tuple[str, str]) -> None:
        read = self._reads.pop(place, None)
        self._bytes -= read.size if read else 0
