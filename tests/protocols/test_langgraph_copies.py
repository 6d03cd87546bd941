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
