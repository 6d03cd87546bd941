"""The reading half of the SQLite store: each method runs a query of `reads` on the store's thread."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

import apsw

from ...domain.context import InterruptedContext
from ...domain.model_usage import ModelStep
from ...domain.questions import InputRequest
from ...domain.task import AgentProgress, Message, Task
from ...domain.tool_call import ToolCall
from ..base import StateStore
from ..ownership import Lease
from ..persons import Grant, OwnConversation
from ..records import Checkpoint, History, Page, SavedPartial, Snapshot, Standing, UserPosition
from ..retention import AgedPlace, AgedUsers, Dropped
from ..threads import SavedThread, SortBy, ThreadStep
from . import persons, reads, threads
from . import threads as saved_threads
from .reads import read_snapshot
from .retention import aged_users
from .writing import Writer

T = TypeVar("T")


class SqliteReader(StateStore):
    """Implements what is not hot of `StateStore` by means of `_on_writer`."""

    @abstractmethod
    async def _on_writer(self, run: Callable[[Writer], T]) -> T:
        """Run a job with the writer, after every write that was made before it. Raises `StoreUnavailable`."""

    async def _read(self, read: Callable[[apsw.Connection], T]) -> T:
        return await self._on_writer(lambda writer: writer.read(read))

    async def _change(self, change: Callable[[apsw.Connection], T]) -> T:
        return await self._on_writer(lambda writer: writer.change(change))

    async def position(self, user_id: str) -> UserPosition | None:
        """Return the end of a user's log, None for an unknown user."""
        return await self._read(lambda connection: reads.position(connection, user_id))

    async def stored_bytes(self, user_id: str) -> int:
        """Return about how many bytes are stored of a user."""
        return await self._read(lambda connection: reads.stored_bytes(connection, user_id))

    async def standing(self, user_id: str) -> Standing | None:
        """Return a user's latest task without its results, None for an unknown user."""
        return await self._read(lambda connection: reads.standing(connection, user_id))

    async def history(self, user_id: str, *, limit: int, before: str | None = None) -> History | None:
        """Return the last messages, or the last before the message of that id."""
        return await self._read(lambda connection: reads.history(connection, user_id, limit, before))

    async def snapshot(self, user_id: str, *, history: int) -> Snapshot | None:
        """Return all that a client is sent about a user at one instant, None for an unknown user."""
        return await read_snapshot(self._read, user_id, history)

    async def get_messages(self, user_id: str, *, limit: int) -> tuple[Message, ...]:
        """Return the last messages of a conversation, oldest first."""
        return await self._read(lambda connection: reads.messages(connection, user_id, limit))

    async def get_task_metadata(self, user_id: str, task_id: str) -> Task | None:
        """Return a user's task by its id."""
        return await self._read(lambda connection: reads.task(connection, user_id, task_id))

    async def recent_tasks(self, user_id: str, *, limit: int) -> tuple[Task, ...]:
        """Return a user's last tasks, newest first."""
        return await self._read(lambda connection: reads.recent_tasks(connection, user_id, limit))

    async def get_partials(self, user_id: str, turn: int) -> tuple[SavedPartial, ...]:
        """Return what the task of a turn found and said, in order."""
        return await self._read(lambda connection: reads.partials(connection, user_id, turn))

    async def get_progress(self, user_id: str, turn: int) -> Mapping[str, AgentProgress]:
        """Return the progress of each agent of the task of a turn, by agent name."""
        return await self._read(lambda connection: reads.progress(connection, user_id, turn))

    async def get_receipt(self, user_id: str, task_id: str) -> bytes | None:
        """Return the JSON of a task's receipt."""
        return await self._read(lambda connection: reads.receipt(connection, user_id, task_id))

    async def get_acceptance(self, user_id: str, client_id: str) -> tuple[int, bytes] | None:
        """Return the `seq` and the JSON of the response to the message with this client id."""
        return await self._read(lambda connection: reads.acceptance(connection, user_id, client_id))

    async def get_interrupted_contexts(self, user_id: str) -> tuple[InterruptedContext, ...]:
        """Return the last interrupted contexts, newest first."""
        return await self._read(lambda connection: reads.contexts(connection, user_id))

    async def get_interrupted_context(self, user_id: str, turn: int) -> InterruptedContext | None:
        """Return the interrupted context of the task of a turn, None if it is no longer stored."""
        return await self._read(lambda connection: reads.context(connection, user_id, turn))

    async def get_input(self, user_id: str, request_id: str) -> InputRequest | None:
        """Return an input request by its id."""
        return await self._read(lambda connection: reads.input_request(connection, user_id, request_id))

    async def get_inputs(self, user_id: str, turn: int) -> tuple[InputRequest, ...]:
        """Return all input requests of the task of a turn, in order."""
        return await self._read(lambda connection: reads.inputs(connection, user_id, turn))

    async def get_tool_calls(self, user_id: str, turn: int) -> tuple[ToolCall, ...]:
        """Return every tool call of the task of a turn, in the order they were made."""
        return await self._read(lambda connection: reads.tool_calls(connection, user_id, turn))

    async def unsettled_tool_calls(self, user_id: str) -> tuple[ToolCall, ...]:
        """Return every write of a user whose outcome is not known."""
        return await self._read(lambda connection: reads.unsettled_tool_calls(connection, user_id))

    async def get_model_steps(self, user_id: str, *, since_turn: int) -> tuple[ModelStep, ...]:
        """Return the model steps of the tasks of that turn and later ones, in order."""
        return await self._read(lambda connection: reads.model_steps(connection, user_id, since_turn))

    async def get_checkpoint(self, user_id: str, turn: int) -> Checkpoint | None:
        """Return the checkpoint of the task of a turn."""
        return await self._read(lambda connection: reads.checkpoint(connection, user_id, turn))

    async def get_thread_step(
        self, user_id: str, graph: str, step_id: str | None = None
    ) -> ThreadStep | None:
        """Return a step of a thread, by default the newest; None if there is none."""
        return await self._read(lambda connection: threads.step(connection, user_id, graph, step_id))

    async def get_thread_steps(
        self, user_id: str, graph: str, *, limit: int, before: str | None = None, most_bytes: int
    ) -> tuple[ThreadStep, ...]:
        """Return the newest steps of a thread, or the newest before one."""
        return await self._read(
            lambda connection: threads.steps(connection, user_id, graph, limit, before, most_bytes)
        )

    async def get_saved_thread(self, user_id: str) -> SavedThread | None:
        """Return a thread of the index, None if it is not in it."""
        return await self._read(lambda connection: saved_threads.saved_thread(connection, user_id))

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
        return await self._read(
            lambda connection: saved_threads.find_threads(
                connection, metadata, ids, person, sort_by, descending, limit, offset
            )
        )

    async def inputs_due(self, now: datetime) -> tuple[InputRequest, ...]:
        """Return every open input request, of all users, that expires no later than `now`."""
        return await self._read(lambda connection: reads.inputs_due(connection, now))

    async def events_after(self, user_id: str, seq: int, *, limit: int) -> Page:
        """Return the events after a number, in order, at most `limit`."""
        return await self._read(lambda connection: reads.events_after(connection, user_id, seq, limit))

    async def unfinished_users(self) -> frozenset[str]:
        """Return the users who have `resumable` tasks or `unsettled_tool_calls`."""
        return await self._read(reads.unfinished_users)

    async def resumable(self, user_id: str) -> tuple[Task, ...]:
        """Return a user's tasks to resume, as `StateStore.resumable` defines them."""
        return await self._read(lambda connection: reads.resumable(connection, user_id))

    async def aged_users(self, before: datetime, *, after: AgedPlace) -> AgedUsers:
        """Return some users with something that ended before a moment."""
        return await self._read(lambda connection: aged_users(connection, before, after))

    async def drop_aged(self, lease: Lease, before: datetime, *, most: int) -> Dropped:
        """Drop some of a user's aged turns; the bytes are overwritten in turn (`erasure`)."""
        await self.commit(lease)
        return await self._on_writer(lambda writer: writer.drop_aged(lease.user_id, before, most))

    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now."""
        return await self._change(lambda to: persons.give_to(to, person, user_id, at))

    async def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        return await self._read(lambda connection: persons.person_of(connection, user_id))

    async def conversations_of(
        self, person: str, *, limit: int, before: str | None = None
    ) -> tuple[OwnConversation, ...]:
        """Return the conversations that a person has begun, the newest first."""
        return await self._read(lambda at: persons.conversations_of(at, person, limit, before))

    async def get_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant, None if there is none or it has expired."""
        return await self._read(lambda connection: persons.get_grant(connection, digest, now))

    async def find_grants(self, part: bytes, now: datetime) -> tuple[Grant, ...]:
        """Return the grants whose body has these bytes in it."""
        return await self._read(lambda connection: persons.find_grants(connection, part, now))

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        await self._change(lambda to: persons.put_grant(to, grant, now))

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        await self._change(lambda to: persons.replace_grant(to, grant, now))

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        return await self._change(lambda of: persons.take_grant(of, digest, now))
