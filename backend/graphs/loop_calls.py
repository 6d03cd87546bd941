"""Brings what plain nodes, tools and models do in their threads to the event loop of their run."""

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ..tasks.task_context import TooMuchShownError

MOST_UNDELIVERED = 256
"""Calls of threads that may wait for the event loop; a thread that makes them faster waits for it.

The loop does all that waits in one step: a plain node that wrote a million items held it up for 3 s.
"""

_MAKING = threading.Lock()


class LoopCalls:
    """Calls functions on the event loop that this is made on: at once there, soon from any other thread.

    Calls of one thread run in their order.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._free: threading.Semaphore | None = None

    @property
    def is_on_loop(self) -> bool:
        """Whether the caller runs on the event loop."""
        return threading.get_ident() == self._thread

    def __call__(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function. Raises what it raises on the event loop alone.

        From another thread, `TooMuchShownError` is dropped: the task has noted it, and fails by it.
        """
        if self.is_on_loop:
            call(*arguments)
            return
        free = self._places()
        free.acquire()
        try:
            self._loop.call_soon_threadsafe(self._deliver, free, call, *arguments)
        except RuntimeError:  # the loop is closed: the process is about to end
            free.release()

    def _places(self) -> threading.Semaphore:
        """Return the semaphore, made for the first thread: most runs have none, and it takes 1 KiB."""
        with _MAKING:
            if self._free is None:
                self._free = threading.Semaphore(MOST_UNDELIVERED)
            return self._free

    def _deliver(self, free: threading.Semaphore, call: Callable[..., None], *arguments: Any) -> None:
        # First: a call that raises must not take a place for ever.
        free.release()
        with suppress(TooMuchShownError):
            call(*arguments)
