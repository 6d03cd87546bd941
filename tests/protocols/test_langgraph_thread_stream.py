"""LangGraph's thread protocol by Python's thread streams, unchanged, and by hand."""

import asyncio
import uuid
from typing import Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph.types import Command

from tests.api.live import BOUND_S
from tests.protocols.sdk_streams import human, said, sdk, thread

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
        ("dance", {}, "unknown_command"),
        ("state.fork", {}, "not_supported"),
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
