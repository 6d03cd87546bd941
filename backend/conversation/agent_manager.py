"""The entry to the core: carries out users' messages, answers and stops on their conversations.

Each action is carried out to its end even if the caller is cancelled.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

import structlog

from ..domain.errors import Conflict, ShuttingDown, StoreUnavailable
from ..domain.task import DEFAULT_PRIORITY, InterruptReason, Policy, StoppedBy
from ..store.event_bus import Ended
from ..store.ownership import Lease, LeaseEnded, OwnedElsewhere
from ..store.records import USER_STORE, Record
from ..tasks.ledger.observed import StillRunningView
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Advise
from .accepted import Accepted
from .accepting import Advice, accept, answers_earlier
from .answering import AnsweredAnswer, Decision, answer_request, expire
from .conversation import Conversation, ItemsUse, Runtime
from .conversations import Conversations
from .recovery import Recovery
from .steering import Change, PendingAnswer, change
from .stopping import (
    STOP_WAIT_S,
    StoppedAgentAnswer,
    agent_as_stopped,
    forget,
    settled,
    stop_agent,
    stop_task,
)
from .writing import CopiedState, StateAnswer, copy_states, write_state

SWEEP_EVERY_S = 5.0
"""Seconds between two searches for expired questions."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class AgentManager:
    """Carries out what users do on their conversations."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._leaving = False
        self.conversations = Conversations(runtime)
        self._recovery = Recovery(self.conversations, runtime)
        self._actions: Mapping[str, Callable[..., Coroutine[Any, Any, Any]]] = {
            "message": self._accept,
            "answer": self._with(answer_request),
            "change_pending": self._with(change),
            "stop": self._stop,
            "stop_agent": self._stop_agent,
            "write_state": self._with(write_state),
            "copy_states": self._with(copy_states),
            "delete": self._with(forget),
            "keep": self._with(_keep),
            "last_request": self._with(_last_request),
            "use_items": self._with(_use_items),
        }

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self.conversations)

    def still_running(self, user_id: str) -> Sequence[StillRunningView]:
        """Return the undeclared tools and the steps that still run of a user's tasks that have ended."""
        return self._runtime.ledger.observed.still_running(user_id)

    # --- actions -------------------------------------------------------------------------------------

    async def handle_user_message(
        self,
        user_id: str,
        message: str,
        *,
        policy: Policy = "interrupt",
        priority: int = DEFAULT_PRIORITY,
        client_id: str | None = None,
        task_id: str | None = None,
        given: Mapping[str, Any] | None = None,
        after_s: float | None = None,
    ) -> Accepted:
        """Accept a message; when this returns, it is durable and the old task is being cancelled.

        With the policy `steer` nothing is cancelled: the running task takes the message in, or, with a
        `task_id`, that one alone. `given` is for the workflow; the message is then new, and answers nothing.
        With `after_s` its task waits so many seconds, at least, like a queued one.
        Raises as `accept` does; then nothing was accepted. Cancelling the caller withdraws nothing.
        """
        said: dict[str, Any] = {"priority": priority, "client_id": client_id, "task_id": task_id}
        said |= {"given": given, "after_s": after_s}
        return await self._perform("message", user_id, message=message, policy=policy, **said)

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Any = None,
        decision: Decision | None = None,
        note: str | None = None,
        page: Mapping[str, Any] | None = None,
    ) -> AnsweredAnswer:
        """Answer a question of the active task, or decide a permission; raises as `answer_request` does.

        `page` is what the task's page offers from now on, if the answer comes with that.
        """
        said = {"answer": answer, "decision": decision, "note": note, "page": page}
        return await self._perform("answer", user_id, request_id=request_id, **said)

    async def change_pending(
        self,
        user_id: str,
        message_id: str,
        how: Change,
        *,
        text: str | None = None,
        revision: int | None = None,
    ) -> PendingAnswer:
        """Edit, withdraw, send at once, or leave for the end a pending message; raises as `change` does."""
        return await self._perform(
            "change_pending", user_id, message_id=message_id, how=how, text=text, revision=revision
        )

    async def stop(
        self,
        user_id: str,
        task_id: str | None = None,
        *,
        by: StoppedBy | None = None,
        withdraws: bool = False,
    ) -> bytes | None:
        """Stop the active task, or the one named; return its receipt's JSON.

        If it `withdraws`, pending messages are withdrawn with it.

        Returns None if the receipt comes later, as an event: while the task settles, or the store cannot be
        read. Stopping an ended task changes nothing and returns its receipt. Raises `NotFound`, and
        `ShuttingDown` while the server is ending tasks to retry their messages later.
        """
        return await self._perform("stop", user_id, task_id=task_id, by=by, withdraws=withdraws)

    async def stop_agent(
        self, user_id: str, agent: str, task_id: str | None = None
    ) -> StoppedAgentAnswer | None:
        """Stop one agent of the active task, or of the one named; the task continues.

        Returns the agent once it has ended, None while it finishes a write that had begun. Raises as
        `stop_agent` does, and `ShuttingDown`.
        """
        return await self._perform("stop_agent", user_id, agent=agent, task_id=task_id)

    async def write_state(
        self,
        user_id: str,
        supersteps: Sequence[Sequence[Mapping[str, Any]]],
        *,
        graph: str | None = None,
        step_id: str | None = None,
    ) -> StateAnswer:
        """Write to the state of a user's thread, of one graph of several; raises as `write_state` does."""
        return await self._perform(
            "write_state", user_id, supersteps=supersteps, graph=graph, step_id=step_id
        )

    async def copy_states(self, user_id: str, source: str, states: Sequence[CopiedState]) -> Sequence[str]:
        """Begin a user's conversation with the states of another; raises as `copy_states` does."""
        return await self._perform("copy_states", user_id, source=source, states=states)

    async def delete_user(self, user_id: str) -> None:
        """Interrupt a user's tasks, then delete everything about the user.

        Raises `StoreUnavailable`; then it is not known whether all was deleted, or nothing.
        """
        await self._perform("delete", user_id)

    async def keep(self, user_id: str, record: Record) -> None:
        """Store a record that belongs to no task, such as a client's name of a run.

        Returns once it is durable. Raises `StoreUnavailable`. Cancelling this does not withdraw the record.
        """
        await self._perform("keep", user_id, record=record)

    async def last_request(self, user_id: str) -> Mapping[str, Any] | None:
        """Return the request that a user's next message is read after, empty if that had none.

        None before the first message. Raises `StoreUnavailable`.
        """
        return await self._perform("last_request", user_id)

    async def use_items(
        self, user_id: str, operations: Sequence[Mapping[str, Any]], *, turn: int = USER_STORE
    ) -> list[Any]:
        """Carry out operations (`graphs.state.store_operations`) on the items that graphs keep of a user.

        Returns their results once what has changed is durable. `turn` is that of the checkpoint with the
        items. Raises `BadInput`, and `StoreUnavailable`: then a part may be done. Cancelling this withdraws
        nothing.
        """
        return await self._perform("use_items", user_id, operations=[*operations], turn=turn)

    async def _perform(self, action: str, user_id: str, **said: Any) -> Any:
        """Carry out an action, to its end even if the caller is cancelled."""
        work = self._actions[action](user_id, **said)
        return await self._runtime.owner.run_to_end(work, name=f"{action} of {user_id}")

    def _with(self, step: Callable[..., Awaitable[Any]]) -> Callable[..., Coroutine[Any, Any, Any]]:
        """Return an action that takes one step with the user's conversation."""

        async def take(user_id: str, **said: Any) -> Any:
            return await self.with_conversation(user_id, partial(step, **said))

        return take

    async def _accept(self, user_id: str, message: str, **said: Any) -> Accepted:
        # The time before it waits for its turn, while a question may be asked.
        step = partial(accept, message=message, arrived_at=self._runtime.clock(), **said)
        if self._runtime.advise is None or said.get("given"):
            return await self.with_conversation(user_id, step)
        # The model reads outside the lock, for a second or more: a stop must not wait for it.
        async with self._in_order(user_id):
            advice = await self._advice(user_id, message, self._runtime.advise)
            return await self.with_conversation(user_id, partial(step, advice=advice))

    async def _advice(self, user_id: str, message: str, advise: Advise) -> Advice | None:
        async with self._locked(user_id) as conversation:
            if answers_earlier(conversation, message):
                return None
            situation = conversation.situation
        return situation, await advise(message, situation)

    async def _stop(self, user_id: str, task_id: str | None = None, **said: Any) -> bytes | None:
        async def stop_it(conversation: Conversation) -> tuple[str, bool]:
            conversation.check_open()
            is_any = task_id is None and conversation.active is not None
            return await stop_task(conversation, task_id, **said), is_any

        stopped, is_any = await self.with_conversation(user_id, stop_it)
        # A write that has begun may take a minute: answer at once, the receipt comes as an event.
        is_finishing = self._runtime.interruptions.finishing(stopped)
        if is_finishing or not await settled(self._runtime.interruptions, [stopped], within_s=STOP_WAIT_S):
            return None
        try:
            return await self._runtime.store.get_receipt(user_id, stopped)
        except StoreUnavailable:
            if not is_any:
                raise
            return None  # refused, it would be sent again, and stop a task that has come since

    async def _stop_agent(
        self, user_id: str, agent: str, task_id: str | None = None
    ) -> StoppedAgentAnswer | None:
        async def stop_it(conversation: Conversation) -> StoppedAgentAnswer | TaskContext:
            conversation.check_open()
            return await stop_agent(conversation, agent, task_id)

        stopped = await self.with_conversation(user_id, stop_it)
        if not isinstance(stopped, TaskContext):
            return stopped
        # Outside the lock: its reads may take seconds to end, and the next message must not wait.
        return await agent_as_stopped(stopped, agent, log=self._runtime.log, ledger=self._runtime.ledger)

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user, of the log that the first message begins."""
        known = self.conversations.get(user_id)
        if known is not None and known.epoch:
            return known.epoch
        position = await self._runtime.store.position(user_id)
        return position.epoch if position else await self._runtime.store.new_epoch(user_id)

    # --- recovery and shutdown -----------------------------------------------------------------------

    async def begin_recovery(self) -> bool:
        """Find users without an owner who have something unfinished; return whether there are any.

        From now on, requests of these users wait until `recover_users` has recovered them. Raises
        `StoreUnavailable`.
        """
        users = await self._runtime.ownership.reclaim(self.conversations.knows)
        for user_id in users:
            # A conversation in memory has the fence of an earlier lease, with which the recovery could store
            # nothing, and no other process would take the user.
            known = self.conversations.get(user_id)
            if known is not None and known.idle:
                self.conversations.end(known.lease)
            elif known is not None:
                self.end_lease(known.lease)
        self._recovery.begin(users)
        return bool(users)

    async def recover_users(self) -> None:
        """Recover users concurrently; retries while the store is down."""
        await self._recovery.recover_all()

    def end_lease(self, lease: Lease) -> None:
        """Drop the conversation of a user whom another process owns now, and cancel its tasks' works.

        Nothing of them is stored any more: the new owner recovers them from the store. Idempotent.
        """
        conversation = self.conversations.end(lease)
        if conversation is not None:
            _log.warning("a user is owned elsewhere now", user_id=lease.user_id, fence=lease.fence)
            conversation.queued.clear()
            for context in conversation.at_work:
                conversation.interrupt(context, InterruptReason.LOST)
            self._runtime.ledger.forget(lease.user_id)

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
        for due in await self._runtime.store.inputs_due(self._runtime.clock()):
            with contextlib.suppress(OwnedElsewhere):  # the owner looks for them, too
                await self.with_conversation(due.user_id, partial(expire, due=due))

    async def earliest_now(self) -> datetime:
        """Return the time by the slowest of the clocks that are known."""
        return self._runtime.clock()

    async def drain(self) -> None:
        """Accept no more work of users who have none here; running tasks go on. Idempotent.

        Raises `StoreUnavailable`; then this process drains, and others may not know of it yet.
        """
        self._runtime.interruptions.draining = True

    async def leave(self) -> None:
        """Reclaim no more users, since this process will end; everything else goes on. Idempotent."""
        self._leaving = True

    async def serve_again(self) -> None:
        """Accept all work again. Idempotent. Raises `ShuttingDown` and `StoreUnavailable`."""
        if self._leaving or self._runtime.interruptions.shutting_down:
            raise ShuttingDown("The server is going down; it cannot serve again.")
        self._runtime.interruptions.draining = False

    @property
    def replica(self) -> str:
        """This process's name among several; "" if it is alone."""
        return ""

    async def replicas(self) -> Sequence[str]:
        """Return the names of the replicas that are alive, none if it is alone. Raises `StoreUnavailable`."""
        return ()

    async def close(self, *, grace_s: float) -> None:
        """Accept nothing more, interrupt every task (`shutdown`), and wait up to `grace_s` until they settle.

        A task that has asked is only paused: its question stays open, and the next process resumes it. Each
        user is given up once no task of theirs runs any more.
        """
        self._runtime.interruptions.end_all(within_s=grace_s)
        try:
            async with asyncio.timeout(grace_s), asyncio.TaskGroup() as group:
                for conversation in self.conversations:
                    if not conversation.idle:
                        group.create_task(self._close(conversation), name=f"close {conversation.user_id}")
        except TimeoutError:
            _log.error("tasks did not settle in time", tasks=len(self._runtime.interruptions.running_tasks()))
        self._runtime.log.end_followers(None, Ended.CLOSED)

    async def _close(self, conversation: Conversation) -> None:
        # The holder of the lock may still start a task: wait for that first.
        async with conversation.lock:
            pass
        for task_id in self._runtime.interruptions.running_tasks(conversation.user_id):
            await self._runtime.interruptions.wait_settled(task_id)
        if conversation.in_use:
            try:
                # An empty commit: earlier records must be stored in this lease.
                await self._runtime.log.commit(conversation.lease)
                await self._runtime.ownership.give_up(conversation.lease)
            except (StoreUnavailable, LeaseEnded) as error:
                _log.warning("a user could not be given up", user_id=conversation.user_id, reason=str(error))

    async def with_conversation(
        self, user_id: str, step: Callable[[Conversation], Awaitable[T]], *, loaded: bool = True
    ) -> T:
        """Take a step with a user's conversation locked; again, with a new lease, if it ends.

        Then nothing was stored of the first try. Raises as `_locked` and the step do.
        """
        while True:
            try:
                async with self._locked(user_id, loaded=loaded) as conversation:
                    return await step(conversation)
            except LeaseEnded as error:
                # A lease whose answer came late may have begun anew: without this the tries would not end.
                self.end_lease(error.lease)

    @contextlib.asynccontextmanager
    async def _locked(self, user_id: str, *, loaded: bool = True) -> AsyncGenerator[Conversation, None]:
        """Lock a user's conversation; others wait their turn.

        Raises `OwnedElsewhere`, `LeaseEnded` and `StoreUnavailable`. Cancelling the wait gives up the turn.
        """
        if await self.conversations.acquire(user_id):
            self._reclaim_asked(user_id)
        await self._recovery.done(user_id)
        async with self.conversations.locked(user_id, loaded=loaded) as conversation:
            yield conversation

    def _reclaim_asked(self, user_id: str) -> None:
        """Begin to reclaim a user who has sent a request; the request waits."""
        self._recovery.begin([user_id])
        self._runtime.owner.spawn_detached(self._recovery.recover_all(), name=f"reclaim {user_id}")

    @contextlib.asynccontextmanager
    async def _in_order(self, user_id: str) -> AsyncGenerator[None, None]:
        """Take a user's messages one at a time, without locking the conversation.

        Raises `StoreUnavailable`. Cancelling the wait gives up the turn.
        """
        with contextlib.ExitStack() as kept:
            async with self._locked(user_id) as conversation:
                # Kept in memory, or it could be dropped while the model reads.
                kept.enter_context(self.conversations.kept(conversation))
            async with conversation.order:
                yield


async def _keep(conversation: Conversation, record: Record) -> None:
    await conversation.commit(record)


async def _use_items(
    conversation: Conversation, operations: Sequence[Mapping[str, Any]], turn: int
) -> list[Any]:
    carry_out = conversation.runtime.use_items
    if carry_out is None:
        raise Conflict("This server keeps no items.", code="no_items")
    use = ItemsUse(conversation.user_id, conversation.store, conversation.cache)
    try:
        return await carry_out(use, turn, operations)
    finally:
        if use.changes:
            try:
                await conversation.commit(use.changes[-1])
            except StoreUnavailable:
                use.cache.store = None  # what is stored is not known
                raise


async def _last_request(conversation: Conversation) -> Mapping[str, Any] | None:
    return conversation.situation.last_request
