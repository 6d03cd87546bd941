"""Brings what plain nodes, tools and models do in their threads to the event loop of their run."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

from ..errors import GraphFailedError
from ..tasks.task_context import TooMuchShownError

MOST_UNDELIVERED = 256
"""Calls of threads that may wait for the event loop; a thread that makes them faster waits for it.

The loop does all that waits in one step: a plain node that wrote a million items held it up for 3 s.
"""

T = TypeVar("T")
_MAKING = threading.Lock()

BLOCKED_AFTER_S = 0.1
"""Seconds for which a thread waits for a place. The loop may be blocked until this very thread has ended."""

MOST_WHILE_BLOCKED = 10_000
"""Further calls that may wait for a loop that is blocked."""

FAILS_AFTER_S = 30.0
"""Seconds for which a thread waits that has made so many: the loop may be blocked by another user's node."""


class LoopCalls:
    """Calls functions on the event loop that this is made on: at once there, soon from any other thread.

    Calls of one thread run in their order.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._free: threading.Semaphore | None = None
        self._free_while_blocked: threading.Semaphore | None = None
        self._is_blocked = False

    @property
    def is_on_loop(self) -> bool:
        """Whether the caller runs on the event loop."""
        return threading.get_ident() == self._thread

    def __call__(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function. Raises what it raises on the event loop alone.

        From another thread, `TooMuchShownError` is dropped: the task has noted it, and fails by it. Raises
        `GraphFailedError` there once far too many calls wait for a blocked loop.
        """
        if self.is_on_loop:
            call(*arguments)
            return
        place = self._take_place()
        try:
            self._loop.call_soon_threadsafe(self._deliver, place, call, *arguments)
        except RuntimeError:  # the loop is closed: the process is about to end
            place.release()

    def answer(self, call: Callable[[], T], *, within_s: float) -> T | None:
        """Call a function on the event loop and return what it returns; raises what it raises.

        None in another thread if the loop does not come to it in time: then it is not called any more.
        """
        if self.is_on_loop:
            return call()
        answer = Future[T]()

        def make() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(call())
                except Exception as error:  # noqa: BLE001 - raised in the thread that has asked
                    answer.set_exception(error)

        try:
            self._loop.call_soon_threadsafe(make)
        except RuntimeError:  # the loop is closed: the process is about to end
            return None
        try:
            return answer.result(within_s)
        except TimeoutError:
            return None if answer.cancel() else answer.result()

    def _places(self) -> tuple[threading.Semaphore, threading.Semaphore]:
        """Return the semaphores, made for the first thread: most runs have none, and each takes 1 KiB."""
        with _MAKING:
            if self._free is None or self._free_while_blocked is None:
                self._free = threading.Semaphore(MOST_UNDELIVERED)
                self._free_while_blocked = threading.Semaphore(MOST_WHILE_BLOCKED)
            return self._free, self._free_while_blocked

    def _take_place(self) -> threading.Semaphore:
        free, free_while_blocked = self._places()
        # Once blocked, until the loop runs again: else each call would wait.
        if free.acquire(timeout=0 if self._is_blocked else BLOCKED_AFTER_S):
            return free
        self._is_blocked = True
        if not free_while_blocked.acquire(timeout=FAILS_AFTER_S):
            raise GraphFailedError("A node showed too much while another one blocked the event loop.")
        return free_while_blocked

    def _deliver(self, place: threading.Semaphore, call: Callable[..., None], *arguments: Any) -> None:
        self._is_blocked = False
        # First: a call that raises must not take a place for ever.
        place.release()
        with suppress(TooMuchShownError):
            call(*arguments)
