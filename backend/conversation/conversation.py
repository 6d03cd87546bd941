"""One user's conversation: its active task, the tasks that wait for their turn, and what was asked before.

Whoever decides something about a user holds the conversation's lock, so messages of one user are accepted
one after the other, in the order in which they came. The functions that decide are in the modules beside
this one: `accepting`, `answering`, `stopping`, `agent_stopping`, `recovery`; all of them start, resume and
interrupt tasks through `starting`. A conversation without an unfinished task can be dropped from memory at
any time, and is read back by `loading`.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.clock import Clock
from ..domain.context import KEPT_CONTEXTS, InterruptedContext
from ..domain.inputs import InputRequest
from ..domain.task import InterruptReason, Task
from ..errors import NotFound, ShuttingDown
from ..interruption_manager import InterruptionManager
from ..log.event_log import EventLog
from ..log.state_store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Situation, Workflow


@dataclass(frozen=True, slots=True)
class PastRequest:
    """What a task was asked for, before another request took its place."""

    task_id: str
    subject: str
    request: Mapping[str, Any]


class Conversation:
    """One user's conversation in memory.

    - `active`: the task that the next message interrupts; `queued`: the tasks that wait for their turn.
    - `request` and `subject`: what was last asked for; `earlier`: the requests before it, latest first: the
      last few subjects, and the last few of any.
    - `handed_on`: what an interrupted task left for the next one.
    - `called_off`: the user said stop when nothing of the request was active any more.
    - `turn`: the last one; `latest_task_id`: the last task that was no aside.
    - `stored`: whether the store knows the user; until then `epoch` is only a promise.
    - `lock`: held by whoever decides something; `order`: held by a message while a model reads it, so that
      messages keep their order and a stop need not wait; `holders`: how many hold or await either.
    """

    def __init__(
        self,
        user_id: str,
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
        on_change: "Callable[[Conversation], None]",
    ) -> None:
        """`on_change` is called when a task has ended or rests: the conversation may now be idle."""
        self.user_id = user_id
        self.store = store
        self.log = log
        self.interruptions = interruptions
        self.ledger = ledger
        self.workflow = workflow
        self.owner = owner
        self.clock = clock
        self.new_task_id = new_task_id
        self.new_epoch = new_epoch
        self.on_change = on_change
        self.lock = asyncio.Lock()
        self.order = asyncio.Lock()
        self.holders = 0
        self.loaded = False
        self.reset()

    def reset(self) -> None:
        """Forget what was said; as for a user who never wrote."""
        self.active: TaskContext | None = None
        self.called_off = False
        self.queued: list[Task] = []
        self.epoch = self.new_epoch(self.user_id)
        self.stored = False
        self.turn = 0
        self.latest_task_id: str | None = None
        self.request: Mapping[str, Any] | None = None
        self.subject: str | None = None
        self.earlier: tuple[PastRequest, ...] = ()
        self.handed_on: InterruptedContext | None = None

    @property
    def interruptible(self) -> TaskContext | None:
        """The active task, unless it has been told to end or has ended."""
        return self.active if self.active is not None and not self.active.told_to_end else None

    @property
    def resting(self) -> TaskContext | None:
        """The active task if it only waits for its user: no asyncio task exists for it."""
        return self.active if self.active is not None and self.active.life.resting else None

    @property
    def unfinished(self) -> list[TaskContext]:
        """The user's tasks that have not settled, asides included, and the one that rests."""
        resting = [self.resting] if self.resting is not None else []
        return [*self.interruptions.contexts_of(self.user_id), *resting]

    @property
    def asked(self) -> tuple[InputRequest, ...]:
        """The questions that the user can answer now."""
        return self.interruptible.inputs.open if self.interruptible else ()

    @property
    def idle(self) -> bool:
        """Whether nothing would be lost if this memory were dropped."""
        return self.holders == 0 and not self.queued and (self.active is None or self.resting is not None)

    @property
    def results_bytes(self) -> int:
        """The size of the results that it holds, for the bound on idle conversations."""
        handed_on = len(self.handed_on.partial_results) if self.handed_on is not None else 0
        return handed_on + (self.active.published_bytes if self.active is not None else 0)

    def check_open(self) -> None:
        """Raise `ShuttingDown` if nothing more is accepted."""
        if self.interruptions.closing:
            raise ShuttingDown("The server is going down; please try again in a moment.")

    def check_known(self) -> None:
        """Raise `NotFound` if the user never sent a message."""
        if not self.stored or self.latest_task_id is None:
            raise NotFound(f"Nothing is known of a user {self.user_id!r}.", code="unknown_user")

    # --- what was asked for --------------------------------------------------------------------------

    @property
    def situation(self) -> Situation:
        """What the next message is read against."""
        return Situation(
            previous=self._current_request,
            unfinished=self._is_unfinished,
            stopped=self._was_stopped,
            asked=self.asked,
            recent=[each.request for each in self.past],
            alike=[each.request for each in self.alike],
        )

    @property
    def past(self) -> tuple[PastRequest, ...]:
        """The last request about each of the last subjects, latest first, but the present one."""
        by_subject: dict[str, PastRequest] = {}
        for each in self.earlier:
            if each.subject != self.subject:
                by_subject.setdefault(each.subject, each)
        return tuple(by_subject.values())[:KEPT_CONTEXTS]

    @property
    def alike(self) -> tuple[PastRequest, ...]:
        """The last requests that are none of the `past`, latest first: others about the same changed them."""
        past = {each.task_id for each in self.past}
        return tuple(each for each in self.earlier if each.task_id not in past)[:KEPT_CONTEXTS]

    @property
    def remembered(self) -> tuple[PastRequest, ...]:
        """All requests that may be resumed, in the order in which a reading counts them."""
        return (*self.past, *self.alike)

    @property
    def _current_request(self) -> Mapping[str, Any] | None:
        """What was last asked for, as the active task understands it by now."""
        if self.active is not None and self.active.task_id == self.latest_task_id:
            return self.active.task.request
        return self.request

    @property
    def _is_unfinished(self) -> bool:
        """Whether the request before the next message was cut short, or will be by it."""
        if self.active is None:
            return self.handed_on is not None
        return self.active.reason is not None or not self.active.task.status.terminal

    @property
    def _was_stopped(self) -> bool:
        """Whether the user stopped the request before the next message."""
        if self.called_off:
            return True
        if self.active is None:
            return self.handed_on is not None and self.handed_on.reason is InterruptReason.STOPPED
        return self.active.reason is InterruptReason.STOPPED

    def set_request(self, task: Task) -> None:
        """Put a task's request in the place of the one before it, which becomes past."""
        before: list[PastRequest] = []
        if self.latest_task_id is not None and self.request is not None and self.subject is not None:
            before = [PastRequest(self.latest_task_id, self.subject, self.request)]
        earlier = (*before, *self.earlier)
        self.request, self.subject, self.latest_task_id = task.request, task.subject, task.task_id
        self.remember(earlier)
        self.called_off = False

    def remember(self, earlier: Sequence[PastRequest]) -> None:
        """Of earlier requests, latest first, remember those that may be resumed."""
        self.earlier = tuple(earlier)
        kept = {each.task_id for each in self.remembered}
        self.earlier = tuple(each for each in earlier if each.task_id in kept)

    def enqueue(self, task: Task) -> None:
        """Let a task wait: behind those of its own and of higher priority."""
        place = sum(1 for waiting in self.queued if waiting.priority >= task.priority)
        self.queued.insert(place, task)
