"""A store in memory: for tests, for embedding, and as the oracle of the contract tests."""

import asyncio
import secrets
import sys
from asyncio import Future
from collections.abc import AsyncGenerator, Mapping, Sequence
from datetime import datetime
from typing import Any

import structlog

from ...domain.context import InterruptedContext
from ...domain.events import Event, StoredEvent, stored
from ...domain.inputs import InputRequest
from ...domain.model_step import ModelStep
from ...domain.task import AgentProgress, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from ...errors import NotOpen, StoreUnavailable
from ..ownership.base import OnTenureEnded, Tenure
from .base import Listener, StateStore, no_tenure_ends, notify
from .call_now import Wanted
from .epochs import epoch_of
from .export import Exported, user_entry
from .memory_export import entries_of
from .memory_persons import GrantsInMemory, MemoryPersons
from .memory_retention import aged_users, drop_aged
from .memory_threads import MemoryThread
from .memory_user import MemoryUser, is_open, keep, ordered, resumable, stored_bytes, trim_events
from .orders import in_order_made, latest_task, one_page, queued_and_pending
from .persons import OwnConversation
from .records import Checkpoint, MustBeOpen, Record, SavedPartial
from .refused import not_open, unknown_message, unknown_record
from .repeated_results import PAGE_BYTES, RepeatedResults, page_of
from .retention import AgedPlace, AgedUsers, Dropped
from .saved_threads import SavedThread, SortBy, found_among
from .thread_steps import ThreadStep
from .told import History, Page, Snapshot, Standing, UserPosition

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

    async def open(self, listener: Listener, on_tenure_ended: OnTenureEnded = no_tenure_ends) -> None:
        """Set the listener."""
        self._listener = listener
        self._closed = False

    async def close(self) -> None:
        """Refuse reads and writes until the same store is opened again, with what it held."""
        self._closed = True

    def commit(self, tenure: Tenure, *records: Record) -> "Future[int]":
        """Accept records; they are stored when this returns."""
        done: Future[int] = asyncio.get_running_loop().create_future()
        try:
            done.set_result(self._keep_all(tenure.user_id, records))
        except (TypeError, NotOpen) as error:
            done.set_exception(error)
        return done

    def record(self, tenure: Tenure, *records: Record) -> None:
        """Accept records; they are stored when this returns."""
        try:
            self._keep_all(tenure.user_id, records)
        except (TypeError, NotOpen) as error:
            _log.error("records were lost", user_id=tenure.user_id, reason=str(error))

    def store_call_now(self, tenure: Tenure, call: ToolCall, *, wanted: Wanted, within_s: float) -> bool:
        """Store the begin of a call, from any thread; it is stored when this returns."""
        self._check_open()
        if not wanted():
            return False
        self._keep_all(tenure.user_id, (call,))
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

    async def delete_user(self, tenure: Tenure, *, at_once: bool = True) -> None:
        """Forget everything about a user."""
        was_given = self._persons.forget(tenure.user_id)
        self._deletions += self._users.pop(tenure.user_id, None) is not None or was_given
        self._results.forget(tenure.user_id)

    async def aged_users(self, before: datetime, *, after: AgedPlace) -> AgedUsers:
        """Return some users with something that ended before a moment."""
        return aged_users(self._users, self._persons, before, after)

    async def drop_aged(self, tenure: Tenure, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns."""
        user = self._users.get(tenure.user_id, MemoryUser())
        self._results.forget(tenure.user_id)
        return drop_aged(user, self._persons.begun_at(tenure.user_id), before, most=most)

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
