"""A store in memory: for tests, for embedding, and as the oracle of the contract tests."""

import asyncio
import secrets
import sys
from abc import abstractmethod
from asyncio import Future
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeVar

import ormsgpack
import structlog

from ..domain.context import KEPT_CONTEXTS, InterruptedContext
from ..domain.errors import NotOpen, StoreUnavailable
from ..domain.events import Event, StoredEvent, stored
from ..domain.model_usage import ModelStep
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, InterruptReason, Message, Task, TaskStatus
from ..domain.tool_call import ToolCall
from .base import EVENT_BYTES_KEPT, Listener, StateStore, no_lease_ends, notify
from .codec import context_to_json, to_json
from .export import BESIDE_USERS, Exported, entries_of_row, user_entry
from .ownership import Lease, OnLeaseEnded
from .pending_writes import in_order_made, latest_task, one_page, queued_and_pending
from .persons import Grant, Grants, OwnConversation
from .records import (
    Acceptance,
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    History,
    InUse,
    MustBeOpen,
    NewUser,
    Page,
    Record,
    SavedPartial,
    SavedProgress,
    SavedReceipt,
    Snapshot,
    Standing,
    UserPosition,
    Wanted,
    epoch_of,
    not_open,
    unknown_message,
    unknown_record,
)
from .repeated_results import PAGE_BYTES, RepeatedResults, page_of
from .retention import (
    CONVERSATIONS,
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
from .sqlite.rows import Row, rows_of
from .threads import SavedThread, SortBy, ThreadStep, found_among, kept_of, page_of_steps, unknown_step

# --- memory persons ------------------------------------------------------------------------------------
# Persons and grants of the store in memory.


class MemoryPersons:
    """Whose each conversation is."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, datetime]] = {}

    def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        return self._given.get(user_id, (None,))[0]

    def give_to(self, person: str, user_id: str, at: datetime, *, is_known: bool) -> str | None:
        """Make a conversation a person's unless something is known of it; return whose it is now."""
        if not is_known:
            self._given.setdefault(user_id, (person, at))
        return self.person_of(user_id)

    def newest_of(self, person: str, *, limit: int, before: str | None) -> list[tuple[str, datetime]]:
        """Return a person's conversations and when they began."""
        own = ((at, user_id) for user_id, (whose, at) in self._given.items() if whose == person)
        in_order = sorted(own, reverse=True)
        if before is not None:
            ids = [user_id for _, user_id in in_order]
            in_order = in_order[ids.index(before) + 1 :] if before in ids else []
        return [(user_id, at) for at, user_id in in_order[:limit]]

    def rows_of(self, user_id: str) -> list[tuple[str, float]]:
        """Return whose a conversation is and when it began, as other stores keep it."""
        given = self._given.get(user_id)
        return [(given[0], given[1].timestamp())] if given else []

    def begun_at(self, user_id: str) -> datetime | None:
        """Return when a person has begun a conversation."""
        return self._given.get(user_id, ("", None))[1]

    def begun(self) -> list[tuple[str, float]]:
        """Return all conversations that persons have begun, and when."""
        return [(user_id, at.timestamp()) for user_id, (_, at) in self._given.items()]

    def forget(self, user_id: str) -> bool:
        """Forget whose a conversation was; return whether it was anybody's."""
        return self._given.pop(user_id, None) is not None


class GrantsInMemory(Grants):
    """Implements `Grants` for a store that is open or not."""

    def __init__(self) -> None:
        self._grants: dict[bytes, Grant] = {}

    @abstractmethod
    def _check_open(self) -> None:
        """Raise `StoreUnavailable` if the store is closed."""

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        self._check_open()
        self._grants = {key: each for key, each in self._grants.items() if each.expires_at > now}
        self._grants[grant.digest] = grant

    async def get_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant, None if there is none or it has expired."""
        self._check_open()
        grant = self._grants.get(digest)
        return grant if grant is not None and grant.expires_at > now else None

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        if await self.get_grant(grant.digest, now) is not None:
            self._grants[grant.digest] = grant

    async def find_grants(self, part: bytes, now: datetime) -> tuple[Grant, ...]:
        """Return the grants whose body has these bytes in it."""
        self._check_open()
        return tuple(each for each in self._grants.values() if part in each.body and each.expires_at > now)

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        grant = await self.get_grant(digest, now)
        self._grants.pop(digest, None)
        return grant


# --- memory threads ------------------------------------------------------------------------------------
# The threads of one user in the store in memory.


@dataclass(slots=True)
class MemoryThread:
    """The steps of one thread by number, and its pieces by id."""

    steps: dict[int, ThreadStep] = field(default_factory=dict[int, ThreadStep])
    pieces: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    def keep(self, step: ThreadStep) -> None:
        """Keep a step, and drop those beyond the bounds when it is time."""
        self.pieces.update(step.held)
        self.steps[step.number] = replace(step, held={})
        if step.trims:
            references = [(each.number, each.pages, each.pieces) for each in self._newest_first()]
            sizes = {each: len(body) for each, body in self.pieces.items()}
            oldest, used = kept_of(references, sizes, self._fetch, upto=step.number)
            self.steps = {number: each for number, each in self.steps.items() if number >= oldest}
            self.pieces = {each: body for each, body in self.pieces.items() if each in used}

    def drop(self, *, before: int) -> None:
        """Drop the steps before a number, and the pieces of no kept step."""
        if any(number < before for number in self.steps):
            self.steps = {number: each for number, each in self.steps.items() if number >= before}
            references = [(each.number, each.pages, each.pieces) for each in self._newest_first()]
            sizes = {each: len(body) for each, body in self.pieces.items()}
            _, used = kept_of(references, sizes, self._fetch, upto=0)
            self.pieces = {each: body for each, body in self.pieces.items() if each in used}

    def step(self, step_id: str | None) -> ThreadStep | None:
        """Return a step with its pieces, by default the newest."""
        found = [each for each in self._newest_first() if step_id in (None, each.step_id)]
        return page_of_steps(found[:1], self._fetch, most_bytes=0)[0] if found else None

    def newest(self, *, limit: int, before: str | None, most_bytes: int) -> tuple[ThreadStep, ...]:
        """Return the newest steps, or the newest before one. Raises `NotFound`."""
        steps = self._newest_first()
        if before is not None:
            ids = [each.step_id for each in steps]
            if before not in ids:
                raise unknown_step(before, field_name="before")
            steps = steps[ids.index(before) + 1 :]
        return page_of_steps(steps[:limit], self._fetch, most_bytes=most_bytes)

    def _newest_first(self) -> list[ThreadStep]:
        return [self.steps[number] for number in sorted(self.steps, reverse=True)]

    def _fetch(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        return {each: self.pieces[each] for each in ids if each in self.pieces}


# --- memory user ---------------------------------------------------------------------------------------
# All that the store in memory keeps of one user, and how each record changes it.


V = TypeVar("V")


@dataclass(slots=True)
class MemoryUser:
    """Everything of one user."""

    epoch: str = ""
    seq: int = 0
    event_bytes: int = 0
    tasks: dict[int, Task] = field(default_factory=dict[int, Task])
    messages: dict[tuple[int, int], Message] = field(default_factory=dict[tuple[int, int], Message])
    events: list[bytes] = field(default_factory=list[bytes])
    partials: dict[tuple[int, int], SavedPartial] = field(default_factory=dict[tuple[int, int], SavedPartial])
    progress: dict[int, dict[str, AgentProgress]] = field(default_factory=dict[int, dict[str, AgentProgress]])
    receipts: dict[str, bytes] = field(default_factory=dict[str, bytes])
    acceptances: dict[str, tuple[int, bytes]] = field(default_factory=dict[str, tuple[int, bytes]])
    contexts: dict[int, InterruptedContext] = field(default_factory=dict[int, InterruptedContext])
    inputs: dict[str, InputRequest] = field(default_factory=dict[str, InputRequest])
    checkpoints: dict[int, Checkpoint] = field(default_factory=dict[int, Checkpoint])
    tool_calls: dict[tuple[int, str], ToolCall] = field(default_factory=dict[tuple[int, str], ToolCall])
    model_steps: dict[tuple[int, int], ModelStep] = field(default_factory=dict[tuple[int, int], ModelStep])
    threads: dict[str, MemoryThread] = field(default_factory=dict[str, MemoryThread])
    saved_thread: SavedThread | None = None

    def append(self, body: bytes) -> None:
        """Append an event to the log."""
        self.seq += 1
        self.events.append(body)
        self.event_bytes += len(body)


def ordered(rows: dict[tuple[int, int], V]) -> tuple[V, ...]:
    """Return rows by turn and position."""
    return tuple(rows[key] for key in sorted(rows))


def stored_bytes(user: MemoryUser) -> int:
    """Return about how many bytes are kept of a user: as documents, as a database would."""
    documents = (
        user.tasks, user.messages, user.inputs, user.tool_calls, user.model_steps,
    )  # fmt: skip
    contents = [
        *(to_json(each) for kept in documents for each in kept.values()),
        *(context_to_json(each) for each in user.contexts.values()),
        *(each.found.items if each.found else each.text.encode() for each in user.partials.values()),
        *user.receipts.values(),
        *(body for _, body in user.acceptances.values()),
        *(each.body for each in user.checkpoints.values()),
        *(body for thread in user.threads.values() for body in thread.pieces.values()),
    ]
    return user.event_bytes + sum(map(len, contents))


def is_open(user: MemoryUser, request_id: str) -> bool:
    """Return whether a question is open."""
    asked = user.inputs.get(request_id)
    return asked is not None and asked.open


def resumable(user: MemoryUser) -> tuple[Task, ...]:
    """Return a user's tasks to resume, as `StateStore.resumable` defines them."""
    tasks = list(user.tasks.values())
    at_work = (task.turn for task in tasks if task.status != TaskStatus.QUEUED and not task.aside)
    last_at_work = max(at_work, default=0)
    taken_up = {(task.previous_task_id, task.message) for task in tasks if task.aside}
    found = (
        task
        for task in tasks
        if not task.status.terminal
        or (
            task.status == TaskStatus.INTERRUPTED
            and task.reason == InterruptReason.SHUTDOWN
            and ((task.task_id, task.message) not in taken_up if task.aside else task.turn >= last_at_work)
        )
    )
    return tuple(sorted(found, key=lambda task: task.turn))


def trim_events(user: MemoryUser, keep_events: int) -> None:
    """Drop the oldest events beyond the bounds, but never the newest."""
    first, last = 0, len(user.events) - 1
    while first < last and (last - first >= keep_events or user.event_bytes > EVENT_BYTES_KEPT):
        user.event_bytes -= len(user.events[first])
        first += 1
    del user.events[:first]


def keep(user: MemoryUser, record: Record) -> None:
    """Keep a record; events are numbered by the store, which appends them."""
    match record:
        case NewUser():
            user.epoch = record.epoch
        case Event() | InUse():
            pass
        case Task():
            known = user.tasks.get(record.turn)
            if known is None or not known.status.terminal:
                user.tasks[record.turn] = record
        case Message():
            user.messages[record.turn, record.position] = record
        case SavedReceipt():
            user.receipts[record.task_id] = record.body
        case Acceptance():
            user.acceptances.setdefault(record.client_id, (user.seq, record.body))
        case ToolCall():
            user.tool_calls[record.turn, record.call_id] = record
        case ModelStep():
            user.model_steps[record.turn, record.position] = record
        case ThreadStep():
            user.threads.setdefault(record.graph, MemoryThread()).keep(record)
        case InputRequest() | Checkpoint() | ForgetCheckpoint() | MustBeOpen():
            _keep_pause(user, record)
        case _:
            _keep_finding(user, record)


def _keep_pause(user: MemoryUser, record: InputRequest | Checkpoint | ForgetCheckpoint | MustBeOpen) -> None:
    match record:
        case InputRequest():
            if record.request_id not in user.inputs or is_open(user, record.request_id):
                user.inputs[record.request_id] = record
        case Checkpoint():
            user.checkpoints[record.turn] = record
        case ForgetCheckpoint():
            user.checkpoints.pop(record.turn, None)
        case MustBeOpen():
            pass


def _keep_finding(
    user: MemoryUser, record: SavedPartial | SavedProgress | InterruptedContext | ForgetPartials | SavedThread
) -> None:
    match record:
        case SavedPartial():
            user.partials[record.turn, record.position] = record
        case SavedProgress():
            user.progress.setdefault(record.turn, {})[record.agent] = record.progress
        case InterruptedContext():
            user.contexts[record.turn] = record
            for turn in sorted(user.contexts)[:-KEPT_CONTEXTS]:
                del user.contexts[turn]
        case SavedThread():
            user.saved_thread = record
        case ForgetPartials():
            before = record.before_turn
            user.partials = {key: each for key, each in user.partials.items() if key[0] >= before}
            user.progress = {turn: each for turn, each in user.progress.items() if turn >= before}


# --- memory retention ----------------------------------------------------------------------------------
# What the store in memory drops for its age: `retention` says which.


def aged_users(
    users: Mapping[str, MemoryUser], persons: MemoryPersons, before: datetime, after: AgedPlace
) -> AgedUsers:
    """Find some users who may have something aged."""
    rows = sorted(
        (at, user_id, turn)
        for at, user_id, turn in _rows(users, persons, after.kind)
        if at < before.timestamp() and (at, user_id, turn) > after[1:]
    )[:USERS_AT_ONCE]
    found = (user_id for _, user_id, turn in rows if turn or user_id not in users or not users[user_id].tasks)
    return AgedUsers(tuple(dict.fromkeys(found)), following(after.kind, rows))


def _rows(
    users: Mapping[str, MemoryUser], persons: MemoryPersons, kind: int
) -> Iterator[tuple[float, str, int]]:
    if kind == CONVERSATIONS:
        yield from ((at, user_id, 0) for user_id, at in persons.begun())
    for user_id, user in users.items():
        if kind == TASKS:
            over = (task for task in user.tasks.values() if task.status.terminal)
            yield from ((task.updated_at.timestamp(), user_id, task.turn) for task in over)
        elif kind == THREADS and user.saved_thread is not None:
            yield user.saved_thread.updated_at.timestamp(), user_id, 0


def drop_aged(user: MemoryUser, begun_at: datetime | None, before: datetime, *, most: int) -> Dropped:
    """Drop some of a user's aged turns; `begun_at` is when a person has begun the conversation."""
    if not all(task.status.terminal for task in user.tasks.values()):
        return Dropped()
    held = {call.turn for call in [*user.tool_calls.values()] if call.left_open}
    held |= {task.turn for task in resumable(user)}
    in_order = (_stored(user.tasks[turn]) for turn in sorted(user.tasks))
    plan = planned(in_order, held, before.timestamp(), most=most)
    for turn in plan.turns:
        _drop_turn(user, turn)
    if plan.until is None:
        return Dropped(len(plan.turns), more=True)
    for thread in user.threads.values():
        _drop_steps(thread, plan.until)
    aged = aged_events(user.events[:-1], before)
    user.event_bytes -= sum(map(len, user.events[:aged]))
    del user.events[:aged]
    thread_at = user.saved_thread.updated_at if user.saved_thread is not None else None
    times = [each for each in (thread_at, begun_at) if each is not None]
    is_known = bool(user.tasks or times)
    are_aged = all(each < before for each in times)
    return Dropped(len(plan.turns), is_everything=plan.is_everything and is_known and are_aged)


def _stored(task: Task) -> StoredTurn:
    ended_at, last_turn = task.updated_at.timestamp(), max(task.turn, task.spoken_turn or 0)
    return StoredTurn(task.turn, task.task_id, task.status.terminal, task.reason, ended_at, last_turn)


def _drop_turn(user: MemoryUser, task: StoredTurn) -> None:
    said = {
        place: message
        for place, message in user.messages.items()
        if task.turn <= place[0] <= task.last_turn
        and (place[0] == task.turn or message.task_id == task.task_id)
    }
    for place, message in said.items():
        del user.messages[place]
        user.acceptances.pop(message.client_id or "", None)
    user.receipts.pop(task.task_id, None)
    for by_turn in (user.tasks, user.progress, user.contexts, user.checkpoints):
        by_turn.pop(task.turn, None)
    for by_place in (user.partials, user.tool_calls, user.model_steps):
        for place in [each for each in by_place if each[0] == task.turn]:
            del by_place[place]  # pyright: ignore[reportArgumentType]
    for request_id in [each.request_id for each in user.inputs.values() if each.turn == task.turn]:
        del user.inputs[request_id]


def _drop_steps(thread: MemoryThread, until: int) -> None:
    numbers = sorted(thread.steps)
    if numbers:
        steps = ((number, thread.steps[number].turn) for number in numbers)
        thread.drop(before=first_kept_step(steps, numbers[-1], until))


# --- memory export -------------------------------------------------------------------------------------
# The export of the store in memory: its records as the rows that other stores keep of them.


def entries_of(user: MemoryUser, user_id: str, given: Sequence[Row]) -> list[Exported]:
    """Return the entries of all tables but `users`; `given` is whose the conversation is."""
    found: list[Exported] = []
    for table in BESIDE_USERS:
        rows = given if table.name == "conversations" else _rows_of_table(user, user_id, table.name)
        found += [each for row in rows for each in entries_of_row(table, row, user_id=user_id)]
    return found


def _rows_of_table(user: MemoryUser, user_id: str, table: str) -> Iterable[Row]:
    match table:
        case "messages":
            return _documents(ordered(user.messages))
        case "tasks":
            return _documents(user.tasks[turn] for turn in sorted(user.tasks))
        case "receipts":
            return sorted(user.receipts.items())
        case "tool_calls":
            return _documents(user.tool_calls[key] for key in sorted(user.tool_calls))
        case "inputs":
            return _documents(user.inputs[request_id] for request_id in sorted(user.inputs))
        case "acceptances":
            return ((client_id, *user.acceptances[client_id]) for client_id in sorted(user.acceptances))
        case "model_steps":
            return _documents(ordered(user.model_steps))
        case "contexts":
            return ((context_to_json(user.contexts[turn]),) for turn in sorted(user.contexts))
        case "threads":
            return _documents(() if user.saved_thread is None else (user.saved_thread,))
        case _:
            return _rows_of_work(user, user_id, table)


def _rows_of_work(user: MemoryUser, user_id: str, table: str) -> Iterable[Row]:
    match table:
        case "partials":
            return (_without_user(user_id, saved) for saved in ordered(user.partials))
        case "agents":
            progress = (
                SavedProgress(turn, agent, user.progress[turn][agent])
                for turn in sorted(user.progress)
                for agent in sorted(user.progress[turn])
            )
            return (_without_user(user_id, each) for each in progress)
        case "checkpoints":
            kept = (user.checkpoints[turn] for turn in sorted(user.checkpoints))
            return ((each.turn, each.resting, each.body) for each in kept)
        case "events":
            return [(user.seq - len(user.events) + 1, ormsgpack.packb(user.events))]
        case _:
            return _rows_of_threads(user, table)


def _without_user(user_id: str, record: SavedPartial | SavedProgress) -> Row:
    [(_, (_, turn, *what))] = rows_of(user_id, 0, record)
    return (turn, *what) if isinstance(record, SavedProgress) else (turn, ormsgpack.packb([what]))


def _rows_of_threads(user: MemoryUser, table: str) -> Iterator[Row]:
    for graph, thread in sorted(user.threads.items()):
        if table == "thread_pieces":
            yield from ((graph, *piece) for piece in sorted(thread.pieces.items()))
            continue
        for number, step in sorted(thread.steps.items()):
            about = (step.step_id, step.parent, step.turn, step.body, step.pages, step.pieces)
            yield graph, number, *about


def _documents(records: Iterable[Any]) -> Iterator[Row]:
    return ((to_json(each),) for each in records)


# --- memory --------------------------------------------------------------------------------------------


_log = structlog.get_logger(__name__)


class MemoryStateStore(GrantsInMemory, StateStore):
    """Keeps everything in dictionaries. It is ready once constructed; `open` only sets the listener.

    `keep_events` and `EVENT_BYTES_KEPT` bound the events kept of each user.
    """

    def __init__(self, *, keep_events: int = 2000) -> None:
        self._keep_events = keep_events
        self._everyone: dict[str, MemoryUser] = {}
        self._listener: Listener = lambda _user_id, _events: None
        self._closed = False
        self._identity, self._deletions = secrets.token_hex(8), 0
        self._results = RepeatedResults(keep_events=keep_events)
        self._persons = MemoryPersons()
        GrantsInMemory.__init__(self)

    async def open(self, listener: Listener, on_lease_ended: OnLeaseEnded = no_lease_ends) -> None:
        """Set the listener."""
        self._listener = listener
        self._closed = False

    async def close(self) -> None:
        """Refuse reads and writes until the same store is opened again, with what it held."""
        self._closed = True

    def commit(self, lease: Lease, *records: Record) -> "Future[int]":
        """Accept records; they are stored when this returns."""
        done: Future[int] = asyncio.get_running_loop().create_future()
        try:
            done.set_result(self._keep_all(lease.user_id, records))
        except (TypeError, NotOpen) as error:
            done.set_exception(error)
        return done

    def record(self, lease: Lease, *records: Record) -> None:
        """Accept records; they are stored when this returns."""
        try:
            self._keep_all(lease.user_id, records)
        except (TypeError, NotOpen) as error:
            _log.error("records were lost", user_id=lease.user_id, reason=str(error))

    def store_call_now(self, lease: Lease, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, from any thread; it is stored when this returns."""
        self._check_open()
        if not wanted():
            return False
        self._keep_all(lease.user_id, (call,))
        return True

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("The store is closed.")

    @property
    def _users(self) -> dict[str, MemoryUser]:
        self._check_open()
        return self._everyone

    def _keep_all(self, user_id: str, records: Sequence[Record]) -> int:
        for each in records:
            if not isinstance(each, Record):
                raise unknown_record(each)
        user = self._users.setdefault(user_id, MemoryUser())
        for each in records:
            if isinstance(each, MustBeOpen) and not is_open(user, each.request_id):
                raise not_open(each.request_id)
        events: list[StoredEvent] = []
        for each in records:
            keep(user, each)
            if isinstance(each, Event):
                user.append(self._results.body_to_store(user_id, user.seq + 1, each))
                events.append(stored(user.seq, each.body))
        if events:
            trim_events(user, self._keep_events)
            notify(self._listener, user_id, events)
        return user.seq

    async def position(self, user_id: str) -> UserPosition | None:
        """Return the end of a user's log, None for an unknown user."""
        user = self._users.get(user_id)
        if user is None or not user.epoch:
            return None
        turns = (*user.tasks, *(turn for turn, _ in user.messages))
        return UserPosition(epoch=user.epoch, seq=user.seq, turn=max(turns, default=0))

    async def stored_bytes(self, user_id: str) -> int:
        """Return about how many bytes are stored of a user."""
        user = self._users.get(user_id)
        return stored_bytes(user) if user is not None else 0

    async def standing(self, user_id: str) -> Standing | None:
        """Return a user's latest task without its results, None for an unknown user."""
        user, position = self._users.get(user_id), await self.position(user_id)
        if user is None or position is None or not user.tasks:
            return None
        task = latest_task(list(user.tasks.values()))
        waiting = (each for each in user.tasks.values() if each.status == TaskStatus.QUEUED)
        queued, pending = queued_and_pending(waiting)
        return Standing(
            position=position,
            task=task,
            queued=queued,
            pending=pending,
            inputs=tuple(each for each in await self.get_inputs(user_id, task.turn) if each.open),
            agents=await self.get_progress(user_id, task.turn),
        )

    async def history(self, user_id: str, *, limit: int, before: str | None = None) -> History | None:
        """Return the last messages, or the last before the message of that id."""
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

    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        """Return all that a client is sent about a user, None for an unknown user."""
        standing = await self.standing(user_id)
        if standing is None:
            return None
        return Snapshot(
            position=standing.position,
            task=standing.task,
            inputs=standing.inputs,
            queued=standing.queued,
            pending=standing.pending,
            agents=standing.agents,
            partials=await self.get_partials(user_id, standing.task.turn),
            interrupted=await self.get_interrupted_contexts(user_id),
            messages=one_page(reversed(await self.get_messages(user_id, limit=history))),
        )

    async def get_messages(self, user_id: str, *, limit: int) -> tuple[Message, ...]:
        """Return the last messages of a conversation, oldest first."""
        user = self._users.get(user_id)
        return ordered(user.messages)[-limit:] if user and limit else ()

    async def get_task_metadata(self, user_id: str, task_id: str) -> Task | None:
        """Return a user's task by its id."""
        user = self._users.get(user_id)
        return next((task for task in user.tasks.values() if task.task_id == task_id), None) if user else None

    async def recent_tasks(self, user_id: str, *, limit: int) -> tuple[Task, ...]:
        """Return a user's last tasks, newest first."""
        user = self._users.get(user_id)
        tasks = sorted(user.tasks.values() if user else (), key=lambda task: -task.turn)
        return tuple(task for task in tasks if not task.aside)[:limit]

    async def get_partials(self, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
        """Return what the task of a turn found and said, in order."""
        user = self._users.get(user_id)
        return tuple(each for each in ordered(user.partials) if each.turn == turn) if user else ()

    async def get_progress(self, user_id: str, turn: int) -> Mapping[str, AgentProgress]:
        """Return the progress of each agent of the task of a turn, by agent name."""
        user = self._users.get(user_id)
        return dict(sorted(user.progress.get(turn, {}).items())) if user else {}

    async def get_receipt(self, user_id: str, task_id: str) -> bytes | None:
        """Return the JSON of a task's receipt."""
        user = self._users.get(user_id)
        return user.receipts.get(task_id) if user else None

    async def get_acceptance(self, user_id: str, client_id: str) -> tuple[int, bytes] | None:
        """Return the `seq` and the JSON of the response to the message with this client id."""
        user = self._users.get(user_id)
        return user.acceptances.get(client_id) if user else None

    async def get_interrupted_contexts(self, user_id: str) -> tuple[InterruptedContext, ...]:
        """Return the last interrupted contexts, newest first."""
        user = self._users.get(user_id)
        return tuple(user.contexts[turn] for turn in sorted(user.contexts, reverse=True)) if user else ()

    async def get_interrupted_context(self, user_id: str, turn: int) -> InterruptedContext | None:
        """Return the interrupted context of the task of a turn, None if it is no longer stored."""
        user = self._users.get(user_id)
        return user.contexts.get(turn) if user else None

    async def get_input(self, user_id: str, request_id: str) -> InputRequest | None:
        """Return an input request by its id."""
        user = self._users.get(user_id)
        return user.inputs.get(request_id) if user else None

    async def get_inputs(self, user_id: str, turn: int) -> tuple[InputRequest, ...]:
        """Return all input requests of the task of a turn, in order."""
        user = self._users.get(user_id)
        asked = [each for each in user.inputs.values() if each.turn == turn] if user else []
        return tuple(sorted(asked, key=lambda each: each.number))

    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        """Return the checkpoint of the task of a turn."""
        user = self._users.get(user_id)
        return user.checkpoints.get(turn) if user else None

    async def get_tool_calls(self, user_id: str, turn: int) -> tuple[ToolCall, ...]:
        """Return every tool call of the task of a turn, in the order they were made."""
        user = self._users.get(user_id)
        made = [each for each in [*user.tool_calls.values()] if each.turn == turn] if user else []
        return in_order_made(made)

    async def unsettled_tool_calls(self, user_id: str) -> tuple[ToolCall, ...]:
        """Return every write of a user whose outcome is not known."""
        user = self._users.get(user_id)
        return in_order_made(each for each in [*user.tool_calls.values()] if each.left_open) if user else ()

    async def get_model_steps(self, user_id: str, *, since_turn: int) -> tuple[ModelStep, ...]:
        """Return the model steps of the tasks of that turn and later ones, in order."""
        user = self._users.get(user_id)
        return tuple(each for each in ordered(user.model_steps) if each.turn >= since_turn) if user else ()

    async def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> ThreadStep | None:
        """Return a step of a thread, by default the newest; None if there is none."""
        user = self._users.get(user_id)
        thread = user.threads.get(graph) if user else None
        return thread.step(step_id) if thread else None

    async def get_thread_steps(
        self, user_id: str, graph: str, *, limit: int, before: str | None = None, most_bytes: int
    ) -> tuple[ThreadStep, ...]:
        """Return the newest steps of a thread, or the newest before one."""
        user = self._users.get(user_id)
        thread = (user.threads.get(graph) if user else None) or MemoryThread()
        return thread.newest(limit=limit, before=before, most_bytes=most_bytes)

    async def get_saved_thread(self, user_id: str) -> SavedThread | None:
        """Return a thread of the index, None if it is not in it."""
        user = self._users.get(user_id)
        return user.saved_thread if user else None

    async def find_threads(
        self,
        *,
        metadata: Mapping[str, Any] | None = None,
        ids: Sequence[str] | None = None,
        person: str | None = None,
        sort_by: SortBy = "created_at",
        descending: bool = True,
        limit: int,
        offset: int = 0,
    ) -> tuple[SavedThread, ...]:
        """Return threads of the index, found by their metadata."""
        users = self._users.items()
        saved = (
            each.saved_thread
            for name, each in users
            if (ids is None or name in ids) and (person is None or self._persons.person_of(name) == person)
        )
        attribute = "user_id" if sort_by == "thread_id" else sort_by
        in_order = sorted(
            (each for each in saved if each is not None),
            key=lambda each: (getattr(each, attribute), each.user_id),
            reverse=descending,
        )
        return found_among(in_order, metadata, limit=limit, offset=offset)

    async def inputs_due(self, now: datetime) -> tuple[InputRequest, ...]:
        """Return every open input request, of all users, that expires no later than `now`."""
        asked = (each for user in self._users.values() for each in user.inputs.values())
        due = [each for each in asked if each.open and each.expires_at <= now]
        return tuple(sorted(due, key=lambda each: (each.expires_at, each.request_id)))

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return the events after a number, in order."""
        user = self._users.get(user_id)
        if user is None:
            return Page((), complete=True)
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

    async def unfinished_users(self) -> frozenset[str]:
        """Return the users who have `resumable` tasks or `unsettled_tool_calls`."""
        return frozenset(
            [
                user_id
                for user_id in self._users
                if await self.resumable(user_id) or await self.unsettled_tool_calls(user_id)
            ]
        )

    async def resumable(self, user_id: str) -> tuple[Task, ...]:
        """Return a user's tasks to resume, as `StateStore.resumable` defines them."""
        user = self._users.get(user_id)
        return resumable(user) if user else ()

    async def export(self, user_id: str) -> AsyncGenerator[Exported, None]:
        """Yield all that is kept of a user at one instant."""
        position, user = await self.position(user_id), self._users.get(user_id)
        entries = entries_of(user or MemoryUser(), user_id, self._persons.rows_of(user_id))
        if position is not None:
            yield user_entry(position)
        for each in entries:
            yield each

    async def delete_user(self, lease: Lease, *, at_once: bool = True) -> None:
        """Forget everything about a user."""
        was_given = self._persons.forget(lease.user_id)
        self._deletions += self._users.pop(lease.user_id, None) is not None or was_given
        self._results.forget(lease.user_id)

    async def aged_users(self, before: datetime, *, after: AgedPlace) -> AgedUsers:
        """Return some users with something that ended before a moment."""
        return aged_users(self._users, self._persons, before, after)

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns."""
        user = self._users.get(lease.user_id, MemoryUser())
        self._results.forget(lease.user_id)
        return drop_aged(user, self._persons.begun_at(lease.user_id), before, most=most)

    async def new_epoch(self, user_id: str) -> str:
        """Return the epoch of the log that a user without one begins."""
        self._check_open()
        return epoch_of(self._identity, self._deletions, user_id)

    # --- persons ---------------------------------------------------------------------------------

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        user = self._users.get(user_id)
        is_known = user is not None and bool(user.epoch or user.saved_thread)
        return self._persons.give_to(person, user_id, at, is_known=is_known)

    async def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        self._check_open()
        return self._persons.person_of(user_id)

    async def conversations_of(
        self, person: str, *, limit: int, before: str | None = None
    ) -> tuple[OwnConversation, ...]:
        """Return the conversations that a person has begun, the newest first."""
        found: list[OwnConversation] = []
        for user_id, at in self._persons.newest_of(person, limit=limit, before=before):
            said = await self.get_messages(user_id, limit=sys.maxsize)
            ends = {"first": said[0], "last": said[-1]} if said else {}
            found.append(OwnConversation(user_id=user_id, begun_at=at, **ends))
        return tuple(found)
