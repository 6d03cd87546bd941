"""Resolves questions: by a form, by a message, by a stop of their agent, or because they have expired.

Whoever resolves a question holds the user's conversation, and stores the resolution on condition that the
question is still open, before acting on it. So of two answers at the same instant, or an answer and a new
message, one comes first, and the sender of the other gets an error.
"""

import contextlib
from collections.abc import Sequence
from typing import Any, Literal

from pydantic import with_config
from typing_extensions import TypedDict

from ..domain import events
from ..domain.inputs import InputRequest, Resolution, in_words
from ..domain.task import InterruptReason, TaskStatus
from ..errors import BadInput, NotFound, NotOpen
from ..log.state_store.records import MustBeOpen, Record
from ..tasks.input_schema import checked
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .closing import close, find_out
from .conversation import Conversation
from .starting import interrupt

Decision = Literal["allow", "deny"]


@with_config(defer_build=True)
class AnsweredAnswer(TypedDict):
    """An accepted answer; the task resumes with it."""

    user_id: str
    task_id: str
    request_id: str
    outcome: Resolution
    status: TaskStatus
    seq: int
    epoch: str


async def answer_request(
    conversation: Conversation,
    request_id: str,
    *,
    answer: Any,
    decision: Decision | None,
    note: str | None = None,
) -> AnsweredAnswer:
    """Take the answer to a question, or the decision on a permission, and resume the task with it.

    The caller holds the conversation. When this returns, the answer is durable. Raises `NotFound`, `NotOpen`
    (answered, withdrawn or expired), `BadInput` for an invalid answer, `StoreUnavailable` and `ShuttingDown`;
    then the question is still open.
    """
    conversation.check_open()
    await find_out(conversation)
    context, request = await _find_open(conversation, request_id)
    if request.permission is not None:
        given = _decided(answer, decision, note)
        reading = Reading(answers={request_id: given})
    else:
        given = _fitting(request, answer, decision)
        asked = context.inputs.open
        reading = conversation.workflow.take(given, request, context.task.request, asked=asked)
    message = in_words(request.question, given) or None
    seq = await resolve(conversation, context, reading, message=message)
    return AnsweredAnswer(
        user_id=conversation.user_id,
        task_id=context.task_id,
        request_id=request_id,
        outcome=request.answered(given).resolution or "answered",
        status=context.task.status,
        seq=seq,
        epoch=conversation.epoch,
    )


async def resolve(
    conversation: Conversation,
    context: TaskContext,
    reading: Reading,
    *,
    message: str | None = None,
    client_id: str | None = None,
    also: Sequence[Record] = (),
) -> int:
    """Store answers to open questions, and the request that the task resumes with; then resume it.

    A `message` that answers, or a form in words, takes the next turn of the conversation; `client_id` is the
    sender's id for it. Both, and the `also` records, become durable together with the answers. The caller
    holds the conversation. Returns the user's `seq`.
    """
    closed = {
        each.request_id: each.answered(reading.answers[each.request_id])
        for each in context.inputs.open
        if each.request_id in reading.answers
    }
    return await close(
        conversation,
        context,
        closed,
        reading.answers,
        request=reading.request,
        message=message,
        client_id=client_id,
        also=also,
    )


async def waive(conversation: Conversation, context: TaskContext, agent: str) -> None:
    """Withdraw a stopped agent's questions, and resume its task without answers to them.

    The caller holds the conversation. Raises `StoreUnavailable`; then they are still open.
    """
    asked = [each for each in context.inputs.open if each.question.agent == agent]
    if asked:
        waived = {each.request_id: each.waived() for each in asked}
        await close(conversation, context, waived, waived)


async def expire(conversation: Conversation, due: InputRequest) -> None:
    """End the task of a question that has expired; the caller holds the conversation.

    Raises `StoreUnavailable`.
    """
    await find_out(conversation)
    # Read again: it may have been answered between the search for expired questions and this lock.
    request = await conversation.store.get_input(due.user_id, due.request_id)
    if request is None or not request.open or conversation.interruptions.closing:
        return
    active = conversation.active
    if active is not None and active.task_id == due.task_id:
        interrupt(conversation, active, InterruptReason.TIMED_OUT)
    elif conversation.interruptions.context_of(due.task_id) is None:
        # Its task has ended without resolving it: resolve the question alone.
        expired = request.resolved("expired")
        event = events.input_resolved(expired, at=conversation.clock())
        # Only if it is still open: its task may have settled, and withdrawn it, since it was read.
        with contextlib.suppress(NotOpen):
            await conversation.log.commit(conversation.tenure, MustBeOpen(expired.request_id), expired, event)


async def _find_open(conversation: Conversation, request_id: str) -> tuple[TaskContext, InputRequest]:
    """Return an open question and the task that asks it. Raises `NotFound` and `NotOpen`."""
    # Memory first: it also knows the question whose record the store has not taken yet.
    active = conversation.active
    request = active.inputs.get(request_id) if active is not None else None
    request = request or await conversation.store.get_input(conversation.user_id, request_id)
    if request is None:
        raise NotFound(f"There is no question {request_id!r}.", code="unknown_request")
    if request.resolution in ("answered", "allowed", "denied"):
        raise NotOpen("That question was answered already.", code="answered")
    if request.resolution == "expired" or (request.open and request.expires_at <= conversation.clock()):
        raise NotOpen("The time to answer that question is over.", code="expired")
    if not request.open or active is None or active.told_to_end or active.task_id != request.task_id:
        raise NotOpen("That question was withdrawn: something else came in between.")
    return active, request


def _fitting(request: InputRequest, answer: Any, decision: Decision | None) -> dict[str, Any]:
    """Return the valid answer to a question. Raises `BadInput` for any other."""
    if decision is not None:
        raise BadInput.of_fields(("decision", "this is a question, and not a permission; send `answer`"))
    if answer is None:
        raise BadInput.of_fields(("answer", "Field required"))
    return checked(request.question, answer)


def _decided(answer: Any, decision: Decision | None, note: str | None) -> dict[str, Any]:
    """Return the decision on a permission. Raises `BadInput` without one, or with an answer as well."""
    if decision is None:
        missing = "this is a permission, and not a question; send `decision`" if answer else "Field required"
        raise BadInput.of_fields(("decision", missing))
    if answer is not None:
        raise BadInput.of_fields(
            ("answer", "this is a permission, and not a question; send `decision` alone")
        )
    return {"decision": decision, "note": note.strip()} if note and note.strip() else {"decision": decision}
