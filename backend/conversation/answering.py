"""Resolves questions: by a form, by a message, by a stop of their agent, or because they have expired.

A resolution is stored with the conversation locked, on condition that the question is still open, and applied
after that. So of two answers at the same instant, or an answer and a new message, one comes first, and the
sender of the other gets an error.
"""

import contextlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any, Literal

from typing_extensions import TypedDict

from ..domain import events
from ..domain.errors import BadInput, NotFound, NotOpen
from ..domain.questions import InputRequest, Resolution, in_words
from ..domain.task import InterruptReason, TaskStatus
from ..domain.task_life import Transition
from ..domain.tool_call import told_text
from ..store.records import MustBeOpen, Record
from ..tasks.input_schema import checked
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .conversation import ClosedQuestions, Conversation

# --- resolving -----------------------------------------------------------------------------------------
# A commit can fail and be stored all the same: the disk took the bytes and did not confirm them. So a
# failure leaves everything as before, and `find_out` then reads from the question whether the answer counts.


async def close(
    conversation: Conversation,
    context: TaskContext,
    closed: Mapping[str, InputRequest],
    request_ids: Collection[str],
    *,
    request: Mapping[str, Any] | None = None,
    message: str | None = None,
    client_id: str | None = None,
    also: Sequence[Record] = (),
) -> int:
    """Store resolutions of questions that must be open, then apply them and resume the task with `request`.

    A `message` takes the next turn of the conversation. The caller holds the conversation. Returns the user's
    `seq`. If it raises, everything is as before, unless `find_out` finds the resolutions in the store.
    """
    before, agents_before = context.task, dict(context.agents)
    turn = conversation.turn + 1 if message is not None else before.spoken_turn
    # In the record before the commit: what the task stores meanwhile must not undo the answer.
    context.revise(spoken_turn=turn, request=request or before.request)
    records = context.message_records("user", message, client_id=client_id) if message is not None else []
    records += _closing_records(context, list(closed.values()), request_ids, at=conversation.runtime.clock())
    questions = ClosedQuestions(
        context=context,
        closed=closed,
        before=before,
        after=context.task,
        agents_before=agents_before,
        agents_after=dict(context.agents),
    )
    # Taken out before the commit: what the task records meanwhile would store them a second time.
    unsaved, context.unsaved = context.unsaved, []
    try:
        # The task's record after the messages, which it counts.
        in_use = conversation.mark_in_use()
        seq = await conversation.commit(*unsaved, *records, context.task, *also, *in_use)
    except Exception:
        context.unsaved[:0] = unsaved
        context.inputs.release(request_ids)
        _undo(conversation, questions)
        conversation.unconfirmed = questions
        conversation.do_soon(partial(find_out, conversation), name=f"find out {context.task_id}")
        raise
    _apply(conversation, questions, closed.values())
    return seq


async def find_out(conversation: Conversation) -> None:
    """Apply a resolution that was stored although the store reported a failure.

    The caller holds the conversation. Raises `StoreUnavailable`; then it is still not known.
    """
    questions = conversation.unconfirmed
    if questions is None:
        return
    read = [await conversation.store.get_input(conversation.user_id, each) for each in questions.closed]
    conversation.unconfirmed = None
    taken = [each for each in read if each is not None and not each.open]
    if taken:
        _apply(conversation, questions, taken)
    # In any case: the task may have stored its record while the answer was in it, or while it was not.
    questions.context.save()


def _closing_records(
    context: TaskContext, resolved: Sequence[InputRequest], request_ids: Collection[str], *, at: datetime
) -> list[Record]:
    """Hold questions that must be open; return the records of their resolution, without the task's own."""
    # Held while they are being stored: if the task pauses or ends meanwhile, it must not withdraw them.
    context.inputs.hold(request_ids)
    records: list[Record] = [*map(MustBeOpen, request_ids), *resolved]
    records += [events.input_resolved(each, at=at) for each in resolved]
    records += _told_by_page(resolved, at=at)
    for each in resolved:
        # A stopped agent keeps its final state.
        if not context.is_stopped(each.question.agent):
            records += context.progress_records(each.question.agent, "waiting")
    if not context.inputs.open:
        records += context.status_records(Transition.ANSWER, at)
    return records


def _told_by_page(resolved: Sequence[InputRequest], *, at: datetime) -> list[Record]:
    """Return the events of the results of a page's calls: known from now on, whatever becomes of the run."""
    told: dict[str, Record] = {}
    for each in resolved:
        for call_id, result in each.told_by_page.items():
            about = {"message_id": result.message_id, "role": "tool", "node": each.question.agent}
            about |= {"tool_call_id": call_id, "status": "success", **told_text(result.text)}
            told[call_id] = events.graph_message(each.task_id, about, at=at)
    return [*told.values()]


def _undo(conversation: Conversation, questions: ClosedQuestions) -> None:
    """Restore task and agents, except for later changes."""
    context, before, after = questions.context, questions.before, questions.after
    if context.task.request is after.request:
        context.revise(request=before.request)
    if context.task.messages == after.messages:
        context.revise(messages=before.messages, spoken_turn=before.spoken_turn)
    else:
        # Another agent has asked in the turn of the answer: the turn is used up.
        conversation.turn = max(conversation.turn, after.spoken_turn or 0)
    for agent, progress in questions.agents_before.items():
        if context.agents[agent] is questions.agents_after[agent]:
            context.agents[agent] = progress
    if context.inputs.open:
        context.step(Transition.REOPEN)


def _apply(
    conversation: Conversation, questions: ClosedQuestions, resolved: Collection[InputRequest]
) -> None:
    """Apply stored resolutions, after the commit or after `_undo`, and resume the task."""
    context, before, after = questions.context, questions.before, questions.after
    # A resolution without a message takes no turn: `after` then has that of an earlier answer, or None.
    conversation.turn = max(conversation.turn, after.spoken_turn or 0)
    for each in resolved:
        context.inputs.put(each)
    if context.task.status.terminal:
        return
    if context.task.request is before.request:
        context.revise(request=after.request)
    context.revise(
        messages=max(context.task.messages, after.messages),
        spoken_turn=max(context.task.spoken_turn or 0, after.spoken_turn or 0) or None,
    )
    for agent, progress in questions.agents_after.items():
        if context.agents[agent] is questions.agents_before.get(agent):
            context.agents[agent] = progress
    if not context.inputs.open:
        context.step(Transition.ANSWER)
    conversation.requests.revise(context.task)
    if conversation.active is context:
        conversation.resume()


# --- answering -----------------------------------------------------------------------------------------


Decision = Literal["allow", "deny"]


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
    answer: Any = None,
    decision: Decision | None = None,
    note: str | None = None,
    page: Mapping[str, Any] | None = None,
) -> AnsweredAnswer:
    """Take the answer to a question, or the decision on a permission, and resume the task with it.

    A `page` replaces what the task's page had offered. The caller holds the conversation. When this returns,
    the answer is durable. Raises `NotFound`, `NotOpen` (answered, withdrawn or expired), `BadInput` for an
    invalid answer, `StoreUnavailable` and `ShuttingDown`; then the question is still open.
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
        reading = conversation.workflow.read_answer(given, request, context.task.request, asked=asked)
    if page is not None:
        reading = replace(reading, request={**(reading.request or context.task.request or {}), "page": page})
    # A page's result is no message of the user's.
    message = in_words(request.question, given) or None if request.question.page_call is None else None
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
    if request is None or not request.open or conversation.interruptions.shutting_down:
        return
    active = conversation.active
    if active is not None and active.task_id == due.task_id:
        conversation.interrupt(active, InterruptReason.TIMED_OUT)
    elif conversation.interruptions.context_of(due.task_id) is None:
        # Its task has ended without resolving it: resolve the question alone.
        expired = request.resolved("expired")
        event = events.input_resolved(expired, at=conversation.runtime.clock())
        # Only if it is still open: its task may have settled, and withdrawn it, since it was read.
        with contextlib.suppress(NotOpen):
            await conversation.commit(MustBeOpen(expired.request_id), expired, event)


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
    if request.resolution == "expired" or (
        request.open and request.expires_at <= conversation.runtime.clock()
    ):
        raise NotOpen("The time to answer that question is over.", code="expired")
    if not request.open or active is None or active.is_ending or active.task_id != request.task_id:
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
