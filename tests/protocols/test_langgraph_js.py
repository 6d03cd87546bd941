"""LangGraph's JavaScript `Client` and its hook `useStream`, unchanged, in pages of jsdom."""

import asyncio
import uuid
from typing import Any, ClassVar

import pytest
import pytest_asyncio

from tests.protocols.langgraph_pages import Page, UseStream, ended, human, said, sdk, wrote
from tests.protocols.node_client import ClientFailed
from tests.protocols.page_stories import WHOLE, PageStories

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODES = ["values", "messages-tuple", "custom"]


@pytest_asyncio.fixture(loop_scope="module")
async def js(node):
    client = await node("langgraph")
    before = len(client.unhandled)
    yield client
    assert client.unhandled[before:] == []


@pytest.fixture
def page(js, talking):
    return Page(js, talking.url)


async def spoken(js: Any, label: str, word: str = "word3") -> None:
    """Wait until a stream of the `Client` has got a word of the reply."""
    await js.until(
        lambda news: (
            news.get("stream") == label
            and news.get("event") == "messages"
            and word in news["data"][0]["content"]
        )
    )


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
    payload = {"input": human("slow 30"), "streamMode": MODES}
    streaming = js.call("stream", url=url, label=thread, args=[thread, "agent", payload])
    task = asyncio.get_running_loop().create_task(streaming)
    await spoken(js, thread)
    proxy.cut()
    parts = await task
    ids = [part["id"] for part in parts]
    assert len(set(ids)) == len(ids)
    words = "".join(part["data"][0]["content"] for part in parts if part["event"] == "messages")
    assert words == WHOLE
    run = parts[0]["data"]["run_id"]
    whole = await js.call("join", url=url, label="", args=[thread, run, {"lastEventId": "-1"}])
    assert [part["id"] for part in whole] == ids


async def test_line_that_is_cut_before_its_first_frame_is_repaired_from_the_beginning(js, talking) -> None:
    thread = (await sdk(js, talking.url, "threads", "create"))["thread_id"]
    label = uuid.uuid4().hex
    payload = {"input": human("slow 30"), "streamMode": MODES}
    streaming = js.call("stream", url=talking.url, label=label, args=[thread, "agent", payload])
    task = asyncio.get_running_loop().create_task(streaming)
    await spoken(js, label)
    run = await js.until(lambda news: news.get("stream") == label and "created" in news)
    path = f"/threads/{thread}/runs/{run['created']['run_id']}/stream"
    repaired = (await talking.http.get(path)).text
    ids = [line.removeprefix("id: ") for line in repaired.splitlines() if line.startswith("id: ")]
    assert ids == [part["id"] for part in await task]


# --- useStream -----------------------------------------------------------------------------------------


class TestPage(PageStories):
    script = "langgraph"
    driver = UseStream
    options: ClassVar = {"newer": False}
    uncaught = "Error: HTTP 401"  # of the page without a token


class TestNewerPage(TestPage):
    options: ClassVar = {"newer": True}


@pytest.mark.requirement("FOREIGN-STOP-STOPS", "LEAVING-IS-NOT-STOPPING")
@pytest.mark.parametrize("history", [False, True])
async def test_stop_stops_the_run_on_the_server_and_shows_neither_error_nor_question(page, history) -> None:
    await page.open(fetchStateHistory=history)
    await page.submit(human("slow", "mine"))
    await page.until(wrote(5))
    await page.call("stop")
    shown = await page.done()
    assert (shown["error"], shown["interrupt"]) == (None, None)
    assert shown["messages"][0]["id"] == "mine"
    thread, run = await page.thread_id(), await page.run_id()
    assert await ended(page.node, page.url, thread, run) == "interrupted"
    again = await Page(page.node, page.url).open(thread)
    shown = await again.until(lambda shown: len(shown["messages"]) == 3)
    assert (shown["error"], shown["interrupt"], shown["loading"]) == (None, None, False)


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


async def test_messages_of_one_run_keep_their_own_words_in_the_newer_hook(page) -> None:
    await page.open(newer=True)
    await page.submit(human("twice", "mine"))
    both = [("ai", "Let me see."), ("ai", "Done.")]
    shown = await page.until(lambda shown: not shown["loading"] and said(shown)[1:] == both)
    assert shown["messages"][0]["id"] == "mine"
    for news in page.node.news:
        if news.get("page") == page.name and "shown" in news:
            for _, words in said(news["shown"])[1:]:
                assert "Let me see.".startswith(words) or "Done.".startswith(words)
