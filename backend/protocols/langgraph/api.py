"""What all calls of the LangGraph API share: threads, agents, index, checkpoints, and stops in progress."""

import asyncio
import contextlib
from collections.abc import Generator

from ...http.services import Services
from ..threads import LEAVE_S, Agents, Leaving, Threads
from .assistants import OwnAssistants
from .checkpoints import Checkpoints, Index
from .views import Options

# --- stopping ------------------------------------------------------------------------------------------
# LangChain's `useStream` sends its stop and reads the state at once, without waiting for the answer to the
# stop, and then reads no more: its page would lack the marker of the interruption until the next message.


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


# --- the API -------------------------------------------------------------------------------------------


class Api:
    """The parts that all calls of the LangGraph API share."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.threads = Threads(services)
        self.agents = Agents(services)
        self.assistants = OwnAssistants(services, self.agents)
        self.leaving = Leaving(services)
        self.index = Index(services.store, services.conversations.keep, services.clock)
        self.checkpoints = Checkpoints(services)
        self.stopping = Stopping()

    async def options(self, thread_id: str) -> Options:
        """Return the options of the runs of a thread. Raises `StoreUnavailable`."""
        return await self.checkpoints.options(thread_id, await self.index.get(thread_id))

    async def knows(self, thread_id: str) -> bool:
        """Return whether a thread was made, or used. Raises `StoreUnavailable`."""
        return (
            await self.index.get(thread_id) is not None
            or await self.services.store.position(thread_id) is not None
        )
