"""Accepts a message: reads it, decides what happens to the active task, stores the decision, and acts on it.

One transaction makes the message, its task and the interruption of the old task durable; only then is the old
task interrupted and the new one started.
"""

import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..domain import events
from ..domain.task import Message, Policy, Steer
from ..domain.task_life import Transition
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading, Situation
from .accepted import Accepted
from .answering import find_out, resolve
from .conversation import Conversation
from .conversations import left_by_task
from .deciding import decide
from .starting import store
from .steering import accept_steering, as_by_now, can_steer, check_meant, gives_permission

_TIME_TO_SEE = timedelta(seconds=1)
"""From when a further question of a task was asked: its way to the user, a glance, and the way back.

A "yes" that is sent twice comes within that time; it must not allow what is asked after the first one.
"""

SHORT = 300
"""Characters up to which a message is read at once: within 5 ms, whatever it says (measured)."""

Advice = tuple[Situation, Reading | None]
"""A model's reading of a message, and the situation that the model was given."""


async def accept(
    conversation: Conversation,
    message: str,
    *,
    policy: Policy,
    priority: int,
    client_id: str | None,
    task_id: str | None = None,
    given: Mapping[str, Any] | None = None,
    advice: Advice | None = None,
    arrived_at: datetime,
) -> Accepted:
    """Accept a message; the caller holds the conversation. When this returns, the message is durable.

    With the policy `steer`, `task_id` is the task that is meant; `Conflict` if another one is active.
    Uses `advice` only if the situation is still the same; what is `given` with the message is the workflow's.
    Raises `Conflict`, `QueueFull`, `BadInput` for a `client_id` of another message and for what is given and
    does not fit, `NotFound` for what is given and not stored, `StoreUnavailable` and `ShuttingDown`; then
    nothing was accepted.
    """
    conversation.check_open()
    await find_out(conversation)
    # First of all: a retry must not be read again, for by now it would interrupt its own first try.
    if client_id is not None and conversation.stored:
        first = await conversation.runtime.store.get_acceptance(conversation.user_id, client_id)
        if first is not None:
            again = await as_by_now(conversation, Accepted.again(*first, message))
            return await _duplicate(conversation, again)
    async with _turn_to_read(conversation, message):
        # Again, since the shutdown may have begun meanwhile: it has interrupted the task that this message
        # would supersede, and whoever takes the user next would not retry a task that another one follows.
        conversation.check_open()
        conversation.check_takes_work()
        reading = (
            conversation.runtime.workflow.with_given(message, given, conversation.situation)
            if given
            else _read(conversation, message, advice, arrived_at)
        )
    # An answer begins no run: the step that its task began from may have been trimmed since.
    if given and reading.manner != "answer":
        await conversation.runtime.workflow.check_stored(
            conversation.runtime.store, conversation.user_id, reading.request
        )
    if policy == "steer":
        await check_meant(conversation, task_id)
        policy = conversation.runtime.workflow.steering(reading.request)
        if policy == "steer" and gives_permission(conversation, reading):
            reading = replace(reading, manner="interrupt", relation=None, answers={})
    if reading.manner == "answer" and conversation.active is not None:
        return await _accept_answer(
            conversation, conversation.active, message, reading, policy=policy, client_id=client_id
        )
    resumed = conversation.requests.remembered[reading.resumes] if reading.resumes is not None else None
    steer: Steer | None = None
    if policy == "steer":
        if reading.manner == "interrupt" and can_steer(conversation, reading, given):
            return await accept_steering(
                conversation, message, reading, priority=priority, client_id=client_id
            )
        policy, steer = "interrupt", "own_task"
    decided = decide(
        conversation,
        reading,
        message,
        policy=policy,
        priority=priority,
        task_id=conversation.runtime.new_task_id(),
        now=conversation.runtime.clock(),
    )
    # Read before the commit: a failure after it would leave an accepted message without its task.
    left = await left_by_task(conversation, resumed.task_id) if resumed is not None else None
    task = decided.task
    superseded = decided.superseded.task_id if decided.superseded else None
    accepted = Accepted.of(task, superseded=superseded, epoch=conversation.epoch)
    if steer is not None:
        accepted = replace(accepted, policy="steer", steer=steer, message_id=task.message_id)
    entry = Message(
        user_id=task.user_id,
        task_id=task.task_id,
        turn=task.turn,
        position=0,
        role="user",
        text=task.message,
        at=task.created_at,
        client_id=client_id,
    )
    kept = accepted.kept_for(client_id, message) if client_id is not None else None
    seq, interrupted = await store(
        conversation, replace(decided, resumed=left), entry, events.message(entry), kept=kept
    )
    return replace(accepted, seq=seq, interrupted_task_id=interrupted)


def answers_earlier(conversation: Conversation, message: str) -> bool:
    """Return whether a message answers the active task while a later one is queued."""
    situation = conversation.situation_of_answer
    return situation is not None and conversation.runtime.workflow.read(message, situation).manner == "answer"


@contextlib.asynccontextmanager
async def _turn_to_read(conversation: Conversation, message: str) -> AsyncGenerator[None]:
    """Wait until a long message may be read, users in rotation; a short one is read at once.

    Reading holds the event loop. Between two long messages it does what else is to be done, or many at once
    would hold it for as long as all of them take. Cancelling the wait gives the turn to the next.
    """
    if len(message) <= SHORT:
        yield
        return
    await conversation.runtime.readings.take(conversation.user_id)
    try:
        yield
    finally:
        conversation.runtime.readings.give_back(conversation.user_id)


def _read(conversation: Conversation, message: str, advice: Advice | None, arrived_at: datetime) -> Reading:
    of_answer = conversation.situation_of_answer
    as_answer = (
        conversation.runtime.workflow.read(message, _as_seen(of_answer, arrived_at))
        if of_answer is not None
        else None
    )
    if as_answer is not None and as_answer.manner == "answer":
        return as_answer
    situation = conversation.situation
    if advice is not None and advice[1] is not None and advice[0] == situation:
        return advice[1]
    reading = conversation.runtime.workflow.read(message, _as_seen(situation, arrived_at))
    # Of two readings as small talk, the reply to the first repeats the open questions.
    return as_answer if as_answer and as_answer.manner == reading.manner == "beside" else reading


def _as_seen(situation: Situation, arrived_at: datetime) -> Situation:
    """Return the situation with the questions that its user cannot have seen when the message was sent."""
    unseen = (
        each.request_id
        for each in situation.asked
        if arrived_at < each.asked_at + (_TIME_TO_SEE if each.number > 1 else timedelta())
    )
    return replace(situation, unseen=frozenset(unseen))


async def _accept_answer(
    conversation: Conversation,
    context: TaskContext,
    message: str,
    reading: Reading,
    *,
    policy: Policy,
    client_id: str | None,
) -> Accepted:
    """Accept a message that answers the active task's question; the task resumes."""
    # The status that the answer leads to: retries are told what is kept here, before the answer is applied.
    still_asks = any(each.request_id not in reading.answers for each in context.inputs.open)
    life = None if still_asks else context.life.after(Transition.ANSWER)
    status = life.status if life is not None else context.task.status
    task = replace(context.task, relation=reading.relation, policy=policy, status=status)
    accepted = Accepted.of(task, superseded=None, epoch=conversation.epoch)
    kept = [accepted.kept_for(client_id, message)] if client_id is not None else []
    seq = await resolve(conversation, context, reading, message=message, client_id=client_id, also=kept)
    return replace(accepted, seq=seq)


async def _duplicate(conversation: Conversation, first: Accepted) -> Accepted:
    """Return the answer that a message got before."""
    task_id = first.interrupted_task_id
    if task_id is None:
        return first
    # It was stored before the interruption took effect: the task may have ended by itself in between.
    context = conversation.runtime.interruptions.context_of(task_id)
    task = (
        None if context else await conversation.runtime.store.get_task_metadata(conversation.user_id, task_id)
    )
    reason = context.reason if context else task and task.reason
    return first if reason else replace(first, interrupted_task_id=None)
