"""What runs in this process now: read from memory, and told without a word of anybody.

A task counts until its ending is durable. What is told of one is bounded, and `MOST_LISTED` tasks are told:
those that use something first, of these the ones that have been in their phase for longest.
"""

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Literal

from typing_extensions import TypedDict

from ...conversation.conversation import Conversation
from ...domain.clock import to_wire
from ...domain.inputs import InputKind
from ...domain.model_step import NO_USAGE, UsageView
from ...domain.task import AgentState, Task, TaskStatus
from ...domain.tool_call import State
from ...tasks.task_context import TaskContext

MOST_LISTED = 200
"""Tasks in one answer: more than anybody reads, and about 200 KB."""

MOST_PARTS = 20
"""Agents, and tool calls, of one task in that answer."""

TaskPhase = Literal["ending", "working", "queued", "needs_user"]
"""Where a task is, the ones that use something first.

Told to end, and waiting for its calls to have; being worked on; waiting for its turn; waiting for its user.
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
    """A task that has not ended; `since` is when it entered its phase, `asks` what it needs its user for."""

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
        for each in _unfinished(conversations):
            phases[phase_of(*each)] += 1
            yield each

    listed = heapq.nsmallest(MOST_LISTED, counted(), key=_rank)
    return {"phases": dict(phases), "tasks": [_view(*each) for each in listed]}


def _unfinished(conversations: Iterable[Conversation]) -> Iterator[_Unfinished]:
    for conversation in conversations:
        for context in conversation.unfinished:
            yield context.task, context
        for task in conversation.queued:
            yield task, None


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
        "agents": [*islice(_agents(context), MOST_PARTS)] if context is not None else [],
        "calls": [*islice(_calls(context), MOST_PARTS)] if context is not None else [],
        "found": sum(context.partial_results.counts().values()) if context is not None else 0,
        "usage": usage.to_wire(),
    }


def _agents(context: TaskContext) -> Iterator[AgentNow]:
    for agent, now in context.agents.items():
        since = to_wire(now.since) if now.since else None
        yield {"agent": agent, "state": now.state, "count": now.count, "since": since}


def _calls(context: TaskContext) -> Iterator[CallNow]:
    for call in context.tool_calls.values():
        if call.state != "ended":
            yield {
                "call_id": call.call_id,
                "tool": call.tool,
                "agent": call.agent,
                "state": call.state,
                "since": to_wire(call.started_at or call.requested_at),
            }
