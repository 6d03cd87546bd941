"""Writes what a client says to the state of a user's thread: a task of its own, which never runs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from typing_extensions import TypedDict

from ..domain import events
from ..domain.errors import Conflict
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Message, Role, Task, TaskStatus
from ..store.records import NewUser, Record
from ..tasks.workflow import StateWrite, WrittenState
from .answering import find_out
from .conversation import Conversation

_ROLES: Mapping[str, Role] = {"human": "user", "user": "user", "ai": "assistant", "assistant": "assistant"}


class StateAnswer(TypedDict):
    """A state that was written: the task that stands for it, and the last step that it made."""

    task_id: str
    step_id: str
    parent: str | None
    seq: int


async def write_state(
    conversation: Conversation,
    *,
    supersteps: Sequence[Sequence[Mapping[str, Any]]],
    graph: str | None = None,
    step_id: str | None = None,
) -> StateAnswer:
    """Write to the state of a thread; the caller holds the conversation. When this returns, it is durable.

    Of several graphs it is the thread of `graph`, by default of the one that the user has spoken to last.
    A task that only waits for its user ends, and its questions are withdrawn: they are of the state before.
    Raises `Conflict` while a task runs or is queued, `BadInput` for what the graph refuses, `NotFound` for
    a step that is not kept, `StoreUnavailable` and `ShuttingDown`; then nothing was written.
    """
    conversation.check_open()
    await find_out(conversation)
    waiting = conversation.resting
    if conversation.queued or (conversation.active is not None and waiting is None):
        raise Conflict(
            "A run is under way in this thread: wait for its end, or cancel it.", code="task_active"
        )
    now = conversation.runtime.clock()
    before = conversation.situation.last_request or {}
    named = graph or before.get("graph")
    task = Task(
        task_id=conversation.runtime.new_task_id(),
        user_id=conversation.user_id,
        turn=conversation.turn + 1,
        message="",
        status=TaskStatus.COMPLETED,
        created_at=now,
        updated_at=now,
        request={"graph": named} if named else None,
        previous_task_id=conversation.requests.latest_task_id,
        writes_state=True,
        messages=0,
    )
    write = StateWrite(task=task, supersteps=supersteps, step_id=step_id, store=conversation.store)
    written = await conversation.workflow.write_state(write)
    said = [*_said(task, written)]
    task = replace(task, messages=len(said))
    told = events.state_written(
        task,
        written.step_id,
        parent=written.parent,
        as_node=written.as_node,
        channels=written.channels,
        messages=written.messages,
        removed=written.removed,
    )
    records: list[Record] = [] if conversation.stored else [NewUser(conversation.epoch)]
    # First of its events: it says what the messages after it are.
    records += [task, *written.records, told]
    for message, content in said:
        records += [message, events.message(message, content)]
    records.append(events.status_update(task, PartialResults()))
    if waiting is not None:
        waiting.announce_interruption(InterruptReason.STOPPED, now)
        records += [*conversation.mark_in_use(), waiting.task]
    try:
        seq = await conversation.commit(*records)
    except Exception:
        if waiting is not None:
            waiting.retract_interruption()
        raise
    if waiting is not None:
        conversation.interrupt(waiting, InterruptReason.STOPPED)
    conversation.stored = True
    conversation.turn = task.turn
    if conversation.requests.latest_task_id is None:
        conversation.requests.set(task)
    if written.newest is not None:
        conversation.cache.keep(written.thread, written.newest)
    else:
        conversation.cache.threads.pop(written.thread, None)
    return {"task_id": task.task_id, "step_id": written.step_id, "parent": written.parent, "seq": seq}


def _said(task: Task, written: WrittenState) -> Iterator[tuple[Message, Sequence[Mapping[str, Any]]]]:
    """Yield the messages that come into the conversation with a write, each with its blocks.

    What is no text of the user or of the assistant is in the event alone, and so is what a client has changed
    in earlier messages: the conversation keeps these as they were said.
    """
    position = 0
    for each in written.messages:
        role = _ROLES.get(each.get("type") or each.get("role") or "")
        content: Any = each.get("content")
        text = content if isinstance(content, str) else _text_of(content)
        if role is None or not text or each["id"] in written.changed:
            continue
        position += 1
        message = Message(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.turn,
            position=position,
            role=role,
            text=text,
            at=task.created_at,
            client_id=each["id"],
        )
        yield message, () if isinstance(content, str) or role != "user" else content


def _text_of(content: Any) -> str:
    """Return the text in the blocks of a message."""
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [cast("dict[str, Any]", each).get("text") for each in blocks if isinstance(each, dict)]
    return "\n\n".join(each for each in texts if isinstance(each, str))
