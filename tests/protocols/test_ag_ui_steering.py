"""AG-UI's clients steer: each message has its place in what they are shown, once, with its id."""

import asyncio
from pathlib import Path
from typing import Any

import orjson
import pytest
import pytest_asyncio

from backend.protocols import threads as leaving
from tests.api.live import BOUND_S, Client, serving
from tests.protocols.ag_ui_stream import JSON, Event, kinds, post, run_input
from tests.protocols.looping import LOOPING, begun, looking, until_pending

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.requirement("STEERED-ONCE")]

CARD = "and use the company card"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ag_ui_steering")
    async with serving(folder, graph=LOOPING, messages_per_minute=100_000) as server:
        yield server


def steering(user_id: str, text: str = CARD, *, run_id: str = "run-2", **fields: Any) -> dict[str, Any]:
    return run_input(user_id, text, run_id=run_id, forwardedProps={"policy": "steer"}, **fields)


def sends(client: Client, body: Any) -> asyncio.Task[list[Event]]:
    return asyncio.get_running_loop().create_task(post(client, body))


def shown(events: list[Event]) -> list[tuple[str, str]]:
    """The messages of a page at the end of a stream, each with its id, without the receipts."""
    messages: dict[str, dict[str, Any]] = {}
    for event in events:
        if event["type"] == "MESSAGES_SNAPSHOT":
            messages = {each["id"]: dict(each) for each in event["messages"]}
            assert len(messages) == len(event["messages"]), "no id is there twice"
        elif event["type"] == "TEXT_MESSAGE_START":
            messages.setdefault(event["messageId"], {"id": event["messageId"], "content": ""})
        elif event["type"] == "TEXT_MESSAGE_CONTENT":
            messages[event["messageId"]]["content"] += event["delta"]
    said = (each for each in messages.values() if each.get("role") not in {"activity", "tool"})
    return [(each["id"], each["content"]) for each in said if each.get("content")]


def texts(events: list[Event], until: Path) -> list[str]:
    return [text.replace(str(until), until.name) for _, text in shown(events)]


def fates(events: list[Event]) -> list[str]:
    return [each["value"]["steer"] for each in events if each.get("name") == "detour.steer"]


async def ended(task: asyncio.Task[list[Event]]) -> list[Event]:
    async with asyncio.timeout(BOUND_S):
        return await task


async def reloaded(client: Client, user_id: str) -> list[Event]:
    """What a page of CopilotKit is told that is opened again."""
    return await post(client, run_input(user_id, run_id="r"), "/copilotkit/agent/agent/connect")


async def test_steered_message_is_answered_in_the_streams_of_its_sender_and_of_the_run(live, ann, tmp_path):
    until = tmp_path / "go"
    first = sends(live, run_input(ann, f"look {until}"))
    run = await begun(live, ann, until)
    second = sends(live, steering(ann))
    await until_pending(live, ann)
    run.goes_on()
    both = await ended(first), await ended(second)
    for events, run_id in zip(both, ("run-1", "run-2"), strict=True):
        assert {each["runId"] for each in events if "runId" in each} == {run_id}
        assert (events[-1]["type"], events[-1]["outcome"]) == ("RUN_FINISHED", {"type": "success"})
        assert texts(events, until) == ["look go", CARD, f"Read: go | {CARD}"]
        assert dict(shown(events))[f"m-{CARD}"] == CARD, "under the id that the page has given it"
        assert fates(events)[-1] == "taken_in"
    snapshots = [each for each in both[1] if each["type"] == "MESSAGES_SNAPSHOT"]
    assert snapshots[0]["messages"][-1]["id"] == f"m-{CARD}", "a page does not lose what it has sent"
    again = await reloaded(live, ann)
    assert texts(again, until) == ["look go", CARD, f"Read: go | {CARD}"]


async def test_page_that_sends_all_its_messages_again_has_none_twice(live, ann, tmp_path):
    run = await looking(live, ann, tmp_path / "go")
    whole = [
        {"id": "m-1", "role": "user", "content": f"look {run.until}"},
        {"id": "m-2", "role": "user", "content": CARD},
    ]
    several = [sends(live, steering(ann, "", messages=whole, run_id=f"run-{n}")) for n in range(3)]
    await until_pending(live, ann)
    run.goes_on()
    for each in several:
        assert [text for _, text in shown(await ended(each))].count(CARD) == 1
    after = await post(live, steering(ann, "", messages=whole, run_id="run-9"))
    assert [text for _, text in shown(after)].count(CARD) == 1
    assert [each["text"] for each in (await live.history(ann))["messages"]].count(CARD) == 1


async def test_message_with_a_task_of_its_own_is_answered_in_the_same_stream(live, ann, tmp_path):
    run = await looking(live, ann, tmp_path / "go")
    stream = sends(live, steering(ann))
    await until_pending(live, ann)
    await live.stop(ann)
    events = await ended(stream)
    assert kinds(events).count("RUN_STARTED") == kinds(events).count("RUN_FINISHED") == 1
    assert events[-1]["outcome"] == {"type": "success"}
    assert texts(events, run.until) == ["look go", CARD, f"Read: go | {CARD}"]


async def test_withdrawn_one_is_gone_from_every_page(live, ann, tmp_path):
    run = await looking(live, ann, tmp_path / "go")
    stream = sends(live, steering(ann))
    (pending,) = await until_pending(live, ann)
    await live.call("DELETE", f"/pending/{ann}/{pending['message_id']}")
    run.goes_on()
    events = await ended(stream)
    assert fates(events) == ["withdrawn"]
    assert texts(events, run.until) == ["look go", "Read: go"]
    assert texts(await reloaded(live, ann), run.until) == ["look go", "Read: go"]


async def test_stop_of_its_run_stops_the_run_that_its_message_is_in_by_then(live, ann, tmp_path):
    await looking(live, ann, tmp_path / "go")
    stream = sends(live, steering(ann, f"look {tmp_path / 'never'}"))
    await until_pending(live, ann)
    await live.stop(ann)
    second = await begun(live, ann, tmp_path / "never")
    stopped = await live.call(
        "POST", f"/copilotkit/agent/agent/stop/{ann}", content=orjson.dumps({"runId": "run-2"}), headers=JSON
    )
    assert stopped.json() == {"stopped": True}
    events = await ended(stream)
    assert events[-1]["outcome"] == {"type": "cancelled"}
    assert (await live.status(ann))["task_id"] == second.task_id


async def test_page_that_leaves_its_run_for_a_message_that_steers_does_not_stop_it(
    live, ann, tmp_path, monkeypatch
):
    monkeypatch.setattr(leaving, "LEAVE_S", 0)
    until = tmp_path / "go"
    first = sends(live, run_input(ann, f"look {until}"))
    run = await begun(live, ann, until)
    second = sends(live, steering(ann))
    await until_pending(live, ann)
    first.cancel()
    async with asyncio.timeout(BOUND_S):
        while live.detour._services.open_streams[ann] != 1:  # noqa: ASYNC110
            await asyncio.sleep(0)
    for _ in range(20):
        assert (await live.status(ann))["status"] == "running"
    run.goes_on()
    assert texts(await ended(second), until)[-1] == f"Read: go | {CARD}"
