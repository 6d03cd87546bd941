"""Ends what a user has at work, by the user's wish; and forgets a user."""

import asyncio
from collections.abc import Iterable

from ..domain.task import InterruptReason
from ..errors import NotFound, ShuttingDown, StoreUnavailable
from ..log.event_bus.base import Ended
from ..tasks.task_context import TaskContext
from .conversation import Conversation
from .core_parts import CoreParts
from .execution import Execution

STOP_WAIT_S = 10.0
"""How long a stop waits for the receipt before it answers without one."""

DELETE_WAIT_S = 30.0
"""How long a deletion waits for tasks to end; longer than the worst of them takes while the store is well."""


class Stopping:
    """Stops tasks and deletes users; whoever asked for it may go away meanwhile."""

    def __init__(self, parts: CoreParts, execution: Execution) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._execution = execution
        self._ledger = parts.ledger
        self._workflow = parts.workflow
        self._owner = parts.owner

    async def stop(self, user_id: str, task_id: str | None) -> bytes | None:
        """Stop the task at work, or the one named; return its receipt's JSON, None while it still settles.

        Raises `NotFound`, and `ShuttingDown` where the server is ending tasks itself.
        """
        if self._execution.closing:
            raise ShuttingDown("The server is going down; please try again in a moment.")
        stopped = await self._owner.run_to_end(self._stop(user_id, task_id), name=f"stop {user_id}")
        if self._interruptions.finishing(stopped) or not await self._settled([stopped], within_s=STOP_WAIT_S):
            return None
        return await self._store.get_receipt(user_id, stopped)

    async def delete_user(self, user_id: str) -> None:
        """Interrupt whatever a user has running, then forget everything about the user.

        Raises `StoreUnavailable`; then nothing was forgotten, and what waits goes on.
        """
        await self._owner.run_to_end(self._delete_user(user_id), name=f"delete {user_id}")

    async def _stop(self, user_id: str, task_id: str | None) -> str:
        """Tell a task to end, and return its id."""
        async with self._conversations.locked(user_id) as conversation:
            if not conversation.stored or conversation.latest_task_id is None:
                raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
            running = self._running_to_stop(conversation, task_id)
            if running is not None:
                self._interruptions.interrupt(running, InterruptReason.STOPPED)
                return running.task_id
            waiting = next((each for each in conversation.queued if task_id in (None, each.task_id)), None)
            if waiting is not None:
                context = self._interruptions.create_task_context(waiting)
                await self._interruptions.settle(context, InterruptReason.STOPPED)
                conversation.queued.remove(waiting)
                return waiting.task_id
            if task_id is None:
                return conversation.latest_task_id
        task = await self._store.get_task_metadata(task_id)
        if task is None or task.user_id != user_id:
            raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
        return task_id

    def _running_to_stop(self, conversation: Conversation, task_id: str | None) -> TaskContext | None:
        """Return the task of that id that runs, or waits for its user; without one, the active task, or an
        aside if that is all.
        """
        running = self._unfinished(conversation)
        if task_id is not None:
            return next((each for each in running if each.task_id == task_id), None)
        if conversation.active is not None or conversation.queued:
            return conversation.active
        return next((each for each in reversed(running) if each.task.aside and not each.interrupted), None)

    def _unfinished(self, conversation: Conversation) -> list[TaskContext]:
        return [*self._interruptions.contexts_of(conversation.user_id), *conversation.resting_tasks]

    async def _delete_user(self, user_id: str) -> None:
        async with self._conversations.locked(user_id) as conversation:
            unfinished = self._unfinished(conversation)
            for context in unfinished:
                self._interruptions.interrupt(context, InterruptReason.STOPPED)
            if not await self._settled([each.task_id for each in unfinished], within_s=DELETE_WAIT_S):
                raise StoreUnavailable("Not everything has ended yet; please try again in a moment.")
            async with self._ledger.forgetting(user_id):
                await self._workflow.forget(user_id)
                await self._store.delete_user(user_id)
            conversation.begin_anew(epoch=self._conversations.new_epoch())
            self._log.end_followers(user_id, Ended.RESET)

    async def _settled(self, task_ids: Iterable[str], *, within_s: float) -> bool:
        """Wait so long for tasks to settle; return whether they have."""
        try:
            async with asyncio.timeout(within_s):
                for task_id in task_ids:
                    await self._interruptions.wait_settled(task_id)
        except TimeoutError:
            return False
        return True
