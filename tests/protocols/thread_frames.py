"""Events of one thread, as their frames are sent, with as few words as a test needs."""

from collections.abc import Iterable, Iterator
from typing import Any

from backend.protocols.thread.fold import Fold, FoldedEvent
from backend.protocols.thread.state import TaskState, ThreadState

Frame = dict[str, Any]


def frames(*events: Frame) -> list[Frame]:
    """Return the events numbered from 1 on."""
    return [
        {"seq": seq, "at": f"2026-03-01T08:30:{seq:02}.000Z", **each} for seq, each in enumerate(events, 1)
    ]


def shown_task(state: ThreadState) -> TaskState | None:
    """Return the newest task that does more than reply, else the newest."""
    newest_first = list(reversed(state.tasks.values()))
    return next((each for each in newest_first if each.agents or each.found), next(iter(newest_first), None))


def said(task: str, position: int, role: str, text: str, **fields: Any) -> Frame:
    message = {"message_id": f"{task}.{position}", "role": role, "text": text}
    return {
        "type": "message",
        "task_id": task,
        **message,
        "interrupted": False,
        "client_id": None,
        **fields,
    }


def status(task: str, status: str, message: str = "", reason: str | None = None, **found: Any) -> Frame:
    return {
        "type": "status_update",
        "task_id": task,
        "status": status,
        "reason": reason,
        "message": message,
        "current_agent": None,
        "partial_results": found,
    }


def agent(task: str, name: str, state: str) -> Frame:
    return {"type": "agent_update", "task_id": task, "agent": name, "state": state}


def found(task: str, name: str, *items: Any) -> Frame:
    return {"type": "partial_result", "task_id": task, "agent": name, "items": [*items]}


def piece(task: str, text: str, *, offset: int = 0, **by: Any) -> Frame:
    return {"type": "text_delta", "task_id": task, "text": text, "offset": offset, **by}


def call(task: str, call_id: str, arguments: str, *, offset: int = 0, of: str = "m1", **more: Any) -> Frame:
    """A piece of a call that the message `of` asks for, the last one unless it says `whole=False`."""
    about = {"message_id": of, "node": "model", "tool": "look", "whole": True}
    told = {"tool_call_id": call_id, "arguments": arguments, "offset": offset}
    return {"type": "tool_call", "task_id": task, **about, **told, **more}


def result(task: str, call_id: str, text: str, **more: Any) -> Frame:
    """The result of a call, in the state of the graph."""
    about = {"message_id": f"{task}.{call_id}.r", "role": "tool", "node": "tools", "status": "success"}
    return {"type": "graph_message", "task_id": task, **about, "tool_call_id": call_id, "text": text, **more}


def asked(task: str, number: int, name: str = "flight") -> Frame:
    return {
        "type": "input_request",
        "task_id": task,
        "request_id": f"{task}-q{number}",
        "kind": "question",
        "agent": name,
        "prompt": f"Question {number}?",
        "schema": {"type": "object", "properties": {"answer": {"type": "string"}}},
        "defaults": {},
        "expires_at": "2026-03-02T08:30:00.000Z",
    }


def resolved(task: str, number: int, outcome: str = "answered") -> Frame:
    return {
        "type": "input_resolved",
        "task_id": task,
        "request_id": f"{task}-q{number}",
        "outcome": outcome,
    }


def rests(task: str) -> Frame:
    return {"type": "task_resting", "task_id": task}


def receipt(task: str, reason: str) -> Frame:
    return {"type": "receipt", "task_id": task, "receipt": {"task_id": task, "reason": reason}}


def steer(task: str, of: str, fate: str, text: str, *, revision: int = 0) -> Frame:
    """What became of the message of the task `of`, in the run of a task."""
    return {
        "type": "steer",
        "task_id": task,
        "message_id": f"{of}.0",
        "steer": fate,
        "text": text,
        "revision": revision,
    }


def steers(task: str, of: str, text: str, **fields: Any) -> tuple[Frame, Frame]:
    """A message that is to steer a task."""
    return said(of, 0, "user", text, steer="pending", **fields), steer(task, of, "pending", text)


def message(task: str, text: str) -> tuple[Frame, Frame]:
    """A message, whose task runs at once."""
    return said(task, 0, "user", text), status(task, "running", text)


def interrupted(task: str, text: str, reason: str) -> tuple[Frame, Frame, Frame]:
    """The end of an interrupted task: marker, status, receipt."""
    return (
        said(task, 9, "system", f"Interrupted: {reason}."),
        status(task, "interrupted", text, reason),
        receipt(task, reason),
    )


def fold(
    events: Iterable[Frame], *, retries: dict[str, str] | None = None, continued: Iterable[str] = ()
) -> tuple[list[FoldedEvent], ThreadState]:
    """Return the steps of events, and the state after them."""
    state = ThreadState("epoch")
    folded = Fold(state, retries=retries or {}, continued={*continued})
    return [folded.take(each) for each in events], state


def fold_slowly(events: Iterable[Frame]) -> Iterator[tuple[FoldedEvent, ThreadState]]:
    """Yield each step of events with the state after it, which the next step changes."""
    state = ThreadState("epoch")
    folded = Fold(state, retries={}, continued={*()})
    for each in events:
        yield folded.take(each), state


def runs_of(state: ThreadState) -> list[tuple[str, str, bool]]:
    """Return each run's id and status, and whether it has ended, oldest first."""
    return [(each.run_id, each.status, each.ended) for each in state.runs.values()]
