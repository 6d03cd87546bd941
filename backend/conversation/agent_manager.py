"""From a message to a running task: accepting (durable) and executing are two steps, in this order.

A message is read, it is decided what becomes of the task at work, and all of it is stored in one
transaction; then, and only then, the old task is told to end and the new one is started. The caller may go
away in between: an accepted message is carried out all the same.
"""

import asyncio
import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import structlog

from ..domain import events
from ..domain.partials import PartialResults
from ..domain.task import DEFAULT_PRIORITY, Message, Policy, TaskStatus
from ..errors import ShuttingDown
from ..log.event_bus.base import Ended
from ..log.state_store.base import ForgetPartials, NewUser, Record
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Advise, Reading, Situation
from .acceptance import Accepted
from .agent_stopping import AgentStopping, StoppedAgent
from .answering import Answered, Answering, Decision
from .conversation import Conversation
from .core_parts import CoreParts
from .deciding import Decided, decide
from .execution import Execution
from .recovery import Recovery
from .stopping import Stopping

_log = structlog.get_logger(__name__)


class AgentManager:
    """Takes users' messages and stops, and keeps one task at work for each user."""

    def __init__(self, parts: CoreParts) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._workflow = parts.workflow
        self._owner = parts.owner
        self._clock = parts.clock
        self._new_task_id = parts.new_task_id
        self._advise = parts.advise
        self._execution = Execution(parts)
        self._answering = Answering(parts, self._execution)
        self._stopping = Stopping(parts, self._execution)
        self._agent_stopping = AgentStopping(parts, self._execution, self._answering)
        self._recovery = Recovery(parts, self._execution)

    async def recover(self) -> None:
        """Take care of what an old process left; as `Recovery.recover`."""
        await self._recovery.recover()

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

        Raises `Conflict` (policy `reject` and a task at work), `StoreUnavailable` and `ShuttingDown`; then
        nothing was accepted. Cancelling the caller may come too late to take the message back.
        """
        accept = (
            self._accept if self._advise is None else functools.partial(self._accept_advised, self._advise)
        )
        work = accept(user_id, message, policy=policy, priority=priority, client_id=client_id)
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
        """Answer a question of the task at work; as `Answering.answer`, whether or not the caller stays."""
        work = self._answering.answer(user_id, request_id, answer=answer, decision=decision, note=note)
        return await self._owner.run_to_end(work, name=f"answer {request_id}")

    async def sweep_questions(self) -> None:
        """End the tasks whose questions were not answered in time. Raises `StoreUnavailable`."""
        await self._answering.sweep()

    async def expire_questions(self) -> None:
        """Sweep again and again, until cancelled."""
        await self._answering.sweep_for_ever()

    async def stop(self, user_id: str, task_id: str | None = None) -> bytes | None:
        """Stop the task at work, or the one named; return its receipt's JSON, None while it still settles.

        Stopping what has ended changes nothing and returns its receipt. Raises `NotFound`, and `ShuttingDown`
        where the server is ending tasks itself, to take them up again.
        """
        return await self._stopping.stop(user_id, task_id)

    async def stop_agent(self, user_id: str, agent: str, task_id: str | None = None) -> StoppedAgent | None:
        """Stop one agent of the task at work, or of the one named, which goes on; as `AgentStopping.stop`."""
        return await self._agent_stopping.stop(user_id, agent, task_id)

    async def delete_user(self, user_id: str) -> None:
        """Interrupt whatever a user has running, then forget everything about the user.

        Raises `StoreUnavailable`; then nothing was forgotten, and what waits goes on.
        """
        await self._stopping.delete_user(user_id)

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user the one it will begin with."""
        async with self._conversations.locked(user_id) as conversation:
            return conversation.epoch

    async def close(self, *, grace_s: float) -> None:
        """Accept nothing more, interrupt every task (`shutdown`), and wait so long for them to settle.

        A task that has asked is only paused: its question stays open, and it goes on in the next process.
        """
        self._execution.closing = True
        self._interruptions.end_all(within_s=grace_s)
        try:
            async with asyncio.timeout(grace_s):
                await self._conversations.decided()
                for task_id in self._interruptions.running_tasks():
                    await self._interruptions.wait_settled(task_id)
        except TimeoutError:
            _log.error("tasks did not settle in time", tasks=len(self._interruptions.running_tasks()))
        self._log.end_followers(None, Ended.CLOSED)

    async def _accept_advised(self, advise: Advise, user_id: str, message: str, **manner: Any) -> Accepted:
        """Accept a message once it was asked about: it may wait for that, and so do those behind it.

        What is advised counts where nothing has changed meanwhile.
        """
        async with self._conversations.in_order(user_id):
            async with self._conversations.locked(user_id) as conversation:
                situation = conversation.situation
            advised = await advise(message, situation)
            return await self._accept(user_id, message, **manner, advice=(situation, advised))

    async def _accept(
        self,
        user_id: str,
        message: str,
        *,
        policy: Policy,
        priority: int,
        client_id: str | None,
        advice: tuple[Situation, Reading | None] | None = None,
    ) -> Accepted:
        async with self._conversations.locked(user_id) as conversation:
            if self._execution.closing:
                raise ShuttingDown("The server is going down; please try again in a moment.")
            if client_id is not None and conversation.stored:
                first = await self._store.get_acceptance(user_id, client_id)
                if first is not None:
                    return await self._duplicate(Accepted.again(*first, message))
            reading = self._workflow.read(message, conversation.situation)
            if advice is not None and advice[1] is not None and advice[0] == conversation.situation:
                reading = advice[1]
            if reading.manner == "answer" and conversation.active is not None:
                context = conversation.active
                return await self._answered_by(message, reading, conversation, context, policy, client_id)
            past = conversation.remembered[reading.resumes] if reading.resumes is not None else None
            resumed = await self._execution.left_by(past.task_id) if past is not None else None
            decided = decide(
                conversation,
                reading,
                message,
                policy=policy,
                priority=priority,
                task_id=self._new_task_id(),
                now=self._clock(),
            )
            superseded = decided.superseded.task_id if decided.superseded else None
            accepted = Accepted.of(decided.task, superseded=superseded, epoch=conversation.epoch)
            acceptance = [accepted.kept_for(client_id, message)] if client_id is not None else []
            seq = await self._store_decision(conversation, decided, *acceptance, client_id=client_id)
            interrupted = self._execution.carry_out(conversation, replace(decided, resumed=resumed))
            return replace(accepted, seq=seq, interrupted_task_id=interrupted)

    async def _answered_by(
        self,
        message: str,
        reading: Reading,
        conversation: Conversation,
        context: TaskContext,
        policy: Policy,
        client_id: str | None,
    ) -> Accepted:
        """Accept a message that answers what the task at work has asked; it goes on."""
        task = replace(context.task, relation=reading.relation, policy=policy)
        accepted = Accepted.of(task, superseded=None, epoch=conversation.epoch)
        acceptance = [accepted.kept_for(client_id, message)] if client_id is not None else []
        seq = await self._answering.resolve(
            conversation, context, reading, message=message, client_id=client_id, also=acceptance
        )
        return replace(accepted, seq=seq, status=context.task.status)

    async def _duplicate(self, first: Accepted) -> Accepted:
        """Return the answer that a message got before: a task that ended by itself was not interrupted."""
        task_id = first.interrupted_task_id
        if task_id is None:
            return first
        context = self._interruptions.context_of(task_id)
        task = None if context else await self._store.get_task_metadata(task_id)
        interrupted = context.reason if context else task and task.reason
        return first if interrupted else replace(first, interrupted_task_id=None)

    async def _store_decision(
        self, conversation: Conversation, decided: Decided, *acceptance: Record, client_id: str | None
    ) -> int:
        """Make a message, its task and the interruption of the old one durable, together."""
        task, superseded = decided.task, decided.superseded
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
        records: list[Record] = [] if conversation.stored else [NewUser(conversation.epoch)]
        records += [task, entry, events.message(entry), events.status_update(task, PartialResults())]
        if task.status is TaskStatus.RUNNING and not task.aside:
            unsettled = [*self._interruptions.contexts_of(task.user_id), *conversation.resting_tasks]
            records.append(ForgetPartials(min((each.task.turn for each in unsettled), default=task.turn)))
        records += acceptance
        try:
            if superseded is not None:
                superseded.note_request(decided.reason, task.created_at)
                records.append(superseded.task)
            return await self._log.commit(task.user_id, *records)
        except Exception:
            if superseded is not None:
                superseded.forget_request()
            raise
