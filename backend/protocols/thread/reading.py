"""Reads a thread: first its stored events, then live ones, each folded into the state before it.

A log keeps the last events only. Where its beginning is gone, the first state is the store's state of the
user, less the changes of the kept events.
"""

from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import orjson

from ...conversation.recovery import is_lost_too_often
from ...domain.encoding import to_wire
from ...domain.events import StoredEvent
from ...domain.task import InterruptReason, Task, TaskStatus
from ...store.base import StateStore
from ...store.event_log import EventLog, EventsForgottenError
from ...store.records import Snapshot
from .fold import Fold, FoldedEvent
from .state import KEPT_INTERRUPTED, Frame, Run, RunStatus, TaskState, ThreadState

# --- beginning -----------------------------------------------------------------------------------------
# The state of a thread before the first event that is still stored: the store's state of the user, less the
# changes of the kept events.


_RUN_STATUS: dict[TaskStatus, RunStatus] = {
    TaskStatus.QUEUED: "pending",
    TaskStatus.COMPLETED: "success",
    TaskStatus.FAILED: "error",
    TaskStatus.INTERRUPTED: "interrupted",
}


@dataclass(slots=True)
class KeptEvents:
    """The tasks, messages and questions that the kept events are about."""

    tasks: set[str] = field(default_factory=set[str])
    whole: set[str] = field(default_factory=set[str])
    """Tasks whose first kept event is their message."""
    begun: set[str] = field(default_factory=set[str])
    """Tasks whose first kept event is a status that a task begins with."""
    ended: set[str] = field(default_factory=set[str])
    """Tasks whose end is kept."""
    settled: set[str] = field(default_factory=set[str])
    """Interrupted tasks whose receipt is kept, the last event of their run."""
    messages: set[str] = field(default_factory=set[str])
    decided: set[str] = field(default_factory=set[str])
    """Steering messages whose outcome is kept."""
    requests: set[str] = field(default_factory=set[str])
    agents: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    found: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])

    def take(self, frame: Frame) -> None:
        """Take a kept event."""
        task_id, kind = frame["task_id"], frame["type"]
        if kind == "message":
            self.messages.add(frame["message_id"])
        elif kind == "steer" and frame["steer"] != "pending":
            self.decided.add(frame["message_id"])
        elif kind == "input_request":
            self.requests.add(frame["request_id"])
        elif kind == "agent_update":
            self.agents.add((task_id, frame["agent"]))
        elif kind == "partial_result":
            self.found[task_id, frame["agent"]] += len(frame["items"])
        elif kind == "status_update" and frame["status"] in {"completed", "failed", "interrupted"}:
            self.ended.add(task_id)
        elif kind == "receipt" and "amendments" not in frame["receipt"]:
            self.settled.add(task_id)
        if task_id not in self.tasks:
            self.tasks.add(task_id)
            is_first = kind == "message" and frame["message_id"] == f"{task_id}.0"
            if is_first or kind == "state_written":
                self.whole.add(task_id)
            elif kind == "status_update" and frame["status"] in {"queued", "running"}:
                self.begun.add(task_id)

    def is_whole(self, task: Task) -> bool:
        """Return whether the first event of a task is kept: its message, or of a retry its status."""
        return task.task_id in (self.whole if task.asked_in is None else self.begun)


NO_EVENTS = KeptEvents()


def state_before(
    snapshot: Snapshot,
    tasks: Iterable[Task],
    contexts: Iterable[dict[str, Any]],
    *,
    seq: int,
    kept: KeptEvents,
) -> ThreadState:
    """Return the state after the event `seq`; `tasks` and `contexts` are oldest first."""
    state = ThreadState(snapshot.position.epoch, seq=seq)
    _begin_with_messages(state, snapshot, kept)
    for left in list(contexts)[-KEPT_INTERRUPTED:]:
        if left["task_id"] not in kept.ended:
            state.interrupted[left["task_id"]] = left
    for task in tasks:
        # One that waited to be taken in begins with an event that is kept, or not at all.
        if not kept.is_whole(task) and task.steer != "pending" and task.message_id not in kept.decided:
            _begin_with(state, task, snapshot, kept)
    state.at = max((each.updated_at for each in state.runs.values()), default=None)
    for request in snapshot.inputs:
        if request.request_id not in kept.requests:
            asked = {"task_id": request.task_id, "at": to_wire(request.asked_at)}
            state.requests[request.request_id] = {"type": "input_request", **asked, **request.to_wire()}
    shown = state.tasks.get(snapshot.task.task_id)
    if shown is not None:
        _show(shown, snapshot, kept)
    for left in state.interrupted.values():
        if (task := state.tasks.get(left["task_id"])) is not None and left.get("receipt") is not None:
            task.receipt = left["receipt"]
    return state


def _begin_with_messages(state: ThreadState, snapshot: Snapshot, kept: KeptEvents) -> None:
    """Add the messages without a kept event; those that waited to be taken in are pending."""
    for message in snapshot.messages:
        if message.message_id in kept.messages:
            continue
        entry: Frame = {"type": "message", **message.to_wire()}
        if message.steer == "pending" or message.message_id in kept.decided:
            of = message.taken_in_by or snapshot.task.task_id
            state.pending[message.message_id] = {**entry, "task_id": of, "steer": "pending"}
        elif message.steer != "withdrawn":
            state.messages[message.message_id] = entry


def _begin_with(state: ThreadState, task: Task, snapshot: Snapshot, kept: KeptEvents) -> None:
    """Add a task some or all of whose events are not kept, and its last run before the kept ones."""
    first = task.asked_in or task.task_id
    is_known = task.status.terminal and task.task_id not in kept.ended
    has_ended = is_known and task.task_id not in kept.settled
    status = task.status if is_known or task.task_id not in kept.tasks else TaskStatus.RUNNING
    state.tasks[task.task_id] = TaskState(
        task.task_id,
        first,
        status,
        task.reason if is_known else None,
        message=task.message,
        graph=task.graph,
    )
    answers = [
        each
        for each in snapshot.messages
        if each.task_id == task.task_id
        and each.role == "user"
        and each.position
        and not task.writes_state
        and each.message_id not in kept.messages
    ]
    rests = _rests(task, snapshot) and task.task_id not in kept.tasks
    run = Run(
        task_id=first,
        number=1 + len(answers),
        message=answers[-1].text if answers else task.message,
        message_id=answers[-1].message_id if answers else f"{first}.0",
        graph=task.graph,
        began_seq=0,
        created_at=to_wire(task.created_at),
        updated_at=to_wire(task.updated_at),
        status=_run_status(status, rests=rests, has_ended=has_ended),
        ended_seq=state.seq if has_ended or rests else None,
        ended_waiting=rests,
        writes_state=task.writes_state,
    )
    if has_ended:
        run.reason = task.reason
        if task.reason is InterruptReason.TIMED_OUT:
            run.status = "timeout"
    state.runs[run.run_id] = run


def _run_status(status: TaskStatus, *, rests: bool, has_ended: bool) -> RunStatus:
    if rests:
        return "success"
    return "running" if status.terminal and not has_ended else _RUN_STATUS.get(status, "running")


def _rests(task: Task, snapshot: Snapshot) -> bool:
    """Return whether a task only waits for its user."""
    if task.status is not TaskStatus.INPUT_REQUIRED:
        return False
    is_shown = task.task_id == snapshot.task.task_id
    return not (is_shown and any(each.state == "working" for each in snapshot.agents.values()))


def _show(task: TaskState, snapshot: Snapshot, kept: KeptEvents) -> None:
    """Give the latest task its results before the kept events."""
    for saved in snapshot.partials:
        if saved.found is not None:
            task.found.setdefault(saved.found.agent, []).extend(saved.found.to_json())
    for agent, items in task.found.items():
        del items[max(len(items) - kept.found[task.task_id, agent], 0) :]
    for name, progress in snapshot.agents.items():
        if (task.task_id, name) not in kept.agents:
            task.agents[name] = {"type": "agent_update", "agent": name, **progress.to_wire()}


def retried_runs(state: ThreadState, tasks: Sequence[Task], kept: KeptEvents) -> None:
    """Reopen the runs whose message is retried by a task with kept events."""
    for task in tasks:
        if task.asked_in is not None and kept.is_whole(task):
            run = state.last_run_of(task.asked_in)
            if run is not None and run.ended:
                run.status, run.reason, run.ended_seq = "pending", None, None


def just_answered(snapshot: Snapshot, kept: KeptEvents) -> set[str]:
    """Return the tasks whose last message before the kept events is an answer of the user."""
    last = {each.task_id: each for each in snapshot.messages if each.message_id not in kept.messages}
    return {each.task_id for each in last.values() if each.role == "user" and each.position}


def contexts_of(snapshot: Snapshot, receipts: dict[str, bytes]) -> list[dict[str, Any]]:
    """Return the interrupted tasks, oldest first, each with its receipt."""
    contexts: list[dict[str, Any]] = []
    for context in reversed(snapshot.interrupted):
        left = orjson.loads(orjson.dumps(context.to_wire()))
        if (body := receipts.get(context.task_id)) is not None:
            left["receipt"] = orjson.loads(body)
        contexts.append(left)
    return contexts


# --- reading -------------------------------------------------------------------------------------------


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

    async def stored(self) -> AsyncGenerator[Iterator[FoldedEvent], None]:
        """Yield the steps of all stored events that were not taken yet, in batches as `follow` does."""
        position = await self._store.position(self._user_id)
        async for steps in self._stored(position.seq if position is not None else 0):
            yield steps

    async def follow(self) -> AsyncGenerator[Iterator[FoldedEvent], None]:
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

    async def _stored(self, last_seq: int) -> AsyncGenerator[Iterator[FoldedEvent], None]:
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

    async def _steps(self, batch: Sequence[StoredEvent]) -> Iterator[FoldedEvent]:
        frames: list[Frame] = [orjson.loads(event.frame) for event in batch]
        for frame in frames:
            await self._look_up(frame)
        return map(self._fold.take, frames)

    async def _look_up(self, frame: Frame) -> None:
        """Look up what the events of a task do not say: whether it retries a message, or is retried."""
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
        kept, begin, more = KeptEvents(), seq, True
        while more:
            page = await self._store.events_after(self._user_id, seq, limit=_PAGE)
            for event in page.events:
                kept.take(orjson.loads(event.frame))
            seq, more = page.events[-1].seq if page.events else seq, page.more
            if more and not page.events:
                seq += 1
                kept, begin = KeptEvents(), seq
        await self._begin_with(begin, kept)

    async def _begin_at_present(self) -> None:
        """Begin with all that the store knows of the user at this moment."""
        self._retries, self._continued, self._seen = {}, set(), set()
        await self._begin_with(None, NO_EVENTS)

    async def _begin_with(self, seq: int | None, kept: KeptEvents) -> None:
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
            kept=kept,
        )
        retried_runs(self.state, tasks, kept)
        under_way = [each.run_id for each in self.state.runs.values() if not each.ended]
        self._fold = self._new_fold(
            answered_by=just_answered(snapshot, kept),
            # At present there is none: a follower of a run gets the whole of it at once.
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
