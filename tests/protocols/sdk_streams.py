"""LangGraph's Python SDK for tests: a client of the module's server, and streams read beside them."""

import asyncio
from typing import Any

import pytest_asyncio
from langgraph_sdk import get_client

from tests.api.live import BOUND_S

MODES = ["values", "messages-tuple", "updates", "custom"]
ENDED = {"success", "error", "interrupted", "timeout"}


def human(text: str, message_id: str | None = None) -> dict[str, Any]:
    message = {"role": "user", "content": text}
    return {"messages": [message if message_id is None else {**message, "id": message_id}]}


def said(values: dict[str, Any]) -> list[tuple[str, str]]:
    """What people have said: without messages that only ask for a tool, and results of tools."""
    messages = (each for each in values["messages"] if each["content"] and each["type"] != "tool")
    return [(each["type"], each["content"]) for each in messages]


class Heard(list[Any]):
    """The parts of a stream, read in a task of its own so that a test can act meanwhile."""

    def __init__(self, stream: Any) -> None:
        super().__init__()
        self._news = asyncio.Event()
        self.done = asyncio.get_running_loop().create_task(self._read(stream))

    async def _read(self, stream: Any) -> None:
        try:
            async for part in stream:
                self.append(part)
                self._news.set()
        finally:
            self._news.set()

    def of(self, event: str) -> list[Any]:
        return [each.data for each in self if each.event == event]

    @property
    def text(self) -> str:
        return "".join(data[0]["content"] for data in self.of("messages"))

    async def until(self, is_so: Any) -> None:
        async with asyncio.timeout(BOUND_S):
            while not is_so(self):
                assert not self.done.done(), [each.event for each in self]
                self._news.clear()
                await self._news.wait()

    async def end(self) -> "Heard":
        async with asyncio.timeout(BOUND_S):
            await self.done
        return self


def wrote(words: int) -> Any:
    return lambda heard: heard.text.count("word") >= words


@pytest_asyncio.fixture(loop_scope="module")
async def sdk(talking):
    async with get_client(url=talking.url, api_key=None) as client:
        yield client


@pytest_asyncio.fixture(loop_scope="module")
async def thread(sdk):
    return (await sdk.threads.create())["thread_id"]


async def begun(sdk: Any, thread: str, text: str, *, words: int = 3, **options: Any) -> tuple[str, Heard]:
    """Begin a slow run and return its id once it has said some words."""
    runs: list[str] = []
    stream = sdk.runs.stream(
        thread,
        "agent",
        input=human(text),
        stream_mode=MODES,
        on_run_created=lambda run: runs.append(run["run_id"]),
        **options,
    )
    heard = Heard(stream)
    await heard.until(wrote(words))
    return runs[0], heard
