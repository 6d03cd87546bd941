"""The chunks of a UI message stream, as the schema of `ai` 7.0.173 has them: an unknown one ends the stream.

`start` comes first, `finish` last; after an `error` the client reads nothing more.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from ...domain.encoding import encode
from ..thread.state import Frame, Run

Chunk = Mapping[str, Any]

DONE = b"data: [DONE]\n\n"


def encoded(chunk: Chunk) -> bytes:
    """Return a chunk as a server-sent event."""
    return b"data: %b\n\n" % encode(chunk)


def start(run: Run, message_id: str | None = None) -> Chunk:
    """Begin an assistant message of a run, the first has the run's id.

    A message of the same id is begun anew by a resumed stream.
    """
    metadata = {"runId": run.run_id, "taskId": run.task_id, "createdAt": run.created_at}
    return {"type": "start", "messageId": message_id or run.run_id, "messageMetadata": metadata}


def anew() -> Chunk:
    """Drop all that the message has shown."""
    return {"type": "reset-step"}


def partial(agent: str, items: list[Any], count: int) -> Chunk:
    """Show all results of an agent in place of those before."""
    return {"type": "data-partial", "id": agent, "data": {"agent": agent, "items": items, "count": count}}


def agent(frame: Frame, request: Any) -> Chunk:
    """Show how far an agent has come with a request; None if it has none."""
    data = {**_plain(frame), **({} if request is None else {"request": request})}
    return {"type": "data-agent", "id": frame["agent"], "data": data}


def tool(frame: Frame) -> Chunk:
    """Show how far a tool call has come."""
    return {"type": "data-tool", "id": frame["call_id"], "data": _plain(frame)}


def question(frame: Frame, outcome: str | None = None) -> Chunk:
    """Show an open question, or what became of it."""
    data = _plain(frame)
    if outcome is not None:
        data["outcome"] = outcome
    return {"type": "data-question", "id": frame["request_id"], "data": data}


def interruption(receipt: Frame) -> Chunk:
    """Show the receipt of an interruption."""
    return {"type": "data-interruption", "data": receipt}


def parted(run: Run) -> Chunk:
    """End a message of a run whose next one is shown in another stream."""
    metadata = {"status": run.status, "reason": run.reason}
    return {"type": "finish", "finishReason": "stop", "messageMetadata": metadata}


def ending(run: Run, failure: str | None) -> Iterator[Chunk]:
    """End the message of a run; `failure` is why it failed, if it has."""
    metadata = {"status": run.status, "reason": run.reason}
    if failure is not None:
        yield {"type": "error", "errorText": failure}
        reason = "error"
    elif run.status in {"interrupted", "timeout"}:
        yield {"type": "abort", "reason": run.reason or run.status}
        reason = "interrupted"
    else:
        reason = "stop"
    yield {"type": "finish", "finishReason": reason, "messageMetadata": metadata}


def _plain(frame: Frame) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name not in {"seq", "type", "task_id", "at"}}
