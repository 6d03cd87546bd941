"""Watches the event loop from a thread: logs which code blocks it, and notes that in the task's record.

Every `HEARTBEAT_S` the thread asks the loop to answer, which costs the loop 10 us (measured). A loop that is
late is blocked by code that computes or waits without an `await`, nearly always a node's. Nothing can end
that code, and while it lasts nobody is served; so the thread says where it stands. If it lasts longer, the
thread stores that, past the loop: should the process be killed, its message is not tried for ever.

Code that holds the interpreter itself (a long regular expression) holds up this thread, too: such a blockage
is logged once it is over, without its place.
"""

import asyncio
import contextlib
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Generator
from contextvars import Context
from dataclasses import dataclass, replace
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import structlog

from ..domain.errors import StoreUnavailable
from ..store.base import StateStore
from ..store.ownership import LeaseEnded
from .task_context import TaskContext

HEARTBEAT_S = 0.25
"""Seconds between two questions to the loop: the most by which a blockage is noticed late."""

LOOK_EVERY_S = 0.5
"""Seconds between two looks at a loop that is blocked."""

_HERE = str(Path(__file__).parents[1])

_log = structlog.get_logger(__name__)


class Running(NamedTuple):
    """What an asyncio task runs for: the task, None if that is unknown, and the node, "" for none."""

    context: TaskContext | None
    node: str


RunningFor = Callable[["asyncio.Task[Any]", Context | None], Running]
"""Returns what an asyncio task with this context runs for. Called in the watch's thread."""


@dataclass(slots=True)
class Blockage:
    """One blockage: the asyncio task that runs, what it runs for, and the line where it stands."""

    running: "asyncio.Task[Any] | None"
    what: Running
    place: str
    noted: bool = False

    @property
    def sentence(self) -> str:
        """Tell it in the beginning of a sentence."""
        node = f"the node {self.what.node!r}" if self.what.node else "code of the graph"
        return f"{node} ({self.place})"


class LoopWatch:
    """Watches one event loop, between `start` and `stop`.

    A blockage is logged after `tell_after_s`, and stored with its task after `note_after_s`, in seconds.
    `ended` is called in the thread with how long each lasted.
    """

    def __init__(
        self,
        store: StateStore,
        running_for: RunningFor,
        *,
        tell_after_s: float,
        note_after_s: float,
        ended: Callable[[float], None],
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._running_for = running_for
        self._tell_after_s = tell_after_s
        self._note_after_s = note_after_s
        self._ended = ended
        self._monotonic = monotonic
        self._stopped = threading.Event()

    @contextlib.contextmanager
    def watching(self) -> Generator[None]:
        """Watch the running event loop, whose thread this must be called in."""
        self._loop, self._thread = asyncio.get_running_loop(), threading.get_ident()
        threading.Thread(target=self._watch, name="loop watch", daemon=True).start()
        try:
            yield
        finally:
            # Not joined: the thread may just be storing something, and ends by itself.
            self._stopped.set()

    def _watch(self) -> None:
        while not self._stopped.wait(HEARTBEAT_S):
            answered, asked_at = threading.Event(), self._monotonic()
            try:
                self._loop.call_soon_threadsafe(answered.set)
            except RuntimeError:  # the loop is closed
                return
            try:
                blockage = None if answered.wait(self._tell_after_s) else self._blocked(answered)
            except Exception:  # noqa: BLE001 - logged; the watch goes on
                _log.exception("the event loop could not be watched")
                answered.wait()
                continue
            lasted_s = self._monotonic() - asked_at
            if lasted_s >= self._tell_after_s:
                self._over(blockage, lasted_s)

    def _blocked(self, answered: threading.Event) -> Blockage:
        """Tell of a blockage and wait until it is over."""
        blockage = self._look()
        _log.warning("the event loop is blocked, and nobody is served", **_about(blockage))
        # By looks and not by the clock: a process that was suspended has not blocked anything meanwhile.
        left = max(1, round((self._note_after_s - self._tell_after_s) / LOOK_EVERY_S))
        while not (answered.wait(LOOK_EVERY_S) or self._stopped.is_set()):
            left -= 1
            if left == 0 and not answered.is_set():
                self._note(blockage)
        return blockage

    def _over(self, blockage: Blockage | None, lasted_s: float) -> None:
        self._ended(lasted_s)
        about = {} if blockage is None else _about(blockage)
        _log.warning("the event loop was blocked", seconds=round(lasted_s, 2), **about)
        if blockage is not None and blockage.noted and blockage.what.context is not None:
            # An attempt that was slow does not count.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(_store_without_note, blockage.what.context)

    def _look(self) -> Blockage:
        running = asyncio.current_task(self._loop)
        what = Running(None, "")
        if running is not None:
            what = self._running_for(running, context_of(running))
        frames = sys._current_frames()  # pyright: ignore[reportPrivateUsage] - documented, for debuggers
        return Blockage(running, what, place_of(frames.get(self._thread)))

    def _note(self, blockage: Blockage) -> None:
        """Store with its task that it blocks the loop, if it is the one that did at the first look."""
        now = self._look()
        context = now.what.context
        if context is None or now.running is not blockage.running:
            return
        # Not in the context, which is the loop's. The store ignores this if the task has ended meanwhile.
        noted = replace(context.task, blocked=now.sentence)
        blockage.noted = True
        try:
            self._store.commit_from_thread(context.lease, noted)
        except (StoreUnavailable, LeaseEnded) as error:
            _log.warning("it could not be stored which task blocks the event loop", reason=str(error))
        else:
            _log.error("a task keeps the event loop blocked", task_id=context.task_id, by=now.sentence)


def context_of(task: "asyncio.Task[Any]") -> Context | None:
    """Return the context of an asyncio task; before Python 3.12 only of one that a run has started."""
    if sys.version_info >= (3, 12):
        return task.get_context()
    return getattr(task, "run_context", None)


def place_of(frame: FrameType | None) -> str:
    """Return the file, line and function of the innermost frame that is of no library, else of no stdlib."""
    frames: list[FrameType] = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    paths = sysconfig.get_paths()
    stdlib = (paths["stdlib"], paths["platstdlib"], "<")  # and `<frozen importlib>`, `<string>`
    for others in ((*stdlib, paths["purelib"], paths["platlib"], _HERE), stdlib):
        for each in frames:
            code = each.f_code
            if not code.co_filename.startswith(others):
                return f"{_short(code.co_filename)}, line {each.f_lineno}, in {code.co_name}"
    return "nowhere in particular"


def _short(path: str) -> str:
    """Return a path from the current folder, or its last two parts: users see it, too."""
    with contextlib.suppress(ValueError):
        return str(Path(path).relative_to(Path.cwd()))
    return "/".join(Path(path).parts[-2:])


def _about(blockage: Blockage) -> dict[str, Any]:
    context = blockage.what.context
    return {
        "task_id": None if context is None else context.task_id,
        "node": blockage.what.node or None,
        "at": blockage.place,
    }


def _store_without_note(context: TaskContext) -> None:
    """Store the record as it is in memory, which has no note of this blockage."""
    if not context.task.status.terminal:
        context.save()
