"""LangGraph's JavaScript clients over lines that are cut, in two windows, and with a change of mind."""

import asyncio
import uuid
from typing import Any

import pytest
import pytest_asyncio

from tests.protocols.test_langgraph_js import Page, human, js, said, sdk, wrote

__all__ = ["js"]  # a fixture

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODES = ["values", "messages-tuple", "custom"]
WHOLE = " ".join(f"word{number}" for number in range(200))


def words_of(parts: list[dict[str, Any]]) -> str:
    return "".join(part["data"][0]["content"] for part in parts if part["event"] == "messages")


async def spoken(js: Any, label: str, word: str = "word3") -> None:
    """Wait until a stream of the `Client` has got a word of the reply."""
    await js.until(
        lambda news: (
            news.get("stream") == label
            and news.get("event") == "messages"
            and word in news["data"][0]["content"]
        )
    )


async def statuses(js: Any, url: str, thread: str) -> list[str]:
    return [run["status"] for run in await sdk(js, url, "runs", "list", thread)]


# --- Client --------------------------------------------------------------------------------------------


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_another_window_of_the_client_follows_a_run_and_supersedes_it(js, talking) -> None:
    url = talking.url
    thread = (await sdk(js, url, "threads", "create"))["thread_id"]
    payload = {"input": human("slow", "first"), "streamMode": MODES}
    loop, label = asyncio.get_running_loop(), uuid.uuid4().hex
    one = loop.create_task(js.call("stream", url=url, label=label, args=[thread, "agent", payload]))
    await spoken(js, label)
    [run] = await sdk(js, url, "runs", "list", thread, {"status": "running"})
    follow = [thread, run["run_id"], {"lastEventId": "-1"}]
    other = loop.create_task(js.call("join", url=url, label=f"{label} other", args=follow))
    await spoken(js, f"{label} other")
    newer = {"input": human("hello", "second"), "streamMode": MODES}
    two = await js.call("stream", url=url, label=f"{label} two", args=[thread, "agent", newer])
    parts = await one
    assert await other == parts
    assert [part["event"] for part in parts[-2:]] == ["values", "end"]
    assert parts[-1]["data"]["status"] == "interrupted"
    assert all(part["event"] != "error" and "__interrupt__" not in part["data"] for part in parts)
    assert await statuses(js, url, thread) == ["success", "interrupted"]
    state = await sdk(js, url, "threads", "getState", thread)
    assert (state["next"], state["tasks"]) == ([], [])
    [left] = state["values"]["interrupted"]
    assert left["text"] == words_of(parts)
    assert left["receipt"]["reason"] == "superseded"
    assert [each["id"] for each in state["values"]["messages"] if each["type"] == "human"] == [
        "first",
        "second",
    ]
    assert words_of(two) == "You said: hello"
    seen = [thread, two[0]["data"]["run_id"], {"lastEventId": "-1"}]
    assert await js.call("join", url=url, label="", args=seen) == two


async def test_line_that_is_cut_before_its_first_frame_is_repaired_from_the_beginning(js, talking) -> None:
    thread = (await sdk(js, talking.url, "threads", "create"))["thread_id"]
    label = uuid.uuid4().hex
    payload = {"input": human("slow"), "streamMode": MODES}
    streaming = js.call("stream", url=talking.url, label=label, args=[thread, "agent", payload])
    task = asyncio.get_running_loop().create_task(streaming)
    await spoken(js, label)
    run = await js.until(lambda news: news.get("stream") == label and "created" in news)
    path = f"/threads/{thread}/runs/{run['created']['run_id']}/stream"
    repaired = (await talking.http.get(path)).text
    ids = [line.removeprefix("id: ") for line in repaired.splitlines() if line.startswith("id: ")]
    assert ids == [part["id"] for part in await task]


# --- useStream -----------------------------------------------------------------------------------------


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_page_whose_line_is_cut_shows_each_word_once(js, talking, proxy) -> None:
    page = await Page(js, f"http://127.0.0.1:{proxy.port}").open(storage=uuid.uuid4().hex)
    await page.submit(human("slow", "mine"))
    await page.until(wrote(5))
    proxy.cut()
    shown = await page.until(lambda shown: not shown["loading"] and ("ai", WHOLE) in said(shown))
    assert said(shown) == [("human", "slow"), ("ai", WHOLE)]
    assert shown["messages"][0]["id"] == "mine"
    assert (shown["error"], shown["interrupt"]) == (None, None)
    grew_only(page)
    assert await statuses(js, talking.url, await page.thread_id()) == ["success"]


def grew_only(page: Page) -> None:
    """Check that all that was ever shown of the long reply is its beginning."""
    for news in page.node.news:
        if news.get("page") == page.name and "shown" in news:
            for kind, words in said(news["shown"]):
                assert kind == "human" or WHOLE.startswith(words)


# --- the hook of @langchain/react ----------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="module")
async def newer(js, talking):
    return await Page(js, talking.url).open(newer=True)


async def test_newer_hook_whose_line_is_cut_shows_each_word_once(js, talking, proxy) -> None:
    page = await Page(js, f"http://127.0.0.1:{proxy.port}").open(newer=True)
    await page.submit(human("slow", "mine"))
    await page.until(wrote(5))
    proxy.cut()
    shown = await page.until(lambda shown: not shown["loading"] and ("ai", WHOLE) in said(shown))
    assert said(shown) == [("human", "slow"), ("ai", WHOLE)]
    assert (shown["error"], shown["interrupt"]) == (None, None)
    grew_only(page)
    assert await statuses(js, talking.url, await page.thread_id()) == ["success"]


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_reload_of_the_newer_hook_follows_the_run_with_one_message_and_one_reply(newer) -> None:
    await newer.submit(human("slow", "mine"))
    await newer.until(wrote(5))
    thread = await newer.thread_id()
    await newer.call("close")
    reloaded = await Page(newer.node, newer.url).open(thread, newer=True)
    await reloaded.until(lambda shown: shown["loading"] and wrote(20)(shown))
    shown = await reloaded.until(lambda shown: not shown["loading"] and ("ai", WHOLE) in said(shown))
    assert said(shown) == [("human", "slow"), ("ai", WHOLE)]
    assert shown["messages"][0]["id"] == "mine"
    assert (shown["error"], shown["interrupt"]) == (None, None)
    grew_only(reloaded)
    assert await statuses(newer.node, newer.url, thread) == ["success"]


async def test_windows_of_the_newer_hook_show_each_others_messages(newer) -> None:
    await newer.submit(human("slow", "first"))
    await newer.until(wrote(5))
    thread = await newer.thread_id()
    other = await Page(newer.node, newer.url).open(thread, newer=True)
    await other.until(wrote(20))
    await other.submit(human("hello", "second"))
    both = [("human", "hello"), ("ai", "You said: hello")]
    for page in (newer, other):
        shown = await page.until(
            lambda shown: not shown["loading"] and all(each in said(shown) for each in both)
        )
        assert [each["id"] for each in shown["messages"] if each["type"] == "human"] == ["first", "second"]
        assert (shown["error"], shown["interrupt"]) == (None, None)
        [left] = shown["values"]["interrupted"]
        assert left["receipt"]["reason"] == "superseded"
    assert await statuses(newer.node, newer.url, thread) == ["success", "interrupted"]
