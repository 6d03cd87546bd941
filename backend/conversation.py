"""What one user's conversation looks like in memory: which task is at work, and which wait for their turn.

Only a user with unfinished tasks needs this memory; for anyone else it may be dropped at any time and is read
back from the store. Whoever decides something about a user holds the conversation's lock, so messages of one
user are accepted one after the other, in the order in which they came.
"""

import asyncio
import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Any

from backend.domain.context import InterruptedContext
from backend.domain.task import Policy, Task, TaskStatus
from backend.errors import Conflict
from backend.state_store.base import StateStore
from backend.task_context import TaskContext

MOST_IDLE = 10_000
"""Conversations without unfinished tasks that are kept in memory."""


class Conversation:
    """One user. `active` is the task that the next message interrupts, `request` what was last asked for,
    `handed_on` what the next task gets of an interrupted one.

    `stored` tells whether the store knows the user yet; until then `epoch` is only a promise.
    """

    __slots__ = (
        "active", "epoch", "handed_on", "holders", "latest_task_id", "latest_turn", "loaded", "lock",
        "queued", "request", "stored", "turn", "user_id",
    )  # fmt: skip

    def __init__(self, user_id: str, *, epoch: str) -> None:
        self.user_id = user_id
        self.lock = asyncio.Lock()
        self.holders = 0
        self.loaded = False
        self.active: TaskContext | None = None
        self.queued: list[Task] = []
        self.begin_anew(epoch=epoch)

    def begin_anew(self, *, epoch: str) -> None:
        """Forget what was said; as for a user who never wrote."""
        self.epoch = epoch
        self.stored = False
        self.turn = 0
        self.latest_task_id: str | None = None
        self.latest_turn = 0
        self.request: Mapping[str, Any] | None = None
        self.handed_on: InterruptedContext | None = None

    @property
    def at_work(self) -> TaskContext | None:
        """The active task, unless it has been told to end or has ended."""
        return self.active if self.active is not None and not self.active.interrupted else None

    @property
    def idle(self) -> bool:
        """Whether nothing would be lost if this memory were dropped."""
        return self.holders == 0 and self.active is None and not self.queued

    def enqueue(self, task: Task) -> None:
        """Let a task wait: behind those of its own and of higher priority."""
        place = sum(1 for waiting in self.queued if waiting.priority >= task.priority)
        self.queued.insert(place, task)


def waits_its_turn(policy: Policy, priority: int, at_work: Task | None, *, anyone_waits: bool) -> bool:
    """Decide whether a message waits (True) or takes the place of the task at work (False).

    Raises `Conflict` for a message that is to be refused while another is at work.
    """
    if at_work is None:
        return policy == "enqueue" and anyone_waits
    if policy == "reject":
        raise Conflict("Another message is being worked on.", code="task_active")
    return policy == "enqueue" or priority < at_work.priority


class Conversations:
    """The conversations in memory; of idle ones at most `MOST_IDLE`, the longest unused are dropped first."""

    def __init__(self, store: StateStore, *, new_epoch: Callable[[], str]) -> None:
        self._store = store
        self.new_epoch = new_epoch
        self._by_user: OrderedDict[str, Conversation] = OrderedDict()

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
        self._by_user.move_to_end(user_id)
        conversation.holders += 1
        try:
            async with conversation.lock:
                if not conversation.loaded:
                    await self._load(conversation)
                yield conversation
        finally:
            conversation.holders -= 1
            self._drop_longest_unused()

    def in_memory(self, user_id: str) -> Conversation | None:
        """Return a user's conversation if it is in memory."""
        return self._by_user.get(user_id)

    async def _load(self, conversation: Conversation) -> None:
        snapshot = await self._store.snapshot(conversation.user_id, history=0)
        if snapshot is not None:
            conversation.stored = True
            conversation.epoch = snapshot.position.epoch
            conversation.turn = snapshot.position.turn
            conversation.request = snapshot.task.request
            conversation.latest_task_id = snapshot.task.task_id
            conversation.latest_turn = snapshot.task.turn
            if snapshot.task.status is TaskStatus.INTERRUPTED:
                conversation.handed_on = next(iter(snapshot.interrupted), None)
        conversation.loaded = True

    def _drop_longest_unused(self) -> None:
        for _ in range(len(self._by_user) - MOST_IDLE):
            user_id, conversation = next(iter(self._by_user.items()))
            if conversation.idle:
                del self._by_user[user_id]
            else:
                self._by_user.move_to_end(user_id)
