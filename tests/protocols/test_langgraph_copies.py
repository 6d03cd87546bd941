"""Copies of threads over the LangGraph API, with LangGraph's Python SDK."""

import uuid
from typing import Any

import pytest
from langgraph_sdk.errors import NotFoundError

from tests.api.live import running
from tests.protocols.langgraph_calls import RUNS, THREAD
from tests.protocols.langgraph_calls import human as human_body
from tests.protocols.sdk_streams import human, said, sdk, thread

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")


def checkpoints(history: list[Any]) -> list[str]:
    """Return the checkpoints of the states in which nothing is next."""
    return [each["checkpoint"]["checkpoint_id"] for each in history if not each["next"]]


async def spoken(sdk: Any, thread: str) -> list[Any]:
    """Return the messages of the conversation."""
    return (await sdk.http.get(f"/history/{thread}"))["messages"]


async def test_copy_has_the_states_of_its_thread_and_goes_on_by_itself(sdk, thread) -> None:
    mark = uuid.uuid4().hex
    await sdk.threads.update(thread, metadata={"mark": mark})
    for text in ("one", "two"):
        await sdk.runs.wait(thread, "agent", input=human(text))
    await sdk.threads.update_state(thread, {"place": "Rome"})
    copied = await sdk.threads.copy(thread)
    copy_id = copied["thread_id"]
    assert (copied["metadata"]["mark"], copied["status"], copied["values"]["place"]) == (mark, "idle", "Rome")
    assert said(copied["values"]) == said((await sdk.threads.get(thread))["values"])
    history = await sdk.threads.get_history(copy_id)
    assert checkpoints(history) == checkpoints(await sdk.threads.get_history(thread))
    assert await sdk.runs.list(copy_id) == []
    newest, *earlier = (await sdk.http.get(f"/threads/{copy_id}/history"))["states"]
    assert newest["parent_checkpoint"] == earlier[0]["checkpoint"]
    heard = await sdk.runs.wait(copy_id, "agent", input=human("recall"))
    assert said(heard)[-1] == ("ai", "one / two / recall")
    *_, first, _ = history
    branch = await sdk.runs.wait(copy_id, "agent", input=human("recall"), checkpoint=first["checkpoint"])
    assert said(branch)[-1] == ("ai", "one / recall")
    assert len((await sdk.threads.get_state(thread))["values"]["messages"]) == 4
    assert await sdk.threads.count(metadata={"mark": mark}) == 2


async def test_copy_of_a_state_with_something_next_goes_on_there(sdk, thread) -> None:
    await sdk.threads.update_state(thread, {"place": "Bonn"}, as_node="ask")
    copied = await sdk.threads.copy(thread)
    values = await sdk.runs.wait(copied["thread_id"], "agent", input=None)
    assert said(values) == [("ai", "Then we go to Bonn.")]


async def test_copy_of_a_message_is_known_by_the_id_that_its_state_has(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("hello", "mine"))
    copied = await sdk.threads.copy(thread)
    [mine, _] = copied["values"]["messages"]
    await sdk.threads.update_state(copied["thread_id"], {"messages": [{**mine, "content": "edited"}]})
    values = await sdk.runs.wait(copied["thread_id"], "agent", input=human("recall"))
    assert said(values)[-1] == ("ai", "edited / recall")


async def test_copy_is_without_other_branches_and_removed_messages(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one", "first"))
    await sdk.runs.wait(thread, "agent", input=human("two", "second"))
    _, _, after_one, *_ = await sdk.threads.get_history(thread)
    await sdk.runs.wait(thread, "agent", input=human("three", "third"), checkpoint=after_one["checkpoint"])
    copy_id = (await sdk.threads.copy(thread))["thread_id"]
    texts = [text for _, text in said((await sdk.threads.get(thread))["values"])]
    assert [text for _, text in said((await sdk.threads.get(copy_id))["values"])] == texts
    assert "two" not in [each["text"] for each in await spoken(sdk, copy_id)]
    await sdk.threads.update_state(thread, {"messages": [{"type": "remove", "id": "third"}]})
    again = await sdk.threads.copy(thread)
    assert "three" not in [text for _, text in said(again["values"])]


async def test_conversation_of_a_copy_has_what_was_said_before_it_was_changed(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one", "first"))
    await sdk.threads.update_state(thread, {"messages": [{"type": "human", "id": "first", "content": "1"}]})
    copied = await sdk.threads.copy(thread)
    assert said(copied["values"]) == [("human", "1"), ("ai", "You said: one")]
    assert [each["text"] for each in await spoken(sdk, copied["thread_id"])] == ["one", "You said: one"]


async def test_long_thread_is_copied_in_part(servers, ann, monkeypatch) -> None:
    monkeypatch.setattr("backend.protocols.langgraph.copies.MOST_STATES", 2)
    client = await servers()
    for text in ("one", "two", "three"):
        await client.call("POST", f"/threads/{ann}/runs/wait", json=human_body(text, if_not_exists="create"))
    copied = (await client.call("POST", f"/threads/{ann}/copy")).json()
    told = [text for kind, text in said(copied["values"]) if kind == "human"]
    assert told == ["one", "two", "three"]
    kept = (await client.call("GET", f"/threads/{copied['thread_id']}/history")).json()["states"]
    assert len(kept) == 2


@pytest.mark.requirement("FLOODS-ARE-REFUSED")
async def test_copy_counts_as_a_message(servers, ann) -> None:
    client = await servers(address_messages_per_minute=1)
    await client.call("POST", "/threads", json={"thread_id": ann})
    told = [await client.call("POST", f"/threads/{ann}/copy") for _ in range(2)]
    assert [each.status_code for each in told] == [200, 429]


async def test_copy_of_an_empty_thread_is_empty(sdk, thread) -> None:
    assert (await sdk.threads.copy(thread))["values"] is None


async def test_copy_of_an_unknown_thread_is_not_found(sdk) -> None:
    with pytest.raises(NotFoundError):
        await sdk.threads.copy(str(uuid.uuid4()))


async def test_copy_of_a_travel_thread_is_refused(tmp_path) -> None:
    async with running(tmp_path, graph="", demo_pace=0.01) as api:
        await api.call("POST", "/threads", json={"thread_id": THREAD})
        await api.call("POST", f"{RUNS}/wait", json=human_body("hello"))
        refused = await api.call("POST", f"/threads/{THREAD}/copy")
        assert (refused.status_code, "the travel assistant" in refused.json()["detail"]) == (422, True)
