"""Two windows of one thread, each with a client of LangGraph's Python SDK of its own."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio
from langgraph_sdk import get_client
from langgraph_sdk.errors import ConflictError

from tests.protocols.sdk_streams import MODES, Heard, begun, human, said, sdk, thread, wrote

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module")
async def other(talking):
    """The client of the second window."""
    async with get_client(url=talking.url, api_key=None) as client:
        yield client


async def joined(client: Any, thread: str) -> tuple[str, Heard]:
    """Join the run of a thread as a window does that opens it in mid-run."""
    [run] = await client.runs.list(thread, status="running")
    stream = client.runs.join_stream(thread, run["run_id"], last_event_id="-1", stream_mode=MODES)
    return run["run_id"], Heard(stream)


async def test_windows_show_the_same_frames_and_either_may_change_its_mind_or_stop(
    sdk, other, thread
) -> None:
    first, heard = await begun(sdk, thread, "slow")
    second_id, seen = await joined(other, thread)
    assert second_id == first
    newer, after = await begun(other, thread, "slow again")
    await asyncio.gather(heard.end(), seen.end())
    assert heard[:] == seen[:]
    assert heard[-1].data == {"run_id": first, "status": "interrupted", "reason": "superseded"}
    [run] = await sdk.runs.list(thread, status="running")
    assert run["run_id"] == newer
    await sdk.runs.cancel(thread, newer, wait=True)
    await after.end()
    assert after[-1].data == {"run_id": newer, "status": "interrupted", "reason": "stopped"}
    state = await sdk.threads.get_state(thread)
    assert state == await other.threads.get_state(thread)
    assert [left["reason"] for left in state["values"]["interrupted"]] == ["superseded", "stopped"]
    assert (state["next"], state["tasks"], state["interrupts"]) == ([], [], [])


async def test_window_that_closes_leaves_the_run_to_the_other(sdk, other, thread) -> None:
    _, heard = await begun(sdk, thread, "slow")
    _, seen = await joined(other, thread)
    await seen.until(wrote(5))
    heard.done.cancel()
    await asyncio.wait([heard.done])
    await seen.end()
    assert seen[-1].data["status"] == "success"
    assert said(seen.of("values")[-1])[-1] == ("ai", seen.text)


async def test_question_answered_in_two_windows_takes_one_answer(sdk, other, thread) -> None:
    [question] = (await sdk.runs.wait(thread, "agent", input=human("ask")))["__interrupt__"]
    assert (await other.threads.get_state(thread))["interrupts"] == [question]
    answers = await asyncio.gather(
        sdk.runs.create(thread, "agent", command={"resume": {question["id"]: "Rome"}}),
        other.runs.create(thread, "agent", command={"resume": {question["id"]: "Oslo"}}),
        return_exceptions=True,
    )
    [run] = [each for each in answers if not isinstance(each, BaseException)]
    [refused] = [each for each in answers if isinstance(each, BaseException)]
    assert isinstance(refused, ConflictError)
    values = await other.runs.join(thread, run["run_id"])
    assert said(values)[-1] == ("ai", f"Then we go to {values['place']}.")
    assert values == (await sdk.threads.get_state(thread))["values"]
