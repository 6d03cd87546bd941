"""Pages of the tests with a client of AG-UI in them: an `HttpAgent`, or CopilotKit's core."""

import asyncio
import itertools
from collections.abc import Coroutine
from typing import Any

from tests.protocols.ag_ui_stream import Event, answer, check
from tests.protocols.node_client import News, NodeClient
from tests.protocols.page_stories import Driver, Shown

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
    def runs(self) -> list[list[Event]]:
        """The events of each run that it was told."""
        starts = [index for index, each in enumerate(self.events) if each["type"] == "RUN_STARTED"]
        return [self.events[start:end] for start, end in itertools.pairwise([*starts, len(self.events)])]

    @property
    def outcomes(self) -> list[str]:
        return [each["outcome"] for each in self._told("finished")]

    @property
    def errors(self) -> list[News]:
        return self._told("error")

    @property
    def told(self) -> list[News]:
        return [each for each in self._node.news if each.get("who") == self.name]

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


class AgUiDriver(Driver):
    """What a page with an `HttpAgent` and one with CopilotKit have in common."""

    def __init__(self, node: NodeClient, url: str, thread_id: str, **options: Any) -> None:
        super().__init__(node, url, thread_id, **options)
        self.page = Page(node, thread_id)
        self._run: asyncio.Task[Any] | None = None
        self._told_before = 0

    @property
    def headers(self) -> dict[str, str]:
        token = self.options.get("token")
        return {"Authorization": f"Bearer {token}"} if token else {}

    async def close(self) -> None:
        for run in self.page.runs:
            check(run)

    async def begin(self, work: Coroutine[Any, Any, Any]) -> None:
        """Begin a run in place of one that goes on."""
        if self._run is not None:
            await self.leave()
            await asyncio.wait([self._run])
        self._told_before = len(self.page.told)
        self._run = running(work)

    async def send(self, text: str, *, stays: bool = False, steers: bool = False) -> None:
        props = {"onDisconnect": "continue"} if stays else {"policy": "steer"} if steers else {}
        await self.begin(self.page.say(text, forwardedProps=props))

    async def answer(self, question: str, text: str) -> None:
        await self.begin(self.page.run(resume=[answer(question, text)]))

    def shows_what_was_kept(self, text: str, receipt: dict[str, Any]) -> bool:
        """Return as others do, but of a run that a page leaves for another one it is shown no more."""
        return text.startswith("word0") and len(text) <= receipt["text_kept"]

    async def look(self) -> Shown:
        shown = await self.page.look()
        said = [
            (each["role"], each["content"])
            for each in shown["messages"]
            if each["role"] in {"user", "assistant"} and each.get("content")
        ]
        asked = [each["id"] for each in shown["pendingInterrupts"]]
        return Shown(
            said,
            working=shown["isRunning"] or not (self._run is None or self._run.done()),
            question=asked[0] if asked else None,
            error=self._error(),
            receipts=[each["receipt"] for each in (shown["state"] or {}).get("interrupted", [])],
        )

    def _error(self) -> str | None:
        """Return what the page was told of its latest run that is no result, or what its client threw."""
        for news in self.page.told[self._told_before :]:
            if news["kind"] == "error":
                return news["error"]
            event = news.get("event", {})
            if event.get("type") == "RUN_ERROR" and event.get("code") != "abort":
                return event["message"]
        failed = self._run.exception() if self._run is not None and self._run.done() else None
        return None if failed is None else str(failed)
