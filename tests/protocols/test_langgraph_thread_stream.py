"""LangGraph's thread protocol by its own clients, unchanged: Python's thread streams and the newer hook."""

import asyncio
import uuid
from typing import Any

import pytest
import pytest_asyncio
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command

from tests.api.live import BOUND_S
from tests.protocols.sdk_streams import human, said, sdk, thread
from tests.protocols.test_langgraph_js import Page, wrote
from tests.protocols.test_langgraph_js import human as human_in_js
from tests.protocols.test_langgraph_js import said as shown_as

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def until_asked(stream: Any) -> Any:
    async with asyncio.timeout(BOUND_S):
        while not stream.interrupts:  # noqa: ASYNC110 - it has no event to wait for
            await asyncio.sleep(0.01)
    return stream.interrupts[0]


async def test_thread_stream_runs_asks_and_goes_on_with_the_answer(sdk) -> None:
    async with sdk.threads.stream(assistant_id="agent") as stream, asyncio.timeout(BOUND_S):
        started = await stream.run.start(input=human("hello"))
        assert said(await stream.output)[-1] == ("ai", "You said: hello")
        thread_id = stream.thread_id
        assert (await sdk.runs.get(thread_id, started["run_id"]))["status"] == "success"
    # A stream of a thread that exists takes the end of an earlier run for the end of its own.
    async with sdk.threads.stream(assistant_id="agent") as stream, asyncio.timeout(BOUND_S):
        await stream.run.start(input=human("ask"))
        asked = await until_asked(stream)
        assert "Which place?" in asked["value"]["prompt"]
        await stream.run.respond("Rome")
        assert said(await stream.output)[-1] == ("ai", "Then we go to Rome.")


async def test_remote_graph_streams_by_it(sdk) -> None:
    remote = RemoteGraph("agent", client=sdk)
    config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
    async with (
        asyncio.timeout(BOUND_S),
        await remote.astream_events(human("hello"), config, version="v3") as run,
    ):
        assert said(await run.output())[-1] == ("ai", "You said: hello")


async def test_remote_graph_resumes_by_it_with_the_fields_of_a_question_or_by_its_id(sdk) -> None:
    remote = RemoteGraph("agent", client=sdk)
    for by_id in (False, True):
        config: Any = {"configurable": {"thread_id": str(uuid.uuid4())}}
        [asked] = (await remote.ainvoke(human("ask"), config))["__interrupt__"]
        answer = {asked["id"]: {"answer": "Rome"}} if by_id else {"answer": "Rome"}
        async with (
            asyncio.timeout(BOUND_S),
            await remote.astream_events(Command(resume=answer), config, version="v3") as run,
        ):
            values = await run.output()
        assert (values["place"], said(values)[-1]) == ("Rome", ("ai", "Then we go to Rome."))


async def test_last_values_have_the_whole_state_and_a_message_is_finished_with_its_agent(sdk) -> None:
    events: list[Any] = []
    async with sdk.threads.stream(assistant_id="agent") as stream, asyncio.timeout(BOUND_S):
        await stream.run.start(input=human("ask"))
        await until_asked(stream)
        await stream.run.respond("Rome")
        await stream.output
        async for event in stream.events:
            events.append(event)
            if event["method"] == "lifecycle" and event["params"]["data"]["event"] == "completed":
                break
    values = [each["params"]["data"] for each in events if each["method"] == "values"]
    assert values[-1] == (await sdk.threads.get_state(stream.thread_id))["values"]
    assert values[-1] == (await sdk.threads.get(stream.thread_id))["values"]
    assert [each.get("place") for each in values].count("Rome") == 1
    # A page shows a message as under way until it is finished: here it is before the question is asked.
    kinds = [each["params"]["data"].get("event", each["method"]) for each in events]
    assert kinds.index("message-finish") < kinds.index("input.requested")
    finish = kinds.index("message-finish")
    assert kinds[finish + 1] == "values"


async def command(talking: Any, thread_id: str, method: str, **params: Any) -> dict[str, Any]:
    body = {"id": 7, "method": method, "params": params}
    return (await talking.call("POST", f"/threads/{thread_id}/commands", json=body)).json()


async def test_commands_that_cannot_be_carried_out_say_so_by_name(talking) -> None:
    thread_id = str(uuid.uuid4())
    for method, params, error in (
        ("dance", {}, "not_supported"),
        ("run.start", {"assistant_id": "agent"}, "invalid_argument"),
        ("input.respond", {"response": 1}, "invalid_argument"),
        ("input.respond", {"interrupt_id": "none", "response": 1}, "no_such_interrupt"),
    ):
        refused = await command(talking, thread_id, method, **params)
        assert (refused["type"], refused["id"], refused["error"]) == ("error", 7, error)


async def events(talking: Any, thread_id: str, channels: list[str], last: str, **more: Any) -> list[bytes]:
    """Return the events of a thread up to the first whose text holds `last`."""
    path = f"/threads/{thread_id}/stream/events"
    found: list[bytes] = []
    async with (
        asyncio.timeout(BOUND_S),
        talking.http.stream("POST", path, json={"channels": channels, **more}) as got,
    ):
        async for line in got.aiter_lines():
            if line.startswith("data: "):
                found.append(line.removeprefix("data: ").encode())
                if last in line:
                    return found
    raise AssertionError(found)


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_events_are_numbered_filtered_and_the_same_after_a_restart(talking) -> None:
    thread_id = str(uuid.uuid4())
    started = await command(talking, thread_id, "run.start", assistant_id="agent", input=human("hello"))
    whole = await events(talking, thread_id, ["lifecycle", "messages", "values", "custom"], "lc||completed")
    assert b"lc||running" in whole[0]
    first = started["meta"]["applied_through_seq"] + 1
    assert f'"seq":{first},'.encode() in whole[0]
    since = await events(talking, thread_id, ["lifecycle"], "lc||completed", since=first)
    assert len(since) == 1
    await talking.kill()
    await talking.start()
    again = await events(talking, thread_id, ["lifecycle", "messages", "values", "custom"], "lc||completed")
    assert again == whole


# --- the newer hook ------------------------------------------------------------------------------------


@pytest_asyncio.fixture(loop_scope="module")
async def page(node, talking):
    client = await node("langgraph")
    yield await Page(client, talking.url).open(newer=True)
    assert client.unhandled == []


async def test_newer_hook_shows_a_reply_asks_and_is_answered(page) -> None:
    await page.submit(human_in_js("hello"))
    # The hook shows that a run has ended a moment before it shows the last words of it.
    await page.until(
        lambda shown: not shown["loading"] and shown_as(shown)[-1:] == [("ai", "You said: hello")]
    )
    await page.submit(human_in_js("ask"))
    shown = await page.until(lambda shown: shown["interrupt"] and not shown["loading"])
    await page.call("respond", response="Rome")
    shown = await page.until(
        # Under load the hook lets go of the question a moment after it shows the reply (2 ms, measured).
        lambda shown: (
            ("ai", "Then we go to Rome.") in shown_as(shown)
            and not shown["loading"]
            and not shown["interrupt"]
        )
    )
    assert shown["error"] is None


@pytest.mark.requirement("FOREIGN-STOP-STOPS")
async def test_newer_hook_stops_its_run(page, sdk) -> None:
    await page.submit(human_in_js("slow"))
    await page.until(wrote(5))
    thread_id = await page.thread_id()
    [run] = await sdk.runs.list(thread_id)
    await page.call("stop")
    values = await sdk.runs.join(thread_id, run["run_id"])
    run = await sdk.runs.get(thread_id, run["run_id"])
    assert (run["status"], run["cancel_reason"]) == ("interrupted", "stopped")
    [left] = values["interrupted"]
    assert left["receipt"]["text_kept"] == len(left["text"])
    shown = await page.done()
    assert (shown["error"], shown["interrupt"]) == (None, None)


async def test_newer_hook_changes_its_mind(page, sdk) -> None:
    await page.submit(human_in_js("slow"))
    await page.until(wrote(5))
    await page.submit(human_in_js("hello"))
    # Of the newer message it shows the reply a moment before it shows the message itself.
    both = [("human", "hello"), ("ai", "You said: hello")]
    shown = await page.until(
        lambda shown: not shown["loading"] and all(each in shown_as(shown) for each in both)
    )
    assert (shown["error"], shown["interrupt"]) == (None, None)
    assert [text for kind, text in shown_as(shown) if kind == "human"] == ["slow", "hello"]
    assert shown_as(shown)[1][1].startswith("word0 word1")
    runs = await sdk.runs.list(await page.thread_id())
    assert [run["cancel_reason"] for run in runs] == [None, "superseded"]


async def test_messages_of_one_run_keep_their_own_words_in_the_newer_hook(page) -> None:
    await page.submit(human_in_js("twice"))
    both = [("ai", "Let me see."), ("ai", "Done.")]
    await page.until(lambda shown: not shown["loading"] and shown_as(shown)[1:] == both)
    for news in page.node.news:
        if news.get("page") == page.name and "shown" in news:
            for _, words in shown_as(news["shown"])[1:]:
                assert "Let me see.".startswith(words) or "Done.".startswith(words)
