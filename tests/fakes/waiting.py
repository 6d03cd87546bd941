"""Helpers that make a test decide when things happen, and see what did.

A `Gate` holds whoever comes to it until the test opens it, and tells the test when they have come: so a
test proves one interleaving, with no sleeps. A `RecordingLog` keeps what is handed to it, in order, and
lets a test wait for something to be recorded. `until` looks again and again, where nothing tells.
"""

import asyncio
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Generic, TypeVar

T = TypeVar("T")

BOUND_S = 60.0
"""The longest a test waits for anything; it never waits for time to pass."""


async def until(look: Callable[[], Any | Awaitable[Any]], *, every_s: float = 0) -> Any:
    """Call `look` until it returns something true, and return that; what it returns is awaited if it can be.

    What it waits for has twice the time in between that a look takes, and at least `every_s`: a look that
    calls the application would else be most of what the event loop does.
    """
    loop = asyncio.get_running_loop()
    async with asyncio.timeout(BOUND_S):
        while True:
            began = loop.time()
            found = look()
            if isawaitable(found):
                found = await found
            if found:
                return found
            await asyncio.sleep(max(every_s, 2 * (loop.time() - began)))


class Gate:
    """A place in the code under test that is passed only once the test has opened it.

    Both waits may be cancelled; whoever is cancelled at the gate has still arrived, and has not passed.
    """

    def __init__(self) -> None:
        self.arrivals = 0
        self.passed = 0
        self._changed = asyncio.Event()
        self._opened = asyncio.Event()

    async def wait(self) -> None:
        """Stand at the gate until it is open. Called by the code under test."""
        self.arrivals += 1
        self._changed.set()
        await self._opened.wait()
        self.passed += 1

    async def arrived(self, count: int = 1) -> None:
        """Return once `count` tasks have reached the gate, passed or not. Called by the test."""
        while self.arrivals < count:
            self._changed.clear()
            await self._changed.wait()

    def open(self) -> None:
        """Let everyone pass, now and later."""
        self._opened.set()

    def close(self) -> None:
        """Hold all who come from now on."""
        self._opened.clear()


class RecordingLog(Generic[T]):
    """Everything it was called with, in order. Stands wherever a callback that takes one value does."""

    def __init__(self) -> None:
        self.entries: list[T] = []
        self._changed = asyncio.Event()

    def __call__(self, entry: T) -> None:
        """Record an entry and wake those who wait for it."""
        self.entries.append(entry)
        self._changed.set()

    async def until(self, matches: Callable[[T], bool]) -> T:
        """Return the first entry that matches, waiting for it if need be. May be cancelled."""
        seen = 0
        while True:
            for entry in self.entries[seen:]:
                if matches(entry):
                    return entry
            seen = len(self.entries)
            self._changed.clear()
            await self._changed.wait()
