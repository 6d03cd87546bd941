"""LangGraph's JavaScript `Client` and its hook `useStream`, unchanged, in pages of jsdom."""

import asyncio
import itertools
import uuid
from collections.abc import Callable
from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import serving
from tests.protocols.looping import LOOPING, begun, until_pending
from tests.protocols.node_client import ClientFailed

pytestmark = pytest.mark.asyncio(loop_scope="module")

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


@pytest_asyncio.fixture(loop_scope="module")
async def js(node):
    client = await node("langgraph")
    yield client
    assert client.unhandled == []


@pytest.fixture
def page(js, talking):
    return Page(js, talking.url)


def wrote(words: int) -> Callable[[dict[str, Any]], bool]:
    return lambda shown: any(text.count("word") >= words for kind, text in said(shown) if kind == "ai")


async def sdk(js: Any, url: str, of: str, method: str, *args: Any) -> Any:
    return await js.call("call", url=url, of=of, method=method, args=list(args))


async def ended(js: Any, url: str, thread: str, run: str) -> str:
    await sdk(js, url, "runs", "join", thread, run)
    return (await sdk(js, url, "runs", "get", thread, run))["status"]


# --- Client --------------------------------------------------------------------------------------------


async def test_client_streams_waits_lists_cancels_and_searches(js, talking) -> None:
    url, mark = talking.url, uuid.uuid4().hex
    thread = (await sdk(js, url, "threads", "create", {"metadata": {"mark": mark}}))["thread_id"]
    payload = {"input": human("hello", "one"), "streamMode": ["values", "messages-tuple"]}
    parts = await js.call("stream", url=url, label=mark, args=[thread, "agent", payload])
    assert [part["event"] for part in parts][:2] == ["metadata", "values"]
    assert parts[-1]["event"] == "end"
    created = await js.until(lambda news: news.get("stream") == mark and "created" in news)
    assert created["created"] == {"run_id": parts[0]["data"]["run_id"], "thread_id": thread}
    again = await js.call(
        "join", url=url, label="", args=[thread, parts[0]["data"]["run_id"], {"lastEventId": "-1"}]
    )
    assert again == parts
    run = await sdk(js, url, "runs", "create", thread, "agent", {"input": human("slow")})
    await sdk(js, url, "runs", "cancel", thread, run["run_id"], True)
    assert await ended(js, url, thread, run["run_id"]) == "interrupted"
    values = await sdk(js, url, "runs", "wait", thread, "agent", {"input": human("ask")})
    assert len(values["__interrupt__"]) == 1
    found = await sdk(js, url, "threads", "search", {"metadata": {"mark": mark}})
    assert [(each["thread_id"], each["status"]) for each in found] == [(thread, "interrupted")]
    for name in ("agent", "talking_graph", found[0]["metadata"]["graph_id"]):
        listed = await sdk(js, url, "threads", "search", {"metadata": {"graph_id": name, "mark": mark}})
        assert [each["thread_id"] for each in listed] == [thread]
    state = await sdk(js, url, "threads", "getState", thread)
    assert (await sdk(js, url, "threads", "getHistory", thread))[0] == state
    assert (await sdk(js, url, "threads", "getState", thread, state["checkpoint"])) == state
    with pytest.raises(ClientFailed, match="There is no thread") as failed:
        await sdk(js, url, "threads", "get", "nobody")
    assert failed.value.status == 404
    await sdk(js, url, "threads", "delete", thread)


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_client_repairs_a_line_that_was_cut(js, talking, proxy) -> None:
    url = f"http://127.0.0.1:{proxy.port}"
    thread = (await sdk(js, url, "threads", "create"))["thread_id"]
    label = thread

    def in_stream(is_it: Callable[[dict[str, Any]], Any]) -> Callable[[dict[str, Any]], Any]:
        return lambda news: news.get("stream") == label and news.get("event") == "messages" and is_it(news)

    payload = {"input": human("slow"), "streamMode": ["values", "messages-tuple"]}
    streaming = js.call("stream", url=url, label=label, args=[thread, "agent", payload])

    task = asyncio.get_running_loop().create_task(streaming)
    await js.until(in_stream(lambda news: "word3" in news["data"][0]["content"]))
    proxy.cut()
    parts = await task
    ids = [part["id"] for part in parts]
    assert len(set(ids)) == len(ids)
    words = "".join(part["data"][0]["content"] for part in parts if part["event"] == "messages")
    assert words == " ".join(f"word{number}" for number in range(200))
    run = parts[0]["data"]["run_id"]
    whole = await js.call("join", url=url, label="", args=[thread, run, {"lastEventId": "-1"}])
    assert [part["id"] for part in whole] == ids


# --- useStream -----------------------------------------------------------------------------------------


async def test_page_shows_the_reply_as_it_comes_and_once(page) -> None:
    await page.open()
    await page.submit(human("hello", "mine"))
    shown = await page.until(lambda shown: not shown["loading"] and len(shown["messages"]) == 2)
    assert said(shown) == [("human", "hello"), ("ai", "You said: hello")]
    assert shown["messages"][0]["id"] == "mine"
    assert (shown["error"], shown["interrupt"]) == (None, None)
    await page.submit(human("more"))
    shown = await page.until(lambda shown: not shown["loading"] and len(shown["messages"]) == 4)
    assert said(shown)[2:] == [("human", "more"), ("ai", "You said: more")]


@pytest.mark.requirement("FOREIGN-STOP-STOPS", "LEAVING-IS-NOT-STOPPING")
@pytest.mark.parametrize("history", [False, True])
async def test_stop_stops_the_run_on_the_server_and_shows_neither_error_nor_question(page, history) -> None:
    await page.open(fetchStateHistory=history)
    await page.submit(human("slow"))
    await page.until(wrote(5))
    await page.call("stop")
    shown = await page.done()
    assert (shown["error"], shown["interrupt"]) == (None, None)
    assert said(shown)[1][1].startswith("word0 word1")
    thread, run = await page.thread_id(), await page.run_id()
    assert await ended(page.node, page.url, thread, run) == "interrupted"
    state = await sdk(page.node, page.url, "threads", "getState", thread)
    assert (state["next"], state["tasks"]) == ([], [])
    [left] = state["values"]["interrupted"]
    assert left["receipt"]["reason"] == "stopped"
    kept = said(state["values"])[1][1]
    assert left["text"] == kept
    assert kept.startswith(said(await page.call("look"))[1][1])
    again = await Page(page.node, page.url).open(thread)
    shown = await again.until(lambda shown: len(shown["messages"]) == 3)
    assert (shown["error"], shown["interrupt"], shown["loading"]) == (None, None, False)


async def test_stop_of_a_page_that_survives_reloads_stops_by_the_id_of_the_run(page) -> None:
    await page.open(storage=page.name)
    await page.submit(human("slow"))
    await page.until(wrote(5))
    await page.call("stop")
    shown = await page.done()
    assert (shown["error"], shown["interrupt"]) == (None, None)
    assert await ended(page.node, page.url, await page.thread_id(), await page.run_id()) == "interrupted"


async def test_change_of_mind_supersedes_and_what_was_said_stays(page) -> None:
    await page.open()
    await page.submit(human("slow"))
    await page.until(wrote(5))
    await page.submit(human("hello"), multitaskStrategy="interrupt")
    shown = await page.until(lambda shown: not shown["loading"] and ("ai", "You said: hello") in said(shown))
    assert (shown["error"], shown["interrupt"]) == (None, None)
    told = said(shown)
    assert [text for kind, text in told if kind == "human"] == ["slow", "hello"]
    assert told[1][1].startswith("word0 word1")
    runs = await sdk(page.node, page.url, "runs", "list", await page.thread_id())
    assert [(run["status"], run["cancel_reason"]) for run in runs] == [
        ("success", None),
        ("interrupted", "superseded"),
    ]
    [left] = shown["values"]["interrupted"]
    assert left["receipt"]["reason"] == "superseded"


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_reload_in_mid_run_rejoins_it_with_one_message_and_one_reply(page) -> None:
    await page.open(storage=page.name)
    await page.submit(human("slow"))
    await page.until(wrote(5))
    thread, run = await page.thread_id(), await page.run_id()
    await page.call("close")
    reloaded = Page(page.node, page.url)
    await reloaded.open(thread, storage=page.name)
    await reloaded.until(lambda shown: shown["loading"] and wrote(20)(shown))
    shown = await reloaded.done()
    assert said(shown) == [("human", "slow"), ("ai", " ".join(f"word{number}" for number in range(200)))]
    assert [each["run_id"] for each in await sdk(page.node, page.url, "runs", "list", thread)] == [run]


async def test_question_outlives_a_reload_and_is_answered_in_either_of_two_windows(page) -> None:
    await page.open()
    await page.submit(human("ask"))
    shown = await page.until(lambda shown: shown["interrupt"] and not shown["loading"])
    assert all("Which place" not in text for _, text in said(shown))
    other = await Page(page.node, page.url).open(await page.thread_id())
    again = await other.until(lambda shown: shown["interrupt"])
    assert again["interrupt"]["id"] == shown["interrupt"]["id"]
    await other.submit(None, command={"resume": "Rome"})
    answered = await other.until(
        lambda shown: not shown["loading"] and said(shown)[-1:] == [("ai", "Then we go to Rome.")]
    )
    assert (answered["error"], answered["interrupt"]) == (None, None)
    await page.submit(None, command={"resume": "Oslo"})
    late = await page.until(lambda shown: shown["error"])
    assert "Nothing is asked" in late["error"]
    runs = await sdk(page.node, page.url, "runs", "list", await page.thread_id())
    assert [run["status"] for run in runs] == ["success", "success"]


async def test_message_is_edited_and_a_reply_made_again_from_the_history(page) -> None:
    await page.open(fetchStateHistory=True)
    for count, words in ((2, "one"), (4, "two")):
        await page.submit(human(words))
        await page.until(lambda shown, count=count: not shown["loading"] and len(shown["messages"]) == count)
    about = await page.call("metadata", index=2)
    await page.submit(human("other"), checkpoint=about["parent"])
    shown = await page.until(lambda shown: not shown["loading"] and ("ai", "You said: other") in said(shown))
    assert [text for kind, text in said(shown) if kind == "human"] == ["one", "other"]
    about = await page.call("metadata", index=3)
    await page.submit(None, checkpoint=about["parent"])
    await page.until(lambda shown: shown["loading"])
    shown = await page.done()
    assert said(shown) == [
        ("human", "one"),
        ("ai", "You said: one"),
        ("human", "other"),
        ("ai", "You said: other"),
    ]


async def test_page_steers_its_run_and_shows_the_answer_to_that(js, tmp_path) -> None:
    card, until = "and use the company card", tmp_path / "go"
    async with serving(tmp_path, graph=LOOPING) as live:
        page = await Page(js, f"http://127.0.0.1:{live.port}").open()
        await page.submit(human(f"look {until}", "m1"))
        thread = await page.thread_id()
        run = await begun(live, thread, until)
        steer = {"metadata": {"detour_policy": "steer"}, "multitaskStrategy": "interrupt"}
        await page.submit(human(card, "m2"), **steer)
        await until_pending(live, thread)
        await page.until(lambda shown: ("human", card) in said(shown))
        run.goes_on()
        shown = await page.until(lambda shown: not shown["loading"] and said(shown)[-1][0] == "ai")
        assert said(shown) == [("human", f"look {until}"), ("human", card), ("ai", f"Read: go | {card}")]
        assert (shown["error"], shown["interrupt"]) == (None, None)
        runs = await sdk(js, page.url, "runs", "list", thread)
        assert [(each["run_id"], each["status"]) for each in runs] == [(run.task_id, "success")]
