"""Which steps a task may take, pinned here a second time: a change of the table has to be meant."""

from datetime import timedelta
from itertools import product

import pytest

from backend.domain.task import (
    TERMINAL,
    AgentProgress,
    AgentState,
    InterruptReason,
    TaskStatus,
    current_agent,
)
from backend.domain.task_life import TRANSITIONS, Activity, TaskLife, Transition, recorded
from tests.records import AT, a_message, a_task

ALLOWED = """
    queued         idle       start      running        idle
    queued         idle       interrupt  queued         ending
    queued         idle       take_in    completed      ended
    queued         ending     settle     interrupted    ended
    running        idle       run        running        working
    running        idle       reopen     input_required idle
    running        idle       interrupt  running        ending
    running        working    ask        input_required working
    running        working    reopen     input_required working
    running        working    rest       running        idle
    running        working    suspend    running        suspended
    running        working    interrupt  running        ending
    running        working    complete   completed      ended
    running        working    fail       failed         ended
    running        suspended  reopen     input_required suspended
    running        suspended  interrupt  running        ending
    running        ending     reopen     input_required ending
    running        ending     hold       cancelling     ending
    running        ending     settle     interrupted    ended
    input_required idle       run        input_required working
    input_required idle       answer     running        idle
    input_required idle       interrupt  input_required ending
    input_required working    answer     running        working
    input_required working    rest       input_required idle
    input_required working    suspend    input_required suspended
    input_required working    interrupt  input_required ending
    input_required working    complete   completed      ended
    input_required working    fail       failed         ended
    input_required suspended  answer     running        suspended
    input_required suspended  interrupt  input_required ending
    input_required ending     answer     running        ending
    input_required ending     hold       cancelling     ending
    input_required ending     settle     interrupted    ended
    cancelling     idle       interrupt  cancelling     ending
    cancelling     ending     settle     interrupted    ended
"""
ROWS = [tuple(line.split()) for line in ALLOWED.strip().splitlines()]
NEXT = {row[:3]: row[3:] for row in ROWS}


@pytest.mark.parametrize(("state", "step"), list(product(TRANSITIONS, Transition)))
def test_a_step_leads_where_the_table_says_or_nowhere(
    state: tuple[TaskStatus, Activity], step: Transition
) -> None:
    life = TaskLife(*state).after(step)
    found = None if life is None else (str(life.status), str(life.activity))
    assert found == NEXT.get((*map(str, state), str(step)))


def test_every_state_a_step_leads_to_is_in_the_table_and_every_state_is_reached() -> None:
    reached = {state for steps in TRANSITIONS.values() for state in steps.values()}
    read_back = {(status, TaskLife.of(a_task(status=status)).activity) for status in TaskStatus}
    assert reached <= set(TRANSITIONS)
    assert set(TRANSITIONS) == reached | read_back
    assert {step for steps in TRANSITIONS.values() for step in steps} == set(Transition)


def test_the_first_reason_stays_and_the_first_failure() -> None:
    life = TaskLife(TaskStatus.RUNNING, Activity.WORKING)
    told = life.after(Transition.INTERRUPT, reason=InterruptReason.STOPPED)
    assert told is not None
    assert (told.reason, told.told_to_end, told.closed) == (InterruptReason.STOPPED, True, True)
    assert told.after(Transition.INTERRUPT, reason=InterruptReason.SHUTDOWN) is None
    assert life.failing("first").failing("second").failing(None).failure == "first"


def test_a_record_takes_its_status_from_the_life() -> None:
    task = a_task(status=TaskStatus.QUEUED)
    started = TaskLife.of(task).after(Transition.START)
    assert started is not None
    moved = recorded(task, started, at=AT + timedelta(seconds=1))
    assert (moved.status, moved.updated_at) == (TaskStatus.RUNNING, AT + timedelta(seconds=1))


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
    ended = [steps for (status, _), steps in TRANSITIONS.items() if status.terminal]
    assert ended == [{}, {}, {}]


def test_a_suspended_task_runs_again_only_in_the_next_process() -> None:
    suspended = [state for state in TRANSITIONS if state[1] is Activity.SUSPENDED]
    assert [status for status, _ in suspended] == [TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED]
    assert all(Transition.RUN not in TRANSITIONS[state] for state in suspended)
    read_back = [TaskLife.of(a_task(status=status)) for status, _ in suspended]
    assert [life.after(Transition.RUN) is not None for life in read_back] == [True, True]


def test_every_active_status_can_be_interrupted() -> None:
    active = [status for status in TaskStatus if not status.terminal]
    for status in active:
        told = TaskLife(status).after(Transition.INTERRUPT)
        assert told is not None
        settled = told.after(Transition.SETTLE)
        assert settled is not None
        assert settled.status is TaskStatus.INTERRUPTED


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
