"""Transitions of a task, pinned here a second time: a change of the table is deliberate. Task ids."""

from datetime import UTC, datetime, timedelta
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.task import (
    TERMINAL,
    AgentProgress,
    AgentState,
    InterruptReason,
    TaskStatus,
    current_agent,
    task_id_factory,
)
from backend.domain.task_life import TRANSITIONS, Activity, TaskLife, Transition
from tests.records import AT, a_task

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
def test_transition_leads_where_the_table_says_or_nowhere(
    state: tuple[TaskStatus, Activity], step: Transition
) -> None:
    life = TaskLife(*state).after(step)
    found = None if life is None else (str(life.status), str(life.activity))
    assert found == NEXT.get((*map(str, state), str(step)))


def test_transition_table_is_closed_and_every_state_reachable() -> None:
    reached = {state for steps in TRANSITIONS.values() for state in steps.values()}
    read_back = {(status, TaskLife.of(a_task(status=status)).activity) for status in TaskStatus}
    assert reached <= set(TRANSITIONS)
    assert set(TRANSITIONS) == reached | read_back
    assert {step for steps in TRANSITIONS.values() for step in steps} == set(Transition)


def test_first_reason_and_first_failure_stay() -> None:
    life = TaskLife(TaskStatus.RUNNING, Activity.WORKING)
    told = life.after(Transition.INTERRUPT, reason=InterruptReason.STOPPED)
    assert told is not None
    assert (told.reason, told.is_ending, told.closed) == (InterruptReason.STOPPED, True, True)
    assert told.after(Transition.INTERRUPT, reason=InterruptReason.SHUTDOWN) is None
    assert life.failing("first").failing("second").failing(None).failure == "first"


@pytest.mark.requirement("TERMINAL-IS-FINAL")
def test_terminal_status_allows_no_transition() -> None:
    assert {status for status in TaskStatus if status.terminal} == TERMINAL
    assert {"completed", "failed", "interrupted"} == TERMINAL
    ended = [steps for (status, _), steps in TRANSITIONS.items() if status.terminal]
    assert ended == [{}, {}, {}]


def test_current_agent_is_the_first_working_one() -> None:
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


def test_agent_progress_spans_first_work_to_end() -> None:
    waits = AgentProgress(state="waiting", request={"city": "Rome"})
    works = _then(_then(_then(waits, "working", 1), "waiting", 2), "working", 3)
    assert (works.since, works.until) == (AT + timedelta(seconds=1), None)
    done = _then(_then(works, "done", 5), "done", 6)
    assert (done.since, done.until) == (AT + timedelta(seconds=1), AT + timedelta(seconds=5))
    assert done.request == {"city": "Rome"}


def test_agent_progress_restarts_after_a_question_or_an_end() -> None:
    for before in ("input_required", "done", "failed", "interrupted"):
        paused = _then(_then(AgentProgress(state="waiting"), "working", 1), before, 2)
        again = _then(paused, "working", 9)
        assert (again.since, again.until) == (AT + timedelta(seconds=9), None)
        assert (paused.until is None) == (before == "input_required")


# --- ids -----------------------------------------------------------------------------------------------

any_time = st.datetimes(timezones=st.just(UTC))
since_1970 = st.datetimes(min_value=datetime(1970, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001


@given(st.lists(any_time, min_size=1, max_size=30))
def test_task_ids_only_increase_when_the_clock_jumps(times: list[datetime]) -> None:
    clock = iter(times)
    new_task_id = task_id_factory(lambda: next(clock))
    ids = [new_task_id() for _ in times]
    assert ids == sorted(set(ids))
    assert {len(each) for each in ids} == {26}


@given(since_1970, since_1970)
def test_task_ids_of_two_processes_sort_by_time(one: datetime, other: datetime) -> None:
    if abs(one - other) < timedelta(milliseconds=1):
        return
    ids = {at: task_id_factory(lambda at=at: at)() for at in (one, other)}
    assert (ids[one] < ids[other]) == (one < other)


def test_task_ids_of_one_microsecond_differ() -> None:
    ids = [task_id_factory(lambda: AT)() for _ in range(1000)]
    assert len(set(ids)) == 1000
    assert {each[:12] for each in ids} == {ids[0][:12]}
