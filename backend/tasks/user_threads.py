"""Threads for blocking functions, shared fairly between users.

LangGraph runs a plain `def` node in the loop's default executor, as `asyncio.to_thread` does. asyncio's own
has 6 threads on a machine with 2 processors, and one queue for all users: eight messages of one user, with a
node that blocks for 20 s, made another user's node of 0.1 s wait for 18 s (measured). Nothing can stop a
thread from outside, so the node of an interrupted task keeps its thread until it returns.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import Any, ParamSpec, Protocol, TypeVar

MOST_IN_ALL = 256
"""Threads at once. One that blocks costs 17 KiB of memory."""

SHARE = 1 / 16
"""The part of the free threads that one user may have: 15 threads if no other user has any.

So 69 users who block all that they may still get a thread each, at once. A larger share would let one user
slow down the event loop: threads that compute, instead of waiting, compete with it for the interpreter. With
8 of them it woke up 59 ms late at the median, with 16 129 ms, with 64 417 ms (2 processors, CPython 3.11).
"""


class CodeExitedError(RuntimeError):
    """Code of a graph has raised what would have ended the process."""


class ThreadObserver(Protocol):
    """Learns of the threads that work for a call, and of their outcomes."""

    def thread_begins(self) -> bool:
        """Note that a thread is about to work for the call, in that thread; False if it must not any more."""
        ...

    def thread_ended(self, value: Any, error: Exception | None) -> None:
        """Note the outcome of the thread, in that thread."""
        ...

    def lend_thread(self) -> None:
        """Count a thread less that now works for a call within this one, which accounts for it."""
        ...

    def take_thread_back(self) -> None:
        """Count that thread again."""
        ...

    def program_ends(self, ending: "asyncio.Task[bool]") -> None:
        """Note that a program of the call is being ended; it returns whether the program is gone."""
        ...


class CallThreads:
    """Counts the threads that work for a call; for any thread."""

    def __init__(self) -> None:
        self._count = 0
        self._released = False
        self._lock = threading.Lock()
        self.endings: list[asyncio.Task[bool]] = []
        """The ends of its programs; each counts as a thread until its program is gone."""

    def begin(self) -> bool:
        """Count a thread that is about to begin; False if it must not, since nobody awaits the call now."""
        with self._lock:
            self._count += not self._released
            return not self._released

    @property
    def is_working(self) -> bool:
        """Whether a thread works for the call now, not counting those that are lent."""
        return self._count > 0

    @property
    def is_ending_program(self) -> bool:
        """Whether a program of the call is being ended now."""
        return any(not ending.done() for ending in self.endings)

    @property
    def is_released(self) -> bool:
        """Whether nobody awaits the call now."""
        return self._released

    def lend(self) -> None:
        """Count a thread less that runs on."""
        with self._lock:
            self._count -= 1

    def take_back(self) -> bool:
        """Count a thread again that was lent; return whether nobody awaits the call now."""
        with self._lock:
            self._count += 1
            return self._released

    def end_program(self, ending: "asyncio.Task[bool]") -> None:
        """Count a program that is being ended as a thread, until `end`; on the event loop."""
        with self._lock:
            self._count += 1
        self.endings.append(ending)

    def end(self) -> bool:
        """Count a thread less; return whether it was the last, and nobody awaits the call now."""
        with self._lock:
            self._count -= 1
            return self._released and not self._count

    def release(self) -> bool:
        """Note that nobody awaits the call now; return whether a thread still works for it."""
        with self._lock:
            self._released = True
            return self._count > 0


def is_gone(ending: "asyncio.Task[bool]") -> bool:
    """Return whether a program is gone, by the result of its end."""
    return not ending.cancelled() and ending.exception() is None and ending.result()


OBSERVED_BY: ContextVar[Callable[[], ThreadObserver] | None] = ContextVar("observed_by", default=None)
"""Returns the observer of a blocking function that is started now: it may outlive its awaiter."""


class _Here(threading.local):
    """Whom the current thread works for: who had it started, then the calls within that, innermost last.

    `is_awaited` while it works for code on the event loop, which does not block the loop meanwhile.
    """

    def __init__(self) -> None:
        self.observers: list[ThreadObserver] = []
        self.is_awaited = False


_here = _Here()


def is_awaited_here() -> bool:
    """Return whether code awaits the current thread, which so does not block the event loop."""
    return _here.is_awaited


def call_begins_here(observer: ThreadObserver) -> None:
    """Have the current thread count for a call within the one that it works for."""
    if _here.observers:
        _here.observers[-1].lend_thread()
    _here.observers.append(observer)


def call_ended_here(observer: ThreadObserver) -> None:
    """Have the current thread count for what it worked for before the call began."""
    if observer in _here.observers:
        _here.observers.remove(observer)
        if _here.observers:
            _here.observers[-1].take_thread_back()


THREADS_OF: ContextVar[str] = ContextVar("threads_of", default="")
"""The user whose share a blocking function counts towards; the server itself has a share as well."""

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class _Job:
    """A function to call, and the future of what it returns."""

    user_id: str
    call: Callable[[], Any]
    future: "Future[Any]"
    observer: ThreadObserver | None = None

    def run(self) -> None:
        """Call the function, unless it was cancelled while it waited."""
        if not self.future.set_running_or_notify_cancel():
            return
        observer = self.observer
        if observer is not None and not observer.thread_begins():
            self.future.set_exception(RuntimeError("its call has ended"))
            return
        value: Any = None
        # What no handler catches ends the thread.
        error: Exception | None = RuntimeError("a blocking function ended its thread")
        if observer is not None:
            _here.observers = [observer]
            _here.is_awaited = True
        try:
            value, error = self.call(), None
        except Exception as raised:  # noqa: BLE001 - raised where the future is awaited
            error = raised
        except (SystemExit, KeyboardInterrupt, GeneratorExit) as raised:
            error = CodeExitedError(f"{type(raised).__name__} was raised")
        finally:
            # First: an awaiter of the call finds that its thread has ended.
            if observer is not None:
                self._leave(value, error)
            if error is None:
                self.future.set_result(value)
            else:
                self.future.set_exception(error)

    def _leave(self, value: Any, error: Exception | None) -> None:
        observers, _here.observers = _here.observers, []
        _here.is_awaited = False
        # Calls that `SystemExit` has ended, which LangChain reports to nobody, are left over with the first.
        while len(observers) > 1:
            observers.pop().thread_ended(value, error)
            observers[-1].take_thread_back()
        observers[0].thread_ended(value, error)


class UserThreads(ThreadPoolExecutor):
    """An executor with a share for each user of `THREADS_OF`; the default executor of the event loop.

    Users get a thread if they have none, or fewer than `share` of those that are free, so the last ones are
    for users without any. A user's calls start in their order, and users who wait take turns. The threads are
    daemons, and `shutdown` does not wait: what blocks keeps neither the loop nor the process from ending.

    It is a `ThreadPoolExecutor` only because event loops accept nothing else; no thread of the base class is
    ever started.
    """

    def __init__(self, *, in_all: int = MOST_IN_ALL, share: float = SHARE) -> None:
        super().__init__(max_workers=in_all)
        self._share = share
        self._free = in_all
        self._lock = threading.Lock()
        self._busy: Counter[str] = Counter()
        self._waiting: dict[str, deque[_Job]] = {}
        self._turns: deque[str] = deque()  # the users in `_waiting`, each once
        self._idle = 0
        self._started: SimpleQueue[_Job | None] = SimpleQueue()
        self._is_shut_down = False

    def submit(self, fn: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs) -> "Future[R]":
        """Call a function in a thread of the user's share, once there is one.

        Raises `RuntimeError` after `shutdown`.
        """
        future: Future[R] = Future()
        user_id = THREADS_OF.get()
        observed_by = OBSERVED_BY.get()
        observer = None if observed_by is None else observed_by()
        with self._lock:
            if self._is_shut_down:
                raise RuntimeError("no thread is started after the shutdown")
            if user_id not in self._waiting:
                self._waiting[user_id] = deque()
                self._turns.append(user_id)
            call = partial(fn, *args, **kwargs)
            if observer is not None:
                # `loop.run_in_executor` hands over no context, and LangChain finds its callbacks in it.
                call = partial(copy_context().run, call)
            self._waiting[user_id].append(_Job(user_id, call, future, observer))
            self._start_what_may()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Start nothing more and cancel what waits; return at once, whatever the arguments say."""
        with self._lock:
            self._is_shut_down = True
            waiting = [job for jobs in self._waiting.values() for job in jobs]
            self._waiting.clear()
            self._turns.clear()
            for _ in range(self._idle):
                self._started.put(None)
            self._idle = 0
        for job in waiting:
            job.future.cancel()

    def _start_what_may(self) -> None:
        """Give free threads to users who wait, one by one in turn.

        The search is short however many wait: who is passed over has a thread: `in_all` users at most.
        """
        passed_over = 0
        while self._free and passed_over < len(self._turns):
            user_id = self._turns.popleft()
            if 0 < self._busy[user_id] >= int(self._free * self._share):
                self._turns.append(user_id)
                passed_over += 1
                continue
            passed_over = 0
            self._start(self._waiting[user_id].popleft())
            if self._waiting[user_id]:
                self._turns.append(user_id)
            else:
                del self._waiting[user_id]

    def _start(self, job: _Job) -> None:
        if self._idle:
            # A thread is used again, since to start one waits until it runs: for milliseconds among others
            # that compute, and here on the event loop.
            self._idle -= 1
        else:
            try:
                threading.Thread(target=self._serve, name="blocking function", daemon=True).start()
            except RuntimeError as error:  # the system gives no more threads
                job.future.set_exception(error)
                return
        self._busy[job.user_id] += 1
        self._free -= 1
        self._started.put(job)

    def _serve(self) -> None:
        """Run jobs, in a thread, until the shutdown or until one ends the thread."""
        while (job := self._started.get()) is not None:
            survived = False
            try:
                job.run()
                survived = True
            finally:
                again = self._ended(job.user_id, survived=survived)
            del job  # its future holds what it returned
            if not again:
                return

    def _ended(self, user_id: str, *, survived: bool) -> bool:
        """Give back a thread; return whether it is to take another job."""
        with self._lock:
            self._busy[user_id] -= 1
            if not self._busy[user_id]:
                del self._busy[user_id]
            self._free += 1
            survived &= not self._is_shut_down
            self._idle += survived
            self._start_what_may()
        return survived
