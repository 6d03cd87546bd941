"""Lets whoever reads a thread right after a stop see what the stop has left.

LangChain's `useStream` sends its stop and reads the state at once, without waiting for the answer to the
stop, and then reads no more: what it shows would lack the marker until the next message.
"""

import asyncio
import contextlib
from collections.abc import Generator

from ..leaving import LEAVE_S

STOP_S = 0.8 * LEAVE_S
"""Seconds for which a reader waits at most, since a stop may wait ten for a booking that has begun.

Less than the time for which such a run is shown as over.
"""


class Stopping:
    """The stops that are in progress, by thread."""

    def __init__(self) -> None:
        self._active: dict[str, set[asyncio.Event]] = {}

    @contextlib.contextmanager
    def of(self, thread_id: str) -> Generator[None]:
        """Count a stop as in progress within this block."""
        over = asyncio.Event()
        active = self._active.setdefault(thread_id, set())
        active.add(over)
        try:
            yield
        finally:
            over.set()
            active.discard(over)
            if not active and self._active.get(thread_id) is active:
                del self._active[thread_id]

    async def settled(self, thread_id: str) -> None:
        """Return once the stops that are in progress are over, or after `STOP_S`."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(STOP_S):
                for over in tuple(self._active.get(thread_id, ())):
                    await over.wait()
