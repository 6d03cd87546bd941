"""Ends the programs that cancelled nodes and tools of a graph have started with asyncio.

Cancelling `await process.communicate()` leaves the process running, so what an agent has begun would go on
after its user has changed their mind. A program belongs to the node or tool within which it was started, and
ends if the asyncio task of that was cancelled: SIGTERM, then SIGKILL. A node or tool that ended by itself has
left its program on purpose; one that ends its program as it is cancelled does so undisturbed. `keeps_running`
exempts a program. The programs of threads (`subprocess.run`) are not followed.

A plain child shares the server's process group, so a group is signalled only if the child leads it. All else
is held by a descriptor (pidfd), which never means another process, even if its number is used again.
"""

import asyncio
import contextlib
import os
import select
import signal
from asyncio import SubprocessTransport, Task
from collections.abc import Callable, Generator, Iterator
from contextvars import Context, ContextVar
from typing import Any
from weakref import ReferenceType, ref

import structlog

from .cancel_scope import SCOPE
from .task_owner import TaskOwner
from .user_threads import OBSERVED_BY, ThreadObserver

TERMINATE_GRACE_S = 2.0
"""Seconds between SIGTERM and SIGKILL."""

GONE_WITHIN_S = 5.0
"""Seconds that a killed program may take to be gone before it counts as still running."""

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.0005, 0.05
"""Seconds between two looks whether a program is gone."""

_log = structlog.get_logger(__name__)

_PROGRAMS_OF: "ContextVar[ReferenceType[Task[Any]] | None]" = ContextVar("programs_of", default=None)
"""The asyncio task of the node or tool whose code runs. Weak, as that task holds the context itself."""

_KEEPS: ContextVar[bool] = ContextVar("keeps", default=False)


@contextlib.contextmanager
def keeps_running() -> Generator[None]:
    """Let programs that are started within this block run on if their node or tool is cancelled.

    For a program that others use too, and for one that must not be cut off. It is the caller's to end: it may
    outlive the server as well. Outside of a server this does nothing.
    """
    before = _KEEPS.get()
    _KEEPS.set(True)
    try:
        yield
    finally:
        _KEEPS.set(before)  # no token: an async generator may be closed in another context


def own_programs() -> None:
    """Have the programs that are started in this context from now on belong to the asyncio task of now."""
    task = asyncio.current_task()
    _PROGRAMS_OF.set(None if task is None else ref(task))


class Programs:
    """The programs of all nodes and tools that run."""

    def __init__(self, owner: TaskOwner) -> None:
        self._owner = owner
        self._of: dict[Task[Any], list[tuple[SubprocessTransport, ThreadObserver | None]]] = {}

    def follow(self, loop: asyncio.AbstractEventLoop) -> None:
        """Follow what is started on this event loop from now on, by `asyncio.create_subprocess_*` as well."""
        # Two methods of this loop, and no function of a module: another loop of the process is left alone.
        for name in ("subprocess_exec", "subprocess_shell"):
            setattr(loop, name, self._following(getattr(loop, name)))

    def _following(self, start: Callable[..., Any]) -> Callable[..., Any]:
        async def started(*arguments: Any, **options: Any) -> tuple[SubprocessTransport, Any]:
            # If this is cancelled, the loop itself kills what it has started.
            transport, protocol = await start(*arguments, **options)
            self._started(transport)
            return transport, protocol

        return started

    def _started(self, transport: SubprocessTransport) -> None:
        task = _task_of_now()
        if task is None or _KEEPS.get():
            return
        observed_by = OBSERVED_BY.get()
        programs = self._of.get(task)
        if programs is None:
            programs = self._of[task] = []
            # In a context of its own: what ends a program is no work of the run.
            task.add_done_callback(self._ended, context=Context())
        programs[:] = [each for each in programs if each[0].get_returncode() is None]
        programs.append((transport, None if observed_by is None else observed_by()))

    def _ended(self, task: "Task[Any]") -> None:
        programs = self._of.pop(task)
        # `cancelling`: one that caught its cancellation, to tidy up or in error, was cancelled as well. A
        # time-out within it takes its own cancellation back.
        if not (task.cancelled() or task.cancelling()):
            return
        for transport, observer in programs:
            if transport.get_returncode() is None:
                name = f"end of program {transport.get_pid()}"
                ending = self._owner.spawn_detached(end_program(transport), name=name)
                if observer is not None:
                    observer.program_ends(ending)


def _task_of_now() -> "Task[Any] | None":
    """Return the asyncio task to which a program belongs that is started now; None outside of runs."""
    of = _PROGRAMS_OF.get()
    if of is None:
        return None
    task, scope = of(), SCOPE.get()
    if task is not None and not task.done() and getattr(task, "scope", None) is scope:
        return task
    # A call that the node has handed to the ledger has a scope of its own. A task that it has left behind
    # goes on alone.
    return asyncio.current_task() if scope is None or scope.root is None or scope.root.done() else scope.root


async def end_program(transport: SubprocessTransport) -> bool:
    """End a program that runs, and all that it has started; return whether all of it is gone.

    When cancelled, it is killed without further grace.
    """
    tree = _tree_of(transport)
    try:
        tree.signal(signal.SIGTERM)
        await _within(TERMINATE_GRACE_S, tree)
    finally:
        try:
            # Also once it has exited: what it started may live on.
            tree.signal(signal.SIGKILL)
            is_gone = await _within(GONE_WITHIN_S, tree)
        finally:
            tree.close()
        if not is_gone:
            _log.error("a killed program is still there", pid=transport.get_pid())
        transport.close()
    return is_gone


async def _within(seconds: float, tree: "_Child") -> bool:
    """Return whether all of a program is gone within so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            pause = FIRST_PAUSE_S
            while tree.is_left():
                await asyncio.sleep(pause)
                pause = min(1.5 * pause, LONGEST_PAUSE_S)
    except TimeoutError:
        return False
    return True


def _tree_of(transport: SubprocessTransport) -> "_Child":
    with contextlib.suppress(AttributeError, OSError):  # not Linux, one that is too old, or no /proc
        return _Tree(transport)
    return _Child(transport)


class _Child:
    """A program, with the process group if it leads one: all that systems other than Linux tell of."""

    def __init__(self, transport: SubprocessTransport) -> None:
        self._transport = transport
        self._pid = transport.get_pid()
        with contextlib.suppress(ProcessLookupError):
            self._leads = os.getpgid(self._pid) == self._pid

    _leads = False

    def signal(self, which: signal.Signals) -> None:
        """Send a signal to what is left of it."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # Its number is its own until it is reaped, and that of its group while a member is known to live.
            if self._leads and (self._transport.get_returncode() is None or self._has_member()):
                os.killpg(self._pid, which)
            elif not self._leads:
                self._transport.send_signal(which)

    def is_left(self) -> bool:
        """Return whether anything of it still runs."""
        return self._transport.get_returncode() is None

    def close(self) -> None:
        """Release what this holds."""

    def _has_member(self) -> bool:
        return False


class _Tree(_Child):
    """A program and all its descendants, each held by a pidfd."""

    def __init__(self, transport: SubprocessTransport) -> None:
        super().__init__(transport)
        self._held: dict[int, int] = {}
        self._poll = select.poll()
        self._hold(self._pid, os.getpid())

    def signal(self, which: signal.Signals) -> None:
        """Send a signal to what is left of it, and to what that has started in the meantime."""
        self.is_left()
        # Until there is nothing new: a process may start another one while this looks.
        while self._find():
            pass
        if self._leads:
            super().signal(which)
        for pid, held in self._held.items():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                # Once each: a second SIGTERM makes some programs give up what they tidy up after the first.
                if not (self._leads and os.getpgid(pid) == self._pid):
                    signal.pidfd_send_signal(held, which)

    def is_left(self) -> bool:
        """Return whether anything of it still runs; release what does not."""
        ended = {descriptor for descriptor, _ in self._poll.poll(0)}
        for pid, held in [*self._held.items()]:
            if held in ended:
                self._release(pid)
        return bool(self._held) or super().is_left()

    def close(self) -> None:
        """Release all processes."""
        for pid in [*self._held]:
            self._release(pid)

    def _has_member(self) -> bool:
        with contextlib.suppress(ProcessLookupError):
            return any(os.getpgid(pid) == self._pid for pid in self._held)
        return False

    def _find(self) -> bool:
        """Hold the children of all that is held; return whether one of them is new."""
        before = len(self._held)
        for parent in [*self._held]:
            for child in _children(parent):
                if child not in self._held:
                    with contextlib.suppress(OSError):  # it has ended, or too many files are open
                        self._hold(child, parent)
        return len(self._held) > before

    def _hold(self, pid: int, parent: int) -> None:
        """Hold a process, unless it is another one by now. Raises OSError if it cannot be held."""
        held = os.pidfd_open(pid)
        # Checked once it is held: its number cannot mean another process any more.
        if _parent(pid) == parent:
            self._held[pid] = held
            self._poll.register(held, select.POLLIN)
        else:
            os.close(held)

    def _release(self, pid: int) -> None:
        held = self._held.pop(pid)
        self._poll.unregister(held)
        os.close(held)


def _children(pid: int) -> Iterator[int]:
    """Return the processes that a process, or a thread of it, has started."""
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as file:
                yield from map(int, file.read().split())


def _parent(pid: int) -> int:
    """Return the id of a process's parent; 0 if it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            # The name comes before, in brackets, and may hold any character.
            return int(file.read().rpartition(")")[2].split()[1])
    except OSError:
        return 0
