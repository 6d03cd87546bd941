"""Pages of the tests with a client of AG-UI in them: an `HttpAgent`, or CopilotKit's core."""

import asyncio
import itertools
from collections.abc import Coroutine
from typing import Any

from tests.protocols.ag_ui_stream import Event
from tests.protocols.node_client import News, NodeClient

_numbers = itertools.count(1)


class Page:
    """A page of a thread; `name` is what the client's script knows it by."""

    def __init__(self, node: NodeClient, thread_id: str) -> None:
        self.name = f"page-{next(_numbers)}"
        self.thread_id = thread_id
        self._node = node
        self._said = itertools.count(1)

    async def do(self, command: str, **arguments: Any) -> Any:
        """Have the client's script carry out one of its commands; return what comes of it."""
        return await self._node.call(command, who=self.name, **arguments)

    async def say(self, text: str, **parameters: Any) -> Any:
        """Send a message; return once its run has ended."""
        return await self.do("say", id=f"{self.name}-m{next(self._said)}", text=text, **parameters)

    async def run(self, **parameters: Any) -> Any:
        return await self.do("run", **parameters)

    async def look(self) -> dict[str, Any]:
        """Return what the page shows."""
        return await self.do("look")

    async def until(self, kind: str, *, after: int = 0) -> Event:
        """Wait for an event of a type; the page's first `after` events do not count."""
        seen = self.events[:after]
        news = await self._node.until(
            lambda each: (
                self._is_mine(each, "event") and each["event"]["type"] == kind and each["event"] not in seen
            )
        )
        return news["event"]

    @property
    def events(self) -> list[Event]:
        return [each["event"] for each in self._told("event")]

    @property
    def outcomes(self) -> list[str]:
        return [each["outcome"] for each in self._told("finished")]

    @property
    def errors(self) -> list[News]:
        return self._told("error")

    def _told(self, kind: str) -> list[News]:
        return [each for each in self._node.news if self._is_mine(each, kind)]

    def _is_mine(self, news: News, kind: str) -> bool:
        return news["kind"] == kind and news["who"] == self.name


def running(work: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """Let a page do something meanwhile."""
    return asyncio.get_running_loop().create_task(work)


async def ended(server: Any, page: Page) -> dict[str, Any]:
    """Return the status of a page's latest task once it has ended."""
    status = await server.status(page.thread_id)
    return await server.until_ended(page.thread_id, status["task_id"])


def texts(messages: list[dict[str, Any]], role: str = "assistant") -> list[str]:
    return [each["content"] for each in messages if each["role"] == role]
