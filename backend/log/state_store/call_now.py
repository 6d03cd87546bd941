"""What makes the begin of a tool call durable while nothing can be awaited.

A tool begins in a thread, or in the event loop's own thread by a blocking call. The loop may be blocked by
the very caller, so nothing here waits for it: the store takes the call's entry from any thread. Events wait
for the loop, which numbers them; the entry has none.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from ...domain.tool_call import ToolCall
from ...errors import StoreUnavailable
from ..ownership.base import Tenure

T = TypeVar("T")
Wanted = Callable[[], bool]
"""Tells, at the last moment, in whatever thread writes, whether the call may still begin."""


class CallsNow(ABC):
    """Stores the begin of a call for whoever cannot await it."""

    @abstractmethod
    def store_call_now(self, tenure: Tenure, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the entry of a call, and wait until it is durable, in any thread: the event loop's own, too.

        Return False if it is not `wanted` by then: then nothing is stored. Raises `StoreUnavailable` if that
        takes longer than `within_s`, or fails; and `TenureEnded`. It may be stored after an error.
        """


def answer(asked: "Future[T]", work: Callable[[], T]) -> None:
    """Do what somebody waits for in another thread, unless they have given up."""
    if not asked.set_running_or_notify_cancel():
        return
    try:
        asked.set_result(work())
    except Exception as error:  # noqa: BLE001 - raised where the answer is waited for
        asked.set_exception(error)


def answer_of(asked: "Future[T]", within_s: float) -> T:
    """Wait for an answer in this thread. Raises `StoreUnavailable` if it takes longer."""
    try:
        return asked.result(within_s)
    except TimeoutError:
        # What has not begun never does: written later, it would replace what the call has come to.
        asked.cancel()
        raise StoreUnavailable("The store does not answer right now.") from None
