"""Stops a run whose client has left, where leaving is that client's only word for stopping.

Some clients close the line just before they send the next message. So the run is stopped a moment later: a
newer message that comes first supersedes it, and is handed what it has found.
"""

import asyncio
from collections.abc import Callable

import structlog

from ..errors import DetourError
from ..serving.services import Services
from .thread.state import Run
from .threads import Threads

LEAVE_S = 0.5
"""Seconds between the end of the line and the stop."""

_log = structlog.get_logger(__name__)


class Leaving:
    """The runs that are about to be stopped because their client has left."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._leaving: set[tuple[str, str]] = set()

    def is_leaving(self, user_id: str, run: Run) -> bool:
        """Return whether a run is about to be stopped: clients that have left want to see it as ended."""
        return (user_id, run.run_id) in self._leaving

    def show_as_ended(self, user_id: str, run_id: str) -> None:
        """Show a run as ended from now on: its client has stopped it, and asks for the state at once.

        That lasts for `LEAVE_S`, by when the run has ended unless a write that has begun holds it up.
        """
        self._leaving.add((user_id, run_id))
        asyncio.get_running_loop().call_later(LEAVE_S, self._leaving.discard, (user_id, run_id))

    def leave(self, user_id: str, run_id: str, *, unless: Callable[[], bool]) -> None:
        """Stop a run soon, unless it has ended by then, or somebody has come back to it."""
        if (user_id, run_id) not in self._leaving:
            self._leaving.add((user_id, run_id))
            self._services.owner.spawn(self._stop(user_id, run_id, unless), name=f"leave {run_id}")

    async def _stop(self, user_id: str, run_id: str, unless: Callable[[], bool]) -> None:
        try:
            await asyncio.sleep(LEAVE_S)
            state = await self._threads.state(user_id)
            now = state.runs.get(run_id) if state is not None else None
            # A run that has come to a question has ended: the question stays open.
            if now is not None and not now.ended and not unless():
                await self._threads.stop(user_id, now)
        except DetourError as error:
            # Nobody waits for this stop. The task goes on, and its user still sees it at work.
            _log.warning("a run could not be stopped after its client had left", reason=error.message)
        finally:
            self._leaving.discard((user_id, run_id))
