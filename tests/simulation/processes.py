"""Several processes on one seeded loop, each of which can be frozen and woken, or killed.

What a process has started belongs to it by its context, which every task, timer and callback of asyncio takes
from where it was made. Of a frozen process nothing runs: its timers ring when it is woken, and what was sent
to it waits. A killed one is frozen for good: unlike a cancelled one it runs no `finally`, as after `kill -9`.
"""

import asyncio
from collections import deque
from contextvars import ContextVar, copy_context

from tests.virtual_time import SeededLoop

_PROCESS: ContextVar["Process | None"] = ContextVar("process", default=None)


class Process:
    """One process: what is begun in its `context` is its own."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.context = copy_context()
        self.context.run(_PROCESS.set, self)
        self.frozen = False
        self.killed = False
        self.held: deque[asyncio.Handle] = deque()

    def freeze(self) -> None:
        """Let nothing of it run."""
        self.frozen = True

    def kill(self) -> None:
        """Let nothing of it run any more."""
        self.frozen = self.killed = True

    def wake(self) -> None:
        """Let it run, with all that has come meanwhile."""
        self.frozen = False
        loop = asyncio.get_running_loop()
        assert isinstance(loop, ProcessLoop)
        loop.ready.extend(self.held)
        self.held.clear()


def current_process() -> Process | None:
    """Return the process whose step this is, None for what happens outside of all."""
    return _PROCESS.get()


class _Ready(deque[asyncio.Handle]):
    """The loop's queue of what is ready, which sets aside what is a frozen process's."""

    nothing: asyncio.Handle

    def popleft(self) -> asyncio.Handle:
        handle = super().popleft()
        process = handle._context.get(_PROCESS)
        if process is None or not process.frozen:
            return handle
        process.held.append(handle)
        return self.nothing


class ProcessLoop(SeededLoop):
    """A seeded loop that processes share."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.ready = self._ready = _Ready(self._ready)
        self.ready.nothing = asyncio.Handle(lambda: None, (), self)
        self.ready.nothing.cancel()
