"""The state of a thread before the first event that is still stored, from what the store keeps of the user.

It is what the store knows now, without what the kept events still tell.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...domain.clock import to_wire
from ...domain.task import InterruptReason, Task, TaskStatus
from ...log.state_store.told import Snapshot
from .state import KEPT_INTERRUPTED, Frame, Run, RunStatus, TaskState, ThreadState

_RUN_STATUS: dict[TaskStatus, RunStatus] = {
    TaskStatus.QUEUED: "pending",
    TaskStatus.COMPLETED: "success",
    TaskStatus.FAILED: "error",
    TaskStatus.INTERRUPTED: "interrupted",
}


@dataclass(slots=True)
class Told:
    """What the kept events tell: of which tasks, and how much of each."""

    tasks: set[str] = field(default_factory=set[str])
    whole: set[str] = field(default_factory=set[str])
    """Tasks whose first kept event is their message."""
    begun: set[str] = field(default_factory=set[str])
    """Tasks whose first kept event is a status that a task begins with."""
    ended: set[str] = field(default_factory=set[str])
    """Tasks whose end is kept."""
    settled: set[str] = field(default_factory=set[str])
    """Interrupted tasks whose receipt is kept, the last event of their run."""
    messages: set[str] = field(default_factory=set[str])
    decided: set[str] = field(default_factory=set[str])
    """Messages of which it is kept what became of them, after they had waited to be taken in."""
    requests: set[str] = field(default_factory=set[str])
    agents: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    found: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    def take(self, frame: Frame) -> None:
        """Take a kept event."""
        task_id, kind = frame["task_id"], frame["type"]
        if kind == "message":
            self.messages.add(frame["message_id"])
        elif kind == "steer" and frame["steer"] != "pending":
            self.decided.add(frame["message_id"])
        elif kind == "input_request":
            self.requests.add(frame["request_id"])
        elif kind == "agent_update":
            self.agents.add((task_id, frame["agent"]))
        elif kind == "partial_result":
            self.found[task_id, frame["agent"]] += len(frame["items"])
        elif kind == "status_update" and frame["status"] in {"completed", "failed", "interrupted"}:
            self.ended.add(task_id)
        elif kind == "receipt" and "amendments" not in frame["receipt"]:
            self.settled.add(task_id)
        if task_id not in self.tasks:
            self.tasks.add(task_id)
            if kind == "message" and frame["message_id"] == f"{task_id}.0":
                self.whole.add(task_id)
            elif kind == "status_update" and frame["status"] in {"queued", "running"}:
                self.begun.add(task_id)

    def is_whole(self, task: Task) -> bool:
        """Return whether the first event of a task is kept: its message, or of a retry its status."""
        return task.task_id in (self.whole if task.asked_in is None else self.begun)


NOTHING_TOLD = Told()


def state_before(
    snapshot: Snapshot, tasks: Iterable[Task], contexts: Iterable[dict[str, Any]], *, seq: int, told: Told
) -> ThreadState:
    """Return the state after the event `seq`; `tasks` and `contexts` are oldest first."""
    state = ThreadState(snapshot.position.epoch, seq=seq)
    _begin_with_messages(state, snapshot, told)
    for left in list(contexts)[-KEPT_INTERRUPTED:]:
        if left["task_id"] not in told.ended:
            state.interrupted[left["task_id"]] = left
    for task in tasks:
        # One that waited to be taken in begins with an event that is kept, or not at all.
        if not told.is_whole(task) and task.steer != "pending" and task.message_id not in told.decided:
            _begin_with(state, task, snapshot, told)
    state.at = max((each.updated_at for each in state.runs.values()), default=None)
    for request in snapshot.inputs:
        if request.request_id not in told.requests:
            asked = {"task_id": request.task_id, "at": to_wire(request.asked_at)}
            state.requests[request.request_id] = {"type": "input_request", **asked, **request.to_wire()}
    shown = state.tasks.get(snapshot.task.task_id)
    if shown is not None:
        _show(shown, snapshot, told)
    for left in state.interrupted.values():
        if (task := state.tasks.get(left["task_id"])) is not None and left.get("receipt") is not None:
            task.receipt = left["receipt"]
    return state


def _begin_with_messages(state: ThreadState, snapshot: Snapshot, told: Told) -> None:
    """Add the messages of which no kept event tells, those that waited to be taken in apart."""
    for message in snapshot.messages:
        if message.message_id in told.messages:
            continue
        entry: Frame = {"type": "message", **message.to_wire()}
        if message.steer == "pending" or message.message_id in told.decided:
            of = message.taken_in_by or snapshot.task.task_id
            state.pending[message.message_id] = {**entry, "task_id": of, "steer": "pending"}
        elif message.steer != "withdrawn":
            state.messages[message.message_id] = entry


def _begin_with(state: ThreadState, task: Task, snapshot: Snapshot, told: Told) -> None:
    """Add a task some or all of whose events are not kept, and its last run before the kept ones."""
    first = task.asked_in or task.task_id
    is_known = task.status.terminal and task.task_id not in told.ended
    has_ended = is_known and task.task_id not in told.settled
    status = task.status if is_known or task.task_id not in told.tasks else TaskStatus.RUNNING
    state.tasks[task.task_id] = TaskState(
        task.task_id,
        first,
        status,
        task.reason if is_known else None,
        message=task.message,
        graph=task.graph,
    )
    answers = [
        each
        for each in snapshot.messages
        if each.task_id == task.task_id
        and each.role == "user"
        and each.position
        and each.message_id not in told.messages
    ]
    rests = _rests(task, snapshot) and task.task_id not in told.tasks
    run = Run(
        task_id=first,
        number=1 + len(answers),
        message=answers[-1].text if answers else task.message,
        message_id=answers[-1].message_id if answers else f"{first}.0",
        graph=task.graph,
        began_seq=0,
        created_at=to_wire(task.created_at),
        updated_at=to_wire(task.updated_at),
        status=_run_status(status, rests=rests, has_ended=has_ended),
        ended_seq=state.seq if has_ended or rests else None,
        ended_waiting=rests,
    )
    if has_ended:
        run.reason = task.reason
        if task.reason is InterruptReason.TIMED_OUT:
            run.status = "timeout"
    state.runs[run.run_id] = run


def _run_status(status: TaskStatus, *, rests: bool, has_ended: bool) -> RunStatus:
    if rests:
        return "success"
    return "running" if status.terminal and not has_ended else _RUN_STATUS.get(status, "running")


def _rests(task: Task, snapshot: Snapshot) -> bool:
    """Return whether a task only waits for its user."""
    if task.status is not TaskStatus.INPUT_REQUIRED:
        return False
    is_shown = task.task_id == snapshot.task.task_id
    return not (is_shown and any(each.state == "working" for each in snapshot.agents.values()))


def _show(task: TaskState, snapshot: Snapshot, told: Told) -> None:
    """Give the latest task what it had found before the kept events."""
    for saved in snapshot.partials:
        if saved.found is not None:
            task.found.setdefault(saved.found.agent, []).extend(saved.found.to_json())
    for agent, items in task.found.items():
        del items[max(len(items) - told.found[task.task_id, agent], 0) :]
    for name, progress in snapshot.agents.items():
        if (task.task_id, name) not in told.agents:
            task.agents[name] = {"type": "agent_update", "agent": name, **progress.to_wire()}


def retried_runs(state: ThreadState, tasks: Sequence[Task], told: Told) -> None:
    """Reopen the runs whose message is retried by a task that the kept events tell of."""
    for task in tasks:
        if task.asked_in is not None and told.is_whole(task):
            run = state.last_run_of(task.asked_in)
            if run is not None and run.ended:
                run.status, run.reason, run.ended_seq = "pending", None, None


def just_answered(snapshot: Snapshot, told: Told) -> set[str]:
    """Return the tasks whose last message before the kept events is an answer of the user."""
    last = {each.task_id: each for each in snapshot.messages if each.message_id not in told.messages}
    return {each.task_id for each in last.values() if each.role == "user" and each.position}


def contexts_of(snapshot: Snapshot, receipts: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return the interrupted tasks, oldest first, each with its receipt."""
    contexts: list[dict[str, Any]] = []
    for context in reversed(snapshot.interrupted):
        left = orjson.loads(orjson.dumps(context.to_wire()))
        if (body := receipts.get(context.task_id)) is not None:
            left["receipt"] = orjson.loads(body)
        contexts.append(left)
    return contexts
