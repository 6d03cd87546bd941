"""The time for which a server that is told to end still serves everything, so that its balancer finds out."""

import asyncio
import contextlib
from collections.abc import Awaitable

REPLICA_S = 3.0
"""Seconds for one of several replicas: six checks of the balancer in `ops/haproxy`."""


class Drain:
    """Waits once; `seconds` is 0 where nobody else could serve meanwhile."""

    def __init__(self, told_s: float | None, *, replicated: bool) -> None:
        """Wait as long as is told, else for `REPLICA_S` if there may be other replicas."""
        self.seconds = told_s if told_s is not None else REPLICA_S if replicated else 0.0
        self._over = asyncio.Event()

    async def wait(self, at_first: Awaitable[None]) -> None:
        """Do something at first, then return once the time is over, or `end` was called."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.seconds):
                await at_first
                await self._over.wait()

    def end(self) -> None:
        """Have `wait` return now."""
        self._over.set()
