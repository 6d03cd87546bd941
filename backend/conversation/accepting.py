"""Accepts a message: reads it, decides what happens to the active task, stores the decision, and acts on it.

One transaction stores the message, its task and the interruption of the old task; only then is the old task
interrupted and the new one started. A message that steers the running task is stored as a queued task, so
that it becomes a task of its own if no run takes it in: at the end of the run, after a crash, or on a server
of an earlier release.
"""

import contextlib
from collections.abc import AsyncGenerator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from ..domain import events
from ..domain.errors import BadInput, Conflict
from ..domain.partials import PartialResults
from ..domain.task import DEFAULT_PRIORITY, OF_ANY_MESSAGE, Policy, Steer, Task, TaskStatus
from ..domain.task_life import Transition
from ..store.records import Acceptance, ForgetPartials, NewUser, Record
from ..tasks.inbox import MOST_STEERED, handed_over, message_of, with_messages
from ..tasks.settlement import context_for_next
from ..tasks.task_context import TaskContext
from ..tasks.workflow import CALLER_TRACE, Reading, Situation
from .accepted import Accepted
from .answering import find_out, resolve
from .conversation import Conversation
from .deciding import Decided, decide

_TIME_TO_SEE = timedelta(seconds=1)
"""From a further question of a task to the first answer that can be meant for it.

A "yes" that is sent twice comes within that time; it must not allow the next action.
"""

SHORT = 300
"""Characters up to which a message is read at once: within 5 ms, whatever it says (measured)."""

Advice = tuple[Situation, Reading | None]
"""A model's reading of a message, and the situation that the model was given."""


async def accept(
    conversation: Conversation,
    message: str,
    *,
    policy: Policy = "interrupt",
    priority: int = DEFAULT_PRIORITY,
    client_id: str | None = None,
    task_id: str | None = None,
    given: Mapping[str, Any] | None = None,
    after_s: float | None = None,
    advice: Advice | None = None,
    arrived_at: datetime,
) -> Accepted:
    """Accept a message; the caller holds the conversation. When this returns, the message is durable.

    With the policy `steer`, `task_id` is the task that is meant; `Conflict` if another one is active. Uses
    `advice` only if the situation is still the same; `given` is for the workflow. With `after_s` its task
    starts after so many seconds at the earliest, and it answers nothing. Raises `Conflict`,
    `QueueFull`, `BadInput` for a `client_id` of another message or an invalid `given`, `NotFound` if `given`
    names what is not stored, `StoreUnavailable` and `ShuttingDown`; then nothing was accepted.
    """
    conversation.check_open()
    await find_out(conversation)
    # First of all: a retry must not be read again, for by now it would interrupt its own first try.
    if client_id is not None and conversation.stored:
        first = await conversation.store.get_acceptance(conversation.user_id, client_id)
        if first is not None:
            again = await _as_by_now(conversation, Accepted.again(*first, message))
            return await _duplicate(conversation, again)
    async with _turn_to_read(conversation, message):
        # Again, since the shutdown may have begun meanwhile: it has interrupted the task that this message
        # would supersede, and the user's next owner would not retry a task that another one follows.
        conversation.check_open()
        conversation.check_takes_work()
        reading = (
            conversation.workflow.read_with_values(message, given, conversation.situation)
            if given
            else _read(conversation, message, advice, arrived_at)
        )
    # An answer begins no run: the step that its task began from may have been trimmed since.
    if given and reading.manner != "answer":
        await conversation.workflow.check_stored(conversation.store, conversation.user_id, reading.request)
    if policy == "steer":
        await _check_meant(conversation, task_id)
        policy = conversation.workflow.steer_policy(reading.request)
        if policy == "steer" and _gives_permission(conversation, reading):
            reading = replace(reading, manner="interrupt", relation=None, answers={})
    if after_s is not None and reading.manner != "interrupt":
        reading = replace(reading, manner="interrupt", relation=None, answers={})
    if reading.manner == "answer" and conversation.active is not None:
        return await _accept_answer(
            conversation, conversation.active, message, reading, policy=policy, client_id=client_id
        )
    resumed = conversation.requests.remembered[reading.resumes] if reading.resumes is not None else None
    steer: Steer | None = None
    if policy == "steer":
        if reading.manner == "interrupt" and _can_steer(conversation, reading, given):
            return await _accept_steering(
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
        not_before=None if after_s is None else conversation.runtime.clock() + timedelta(seconds=after_s),
    )
    # Read before the commit: a failure after it would leave an accepted message without its task.
    left = await conversation.interrupted_context(resumed.task_id) if resumed is not None else None
    task = decided.task
    superseded = decided.superseded.task_id if decided.superseded else None
    accepted = Accepted.of(task, superseded=superseded, epoch=conversation.epoch)
    if steer is not None:
        accepted = replace(accepted, policy="steer", steer=steer, message_id=task.message_id)
    entry = replace(message_of(task, None), client_id=client_id)
    kept = accepted.kept_for(client_id, message) if client_id is not None else None
    seq, interrupted = await store(
        conversation,
        replace(decided, resumed=left),
        entry,
        events.message(entry, (given or {}).get("content", ()), unsaid="unsaid" in (given or {})),
        kept=kept,
    )
    return replace(accepted, seq=seq, interrupted_task_id=interrupted)


# --- storing -------------------------------------------------------------------------------------------


async def store(
    conversation: Conversation, decided: Decided, *records: Record, kept: Acceptance | None = None
) -> tuple[int, str | None]:
    """Store a decision, with more records, and carry it out; the caller holds the conversation.

    Pending messages come before the message of a task that replaces the active one. What is `kept` for the
    retries of a message comes last, since it has the `seq`. Returns that, and the id of the interrupted task,
    if any. Raises `StoreUnavailable`; then nothing has happened.
    """
    task, superseded = decided.task, decided.superseded
    begins = task.status is TaskStatus.RUNNING and not task.aside
    # Only now: during an earlier await a run may have taken some of them in.
    merged = conversation.mergeable(task) if begins else ()
    conversation.inbox.hold(merged)
    if merged:
        task = with_messages(task, merged, before=True)
        decided = replace(decided, task=task)
    # The epoch was promised to clients that followed the user before this first message.
    all_records: list[Record] = [] if conversation.stored else [NewUser(conversation.epoch)]
    all_records += [*conversation.mark_in_use(), task, *records]
    all_records.append(events.status_update(task, PartialResults()))
    for each in merged:
        all_records += handed_over(each, task, "merged")
    if begins:
        # Results of earlier tasks go, but for those that still settle, where a crash would take them up, and
        # those of the requests that can be resumed.
        all_records.append(ForgetPartials(min(conversation.turns_with_results, default=task.turn)))
    if kept is not None:
        all_records.append(kept)
    try:
        if superseded is not None:
            # In the record before the commit, in the live task only after it: a failed commit must not
            # interrupt anything, and a process that starts after a crash must not retry the old message.
            superseded.announce_interruption(decided.reason, task.updated_at)
            all_records.append(superseded.task)
        seq = await conversation.commit(*all_records)
    except Exception:
        if superseded is not None:
            superseded.retract_interruption()
        conversation.inbox.put_back(merged)
        raise
    if merged or task.steer is not None:
        conversation.inbox.taken_in([*merged, task])
    return seq, carry_out(conversation, decided)


def carry_out(conversation: Conversation, decided: Decided) -> str | None:
    """Carry out a decision; return the id of the interrupted task, if any. Never waits.

    The decision is durable: nothing here may fail, or a stored message would have no task.
    """
    task = decided.task
    conversation.stored = True
    conversation.turn = max(conversation.turn, task.turn)
    interrupted_task_id = None
    superseded = decided.superseded
    if superseded is not None and not task.aside:
        superseded.result_sorter = conversation.workflow.result_sorter(superseded.task.request, task.request)
    if superseded is not None and conversation.interrupt(superseded, decided.reason):
        interrupted_task_id = superseded.task_id
    active = conversation.active
    if active is not None and active.reason is not None:
        conversation.handed_on = context_for_next(active, task.created_at)
    elif active is not None and task.status is TaskStatus.RUNNING and not task.aside:
        conversation.handed_on = None  # the old task has just ended by itself: it hands on nothing
    conversation.requests.latest_task_id = conversation.requests.latest_task_id or task.task_id
    if task.aside:
        # A stop that ended nothing must not report on a task that was interrupted before it.
        ended_nothing = decided.reading.manner == "stop" and interrupted_task_id is None
        conversation.requests.called_off = conversation.requests.called_off or ended_nothing
        conversation.requests.beside = task
        conversation.start(task, None if ended_nothing else conversation.handed_on)
        return interrupted_task_id
    conversation.requests.set(task)
    if task.status is TaskStatus.QUEUED:
        conversation.enqueue(task)
        conversation.start_next_soon()  # the active task may have ended during the commit
    else:
        conversation.active = conversation.start(task, decided.resumed or conversation.handed_on)
    return interrupted_task_id


# --- reading -------------------------------------------------------------------------------------------


def answers_earlier(conversation: Conversation, message: str) -> bool:
    """Return whether a message answers the active task while a later one is queued."""
    situation = conversation.situation_of_answer
    return situation is not None and conversation.workflow.read(message, situation).manner == "answer"


@contextlib.asynccontextmanager
async def _turn_to_read(conversation: Conversation, message: str) -> AsyncGenerator[None]:
    """Wait until a long message may be read, users in rotation; a short one is read at once.

    Reading blocks the event loop, which must do other work between two long messages. Cancelling the wait
    gives the turn to the next.
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
        conversation.workflow.read(message, _as_seen(of_answer, arrived_at))
        if of_answer is not None
        else None
    )
    if as_answer is not None and as_answer.manner == "answer":
        return as_answer
    situation = conversation.situation
    if advice is not None and advice[1] is not None and advice[0] == situation:
        return advice[1]
    reading = conversation.workflow.read(message, _as_seen(situation, arrived_at))
    # If both readings are small talk, use the first: its reply repeats the open questions.
    return as_answer if as_answer and as_answer.manner == reading.manner == "beside" else reading


def _as_seen(situation: Situation, arrived_at: datetime) -> Situation:
    """Return the situation with its `unseen` questions: the user cannot have seen them yet."""
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
    # The status that the answer leads to: retries get what is stored here, before the answer is applied.
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
    context = conversation.interruptions.context_of(task_id)
    task = None if context else await conversation.store.get_task_metadata(conversation.user_id, task_id)
    reason = context.reason if context else task and task.reason
    return first if reason else replace(first, interrupted_task_id=None)


# --- steering ------------------------------------------------------------------------------------------


async def _check_meant(conversation: Conversation, task_id: str | None) -> None:
    """Raise `Conflict` if another task is active than the one of this id, or a retry of its message."""
    active = conversation.interruptible
    if task_id is None or active is None:
        return
    task = active.task
    if task_id in (task.task_id, task.asked_in):
        return
    meant = await conversation.store.get_task_metadata(conversation.user_id, task_id)
    if meant is None or task.asked_in is None or task.asked_in not in (meant.task_id, meant.asked_in):
        raise Conflict(
            f"Another task runs by now: {task.task_id}.", code="other_task", details={"task_id": task.task_id}
        )


def _gives_permission(conversation: Conversation, reading: Reading) -> bool:
    """Return whether a message allows an action, which is more than to steer."""
    answers = reading.answers
    return any(
        each.allows(answers[each.request_id]) for each in conversation.asked if each.request_id in answers
    )


def _can_steer(conversation: Conversation, reading: Reading, given: Mapping[str, Any] | None) -> bool:
    """Return whether a message waits to be taken in; without a run it is a message like any other.

    Raises `BadInput` if it brings anything else, `Conflict` if the run is another graph's or takes no more.
    """
    active = conversation.interruptible
    waiting = conversation.inbox.waiting
    if active is None and not waiting:
        return False
    for name in given or {}:
        if name not in OF_ANY_MESSAGE:
            raise BadInput(f"{name}: a message that steers a run brings nothing else for it.")
    if active is not None and (reading.request or {}).get("graph") != active.task.graph:
        raise Conflict("Another graph runs: it cannot take this in.", code="other_graph")
    taken = [each for each in active.task.took_in if not each.before] if active is not None else []
    if len(taken) + len(waiting) >= MOST_STEERED:
        raise Conflict(
            f"A run takes in {MOST_STEERED} messages at most; send this one when it has ended.",
            code="steered_too_often",
        )
    return True


async def _accept_steering(
    conversation: Conversation, message: str, reading: Reading, *, priority: int, client_id: str | None
) -> Accepted:
    """Accept a message that is to steer the active task."""
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
    # Without a running task, the pending messages become one, named after the last of them.
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
    records: list[Record] = [*conversation.mark_in_use(), task, entry, events.message(entry), told]
    if client_id is not None:
        records.append(accepted.kept_for(client_id, message))
    seq = await conversation.commit(*records)
    conversation.turn = task.turn
    conversation.enqueue(task)
    conversation.start_next_soon()  # the task may have ended during the commit
    return replace(accepted, seq=seq)


async def _as_by_now(conversation: Conversation, first: Accepted) -> Accepted:
    """Return the first answer to a message that was to steer, with its fate since then."""
    if first.message_id is None or first.steer != "pending":
        return first
    task = await conversation.store.get_task_metadata(conversation.user_id, task_id_of(first.message_id))
    if task is None:
        return first
    active = conversation.interruptible
    if task.steer == "own_task":
        return replace(first, steer=task.steer, task_id=task.task_id, status=task.status)
    if task.steer == "pending" and active is not None:  # by now perhaps a retry of the one that was lost
        return replace(first, task_id=active.task_id, status=active.task.status)
    return replace(first, steer=task.steer, task_id=task.taken_in_by or first.task_id)


def task_id_of(message_id: str) -> str:
    """Return the id of the task that a steering message was stored as."""
    return message_id.rpartition(".")[0]
