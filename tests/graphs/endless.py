"""Factories that never return."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator

from tests.graphs.building import Graph, chain


def block() -> Graph:
    threading.Event().wait()
    return chain()


async def wait() -> Graph:
    await asyncio.Event().wait()
    return chain()


async def wait_and_block() -> Graph:
    await asyncio.sleep(0)
    return block()


async def ignore_the_end() -> Graph:
    while True:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.Event().wait()


@contextlib.asynccontextmanager
async def enter() -> AsyncIterator[Graph]:
    await asyncio.Event().wait()
    yield chain()
