"""The conversations in memory: loaded when their users do something, dropped when there are too many.

A conversation belongs to a tenure. Whoever wants to decide something about a user takes the conversation
with `locked`, which claims the user, has the user taken over if need be, and loads what is stored.
"""

import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Generator, Iterator

from ..domain.context import InterruptedContext
from ..domain.errors import StoreUnavailable
from ..domain.task import InterruptReason, Task, TaskStatus
from ..store.ownership import Tenure, TenureEnded
from ..tasks.settlement import left_by
from .conversation import Conversation, Runtime

# --- loading -------------------------------------------------------------------------------------------
# Loads a conversation from the store, and what an interrupted task left for the next one.


LOOKED_THROUGH = 50
"""How many of a user's tasks are searched for past requests."""


async def load(conversation: Conversation) -> None:
    """Load a conversation from the store, without its queue, which recovery fills; of nobody it has none.

    Raises `StoreUnavailable`; it can then be called again.
    """
    # A load that failed halfway may have left these.
    conversation.active, conversation.handed_on = None, None
    standing = await conversation.runtime.store.standing(conversation.user_id)
    if standing is None:
        conversation.queued.clear()  # the user was deleted, though the store could not say so
        conversation.epoch = await conversation.runtime.store.new_epoch(conversation.user_id)
    else:
        shown, turn = standing.task, standing.position.turn
        conversation.stored = True
        conversation.epoch = standing.position.epoch
        conversation.turn = turn
        # Not the queued ones: recovery adds their requests.
        counting = await requesting_tasks(conversation)
        tasks = [task for task in counting if task.status is not TaskStatus.QUEUED] or [shown]
        conversation.requests.restore(tasks)
        for task in sorted(conversation.queued, key=lambda each: each.turn):
            if task.task_id != conversation.requests.latest_task_id and task.steer != "pending":
                conversation.requests.set(task)
        latest = tasks[0]
        if can_resume(shown):
            await _load_resting(conversation, shown)
        elif latest.status is TaskStatus.INTERRUPTED:
            conversation.handed_on = await stored_left_by(conversation, latest)
        asides = await _asides_after(conversation, latest, until=turn)
        conversation.requests.called_off = any(task.relation == "stop" for task in asides)
        conversation.requests.beside = asides[-1] if asides else None
    # Last: a load that fails before this is done again by the next holder.
    conversation.loaded = True


def can_resume(task: Task) -> bool:
    """Return whether a task that is not running was only paused, provided that it has asked anything."""
    unfinished = task.status in (TaskStatus.RUNNING, TaskStatus.INPUT_REQUIRED)
    return unfinished and not task.aside and task.reason in (None, InterruptReason.SHUTDOWN)


async def _load_resting(conversation: Conversation, task: Task) -> None:
    context = await conversation.runtime.interruptions.restore_task_context(task, conversation.tenure)
    # A task that never asked has no checkpoint; recovery ends it and retries its message.
    if len(context.inputs):
        context.cache = conversation.cache
        conversation.active = context
        if conversation.shared:  # another process may have stored it
            conversation.runtime.log.notify_observer([task, *context.inputs.open])
        before = await _task(conversation, task.resumed_task_id or task.previous_task_id)
        if before is not None and before.status is TaskStatus.INTERRUPTED:
            context.previous = await stored_left_by(conversation, before)


def was_withdrawn(task: Task) -> bool:
    """Return whether a task was stopped before its turn came: its request counts as never made."""
    stopped = task.status is TaskStatus.INTERRUPTED and task.reason is InterruptReason.STOPPED
    return stopped and task.started_at is None


async def shown_task_id(conversation: Conversation) -> str:
    """Return the id of the task that the user is shown. Raises `StoreUnavailable`."""
    # Not `latest_task_id`: users are shown a withdrawn task as well.
    standing = await conversation.runtime.store.standing(conversation.user_id)
    return standing.task.task_id if standing is not None else ""


async def requesting_tasks(conversation: Conversation) -> list[Task]:
    """Return the user's last tasks whose requests count, latest first. Raises `StoreUnavailable`."""
    tasks = await conversation.runtime.store.recent_tasks(conversation.user_id, limit=LOOKED_THROUGH)
    return [task for task in tasks if not was_withdrawn(task)]


async def _asides_after(conversation: Conversation, latest: Task, *, until: int) -> list[Task]:
    """Return the asides after the latest task, up to a turn, oldest first."""
    asides = min(until - latest.turn, LOOKED_THROUGH)
    said = (
        await conversation.runtime.store.get_messages(latest.user_id, limit=2 * asides) if asides > 0 else ()
    )
    later = [message.task_id for message in said if message.role == "user" and message.turn > latest.turn]
    tasks = [await _task(conversation, task_id) for task_id in later]
    return [task for task in tasks if task is not None and task.aside]


async def stored_left_by(conversation: Conversation, task: Task) -> InterruptedContext | None:
    """Return what an interrupted task hands on, from the store.

    A task that found nothing hands on what it was handed itself: by the task whose request it resumed, or by
    the one interrupted before it. One that was withdrawn hands on nothing of its own.
    """
    left = None
    if not was_withdrawn(task):
        left = await conversation.runtime.store.get_interrupted_context(task.user_id, task.turn)
        if left is None or not left.found_nothing:
            return left
    before_id = task.resumed_task_id or task.previous_task_id
    before = await _task(conversation, before_id)
    return (await stored_left_by(conversation, before) if before else None) or left


async def left_by_task(conversation: Conversation, task_id: str | None) -> InterruptedContext | None:
    """Return what an interrupted task left, even if its ending is not stored yet; else None."""
    if task_id is None:
        return None
    # Live tasks first: a task that still settles has no context in the store.
    context = conversation.runtime.interruptions.context_of(task_id)
    if context is not None and context.reason is not None:
        return left_by(context, conversation.runtime.clock())
    task = await _task(conversation, task_id)
    return await conversation.runtime.store.get_interrupted_context(task.user_id, task.turn) if task else None


async def _task(conversation: Conversation, task_id: str | None) -> Task | None:
    return (
        await conversation.runtime.store.get_task_metadata(conversation.user_id, task_id) if task_id else None
    )


# --- conversations -------------------------------------------------------------------------------------


MOST_IDLE = 1_000
"""How many conversations without a running task stay in memory."""

MOST_IDLE_BYTES = 64 * 1024 * 1024
"""Bytes of results and states that these may hold; 200 users of a graph once held 1.7 GB (measured)."""


class Conversations:
    """The map from users to their conversations.

    A conversation without a running task stays in memory until there are too many; the longest unused is
    dropped first.
    """

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._by_user: dict[str, Conversation] = {}
        self._idle: OrderedDict[str, int] = OrderedDict()
        self._idle_bytes = 0
        self.recovering: set[str] = set()
        """Users whom somebody has left unfinished work, which is not all taken up yet."""

    def __len__(self) -> int:
        """Return how many conversations are in memory."""
        return len(self._by_user)

    def __iter__(self) -> Iterator[Conversation]:
        """Iterate over the conversations in memory."""
        return iter([*self._by_user.values()])

    def get(self, user_id: str) -> Conversation | None:
        """Return the conversation of a user if it is in memory."""
        return self._by_user.get(user_id)

    def end(self, tenure: Tenure) -> Conversation | None:
        """Drop the conversation of a tenure that has ended, and return it; None if it is not in memory."""
        conversation = self._by_user.get(tenure.user_id)
        if conversation is None or conversation.tenure != tenure:
            return None
        conversation.ended = True
        conversation.runtime.log.end(tenure)
        self._drop(tenure.user_id)
        return conversation

    def let_go(self, user_id: str) -> None:
        """Drop an idle conversation from memory; the next holder loads it anew."""
        if user_id in self._idle:
            self._drop(user_id)

    def vacate_all(self) -> None:
        """Look at all conversations for what has ended without a change of theirs, such as a late call."""
        for conversation in self:
            if conversation.occupied:
                self._track_idle(conversation)

    def clear(self) -> None:
        """Drop all from memory, as a process that ends does."""
        self._by_user.clear()
        self._idle.clear()
        self._idle_bytes = 0

    async def claim(self, user_id: str) -> bool:
        """Claim a user of whom nothing is at work here; return whether somebody has left work unfinished.

        Raises `OwnedElsewhere` and `StoreUnavailable`. A claim whose answer was lost, or not awaited, may
        hold: the next one tells what was left unfinished.
        """
        known = self._by_user.get(user_id)
        if known is not None and not known.idle:
            return False
        claimed = await self._runtime.ownership.claim(user_id)
        known = self._by_user.get(user_id)  # somebody else here may have claimed the user meanwhile
        if known is not None and known.tenure == claimed.tenure:
            return False  # what is unfinished in this tenure is known here
        if known is not None:
            self.end(known.tenure)  # it was idle: nothing of it is at work
        self._by_user[user_id] = conversation = Conversation(
            claimed.tenure, self._runtime, on_change=self._track_idle
        )
        conversation.occupied = claimed.unfinished
        return claimed.unfinished

    def knows(self, user_id: str) -> bool:
        """Return whether a user's conversation is in memory, or is being recovered."""
        return user_id in self._by_user or user_id in self.recovering

    async def tenure(self, user_id: str) -> Tenure:
        """Return this process's tenure of a user, without loading anything. Raises `StoreUnavailable`."""
        while (known := self._by_user.get(user_id)) is None:
            await self.claim(user_id)
        return known.tenure

    @contextlib.asynccontextmanager
    async def held(self, user_id: str, *, loaded: bool = True) -> AsyncGenerator[Conversation, None]:
        """Hold a user's conversation, loaded unless told otherwise; others wait their turn.

        Raises as `claim` does, and `TenureEnded`. Cancelling the wait gives up the turn.
        """
        while user_id not in self._by_user:
            await self.claim(user_id)
        conversation = self._by_user[user_id]
        # Before the next await, in which idle conversations may be dropped: this one is not idle any more,
        # and a second conversation of the same user would let two tasks be active.
        self._idle_bytes -= self._idle.pop(user_id, 0)
        with self.kept(conversation):
            async with conversation.lock:
                if conversation.ended:
                    raise TenureEnded(conversation.tenure)
                if loaded and not conversation.loaded:
                    await load(conversation)
                yield conversation

    @contextlib.contextmanager
    def kept(self, conversation: Conversation) -> Generator[None]:
        """Keep a conversation in memory."""
        conversation.holders += 1
        try:
            yield
        finally:
            conversation.holders -= 1
            self._track_idle(conversation)

    def _track_idle(self, conversation: Conversation) -> None:
        """Register a conversation that may have become idle; drop the longest unused beyond the bounds.

        Takes constant time.
        """
        if conversation.ended:
            return
        # Not before all is taken up: if this process ended, nobody else would do it.
        if conversation.user_id not in self.recovering:
            with contextlib.suppress(StoreUnavailable):  # tried again by `vacate_all`
                conversation.vacate()
        if not conversation.idle:
            return
        size = conversation.results_bytes
        self._idle_bytes += size - self._idle.pop(conversation.user_id, 0)
        self._idle[conversation.user_id] = size
        while self._idle and (len(self._idle) > MOST_IDLE or self._idle_bytes > MOST_IDLE_BYTES):
            self._drop(next(iter(self._idle)))

    def _drop(self, user_id: str) -> None:
        self._idle_bytes -= self._idle.pop(user_id, 0)
        self._by_user.pop(user_id, None)
