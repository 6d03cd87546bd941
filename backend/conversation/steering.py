"""A user's decisions about a pending message: edit, withdraw, send at once, or leave for the end."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ..domain import events
from ..domain.encoding import to_wire
from ..domain.errors import Conflict, NotFound
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Steer, Task
from ..domain.task_life import Transition, stepped
from ..store.records import Record
from ..tasks.inbox import message_of
from ..tasks.workflow import Reading
from .accepting import store, task_id_of
from .answering import find_out
from .conversation import Conversation
from .deciding import Decided

Change = Literal["edit", "withdraw", "now", "later"]
"""What a user may do with a pending message."""


class PendingView(TypedDict):
    """A message that waits to be taken in; `revision` counts its edits."""

    message_id: str
    text: str
    revision: int
    at: str


class PendingAnswer(TypedDict):
    """The fate of a message that was pending; `task_id` is the task in whose run it is, or is to be."""

    user_id: str
    message_id: str
    task_id: str
    steer: Steer
    text: str
    revision: int
    interrupted_task_id: NotRequired[str | None]


def pending_view(task: Task) -> PendingView:
    """Return a pending message in the contract's form."""
    return {
        "message_id": task.message_id,
        "text": task.message,
        "revision": task.revision,
        "at": to_wire(task.created_at),
    }


async def change(
    conversation: Conversation,
    message_id: str,
    how: Change,
    *,
    text: str | None = None,
    revision: int | None = None,
) -> PendingAnswer:
    """Edit, withdraw, send at once, or leave for the end a pending message. Idempotent.

    The caller holds the conversation. When this returns, the change is durable. An edit names the revision
    that it saw. Raises `NotFound`, `Conflict` if the message is no longer pending or has another revision,
    `ShuttingDown` and `StoreUnavailable`; then nothing was changed.
    """
    conversation.check_open()
    conversation.check_known()
    await find_out(conversation)
    if all(each.message_id != message_id for each in conversation.inbox.waiting):
        return await _changed_before(conversation, message_id, how)
    message = conversation.inbox.find(message_id)
    if how == "edit":
        return await _edit(conversation, message, text or "", revision)
    if how == "withdraw":
        return await _withdraw(conversation, message)
    if how == "later":
        return await _leave_for_the_end(conversation, message)
    return await _send_now(conversation, message)


def withdrawal(conversation: Conversation, messages: Sequence[Task]) -> list[Record]:
    """Return the records that withdraw pending messages."""
    now = conversation.runtime.clock()
    records: list[Record] = []
    for each in messages:
        ended = stepped(each, Transition.INTERRUPT, Transition.SETTLE, at=now)
        ended = replace(ended, reason=InterruptReason.STOPPED, steer="withdrawn", aside=True)
        told = events.steer(_waits_for(conversation, each), each, "withdrawn", at=now)
        records += [ended, message_of(each, "withdrawn"), told]
    return records


async def _edit(conversation: Conversation, message: Task, text: str, revision: int | None) -> PendingAnswer:
    if text == message.message and revision in (message.revision - 1, message.revision):
        return _answer(conversation, message, "pending")
    if revision != message.revision:
        raise Conflict(
            f"The message has been edited since: it has revision {message.revision}.",
            code="stale_revision",
            details=pending_view(message),
        )
    edited = replace(
        message, message=text, revision=message.revision + 1, updated_at=conversation.runtime.clock()
    )
    entry = message_of(edited, "pending")
    answer = _answer(conversation, edited, "pending")
    told = events.steer(answer["task_id"], edited, "pending", at=edited.updated_at)
    await _commit_holding(conversation, [message], edited, entry, told)
    conversation.inbox.revise(edited)
    conversation.inbox.put_back([message])
    return answer


async def _withdraw(conversation: Conversation, message: Task) -> PendingAnswer:
    answer = _answer(conversation, message, "withdrawn")
    await _commit_holding(conversation, [message], *withdrawal(conversation, [message]))
    conversation.inbox.taken_in([message])
    conversation.on_change(conversation)
    return answer


async def _leave_for_the_end(conversation: Conversation, message: Task) -> PendingAnswer:
    now = conversation.runtime.clock()
    task = replace(message, steer="own_task", updated_at=now)
    told = events.steer(task.task_id, message, "own_task", at=now)
    update = events.status_update(task, PartialResults())
    await _commit_holding(conversation, [message], task, message_of(task, None), told, update)
    conversation.inbox.taken_in([message])
    conversation.requests.set(task)
    conversation.enqueue(task)
    conversation.start_next_soon()
    return _answer(conversation, task, "own_task")


async def _send_now(conversation: Conversation, message: Task) -> PendingAnswer:
    """Have a message interrupt the active task; the other pending ones come before it in its run."""
    now = conversation.runtime.clock()
    task = replace(stepped(message, Transition.START, at=now), started_at=now, steer="own_task")
    active = conversation.interruptible
    reading = Reading(relation=task.relation, request=task.request, subject=task.subject)
    decided = Decided(task=task, reading=reading, superseded=active, reason=InterruptReason.SUPERSEDED)
    told = events.steer(task.task_id, message, "own_task", at=now)
    conversation.inbox.hold([message])
    try:
        _, interrupted = await store(conversation, decided, message_of(task, None), told)
    finally:
        conversation.inbox.put_back([message])
    return {**_answer(conversation, task, "own_task"), "interrupted_task_id": interrupted}


async def _commit_holding(conversation: Conversation, messages: Sequence[Task], *records: Record) -> int:
    """Commit a decision about messages; no run takes one in meanwhile, nor afterwards."""
    conversation.inbox.hold(messages)
    try:
        return await conversation.commit(*records)
    except Exception:
        conversation.inbox.put_back(messages)
        raise


async def _changed_before(conversation: Conversation, message_id: str, how: Change) -> PendingAnswer:
    """Return the answer to a repeated change. Raises `NotFound`, and `Conflict` for any other change."""
    task = await conversation.store.get_task_metadata(conversation.user_id, task_id_of(message_id))
    steer = task.steer if task is not None else None
    if task is None or steer is None or task.message_id != message_id:
        raise NotFound(f"No message {message_id!r} is pending.", code="unknown_message")
    is_done = steer == {"withdraw": "withdrawn", "now": "own_task", "later": "own_task"}.get(how)
    if not is_done:
        raise Conflict(
            f"The message is not pending any more: {_IN_WORDS[steer]}.",
            code="not_pending",
            details={"task_id": task.taken_in_by or task.task_id, "steer": steer},
        )
    return _answer(conversation, task, steer)


_IN_WORDS: Mapping[Steer, str] = {
    "pending": "it waits",
    "taken_in": "the run has taken it in",
    "merged": "it is in the run of a later message",
    "own_task": "it is a task of its own",
    "withdrawn": "it was withdrawn",
}


def _answer(conversation: Conversation, task: Task, steer: Steer) -> PendingAnswer:
    running = task.task_id if steer == "own_task" else _waits_for(conversation, task)
    return {
        "user_id": conversation.user_id,
        "message_id": task.message_id,
        "task_id": task.taken_in_by or running,
        "steer": steer,
        "text": task.message,
        "revision": task.revision,
    }


def _waits_for(conversation: Conversation, message: Task) -> str:
    """Return the task that a message waits for; its own if that has ended, and publishes no more events."""
    active = conversation.active
    return active.task_id if active is not None and not active.task.status.terminal else message.task_id
