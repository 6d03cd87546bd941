"""Messages that are to steer the running task: accepted, revised, sent at once, or left for its end.

Each is stored as a queued task, so that it becomes a task of its own wherever no run takes it in: at the end
of the run, after a crash, and on a server of an earlier release. A run takes it in by `Pending`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NotRequired

from pydantic import with_config
from typing_extensions import TypedDict

from ..domain import events
from ..domain.encoding import to_wire
from ..domain.errors import BadInput, Conflict, NotFound
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Steer, Task, TaskStatus
from ..domain.task_life import TaskLife, Transition, recorded
from ..store.records import Record
from ..tasks.inbox import message_of
from ..tasks.workflow import CALLER_TRACE, Reading
from .accepted import Accepted
from .answering import find_out
from .conversation import MOST_STEERED, Conversation
from .deciding import Decided
from .starting import start_next_soon, store

Change = Literal["edit", "withdraw", "now", "later"]
"""What a user may do with a message that is pending."""

_BROUGHT = "{}: a message that steers a run brings nothing else for it."


@with_config(defer_build=True)
class PendingView(TypedDict):
    """A message that waits to be taken in; `revision` counts its edits."""

    message_id: str
    text: str
    revision: int
    at: str


@with_config(defer_build=True)
class PendingAnswer(TypedDict):
    """What became of a message that was pending; `task_id` is the task in whose run it is, or is to be."""

    user_id: str
    message_id: str
    task_id: str
    steer: Steer
    text: str
    revision: int
    interrupted_task_id: NotRequired[str | None]


def pending_view(task: Task) -> PendingView:
    """Return a message that waits, in the contract's form."""
    return {
        "message_id": task.message_id,
        "text": task.message,
        "revision": task.revision,
        "at": to_wire(task.created_at),
    }


async def check_meant(conversation: Conversation, task_id: str | None) -> None:
    """Raise `Conflict` if another task is active than the one of this id, or a retry of its message."""
    active = conversation.interruptible
    if task_id is None or active is None:
        return
    task = active.task
    if task_id in (task.task_id, task.asked_in):
        return
    meant = await conversation.runtime.store.get_task_metadata(conversation.user_id, task_id)
    if meant is None or task.asked_in is None or task.asked_in not in (meant.task_id, meant.asked_in):
        raise Conflict(
            f"Another task runs by now: {task.task_id}.", code="other_task", details={"task_id": task.task_id}
        )


def gives_permission(conversation: Conversation, reading: Reading) -> bool:
    """Return whether a message answers that something may be done, which is more than to steer."""
    answers = reading.answers
    return any(
        each.allows(answers[each.request_id]) for each in conversation.asked if each.request_id in answers
    )


def can_steer(conversation: Conversation, reading: Reading, given: Mapping[str, Any] | None) -> bool:
    """Return whether a message waits to be taken in, and is not one like any other since nothing runs.

    Raises `BadInput` for what is given beside it, `Conflict` if the run is another graph's or takes no more.
    """
    active = conversation.interruptible
    waiting = conversation.inbox.waiting
    if active is None and not waiting:
        return False
    if active is not None:
        for name in given or {}:
            if name != "graph":
                raise BadInput(_BROUGHT.format(name))
        if (reading.request or {}).get("graph") != active.task.graph:
            raise Conflict("Another graph runs: it cannot take this in.", code="other_graph")
    taken = [each for each in active.task.took_in if not each.before] if active is not None else []
    if len(taken) + len(waiting) >= MOST_STEERED:
        raise Conflict(
            f"A run takes in {MOST_STEERED} messages at most; send this one when it has ended.",
            code="steered_too_often",
        )
    return True


async def accept_steering(
    conversation: Conversation, message: str, reading: Reading, *, priority: int, client_id: str | None
) -> Accepted:
    """Accept a message that is to steer the active task; the caller holds the conversation.

    When this returns, the message is durable. Raises `StoreUnavailable`; then nothing was accepted.
    """
    active = conversation.interruptible
    now = conversation.runtime.clock()
    running = active.task if active is not None else None
    task = Task(
        task_id=conversation.runtime.new_task_id(),
        user_id=conversation.user_id,
        turn=conversation.turn + 1,
        message=message,
        status=TaskStatus.QUEUED,
        created_at=now,
        updated_at=now,
        policy="enqueue",
        priority=priority,
        relation=reading.relation,
        request=reading.request,
        previous_task_id=conversation.requests.latest_task_id,
        subject=reading.subject,
        traceparent=CALLER_TRACE.get(),
        steer="pending",
        client_id=client_id,
    )
    # Without a running task, what waits becomes one; which message is its last is decided as it starts.
    of = running or task
    accepted = Accepted(
        task_id=of.task_id,
        user_id=task.user_id,
        status=of.status,
        policy="steer",
        relation=task.relation,
        interrupted_task_id=None,
        epoch=conversation.epoch,
        graph=of.graph,
        message_id=task.message_id,
        steer="pending",
    )
    entry = message_of(task, "pending")
    told = events.steer(of.task_id, task, "pending", at=now)
    records: list[Record] = [*conversation.occupy(), task, entry, events.message(entry), told]
    if client_id is not None:
        records.append(accepted.kept_for(client_id, message))
    seq = await conversation.runtime.log.commit(conversation.tenure, *records)
    conversation.turn = task.turn
    conversation.enqueue(task)
    start_next_soon(conversation)  # the task may have ended during the commit
    return replace(accepted, seq=seq)


async def as_by_now(conversation: Conversation, first: Accepted) -> Accepted:
    """Return the first answer to a message that was to steer, with what has become of it since."""
    if first.message_id is None or first.steer != "pending":
        return first
    task = await conversation.runtime.store.get_task_metadata(
        conversation.user_id, _task_id(first.message_id)
    )
    if task is None:
        return first
    active = conversation.interruptible
    if task.steer == "own_task":
        return replace(first, steer=task.steer, task_id=task.task_id, status=task.status)
    if task.steer == "pending" and active is not None:  # by now perhaps a retry of the one that was lost
        return replace(first, task_id=active.task_id, status=active.task.status)
    return replace(first, steer=task.steer, task_id=task.taken_in_by or first.task_id)


async def change(
    conversation: Conversation,
    message_id: str,
    how: Change,
    *,
    text: str | None = None,
    revision: int | None = None,
) -> PendingAnswer:
    """Edit, withdraw, send at once, or leave for the end a message that is pending. Idempotent.

    The caller holds the conversation. When this returns, it is durable. An edit names the revision that it
    saw. Raises `NotFound`, `Conflict` if the message has another place by now or another revision,
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
    """Return the records by which messages that wait are withdrawn."""
    now = conversation.runtime.clock()
    records: list[Record] = []
    for each in messages:
        life = TaskLife.of(each).after(Transition.INTERRUPT, reason=InterruptReason.STOPPED)
        life = life.after(Transition.SETTLE) if life is not None else None
        if life is None:
            raise LookupError(f"{each.task_id} does not wait")
        ended = replace(
            recorded(each, life, at=now), reason=InterruptReason.STOPPED, steer="withdrawn", aside=True
        )
        told = events.steer(_waits_for(conversation, each), each, "withdrawn", at=now)
        records += [ended, message_of(each, "withdrawn"), told]
    return records


# --- what a user does with one -------------------------------------------------------------------------


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
    start_next_soon(conversation)
    return _answer(conversation, task, "own_task")


async def _send_now(conversation: Conversation, message: Task) -> PendingAnswer:
    """Have a message interrupt the active task; the others that wait stand before it in its run."""
    life = TaskLife.of(message).after(Transition.START)
    if life is None:
        raise LookupError(f"{message.task_id} does not wait")
    now = conversation.runtime.clock()
    task = replace(recorded(message, life, at=now), started_at=now, steer="own_task")
    active = conversation.interruptible
    reading = Reading(relation=task.relation, request=task.request, subject=task.subject)
    decided = Decided(
        task=task,
        reading=reading,
        superseded=active,
        reason=InterruptReason.SUPERSEDED,
    )
    told = events.steer(task.task_id, message, "own_task", at=now)
    conversation.inbox.hold([message])
    try:
        _, interrupted = await store(conversation, decided, message_of(task, None), told)
    finally:
        conversation.inbox.put_back([message])
    return {**_answer(conversation, task, "own_task"), "interrupted_task_id": interrupted}


async def _commit_holding(conversation: Conversation, messages: Sequence[Task], *records: Record) -> int:
    """Commit what was decided about messages; no run takes one in meanwhile, nor after it."""
    conversation.inbox.hold(messages)
    try:
        return await conversation.runtime.log.commit(conversation.tenure, *records)
    except Exception:
        conversation.inbox.put_back(messages)
        raise


async def _changed_before(conversation: Conversation, message_id: str, how: Change) -> PendingAnswer:
    """Return the answer to a change that was made before. Raises `NotFound`, and `Conflict` for any other."""
    task = await conversation.runtime.store.get_task_metadata(conversation.user_id, _task_id(message_id))
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
    """Return the task that a message waits for; its own if that has ended: nothing is told of it any more."""
    active = conversation.active
    return active.task_id if active is not None and not active.task.status.terminal else message.task_id


def _task_id(message_id: str) -> str:
    return message_id.rpartition(".")[0]
