"""LangGraph's own Python SDK, unchanged: threads are found and deleted, and runs begin from their states."""

import uuid
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError, NotFoundError

from tests.api.live import serving
from tests.protocols.choosing import CHOOSING
from tests.protocols.sdk_streams import human, said, sdk, thread

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def test_threads_are_found_by_metadata_and_gone_once_deleted(sdk) -> None:
    mark = uuid.uuid4().hex
    first = await sdk.threads.create(metadata={"owner": mark, "nested": {"a": 1, "b": 2}})
    second = await sdk.threads.create(thread_id=str(uuid.uuid4()), metadata={"owner": mark})
    await sdk.runs.wait(second["thread_id"], "agent", input=human("ask"))
    found = await sdk.threads.search(metadata={"owner": mark})
    assert [each["thread_id"] for each in found] == [second["thread_id"], first["thread_id"]]
    assert [each["status"] for each in found] == ["interrupted", "idle"]
    assert found[0]["metadata"]["graph_id"] == "talking_graph"
    assert await sdk.threads.search(metadata={"owner": mark, "nested": {"b": 2}}, select=["thread_id"]) == [
        {"thread_id": first["thread_id"]}
    ]
    [asking] = await sdk.threads.search(metadata={"owner": mark}, status="interrupted")
    assert list(asking["interrupts"]) == ["ask"]
    assert await sdk.threads.count(metadata={"owner": mark}) == 2
    by_id = await sdk.threads.search(ids=[first["thread_id"]], limit=5)
    assert [each["thread_id"] for each in by_id] == [first["thread_id"]]
    oldest = await sdk.threads.search(
        metadata={"owner": mark}, sort_by="created_at", sort_order="asc", limit=1
    )
    assert [each["thread_id"] for each in oldest] == [first["thread_id"]]
    changed = await sdk.threads.update(first["thread_id"], metadata={"title": "Trip"})
    assert (changed["metadata"]["title"], changed["metadata"]["owner"]) == ("Trip", mark)
    await sdk.threads.delete(second["thread_id"])
    for gone in (sdk.threads.get, sdk.threads.get_state, sdk.threads.get_history, sdk.threads.delete):
        with pytest.raises(NotFoundError):
            await gone(second["thread_id"])
    assert await sdk.threads.count(metadata={"owner": mark}) == 1
    with pytest.raises(ConflictError):
        await sdk.threads.create(thread_id=first["thread_id"])
    same = await sdk.threads.create(thread_id=first["thread_id"], if_exists="do_nothing")
    assert same["metadata"] == changed["metadata"]


async def test_run_begins_from_an_earlier_checkpoint_and_shows_its_own_branch(sdk, thread) -> None:
    for words in ("one", "two"):
        await sdk.runs.wait(thread, "agent", input=human(words))
    newest, asked, oldest, begun, root = await sdk.threads.get_history(thread)
    assert newest == await sdk.threads.get_state(thread)
    assert newest["parent_checkpoint"] == asked["checkpoint"]
    assert asked["parent_checkpoint"] == oldest["checkpoint"]
    assert [each["metadata"]["step"] for each in (newest, asked, oldest, begun, root)] == [4, 3, 2, 1, 0]
    assert (root["values"], root["parent_checkpoint"]) == ({"messages": []}, None)
    assert begun["parent_checkpoint"] == root["checkpoint"]
    at = oldest["checkpoint"]
    assert await sdk.threads.get_state(thread, checkpoint=at) == oldest
    assert await sdk.threads.get_state(thread, checkpoint_id=at["checkpoint_id"]) == oldest
    assert (
        await sdk.threads.get_state(thread, checkpoint={"thread_id": thread, "checkpoint_ns": ""}) == newest
    )
    values = await sdk.runs.wait(thread, "agent", input=human("other"), checkpoint=at)
    assert [text for kind, text in said(values) if kind == "human"] == ["one", "other"]
    again = await sdk.runs.wait(thread, "agent", checkpoint=at)
    assert [text for kind, text in said(again) if kind == "human"] == ["one", "other"]
    assert again["messages"] != values["messages"]
    history = await sdk.threads.get_history(thread)
    other, two = history[2]["checkpoint"], asked["checkpoint"]
    parents = [each["parent_checkpoint"] for each in history[:5]]
    assert parents == [other, other, at, two, at]
    assert [each["checkpoint"] for each in await sdk.threads.get_history(thread, limit=1)] == [
        history[0]["checkpoint"]
    ]
    before = await sdk.threads.get_history(thread, before=newest["checkpoint"]["checkpoint_id"])
    assert [each["checkpoint"] for each in before] == [two, at, begun["checkpoint"], root["checkpoint"]]
    with pytest.raises(NotFoundError):
        await sdk.threads.get_state(thread, checkpoint_id=str(uuid.uuid4()))
    with pytest.raises(NotFoundError):
        await sdk.runs.create(thread, "agent", input=human("x"), checkpoint_id=str(uuid.uuid4()))


async def test_run_from_the_state_with_a_message_answers_it_once_more_under_its_id(sdk, thread) -> None:
    """What "regenerate" sends: pages look for the state whose last message is the one to answer again."""
    for words in ("one", "two"):
        await sdk.runs.wait(thread, "agent", input=human(words))
    first, asked = (await sdk.threads.get_history(thread))[:2]
    assert asked["values"]["messages"] == first["values"]["messages"][:3]
    assert asked["next"] == ["plan"]
    assert await sdk.threads.get_state(thread, checkpoint=asked["checkpoint"]) == asked
    again = await sdk.runs.wait(thread, "agent", checkpoint=asked["checkpoint"])
    assert again["messages"][:3] == asked["values"]["messages"]
    assert again["messages"][3]["content"] == first["values"]["messages"][3]["content"]
    assert again["messages"][3]["id"] != first["values"]["messages"][3]["id"]
    await sdk.runs.wait(thread, "agent", input=None, checkpoint=asked["checkpoint"])
    await sdk.runs.wait(thread, "agent", input=human("three"))
    history = await sdk.threads.get_history(thread)
    answers = [
        each["values"]["messages"] for each in history if each["parent_checkpoint"] == asked["checkpoint"]
    ]
    assert [messages[:3] for messages in answers] == [asked["values"]["messages"]] * 3
    assert [text for _, text in said(history[0]["values"])][::2] == ["one", "two", "three"]


async def test_first_message_is_edited_and_answered_again_in_an_empty_thread(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one"))
    *_, root = await sdk.threads.get_history(thread)
    values = await sdk.runs.wait(thread, "agent", input=human("recall"), checkpoint=root["checkpoint"])
    assert said(values) == [("human", "recall"), ("ai", "recall")]
    *_, begun = (await sdk.threads.get_history(thread))[:2]
    again = await sdk.runs.wait(thread, "agent", checkpoint=begun["checkpoint"])
    assert said(again) == [("human", "recall"), ("ai", "recall")]


# --- rollbacks of runs that stored no step ---------------------------------------------------------------


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def choosing(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rollback")
    async with (
        serving(folder, graph=CHOOSING, messages_per_minute=100_000) as server,
        get_client(url=f"http://127.0.0.1:{server.port}", api_key=None) as client,
    ):
        yield client


async def heard(sdk: Any, thread: str, text: str, **options: Any) -> str:
    """What the graph has heard when it answers this message."""
    return said(await sdk.runs.wait(thread, "agent", input=human(text), **options))[-1][1]


@pytest.mark.requirement("STEERED-ONCE")
@pytest.mark.parametrize("before", [["one"], []], ids=["later", "first"])
async def test_message_that_rolled_another_back_is_heard_after_its_interruption(choosing, before):
    thread = (await choosing.threads.create())["thread_id"]
    for message in before:
        await heard(choosing, thread, message)
    await choosing.runs.create(thread, "agent", input=human("wait, this is gone"))
    await choosing.runs.create(
        thread, "agent", input=human("wait, this is not"), multitask_strategy="rollback"
    )
    both = [*before, "wait, this is not", "two"]
    assert await heard(choosing, thread, "two") == " / ".join(both)
    assert await heard(choosing, thread, "three") == " / ".join([*both, "three"])


@pytest.mark.requirement("STEERED-ONCE")
async def test_message_whose_run_was_cancelled_and_rolled_back_is_not_heard(choosing):
    thread = (await choosing.threads.create())["thread_id"]
    await heard(choosing, thread, "one")
    run = await choosing.runs.create(thread, "agent", input=human("wait, this is gone"))
    await choosing.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    assert await heard(choosing, thread, "two") == "one / two"
