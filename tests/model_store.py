"""A model of a store: the oracle of the contract tests, and the database of simulated clusters.

It has the writes and reads of `StateStore` but for persons, grants, exports and calls from threads.
Everything is done when a call returns, and nothing in a row is ever changed in place.
"""

import asyncio
import sys
from asyncio import Future
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

import structlog

from backend.domain.context import KEPT_CONTEXTS, InterruptedContext
from backend.domain.errors import NotOpen, StoreUnavailable
from backend.domain.events import Event, StoredEvent, stored
from backend.domain.model_usage import ModelStep
from backend.domain.questions import InputRequest
from backend.domain.task import InterruptReason, Message, Task, TaskStatus
from backend.domain.tool_call import ToolCall
from backend.store.base import Listener
from backend.store.ownership import Lease
from backend.store.reads import HISTORY_BYTES, in_order_made, latest_task, standing_of
from backend.store.records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    History,
    InUse,
    MustBeOpen,
    News,
    NewUser,
    Page,
    Record,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
    Snapshot,
    Standing,
    UserPosition,
    not_open,
    unknown_message,
    unknown_record,
)
from backend.store.repeated_results import PAGE_BYTES, RepeatedResults, page_of
from backend.store.retention import (
    TASKS,
    THREADS,
    USERS_AT_ONCE,
    AgedPlace,
    AgedUsers,
    Dropped,
    StoredTurn,
    aged_events,
    first_kept_step,
    following,
    planned,
)
from backend.store.threads import SavedThread, ThreadStep, found_among, ids_in, kept_of, unknown_step

_log = structlog.get_logger(__name__)

_KEYS: Mapping[type[Any], Callable[[Any], Any]] = {
    Task: lambda row: row.turn,
    Message: lambda row: (row.turn, row.position),
    SavedPartial: lambda row: (row.turn, row.position),
    SavedProgress: lambda row: (row.turn, row.agent),
    SavedReceipt: lambda row: row.task_id,
    InterruptedContext: lambda row: row.turn,
    InputRequest: lambda row: row.request_id,
    Checkpoint: lambda row: row.turn,
    ToolCall: lambda row: (row.turn, row.call_id),
    ModelStep: lambda row: (row.turn, row.position),
    SavedThread: lambda row: row.user_id,
}
"""The records that replace the one of their key."""

_OF_A_TURN = (
    Task, SavedPartial, SavedProgress, InterruptedContext, InputRequest, Checkpoint, ToolCall, ModelStep,
)  # fmt: skip


@dataclass(slots=True)
class ModelThread:
    """The steps of one thread by number, and its pieces by id."""

    steps: dict[int, ThreadStep] = field(default_factory=dict[int, ThreadStep])
    pieces: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    def keep(self, step: ThreadStep) -> None:
        """Keep a step, and drop those beyond the bounds when it is time."""
        self.pieces.update(step.held)
        self.steps[step.number] = replace(step, held={})
        if step.trims:
            self.drop(upto=step.number)

    def drop(self, *, before: int = 0, upto: int = 0) -> None:
        """Drop the steps before a number and those beyond the bounds, and the pieces of no kept step."""
        self.steps = {number: each for number, each in self.steps.items() if number >= before}
        references = [(each.number, each.pages, each.pieces) for each in self.newest_first()]
        sizes = {each: len(body) for each, body in self.pieces.items()}
        oldest, used = kept_of(references, sizes, self.fetch, upto=upto)
        self.steps = {number: each for number, each in self.steps.items() if number >= oldest}
        self.pieces = {each: body for each, body in self.pieces.items() if each in used}

    def copied(self) -> "ModelThread":
        """Return a copy that later changes leave alone."""
        return ModelThread(dict(self.steps), dict(self.pieces))

    def newest_first(self) -> list[ThreadStep]:
        """Return all steps."""
        return [self.steps[number] for number in sorted(self.steps, reverse=True)]

    def fetch(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return those of the pieces that are kept."""
        return {each: self.pieces[each] for each in ids if each in self.pieces}


@dataclass(slots=True)
class ModelUser:
    """Everything of one user; `rows` are records by their type and key."""

    epoch: str = ""
    seq: int = 0
    events: list[bytes] = field(default_factory=list[bytes])
    rows: dict[type[Any], dict[Any, Any]] = field(default_factory=dict[type[Any], dict[Any, Any]])
    acceptances: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    threads: dict[str, ModelThread] = field(default_factory=dict[str, ModelThread])

    def copied(self) -> "ModelUser":
        """Return a copy that later changes leave alone."""
        rows = {kind: dict(table) for kind, table in self.rows.items()}
        threads = {
            name: ModelThread(dict(each.steps), dict(each.pieces)) for name, each in self.threads.items()
        }
        return replace(
            self, rows=rows, events=copy(self.events), acceptances=dict(self.acceptances), threads=threads
        )

    @property
    def has_rows(self) -> bool:
        """Whether anything is kept of the user."""
        return any((self.events, self.acceptances, self.threads, *self.rows.values()))

    def table(self, kind: type[Any]) -> dict[Any, Any]:
        """Return the records of a type by their key."""
        return self.rows.setdefault(kind, {})

    def ordered(self, kind: type[Any]) -> list[Any]:
        """Return the records of a type in the order of their keys."""
        table = self.table(kind)
        return [table[key] for key in sorted(table)]

    def append(self, body: bytes) -> None:
        """Append an event to the log."""
        self.seq += 1
        self.events.append(body)

    def is_open(self, request_id: str) -> bool:
        """Return whether a question is open."""
        asked = self.table(InputRequest).get(request_id)
        return asked is not None and asked.open

    def keep(self, record: Record) -> None:
        """Keep a record but for an event, which is numbered by whoever appends it."""
        match record:
            case Event() | InUse() | MustBeOpen():
                return
            case NewUser():
                self.epoch = record.epoch
            case Acceptance():
                self.acceptances.setdefault(record.client_id, (self.seq, record.body))
            case ForgetCheckpoint():
                self.table(Checkpoint).pop(record.turn, None)
            case ForgetPartials():
                for kind in (SavedPartial, SavedProgress):
                    table = self.table(kind)
                    self.rows[kind] = {
                        key: each for key, each in table.items() if key[0] >= record.before_turn
                    }
            case ThreadStep():
                self.threads.setdefault(record.graph, ModelThread()).keep(record)
            case _:
                self._put(record)

    def _put(self, record: Any) -> None:
        table, key = self.table(type(record)), _KEYS[type(record)](record)
        old = table.get(key)
        if (isinstance(old, Task) and old.status.terminal) or (
            isinstance(old, InputRequest) and not old.open
        ):
            return
        table[key] = record
        if isinstance(record, InterruptedContext):
            for turn in sorted(table)[:-KEPT_CONTEXTS]:
                del table[turn]

    def resumable(self) -> tuple[Task, ...]:
        """Return the tasks to resume, as `StateStore.resumable` defines them."""
        tasks = self.ordered(Task)
        at_work = (task.turn for task in tasks if task.status != TaskStatus.QUEUED and not task.aside)
        last_at_work = max(at_work, default=0)
        taken_up = {(task.previous_task_id, task.message) for task in tasks if task.aside}

        def is_shut_down(task: Task) -> bool:
            return task.status == TaskStatus.INTERRUPTED and task.reason == InterruptReason.SHUTDOWN

        def is_last(task: Task) -> bool:
            return (task.task_id, task.message) not in taken_up if task.aside else task.turn >= last_at_work

        return tuple(
            task for task in tasks if not task.status.terminal or (is_shut_down(task) and is_last(task))
        )

    def drop_aged(self, before: datetime, *, most: int) -> Dropped:
        """Drop some of the aged turns."""
        if not all(task.status.terminal for task in self.ordered(Task)):
            return Dropped()
        held = {call.turn for call in self.ordered(ToolCall) if call.left_open}
        held |= {task.turn for task in self.resumable()}
        plan = planned(map(_stored, self.ordered(Task)), held, before.timestamp(), most=most)
        for turn in plan.turns:
            self._drop_turn(turn)
        if plan.until is None:
            return Dropped(len(plan.turns), more=True)
        for thread in self.threads.values():
            numbers = sorted(thread.steps)
            steps = ((number, thread.steps[number].turn) for number in numbers)
            first = first_kept_step(steps, numbers[-1], plan.until)
            if first > numbers[0]:
                thread.drop(before=first)
        del self.events[: aged_events(self.events[:-1], before)]
        threads = self.ordered(SavedThread)
        is_known = bool(self.table(Task) or threads)
        are_aged = all(each.updated_at < before for each in threads)
        return Dropped(len(plan.turns), is_everything=plan.is_everything and is_known and are_aged)

    def _drop_turn(self, task: StoredTurn) -> None:
        messages = self.table(Message)
        for place, message in list(messages.items()):
            is_own = place[0] == task.turn or message.task_id == task.task_id
            if task.turn <= place[0] <= task.last_turn and is_own:
                del messages[place]
                self.acceptances.pop(message.client_id or "", None)
        self.table(SavedReceipt).pop(task.task_id, None)
        for kind in _OF_A_TURN:
            self.rows[kind] = {key: each for key, each in self.table(kind).items() if each.turn != task.turn}


def _stored(task: Task) -> StoredTurn:
    ended_at, last_turn = task.updated_at.timestamp(), max(task.turn, task.spoken_turn or 0)
    return StoredTurn(task.turn, task.task_id, task.status.terminal, task.reason, ended_at, last_turn)


def one_page(newest_first: Iterable[Message]) -> tuple[Message, ...]:
    """Return the newest messages that fit in one page, oldest first."""
    page: list[Message] = []
    size = 0
    for message in newest_first:
        size += len(message.text.encode())
        if page and size > HISTORY_BYTES:
            break
        page.append(message)
    return tuple(reversed(page))


def page_of_steps(
    steps: Iterable[ThreadStep], thread: ModelThread, most_bytes: int
) -> tuple[ThreadStep, ...]:
    """Return the first of these steps that fit in one page, with their pieces."""
    found: list[ThreadStep] = []
    size = 0
    for step in steps:
        pages = thread.fetch(ids_in(step.pages))
        pieces = thread.fetch([each for some in (step.pieces, *pages.values()) for each in ids_in(some)])
        size += len(step.body) + sum(map(len, pieces.values()))
        if found and size > most_bytes:
            break
        found.append(replace(step, held=pages | pieces))
    return tuple(found)


class ModelStore:
    """Keeps `users` in a dictionary; no log is trimmed."""

    def __init__(self) -> None:
        self.users: dict[str, ModelUser] = {}
        self._listener: Listener = lambda _user_id, _events: None
        self._closed = False
        self._results = RepeatedResults(keep_events=2000)

    async def open(self, listener: Listener) -> None:
        self._listener = listener
        self._closed = False

    async def close(self) -> None:
        self._closed = True

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        done: Future[int] = asyncio.get_running_loop().create_future()
        try:
            done.set_result(self._keep_all(lease.user_id, records))
        except (TypeError, NotOpen) as error:
            done.set_exception(error)
        return done

    def record(self, lease: Lease, *records: Record) -> None:
        try:
            self._keep_all(lease.user_id, records)
        except (TypeError, NotOpen) as error:
            _log.error("records were lost", user_id=lease.user_id, reason=str(error))

    def _keep_all(self, user_id: str, records: Sequence[Record]) -> int:
        if self._closed:
            raise StoreUnavailable("The store is closed.")
        for each in records:
            if not isinstance(each, Record):
                raise unknown_record(each)
        user = self.users.setdefault(user_id, ModelUser())
        for each in records:
            if isinstance(each, MustBeOpen) and not user.is_open(each.request_id):
                raise not_open(each.request_id)
        events: list[StoredEvent] = []
        for each in records:
            user.keep(each)
            if isinstance(each, Event):
                user.append(self._results.body_to_store(user_id, user.seq + 1, each))
                events.append(stored(user.seq, each.body))
        if events:
            self._listener(user_id, events)
        return user.seq

    async def delete_user(self, lease: Lease) -> None:
        self.users.pop(lease.user_id, None)
        self._results.forget(lease.user_id)

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        self._results.forget(lease.user_id)
        return self._user(lease.user_id).drop_aged(before, most=most)

    def _user(self, user_id: str) -> ModelUser:
        return self.users.get(user_id) or ModelUser()

    async def position(self, user_id: str) -> UserPosition | None:
        user = self._user(user_id)
        turns = (*user.table(Task), *(turn for turn, _ in user.table(Message)))
        return (
            UserPosition(epoch=user.epoch, seq=user.seq, turn=max(turns, default=0)) if user.epoch else None
        )

    async def standing(self, user_id: str) -> Standing | None:
        position, tasks = await self.position(user_id), self._user(user_id).ordered(Task)
        if position is None or not tasks:
            return None
        task = latest_task(tasks)
        asked = await self.get_inputs(user_id, task.turn)
        return standing_of(position, tasks, asked, await self.get_progress(user_id, task.turn))

    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        standing = await self.standing(user_id)
        if standing is None:
            return None
        return standing.with_results(
            await self.get_partials(user_id, standing.task.turn),
            await self.get_interrupted_contexts(user_id),
            one_page(reversed(await self.get_messages(user_id, limit=history))),
        )

    async def history(self, user_id: str, *, limit: int, before: str | None = None) -> History | None:
        position = await self.position(user_id)
        if position is None:
            return None
        messages = await self.get_messages(user_id, limit=sys.maxsize)
        if before is not None:
            ids = [message.message_id for message in messages]
            if before not in ids:
                raise unknown_message(before)
            messages = messages[: ids.index(before)]
        return History(position, one_page(reversed(messages[-limit:])))

    async def get_messages(self, user_id: str, *, limit: int) -> tuple[Message, ...]:
        return tuple(self._user(user_id).ordered(Message)[-limit:]) if limit else ()

    async def get_task_metadata(self, user_id: str, task_id: str) -> Task | None:
        return next((each for each in self._user(user_id).ordered(Task) if each.task_id == task_id), None)

    async def recent_tasks(self, user_id: str, *, limit: int) -> tuple[Task, ...]:
        tasks = self._user(user_id).ordered(Task)[::-1]
        return tuple([task for task in tasks if not task.aside][:limit])

    async def get_partials(self, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
        return self._of_turn(user_id, SavedPartial, turn)

    async def get_progress(self, user_id: str, turn: int) -> dict[str, Any]:
        return {each.agent: each.progress for each in self._of_turn(user_id, SavedProgress, turn)}

    async def get_receipt(self, user_id: str, task_id: str) -> bytes | None:
        receipt = self._user(user_id).table(SavedReceipt).get(task_id)
        return receipt and receipt.body

    async def get_acceptance(self, user_id: str, client_id: str) -> tuple[int, bytes] | None:
        return self._user(user_id).acceptances.get(client_id)

    async def get_interrupted_contexts(self, user_id: str) -> tuple[InterruptedContext, ...]:
        return tuple(self._user(user_id).ordered(InterruptedContext)[::-1])

    async def get_interrupted_context(self, user_id: str, turn: int) -> InterruptedContext | None:
        return self._user(user_id).table(InterruptedContext).get(turn)

    async def get_latest_interrupted_context(self, user_id: str) -> InterruptedContext | None:
        return next(iter(await self.get_interrupted_contexts(user_id)), None)

    async def get_input(self, user_id: str, request_id: str) -> InputRequest | None:
        return self._user(user_id).table(InputRequest).get(request_id)

    async def get_inputs(self, user_id: str, turn: int) -> tuple[InputRequest, ...]:
        asked = self._of_turn(user_id, InputRequest, turn)
        return tuple(sorted(asked, key=lambda each: each.number))

    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        return self._user(user_id).table(Checkpoint).get(turn)

    async def get_tool_calls(self, user_id: str, turn: int) -> tuple[ToolCall, ...]:
        return in_order_made(self._of_turn(user_id, ToolCall, turn))

    async def unsettled_tool_calls(self, user_id: str) -> tuple[ToolCall, ...]:
        return in_order_made(each for each in self._user(user_id).ordered(ToolCall) if each.left_open)

    async def get_model_steps(self, user_id: str, *, since_turn: int) -> tuple[ModelStep, ...]:
        return tuple(each for each in self._user(user_id).ordered(ModelStep) if each.turn >= since_turn)

    def _of_turn(self, user_id: str, kind: type[Any], turn: int) -> tuple[Any, ...]:
        return tuple(each for each in self._user(user_id).ordered(kind) if each.turn == turn)

    async def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> ThreadStep | None:
        thread = self._user(user_id).threads.get(graph, ModelThread())
        found = [each for each in thread.newest_first() if step_id in (None, each.step_id)]
        return next(iter(page_of_steps(found[:1], thread, 0)), None)

    async def get_thread_steps(
        self, user_id: str, graph: str, *, limit: int, before: str | None = None, most_bytes: int
    ) -> tuple[ThreadStep, ...]:
        thread = self._user(user_id).threads.get(graph, ModelThread())
        steps = thread.newest_first()
        if before is not None:
            ids = [each.step_id for each in steps]
            if before not in ids:
                raise unknown_step(before, field_name="before")
            steps = steps[ids.index(before) + 1 :]
        return page_of_steps(steps[:limit], thread, most_bytes)

    async def get_saved_thread(self, user_id: str) -> SavedThread | None:
        return self._user(user_id).table(SavedThread).get(user_id)

    async def find_threads(
        self, *, metadata: Mapping[str, Any] | None = None, sort_by: str = "created_at", limit: int
    ) -> tuple[SavedThread, ...]:
        saved = [thread for user in self.users.values() for thread in user.ordered(SavedThread)]
        in_order = sorted(saved, key=lambda each: (getattr(each, sort_by), each.user_id), reverse=True)
        return found_among(in_order, metadata, limit=limit, offset=0)

    async def inputs_due(self, now: datetime) -> tuple[InputRequest, ...]:
        asked = [each for user in self.users.values() for each in user.ordered(InputRequest)]
        due = [each for each in asked if each.open and each.expires_at <= now]
        return tuple(sorted(due, key=lambda each: (each.expires_at, each.request_id)))

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        user = self._user(user_id)
        kept_after = user.seq - len(user.events)
        after = max(seq, kept_after)
        numbered = list(enumerate(user.events, start=kept_after + 1))
        return page_of(
            numbered[after - kept_after :][:limit],
            lambda since: numbered[max(since - kept_after - 1, 0) : after - kept_after],
            complete=seq >= kept_after,
            more=user.seq > after + limit,
            most_bytes=PAGE_BYTES,
        )

    async def news_after(self, user_id: str, seq: int, *, limit: int) -> News | None:
        position = await self.position(user_id)
        return position and News(position, await self.events_after(user_id, seq, limit=limit))

    async def unfinished_users(self) -> frozenset[str]:
        return frozenset(
            user_id
            for user_id, user in self.users.items()
            if user.resumable() or any(call.left_open for call in user.ordered(ToolCall))
        )

    async def resumable(self, user_id: str) -> tuple[Task, ...]:
        return self._user(user_id).resumable()

    async def aged_users(self, before: datetime, *, after: AgedPlace) -> AgedUsers:
        kind = {TASKS: Task, THREADS: SavedThread}.get(after.kind)
        rows = sorted(
            (each.updated_at.timestamp(), user_id, each.turn if kind is Task else 0)
            for user_id, user in self.users.items()
            for each in (user.ordered(kind) if kind is not None else ())
            if each.updated_at < before and (kind is not Task or each.status.terminal)
        )
        rows = [each for each in rows if each > after[1:]][:USERS_AT_ONCE]
        found = (user_id for _, user_id, turn in rows if turn or not self.users[user_id].table(Task))
        return AgedUsers(tuple(dict.fromkeys(found)), following(after.kind, rows))
