"""Pages of the tests with a hook of LangGraph's in them: `useStream`, or the newer one of that name."""

import itertools
import uuid
from collections.abc import Callable
from typing import Any

from tests.protocols.node_client import ClientFailed, NodeClient
from tests.protocols.page_stories import WHOLE, Driver, Shown

_numbers = itertools.count(1)


def human(text: str, message_id: str | None = None) -> dict[str, Any]:
    return {"messages": [{"type": "human", "content": text, "id": message_id or str(uuid.uuid4())}]}


def said(shown: dict[str, Any]) -> list[tuple[str, str]]:
    """Return whose words a page shows; a hook may show them as text or in blocks of it."""
    found: list[tuple[str, str]] = []
    for each in shown["messages"]:
        content = each["content"]
        words = content if isinstance(content, str) else "".join(block["text"] for block in content)
        found.append((each["type"], words))
    return found


class Page:
    """A page with the hook in it."""

    def __init__(self, node: Any, url: str) -> None:
        self.node = node
        self.url = url
        self.name = f"page {next(_numbers)}"

    async def open(self, thread_id: str | None = None, **options: Any) -> "Page":
        own = {"apiUrl": self.url, "assistantId": "agent", "threadId": thread_id, **options}
        await self.node.call("open", page=self.name, options=own)
        return self

    async def call(self, name: str, **args: Any) -> Any:
        return await self.node.call(name, page=self.name, **args)

    async def submit(self, values: Any, **options: Any) -> None:
        await self.call("submit", values=values, options=options)

    async def until(self, is_so: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        """Wait until the page shows something like that, from now on."""
        seen = len(self.node.news)
        now = await self.call("look")
        if is_so(now):
            return now
        news = await self.node.until(
            lambda each: each.get("page") == self.name and "shown" in each and is_so(each["shown"]),
            after=seen,
        )
        return news["shown"]

    async def done(self) -> dict[str, Any]:
        return await self.until(lambda shown: not shown["loading"])

    async def thread_id(self) -> str:
        news = await self.node.until(lambda each: each.get("page") == self.name and "threadId" in each)
        return news["threadId"]

    async def run_id(self) -> str:
        news = await self.node.until(lambda each: each.get("page") == self.name and "created" in each)
        return news["created"]["run_id"]


def wrote(words: int) -> Callable[[dict[str, Any]], bool]:
    return lambda shown: any(text.count("word") >= words for kind, text in said(shown) if kind == "ai")


async def sdk(js: Any, url: str, of: str, method: str, *args: Any) -> Any:
    return await js.call("call", url=url, of=of, method=method, args=list(args))


async def ended(js: Any, url: str, thread: str, run: str) -> str:
    await sdk(js, url, "runs", "join", thread, run)
    return (await sdk(js, url, "runs", "get", thread, run))["status"]


def is_receipt(message: dict[str, Any]) -> bool:
    own = (message["additional_kwargs"] or {}).get("detour", {})
    return own.get("kind") == "interruption"


class UseStream(Driver):
    """A page with a hook, whose thread a server must have made before."""

    def __init__(self, node: NodeClient, url: str, thread_id: str, **options: Any) -> None:
        super().__init__(node, url, thread_id, **options)
        self.page = Page(node, url)
        self._refusal: str | None = None

    async def open(self) -> None:
        client = {"url": self.url, "key": self.options.get("token")}
        made = {"threadId": self.thread_id, "ifExists": "do_nothing"}
        await self.node.call("call", **client, of="threads", method="create", args=[made])
        await self.show()

    async def show(self) -> None:
        key, newer = self.options.get("token") or None, self.options["newer"]
        # A page that joins its runs again after a reload now and then drops the message that interrupts one.
        joins = not newer and self.options.get("joins_again", True)
        storage = {"storage": self.thread_id} if joins else {}
        await self.page.open(self.thread_id, apiKey=key, newer=newer, **storage)

    async def reopened(self, **options: Any) -> Driver:
        other = UseStream(self.node, self.url, self.thread_id, **{**self.options, **options})
        await other.show()
        return other

    async def close(self) -> None:
        """Check that all that was ever shown of a long reply is its beginning."""
        for news in self.node.news:
            if news.get("page") == self.page.name and "shown" in news:
                for kind, words in said(news["shown"]):
                    assert (
                        kind != "ai" or not words.startswith("word") or WHOLE.startswith(words[: len(WHOLE)])
                    )

    async def send(self, text: str, *, stays: bool = False, steers: bool = False) -> None:
        steer = {"metadata": {"detour_policy": "steer"}} if steers else {}
        await self.page.submit(human(text), multitaskStrategy="interrupt", **steer)

    async def answer(self, question: str, text: str) -> None:
        if self.options["newer"]:
            try:
                await self.page.call("respond", response=text, options={"interruptId": question})
            except ClientFailed as error:
                self._refusal = str(error)
        else:
            await self.page.submit(None, command={"resume": text})

    async def stop(self) -> None:
        await self.page.call("stop")

    async def leave(self) -> None:
        await self.page.call("close")

    async def look(self) -> Shown:
        shown = await self.page.call("look")
        shown["messages"] = [each for each in shown["messages"] if not is_receipt(each)]
        roles = {"human": "user", "ai": "assistant"}
        return Shown(
            [(roles[kind], text) for kind, text in said(shown) if text and kind in roles],
            working=shown["loading"],
            question=(shown["interrupt"] or {}).get("id"),
            error=self._refusal or shown["error"],
            receipts=[each["receipt"] for each in (shown["values"] or {}).get("interrupted", [])],
        )
