"""What one user's conversation looks like in memory: which task is at work, and which wait for their turn.

Only a user with unfinished tasks needs this memory; for anyone else it may be dropped at any time and is read
back from the store. Whoever decides something about a user holds the conversation's lock, so messages of one
user are accepted one after the other, in the order in which they came.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..domain.context import KEPT_CONTEXTS, InterruptedContext
from ..domain.inputs import InputRequest
from ..domain.task import InterruptReason, Task, TaskStatus
from ..log.state_store.base import StateStore
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Situation

MOST_IDLE = 1_000
"""Conversations without unfinished tasks that are kept in memory."""


LOOKED_THROUGH = 50
"""Tasks of a user that are looked through for past requests when the conversation is read back."""


@dataclass(frozen=True, slots=True)
class PastRequest:
    """What a task was asked for, before another request took its place."""

    task_id: str
    subject: str
    request: Mapping[str, Any]


class Conversation:
    """One user. `active` is the task that the next message interrupts, `request` what was last asked for,
    `handed_on` what the next task gets of an interrupted one. `earlier` are the requests before `request`,
    latest first: the last few subjects, and the last few of any. `called_off` tells that the user said stop
    when nothing of the request was at work any more. `resting` tells that the active task only
    waits for its user: it has no asyncio task, and can be read back.

    `stored` tells whether the store knows the user yet; until then `epoch` is only a promise.
    """

    __slots__ = (
        "active", "called_off", "earlier", "epoch", "handed_on", "holders", "latest_task_id", "loaded",
        "lock", "order", "queued", "request", "resting", "stored", "subject", "turn", "user_id",
    )  # fmt: skip

    def __init__(self, user_id: str, *, epoch: str) -> None:
        self.user_id = user_id
        self.lock = asyncio.Lock()
        self.order = asyncio.Lock()
        self.holders = 0
        self.loaded = False
        self.begin_anew(epoch=epoch)

    def begin_anew(self, *, epoch: str) -> None:
        """Forget what was said; as for a user who never wrote."""
        self.active: TaskContext | None = None
        self.resting = False
        self.called_off = False
        self.queued: list[Task] = []
        self.epoch = epoch
        self.stored = False
        self.turn = 0
        self.latest_task_id: str | None = None
        self.request: Mapping[str, Any] | None = None
        self.subject: str | None = None
        self.earlier: tuple[PastRequest, ...] = ()
        self.handed_on: InterruptedContext | None = None

    @property
    def at_work(self) -> TaskContext | None:
        """The active task, unless it has been told to end or has ended."""
        return self.active if self.active is not None and not self.active.told_to_end else None

    @property
    def situation(self) -> Situation:
        """What the next message is read against."""
        return Situation(
            previous=self._request_now,
            unfinished=self._unfinished,
            stopped=self._stopped,
            asked=self.asked,
            recent=[each.request for each in self.past],
            alike=[each.request for each in self.alike],
        )

    @property
    def past(self) -> tuple[PastRequest, ...]:
        """The last request about each of the last subjects, latest first, but the present one."""
        return _one_for_each_subject(self.earlier, but=self.subject)

    @property
    def alike(self) -> tuple[PastRequest, ...]:
        """The last requests that are none of the `past`, latest first: others about the same changed them."""
        return _others(self.earlier, but=self.past)

    @property
    def remembered(self) -> tuple[PastRequest, ...]:
        """All requests that may be taken up again, as a reading counts them."""
        return (*self.past, *self.alike)

    @property
    def _request_now(self) -> Mapping[str, Any] | None:
        """What was last asked for, as the task at work understands it by now."""
        if self.active is not None and self.active.task_id == self.latest_task_id:
            return self.active.task.request
        return self.request

    @property
    def _unfinished(self) -> bool:
        """Whether the request before the next message was cut short, or will be by it."""
        if self.active is None:
            return self.handed_on is not None
        return self.active.reason is not None or not self.active.task.status.terminal

    @property
    def _stopped(self) -> bool:
        """Whether the user stopped the request before the next message."""
        if self.called_off:
            return True
        if self.active is None:
            return self.handed_on is not None and self.handed_on.reason is InterruptReason.STOPPED
        return self.active.reason is InterruptReason.STOPPED

    @property
    def idle(self) -> bool:
        """Whether nothing would be lost if this memory were dropped."""
        unfinished = self.active is not None and not self.resting_tasks
        return self.holders == 0 and not unfinished and not self.queued

    @property
    def resting_tasks(self) -> tuple[TaskContext, ...]:
        """The active task where it only waits for its user, and was not told to end."""
        at_work = self.at_work
        return (at_work,) if at_work is not None and self.resting else ()

    @property
    def asked(self) -> tuple[InputRequest, ...]:
        """The questions that the user can answer now."""
        return self.at_work.inputs.open if self.at_work else ()

    def ask_for(self, task: Task) -> None:
        """Put a task's request in the place of the one before it, which becomes past."""
        before: list[PastRequest] = []
        if self.latest_task_id is not None and self.request is not None and self.subject is not None:
            before = [PastRequest(self.latest_task_id, self.subject, self.request)]
        earlier = (*before, *self.earlier)
        self.request, self.subject, self.latest_task_id = task.request, task.subject, task.task_id
        self.remember(earlier)
        self.called_off = False

    def remember(self, earlier: Sequence[PastRequest]) -> None:
        """Of earlier requests, latest first, remember those that may be taken up again."""
        self.earlier = tuple(earlier)
        kept = {each.task_id for each in self.remembered}
        self.earlier = tuple(each for each in earlier if each.task_id in kept)

    def enqueue(self, task: Task) -> None:
        """Let a task wait: behind those of its own and of higher priority."""
        place = sum(1 for waiting in self.queued if waiting.priority >= task.priority)
        self.queued.insert(place, task)


def _one_for_each_subject(latest_first: Sequence[PastRequest], *, but: str | None) -> tuple[PastRequest, ...]:
    by_subject: dict[str, PastRequest] = {}
    for each in latest_first:
        if each.subject != but:
            by_subject.setdefault(each.subject, each)
    return tuple(by_subject.values())[:KEPT_CONTEXTS]


def _others(latest_first: Sequence[PastRequest], *, but: Sequence[PastRequest]) -> tuple[PastRequest, ...]:
    known = {each.task_id for each in but}
    return tuple(each for each in latest_first if each.task_id not in known)[:KEPT_CONTEXTS]


def may_go_on(task: Task) -> bool:
    """Tell whether a task that is not running was only paused: if it has asked anything, that is."""
    at_work = task.status in (TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED)
    return at_work and not task.aside and task.reason in (None, InterruptReason.SHUTDOWN)


class Conversations:
    """The conversations in memory; of idle ones at most `MOST_IDLE`, the longest unused are dropped first."""

    def __init__(
        self,
        store: StateStore,
        *,
        restore: Callable[[Task], Awaitable[TaskContext]],
        new_epoch: Callable[[], str],
    ) -> None:
        """`restore` returns the context of a task that is not running, as it was stored."""
        self._store = store
        self._restore = restore
        self.new_epoch = new_epoch
        self._by_user: dict[str, Conversation] = {}
        self._idle: OrderedDict[str, None] = OrderedDict()

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self._by_user)

    @contextlib.asynccontextmanager
    async def locked(self, user_id: str) -> AsyncGenerator[Conversation, None]:
        """Hold a user's conversation; others wait for it in order. Raises `StoreUnavailable`.

        Cancelling the wait gives the turn to the next.
        """
        conversation = self._by_user.get(user_id)
        if conversation is None:
            conversation = self._by_user[user_id] = Conversation(user_id, epoch=self.new_epoch())
        self._idle.pop(user_id, None)
        conversation.holders += 1
        try:
            async with conversation.lock:
                if not conversation.loaded:
                    await self._load(conversation)
                yield conversation
        finally:
            conversation.holders -= 1
            self.note(conversation)

    @contextlib.asynccontextmanager
    async def in_order(self, user_id: str) -> AsyncGenerator[None, None]:
        """Take a user's messages one after the other, without holding the conversation: a stop need not wait.

        Raises `StoreUnavailable`. Cancelling the wait gives the turn to the next.
        """
        async with self.locked(user_id) as conversation:
            conversation.holders += 1
        try:
            async with conversation.order:
                yield
        finally:
            conversation.holders -= 1
            self.note(conversation)

    def note(self, conversation: Conversation) -> None:
        """Keep account of a conversation that may have become idle; to be called by whoever changes one.

        Costs the same however many there are.
        """
        if not conversation.idle:
            return
        self._idle[conversation.user_id] = None
        self._idle.move_to_end(conversation.user_id)
        if len(self._idle) > MOST_IDLE:
            longest_unused, _ = self._idle.popitem(last=False)
            del self._by_user[longest_unused]

    def in_memory(self, user_id: str) -> Conversation | None:
        """Return a user's conversation if it is in memory."""
        return self._by_user.get(user_id)

    async def _load(self, conversation: Conversation) -> None:
        standing = await self._store.standing(conversation.user_id)
        if standing is not None:
            conversation.stored = True
            conversation.epoch = standing.position.epoch
            conversation.turn = standing.position.turn
            conversation.request = standing.task.request
            conversation.latest_task_id = standing.task.task_id
            conversation.subject = standing.task.subject
            conversation.remember(await self._before(standing.task))
            if standing.task.status is TaskStatus.INTERRUPTED:
                conversation.handed_on = await self.left_by(standing.task)
            elif may_go_on(standing.task):
                await self._load_resting(conversation, standing.task)
            conversation.called_off = await self._called_off(standing.task, since=standing.position.turn)
        conversation.loaded = True

    async def _load_resting(self, conversation: Conversation, task: Task) -> None:
        context = await self._restore(task)
        if len(context.inputs):
            conversation.active, conversation.resting = context, True
            before = await self._store.get_task_metadata(task.resumed_task_id or task.previous_task_id or "")
            if before is not None and before.status is TaskStatus.INTERRUPTED:
                context.previous = await self.left_by(before)

    async def _before(self, latest: Task) -> list[PastRequest]:
        tasks = await self._store.recent_tasks(latest.user_id, limit=LOOKED_THROUGH)
        return [
            PastRequest(task.task_id, task.subject, task.request)
            for task in tasks
            if task.turn < latest.turn and task.subject is not None and task.request is not None
        ]

    async def _called_off(self, latest: Task, *, since: int) -> bool:
        """Whether what was answered beside the latest task, up to a turn, was a stop."""
        asides = min(since - latest.turn, LOOKED_THROUGH)
        said = await self._store.get_messages(latest.user_id, limit=2 * asides) if asides > 0 else ()
        later = [message.task_id for message in said if message.role == "user" and message.turn > latest.turn]
        tasks = [await self._store.get_task_metadata(task_id) for task_id in later if task_id]
        return any(task is not None and task.relation == "stop" for task in tasks)

    async def left_by(self, task: Task) -> InterruptedContext | None:
        """Return what an interrupted task hands on: its findings, or those of the one interrupted before it,
        or whose request it took up again, where it found nothing itself.
        """
        left = await self._store.get_interrupted_context(task.user_id, task.turn)
        before_id = task.resumed_task_id or task.previous_task_id
        if left is None or not left.found_nothing or before_id is None:
            return left
        before = await self._store.get_task_metadata(before_id)
        return (await self.left_by(before) if before else None) or left

    async def decided(self) -> None:
        """Wait until whatever is being decided at this moment has been decided."""
        for conversation in [each for each in self._by_user.values() if each.holders]:
            async with conversation.lock:
                pass
