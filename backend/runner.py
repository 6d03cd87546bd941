"""From a message to a running task: accepting (durable) and executing are two steps, in this order.

A message is read, it is decided what becomes of the task at work, and all of it is stored in one
transaction; then, and only then, the old task is told to end and the new one is started. The caller may go
away in between: an accepted message is carried out all the same.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from backend.acceptance import Accepted
from backend.answering import Answered, Answering, Decision
from backend.conversation import Conversation, Conversations, waits_its_turn
from backend.domain import events
from backend.domain.clock import Clock
from backend.domain.context import InterruptedContext
from backend.domain.partials import PartialResults
from backend.domain.task import DEFAULT_PRIORITY, InterruptReason, Message, Policy, Task, TaskStatus
from backend.errors import ShuttingDown
from backend.event_bus.base import Ended
from backend.event_log import EventLog
from backend.execution import Execution
from backend.interruption_manager import InterruptionManager
from backend.state_store.base import ForgetPartials, NewUser, Record, StateStore
from backend.stopping import Stopping
from backend.task_context import TaskContext
from backend.task_owner import TaskOwner
from backend.workflow import Reading, Workflow

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """What becomes of a message and of the task at work."""

    task: Task
    reading: Reading
    superseded: TaskContext | None
    reason: InterruptReason
    resumed: InterruptedContext | None = None


class AgentManager:
    """Takes users' messages and stops, and keeps one task at work for each user."""

    def __init__(
        self,
        *,
        store: StateStore,
        log: EventLog,
        interruptions: InterruptionManager,
        conversations: Conversations,
        workflow: Workflow,
        owner: TaskOwner,
        clock: Clock,
        new_task_id: Callable[[], str],
    ) -> None:
        self._store = store
        self._log = log
        self._interruptions = interruptions
        self._conversations = conversations
        self._workflow = workflow
        self._owner = owner
        self._clock = clock
        self._new_task_id = new_task_id
        self._execution = Execution(
            store=store,
            log=log,
            interruptions=interruptions,
            conversations=conversations,
            workflow=workflow,
            owner=owner,
            clock=clock,
        )
        self._answering = Answering(
            store=store,
            log=log,
            interruptions=interruptions,
            conversations=conversations,
            workflow=workflow,
            execution=self._execution,
            clock=clock,
        )

        self._stopping = Stopping(
            store=store,
            log=log,
            interruptions=interruptions,
            conversations=conversations,
            execution=self._execution,
            owner=owner,
        )

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
        work = self._accept(user_id, message, policy=policy, priority=priority, client_id=client_id)
        return await self._owner.run_to_end(work, name=f"accept {user_id}")

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Mapping[str, Any] | None = None,
        decision: Decision | None = None,
    ) -> Answered:
        """Answer a question of the task at work; as `Answering.answer`, whether or not the caller stays."""
        work = self._answering.answer(user_id, request_id, answer=answer, decision=decision)
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

    async def delete_user(self, user_id: str) -> None:
        """Interrupt whatever a user has running, then forget everything about the user.

        Raises `StoreUnavailable`; then nothing was forgotten, and what waits goes on.
        """
        await self._stopping.delete_user(user_id)

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user the one it will begin with."""
        async with self._conversations.locked(user_id) as conversation:
            return conversation.epoch

    async def take_up_again(self, lost: Task, context: TaskContext | None = None) -> None:
        """Give the message of a task that ended with its process a new task, behind any at work.

        `context` is that of a task whose ending is not stored yet; it is stored with the new task, so that
        the message is neither lost nor taken up twice should this process die as well.
        """
        async with self._conversations.locked(lost.user_id) as conversation:
            manner = "beside" if lost.aside else "interrupt"
            reading = Reading(
                relation=lost.relation,
                manner=manner,
                request=lost.request,
                carried=lost.carried,
                dropped=lost.dropped,
                subject=lost.subject,
            )
            decision = self._decide(
                conversation, reading, lost.message, policy="enqueue", priority=lost.priority
            )
            in_good_order = lost.reason is InterruptReason.SHUTDOWN
            task = replace(
                decision.task,
                policy=lost.policy,
                attempt=lost.attempt if in_good_order else lost.attempt + 1,
                previous_task_id=lost.task_id,
                asked_in=lost.asked_in or lost.task_id,
                resumed_task_id=lost.resumed_task_id,
            )
            records = (task, events.status_update(task, PartialResults()))
            if context is None:
                await self._log.commit(lost.user_id, *records)
            else:
                await self._interruptions.settle(context, lost.reason or InterruptReason.LOST, *records)
            if not lost.aside:
                conversation.handed_on = await self._conversations.left_by(lost)
            self._carry_out(conversation, replace(decision, task=task))

    async def go_on_again(self, task: Task) -> None:
        """Let a task go on from its checkpoint that was at work when its process ended.

        Its attempt is counted before, as is that of a message that is taken up again.
        """
        async with self._conversations.locked(task.user_id) as conversation:
            context = conversation.active
            if context is None or context.task_id != task.task_id:
                raise LookupError(f"{task.task_id} is not the task at work")
            in_good_order = task.reason is InterruptReason.SHUTDOWN
            context.task = replace(context.task, attempt=task.attempt + (0 if in_good_order else 1))
            await self._log.commit(task.user_id, context.task)
            self._execution.go_on(conversation, after_rest=False)

    async def queue_again(self, waiting: Sequence[Task]) -> None:
        """Let tasks that waited when their process ended wait again; given in the order they came."""
        for task in waiting:
            async with self._conversations.locked(task.user_id) as conversation:
                conversation.enqueue(task)
                conversation.ask_for(task)
        for user_id in dict.fromkeys(task.user_id for task in waiting):
            await self._execution.start_next(user_id)

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

    # --- accepting -----------------------------------------------------------------------------------

    async def _accept(
        self, user_id: str, message: str, *, policy: Policy, priority: int, client_id: str | None
    ) -> Accepted:
        async with self._conversations.locked(user_id) as conversation:
            if self._execution.closing:
                raise ShuttingDown("The server is going down; please try again in a moment.")
            if client_id is not None and conversation.stored:
                first = await self._store.get_acceptance(user_id, client_id)
                if first is not None:
                    return await self._duplicate(Accepted.again(*first, message))
            reading = self._workflow.read(
                message,
                conversation.request,
                unfinished=conversation.unfinished,
                stopped=conversation.stopped,
                asked=conversation.asked,
                recent=[each.request for each in conversation.past],
            )
            if reading.manner == "answer" and conversation.active is not None:
                context = conversation.active
                return await self._answered_by(message, reading, conversation, context, policy, client_id)
            past = conversation.past[reading.resumes] if reading.resumes is not None else None
            resumed = await self._execution.left_by(past.task_id) if past is not None else None
            decision = self._decide(conversation, reading, message, policy=policy, priority=priority)
            superseded = decision.superseded.task_id if decision.superseded else None
            accepted = Accepted.of(decision.task, superseded=superseded, epoch=conversation.epoch)
            acceptance = [accepted.kept_for(client_id, message)] if client_id is not None else []
            seq = await self._store_decision(conversation, decision, *acceptance)
            interrupted = self._carry_out(conversation, replace(decision, resumed=resumed))
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
        seq = await self._answering.resolve(conversation, context, reading, message=message, also=acceptance)
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

    def _decide(
        self, conversation: Conversation, reading: Reading, message: str, *, policy: Policy, priority: int
    ) -> _Decision:
        at_work = conversation.at_work
        waits = reading.manner == "interrupt" and waits_its_turn(
            policy, priority, at_work.task if at_work else None, waiting=len(conversation.queued)
        )
        now = self._clock()
        task = Task(
            task_id=self._new_task_id(),
            user_id=conversation.user_id,
            turn=conversation.turn + 1,
            message=message,
            status=TaskStatus.QUEUED if waits else TaskStatus.RUNNING,
            created_at=now,
            updated_at=now,
            started_at=None if waits else now,
            policy=policy,
            priority=priority,
            relation=reading.relation,
            request=reading.request,
            carried=reading.carried,
            dropped=reading.dropped,
            previous_task_id=conversation.latest_task_id,
            aside=reading.manner != "interrupt",
            subject=reading.subject,
            resumed_task_id=conversation.past[reading.resumes].task_id
            if reading.resumes is not None
            else None,
        )
        return _Decision(
            task=task,
            reading=reading,
            superseded=None if reading.manner == "beside" or waits else at_work,
            reason=InterruptReason.STOPPED if reading.manner == "stop" else InterruptReason.SUPERSEDED,
        )

    async def _store_decision(
        self, conversation: Conversation, decision: _Decision, *acceptance: Record
    ) -> int:
        """Make a message, its task and the interruption of the old one durable, together."""
        task, superseded = decision.task, decision.superseded
        entry = Message(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.turn,
            position=0,
            role="user",
            text=task.message,
            at=task.created_at,
        )
        records: list[Record] = [] if conversation.stored else [NewUser(conversation.epoch)]
        records += [task, entry, events.message(entry), events.status_update(task, PartialResults())]
        if task.status is TaskStatus.RUNNING and not task.aside:
            unsettled = [*self._interruptions.contexts_of(task.user_id), *conversation.resting_tasks]
            records.append(ForgetPartials(min((each.task.turn for each in unsettled), default=task.turn)))
        records += acceptance
        try:
            if superseded is not None:
                superseded.note_request(decision.reason, task.created_at)
                records.append(superseded.task)
            return await self._log.commit(task.user_id, *records)
        except Exception:
            if superseded is not None:
                superseded.forget_request()
            raise

    # --- executing -----------------------------------------------------------------------------------

    def _carry_out(self, conversation: Conversation, decision: _Decision) -> str | None:
        """Do what was decided; return the id of the task that was interrupted, if one was. Never waits."""
        task = decision.task
        conversation.stored = True
        conversation.turn = task.turn
        interrupted_task_id = None
        superseded = decision.superseded
        if superseded is not None and self._interruptions.interrupt(superseded, decision.reason):
            interrupted_task_id = superseded.task_id
        active = conversation.active
        if active is not None and active.reason is not None:
            conversation.handed_on = active.hands_on(task.created_at)
        elif active is not None and task.status is TaskStatus.RUNNING and not task.aside:
            conversation.handed_on = None  # the task whose place it takes has just ended by itself
        conversation.latest_task_id = conversation.latest_task_id or task.task_id
        if task.aside:
            # A stop that ended nothing is not handed what was interrupted before it.
            ended_nothing = decision.reading.manner == "stop" and interrupted_task_id is None
            self._execution.start(task, None if ended_nothing else conversation.handed_on)
            return interrupted_task_id
        conversation.ask_for(task)
        if task.status is TaskStatus.QUEUED:
            conversation.enqueue(task)
            self._execution.let_next_start(
                conversation
            )  # the one it was to wait for may have ended meanwhile
        else:
            conversation.active = self._execution.start(task, decision.resumed or conversation.handed_on)
            conversation.resting = False
        return interrupted_task_id
