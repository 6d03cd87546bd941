"""Tasks, messages and other records for tests, made with as few words as a test needs."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import blake2b
from typing import Any

from backend.domain.context import InterruptedContext
from backend.domain.events import Event, text_delta
from backend.domain.model_usage import ModelStep, RequestedCall, Usage
from backend.domain.partials import PartialBatch
from backend.domain.questions import InputRequest, Question
from backend.domain.task import InterruptReason, Message, Task, TaskStatus
from backend.domain.tool_call import ToolCall
from backend.store.ownership import Lease
from backend.store.records import SavedPartial
from backend.store.threads import ID_BYTES, SavedThread, ThreadStep

ANN, BOB = Lease("ann"), Lease("bob")
AT = datetime(2026, 3, 1, 8, 30, 0, 123_456, tzinfo=UTC)


def a_task(user_id: str = "ann", turn: int = 1, **fields: Any) -> Task:
    values: dict[str, Any] = {
        "task_id": f"{user_id}-{turn}",
        "message": f"message {turn}",
        "status": TaskStatus.RUNNING,
        "created_at": AT,
        "updated_at": AT,
    }
    return Task(user_id=user_id, turn=turn, **values | fields)


def a_message(user_id: str = "ann", turn: int = 1, position: int = 0, **fields: Any) -> Message:
    values: dict[str, Any] = {
        "task_id": f"{user_id}-{turn}",
        "role": "user",
        "text": f"{turn}.{position}",
        "at": AT,
    }
    return Message(user_id=user_id, turn=turn, position=position, **values | fields)


def an_event(text: str = "hello", *, task_id: str = "ann-1", offset: int = 0) -> Event:
    return text_delta(task_id, text, offset=offset, at=AT)


def a_partial(turn: int = 1, position: int = 0, *items: Any, agent: str = "flight") -> SavedPartial:
    return SavedPartial(turn, position, PartialBatch.of(agent, items or [{"found": position}], source="demo"))


def a_context(user_id: str = "ann", turn: int = 1, **fields: Any) -> InterruptedContext:
    values: dict[str, Any] = {
        "task_id": f"{user_id}-{turn}",
        "message": f"message {turn}",
        "reason": InterruptReason.SUPERSEDED,
        "at": AT,
        "partial_results": b'{"flight":[{"price":1.5}],"hotel":[]}',
        "counts": {"flight": 1, "hotel": 0},
        "text": "so far",
        "request": {"stars": 4},
    }
    return InterruptedContext(user_id=user_id, turn=turn, **values | fields)


def a_question(agent: str = "flight", **fields: Any) -> Question:
    values: dict[str, Any] = {
        "prompt": "Which city?",
        "schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "defaults": {"nights": 2},
    }
    return Question(agent=agent, **values | fields)


def an_input(user_id: str = "ann", turn: int = 1, number: int = 1, **fields: Any) -> InputRequest:
    values: dict[str, Any] = {
        "request_id": f"{user_id}-{turn}-q{number}",
        "task_id": f"{user_id}-{turn}",
        "question": a_question(),
        "pause_id": f"pause {number}",
        "branch": f"branch {number}",
        "asked_at": AT,
        "expires_at": AT + timedelta(hours=number),
    }
    return InputRequest(user_id=user_id, turn=turn, number=number, **values | fields)


def a_tool_call(user_id: str = "ann", turn: int = 1, number: int = 1, **fields: Any) -> ToolCall:
    """A search that was made by the task of that turn."""
    known: dict[str, Any] = {
        "call_id": f"{user_id}-{turn}-c{number}",
        "user_id": user_id,
        "task_id": f"{user_id}-{turn}",
        "turn": turn,
        "agent": "flight",
        "tool": "search_flights",
        "effect": "read",
        "key": "search_flights:1",
        "requested_at": AT + timedelta(seconds=number),
    }
    return ToolCall(**{**known, **fields})


def a_model_step(user_id: str = "ann", turn: int = 1, position: int = 0, **fields: Any) -> ModelStep:
    """What a model said in the task of that turn: that flights are to be searched."""
    known: dict[str, Any] = {
        "task_id": f"{user_id}-{turn}",
        "said_in": turn,
        "agent": "flight",
        "calls": (RequestedCall(call_id=f"c{turn}-{position}-0", tool="search_flights"),),
        "usage": Usage(12, 3, 1),
        "at": AT + timedelta(seconds=position),
    }
    return ModelStep(user_id=user_id, turn=turn, position=position, **{**known, **fields})


def a_thread_step(number: int = 1, *pieces: bytes, paged: Sequence[bytes] = (), **fields: Any) -> ThreadStep:
    """A step that refers to pieces, and to others by way of a page, with all of them."""
    ids = [blake2b(each, digest_size=ID_BYTES).digest() for each in (*paged, *pieces)]
    page = b"".join(ids[: len(paged)])
    page_id = blake2b(page, digest_size=ID_BYTES).digest() if paged else b""
    known: dict[str, Any] = {
        "graph": "",
        "step_id": f"step {number}",
        "parent": f"step {number - 1}" if number > 1 else None,
        "turn": 1,
        "body": b"manifest",
        "pages": page_id,
        "pieces": b"".join(ids[len(paged) :]),
        "held": dict(zip(ids, (*paged, *pieces), strict=True)) | ({page_id: page} if paged else {}),
    }
    return ThreadStep(number=number, **{**known, **fields})


def a_thread(user_id: str, minute: int = 0, changed: int = 0, **fields: Any) -> SavedThread:
    """A thread in the index, of which something has changed so many minutes later."""
    return SavedThread(
        user_id=user_id,
        created_at=AT + timedelta(minutes=minute),
        updated_at=AT + timedelta(minutes=changed),
        **fields,
    )


def nested(levels: int) -> list[object]:
    """Return a list in a list, and so on."""
    value: list[object] = []
    for _ in range(levels - 1):
        value = [value]
    return value
