"""The operator's view: how one task went, and what runs in this process, without a word of any user or agent.

A timeline is read from the store, so any replica can render it: agents from the log, as their spans are
(`tracing`), tool calls from the ledger, model steps and questions from their own records. A log may have
megabytes of results in an event and hundreds of thousands of events, so the task's first event is found by
bisection, a bounded number is read from there, and results are not decoded.
"""

import heapq
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, NotRequired, cast

import orjson
from typing_extensions import TypedDict

from ..conversation.conversation import Conversation
from ..domain.encoding import to_wire
from ..domain.errors import NotFound
from ..domain.events import StoredEvent
from ..domain.model_usage import NO_USAGE, ModelStep, UsageView
from ..domain.questions import InputKind, InputRequest
from ..domain.task import AgentProgress, AgentState, InterruptReason, StoppedBy, Task, TaskStatus
from ..domain.tool_call import Effect, Outcome, State, ToolCall
from ..store.base import StateStore
from ..tasks.task_context import TaskContext
from .services import Phase

MOST_READ = 2_000
"""Events of the user that are read: of this task, and between those."""

PAGE = 250

# Only numbers and strings without escapes precede these, in this order (`domain.events`).
_HEAD = re.compile(rb'\{"seq":(\d+),"type":"(\w+)","task_id":"([^"\\]*)","at":"([^"\\]*)"')
_STATUS = re.compile(rb',"status":"(\w+)","reason":(?:"(\w+)"|null)')
_AGENT = re.compile(rb',"agent":("(?:[^"\\]|\\.)*")')

_NAMED: Mapping[str, tuple[str | None, str]] = {
    "agent_update": ("agent", "state"),
    "tool_update": ("tool", "state"),
    "input_request": ("agent", "kind"),
    "input_resolved": (None, "outcome"),
    "context_transfer": (None, "from_task_id"),
    "message": (None, "role"),
}
"""By type of event: the fields with its subject and with the subject's state."""

_PROGRESS = frozenset({"text_delta", "partial_result"})
"""Types of events that are mere progress, as is an agent's update without a new state."""


class TimelineEvent(TypedDict):
    """An event of a task: its subject (`about`), and the subject's state.

    `count` is more than one where the same progress was published again, and nothing else happened between.
    """

    seq: int
    at: str
    type: str
    about: str
    state: str
    count: int


@dataclass(slots=True)
class _Events:
    """A task's events in order, repeated progress as one; its agents' updates, and when questions ended."""

    task: Task
    listed: list[TimelineEvent] = field(default_factory=list[TimelineEvent])
    updates: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    resolved_at: dict[str, str] = field(default_factory=dict[str, str])
    _states: dict[str, str] = field(default_factory=dict[str, str])
    _progress: dict[tuple[str, str, str], TimelineEvent] = field(default_factory=dict[Any, TimelineEvent])

    def add(self, event: StoredEvent) -> None:
        """Add the next event of the log, if it is the task's."""
        head = _HEAD.match(event.frame)
        if head is None or head[3].decode() != self.task.task_id:
            return
        kind, at = head[2].decode(), head[4].decode()
        about, state = "", ""
        if kind == "status_update" and (status := _STATUS.match(event.frame, head.end())):
            state = b": ".join(filter(None, status.groups())).decode()
        elif kind == "partial_result" and (agent := _AGENT.match(event.frame, head.end())):
            about = orjson.loads(agent[1])
        elif kind in _NAMED:
            fields = orjson.loads(event.frame)
            subject, outcome = _NAMED[kind]
            about, state = fields[subject] if subject else "", fields[outcome]
            if kind == "agent_update":
                self.updates.append(fields)
            elif kind == "input_resolved":
                self.resolved_at[fields["request_id"]] = at
        self._list({"seq": event.seq, "at": at, "type": kind, "about": about, "state": state, "count": 1})

    def _list(self, event: TimelineEvent) -> None:
        key = event["type"], event["about"], event["state"]
        is_update = event["type"] == "agent_update"
        is_new = is_update and self._states.get(event["about"]) != event["state"]
        if is_new or not (is_update or event["type"] in _PROGRESS):
            self._progress.clear()
        elif key in self._progress:
            self._progress[key]["count"] += 1
            return
        if is_update:
            self._states[event["about"]] = event["state"]
        self._progress[key] = event
        self.listed.append(event)


async def _events_of(store: StateStore, task: Task) -> tuple[_Events, bool]:
    """Return the events of a task, and whether these are all. Raises `StoreUnavailable`."""
    events = _Events(task)
    position = await store.position(task.user_id)
    if position is None:
        return events, False
    after = await _before_first(store, task, position.seq)
    read, complete, more = 0, True, True
    while more and read < MOST_READ:
        page = await store.events_after(task.user_id, after, limit=PAGE)
        complete = complete and page.complete
        for event in page.events:
            events.add(event)
        read += len(page.events)
        more = page.more and bool(page.events) and not _is_past(task, page.events[-1])
        after = page.events[-1].seq if page.events else after
    return events, complete and not more


async def _before_first(store: StateStore, task: Task, last: int) -> int:
    """Return the number of an event before which there is none of the task."""
    accepted_at = to_wire(task.created_at)
    low, high = 0, last
    while low < high:
        middle = (low + high) // 2
        page = await store.events_after(task.user_id, middle, limit=1)
        head = _HEAD.match(page.events[0].frame) if page.events else None
        if head is None or head[4].decode() >= accepted_at:
            high = middle
        else:
            low = max(middle + 1, page.events[0].seq)  # what is no longer stored is skipped at once
    return low


def _is_past(task: Task, event: StoredEvent) -> bool:
    """Return whether nothing of a task comes after an event."""
    head = _HEAD.match(event.frame)
    return task.status.terminal and head is not None and head[4].decode() > to_wire(task.updated_at)


# --- timeline ------------------------------------------------------------------------------------------


MOST_PARTS = 300
MOST_EVENTS = 500

PartKind = Literal["agent", "tool_call", "model_step", "question"]


class TaskPart(TypedDict):
    """Something that took time within a task.

    `name` is that of the agent, the tool, or the kind of question. Of a model step only its end is known.
    `found` counts results. `ended_at` is null while it lasts.
    """

    part_id: str
    kind: PartKind
    name: str
    agent: str
    state: str
    began_at: str | None
    ended_at: str | None
    found: int | None
    usage: UsageView | None


class ReceiptCall(TypedDict):
    """What became of a tool call."""

    call_id: str
    tool: str
    effect: Effect
    outcome: Outcome


class ReceiptFigures(TypedDict):
    """The receipt of a task, without words of its tools."""

    reason: InterruptReason | None
    stopped_by: NotRequired[StoppedBy]
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: Mapping[str, int]
    tool_calls: Sequence[ReceiptCall]
    adopted_by: str | None
    amendments: int


class TaskTimelineAnswer(TypedDict):
    """How a task went, or goes; `receipt` is null until it has ended.

    `complete` is false where events are no longer stored, or exceed the bound. `usage` is null for a task
    that runs on another replica.
    """

    user_id: str
    task_id: str
    turn: int
    graph: str | None
    status: TaskStatus
    reason: InterruptReason | None
    attempt: int
    aside: bool
    previous_task_id: str | None
    accepted_at: str
    started_at: str | None
    ended_at: str | None
    usage: UsageView | None
    parts: Sequence[TaskPart]
    events: Sequence[TimelineEvent]
    complete: bool
    receipt: ReceiptFigures | None


async def task_timeline(
    store: StateStore, user_id: str, task_id: str, running: TaskContext | None
) -> TaskTimelineAnswer:
    """Return how a task went; `running` is the task itself if it is at work in this process.

    Raises `NotFound` and `StoreUnavailable`. Cancelling it changes nothing.
    """
    task = await store.get_task_metadata(user_id, task_id)
    if task is None:
        raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
    events, complete = await _events_of(store, task)
    parts = [
        *_agents(await store.get_progress(user_id, task.turn), events.updates),
        *_calls(task, await store.get_tool_calls(user_id, task.turn)),
        *_steps(task, await store.get_model_steps(user_id, since_turn=task.turn)),
        *_questions(task, await store.get_inputs(user_id, task.turn), events.resolved_at),
    ]
    parts.sort(key=lambda part: part["began_at"] or part["ended_at"] or "")
    stored = await store.get_receipt(user_id, task_id)
    receipt = None if stored is None else orjson.loads(stored)
    usage = receipt["usage"] if receipt else running.trace.usage.total().to_wire() if running else None
    has_ended = task.status.terminal
    return {
        "user_id": user_id,
        "task_id": task_id,
        "turn": task.turn,
        "graph": task.graph,
        "status": task.status,
        "reason": task.reason if has_ended or task.status is TaskStatus.CANCELLING else None,
        "attempt": task.attempt,
        "aside": task.aside,
        "previous_task_id": task.previous_task_id,
        "accepted_at": to_wire(task.created_at),
        "started_at": _time(task.started_at),
        "ended_at": to_wire(task.updated_at) if has_ended else None,
        "usage": usage,
        "parts": parts[:MOST_PARTS],
        "events": events.listed[:MOST_EVENTS],
        "complete": complete and len(parts) <= MOST_PARTS and len(events.listed) <= MOST_EVENTS,
        "receipt": None if receipt is None else _figures(receipt),
    }


def _agents(
    progress: Mapping[str, AgentProgress], updates: Iterable[Mapping[str, Any]]
) -> Iterable[TaskPart]:
    """Return each stretch of an agent's work: as it is now, and those that only the log still has."""
    stretches: dict[tuple[str, str], TaskPart] = {}
    now: list[Mapping[str, Any]] = [{"agent": name, **each.to_wire()} for name, each in progress.items()]
    for each in (*updates, *now):
        agent, since = each["agent"], each["since"]
        if since is not None:
            stretches[agent, since] = {
                "part_id": f"{agent} {since}",
                "kind": "agent",
                "name": agent,
                "agent": agent,
                "state": each["state"],
                "began_at": since,
                "ended_at": each["until"],
                "found": each["count"],
                "usage": None,
            }
    return stretches.values()


def _calls(task: Task, calls: Iterable[ToolCall]) -> Iterator[TaskPart]:
    for call in calls:
        if call.task_id == task.task_id:
            yield {
                "part_id": call.call_id,
                "kind": "tool_call",
                "name": call.tool,
                "agent": call.agent,
                "state": call.outcome or call.state,
                "began_at": to_wire(call.started_at or call.requested_at),
                "ended_at": _time(call.ended_at),
                "found": call.found,
                "usage": None,
            }


def _steps(task: Task, steps: Iterable[ModelStep]) -> Iterator[TaskPart]:
    for step in steps:
        if step.task_id == task.task_id:
            yield {
                "part_id": f"step {step.position}",
                "kind": "model_step",
                "name": step.agent,
                "agent": step.agent,
                "state": "calls_tools" if step.calls else "answered",
                "began_at": None,
                "ended_at": to_wire(step.at),
                "found": None,
                "usage": step.usage.to_wire(),
            }


def _questions(
    task: Task, requests: Iterable[InputRequest], resolved_at: Mapping[str, str]
) -> Iterator[TaskPart]:
    for request in requests:
        if request.task_id == task.task_id:
            yield {
                "part_id": request.request_id,
                "kind": "question",
                "name": request.kind,
                "agent": request.question.agent,
                "state": request.resolution or "open",
                "began_at": to_wire(request.asked_at),
                "ended_at": resolved_at.get(request.request_id),
                "found": None,
                "usage": None,
            }


def _figures(receipt: Mapping[str, Any]) -> ReceiptFigures:
    calls = [
        {name: call[name] for name in ReceiptCall.__annotations__}
        for call in receipt["tool_calls"][:MOST_PARTS]
    ]
    kept = {name: receipt[name] for name in ReceiptFigures.__annotations__ if name in receipt}
    return cast("ReceiptFigures", {**kept, "tool_calls": calls, "amendments": receipt.get("amendments", 0)})


def _time(at: datetime | None) -> str | None:
    return None if at is None else to_wire(at)


# --- running tasks -------------------------------------------------------------------------------------
# Read from memory. A task counts until its end is durable. `MOST_LISTED` tasks are listed: those that use
# something first, and of these the ones that have been in their phase for longest.


MOST_LISTED = 200
"""Tasks in one answer: more than anybody reads, and about 200 KB."""

MOST_LISTED_PARTS = 20
"""Agents, and tool calls, of one task in that answer."""

TaskPhase = Literal["ending", "working", "queued", "needs_user"]
"""Where a task is, the ones that use something first.

Told to end, and waiting for its calls; being worked on; waiting for its turn; waiting for its user.
"""

PHASES: Sequence[TaskPhase] = ("ending", "working", "queued", "needs_user")


class AgentNow(TypedDict):
    """How far an agent of a task is; `count` is how much it has found."""

    agent: str
    state: AgentState
    count: int
    since: str | None


class CallNow(TypedDict):
    """A tool call of a task that has not ended."""

    call_id: str
    tool: str
    agent: str
    state: State
    since: str


class RunningTask(TypedDict):
    """A task that has not ended; `since` is the start of its phase, `asks` the kind of its open question."""

    user_id: str
    task_id: str
    graph: str | None
    status: TaskStatus
    phase: TaskPhase
    since: str
    accepted_at: str
    attempt: int
    aside: bool
    asks: InputKind | None
    agents: Sequence[AgentNow]
    calls: Sequence[CallNow]
    found: int
    usage: UsageView


class RunningTasks(TypedDict):
    """Tasks that have not ended: `tasks` are some of them, `phases` counts all."""

    phases: Mapping[TaskPhase, int]
    tasks: Sequence[RunningTask]


_Unfinished = tuple[Task, TaskContext | None]
"""A task's record, and the task itself unless it only waits for its turn."""


def running_tasks(conversations: Iterable[Conversation]) -> RunningTasks:
    """Return what has not ended in these conversations."""
    phases: Counter[TaskPhase] = Counter(dict.fromkeys(PHASES, 0))

    def counted() -> Iterator[_Unfinished]:
        for conversation in conversations:
            running = [(context.task, context) for context in conversation.unfinished]
            for each in (*running, *((task, None) for task in conversation.queued)):
                phases[phase_of(*each)] += 1
                yield each

    listed = heapq.nsmallest(MOST_LISTED, counted(), key=_rank)
    return {"phases": dict(phases), "tasks": [_view(*each) for each in listed]}


def phase_of(task: Task, context: TaskContext | None) -> TaskPhase:
    """Return where a task is."""
    if context is not None and (context.closed or task.status is TaskStatus.CANCELLING):
        return "ending"
    if task.status is TaskStatus.QUEUED:
        return "queued"
    return "needs_user" if task.status is TaskStatus.INPUT_REQUIRED else "working"


def _since(task: Task, context: TaskContext | None) -> datetime:
    """Return when a task entered its phase."""
    if phase_of(task, context) == "ending":
        return task.interrupt_requested_at or task.updated_at
    return task.updated_at  # its record is written when its status changes


def _rank(unfinished: _Unfinished) -> tuple[int, datetime, str]:
    task, _ = unfinished
    return PHASES.index(phase_of(*unfinished)), _since(*unfinished), task.task_id


def _view(task: Task, context: TaskContext | None) -> RunningTask:
    asked = context.inputs.open if context is not None else ()
    usage = context.trace.usage.total() if context is not None else NO_USAGE
    agents: list[AgentNow] = []
    calls: list[CallNow] = []
    if context is not None:
        for agent, now in context.agents.items():
            agents.append({"agent": agent, "state": now.state, "count": now.count, "since": _time(now.since)})
        for call in context.tool_calls.values():
            if call.state != "ended":
                since = to_wire(call.started_at or call.requested_at)
                calls.append(
                    CallNow(
                        call_id=call.call_id, tool=call.tool, agent=call.agent, state=call.state, since=since
                    )
                )
    return {
        "user_id": task.user_id,
        "task_id": task.task_id,
        "graph": task.graph,
        "status": task.status,
        "phase": phase_of(task, context),
        "since": to_wire(_since(task, context)),
        "accepted_at": to_wire(task.created_at),
        "attempt": task.attempt,
        "aside": task.aside,
        "asks": asked[0].kind if asked else None,
        "agents": agents[:MOST_LISTED_PARTS],
        "calls": calls[:MOST_LISTED_PARTS],
        "found": sum(context.partial_results.counts().values()) if context is not None else 0,
        "usage": usage.to_wire(),
    }


# --- answers -------------------------------------------------------------------------------------------


class OperateAnswer(TypedDict):
    """The phase of this process, and its tasks: `tasks` are some of those that `phases` counts.

    `replica` is its name among several, else "". `replicas` are those that are alive, itself included; null
    if the database does not say.
    """

    at: str
    replica: str
    replicas: Sequence[str] | None
    serving: Phase
    phases: Mapping[TaskPhase, int]
    tasks: Sequence[RunningTask]


class StoppedTaskAnswer(TypedDict):
    """A task after its stop; one that had ended before has not changed."""

    user_id: str
    task_id: str
    status: TaskStatus
    reason: InterruptReason | None


class ServingAnswer(TypedDict):
    """The phase of this process."""

    serving: Phase
