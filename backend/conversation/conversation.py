"""One user's conversation in memory: its active task, the queued ones, and the requests made before.

`accepting`, `answering`, `steering`, `stopping` and `recovery` make decisions about it, with its lock held,
so a user's messages are accepted one at a time, in the order of their arrival. The conversation then starts,
resumes and interrupts tasks, and notes how they end.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.encoding import Clock
from ..domain.errors import NotFound, ShuttingDown
from ..domain.partials import PartialResults, ShownResults
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, InterruptReason, Task, TaskStatus
from ..domain.task_life import Transition, stepped
from ..interruption_manager import InterruptionManager, Work
from ..store.base import StateStore
from ..store.event_log import EventLog
from ..store.ownership import Lease, Ownership
from ..store.reads import in_starting_order
from ..store.records import Checkpoint, InUse, Record
from ..store.retry import until_available
from ..tasks.inbox import Inbox, handed_over, message_of, with_messages
from ..tasks.ledger.fair_turns import FairTurns
from ..tasks.ledger.ledger import Ledger
from ..tasks.settlement import context_for_next, interrupted_context, record_transfer
from ..tasks.task_context import StoredReads, TaskContext, UserCache
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Situation, Workflow
from .requests import (
    Requests,
    live_results,
    read_earlier_results,
    sort_earlier_results,
    stored_results,
)

LOOKED_THROUGH = 50
"""How many of a user's tasks are searched for past requests."""

T = TypeVar("T")


class _ReadsAtOnce(StoredReads):
    """Reads for somebody who waits: what the store cannot do is refused."""

    async def _until(self, read: Callable[[], Awaitable[T]]) -> T:
        return await read()


class ItemsUse:
    """One request's use of the items that graphs keep of a user; `changes` are to be stored."""

    def __init__(self, user_id: str, store: StateStore, cache: UserCache) -> None:
        self.user_id = user_id
        self.cache = cache
        self.stored: StoredReads = _ReadsAtOnce(store, user_id)
        self.changes: list[Checkpoint] = []

    def record(self, *records: Checkpoint) -> None:
        """Note what has changed."""
        self.changes += records


UseItems = Callable[[ItemsUse, int, Sequence[Mapping[str, Any]]], Awaitable[list[Any]]]
"""Carries out operations on the items of a turn; see `graphs.state.store_operations`. Raises `BadInput`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What the conversations of a process share.

    - `interruptions` runs tasks, `ledger` their tool calls, `workflow` reads messages and answers them.
    - `store` keeps what `log` commits and publishes; `ownership` decides which users are this process's.
    - `owner` has all asyncio tasks; `readings` are the turns of long messages to be read.
    - `advise` has a model read what the workflow does not understand, if it is given.
    - `use_items` carries out what clients do with the items that graphs keep of a user.
    """

    store: StateStore
    log: EventLog
    ownership: Ownership
    interruptions: InterruptionManager
    ledger: Ledger
    workflow: Workflow
    owner: TaskOwner
    clock: Clock
    new_task_id: Callable[[], str]
    advise: Advise | None = None
    use_items: UseItems | None = None
    readings: FairTurns = field(default_factory=lambda: FairTurns(per_key=1, in_all=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedQuestions:
    """The resolution of questions: what it makes of them, of their task and of its agents."""

    context: TaskContext
    closed: Mapping[str, InputRequest]
    before: Task
    after: Task
    agents_before: Mapping[str, AgentProgress]
    agents_after: Mapping[str, AgentProgress]


class Conversation:
    """One user's conversation in memory: it belongs to a `lease`, and is dropped with it.

    - `active`: the task that the next message interrupts; `queued`: the tasks that wait for their turn;
      `inbox`: those of them that the active task may take in.
    - `requests`: the last request, and those before it that a message may resume.
    - `cache`: what is cached of the user's threads and store.
    - `handed_on`: what an interrupted task left for the next one.
    - `turn`: the number of the last one.
    - `unconfirmed`: a closing that the store may have taken although it reported a failure.
    - `stored`: whether the store knows the user; until then `epoch` is only promised.
    - `in_use`: the store says that other processes must ask the owner, since something is in memory only; it
      says so only where the users are `shared` among several processes.
    - `ended`: its lease is over; callers that wait for it begin again with the user's next conversation.
    - `lock`: held to decide something; `order`: held by a message while a model reads it, so that messages
      keep their order and a stop need not wait; `holders`: how many hold or await either.
    """

    # A user has one, and with over 20 attributes each would have a dictionary of its own, of 1 KiB.
    __slots__ = (
        *("lease", "user_id", "runtime", "store", "log", "interruptions", "workflow", "on_change", "lock"),
        *("order", "holders", "ended", "shared", "in_use", "loaded", "active", "queued", "inbox", "epoch"),
        *("stored", "turn", "requests", "handed_on", "unconfirmed", "cache", "timer"),
    )

    def __init__(
        self, lease: Lease, runtime: Runtime, *, on_change: "Callable[[Conversation], None]"
    ) -> None:
        """`on_change` is called when a task has ended or paused: the conversation may now be idle."""
        self.lease = lease
        self.user_id = lease.user_id
        self.runtime = runtime
        self.store, self.log = runtime.store, runtime.log
        self.interruptions, self.workflow = runtime.interruptions, runtime.workflow
        self.on_change = on_change
        self.lock = asyncio.Lock()
        self.order = asyncio.Lock()
        self.holders = 0
        self.ended = False
        self.shared = runtime.ownership.shared
        self.queued: list[Task] = []
        self.inbox = Inbox(self.queued)
        self.timer: asyncio.TimerHandle | None = None
        self.reset()

    def reset(self) -> None:
        """Reset to the state of a user who has never sent a message; the next holder loads it."""
        self.loaded = False
        self.in_use = False
        self.active: TaskContext | None = None
        self.queued.clear()
        self.epoch = ""
        self.stored = False
        self.turn = 0
        self.requests = Requests()
        self.handed_on: InterruptedContext | None = None
        self.unconfirmed: ClosedQuestions | None = None
        self.cache = UserCache()  # a new one: a task that winds down may still write to the one before

    def unload(self) -> None:
        """Forget the loaded state of a user without a running task; the next holder loads it anew.

        The queue stays: only recovery would read it.
        """
        in_use, queued = self.in_use, [*self.queued]
        self.reset()
        self.in_use, self.queued[:] = in_use, queued

    @property
    def interruptible(self) -> TaskContext | None:
        """The active task, unless it was interrupted or has ended."""
        return self.active if self.active is not None and not self.active.is_ending else None

    @property
    def resting(self) -> TaskContext | None:
        """The active task if it only waits for its user, without an asyncio task."""
        return self.active if self.active is not None and self.active.life.resting else None

    @property
    def unfinished(self) -> list[TaskContext]:
        """The user's tasks that have not settled, asides and a resting one included."""
        resting = [self.resting] if self.resting is not None else []
        return [*self.at_work, *resting]

    @property
    def at_work(self) -> list[TaskContext]:
        """The user's tasks that run, or end, in this lease; asides included."""
        # Tasks of an earlier lease may still be winding down; their outcome does not matter to this one.
        contexts = self.interruptions.contexts_of(self.user_id)
        return [each for each in contexts if each.lease == self.lease]

    @property
    def asked(self) -> tuple[InputRequest, ...]:
        """The questions that the user can answer now."""
        return self.interruptible.inputs.open if self.interruptible else ()

    @property
    def idle(self) -> bool:
        """Whether it can be dropped from memory without losing anything."""
        # A resting task is stored with its checkpoint; a queue is loaded by recovery alone.
        resting = self.active is None or self.resting is not None
        return self.holders == 0 and not self.queued and resting and not self.in_use

    @property
    def results_bytes(self) -> int:
        """Bytes of results and states that it holds, for the bound on idle conversations."""
        handed_on = len(self.handed_on.partial_results) if self.handed_on is not None else 0
        published = self.active.published.bytes if self.active is not None else 0
        return handed_on + published + self.cache.size

    def mark_in_use(self) -> list[Record]:
        """Return the records to store with a decision that leaves something of the user in memory only."""
        self.in_use = self.shared
        return [InUse(True)] if self.shared else []

    def mark_unused(self) -> None:
        """Store that nothing of the user is in memory only, if that is so."""
        # Not while others wait for the lock: they may put something into memory.
        is_busy = self.holders or self.queued or self.at_work
        if not self.in_use or is_busy or self.interruptions.shutting_down:
            return
        if (self.active is None or self.resting is not None) and not self.runtime.ledger.is_busy(
            self.user_id
        ):
            self.in_use = False
            self.log.record(self.lease, InUse(False))

    def check_open(self) -> None:
        """Raise `ShuttingDown` if the server accepts nothing more."""
        if self.interruptions.shutting_down:
            raise ShuttingDown("The server is going down; please try again in a moment.")

    def check_takes_work(self) -> None:
        """Raise `ShuttingDown` if the server is drained and has no work of the user that could go on."""
        if self.interruptions.draining and not (self.unfinished or self.queued):
            raise ShuttingDown("The server takes no new work; please try again in a moment.")

    def check_known(self) -> None:
        """Raise `NotFound` if the user never sent a message."""
        if not self.stored or self.requests.latest_task_id is None:
            raise NotFound(f"Nothing is known of a user {self.user_id!r}.", code="unknown_user")

    # --- requests ------------------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        """The context in which the next message is read, after `situation_of_answer`."""
        return Situation(
            previous=self._current_request,
            unfinished=self._is_unfinished,
            stopped=self._was_stopped,
            asked=self.asked if self._is_latest_active else (),
            recent=[each.request for each in self.requests.past],
            alike=[each.request for each in self.requests.alike],
            turns=[each.turn for each in self.requests.remembered],
            task_ids=[
                self.requests.latest_task_id or "",
                *(each.task_id for each in self.requests.remembered),
            ],
            has_spoken=self.requests.latest_task_id is not None,
            beside=self.requests.beside.request if self.requests.beside is not None else None,
        )

    @property
    def situation_of_answer(self) -> Situation | None:
        """The context in which a message may answer the active task; None unless a later one is queued."""
        # An answer changes the request of the task that asked. Any other message refers to the last request.
        if not self.asked or self.active is None or self._is_latest_active:
            return None
        active = self.active.task
        return Situation(
            previous=active.request,
            unfinished=True,
            asked=self.asked,
            recent=[each.request for each in self.requests.past if each.task_id != active.task_id],
            alike=[each.request for each in self.requests.alike if each.task_id != active.task_id],
            answers_alone=True,
            has_spoken=True,
        )

    @property
    def turns_with_results(self) -> list[int]:
        """The turns whose results are kept: of tasks that are unfinished, and of requests with a subject."""
        return [*(context.task.turn for context in self.unfinished), *self.requests.turns_with_results]

    @property
    def _current_request(self) -> Mapping[str, Any] | None:
        """The last request, as the active task understands it by now."""
        # Answers change the request of a live task; `requests` get the change once the task has ended.
        if self.active is not None and self._is_latest_active:
            return self.active.task.request
        return self.requests.current

    @property
    def _is_latest_active(self) -> bool:
        """Whether the last request is that of the active task; if not, a later task is queued."""
        return self.active is not None and self.active.task_id == self.requests.latest_task_id

    @property
    def _is_unfinished(self) -> bool:
        """Whether the last request was interrupted, or the next message will interrupt it."""
        if self.active is None:
            return self.handed_on is not None
        return self.active.reason is not None or not self.active.task.status.terminal

    @property
    def _was_stopped(self) -> bool:
        """Whether the user stopped the last request."""
        if self.requests.called_off:
            return True
        if self.active is None:
            return self.handed_on is not None and self.handed_on.reason is InterruptReason.STOPPED
        return self.active.reason is InterruptReason.STOPPED

    def enqueue(self, task: Task) -> None:
        """Queue a task after those of the same or a higher priority; what is to steer goes before all."""
        self.queued.append(task)
        self.queued[:] = in_starting_order(self.queued)

    def mergeable(self, task: Task) -> tuple[Task, ...]:
        """Return the messages that may stand before that of a new task: those for the same graph."""
        waiting = self.inbox.free if self.workflow.steer_policy(task.request) == "steer" else ()
        return tuple(each for each in waiting if each.graph == task.graph and each.task_id != task.task_id)

    # --- loading -------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Load everything but the queue, which recovery fills; a user who was deleted has none.

        Raises `StoreUnavailable`; it can then be called again.
        """
        # A load that failed halfway may have left these.
        self.active, self.handed_on = None, None
        standing = await self.store.standing(self.user_id)
        if standing is None:
            self.queued.clear()  # the user was deleted, though the store could not say so
            self.epoch = await self.store.new_epoch(self.user_id)
        else:
            shown, turn = standing.task, standing.position.turn
            self.stored = True
            self.epoch = standing.position.epoch
            self.turn = turn
            # Not the queued ones: recovery adds their requests.
            counting = await self.requesting_tasks()
            tasks = [task for task in counting if task.status is not TaskStatus.QUEUED] or [shown]
            self.requests.restore(tasks)
            for task in sorted(self.queued, key=lambda each: each.turn):
                if task.task_id != self.requests.latest_task_id and task.steer != "pending":
                    self.requests.set(task)
            latest = tasks[0]
            if can_resume(shown):
                await self._load_resting(shown)
            elif latest.status is TaskStatus.INTERRUPTED:
                self.handed_on = await self.stored_left_by(latest)
            asides = await self._asides_after(latest, until=turn)
            self.requests.called_off = any(task.relation == "stop" for task in asides)
            self.requests.beside = asides[-1] if asides else None
        # Last: a load that fails before this is done again by the next holder.
        self.loaded = True

    async def _load_resting(self, task: Task) -> None:
        context = await self.interruptions.restore_task_context(task, self.lease)
        # A task that never asked has no checkpoint; recovery ends it and retries its message.
        if len(context.inputs):
            context.cache = self.cache
            self.active = context
            if self.shared:  # another process may have stored it
                self.log.notify_observer([task, *context.inputs.open])
            before = await self._task(task.resumed_task_id or task.previous_task_id)
            if before is not None and before.status is TaskStatus.INTERRUPTED:
                context.previous = await self.stored_left_by(before)

    async def _asides_after(self, latest: Task, *, until: int) -> list[Task]:
        """Return the asides after the latest task, up to a turn, oldest first."""
        asides = min(until - latest.turn, LOOKED_THROUGH)
        said = await self.store.get_messages(self.user_id, limit=2 * asides) if asides > 0 else ()
        later = [message.task_id for message in said if message.role == "user" and message.turn > latest.turn]
        tasks = [await self._task(task_id) for task_id in later]
        return [task for task in tasks if task is not None and task.aside]

    async def _task(self, task_id: str | None) -> Task | None:
        return await self.store.get_task_metadata(self.user_id, task_id) if task_id else None

    async def shown_task_id(self) -> str:
        """Return the id of the task that the user is shown. Raises `StoreUnavailable`."""
        # Not `latest_task_id`: users are shown a withdrawn task as well.
        standing = await self.store.standing(self.user_id)
        return standing.task.task_id if standing is not None else ""

    async def requesting_tasks(self) -> list[Task]:
        """Return the user's last tasks whose requests count, latest first: not those of clients' writes.

        Raises `StoreUnavailable`.
        """
        tasks = await self.store.recent_tasks(self.user_id, limit=LOOKED_THROUGH)
        return [task for task in tasks if not (_was_withdrawn(task) or task.writes_state)]

    async def stored_left_by(self, task: Task) -> InterruptedContext | None:
        """Return what an interrupted task hands on, from the store. Raises `StoreUnavailable`.

        A task that found nothing hands on what it was handed itself: by the task whose request it resumed, or
        by the one interrupted before it. One that was withdrawn hands on nothing of its own.
        """
        left = None
        if not _was_withdrawn(task):
            left = await self.store.get_interrupted_context(task.user_id, task.turn)
            if left is None or not left.found_nothing:
                return left
        before = await self._task(task.resumed_task_id or task.previous_task_id)
        return (await self.stored_left_by(before) if before else None) or left

    async def interrupted_context(self, task_id: str | None) -> InterruptedContext | None:
        """Return what an interrupted task left, even if its ending is not stored yet; else None."""
        # Live tasks first: a task that still settles has no context in the store.
        context = self.interruptions.context_of(task_id) if task_id is not None else None
        if context is not None and context.reason is not None:
            return interrupted_context(context, self.runtime.clock())
        task = await self._task(task_id)
        return await self.store.get_interrupted_context(task.user_id, task.turn) if task else None

    async def shown_results(self) -> AsyncGenerator[ShownResults]:
        """Yield what the current request has found, then those that can be resumed, latest first.

        Of a live task these are its results so far; of one that has ended, its stored ones: three reads, made
        once they are asked for. Raises `StoreUnavailable`.
        """
        live = {context.task_id: context for context in self.unfinished}
        current = self.active.task_id if self.active is not None else self.requests.latest_task_id
        # Without a queued request, which has nothing to show before its turn.
        for task_id in dict.fromkeys([current, *(each.task_id for each in self.requests.earlier)]):
            if task_id is None:
                continue
            shown = (
                live_results(live[task_id])
                if task_id in live
                else await stored_results(self.store, self.user_id, task_id)
            )
            if shown is not None:
                yield shown

    # --- tasks ---------------------------------------------------------------------------------------

    async def commit(self, *records: Record) -> int:
        """Store records in this lease, and return the user's `seq`. Raises as `EventLog.commit` does."""
        return await self.log.commit(self.lease, *records)

    def start(self, task: Task, previous: InterruptedContext | None) -> TaskContext:
        """Start a task, which takes over what a `previous` one left.

        Everything that can fail happens in its work, so that a failure becomes the task's reply.
        """
        ledger, workflow = self.runtime.ledger, self.workflow

        async def work(context: TaskContext) -> str | None:
            if not task.begun:
                # Durable before the graph runs: a graph that kills its process must count as an attempt.
                context.revise(begun=True)
                await self.log.commit_until_durable(self.lease, context.task)
            if not task.aside:
                await until_available(lambda: ledger.writes.inherit(context), user_id=task.user_id)
                # Read before anything is shown: clients that get the fates first draw once.
                earlier = await read_earlier_results(context, self.store, workflow)
                # Before the calls are adopted, which shows their results.
                context.result_filter = workflow.result_filter(task.request)
                # Before the graph runs, and without an await in between: held reads are released after 2 s.
                adopted = ledger.adopt_reads(context, workflow.read_keys(task.request))
                found_for = previous.request if previous is not None else None
                record_transfer(context, workflow.result_sorter(found_for, task.request), adopted=adopted)
                if earlier is not None:
                    sort_earlier_results(context, earlier, workflow)
            return await workflow.run(context)

        context = self.interruptions.create_task_context(task, lease=self.lease, previous=previous)
        context.shown = self.shown_results
        context.cache = self.cache
        self._run(context, work)
        return context

    def _run(self, context: TaskContext, work: Work) -> None:
        context.inbox = None if context.task.aside else self.inbox
        self.interruptions.start(context, work, self._on_run_over)
        # The end of the lease has interrupted the tasks of that moment; this one was being stored then. The
        # user's next owner has found it, and takes it up.
        if self.ended:
            self.interrupt(context, InterruptReason.LOST)

    def interrupt(self, context: TaskContext, reason: InterruptReason) -> bool:
        """Interrupt a task, whether it runs or rests; return whether it ends for this reason."""
        if context.life.resting and self.shared and not self.in_use:
            # Until its ending is stored, that is in memory only: if this process dies, another must end it.
            context.record(*self.mark_in_use())
        return self.interruptions.interrupt(context, reason, self._on_run_over)

    def resume(self, *, after_rest: bool = True) -> None:
        """Resume the active task if it rests.

        A task that still runs resumes by itself once it rests. During a shutdown it is left to the next
        process. `after_rest` is False for a task that was cut off before it had paused.
        """
        context = self.resting
        if context is None or self.interruptions.shutting_down:
            return
        context.resume(after_rest=after_rest)
        self._run(context, self.workflow.run)

    def start_next_soon(self) -> None:
        """Start the next queued task soon, if none is active; one that waits for its time as that comes."""
        if not self._may_start_next:
            return
        if self._next_due is not None:
            self.do_soon(self._start_next, name=f"start next {self.user_id}")
            return
        now = self.runtime.clock()
        left_s = min((each.not_before - now).total_seconds() for each in self.queued if each.not_before)
        if self.timer is not None:
            self.timer.cancel()
        # An hour at most: clocks are set forward.
        self.timer = asyncio.get_running_loop().call_later(
            min(max(left_s, 0.001), 3600.0), self.start_next_soon
        )

    @property
    def _next_due(self) -> Task | None:
        """The first queued task that may start now."""
        now = self.runtime.clock()
        return next((each for each in self.queued if each.not_before is None or each.not_before <= now), None)

    @property
    def _may_start_next(self) -> bool:
        return (
            self.active is None and bool(self.queued) and not (self.ended or self.interruptions.shutting_down)
        )

    def do_soon(self, step: Callable[[], Awaitable[None]], *, name: str) -> None:
        """Take a step with the conversation locked, soon; retry it while the store is down."""
        self.holders += 1  # at once, to keep the conversation in memory until then
        self.runtime.owner.spawn_detached(self._until_done(step), name=name)

    async def _until_done(self, step: Callable[[], Awaitable[None]]) -> None:
        async def locked() -> None:
            # Not locked between the tries, so that messages are accepted meanwhile.
            async with self.lock:
                await step()

        try:
            await until_available(locked, user_id=self.user_id)
        finally:
            self.holders -= 1
            self.on_change(self)

    async def _start_next(self) -> None:
        if self.active is None and not self.loaded:
            await self.load()  # a deletion may have failed, or have taken the queue
        first = self._next_due if self._may_start_next else None
        if first is None:
            return
        # Messages that the last run did not take in become one task: the last, with the others before it.
        *merged, queued = [each for each in self.inbox.waiting if each.graph == first.graph] or [first]
        # Before the commit: a failed read is tried again, and `running` must be published once.
        previous = await self.interrupted_context(queued.resumed_task_id) or self.handed_on
        now = self.runtime.clock()
        task = replace(stepped(queued, Transition.START, at=now), started_at=now)
        records: list[Record] = []
        if queued.steer == "pending":
            task, records = _as_own_task(task, queued, merged)
        await self.commit(task, events.status_update(task, PartialResults()), *records)
        # Only now: while the commit fails, the task keeps its turn.
        self.inbox.taken_in([*merged, queued])
        if queued.steer == "pending":
            self.requests.set(task)
        self.active = self.start(task, previous)

    def _on_run_over(self, context: TaskContext) -> None:
        """Update the conversation in the step in which a task has settled or paused."""
        active = self.active
        self.requests.revise_beside(context.task)
        if active is None or active.task_id != context.task_id:
            return
        if context.life.resting:
            if context.inputs.pending_answers():
                self.resume()  # the answer came before the work had paused
        else:
            # Suspended ones, too: nothing more is accepted, and the next process reads them back.
            self._on_ended(active)
        self.on_change(self)

    def _on_ended(self, ended: TaskContext) -> None:
        self.active = None
        task = ended.task
        self.requests.revise(task)
        interrupted = task.status is TaskStatus.INTERRUPTED
        self.handed_on = context_for_next(ended, task.updated_at) if interrupted else None
        self.start_next_soon()


def can_resume(task: Task) -> bool:
    """Return whether a task that is not running was only paused, provided that it has asked anything."""
    unfinished = task.status in (TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED)
    return unfinished and not task.aside and task.reason in (None, InterruptReason.SHUTDOWN)


def _was_withdrawn(task: Task) -> bool:
    """Return whether a task was stopped before its turn came: its request counts as never made."""
    stopped = task.status is TaskStatus.INTERRUPTED and task.reason is InterruptReason.STOPPED
    return stopped and task.started_at is None


def _as_own_task(task: Task, waiting: Task, merged: Sequence[Task]) -> tuple[Task, list[Record]]:
    """Return a steering message's task as it begins, with earlier messages before its own; its records."""
    task = replace(task, steer="own_task")
    told = events.steer(task.task_id, waiting, "own_task", at=task.updated_at)
    records: list[Record] = [message_of(task, None), told]
    if merged:
        task = with_messages(task, merged, before=True)
    for each in merged:
        records += handed_over(each, task, "merged")
    return task, records
