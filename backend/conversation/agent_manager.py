"""The way into the core: takes users' messages, answers and stops, and has each conversation serve its own.

Whatever was asked for is carried out even if the caller goes away.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog

from ..domain.clock import Clock
from ..domain.task import DEFAULT_PRIORITY, Policy, Task
from ..errors import StoreUnavailable
from ..interruption_manager import InterruptionManager
from ..log.event_bus.base import Ended
from ..log.event_log import EventLog
from ..log.retry import retry_pauses
from ..log.state_store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Workflow
from .accepted import Accepted
from .accepting import Advice, accept
from .agent_stopping import StoppedAgent, agent_as_stopped, stop_agent
from .answering import Answered, Decision, answer_request, expire
from .conversation import Conversation
from .loading import load
from .recovery import in_recovery_order, recover
from .starting import start_next_soon
from .stopping import STOP_WAIT_S, forget, settled, stop

MOST_IDLE = 1_000
"""Conversations without a running task that are kept in memory."""

MOST_IDLE_BYTES = 64 * 1024 * 1024
"""Results that these may hold in all; a single one may hold 4 MiB, and 200 of those held 1.7 GB."""

RECOVERED_AT_ONCE = 32
"""Users whose unfinished tasks are recovered side by side."""

SWEEP_EVERY_S = 5.0
"""How often questions are looked for whose time is up."""

_log = structlog.get_logger(__name__)


class AgentManager:
    """The map from users to their conversations.

    A conversation without a running task stays in memory until there are too many of them; the longest
    unused are dropped first. `advise` reads what the workflow's own reading makes nothing of.
    """

    def __init__(
        self,
        *,
        store: StateStore,
        log: EventLog,
        interruptions: InterruptionManager,
        ledger: Ledger,
        workflow: Workflow,
        owner: TaskOwner,
        clock: Clock,
        new_task_id: Callable[[], str],
        new_epoch: Callable[[str], str],
        advise: Advise | None = None,
    ) -> None:
        self._store = store
        self._log = log
        self._interruptions = interruptions
        self._owner = owner
        self._clock = clock
        self._advise = advise
        self._new_conversation = partial(
            Conversation,
            store=store,
            log=log,
            interruptions=interruptions,
            ledger=ledger,
            workflow=workflow,
            owner=owner,
            clock=clock,
            new_task_id=new_task_id,
            new_epoch=new_epoch,
            on_change=self._track_idle,
        )
        self._by_user: dict[str, Conversation] = {}
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._idle_bytes = 0
        self._unrecovered: dict[str, asyncio.Event] = {}

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self._by_user)

    # --- what users do -------------------------------------------------------------------------------

    async def handle_user_message(
        self,
        user_id: str,
        message: str,
        *,
        policy: Policy = "interrupt",
        priority: int = DEFAULT_PRIORITY,
        client_id: str | None = None,
    ) -> Accepted:
        """Accept a message; when this returns it is durable, and the task it interrupts has been told.

        Raises as `accept` does; then nothing was accepted. Cancelling the caller may come too late to take
        the message back.
        """

        async def accept_it(advice: Advice | None = None) -> Accepted:
            async with self._locked(user_id) as conversation:
                return await accept(
                    conversation,
                    message,
                    policy=policy,
                    priority=priority,
                    client_id=client_id,
                    advice=advice,
                )

        async def accept_advised(advise: Advise) -> Accepted:
            async with self._in_order(user_id):
                async with self._locked(user_id) as conversation:
                    situation = conversation.situation
                return await accept_it((situation, await advise(message, situation)))

        work = accept_it() if self._advise is None else accept_advised(self._advise)
        return await self._owner.run_to_end(work, name=f"accept {user_id}")

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Mapping[str, Any] | None = None,
        decision: Decision | None = None,
        note: str | None = None,
    ) -> Answered:
        """Answer a question, or decide a permission, of the active task; raises as `answer_request` does."""

        async def answer_it() -> Answered:
            async with self._locked(user_id) as conversation:
                return await answer_request(
                    conversation, request_id, answer=answer, decision=decision, note=note
                )

        return await self._owner.run_to_end(answer_it(), name=f"answer {request_id}")

    async def stop(self, user_id: str, task_id: str | None = None) -> bytes | None:
        """Stop the active task, or the one named; return its receipt's JSON, None while it still settles.

        Stopping what has ended changes nothing and returns its receipt. Raises `NotFound`, and `ShuttingDown`
        if the server is ending tasks itself, to retry their messages.
        """

        async def stop_it() -> str:
            async with self._locked(user_id) as conversation:
                conversation.check_open()
                return await stop(conversation, task_id)

        stopped = await self._owner.run_to_end(stop_it(), name=f"stop {user_id}")
        # A write that has begun may take a minute: its receipt is not waited for.
        if self._interruptions.finishing(stopped):
            return None
        if not await settled(self._interruptions, [stopped], within_s=STOP_WAIT_S):
            return None
        return await self._store.get_receipt(user_id, stopped)

    async def stop_agent(self, user_id: str, agent: str, task_id: str | None = None) -> StoppedAgent | None:
        """Stop one agent of the active task, or of the one named, which continues; return it once it ended.

        None while it finishes a write that had begun. Raises as `stop_agent` does, and `ShuttingDown`.
        """

        async def stop_it() -> StoppedAgent | None:
            async with self._locked(user_id) as conversation:
                conversation.check_open()
                stopped = await stop_agent(conversation, agent, task_id)
            if isinstance(stopped, StoppedAgent):
                return stopped
            return await agent_as_stopped(conversation, stopped, agent)

        return await self._owner.run_to_end(stop_it(), name=f"stop {agent} of {user_id}")

    async def delete_user(self, user_id: str) -> None:
        """Interrupt whatever a user has running, then forget everything about the user.

        Raises `StoreUnavailable`; then nothing was forgotten.
        """

        async def delete_it() -> None:
            async with self._locked(user_id) as conversation:
                await forget(conversation)

        await self._owner.run_to_end(delete_it(), name=f"delete {user_id}")

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user the one it will begin with."""
        async with self._locked(user_id) as conversation:
            return conversation.epoch

    # --- its life ------------------------------------------------------------------------------------

    async def recover(self) -> None:
        """Take care of what an old process left; as `begin_recovery`, and then the rest of it."""
        await self.recover_users(await self.begin_recovery())

    async def begin_recovery(self) -> Mapping[str, Sequence[Task]]:
        """Return what each user has unfinished. Call once, before messages are accepted.

        From now on, whatever concerns one of these users waits until `recover_users` has come to that user.
        Raises `StoreUnavailable`.
        """
        by_user: dict[str, list[Task]] = {}
        for task in await self._store.resumable():
            by_user.setdefault(task.user_id, []).append(task)
        self._unrecovered = {user_id: asyncio.Event() for user_id in by_user}
        return by_user

    async def recover_users(self, unfinished: Mapping[str, Sequence[Task]]) -> None:
        """Recover users side by side, however long the store is down meanwhile."""
        turns = asyncio.Semaphore(RECOVERED_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for user_id, tasks in unfinished.items():
                group.create_task(self._recover_user(user_id, tasks, turns), name=f"recover {user_id}")
        if unfinished:
            count = sum(map(len, unfinished.values()))
            _log.info("unfinished tasks were found and taken care of", tasks=count)

    async def _recover_user(self, user_id: str, unfinished: Sequence[Task], turns: asyncio.Semaphore) -> None:
        left = in_recovery_order(unfinished)
        pauses = retry_pauses()
        async with turns:
            while left and not self._interruptions.closing:
                try:
                    async with self._held(user_id) as conversation:
                        await recover(conversation, left[0])
                    del left[0]
                except StoreUnavailable as error:
                    _log.warning("a task could not be recovered yet", user_id=user_id, reason=error.message)
                    await asyncio.sleep(next(pauses))
            async with self._held(user_id) as conversation:
                start_next_soon(conversation)
        self._unrecovered.pop(user_id).set()

    async def expire_questions(self) -> None:
        """Sweep again and again, until cancelled; between two sweeps nothing is in progress."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            try:
                await self.sweep_questions()
            except StoreUnavailable as error:
                _log.warning("questions could not be looked through", reason=error.message)

    async def sweep_questions(self) -> None:
        """End the tasks whose questions were not answered in time. Raises `StoreUnavailable`."""
        for due in await self._store.inputs_due(self._clock()):
            async with self._locked(due.user_id) as conversation:
                await expire(conversation, due)

    async def close(self, *, grace_s: float) -> None:
        """Accept nothing more, interrupt every task (`shutdown`), and wait so long for them to settle.

        A task that has asked is only paused: its question stays open, and the next process resumes it.
        """
        self._interruptions.end_all(within_s=grace_s)
        try:
            async with asyncio.timeout(grace_s):
                # What is being decided at this moment may still start a task.
                for conversation in [each for each in self._by_user.values() if each.holders]:
                    async with conversation.lock:
                        pass
                for task_id in self._interruptions.running_tasks():
                    await self._interruptions.wait_settled(task_id)
        except TimeoutError:
            _log.error("tasks did not settle in time", tasks=len(self._interruptions.running_tasks()))
        self._log.end_followers(None, Ended.CLOSED)

    # --- conversations in memory ---------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _locked(self, user_id: str) -> AsyncGenerator[Conversation, None]:
        """Hold a user's conversation; others wait for it in order. Raises `StoreUnavailable`.

        Cancelling the wait gives the turn to the next.
        """
        recovered = self._unrecovered.get(user_id)
        if recovered is not None:
            await recovered.wait()
        async with self._held(user_id) as conversation:
            yield conversation

    @contextlib.asynccontextmanager
    async def _held(self, user_id: str) -> AsyncGenerator[Conversation, None]:
        conversation = self._by_user.get(user_id)
        if conversation is None:
            conversation = self._by_user[user_id] = self._new_conversation(user_id)
        # Before anything waits: an idle conversation may be dropped, and this one is not idle any more. A
        # second one of the same user would let two tasks be active.
        self._idle_bytes -= self._idle.pop(user_id, 0)
        conversation.holders += 1
        try:
            async with conversation.lock:
                if not conversation.loaded:
                    await load(conversation)
                yield conversation
        finally:
            conversation.holders -= 1
            self._track_idle(conversation)

    @contextlib.asynccontextmanager
    async def _in_order(self, user_id: str) -> AsyncGenerator[None, None]:
        """Take a user's messages one after the other, without holding the conversation: a stop need not wait.

        Raises `StoreUnavailable`. Cancelling the wait gives the turn to the next.
        """
        async with self._locked(user_id) as conversation:
            conversation.holders += 1
        try:
            async with conversation.order:
                yield
        finally:
            conversation.holders -= 1
            self._track_idle(conversation)

    def _track_idle(self, conversation: Conversation) -> None:
        """Note that a conversation may have become idle, and drop the longest unused if there are too many.

        Costs the same however many there are.
        """
        if not conversation.idle:
            return
        size = conversation.results_bytes
        self._idle_bytes += size - self._idle.pop(conversation.user_id, 0)
        self._idle[conversation.user_id] = size
        while self._idle and (len(self._idle) > MOST_IDLE or self._idle_bytes > MOST_IDLE_BYTES):
            longest_unused, freed = self._idle.popitem(last=False)
            self._idle_bytes -= freed
            del self._by_user[longest_unused]
