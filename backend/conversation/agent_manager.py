"""The entry to the core: passes users' messages, answers and stops to their conversations.

Each request is carried out to its end even if the caller goes away.
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
from ..log.ownership.base import Ownership
from ..log.retry import until_stored
from ..log.state_store.base import Record, StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.ledger.observed import StillRunningView
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Workflow
from .accepted import Accepted
from .accepting import Advice, accept, answers_earlier
from .agent_stopping import StoppedAgentAnswer, agent_as_stopped, stop_agent
from .answering import AnsweredAnswer, Decision, answer_request, expire
from .conversation import Conversation
from .loading import load
from .recovery import in_recovery_order, recover
from .starting import start_next_soon
from .stopping import STOP_WAIT_S, forget, settled, stop

MOST_IDLE = 1_000
"""How many conversations without a running task stay in memory."""

MOST_IDLE_BYTES = 64 * 1024 * 1024
"""Bytes of results that these may hold in all: 200 users of a hosted graph once held 1.7 GB (measured)."""

RECOVERED_AT_ONCE = 32
"""Users whose unfinished tasks are recovered at once; one by one, 2,000 tasks took 24 s (measured)."""

SWEEP_EVERY_S = 5.0
"""Seconds between two searches for questions whose time is up."""

_log = structlog.get_logger(__name__)


class AgentManager:
    """The map from users to their conversations.

    A conversation without a running task stays in memory until there are too many; the longest unused is
    dropped first. `advise` reads messages that the workflow does not understand.
    """

    def __init__(
        self,
        *,
        store: StateStore,
        log: EventLog,
        ownership: Ownership,
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
        self._ownership = ownership
        self._interruptions = interruptions
        self._ledger = ledger
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

    def still_running(self, user_id: str) -> Sequence[StillRunningView]:
        """Return the undeclared tools and the steps that still run of a user's tasks that have ended."""
        return self._ledger.observed.still_running(user_id)

    # --- what users do -------------------------------------------------------------------------------

    async def handle_user_message(
        self,
        user_id: str,
        message: str,
        *,
        policy: Policy = "interrupt",
        priority: int = DEFAULT_PRIORITY,
        client_id: str | None = None,
        given: Mapping[str, Any] | None = None,
    ) -> Accepted:
        """Accept a message; when this returns, it is durable and the old task is being cancelled.

        What is `given` with it is for the workflow; the message is then new, and answers nothing. Raises as
        `accept` does; then nothing was accepted. Cancelling the caller does not take the message back.
        """
        arrived_at = self._clock()  # before it waits for its turn, while a question may be asked

        async def accept_it(advice: Advice | None = None) -> Accepted:
            async with self._locked(user_id) as conversation:
                return await accept(
                    conversation,
                    message,
                    policy=policy,
                    priority=priority,
                    client_id=client_id,
                    given=given,
                    advice=advice,
                    arrived_at=arrived_at,
                )

        async def accept_advised(advise: Advise) -> Accepted:
            # The model reads outside the lock, for a second or more: a stop must not wait for it.
            async with self._in_order(user_id):
                async with self._locked(user_id) as conversation:
                    answers = answers_earlier(conversation, message)
                    situation = conversation.situation
                return await accept_it(None if answers else (situation, await advise(message, situation)))

        work = accept_it() if self._advise is None or given else accept_advised(self._advise)
        return await self._owner.run_to_end(work, name=f"accept {user_id}")

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Any = None,
        decision: Decision | None = None,
        note: str | None = None,
    ) -> AnsweredAnswer:
        """Answer a question of the active task, or decide a permission; raises as `answer_request` does."""

        async def answer_it() -> AnsweredAnswer:
            async with self._locked(user_id) as conversation:
                return await answer_request(
                    conversation, request_id, answer=answer, decision=decision, note=note
                )

        return await self._owner.run_to_end(answer_it(), name=f"answer {request_id}")

    async def stop(self, user_id: str, task_id: str | None = None) -> bytes | None:
        """Stop the active task, or the one named; return its receipt's JSON, None while it still settles.

        Stopping an ended task changes nothing and returns its receipt. Raises `NotFound`, and `ShuttingDown`
        while the server is ending tasks to retry their messages later.
        """

        async def stop_it() -> str:
            async with self._locked(user_id) as conversation:
                conversation.check_open()
                return await stop(conversation, task_id)

        stopped = await self._owner.run_to_end(stop_it(), name=f"stop {user_id}")
        # A write that has begun may take a minute: answer at once, the receipt comes as an event.
        if self._interruptions.finishing(stopped):
            return None
        if not await settled(self._interruptions, [stopped], within_s=STOP_WAIT_S):
            return None
        return await self._store.get_receipt(user_id, stopped)

    async def stop_agent(
        self, user_id: str, agent: str, task_id: str | None = None
    ) -> StoppedAgentAnswer | None:
        """Stop one agent of the active task, or of the one named; the task continues.

        Returns the agent once it has ended, None while it finishes a write that had begun. Raises as
        `stop_agent` does, and `ShuttingDown`.
        """

        async def stop_it() -> StoppedAgentAnswer | None:
            async with self._locked(user_id) as conversation:
                conversation.check_open()
                stopped = await stop_agent(conversation, agent, task_id)
            if not isinstance(stopped, TaskContext):
                return stopped
            # Outside the lock: its reads may take seconds to end, and the next message must not wait.
            return await agent_as_stopped(conversation, stopped, agent)

        return await self._owner.run_to_end(stop_it(), name=f"stop {agent} of {user_id}")

    async def delete_user(self, user_id: str) -> None:
        """Interrupt a user's tasks, then delete everything about the user.

        Raises `StoreUnavailable`; then nothing was deleted.
        """

        async def delete_it() -> None:
            async with self._locked(user_id) as conversation:
                await forget(conversation)

        await self._owner.run_to_end(delete_it(), name=f"delete {user_id}")

    async def keep(self, user_id: str, record: Record) -> None:
        """Store a record that belongs to no task, such as what a client calls a run.

        Returns once it is durable. Raises `StoreUnavailable`. Cancelling this does not take the record back.
        """
        async with self._locked(user_id) as conversation:
            await conversation.log.commit(conversation.tenure, record)

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user, of the log that the first message begins."""
        async with self._locked(user_id) as conversation:
            return conversation.epoch

    async def last_request(self, user_id: str) -> Mapping[str, Any] | None:
        """Return the request that a user's next message is read after, empty if that had none.

        None before the first message. Raises `StoreUnavailable`.
        """
        async with self._locked(user_id) as conversation:
            return conversation.situation.last_request

    # --- its life ------------------------------------------------------------------------------------

    async def recover(self) -> None:
        """Recover what an old process left: `begin_recovery` and `recover_users` in one."""
        await self.recover_users(await self.begin_recovery())

    async def begin_recovery(self) -> Mapping[str, Sequence[Task]]:
        """Return each user's unfinished tasks. Call once, before messages are accepted.

        From now on, each request of one of these users waits until `recover_users` has recovered that user.
        Raises `StoreUnavailable`.
        """
        by_user: dict[str, list[Task]] = {}
        for task in await self._store.resumable():
            by_user.setdefault(task.user_id, []).append(task)
        self._unrecovered = {user_id: asyncio.Event() for user_id in by_user}
        return by_user

    async def recover_users(self, unfinished: Mapping[str, Sequence[Task]]) -> None:
        """Recover users concurrently; retries while the store is down."""
        turns = asyncio.Semaphore(RECOVERED_AT_ONCE)
        async with asyncio.TaskGroup() as group:
            for user_id, tasks in unfinished.items():
                group.create_task(self._recover_user(user_id, tasks, turns), name=f"recover {user_id}")
        if unfinished:
            count = sum(map(len, unfinished.values()))
            _log.info("unfinished tasks were recovered", tasks=count)

    async def _recover_user(self, user_id: str, unfinished: Sequence[Task], turns: asyncio.Semaphore) -> None:
        left = in_recovery_order(unfinished)

        async def recover_rest() -> None:
            while left and not self._interruptions.closing:
                # `_held`, since `_locked` waits for this very recovery.
                async with self._held(user_id) as conversation:
                    await recover(conversation, left[0])
                del left[0]
            # The queue only now: until all tasks are recovered, the active one may not be known.
            async with self._held(user_id) as conversation:
                start_next_soon(conversation)

        try:
            async with turns:
                await until_stored(recover_rest, user_id=user_id)
        except Exception:  # noqa: BLE001 - one user's damaged records must not keep the others waiting
            _log.exception("a user could not be recovered", user_id=user_id)
        finally:
            self._unrecovered.pop(user_id).set()

    async def expire_questions(self) -> None:
        """Call `sweep_questions` every `SWEEP_EVERY_S` seconds, until cancelled."""
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
        """Accept nothing more, interrupt every task (`shutdown`), and wait up to `grace_s` until they settle.

        A task that has asked is only paused: its question stays open, and the next process resumes it.
        """
        self._interruptions.end_all(within_s=grace_s)
        try:
            async with asyncio.timeout(grace_s):
                # Whoever holds a lock at this moment may still start a task: wait for each of them first.
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
        """Hold a user's conversation; others wait their turn. Raises `StoreUnavailable`.

        Cancelling the wait gives up the turn.
        """
        recovered = self._unrecovered.get(user_id)
        if recovered is not None:
            await recovered.wait()
        async with self._held(user_id) as conversation:
            yield conversation

    @contextlib.asynccontextmanager
    async def _held(self, user_id: str) -> AsyncGenerator[Conversation, None]:
        if user_id not in self._by_user:
            tenure = await self._ownership.claim(user_id)
            if user_id not in self._by_user:  # somebody else may have claimed the user meanwhile
                self._by_user[user_id] = self._new_conversation(tenure)
        conversation = self._by_user[user_id]
        # Before the next await, in which idle conversations may be dropped: this one is not idle any more,
        # and a second conversation of the same user would let two tasks be active.
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
        """Take a user's messages one at a time, without holding the conversation.

        Raises `StoreUnavailable`. Cancelling the wait gives up the turn.
        """
        # Counted as a holder, or the conversation could be dropped while the model reads.
        async with self._locked(user_id) as conversation:
            conversation.holders += 1
        try:
            async with conversation.order:
                yield
        finally:
            conversation.holders -= 1
            self._track_idle(conversation)

    def _track_idle(self, conversation: Conversation) -> None:
        """Register a conversation that may have become idle; drop the longest unused beyond the bounds.

        Takes constant time.
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
