"""Functions of every kind that make a graph, and what was opened and closed of them."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_sdk.runtime import ServerRuntime

from tests.graphs.building import Graph, State, chain

EVENTS: list[str] = []


@dataclass
class Context:
    model: str = "none"


def _greeter(greeting: str) -> Graph:
    async def greet(state: State) -> State:
        return {"answer": f"{greeting} to {state['message']}"}

    return chain(greet)


async def later() -> Graph:
    await asyncio.sleep(0)
    return _greeter("Hello")


def awaitable() -> Any:
    return later()


def with_config(config: RunnableConfig) -> Graph:
    return _greeter(config.get("configurable", {}).get("model", "Hello"))


async def with_config_later(config: RunnableConfig) -> Graph:
    return with_config(config)


def with_config_by_another_name(_settings: dict[str, Any]) -> Graph:
    return with_config(RunnableConfig(**_settings))


def with_runtime(runtime: ServerRuntime[Context]) -> Graph:
    execution: Any = runtime.execution_runtime
    return _greeter((execution.context or {}).get("model", "Hello"))


def with_both(access: ServerRuntime, config: RunnableConfig) -> Graph:
    assert access.user is None
    return with_config(config)


def with_a_default(model: str = "Hello", **options: Any) -> Graph:
    return _greeter(model)


@contextlib.asynccontextmanager
async def entered(config: RunnableConfig) -> AsyncIterator[Graph]:
    opener = asyncio.current_task()
    EVENTS.append("opened")
    try:
        yield with_config(config)
    finally:
        EVENTS.append("closed by the task that opened it" if asyncio.current_task() is opener else "closed")


async def generated() -> AsyncIterator[Graph]:
    EVENTS.append("opened")
    yield _greeter("Hello")
    EVENTS.append("closed")


@contextlib.contextmanager
def entered_plainly() -> Iterator[Graph]:
    EVENTS.append("opened")
    yield _greeter("Hello")
    EVENTS.append("closed")


@contextlib.asynccontextmanager
async def entered_in_vain() -> AsyncIterator[Graph]:
    raise ConnectionError("no\ntools")
    yield _greeter("Hello")


@contextlib.asynccontextmanager
async def entered_for_nothing() -> AsyncIterator[int]:
    EVENTS.append("opened")
    try:
        yield 7
    finally:
        EVENTS.append("closed")


@contextlib.asynccontextmanager
async def closed_in_vain() -> AsyncIterator[Graph]:
    yield _greeter("Hello")
    raise ConnectionError("gone already")


def for_users_only(runtime: ServerRuntime) -> Graph:
    return _greeter(runtime.ensure_user().identity)
