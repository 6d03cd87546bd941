"""Renders what the store knows of a user as the contract's JSON."""

from typing import Any

from ...domain.clock import to_wire
from ...domain.partials import PartialResults
from ...domain.task import Message, current_agent
from ...log.state_store.base import History, Snapshot, Standing, UserPosition


def _position(position: UserPosition) -> dict[str, Any]:
    return {"seq": position.seq, "epoch": position.epoch}


def status_view(standing: Standing) -> dict[str, Any]:
    """Return `GET /status`."""
    task = standing.task
    return {
        "user_id": task.user_id,
        "task_id": task.task_id,
        "status": task.status,
        "reason": task.reason if task.status.terminal or task.status == "cancelling" else None,
        "message": task.message,
        "policy": task.policy,
        "current_agent": current_agent(standing.agents),
        "agents": {name: now.to_wire() for name, now in standing.agents.items()},
        "input_request": standing.inputs[0].to_wire() if standing.inputs else None,
        "input_requests": [request.to_wire() for request in standing.inputs],
        "queued": standing.queued,
        "previous_task_id": task.previous_task_id,
        "created_at": to_wire(task.created_at),
        "updated_at": to_wire(task.updated_at),
        **_position(standing.position),
    }


def partial_results_view(snapshot: Snapshot) -> dict[str, Any]:
    """Return `GET /partial-results`."""
    found = PartialResults()
    for saved in snapshot.partials:
        if saved.found is not None:
            found.add(saved.found)
        found.say(saved.text)
    return {
        "user_id": snapshot.task.user_id,
        "task_id": snapshot.task.task_id,
        "status": snapshot.task.status,
        "partial_results": found.fragment(),
        "text": found.text,
        "interrupted": [context.to_wire() for context in snapshot.interrupted],
        **_position(snapshot.position),
    }


def message_view(message: Message) -> dict[str, Any]:
    """Return one message as the history lists it."""
    return {
        "message_id": message.message_id,
        "role": message.role,
        "text": message.text,
        "task_id": message.task_id,
        "at": to_wire(message.at),
        "interrupted": message.interrupted,
        "client_id": message.client_id,
    }


def history_view(user_id: str, history: History) -> dict[str, Any]:
    """Return `GET /history`."""
    return {
        "user_id": user_id,
        "messages": [message_view(message) for message in history.messages],
        **_position(history.position),
    }


def snapshot_frame(position: UserPosition, snapshot: Snapshot | None) -> dict[str, Any]:
    """Return the `snapshot` frame of a WebSocket; of a user who never wrote, an empty one."""
    return {
        "type": "snapshot",
        **_position(position),
        "status": status_view(snapshot) if snapshot else None,
        "partial_results": partial_results_view(snapshot) if snapshot else None,
        "history": [message_view(message) for message in snapshot.messages] if snapshot else [],
    }
