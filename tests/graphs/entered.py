"""A graph made by a context manager, which prints when the server enters and exits it."""

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator

from tests.graphs.building import Graph, State, chain


@contextlib.asynccontextmanager
async def make_graph() -> AsyncIterator[Graph]:
    loop = asyncio.get_running_loop()

    async def greet(state: State) -> State:
        where = "its own" if asyncio.get_running_loop() is loop else "another"
        return {"answer": f"Hello to {state['message']} on {where} loop"}

    print("the tools are open", file=sys.stderr, flush=True)
    try:
        yield chain(greet)
    finally:
        print("the tools are closed", file=sys.stderr, flush=True)


@contextlib.asynccontextmanager
async def fail_to_make_one() -> AsyncIterator[Graph]:
    raise ConnectionError("the tools\ncannot be reached")
    yield chain()
