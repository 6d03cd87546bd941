"""Starts tasks, lets those go on whose user has answered, and lets those start that wait their turn.

All that it does follows what was decided, and stored, before.
"""

import asyncio
import itertools
from dataclasses import replace

import structlog

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.partials import PartialResults
from ..domain.task import InterruptReason, Task, TaskStatus
from ..errors import StoreUnavailable
from ..log.event_log import RETRY_S
from ..tasks.handover import handed_on_by, left_by, tell_transfer
from ..tasks.task_context import TaskContext
from .conversation import Conversation
from .core_parts import CoreParts
from .deciding import Decided

_log = structlog.get_logger(__name__)


class Execution:
    """Carries tasks out. Once it is `closing`, what it starts ends at once, and nothing more goes on."""

    def __init__(self, parts: CoreParts) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._workflow = parts.workflow
        self._ledger = parts.ledger
        self._owner = parts.owner
        self._clock = parts.clock
        self.closing = False
        parts.interruptions.register_status_callback(self._ended)
        parts.interruptions.register_rest_callback(self._rests)

    def carry_out(self, conversation: Conversation, decided: Decided) -> str | None:
        """Do what was decided; return the id of the task that was interrupted, if one was. Never waits."""
        task = decided.task
        conversation.stored = True
        conversation.turn = task.turn
        interrupted_task_id = None
        superseded = decided.superseded
        if superseded is not None and self._interruptions.interrupt(superseded, decided.reason):
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
            self.start(task, None if ended_nothing else conversation.handed_on)
            return interrupted_task_id
        conversation.ask_for(task)
        if task.status is TaskStatus.QUEUED:
            conversation.enqueue(task)
            self.let_next_start(conversation)  # the one it was to wait for may have ended meanwhile
        else:
            conversation.active = self.start(task, decided.resumed or conversation.handed_on)
            conversation.resting = False
        return interrupted_task_id

    def start(self, task: Task, previous: InterruptedContext | None) -> TaskContext:
        """Start a task; all that could go wrong is left to its work, whose failure the task tells of."""

        async def work(context: TaskContext) -> str | None:
            if not task.aside:
                await self._ledger.writes.inherit(context)
                adopted = self._ledger.take_over(context, self._workflow.reads(task.request))
                found_for = previous.request if previous is not None else None
                valid = self._workflow.still_valid(found_for, task.request)
                tell_transfer(context, valid, adopted=adopted)
            return await self._workflow.run(context)

        context = self._interruptions.create_task_context(task, previous=previous)
        self._interruptions.start(context, work)
        if self.closing:
            self._interruptions.interrupt_task(task.task_id, InterruptReason.SHUTDOWN)
        return context

    def go_on(self, conversation: Conversation, *, after_rest: bool = True) -> None:
        """Let the active task go on that waits for its user.

        While anything of it is still at work, it does so by itself once that has ended; and where the server
        goes down, the next process lets it go on. It may not have come to rest then (`after_rest`).
        """
        context = conversation.active
        if context is None or self.closing or not conversation.resting or context.told_to_end:
            return
        conversation.resting = False
        context.begin_again(after_rest=after_rest)
        self._interruptions.start(context, self._workflow.run)

    def let_next_start(self, conversation: Conversation) -> None:
        """Have the next task that waits its turn started, if none is at work."""
        if conversation.active is None and conversation.queued and not self.closing:
            user_id = conversation.user_id
            self._owner.spawn_detached(self.start_next(user_id), name=f"start next {user_id}")

    async def start_next(self, user_id: str) -> None:
        """Start what waits its turn; while the store is down, messages need not wait for that."""
        pauses = itertools.chain(RETRY_S, itertools.repeat(RETRY_S[-1]))
        while True:
            try:
                return await self._try_start_next(user_id)
            except StoreUnavailable as error:
                _log.warning("a task could not be started yet", user_id=user_id, reason=error.message)
            await asyncio.sleep(next(pauses))

    async def _try_start_next(self, user_id: str) -> None:
        async with self._conversations.locked(user_id) as conversation:
            if conversation.active is not None or not conversation.queued or self.closing:
                return
            now = self._clock()
            task = replace(conversation.queued[0], status=TaskStatus.RUNNING, updated_at=now, started_at=now)
            await self._log.commit(user_id, task, events.status_update(task, PartialResults()))
            resumed = await self.left_by(task.resumed_task_id)
            del conversation.queued[0]
            conversation.active = self.start(task, resumed or conversation.handed_on)

    async def left_by(self, task_id: str | None) -> InterruptedContext | None:
        """Return what an interrupted task left behind, also if its ending is not stored yet; else None."""
        context = self._interruptions.context_of(task_id) if task_id is not None else None
        if context is not None and context.reason is not None:
            return left_by(context, self._clock())
        task = await self._store.get_task_metadata(task_id) if task_id is not None else None
        return await self._store.get_interrupted_context(task.user_id, task.turn) if task else None

    def _ended(self, task: Task) -> None:
        """Note that a task has ended, and let the next one that waits start."""
        conversation = self._conversation_of(task)
        if conversation is None or conversation.active is None:
            return
        ended, conversation.active, conversation.resting = conversation.active, None, False
        if ended.task_id == conversation.latest_task_id:
            conversation.request = task.request  # as it was understood in the end
        interrupted = task.status is TaskStatus.INTERRUPTED
        conversation.handed_on = handed_on_by(ended, task.updated_at) if interrupted else None
        self._conversations.note(conversation)
        self.let_next_start(conversation)

    def _rests(self, context: TaskContext) -> None:
        """Note that a task waits for its user, and let it go on where the answer is there already."""
        conversation = self._conversation_of(context.task)
        if conversation is None or context.suspended:
            return
        conversation.resting = True
        if context.inputs.owed():
            self.go_on(conversation)
        self._conversations.note(conversation)

    def _conversation_of(self, task: Task) -> Conversation | None:
        """Return the conversation in which the task is the active one."""
        conversation = self._conversations.in_memory(task.user_id)
        active = conversation.active if conversation else None
        return conversation if active is not None and active.task_id == task.task_id else None
