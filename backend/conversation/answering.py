"""Resolves questions: by a form, by a message, because their agent was stopped, or because time ran out.

Whoever resolves one holds the user's conversation, and stores it on condition that the question is still
open before acting on it. So of two answers, or an answer and a new message, at the same instant, one comes
first, and the other is told.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from ..domain import events
from ..domain.inputs import InputRequest, Resolution, in_words
from ..domain.task import InterruptReason, Task, TaskStatus
from ..domain.task_life import Step
from ..errors import BadInput, NotFound, NotOpen
from ..log.state_store.base import MustBeOpen, Record
from ..tasks.input_schema import checked
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .conversation import Conversation
from .starting import interrupt, resume

Decision = Literal["allow", "deny"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to an answer, in the contract's words: `status` is that of the task that goes on."""

    user_id: str
    task_id: str
    request_id: str
    outcome: Resolution
    status: TaskStatus
    seq: int
    epoch: str

    def to_wire(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "user_id": self.user_id,
            "task_id": self.task_id,
            "request_id": self.request_id,
            "outcome": self.outcome,
            "status": self.status,
            "seq": self.seq,
            "epoch": self.epoch,
        }


async def answer_request(
    conversation: Conversation,
    request_id: str,
    *,
    answer: Mapping[str, Any] | None,
    decision: Decision | None,
    note: str | None = None,
) -> Answered:
    """Take the answer to a question, or the decision on a permission, and resume the task with it.

    The caller holds the conversation. When this returns, the answer is durable. Raises `NotFound`, `NotOpen`
    (answered, withdrawn or expired), `BadInput` for an answer that does not fit, `StoreUnavailable` and
    `ShuttingDown`; then nothing was taken.
    """
    conversation.check_open()
    context, request = await _find_open(conversation, request_id)
    if request.permission is not None:
        given = _decided(answer, decision, note)
        reading = Reading(answers={request_id: given})
    else:
        given = _fitting(request, answer, decision)
        asked = context.inputs.open
        reading = conversation.workflow.take(given, request, context.task.request, asked=asked)
    said = in_words(request.question, given) or None
    seq = await resolve(conversation, context, reading, message=said)
    return Answered(
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
    one it was sent with. Both, and the `also` records, become durable together with the answers. The caller
    holds the conversation. Returns the user's `seq`.
    """
    before = context.task
    turn = conversation.turn + 1 if message is not None else before.spoken_turn
    context.revise(spoken_turn=turn, request=reading.request or before.request)
    said = context.message_records("user", message, client_id=client_id) if message is not None else []
    closed = {
        each.request_id: each.answered(reading.answers[each.request_id])
        for each in context.inputs.open
        if each.request_id in reading.answers
    }
    seq = await _close(conversation, context, closed, reading.answers, before=before, said=said, also=also)
    conversation.turn = max(conversation.turn, turn or 0)
    conversation.request = context.task.request
    resume(conversation)
    return seq


async def waive(conversation: Conversation, context: TaskContext, agent: str) -> None:
    """Withdraw what a stopped agent asks, and resume its task without an answer.

    The caller holds the conversation. Raises `StoreUnavailable`; then the question is open still.
    """
    asked = [each for each in context.inputs.open if each.question.agent == agent]
    if asked:
        waived = {each.request_id: each.waived() for each in asked}
        await _close(conversation, context, waived, waived, before=context.task)
        resume(conversation)


async def expire(conversation: Conversation, due: InputRequest) -> None:
    """End the task whose question was not answered in time; the caller holds the conversation.

    Raises `StoreUnavailable`.
    """
    request = await conversation.store.get_input(due.user_id, due.request_id)
    if request is None or not request.open or conversation.interruptions.closing:
        return
    active = conversation.active
    if active is not None and active.task_id == due.task_id:
        interrupt(conversation, active, InterruptReason.TIMED_OUT)
    elif conversation.interruptions.context_of(due.task_id) is None:
        # Its task ended without closing it: only the question is left to end.
        expired = request.resolved("expired")
        event = events.input_resolved(expired, at=conversation.clock())
        await conversation.log.commit(due.user_id, expired, event)


async def _close(
    conversation: Conversation,
    context: TaskContext,
    closed: Mapping[str, InputRequest],
    request_ids: Collection[str],
    *,
    before: Task,
    said: Sequence[Record] = (),
    also: Sequence[Record] = (),
) -> int:
    """Store what becomes of questions that must be open, after what was `said`; then let it take effect.

    If that fails, the task is as it was `before`, and they are open still.
    """
    records = _closing_records(context, list(closed.values()), request_ids, at=conversation.clock())
    unsaved = len(context.unsaved)
    records = [*context.unsaved, *said, *records, context.task, *also]
    try:
        seq = await conversation.log.commit(context.user_id, *records)
    except Exception:
        context.inputs.release(request_ids)
        context.revise(request=before.request, spoken_turn=before.spoken_turn)
        if not context.task.status.terminal:
            if context.inputs.open:
                context.step(Step.REOPEN)
            # Stored again: the store may have taken the answer although it reported a failure.
            context.save()
        raise
    del context.unsaved[:unsaved]
    for each in closed.values():
        context.inputs.put(each)
    return seq


def _closing_records(
    context: TaskContext, resolved: Sequence[InputRequest], request_ids: Collection[str], *, at: datetime
) -> list[Record]:
    """Close questions that must be open; return the records that tell of it, without the task's own."""
    context.inputs.hold(request_ids)
    records: list[Record] = [*map(MustBeOpen, request_ids), *resolved]
    records += [events.input_resolved(each, at=at) for each in resolved]
    for each in resolved:
        if not context.is_stopped(each.question.agent):
            records += context.progress_records(each.question.agent, "waiting")
    if not context.inputs.open:
        records += context.status_records(Step.ANSWER, at)
    return records


async def _find_open(conversation: Conversation, request_id: str) -> tuple[TaskContext, InputRequest]:
    """Return an open question and the task that asks it. Raises `NotFound` and `NotOpen`."""
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


def _fitting(
    request: InputRequest, answer: Mapping[str, Any] | None, decision: Decision | None
) -> dict[str, Any]:
    """Return the answer to a question. Raises `BadInput` where it does not fit."""
    if decision is not None:
        raise BadInput.of_fields(("decision", "this is a question, and not a permission; send `answer`"))
    if answer is None:
        raise BadInput.of_fields(("answer", "Field required"))
    return checked(request.question, answer)


def _decided(answer: Mapping[str, Any] | None, decision: Decision | None, note: str | None) -> dict[str, Any]:
    """Return the decision on a permission. Raises `BadInput` where there is none, or an answer beside it."""
    if decision is None:
        missing = "this is a permission, and not a question; send `decision`" if answer else "Field required"
        raise BadInput.of_fields(("decision", missing))
    if answer is not None:
        raise BadInput.of_fields(
            ("answer", "this is a permission, and not a question; send `decision` alone")
        )
    return {"decision": decision, "note": note.strip()} if note and note.strip() else {"decision": decision}
