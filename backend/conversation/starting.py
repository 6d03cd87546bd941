"""Starts, resumes and interrupts a conversation's tasks, and updates the conversation when they end.

All of it follows a decision that has been made and stored before.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.errors import StoreUnavailable
from ..domain.partials import PartialResults, ShownResults
from ..domain.task import InterruptReason, Task, TaskStatus, sort_results
from ..domain.task_life import TaskLife, Transition, recorded
from ..interruption_manager import Work
from ..store.records import Acceptance, ForgetPartials, NewUser, Record
from ..store.retry import until_available
from ..tasks.inbox import handed_over, message_of, with_messages
from ..tasks.settlement import handed_on_by, record_transfer
from ..tasks.task_context import TaskContext
from .conversation import Conversation
from .conversations import left_by_task, load
from .deciding import Decided

# --- earlier results -----------------------------------------------------------------------------------
# Tells what a new request makes of the results that its user was shown before.


@dataclass(frozen=True, slots=True)
class EarlierResults:
    """What the task `task_id` had found for its `request`, by agent."""

    task_id: str
    request: Mapping[str, Any] | None
    found: Mapping[str, list[Any]]


async def read_earlier_results(conversation: Conversation, context: TaskContext) -> EarlierResults | None:
    """Return the results that the task before this one had shown; None if it had none.

    That is the one that was interrupted, or whose request is resumed; else the last one, which has ended by
    itself. None as well if the store cannot be read: a task does not fail for that.
    """
    if conversation.runtime.workflow.fates(None, context.task.request) is None:
        return None  # a graph that tells none: nothing is read for it
    previous = context.previous
    if previous is not None:
        return EarlierResults(previous.task_id, previous.request, previous.items())
    store, task = conversation.runtime.store, context.task
    try:
        before = await store.get_task_metadata(
            task.user_id, task.resumed_task_id or task.previous_task_id or ""
        )
        saved = await store.get_partials(task.user_id, before.turn) if before is not None else ()
    except StoreUnavailable:
        return None
    found = PartialResults(each.found for each in saved if each.found is not None)
    return EarlierResults(before.task_id, before.request, found.to_json()) if before is not None else None


def sort_earlier_results(conversation: Conversation, context: TaskContext, earlier: EarlierResults) -> None:
    """Record and store the fates of earlier results, if there are any."""
    fates = conversation.runtime.workflow.fates(earlier.request, context.task.request)
    results = sort_results(earlier.found, fates) if fates is not None else {}
    if results:
        event = events.results_sorted(
            context.task_id, from_task_id=earlier.task_id, results=results, at=context.now()
        )
        context.revise(results_sorted={"from_task_id": earlier.task_id, "results": results})
        context.record(event, context.task)


# --- shown results -------------------------------------------------------------------------------------
# Reads what a conversation's requests have found, for a message that asks about it.


async def shown_results(conversation: Conversation) -> AsyncGenerator[ShownResults]:
    """Yield what the current request has found, then those that can be resumed, latest first.

    Of a live task that is what it has published so far; of one that has ended, what is stored of it: three
    reads, made only once the request is asked for. Raises `StoreUnavailable`.
    """
    live = {context.task_id: context for context in conversation.unfinished}
    current = (
        conversation.active.task_id
        if conversation.active is not None
        else conversation.requests.latest_task_id
    )
    # Without a queued request, which has nothing to show before its turn.
    task_ids = dict.fromkeys([current, *(each.task_id for each in conversation.requests.earlier)])
    for task_id in task_ids:
        if task_id is None:
            continue
        shown = _of_live(live[task_id]) if task_id in live else await _stored(conversation, task_id)
        if shown is not None:
            yield shown


def _of_live(context: TaskContext) -> ShownResults | None:
    if context.task.aside:  # the first message of all asks for nothing
        return None
    return ShownResults(
        task_id=context.task_id,
        request=context.task.request,
        results=context.partial_results.to_json(),
        agents=dict(context.agents),
        is_active=not context.told_to_end,
    )


async def _stored(conversation: Conversation, task_id: str) -> ShownResults | None:
    store, user_id = conversation.runtime.store, conversation.user_id
    task = await store.get_task_metadata(user_id, task_id)
    if task is None or task.aside:
        return None
    saved = await store.get_partials(user_id, task.turn)
    found = PartialResults(each.found for each in saved if each.found is not None)
    agents = await store.get_progress(user_id, task.turn)
    return ShownResults(task_id=task_id, request=task.request, results=found.to_json(), agents=agents)


# --- starting ------------------------------------------------------------------------------------------


async def store(
    conversation: Conversation, decided: Decided, *records: Record, kept: Acceptance | None = None
) -> tuple[int, str | None]:
    """Make a decision durable, with more records, and carry it out; the caller holds the conversation.

    What waits to steer the active task comes before the message of one that takes its place.
    What is `kept` for the retries of a message comes last, since it keeps the `seq`. Returns that, and the id
    of the interrupted task, if any. Raises `StoreUnavailable`; then nothing has happened.
    """
    task, superseded = decided.task, decided.superseded
    begins = task.status is TaskStatus.RUNNING and not task.aside
    # Only now: while what comes before this was awaited, a run may have taken some of them in.
    merged = conversation.mergeable(task) if begins else ()
    conversation.inbox.hold(merged)
    if merged:
        task = with_messages(task, merged, before=True)
        decided = replace(decided, task=task)
    # The epoch was promised to clients that followed the user before this first message.
    all_records: list[Record] = [] if conversation.stored else [NewUser(conversation.epoch)]
    all_records += [*conversation.occupy(), task, *records]
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
        seq = await conversation.runtime.log.commit(conversation.tenure, *all_records)
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
        superseded.fates = conversation.runtime.workflow.fates(superseded.task.request, task.request)
    if superseded is not None and interrupt_task(conversation, superseded, decided.reason):
        interrupted_task_id = superseded.task_id
    active = conversation.active
    if active is not None and active.reason is not None:
        conversation.handed_on = handed_on_by(active, task.created_at)
    elif active is not None and task.status is TaskStatus.RUNNING and not task.aside:
        conversation.handed_on = None  # the old task has just ended by itself: it hands on nothing
    conversation.requests.latest_task_id = conversation.requests.latest_task_id or task.task_id
    if task.aside:
        # A stop that ended nothing must not report on what was interrupted before it.
        ended_nothing = decided.reading.manner == "stop" and interrupted_task_id is None
        conversation.requests.called_off = conversation.requests.called_off or ended_nothing
        conversation.requests.beside = task
        start(conversation, task, None if ended_nothing else conversation.handed_on)
        return interrupted_task_id
    conversation.requests.set(task)
    if task.status is TaskStatus.QUEUED:
        conversation.enqueue(task)
        start_next_soon(conversation)  # the task that it was to wait for may have ended during the commit
    else:
        conversation.active = start(conversation, task, decided.resumed or conversation.handed_on)
    return interrupted_task_id


def start(conversation: Conversation, task: Task, previous: InterruptedContext | None) -> TaskContext:
    """Start a task with what a `previous` one left.

    Everything that can fail happens in its work, so that a failure becomes the task's reply.
    """
    ledger, workflow = conversation.runtime.ledger, conversation.runtime.workflow

    async def work(context: TaskContext) -> str | None:
        if not task.begun:
            # Durable before the graph runs: a graph that kills its process must count as an attempt.
            context.revise(begun=True)
            await conversation.runtime.log.commit_until_durable(conversation.tenure, context.task)
        if not task.aside:
            await until_available(lambda: ledger.writes.inherit(context), user_id=task.user_id)
            # Read before anything is shown: a client that has the fates with the first results draws once.
            earlier = await read_earlier_results(conversation, context)
            # Before the calls are taken over, which shows what they have found.
            context.keeps = workflow.keeps(task.request)
            # Before the graph runs, and without an await in between: held reads are released after 2 s.
            adopted = ledger.take_over(context, workflow.reads(task.request))
            found_for = previous.request if previous is not None else None
            record_transfer(context, workflow.fates(found_for, task.request), adopted=adopted)
            if earlier is not None:
                sort_earlier_results(conversation, context, earlier)
        return await workflow.run(context)

    context = conversation.runtime.interruptions.create_task_context(
        task, tenure=conversation.tenure, previous=previous
    )
    context.shown = partial(shown_results, conversation)
    context.cache = conversation.cache
    _run(conversation, context, work)
    return context


def _run(conversation: Conversation, context: TaskContext, work: Work) -> None:
    context.inbox = None if context.task.aside else conversation.inbox
    conversation.runtime.interruptions.start(context, work, partial(_on_run_over, conversation))
    # Whoever ended the tenure has looked at the tasks of that moment; this one was being stored then. The
    # user's next owner has found it, and takes it up.
    if conversation.ended:
        interrupt_task(conversation, context, InterruptReason.LOST)


def interrupt_task(conversation: Conversation, context: TaskContext, reason: InterruptReason) -> bool:
    """Interrupt a task, whether it runs or rests; return whether it ends for this reason."""
    if context.life.resting and conversation.shared and not conversation.occupied:
        # Until its ending is stored, that is in memory only: if this process dies, another must end the task.
        context.record(*conversation.occupy())
    return conversation.runtime.interruptions.interrupt(context, reason, partial(_on_run_over, conversation))


def resume(conversation: Conversation, *, after_rest: bool = True) -> None:
    """Resume the active task if it rests.

    A task that still runs resumes by itself once it rests. During a shutdown it is left to the next process.
    `after_rest` is False for a task that was cut off before it had paused.
    """
    context = conversation.resting
    if context is None or conversation.runtime.interruptions.shutting_down:
        return
    context.resume(after_rest=after_rest)
    _run(conversation, context, conversation.runtime.workflow.run)


def start_next_soon(conversation: Conversation) -> None:
    """Start the next queued task soon, if none is active."""
    if (
        conversation.active is None
        and conversation.queued
        and not conversation.runtime.interruptions.shutting_down
    ):
        do_soon(conversation, _start_next, name=f"start next {conversation.user_id}")


def do_soon(
    conversation: Conversation, step: Callable[[Conversation], Awaitable[None]], *, name: str
) -> None:
    """Take a step with the conversation held, soon; retry it while the store is down."""
    conversation.runtime.owner.spawn_detached(_until_done(conversation, step), name=name)


async def _until_done(conversation: Conversation, step: Callable[[Conversation], Awaitable[None]]) -> None:
    async def held() -> None:
        # Not held between the tries, so that messages are accepted meanwhile.
        async with conversation.lock:
            await step(conversation)

    conversation.holders += 1  # keeps the conversation in memory while this waits
    try:
        await until_available(held, user_id=conversation.user_id)
    finally:
        conversation.holders -= 1
        conversation.on_change(conversation)


async def _start_next(conversation: Conversation) -> None:
    if conversation.active is None and not conversation.loaded:
        await load(conversation)  # a deletion may have failed, or have taken the queue
    if (
        conversation.active is not None
        or not conversation.queued
        or conversation.runtime.interruptions.shutting_down
    ):
        return
    # Messages that the last run did not take in become one task: the last, with the others before it.
    first = conversation.queued[0]
    group = [each for each in conversation.inbox.waiting if each.graph == first.graph] or [first]
    *merged, queued = group
    life = TaskLife.of(queued).after(Transition.START)
    if life is None:
        raise LookupError(f"{queued.task_id} is not queued")
    # Before the commit: a failed read is tried again, and `running` must be published once.
    previous = await left_by_task(conversation, queued.resumed_task_id) or conversation.handed_on
    now = conversation.runtime.clock()
    task = replace(recorded(queued, life, at=now), started_at=now)
    records = []
    if queued.steer == "pending":
        task, records = _as_own_task(task, queued, merged)
    told = events.status_update(task, PartialResults())
    await conversation.runtime.log.commit(conversation.tenure, task, told, *records)
    # Only now: while the commit fails, the task keeps its turn.
    conversation.inbox.taken_in([*merged, queued])
    if queued.steer == "pending":
        conversation.requests.set(task)
    conversation.active = start(conversation, task, previous)


def _as_own_task(task: Task, waiting: Task, merged: Sequence[Task]) -> tuple[Task, list[Record]]:
    """Return a task that was to steer another one as it begins, with messages before its own; its records."""
    task = replace(task, steer="own_task")
    told = events.steer(task.task_id, waiting, "own_task", at=task.updated_at)
    records: list[Record] = [message_of(task, None), told]
    if merged:
        task = with_messages(task, merged, before=True)
    for each in merged:
        records += handed_over(each, task, "merged")
    return task, records


def _on_run_over(conversation: Conversation, context: TaskContext) -> None:
    """Update the conversation in the step in which a task has settled or paused."""
    active = conversation.active
    conversation.requests.revise_beside(context.task)
    if active is None or active.task_id != context.task_id:
        return
    if context.life.resting:
        if context.inputs.owed():
            resume(conversation)  # the answer came before the work had paused
    else:
        # Suspended ones, too: nothing more is accepted, and the next process reads them back.
        _on_ended(conversation, active)
    conversation.on_change(conversation)


def _on_ended(conversation: Conversation, ended: TaskContext) -> None:
    conversation.active = None
    task = ended.task
    conversation.requests.revise(task)
    interrupted = task.status is TaskStatus.INTERRUPTED
    conversation.handed_on = handed_on_by(ended, task.updated_at) if interrupted else None
    start_next_soon(conversation)
