"""Stores how questions are resolved, then applies it to their task.

A commit can fail and be stored all the same: the disk took the bytes and did not confirm them. So a failure
leaves everything as before, and the stored question then tells whether the answer counts.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..domain import events
from ..domain.inputs import InputRequest
from ..domain.task_life import Step
from ..log.state_store.records import MustBeOpen, Record
from ..tasks.task_context import TaskContext
from .conversation import Closing, Conversation
from .starting import do_soon, resume


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
    records += _closing_records(context, list(closed.values()), request_ids, at=conversation.clock())
    closing = Closing(
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
        occupied = conversation.occupy()
        seq = await conversation.log.commit(
            conversation.tenure, *unsaved, *records, context.task, *also, *occupied
        )
    except Exception:
        context.unsaved[:0] = unsaved
        context.inputs.release(request_ids)
        _undo(conversation, closing)
        conversation.unconfirmed = closing
        do_soon(conversation, find_out, name=f"find out {context.task_id}")
        raise
    _apply(conversation, closing, closed.values())
    return seq


async def find_out(conversation: Conversation) -> None:
    """Apply what the store took of a closing though it reported a failure; the caller holds the conversation.

    Raises `StoreUnavailable`; then it is still not known.
    """
    closing = conversation.unconfirmed
    if closing is None:
        return
    read = [await conversation.store.get_input(conversation.user_id, each) for each in closing.closed]
    conversation.unconfirmed = None
    taken = [each for each in read if each is not None and not each.open]
    if taken:
        _apply(conversation, closing, taken)
    # In any case: the task may have stored its record while the answer was in it, or while it was not.
    closing.context.save()


def _closing_records(
    context: TaskContext, resolved: Sequence[InputRequest], request_ids: Collection[str], *, at: datetime
) -> list[Record]:
    """Hold questions that must be open; return the records of their resolution, without the task's own."""
    # Held while they are being stored: a pause or an ending of the task meanwhile must not withdraw them.
    context.inputs.hold(request_ids)
    records: list[Record] = [*map(MustBeOpen, request_ids), *resolved]
    records += [events.input_resolved(each, at=at) for each in resolved]
    for each in resolved:
        # A stopped agent keeps its final state.
        if not context.is_stopped(each.question.agent):
            records += context.progress_records(each.question.agent, "waiting")
    if not context.inputs.open:
        records += context.status_records(Step.ANSWER, at)
    return records


def _undo(conversation: Conversation, closing: Closing) -> None:
    """Make task and agents what they were before, but for what has changed since."""
    context, before, after = closing.context, closing.before, closing.after
    if context.task.request is after.request:
        context.revise(request=before.request)
    if context.task.messages == after.messages:
        context.revise(messages=before.messages, spoken_turn=before.spoken_turn)
    else:
        # Another agent has asked in the turn of the answer: the turn is used up.
        conversation.turn = max(conversation.turn, after.spoken_turn or 0)
    for agent, progress in closing.agents_before.items():
        if context.agents[agent] is closing.agents_after[agent]:
            context.agents[agent] = progress
    if context.inputs.open:
        context.step(Step.REOPEN)


def _apply(conversation: Conversation, closing: Closing, resolved: Collection[InputRequest]) -> None:
    """Apply stored resolutions, after the commit or after `_undo`, and resume the task."""
    context, before, after = closing.context, closing.before, closing.after
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
    for agent, progress in closing.agents_after.items():
        if context.agents[agent] is closing.agents_before.get(agent):
            context.agents[agent] = progress
    if not context.inputs.open:
        context.step(Step.ANSWER)
    conversation.revise_request(context.task)
    if conversation.active is context:
        resume(conversation)
