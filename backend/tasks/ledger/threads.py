"""Runs a blocking function as a tool: each call in a thread of its own.

Nothing can end a thread from outside. So a call that is cancelled abandons it at once: it sets the thread's
stop flag, drops what the thread reports from then on, and records the thread's result as late. A late result
is not shown: the node has its answer already, and the next task may have made the same call again. The
threads belong to no pool: an abandoned one takes no other call's place, and, being a daemon, does not keep
the process alive.
"""

import asyncio
import contextlib
import contextvars
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Generic

import structlog

from ...domain.encoding import encode
from ...domain.errors import ProviderError
from ...domain.tool_call import Effect
from .base import A, Report, ToolResult

MOST_THREADS = 128
"""Threads of one tool at once, abandoned ones included; a call beyond them fails at once.

A user has no more than are free, so the 64 that one may have abandoned fail no other user's calls.
"""

MOST_UNDELIVERED = 256
"""Reports that may wait for the event loop; a thread that reports faster blocks until it has caught up."""

Outcome = ToolResult | Exception
OnLate = Callable[[Report, Outcome], None]
"""Called on the event loop with a call's report and the outcome of its thread, which was abandoned."""

_log = structlog.get_logger(__name__)


class ThreadReport:
    """The report of a function in a thread; `stopped` is set once nobody wants its result any more.

    Delivers reports to the event loop in their order. Blocks the thread while too many are undelivered.
    """

    def __init__(self, report: Report, fail: Callable[[Exception], None]) -> None:
        self.stopped = threading.Event()
        self.call_id = report.call_id
        self.user_id = report.user_id
        self._report = report
        self._fail = fail
        self._loop = asyncio.get_running_loop()
        self._free = threading.Semaphore(MOST_UNDELIVERED)

    def found(self, items: Sequence[Any], *, source: str) -> None:
        """Show new items. Raises `TypeError` for what has no JSON form."""
        shown = list(items)
        encode([shown, source])
        self._send(lambda: self._report.found(shown, source=source))

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Show how far the call is."""
        self._send(lambda: self._report.progress(detail, done=done, total=total))

    def _send(self, report: Callable[[], None]) -> None:
        if not self.stopped.is_set():
            self._free.acquire()
            in_loop(self._loop, lambda: self._deliver(report))

    def _deliver(self, report: Callable[[], None]) -> None:
        # Released even if the call has stopped: the thread may be blocked on it.
        self._free.release()
        if self.stopped.is_set():
            return
        try:
            report()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is the call that fails
            self._fail(error)


class ThreadTool(Generic[A]):
    """A tool that calls a function in a thread, for effects "none" and "read".

    The function gets the arguments and a report; it should look at `report.stopped` now and then.
    """

    def __init__(
        self,
        name: str,
        function: Callable[[A, ThreadReport], ToolResult],
        *,
        on_late: OnLate,
        effect: Effect = "read",
        fresh_s: float = 0.0,
    ) -> None:
        self.name = name
        self.effect: Effect = effect
        self.fresh_s = fresh_s
        self._function = function
        self._on_late = on_late
        self._alive: Counter[str] = Counter()  # by user

    @property
    def alive(self) -> int:
        """How many of its threads are running, abandoned ones included."""
        return self._alive.total()

    async def run(self, arguments: A, report: Report) -> ToolResult:
        """Call the function, and return or raise what it does.

        Raises `ProviderError` if too many threads are running. When cancelled, this ends at once; the thread
        may run on.
        """
        user_id = report.user_id
        if self._alive[user_id] >= MOST_THREADS - self.alive:
            raise ProviderError(f"{self.name} is busy with too many calls. Please try again later.")
        call = _Call(report, on_late=self._on_late)
        loop = asyncio.get_running_loop()

        def work() -> None:
            outcome: Outcome = ProviderError(f"{self.name} ended without a result.")
            try:
                outcome = self._function(arguments, call.report)
            except Exception as error:  # noqa: BLE001 - handed to the call, which raises it
                outcome = error
            finally:
                in_loop(loop, lambda: ended(outcome))

        def ended(outcome: Outcome) -> None:
            self._alive -= Counter([user_id])  # drops users without any
            call.ended(outcome)

        context = contextvars.copy_context()
        thread = threading.Thread(
            target=context.run, args=(work,), name=f"{self.name} {report.call_id}", daemon=True
        )
        try:
            thread.start()
        except RuntimeError:
            raise ProviderError(f"{self.name} could not be started. Please try again later.") from None
        self._alive[user_id] += 1
        try:
            return await call.outcome()
        finally:
            call.abandon()


class _Call:
    """One call of a function: passes on its outcome, in time or late. Used on the event loop."""

    def __init__(self, report: Report, *, on_late: OnLate) -> None:
        self.report = ThreadReport(report, self._settle)
        self._call_report = report
        self._on_late = on_late
        self._outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._is_taken = False

    async def outcome(self) -> ToolResult:
        """Return or raise the outcome of the function."""
        outcome = await self._outcome
        self._is_taken = True
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def abandon(self) -> None:
        """Take nothing more from the thread. An outcome that came in this very step is late."""
        self.report.stopped.set()
        if not self._is_taken and self._outcome.done() and not self._outcome.cancelled():
            self._late(self._outcome.result())

    def ended(self, outcome: Outcome) -> None:
        """Take the outcome of the function."""
        if self._outcome.done():
            self._late(outcome)
        else:
            self._settle(outcome)

    def _settle(self, outcome: Outcome) -> None:
        if not self._outcome.done():
            self._outcome.set_result(outcome)

    def _late(self, outcome: Outcome) -> None:
        _log.info("an abandoned thread has ended", call=self.report.call_id, outcome=type(outcome).__name__)
        self._on_late(self._call_report, outcome)


def in_loop(loop: asyncio.AbstractEventLoop, what: Callable[[], None]) -> None:
    """Have the event loop call something, in the order asked for; a closed loop calls nothing."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(what)
