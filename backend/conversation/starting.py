"""Starts, resumes and interrupts a conversation's tasks, and takes note of what became of them.

Everything here follows a decision that was made, and stored, before.
"""

import asyncio
from dataclasses import replace
from functools import partial

import structlog

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Task, TaskStatus
from ..domain.task_life import Step, TaskLife, recorded
from ..errors import StoreUnavailable
from ..log.retry import retry_pauses
from ..tasks.handover import handed_on_by, tell_transfer
from ..tasks.task_context import TaskContext
from .conversation import Conversation
from .deciding import Decided
from .loading import left_by_task

_log = structlog.get_logger(__name__)


def carry_out(conversation: Conversation, decided: Decided) -> str | None:
    """Do what was decided; return the id of the task that was interrupted, if one was. Never waits."""
    task = decided.task
    conversation.stored = True
    conversation.turn = task.turn
    interrupted_task_id = None
    superseded = decided.superseded
    if superseded is not None and interrupt(conversation, superseded, decided.reason):
        interrupted_task_id = superseded.task_id
    active = conversation.active
    if active is not None and active.reason is not None:
        conversation.handed_on = handed_on_by(active, task.created_at)
    elif active is not None and task.status is TaskStatus.RUNNING and not task.aside:
        conversation.handed_on = None  # the task whose place it takes has just ended by itself
    conversation.latest_task_id = conversation.latest_task_id or task.task_id
    if task.aside:
        # A stop that ended nothing is not handed what was interrupted before it.
        ended_nothing = decided.reading.manner == "stop" and interrupted_task_id is None
        conversation.called_off = conversation.called_off or ended_nothing
        start(conversation, task, None if ended_nothing else conversation.handed_on)
        return interrupted_task_id
    conversation.ask_for(task)
    if task.status is TaskStatus.QUEUED:
        conversation.enqueue(task)
        start_next_soon(conversation)  # the one it was to wait for may have ended meanwhile
    else:
        conversation.active = start(conversation, task, decided.resumed or conversation.handed_on)
    return interrupted_task_id


def start(conversation: Conversation, task: Task, previous: InterruptedContext | None) -> TaskContext:
    """Start a task that is handed what a `previous` one left.

    Whatever can go wrong is left to its work, whose failure the task reports.
    """
    ledger, workflow = conversation.ledger, conversation.workflow

    async def work(context: TaskContext) -> str | None:
        if not task.begun:
            # Durable before the graph runs: one that kills its process must count as an attempt.
            context.revise(begun=True)
            await conversation.log.commit(task.user_id, context.task)
        if not task.aside:
            await ledger.writes.inherit(context)
            # Before the graph runs, and before anything waits: what is held is released after 2 s.
            adopted = ledger.take_over(context, workflow.reads(task.request))
            found_for = previous.request if previous is not None else None
            valid = workflow.still_valid(found_for, task.request)
            tell_transfer(context, valid, adopted=adopted)
        return await workflow.run(context)

    context = conversation.interruptions.create_task_context(task, previous=previous)
    conversation.interruptions.start(context, work, partial(_note_over, conversation))
    return context


def interrupt(conversation: Conversation, context: TaskContext, reason: InterruptReason) -> bool:
    """Tell a task to end, whether it runs or rests; return whether it ends for this reason."""
    return conversation.interruptions.interrupt(context, reason, partial(_note_over, conversation))


def resume(conversation: Conversation, *, after_rest: bool = True) -> None:
    """Resume the active task if it rests and was not told to end.

    A task that still runs resumes by itself once it rests. If the server goes down, the next process resumes
    it. `after_rest` is False for a task that was cut off before it came to rest.
    """
    context = conversation.resting
    if context is None or conversation.interruptions.closing:
        return
    context.resume(after_rest=after_rest)
    conversation.interruptions.start(context, conversation.workflow.run, partial(_note_over, conversation))


def start_next_soon(conversation: Conversation) -> None:
    """Start the next queued task soon, if none is active."""
    if conversation.active is None and conversation.queued and not conversation.interruptions.closing:
        name = f"start next {conversation.user_id}"
        conversation.owner.spawn_detached(start_next(conversation), name=name)


async def start_next(conversation: Conversation) -> None:
    """Start the next queued task, retrying while the store is down; messages are accepted meanwhile."""
    conversation.holders += 1  # so that it stays in memory while this waits
    try:
        for pause in retry_pauses():
            try:
                async with conversation.lock:
                    return await _start_next(conversation)
            except StoreUnavailable as error:
                user_id = conversation.user_id
                _log.warning("a task could not be started yet", user_id=user_id, reason=error.message)
            await asyncio.sleep(pause)
    finally:
        conversation.holders -= 1
        conversation.on_change(conversation)


async def _start_next(conversation: Conversation) -> None:
    if conversation.active is not None or not conversation.queued or conversation.interruptions.closing:
        return
    queued = conversation.queued[0]
    life = TaskLife.of(queued).after(Step.START)
    if life is None:
        raise LookupError(f"{queued.task_id} is not queued")
    # Read before the commit: a read that fails is retried, and `running` must be published once.
    previous = await left_by_task(conversation, queued.resumed_task_id) or conversation.handed_on
    now = conversation.clock()
    task = replace(recorded(queued, life, at=now), started_at=now)
    await conversation.log.commit(task.user_id, task, events.status_update(task, PartialResults()))
    del conversation.queued[0]
    conversation.active = start(conversation, task, previous)


def _note_over(conversation: Conversation, context: TaskContext) -> None:
    """Take note that a task has settled or come to rest, in the very step in which it has."""
    active = conversation.active
    if active is None or active.task_id != context.task_id:
        return
    if context.life.resting:
        if context.inputs.owed():
            resume(conversation)  # the answer came while the rest of its work was ending
    else:
        # Suspended ones, too: nothing more is accepted, and the next process reads them back.
        _note_ended(conversation, active)
    conversation.on_change(conversation)


def _note_ended(conversation: Conversation, ended: TaskContext) -> None:
    conversation.active = None
    task = ended.task
    if task.task_id == conversation.latest_task_id:
        conversation.request = task.request  # as it was understood in the end
    interrupted = task.status is TaskStatus.INTERRUPTED
    conversation.handed_on = handed_on_by(ended, task.updated_at) if interrupted else None
    start_next_soon(conversation)
