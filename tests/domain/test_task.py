"""Which steps a task may take, pinned here a second time: a change of the table has to be meant."""

from datetime import timedelta
from itertools import product

import pytest

from backend.domain.task import (
    TERMINAL,
    TRANSITIONS,
    AgentProgress,
    AgentState,
    Step,
    TaskStatus,
    advance,
    current_agent,
)
from tests.records import AT, a_message

ALLOWED = """
    queued         start      running
    queued         interrupt  interrupted
    running        ask        input_required
    running        hold       cancelling
    running        complete   completed
    running        fail       failed
    running        interrupt  interrupted
    input_required answer     running
    input_required hold       cancelling
    input_required complete   completed
    input_required fail       failed
    input_required interrupt  interrupted
    cancelling     interrupt  interrupted
"""
NEXT = {(line.split()[0], line.split()[1]): line.split()[2] for line in ALLOWED.strip().splitlines()}


@pytest.mark.parametrize(("status", "step"), list(product(TaskStatus, Step)))
def test_a_step_leads_where_the_table_says_or_nowhere(status: TaskStatus, step: Step) -> None:
    assert advance(status, step) == NEXT.get((status, step))


def test_the_statuses_are_those_of_the_contract() -> None:
    assert {str(status) for status in TaskStatus} == {
        "queued",
        "running",
        "input_required",
        "cancelling",
        "completed",
        "failed",
        "interrupted",
    }


@pytest.mark.requirement("TERMINAL-IS-FINAL")
def test_no_step_leads_out_of_a_terminal_status() -> None:
    assert {status for status in TaskStatus if status.terminal} == TERMINAL
    assert {"completed", "failed", "interrupted"} == TERMINAL
    assert [advance(status, step) for status, step in product(TERMINAL, Step)] == [None] * len(
        TERMINAL
    ) * len(Step)


def test_every_active_status_can_be_interrupted_and_every_status_is_reached() -> None:
    active = [status for status in TaskStatus if not status.terminal]
    assert {advance(status, Step.INTERRUPT) for status in active} == {TaskStatus.INTERRUPTED}
    assert set(TRANSITIONS.values()) | {TaskStatus.QUEUED} == set(TaskStatus)
    assert {step for _, step in TRANSITIONS} == set(Step)


def test_the_current_agent_is_the_first_that_is_at_work() -> None:
    agents = {
        "router": AgentProgress(state="done"),
        "flight": AgentProgress(state="working"),
        "hotel": AgentProgress(state="working"),
    }
    assert current_agent(agents) == "flight"
    assert current_agent({"router": AgentProgress(state="done")}) is None
    assert current_agent({}) is None


def _then(progress: AgentProgress, state: AgentState, seconds: int) -> AgentProgress:
    return progress.then(state, at=AT + timedelta(seconds=seconds), detail="", done=0, total=0, count=0)


def test_an_agent_has_worked_since_it_first_did_until_it_ended() -> None:
    waits = AgentProgress(state="waiting", request={"city": "Rome"})
    works = _then(_then(_then(waits, "working", 1), "waiting", 2), "working", 3)
    assert (works.since, works.until) == (AT + timedelta(seconds=1), None)
    done = _then(_then(works, "done", 5), "done", 6)
    assert (done.since, done.until) == (AT + timedelta(seconds=1), AT + timedelta(seconds=5))
    assert done.request == {"city": "Rome"}


def test_an_agent_that_waits_for_its_user_or_had_ended_begins_to_work_anew() -> None:
    for before in ("input_required", "done", "failed", "interrupted"):
        paused = _then(_then(AgentProgress(state="waiting"), "working", 1), before, 2)
        again = _then(paused, "working", 9)
        assert (again.since, again.until) == (AT + timedelta(seconds=9), None)
        assert (paused.until is None) == (before == "input_required")


def test_the_messages_of_a_task_have_ids_of_their_own() -> None:
    ids = {a_message(turn=turn, position=position).message_id for turn in (1, 2) for position in (0, 1)}
    assert len(ids) == 4
