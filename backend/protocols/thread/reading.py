"""Reads a thread: first what is stored of its events, then live ones, each folded into the state before it.

A log keeps the last events only. Where its beginning is gone, the first state is what the store knows of the
user, without what the kept events still tell.
"""

from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from typing import Any

import orjson

from ...conversation.recovery import is_lost_too_often
from ...domain.events import StoredEvent
from ...domain.task import InterruptReason, Task
from ...log.event_log import EventLog, EventsForgottenError
from ...log.state_store.base import StateStore
from .beginning import NOTHING_TOLD, Told, contexts_of, just_answered, retried_runs, state_before
from .fold import Fold, Step
from .state import Frame, ThreadState

_PAGE = 200
_MESSAGES = 200
"""Messages from before the kept events that a state has at most."""

_OLD_TASKS = 50

_MOST_TASKS = 2000
"""Among how many tasks the retry of a lost message is sought: more than the kept events can tell of."""

_BY_PROCESS = frozenset({InterruptReason.LOST, InterruptReason.SHUTDOWN})


class ThreadReader:
    """One reader of one thread; `state` is that after the last step that was taken."""

    def __init__(self, store: StateStore, log: EventLog, user_id: str, epoch: str) -> None:
        self._store = store
        self._log = log
        self._user_id = user_id
        self._retries: dict[str, str] = {}
        self._continued: set[str] = set()
        self._seen: set[str] = set()
        self._left: list[dict[str, Any]] = []
        self.state = ThreadState(epoch)
        self._fold = self._new_fold()

    async def to_end(self) -> ThreadState:
        """Take all stored events; return the state after them."""
        async for steps in self.stored():
            for _ in steps:
                pass
        return self.state

    async def stored(self) -> AsyncGenerator[Iterator[Step], None]:
        """Yield the steps of all stored events that were not taken yet, in batches as `follow` does."""
        position = await self._store.position(self._user_id)
        async for steps in self._stored(position.seq if position is not None else 0):
            yield steps

    async def follow(self) -> AsyncGenerator[Iterator[Step], None]:
        """Yield steps in batches, for ever; each batch must be exhausted before the next.

        A batch is empty where the state had to be read anew, without the events before it. Raises
        `SubscriptionEnded`. Close it to unsubscribe.
        """
        async for steps in self.stored():
            yield steps
        while True:
            try:
                events_since = self._log.follow(self._user_id, self.state.seq, epoch=self.state.epoch)
                async with aclosing(events_since) as batches:
                    async for batch in batches:
                        yield await self._steps(batch)
            except EventsForgottenError:
                await self._begin_at_present()
                yield iter(())

    async def _stored(self, last_seq: int) -> AsyncGenerator[Iterator[Step], None]:
        """Yield the steps up to a number; read the state as a whole where they are not all stored."""
        page = await self._store.events_after(self._user_id, self.state.seq, limit=_PAGE)
        if not self.state.seq and not page.complete:
            await self._begin_before(page.events[0].seq - 1 if page.events else 0)
            page = await self._store.events_after(self._user_id, self.state.seq, limit=_PAGE)
            if self.state.seq >= last_seq:
                yield iter(())
        while self.state.seq < last_seq:
            if not page.events or (self.state.seq and page.events[0].seq != self.state.seq + 1):
                await self._begin_at_present()
                yield iter(())
                return
            yield await self._steps(page.events)
            if page.more or self.state.seq < last_seq:
                page = await self._store.events_after(self._user_id, self.state.seq, limit=_PAGE)

    async def _steps(self, batch: Sequence[StoredEvent]) -> Iterator[Step]:
        frames: list[Frame] = [orjson.loads(event.frame) for event in batch]
        for frame in frames:
            await self._look_up(frame)
        return map(self._fold.take, frames)

    async def _look_up(self, frame: Frame) -> None:
        """Learn of a task what its events do not tell: whether it retries a message, or is retried."""
        task_id = frame["task_id"]
        if task_id not in self._seen:
            self._seen.add(task_id)
            is_message = frame["type"] == "message" and frame["role"] == "user"
            task = None if is_message else await self._store.get_task_metadata(self._user_id, task_id)
            if task is not None and task.asked_in is not None:
                self._retries[task_id] = task.asked_in
        ended = frame["type"] == "status_update" and frame["status"] == "interrupted"
        if ended and frame["reason"] in _BY_PROCESS and await self._is_continued(task_id, frame["reason"]):
            self._continued.add(task_id)

    async def _is_continued(self, task_id: str, reason: str) -> bool:
        """Return whether a run continues whose task its process ended: in the retry of its message."""
        task = await self._store.get_task_metadata(self._user_id, task_id)
        if task is not None and task.aside:
            # Small talk is not among the recent tasks. It is retried beside them, whatever came after it.
            return reason == InterruptReason.SHUTDOWN or not is_lost_too_often(task)
        recent = await self._store.recent_tasks(self._user_id, limit=_MOST_TASKS)
        return _is_retried(task_id, reason, recent)

    # --- where the beginning of the log is gone ---------------------------------------------------------

    async def _begin_before(self, seq: int) -> None:
        """Begin with the state after the event `seq`, as far as the store knows it.

        Or later, after an event that repeats results which are not stored any more.
        """
        told, begin, more = Told(), seq, True
        while more:
            page = await self._store.events_after(self._user_id, seq, limit=_PAGE)
            for event in page.events:
                told.take(orjson.loads(event.frame))
            seq, more = page.events[-1].seq if page.events else seq, page.more
            if more and not page.events:
                seq += 1
                told, begin = Told(), seq
        await self._begin_with(begin, told)

    async def _begin_at_present(self) -> None:
        """Begin with all that the store knows of the user at this moment."""
        self._retries, self._continued, self._seen = {}, set(), set()
        await self._begin_with(None, NOTHING_TOLD)

    async def _begin_with(self, seq: int | None, told: Told) -> None:
        snapshot = await self._store.snapshot(self._user_id, history=_MESSAGES)
        if snapshot is None:
            return
        recent = await self._store.recent_tasks(self._user_id, limit=_OLD_TASKS)
        tasks = sorted({each.task_id: each for each in (*recent, snapshot.task)}.values(), key=_turn)
        self._retries.update({each.task_id: each.asked_in for each in tasks if each.asked_in is not None})
        self._seen.update(each.task_id for each in tasks)
        by_process = (each for each in tasks if each.status.terminal and each.reason in _BY_PROCESS)
        self._continued |= {
            each.task_id for each in by_process if _is_retried(each.task_id, each.reason, recent)
        }
        receipts: dict[str, bytes] = {}
        for context in snapshot.interrupted:
            body = await self._store.get_receipt(self._user_id, context.task_id)
            if body is not None:
                receipts[context.task_id] = body
        self._left = contexts_of(snapshot, receipts)
        self.state = state_before(
            snapshot,
            tasks,
            self._left,
            seq=snapshot.position.seq if seq is None else seq,
            told=told,
        )
        retried_runs(self.state, tasks, told)
        under_way = [each.run_id for each in self.state.runs.values() if not each.ended]
        self._fold = self._new_fold(
            answered_by=just_answered(snapshot, told),
            # At present there is none: whoever follows a run then is shown the whole of it at once.
            begun_before=under_way if seq is not None else (),
        )

    def _new_fold(self, *, answered_by: Iterable[str] = (), begun_before: Iterable[str] = ()) -> Fold:
        return Fold(
            self.state,
            retries=self._retries,
            continued=self._continued,
            left=self._left,
            answered_by=answered_by,
            begun_before=begun_before,
        )


def _is_retried(task_id: str, reason: str | None, recent: Sequence[Task]) -> bool:
    """Return whether the message of a task that its process ended is retried; `recent` is newest first."""
    first = next((each.asked_in or task_id for each in recent if each.task_id == task_id), task_id)
    for task in recent:
        if task.task_id == task_id:
            # Nothing came after it. A shutdown's next process will take its message up.
            return reason == InterruptReason.SHUTDOWN
        if task.asked_in == first:
            return True
    return False


def _turn(task: Task) -> int:
    return task.turn
