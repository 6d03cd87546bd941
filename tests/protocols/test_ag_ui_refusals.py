"""What AG-UI's route refuses, whom it lets in, and bodies of every form."""

import asyncio

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, running, serving
from tests.protocols.ag_ui_stream import (
    events_in,
    kinds,
    last_state,
    post,
    post_raw,
    run_input,
    state_after,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ag_ui")
    async with serving(folder, messages_per_minute=100_000) as server:
        yield server


# --- refusals ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"messages": "hello"}, "messages"),
        ({"messages": [{"id": "a", "role": "assistant", "content": "x"}]}, "messages"),
        ({"messages": [{"id": "a", "role": "user", "content": 5}]}, "messages.0.content"),
        ({"messages": [{"id": "a", "role": "user", "content": "x" * 9000}]}, "messages.0.content"),
        ({"resume": [5]}, "resume.0.interruptId"),
        ({"resume": [{"interruptId": "q", "status": "maybe"}]}, "resume.0.status"),
        ({"forwardedProps": {"multitaskStrategy": ["x"]}}, "forwardedProps.multitaskStrategy"),
        ({"forwardedProps": {"onDisconnect": "contineu"}}, "forwardedProps.onDisconnect"),
    ],
)
async def test_refusal_is_a_stream_that_names_the_field(live, ann, change, field):
    events = await post(live, run_input(ann, "hello") | change)
    assert kinds(events) == ["RUN_STARTED", "RUN_ERROR"]
    assert field in events[-1]["message"]
    assert events[-1]["code"] == "bad_input"
    assert (await live.call("GET", f"/status/{ann}")).status_code == 404


async def test_agent_that_is_not_served_is_refused_and_default_is_anybody(live, ann):
    refused = await post(live, run_input(ann, "find 1"), "/agui/nobody")
    assert refused[-1]["code"] == "unknown_agent"
    for index, name in enumerate(("agent", "default", "graph")):
        events = await post(live, run_input(ann, f"find {index}"), f"/agui/{name}")
        assert events[-1]["outcome"] == {"type": "success"}


async def test_conversation_of_any_length_is_read_for_its_newest_message(live, ann):
    before = [{"id": f"o{n}", "role": "assistant", "content": "x" * 1000} for n in range(1000)]
    parts = [{"type": "text", "text": "find"}, {"type": "text", "text": "1"}]
    tool = {"id": "t", "role": "tool", "toolCallId": "c", "content": "{}"}
    body = run_input(ann, messages=[*before, tool, {"id": "new", "role": "user", "content": parts}], more=1)
    await post(live, body)
    said = (await live.history(ann))["messages"]
    assert (said[0]["text"], said[0]["client_id"]) == ("find\n1", "new")


async def test_ids_of_any_form_are_taken(live):
    thread_id, message_id = "ein Faden / mit: Zeichen ü", "m" * 300
    message = {"id": message_id, "role": "user", "content": "find 1"}
    first = await post_raw(live, run_input(thread_id, messages=[message]))
    assert await post_raw(live, run_input(thread_id, messages=[message])) == first
    assert events_in(first)[0]["threadId"] == thread_id


async def test_greeting_of_a_page_stays_before_the_conversation(live, ann):
    greeting = {"id": "greeting", "role": "assistant", "content": "How can I help?"}
    body = run_input(ann, "ask Where?")
    events = await post(live, body | {"messages": [greeting, *body["messages"]]})
    snapshot = next(each for each in events if each["type"] == "MESSAGES_SNAPSHOT")
    assert [each["id"] for each in snapshot["messages"]] == ["greeting", "m-ask Where?"]


async def test_failure_is_told_as_an_error_with_what_was_found(live, ann):
    events = await post(live, run_input(ann, "find 2, fail"))
    assert kinds(events)[-2:] == ["STATE_SNAPSHOT", "RUN_ERROR"]
    assert events[-1]["code"] == "failed"
    assert "try again" in events[-1]["message"]
    assert len(last_state(events)["partial_results"]["finder"]) == 2


async def test_results_of_several_agents_arrive_as_patches_that_apply(tmp_path):
    async with running(tmp_path, graph="") as client:
        wanted = "Find flights from Berlin to Paris on 5 December 2026 and a hotel there"
        async with asyncio.timeout(BOUND_S):
            events = await post(client, run_input("ann", wanted))
    patched, last = state_after(events), last_state(events)
    assert patched["partial_results"] == last["partial_results"]
    assert {agent: bool(items) for agent, items in last["partial_results"].items()} == {
        "flight": True,
        "hotel": True,
    }
    assert patched["agents"] == last["agents"]
