"""AG-UI's route by hand: what its clients cannot be made to send, and what must be exact."""

import asyncio
from typing import Any

import pytest
import pytest_asyncio

from tests.api.live import BOUND_S, LiveServer, serving
from tests.protocols.ag_ui_stream import (
    Event,
    OpenRun,
    answer,
    events_in,
    kinds,
    last_state,
    post,
    post_raw,
    run_input,
    state_after,
    text_of,
)

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def live(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ag_ui")
    async with serving(folder, messages_per_minute=100_000) as server:
        yield server


async def asked(live: LiveServer, user_id: str, text: str = "find 2, ask Where?") -> tuple[list[Event], str]:
    """Ask for what asks back; return the events and the id of the question."""
    events = await post(live, run_input(user_id, text))
    return events, events[-1]["outcome"]["interrupts"][0]["id"]


async def test_run_tells_its_steps_results_and_text_and_ends_with_the_state(live, ann):
    events = await post(live, run_input(ann, "find 3"))
    assert kinds(events)[:2] == ["RUN_STARTED", "STATE_SNAPSHOT"]
    assert kinds(events)[-2:] == ["STATE_SNAPSHOT", "RUN_FINISHED"]
    assert events[0] == {"type": "RUN_STARTED", "threadId": ann, "runId": "run-1", "protocolVersion": "1.0"}
    assert {"STEP_STARTED", "STATE_DELTA", "TEXT_MESSAGE_START", "STEP_FINISHED"} <= {*kinds(events)}
    assert events[-1]["outcome"] == {"type": "success"}
    found = [{"thing": each} for each in range(3)]
    assert last_state(events)["partial_results"]["finder"] == found
    assert state_after(events)["partial_results"]["finder"] == found
    assert state_after(events)["agents"] == last_state(events)["agents"]
    assert state_after(events)["status"] == last_state(events)["status"] == "completed"
    assert text_of(events) == "Done: find 3"


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
async def test_message_sent_again_follows_its_run_and_starts_nothing(live, ann):
    first = await post_raw(live, run_input(ann, "find 1"))
    assert await post_raw(live, run_input(ann, "find 1")) == first
    other = events_in(await post_raw(live, run_input(ann, "find 1", run_id="run-2")))
    assert {each["runId"] for each in other if "runId" in each} == {"run-2"}
    said = (await live.history(ann))["messages"]
    assert [(each["role"], each["client_id"]) for each in said] == [("user", "m-find 1"), ("assistant", None)]


@pytest.mark.parametrize("payload", ["Rome", {"answer": "Rome"}])
async def test_text_answers_a_question_with_one_field_and_so_does_its_form(live, ann, payload):
    _, question = await asked(live, ann, "field Where?")
    events = await post(live, run_input(ann, resume=[answer(question, payload)]))
    assert last_state(events)["partial_results"]["finder"] == [{"answer": "Rome"}]


async def test_answer_that_does_not_fit_leaves_the_question_open(live, ann):
    _, question = await asked(live, ann, "field Where?")
    refused = await post(live, run_input(ann, resume=[answer(question, "")]))
    assert kinds(refused) == ["RUN_STARTED", "RUN_ERROR"]
    assert "resume.0.payload" in refused[-1]["message"]
    events = await post(live, run_input(ann, resume=[answer(question, "Rome")]))
    assert events[-1]["outcome"] == {"type": "success"}


async def test_answer_that_is_sent_again_with_its_run_id_follows_its_run(live, ann):
    _, question = await asked(live, ann)
    body = run_input(ann, run_id="run-2", resume=[answer(question, "Rome")])
    whole = await post_raw(live, body)
    assert await post_raw(live, body) == whole
    assert events_in(whole)[-1]["outcome"] == {"type": "success"}
    assert [each["text"] for each in (await live.history(ann))["messages"]].count("Rome") == 1


TWO_SEARCHES = "Find flights to Rome and a hotel in Rome from 5 December 2026 to 7 December 2026"


@pytest.mark.parametrize(
    ("resumed", "found"),
    [
        ({"status": "cancelled"}, {"hotel"}),
        ({"status": "resolved", "payload": {"origin": "Berlin"}}, {"hotel", "flight"}),
    ],
)
async def test_question_is_resolved_while_another_agent_works_and_the_task_goes_on(tmp_path, resumed, found):
    async with serving(tmp_path, graph="", demo_pace=0.5) as live:
        async with OpenRun(live, run_input("ann", TWO_SEARCHES)) as first:
            question = (await live.until_asked("ann"))["input_requests"][0]["request_id"]
            resume = [{"interruptId": question, **resumed}]
            events = await post(live, run_input("ann", run_id="run-2", resume=resume))
            assert (await first.to_end())[-1]["outcome"] == {"type": "success"}
        assert events[-1]["outcome"] == {"type": "success"}
        assert {name for name, items in last_state(events)["partial_results"].items() if items} == found
        assert state_after(events)["partial_results"] == last_state(events)["partial_results"]


async def test_run_whose_first_events_are_not_kept_is_told_from_what_is_known(tmp_path):
    async with serving(tmp_path, events_kept=100) as live:
        before = await post(live, run_input("ann", "find 1"))
        whole = await post(live, run_input("ann", "find 300, ask Where?"))
        again = await post(live, run_input("ann", "find 300, ask Where?"))
        connected = await post(live, run_input("ann"), "/copilotkit/agent/graph/connect")
        for events in (again, connected):
            assert len(events) < len(whole)
            assert last_state(events) == last_state(whole)
            assert events[-1]["outcome"] == whole[-1]["outcome"]
        assert state_after(again)["partial_results"] == last_state(again)["partial_results"]
        forgotten = await post(live, run_input("ann", "find 1"))
        assert forgotten[-1] == before[-1]
        messages = next(each["messages"] for each in forgotten if each["type"] == "MESSAGES_SNAPSHOT")
        assert "Done: find 1" in [each["content"] for each in messages]


# --- interruptions ----------------------------------------------------------------------------------------


async def test_client_without_a_protocol_version_gets_no_outcome(live, ann):
    body = run_input(ann, "hold")
    del body["protocolVersion"]
    async with OpenRun(live, body) as run:
        await run.until("STEP_STARTED")
        await live.stop(ann)
        events = await run.to_end()
    assert "protocolVersion" not in events[0]
    assert "outcome" not in events[-1]
    assert events[-1]["result"]["status"] == "interrupted"


async def test_run_is_told_what_it_superseded_while_it_runs(live, ann):
    async with OpenRun(live, run_input(ann, "find 2, hold")) as older:
        await live.until_found(ann, 2)
        async with OpenRun(live, run_input(ann, "hold", run_id="run-2")) as newer:
            receipt = (await older.to_end())[-1]["result"]["receipt"]
            await live.stop(ann)
            events = await newer.to_end()
    (left,) = state_after(events)["interrupted"]
    assert (left["reason"], left["receipt"]) == ("superseded", receipt)
    assert left["partial_results"]["finder"] == [{"thing": 0}, {"thing": 1}]


async def test_message_may_wait_for_the_one_before_it_or_be_refused(live, ann):
    def props(strategy: Any) -> dict[str, Any]:
        return {"forwardedProps": {"multitaskStrategy": strategy}}

    async with OpenRun(live, run_input(ann, "hold")) as first:
        await first.until("STEP_STARTED")
        refused = await post(live, run_input(ann, "find 1", **props("reject")))
        assert kinds(refused) == ["RUN_STARTED", "RUN_ERROR"]
        assert refused[-1]["code"] == "task_active"
        async with OpenRun(live, run_input(ann, "find 2", run_id="run-2", **props("enqueue"))) as second:
            await live.stop(ann)
            assert (await first.to_end())[-1]["result"]["reason"] == "stopped"
            assert (await second.to_end())[-1]["outcome"] == {"type": "success"}
    unknown = await post(live, run_input(ann, "find 3", **props("sideways")))
    assert "multitaskStrategy" in unknown[-1]["message"]


async def test_state_that_a_page_sends_back_stays_within_what_a_body_may_have(live, ann):
    for number in range(3):
        async with OpenRun(live, run_input(ann, f"big {600_000 + number}, hold")) as run:
            await live.until_found(ann, 1)
            await live.stop(ann)
            state = last_state(await run.to_end())
    kept = [bool(each["partial_results"]) for each in state["interrupted"]]
    assert kept == [False, False, True]
    assert [each["receipt"]["partial_results"]["finder"] for each in state["interrupted"]] == [1, 1, 1]
    again = await post(live, run_input(ann, "find 1", state=state))
    assert again[-1]["outcome"] == {"type": "success"}


async def test_message_right_after_a_disconnect_supersedes(live, ann):
    async with OpenRun(live, run_input(ann, "find 2, hold")) as run:
        await live.until_found(ann, 2)
        await run.until("STEP_STARTED")
    events = await post(live, run_input(ann, "find 1", run_id="run-2"))
    assert [each["reason"] for each in last_state(events)["interrupted"]] == ["superseded"]


@pytest.mark.requirement("LEAVING-IS-NOT-STOPPING")
async def test_disconnect_stops_nothing_if_the_client_says_so_or_another_follows(live, ann):
    staying = {"forwardedProps": {"onDisconnect": "continue"}}
    async with OpenRun(live, run_input(ann, "find 2, hold", **staying)) as run:
        await run.until("STEP_STARTED")
    await live.until_all_have_left()
    run_id = (await live.status(ann))["task_id"]
    assert not about_to_stop(run_id)
    # The same message again: one who follows leaves, while another stays.
    async with OpenRun(live, run_input(ann, "find 2, hold")) as follower:
        await follower.until("STEP_STARTED")
        async with OpenRun(live, run_input(ann, "find 2, hold")) as leaver:
            await leaver.until("STEP_STARTED")
        async with asyncio.timeout(BOUND_S):
            while not (stopping := about_to_stop(run_id)):  # noqa: ASYNC110
                await asyncio.sleep(0)
            await asyncio.wait(stopping)
        assert (await live.status(ann))["status"] == "running"
        await live.stop(ann)
        assert (await follower.to_end())[-1]["result"]["reason"] == "stopped"


def about_to_stop(run_id: str) -> list[asyncio.Task[Any]]:
    """Return the asyncio task that stops a run whose client has left, if there is one."""
    return [each for each in asyncio.all_tasks() if each.get_name() == f"leave {run_id}"]


async def test_disconnect_keeps_a_question_that_comes_next(live, ann):
    async with OpenRun(live, run_input(ann, "find 50, ask Where?")) as run:
        await run.until("RUN_STARTED")
    status = await live.until_asked(ann)
    await live.until_all_have_left()
    if stopping := about_to_stop(status["task_id"]):
        await asyncio.wait(stopping)
    assert (await live.status(ann))["input_requests"] == status["input_requests"]
