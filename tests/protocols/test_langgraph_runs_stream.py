"""The stream of a thread over its runs (`threads.join_stream`), with LangGraph's Python SDK."""

import uuid
from typing import Any

import pytest
from langgraph_sdk.errors import NotFoundError, UnprocessableEntityError

from tests.protocols.sdk_streams import Heard, begun, human, said, sdk, thread, wrote

__all__ = ["sdk", "thread"]  # fixtures

pytestmark = pytest.mark.asyncio(loop_scope="module")

ALL = ["run_modes", "state_update"]


async def joined(sdk: Any, thread: str, modes: Any = ALL, last: str | None = "-") -> Heard:
    return Heard(await sdk.threads.join_stream(thread, stream_mode=modes, last_event_id=last))


def done(count: int) -> Any:
    """Return whether so many runs have ended."""
    return lambda heard: sum("status" in data for data in heard.of("metadata")) == count


async def talked(sdk: Any, thread: str) -> None:
    """Have a run, one that asks, a state that is written in its place, and a run that goes on from that."""
    for text in ("one", "ask"):
        await sdk.runs.wait(thread, "agent", input=human(text))
    await sdk.threads.update_state(thread, {"place": "Rome"}, as_node="ask")
    await sdk.runs.wait(thread, "agent", input=None)


@pytest.mark.requirement("FOREIGN-FRAMES-REPLAY-ALIKE")
async def test_thread_stream_has_all_runs_and_replays_alike_from_any_event(sdk, thread) -> None:
    live = await joined(sdk, thread)
    await talked(sdk, thread)
    await live.until(done(3))
    told = [*live]
    runs = [each["run_id"] for each in await sdk.runs.list(thread)][::-1]
    lifecycle = [(each["run_id"], each.get("status")) for each in live.of("metadata")]
    assert lifecycle == [(run, status) for run in runs for status in (None, "run_done")]
    (written,) = live.of("state_update")
    assert (written["state"]["values"]["place"], written["state"]["next"]) == ("Rome", ["finish"])
    assert said(live.of("values")[-1])[-1] == ("ai", "Then we go to Rome.")
    for at in (0, 7, len(told) - 2):
        again = await joined(sdk, thread, last=told[at].id)
        await again.until(lambda heard: heard[-1:] == told[-1:])
        assert [*again] == told[at + 1 :]
        again.done.cancel()
    whole = await joined(sdk, thread)
    await whole.until(done(3))
    assert [*whole] == told
    for each in (live, whole):
        each.done.cancel()


async def test_thread_stream_of_the_lifecycle_has_only_begins_and_ends(sdk, thread) -> None:
    await talked(sdk, thread)
    heard = await joined(sdk, thread, "lifecycle")
    await heard.until(done(3))
    assert {each.event for each in heard} == {"metadata"}
    assert len(heard) == 6
    heard.done.cancel()


async def test_thread_stream_without_a_last_event_begins_now(sdk, thread) -> None:
    await sdk.runs.wait(thread, "agent", input=human("one"))
    run, streamed = await begun(sdk, thread, "slow")
    heard = await joined(sdk, thread, last=None)
    await heard.until(wrote(3))
    await sdk.runs.cancel(thread, run, wait=True)
    await heard.until(done(1))
    assert {each["run_id"] for each in heard.of("metadata")} == {run}
    assert len(heard.text) < len(streamed.text)
    heard.done.cancel()
    await streamed.end()


async def test_thread_stream_of_an_unknown_mode_or_thread_is_refused(sdk, thread) -> None:
    with pytest.raises(UnprocessableEntityError, match="stream_mode: there is no mode"):
        await (await joined(sdk, thread, "values")).done
    with pytest.raises(NotFoundError):
        await (await joined(sdk, str(uuid.uuid4()))).done
