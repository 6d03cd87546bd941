"""How one task went: its parts with their times, its events and its receipt, without a word of anybody.

All of it is read from the store, so any replica can tell it. Agents are folded from the log, as their spans
are (`tracing`); tool calls come from the ledger, model steps and questions from their own records.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NotRequired

import orjson
from pydantic import with_config
from typing_extensions import TypedDict

from ...domain.clock import to_wire
from ...domain.inputs import InputRequest
from ...domain.model_step import ModelStep, UsageView
from ...domain.task import AgentProgress, InterruptReason, StoppedBy, Task, TaskStatus
from ...domain.tool_call import Effect, Outcome, ToolCall
from ...errors import NotFound
from ...log.state_store.base import StateStore
from ...tasks.task_context import TaskContext
from .task_events import TaskEvent, events_of

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


class TimelineEvent(TypedDict):
    """An event of a task: what it is `about`, and what became of that.

    `count` is more than one where the same was told again while nothing but progress was made.
    """

    seq: int
    at: str
    type: str
    about: str
    state: str
    count: int


class ReceiptCall(TypedDict):
    """What became of a tool call."""

    call_id: str
    tool: str
    effect: Effect
    outcome: Outcome


class ReceiptFigures(TypedDict):
    """The receipt of a task, without what its tools say in words."""

    reason: InterruptReason | None
    stopped_by: NotRequired[StoppedBy]
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: Mapping[str, int]
    tool_calls: Sequence[ReceiptCall]
    adopted_by: str | None
    amendments: int


@with_config(defer_build=True)
class TaskTimelineAnswer(TypedDict):
    """How a task went, or goes; `receipt` is null until it has ended.

    `complete` is false where events are no longer stored, or there is more than is told. `usage` is null
    where it is not known here: of a task that runs on another replica.
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
    events, complete = await events_of(store, task)
    parts = [
        *_agents(await store.get_progress(user_id, task.turn), events),
        *_calls(task, await store.get_tool_calls(user_id, task.turn)),
        *_steps(task, await store.get_model_steps(user_id, since_turn=task.turn)),
        *_questions(task, await store.get_inputs(user_id, task.turn), events),
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
        "started_at": _told(task.started_at),
        "ended_at": to_wire(task.updated_at) if has_ended else None,
        "usage": usage,
        "parts": parts[:MOST_PARTS],
        "events": [_event(each) for each in events[:MOST_EVENTS]],
        "complete": complete and len(parts) <= MOST_PARTS and len(events) <= MOST_EVENTS,
        "receipt": None if receipt is None else _figures(receipt),
    }


def _agents(progress: Mapping[str, AgentProgress], events: Iterable[TaskEvent]) -> Iterator[TaskPart]:
    """Yield each stretch of an agent's work: as it stands now, and those that only the log still knows."""
    stretches: dict[tuple[str, str], TaskPart] = {}
    told: list[Mapping[str, Any]] = [each.told for each in events if each.type == "agent_update"]
    told += [{"agent": name, **now.to_wire()} for name, now in progress.items()]
    for each in told:
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
    yield from stretches.values()


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
                "ended_at": _told(call.ended_at),
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
    task: Task, requests: Iterable[InputRequest], events: Iterable[TaskEvent]
) -> Iterator[TaskPart]:
    resolved = {each.told["request_id"]: each.at for each in events if each.type == "input_resolved"}
    for request in requests:
        if request.task_id == task.task_id:
            yield {
                "part_id": request.request_id,
                "kind": "question",
                "name": request.kind,
                "agent": request.question.agent,
                "state": request.resolution or "open",
                "began_at": to_wire(request.asked_at),
                "ended_at": resolved.get(request.request_id),
                "found": None,
                "usage": None,
            }


def _event(event: TaskEvent) -> TimelineEvent:
    return {
        "seq": event.seq,
        "at": event.at,
        "type": event.type,
        "about": event.about,
        "state": event.state,
        "count": event.count,
    }


def _figures(receipt: Mapping[str, Any]) -> ReceiptFigures:
    calls: Sequence[Mapping[str, Any]] = receipt["tool_calls"][:MOST_PARTS]
    figures: ReceiptFigures = {
        "reason": receipt["reason"],
        "requested_at": receipt["requested_at"],
        "settled_at": receipt["settled_at"],
        "text_kept": receipt["text_kept"],
        "partial_results": receipt["partial_results"],
        "tool_calls": [
            {
                "call_id": call["call_id"],
                "tool": call["tool"],
                "effect": call["effect"],
                "outcome": call["outcome"],
            }
            for call in calls
        ],
        "adopted_by": receipt["adopted_by"],
        "amendments": receipt.get("amendments", 0),
    }
    if "stopped_by" in receipt:
        figures["stopped_by"] = receipt["stopped_by"]
    return figures


def _told(at: datetime | None) -> str | None:
    return None if at is None else to_wire(at)
