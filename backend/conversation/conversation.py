"""One user's conversation: its active task, the queued tasks, and the requests made before.

Whoever decides something about a user holds the conversation's lock, so messages of one user are accepted one
at a time, in the order of their arrival. The other modules of this folder decide: `accepting`, `answering`,
`stopping`, `steering` and `recovery`. They start, resume and interrupt tasks through `starting`. A
conversation without an unfinished task can be dropped from memory at any time; `conversations` reads it back.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..domain.context import InterruptedContext
from ..domain.encoding import Clock
from ..domain.errors import Conflict, NotFound, ShuttingDown
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, InterruptReason, Task
from ..interruption_manager import InterruptionManager
from ..store.base import StateStore
from ..store.event_log import EventLog
from ..store.ownership import Ownership, Tenure
from ..store.pending_writes import in_starting_order
from ..store.records import Occupied, Record
from ..tasks.ledger.fair_turns import FairTurns
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext, UserCache
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Situation, Workflow
from .requests import Requests

# --- pending -------------------------------------------------------------------------------------------
# The messages of one user that wait for the running task to take them in.


MOST_STEERED = 10
"""Messages that one run takes in, those that wait included."""


class Pending:
    """Those of a conversation's queued tasks whose messages wait to be taken in; the `Inbox` of its runs.

    `held` has the ids of those about which something is being decided: by a run that has taken them in and
    has not yet recorded that, or by whoever holds the conversation and stores it. Nobody else may decide.
    """

    __slots__ = ("_queued", "held")

    def __init__(self, queued: list[Task]) -> None:
        self._queued = queued
        self.held: frozenset[str] = frozenset()  # takes no memory while nobody steers

    @property
    def waiting(self) -> list[Task]:
        """All of them, in order."""
        return [each for each in self._queued if each.steer == "pending"]

    @property
    def queued(self) -> list[Task]:
        """All tasks that have not had their turn, these messages included."""
        return self._queued

    @property
    def free(self) -> list[Task]:
        """Those about which anything may be decided, in order."""
        return [each for each in self.waiting if each.task_id not in self.held]

    def find(self, message_id: str) -> Task:
        """Return the free one of this message. Raises `NotFound`, and `Conflict` for one that is held."""
        for each in self.waiting:
            if each.message_id == message_id:
                if each.task_id in self.held:
                    raise Conflict("The message is being taken in.", code="not_pending")
                return each
        raise NotFound(f"No message {message_id!r} is pending.", code="unknown_message")

    def hold(self, messages: Iterable[Task]) -> None:
        """Keep messages from being decided about by anybody else."""
        self.held |= {each.task_id for each in messages}

    def revise(self, message: Task) -> None:
        """Put a revised message in the place of what it was."""
        self._queued[:] = [message if each.task_id == message.task_id else each for each in self._queued]

    # --- what a run does -----------------------------------------------------------------------------

    def take(self, graph: str | None) -> Sequence[Task]:
        """Take all that is free of what was meant for a graph, and hold it."""
        taken = [each for each in self.free if each.graph == graph]
        self.hold(taken)
        return taken

    def put_back(self, messages: Iterable[Task]) -> None:
        """Let go of messages: nothing was decided about them."""
        self.held -= {each.task_id for each in messages}

    def taken_in(self, messages: Iterable[Task]) -> None:
        """Take messages out of the queue: they have another place by now."""
        gone = {each.task_id for each in messages}
        self._queued[:] = [each for each in self._queued if each.task_id not in gone]
        self.held -= gone


# --- conversation --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What the conversations of a process share.

    - `interruptions` runs tasks, `ledger` their tool calls, `workflow` reads messages and answers them.
    - `store` keeps what `log` commits and publishes; `ownership` tells whose users are.
    - `owner` has all asyncio tasks; `readings` are the turns of long messages to be read.
    - `advise` has a model read what the workflow does not understand, if it is given.
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
    """One user's conversation in memory: it belongs to a `tenure`, and is dropped with it.

    - `active`: the task that the next message interrupts; `queued`: the tasks that wait for their turn.
    - `requests`: the last request, and those before it that a message may resume.
    - `kept`: what is held in memory of the user's threads and store.
    - `handed_on`: what an interrupted task left for the next one.
    - `turn`: the number of the last one.
    - `unconfirmed`: a closing that the store may have taken although it reported a failure.
    - `stored`: whether the store knows the user; until then `epoch` is only promised.
    - `occupied`: the store says that the owner must be asked, since something is in memory only; it is said
      only where the users are `shared` among several processes.
    - `ended`: its tenure is over; whoever waits for it begins again with the user's next conversation.
    - `inbox`: those of the queued messages that the active task may take in.
    - `lock`: held by whoever decides something; `order`: held by a message while a model reads it, so that
      messages keep their order and a stop need not wait; `holders`: how many hold or await either.
    """

    # A user has one, and with over 20 attributes each would have a dictionary of its own, of 1 KiB.
    __slots__ = (
        *("tenure", "user_id", "runtime", "on_change", "lock", "order", "holders", "ended", "shared"),
        *("occupied", "loaded", "active", "queued", "inbox", "epoch", "stored", "turn", "requests"),
        *("handed_on", "unconfirmed", "cache"),
    )

    def __init__(
        self,
        tenure: Tenure,
        runtime: Runtime,
        *,
        on_change: "Callable[[Conversation], None]",
    ) -> None:
        """`on_change` is called when a task has ended or paused: the conversation may now be idle."""
        self.tenure = tenure
        self.user_id = tenure.user_id
        self.runtime = runtime
        self.on_change = on_change
        self.lock = asyncio.Lock()
        self.order = asyncio.Lock()
        self.holders = 0
        self.ended = False
        self.shared = runtime.ownership.shared
        self.occupied = False
        self.queued: list[Task] = []
        self.inbox = Pending(self.queued)
        self.reset()

    def reset(self) -> None:
        """Reset to the state of a user who has never sent a message; the next holder loads it."""
        self.loaded = False
        self.occupied = False
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
        """Forget what was loaded of a user of whom nothing is at work; the next holder loads it anew.

        The queue stays: only recovery would read it.
        """
        occupied, queued = self.occupied, [*self.queued]
        self.reset()
        self.occupied, self.queued[:] = occupied, queued

    @property
    def interruptible(self) -> TaskContext | None:
        """The active task, unless it was interrupted or has ended."""
        return self.active if self.active is not None and not self.active.told_to_end else None

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
        """The user's tasks that run, or end, in this tenure; asides included."""
        # What ran in an earlier tenure may still be winding down; its outcome is no business of this one.
        contexts = self.runtime.interruptions.contexts_of(self.user_id)
        return [each for each in contexts if each.tenure == self.tenure]

    @property
    def asked(self) -> tuple[InputRequest, ...]:
        """The questions that the user can answer now."""
        return self.interruptible.inputs.open if self.interruptible else ()

    @property
    def idle(self) -> bool:
        """Whether it can be dropped from memory without losing anything."""
        # A resting task is stored with its checkpoint; a queue is loaded by recovery alone.
        resting = self.active is None or self.resting is not None
        return self.holders == 0 and not self.queued and resting and not self.occupied

    @property
    def results_bytes(self) -> int:
        """Bytes of results and states that it holds, for the bound on idle conversations."""
        handed_on = len(self.handed_on.partial_results) if self.handed_on is not None else 0
        published = self.active.published.bytes if self.active is not None else 0
        return handed_on + published + self.cache.size

    def occupy(self) -> list[Record]:
        """Return what to store with a decision after which something of the user is in memory only."""
        self.occupied = self.shared
        return [Occupied(True)] if self.shared else []

    def vacate(self) -> None:
        """Store that nothing of the user is in memory only, if that is so by now."""
        # What waits for the lock decides whether something will be.
        is_busy = self.holders or self.queued or self.at_work
        if not self.occupied or is_busy or self.runtime.interruptions.shutting_down:
            return
        if (self.active is None or self.resting is not None) and not self.runtime.ledger.is_busy(
            self.user_id
        ):
            self.occupied = False
            self.runtime.log.record(self.tenure, Occupied(False))

    def check_open(self) -> None:
        """Raise `ShuttingDown` once the server accepts nothing more."""
        if self.runtime.interruptions.shutting_down:
            raise ShuttingDown("The server is going down; please try again in a moment.")

    def check_takes_work(self) -> None:
        """Raise `ShuttingDown` if the server is drained and has no work of the user that could go on."""
        if self.runtime.interruptions.draining and not (self.unfinished or self.queued):
            raise ShuttingDown("The server takes no new work; please try again in a moment.")

    def check_known(self) -> None:
        """Raise `NotFound` if the user never sent a message."""
        if not self.stored or self.requests.latest_task_id is None:
            raise NotFound(f"Nothing is known of a user {self.user_id!r}.", code="unknown_user")

    # --- its requests --------------------------------------------------------------------------------

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
        waiting = self.inbox.free if self.runtime.workflow.steering(task.request) == "steer" else ()
        return tuple(each for each in waiting if each.graph == task.graph and each.task_id != task.task_id)
