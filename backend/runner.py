"""From a message to a running task: accepting (durable) and executing are two steps, in this order.

A message is read, it is decided what becomes of the task at work, and all of it is stored in one
transaction; then, and only then, the old task is told to end and the new one is started. The caller may go
away in between: an accepted message is carried out all the same.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import orjson
import structlog

from backend.conversation import Conversation, Conversations, waits_its_turn
from backend.domain import events
from backend.domain.clock import Clock
from backend.domain.context import InterruptedContext
from backend.domain.encoding import encode
from backend.domain.partials import PartialResults
from backend.domain.task import DEFAULT_PRIORITY, InterruptReason, Message, Policy, Task, TaskStatus
from backend.errors import NotFound, ShuttingDown
from backend.event_bus.base import Ended
from backend.event_log import EventLog
from backend.interruption_manager import InterruptionManager
from backend.state_store.base import Acceptance, ForgetPartials, NewUser, Record, StateStore
from backend.task_context import TaskContext
from backend.task_owner import TaskOwner
from backend.workflow import Reading, Workflow

STOP_WAIT_S = 10.0
"""How long a stop waits for the receipt before it answers without one."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Accepted:
    """The answer to an accepted message, in the contract's words."""

    task_id: str
    user_id: str
    status: TaskStatus
    policy: Policy
    relation: str | None
    interrupted_task_id: str | None
    epoch: str
    seq: int = 0
    duplicate: bool = False

    def to_wire(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "task_id": self.task_id,
            "user_id": self.user_id,
            "status": self.status,
            "policy": self.policy,
            "relation": self.relation,
            "interrupted_task_id": self.interrupted_task_id,
            "duplicate": self.duplicate,
            "seq": self.seq,
            "epoch": self.epoch,
            "websocket": f"/ws/{self.user_id}",
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decision:
    """What becomes of a message and of the task at work."""

    task: Task
    reading: Reading
    superseded: TaskContext | None
    reason: InterruptReason


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
        self._closing = False
        interruptions.register_status_callback(self._task_ended)

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

    async def stop(self, user_id: str, task_id: str | None = None) -> bytes | None:
        """Stop the task at work, or the one named; return its receipt's JSON, None while it still settles.

        Stopping what has ended changes nothing and returns its receipt. Raises `NotFound`.
        """
        stopped = await self._owner.run_to_end(self._stop(user_id, task_id), name=f"stop {user_id}")
        try:
            async with asyncio.timeout(STOP_WAIT_S):
                await self._interruptions.wait_settled(stopped)
        except TimeoutError:
            return None
        return await self._store.get_receipt(user_id, stopped)

    async def delete_user(self, user_id: str) -> None:
        """Interrupt whatever a user has running, then forget everything about the user."""
        await self._owner.run_to_end(self._delete_user(user_id), name=f"delete {user_id}")

    async def epoch(self, user_id: str) -> str:
        """Return the epoch of a user's log; for an unknown user the one it will begin with."""
        async with self._conversations.locked(user_id) as conversation:
            return conversation.epoch

    async def take_up_again(self, lost: Task) -> None:
        """Give the message of a task that ended with its process a new task, behind any at work."""
        async with self._conversations.locked(lost.user_id) as conversation:
            reading = Reading(relation=lost.relation, request=lost.request)
            decision = self._decide(
                conversation, reading, lost.message, policy="enqueue", priority=lost.priority
            )
            task = replace(
                decision.task,
                policy=lost.policy,
                attempt=lost.attempt + 1,
                previous_task_id=lost.task_id,
            )
            decision = replace(decision, task=task)
            await self._log.insist(lost.user_id, task, events.status_update(task, PartialResults()))
            self._carry_out(conversation, decision)

    async def queue_again(self, waiting: Task) -> None:
        """Let a task that waited when its process ended wait again."""
        async with self._conversations.locked(waiting.user_id) as conversation:
            conversation.enqueue(waiting)
        await self._start_next(waiting.user_id)

    async def close(self, *, grace_s: float) -> None:
        """Accept nothing more, interrupt every task (`shutdown`), and wait so long for them to settle."""
        self._closing = True
        running = self._interruptions.running_tasks()
        for task_id in running:
            self._interruptions.interrupt_task(task_id, InterruptReason.SHUTDOWN)
        try:
            async with asyncio.timeout(grace_s):
                for task_id in running:
                    await self._interruptions.wait_settled(task_id)
        except TimeoutError:
            _log.error("tasks did not settle in time", tasks=len(self._interruptions.running_tasks()))
        self._log.end_followers(None, Ended.CLOSED)

    # --- accepting -----------------------------------------------------------------------------------

    async def _accept(
        self, user_id: str, message: str, *, policy: Policy, priority: int, client_id: str | None
    ) -> Accepted:
        async with self._conversations.locked(user_id) as conversation:
            if self._closing:
                raise ShuttingDown("The server is going down; please try again in a moment.")
            if client_id is not None and conversation.stored:
                first = await self._store.get_acceptance(user_id, client_id)
                if first is not None:
                    return _duplicate(*first)
            reading = self._workflow.read(
                message,
                conversation.request,
                unfinished=conversation.at_work is not None or conversation.handed_on is not None,
            )
            decision = self._decide(conversation, reading, message, policy=policy, priority=priority)
            accepted = _answer(decision, conversation.epoch)
            seq = await self._store_decision(conversation, decision, accepted, client_id)
            interrupted_task_id = self._carry_out(conversation, decision)
            return replace(accepted, seq=seq, interrupted_task_id=interrupted_task_id)

    def _decide(
        self, conversation: Conversation, reading: Reading, message: str, *, policy: Policy, priority: int
    ) -> _Decision:
        at_work = conversation.at_work
        waits = reading.manner == "interrupt" and waits_its_turn(
            policy, priority, at_work.task if at_work else None, anyone_waits=bool(conversation.queued)
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
            policy=policy,
            priority=priority,
            relation=reading.relation,
            request=reading.request,
            previous_task_id=conversation.latest_task_id,
            aside=reading.manner != "interrupt",
        )
        return _Decision(
            task=task,
            reading=reading,
            superseded=None if reading.manner == "beside" or waits else at_work,
            reason=InterruptReason.STOPPED if reading.manner == "stop" else InterruptReason.SUPERSEDED,
        )

    async def _store_decision(
        self, conversation: Conversation, decision: _Decision, accepted: Accepted, client_id: str | None
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
        active_turn = conversation.active.task.turn if conversation.active else conversation.latest_turn
        records += [
            task,
            entry,
            events.message(entry),
            events.status_update(task, PartialResults()),
            ForgetPartials(min(active_turn, conversation.latest_turn)),
        ]
        if client_id is not None:
            body = encode({**accepted.to_wire(), "seq": None})
            records.append(Acceptance(client_id, body))
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
        if superseded is not None and self._interruptions.interrupt_task(superseded.task_id, decision.reason):
            interrupted_task_id = superseded.task_id
        if conversation.active is not None and conversation.active.reason is not None:
            conversation.handed_on = _handed_on(conversation.active, at=task.created_at)
        conversation.latest_task_id = conversation.latest_task_id or task.task_id
        if task.aside:
            self._start(task, conversation.handed_on)
            return interrupted_task_id
        conversation.request = task.request
        conversation.latest_task_id = task.task_id
        conversation.latest_turn = task.turn
        if task.status is TaskStatus.QUEUED:
            conversation.enqueue(task)
        else:
            conversation.active = self._start(task, conversation.handed_on, decision.reading)
        return interrupted_task_id

    def _start(
        self, task: Task, previous: InterruptedContext | None = None, reading: Reading | None = None
    ) -> TaskContext:
        """Start a task; all that could go wrong is left to its work, whose failure the task tells of."""

        async def work(context: TaskContext) -> str:
            if reading is not None:
                _tell_transfer(context, reading)
            return await self._workflow.run(context)

        context = self._interruptions.create_task_context(task, previous=previous)
        self._interruptions.start(context, work)
        return context

    def _task_ended(self, task: Task) -> None:
        """Note that a task has ended, and let the next one that waits start."""
        conversation = self._conversations.in_memory(task.user_id)
        if conversation is None or conversation.active is None or conversation.active.task_id != task.task_id:
            return
        ended, conversation.active = conversation.active, None
        interrupted = task.status is TaskStatus.INTERRUPTED
        conversation.handed_on = _handed_on(ended, at=task.updated_at) if interrupted else None
        if conversation.queued and not self._closing:
            self._owner.spawn_detached(self._start_next(task.user_id), name=f"start next {task.user_id}")

    async def _start_next(self, user_id: str) -> None:
        async with self._conversations.locked(user_id) as conversation:
            if conversation.active is not None or not conversation.queued or self._closing:
                return
            task = replace(conversation.queued[0], status=TaskStatus.RUNNING, updated_at=self._clock())
            await self._log.insist(user_id, task, events.status_update(task, PartialResults()))
            del conversation.queued[0]
            conversation.active = self._start(task, conversation.handed_on, Reading())

    # --- stopping ------------------------------------------------------------------------------------

    async def _stop(self, user_id: str, task_id: str | None) -> str:
        """Tell a task to end, and return its id."""
        async with self._conversations.locked(user_id) as conversation:
            if not conversation.stored or conversation.latest_task_id is None:
                raise NotFound(f"Nothing is known of a user {user_id!r}.", code="unknown_user")
            active = conversation.active
            if active is not None and task_id in (None, active.task_id):
                self._interruptions.interrupt_task(active.task_id, InterruptReason.STOPPED)
                return active.task_id
            if task_id is None:
                return conversation.latest_task_id
            waiting = next((task for task in conversation.queued if task.task_id == task_id), None)
            if waiting is not None:
                context = self._interruptions.create_task_context(waiting)
                await self._interruptions.settle(context, InterruptReason.STOPPED)
                conversation.queued.remove(waiting)
                return task_id
        task = await self._store.get_task_metadata(task_id)
        if task is None or task.user_id != user_id:
            raise NotFound(f"There is no task {task_id!r}.", code="unknown_task")
        return task_id

    async def _delete_user(self, user_id: str) -> None:
        async with self._conversations.locked(user_id) as conversation:
            conversation.queued.clear()
            running = self._interruptions.running_tasks(user_id)
            for task_id in running:
                self._interruptions.interrupt_task(task_id, InterruptReason.STOPPED)
            for task_id in running:
                await self._interruptions.wait_settled(task_id)
            await self._store.delete_user(user_id)
            conversation.begin_anew(epoch=self._conversations.new_epoch())
        self._log.end_followers(user_id, Ended.RESET)


def _answer(decision: _Decision, epoch: str) -> Accepted:
    task, superseded = decision.task, decision.superseded
    return Accepted(
        task_id=task.task_id,
        user_id=task.user_id,
        status=task.status,
        policy=task.policy,
        relation=task.relation,
        interrupted_task_id=superseded.task_id if superseded else None,
        epoch=epoch,
    )


def _duplicate(seq: int, body: bytes) -> Accepted:
    first: dict[str, Any] = orjson.loads(body)
    del first["websocket"]
    first.update(seq=seq, duplicate=True, status=TaskStatus(first["status"]))
    return Accepted(**first)


def _tell_transfer(context: TaskContext, reading: Reading) -> None:
    previous = context.previous
    from_task_id = previous.task_id if previous else context.task.previous_task_id
    if from_task_id is not None and (previous is not None or reading.carried or reading.dropped):
        context.transfer(from_task_id, carried=reading.carried, dropped=reading.dropped)


def _handed_on(interrupted: TaskContext, *, at: datetime) -> InterruptedContext:
    """Return what a task hands on: its own findings, or those it was handed where it found nothing itself."""
    nothing_found = not interrupted.partial_results.counts() and not interrupted.partial_results.text
    if nothing_found and interrupted.previous is not None:
        return interrupted.previous
    return interrupted.as_interrupted(at)
