"""The reads of a store, each written once: it yields statements and is sent their rows.

Each database runs them its own way, and says a few words differently: what these are is in the constants and
the abstract methods of the classes that read. Statements are in the words of both: PostgreSQL's, and
`INDEXED BY` for SQLite, so that a change of an index fails there rather than looks through everything. None
but `stored_bytes` looks through all that a user has said (tests/contract/test_sqlite_reads.py).
"""

import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import wraps
from typing import Any, ClassVar, Concatenate, ParamSpec, TypeVar

from ..domain.context import InterruptedContext
from ..domain.model_usage import ModelStep
from ..domain.questions import InputRequest
from ..domain.task import AgentProgress, Message, Task, TaskStatus
from ..domain.tool_call import ToolCall
from .codec import (
    context_from_json,
    input_from_json,
    message_from_json,
    model_step_from_json,
    partials_in,
    readable,
    task_from_json,
    tool_call_from_json,
)
from .records import (
    STORED_BYTES,
    Checkpoint,
    History,
    SavedPartial,
    Snapshot,
    Standing,
    UserPosition,
    unknown_message,
)

HISTORY_BYTES = 4 * 1024 * 1024
"""The most text in one page of a conversation, if it is not a single message: 60 replies may have 230 MB."""

T = TypeVar("T")
P = ParamSpec("P")
S = TypeVar("S", bound="Queryable")
Row = tuple[Any, ...]

Read = Generator[tuple[str, Sequence[Any]], Iterator[Row], T]
"""Yields a statement with its values; is sent its rows, which SQLite reads one by one, as they are taken."""

Method = Callable[Concatenate[S, P], Read[T]]
Answered = Callable[Concatenate[S, P], Coroutine[Any, Any, T]]


class Queryable(ABC):
    """What runs reads: a store."""

    @abstractmethod
    async def run_read(
        self, user_id: str | None, read: Callable[[], Read[T]], *, at_one_instant: bool = False
    ) -> T:
        """Run a read, with all that was written of a user, or of all, before; perhaps more than once.

        Its statements see the same state if it is to be `at_one_instant`. Raises `StoreUnavailable`.
        """


def _answered(
    read: Method[S, P, T], whose: Callable[..., str | None], *, at_one_instant: bool
) -> Answered[S, P, T]:
    @wraps(read)
    async def answer(self: S, *given: P.args, **named: P.kwargs) -> T:
        user_id = whose(*given, **named)
        return await self.run_read(
            user_id, lambda: read(self, *given, **named), at_one_instant=at_one_instant
        )

    return answer


def _first_value(user_id: str, *_given: Any, **_named: Any) -> str:
    return user_id


def of_user(read: Method[S, P, T]) -> Answered[S, P, T]:
    """Have a store run a read of one statement, of the user whom its first value names."""
    return _answered(read, _first_value, at_one_instant=False)


def of_user_at_one_instant(read: Method[S, P, T]) -> Answered[S, P, T]:
    """Have a store run a read of several statements, of the user whom its first value names."""
    return _answered(read, _first_value, at_one_instant=True)


def of_all(read: Method[S, P, T]) -> Answered[S, P, T]:
    """Have a store run a read of all users."""
    return _answered(read, lambda *_given, **_named: None, at_one_instant=True)


def of_nobody(read: Method[S, P, T]) -> Answered[S, P, T]:
    """Have a store run a read of one statement, of what belongs to no user."""
    return _answered(read, lambda *_given, **_named: "", at_one_instant=False)


def one(rows: Iterator[Row]) -> Any:
    """Return the first value of the first row, None if there is none."""
    return next(rows, (None,))[0]


_TERMINAL = "('completed', 'failed', 'interrupted')"

# Each part finds its rows by an index, so a user of 20,000 messages is answered as fast as a new one.
_TASKS_STANDING = f"""
SELECT turn, document FROM detour.tasks INDEXED BY tasks_unfinished
    WHERE user_id = $1 AND status NOT IN {_TERMINAL}
UNION ALL SELECT * FROM (SELECT turn, document FROM detour.tasks INDEXED BY tasks_in_turn
    WHERE user_id = $1 AND NOT aside AND status IN {_TERMINAL} ORDER BY turn DESC LIMIT 1) AS ended
UNION ALL SELECT * FROM (
    SELECT turn, document FROM detour.tasks WHERE user_id = $1 ORDER BY turn DESC LIMIT 1) AS newest"""
"""What `latest_task` needs: a user's unfinished tasks, the last that ended and is no aside, and the last."""

_MESSAGES_AT_ONCE = 100


class StoredReads(Queryable):
    """What a store tells of users; all of it raises `StoreUnavailable`."""

    TASK_OF_MESSAGE: ClassVar[str]
    """Of a row of messages, the id of the task."""

    IS_TAKEN_UP: ClassVar[str]
    """Whether the row of tasks `later` took the message of the aside `tasks` up again."""

    @abstractmethod
    def _position(self, user_id: str) -> Read[UserPosition | None]:
        """Read the end of a user's log."""

    @abstractmethod
    def _progress(self, user_id: str, turn: int) -> Read[dict[str, AgentProgress]]:
        """Read the progress of each agent of the task of a turn, by agent name."""

    @of_user
    def position(self, user_id: str) -> Read[UserPosition | None]:
        """Return the end of a user's log, None for an unknown user."""
        return (yield from self._position(user_id))

    @of_user
    def stored_bytes(self, user_id: str) -> Read[int]:
        """Return about how many bytes are stored of a user; 0 for an unknown one.

        Takes time with all that a user has said, so it is not for every message.
        """
        return int(one((yield STORED_BYTES, (user_id,))))

    @of_user_at_one_instant
    def standing(self, user_id: str) -> Read[Standing | None]:
        """Return a user's latest task (`latest_task`) without its results, None for an unknown user."""
        return (yield from self._standing(user_id))

    def _standing(self, user_id: str) -> Read[Standing | None]:
        at = yield from self._position(user_id)
        if at is None:
            return None
        documents: dict[int, bytes] = dict((yield _TASKS_STANDING, (user_id,)))
        tasks = [task_from_json(each) for each in documents.values()]
        if not tasks:
            return None
        turn = latest_task(tasks).turn
        asked = yield from self._inputs(user_id, turn)
        return standing_of(at, tasks, asked, (yield from self._progress(user_id, turn)))

    @of_user_at_one_instant
    def history(self, user_id: str, *, limit: int, before: str | None = None) -> Read[History | None]:
        """Return the last messages, or the last before the message of that id; None for an unknown user.

        A page has at most `limit` messages and `HISTORY_BYTES` of text, and at least one message unless there
        is none: only an empty page is the beginning. Raises `NotFound` if the user has no message of that id.
        """
        at = yield from self._position(user_id)
        if at is None:
            return None
        place = (sys.maxsize, 0) if before is None else (yield from self._place_of(user_id, before))
        return History(at, (yield from self._page_of_messages(user_id, limit, place)))

    def _place_of(self, user_id: str, message_id: str) -> Read[tuple[int, int]]:
        """Return the turn and position of a message. Raises `NotFound`.

        A task's messages have its own turn or, once its questions were answered, those of the answers. So
        this looks through what was said while the task waited and no more, however long the conversation is.
        """
        task_id, _, place = message_id.rpartition(".")
        of = yield from self._task(user_id, task_id)
        number = int(place) if place.isascii() and place.isdecimal() else -1
        if of is None or str(number) != place or number > sys.maxsize:
            raise unknown_message(message_id)
        query = f"""
        SELECT turn, position FROM detour.messages WHERE user_id = $1 AND turn BETWEEN $2 AND $3
            AND position = $4 AND {self.TASK_OF_MESSAGE} = $5 ORDER BY turn LIMIT 1"""
        last_turn = max(of.turn, of.spoken_turn or 0)
        found = next((yield query, (user_id, of.turn, last_turn, number, task_id)), None)
        if found is None:
            raise unknown_message(message_id)
        return found[0], found[1]

    def _page_of_messages(
        self, user_id: str, limit: int, before: tuple[int, int] = (sys.maxsize, 0)
    ) -> Read[tuple[Message, ...]]:
        """Read the last messages before a turn and position that fit in one page, oldest first."""
        query = """
        SELECT turn, position, document FROM detour.messages
        WHERE user_id = $1 AND (turn, position) < ($2, $3) ORDER BY turn DESC, position DESC LIMIT $4"""
        page: list[Message] = []
        size = 0
        while len(page) < limit:
            at_once = min(_MESSAGES_AT_ONCE, limit - len(page))
            more = at_once
            for turn, position, document in (yield query, (user_id, *before, at_once)):
                message = message_from_json(document)
                size += len(message.text.encode())
                if page and size > HISTORY_BYTES:
                    return tuple(page[::-1])
                page.append(message)
                before, more = (turn, position), more - 1
            if more:
                break
        return tuple(page[::-1])

    @of_user_at_one_instant
    def snapshot(self, user_id: str, *, history: int) -> Read[Snapshot | None]:
        """Return all that is told of a user at one instant, with the last messages; None if unknown.

        Of messages there are at most `history`, and as many as `history()` returns in one page.
        """
        return (yield from self._snapshot(user_id, history))

    def _snapshot(self, user_id: str, history: int) -> Read[Snapshot | None]:
        at = yield from self._standing(user_id)
        if at is None:
            return None
        found = yield from self._partials(user_id, at.task.turn)
        left = yield from self._contexts(user_id)
        return at.with_results(found, left, (yield from self._page_of_messages(user_id, history)))

    @of_user
    def get_messages(self, user_id: str, *, limit: int) -> Read[tuple[Message, ...]]:
        """Return the last messages of a conversation, oldest first."""
        query = """
        SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn DESC, position DESC LIMIT $2"""
        return tuple(message_from_json(row[0]) for row in (yield query, (user_id, limit)))[::-1]

    @of_user
    def get_task_metadata(self, user_id: str, task_id: str) -> Read[Task | None]:
        """Return a user's task by its id; None for another user's, too."""
        return (yield from self._task(user_id, task_id))

    def _task(self, user_id: str, task_id: str) -> Read[Task | None]:
        query = "SELECT document FROM detour.tasks INDEXED BY tasks_by_id WHERE user_id = $1 AND task_id = $2"
        document = one((yield query, (user_id, task_id)))
        return None if document is None else task_from_json(document)

    @of_user
    def recent_tasks(self, user_id: str, *, limit: int) -> Read[tuple[Task, ...]]:
        """Return a user's last tasks, newest first, without asides."""
        query = """
        SELECT document FROM detour.tasks INDEXED BY tasks_in_turn WHERE user_id = $1 AND NOT aside
        ORDER BY turn DESC LIMIT $2"""
        return tuple(task_from_json(row[0]) for row in (yield query, (user_id, limit)))

    @of_user
    def get_partials(self, user_id: str, turn: int) -> Read[tuple[SavedPartial, ...]]:
        """Return what the task of a turn found and said, in order."""
        return (yield from self._partials(user_id, turn))

    def _partials(self, user_id: str, turn: int) -> Read[tuple[SavedPartial, ...]]:
        query = "SELECT found FROM detour.partials WHERE user_id = $1 AND turn = $2 ORDER BY last_position"
        return tuple(each for row in (yield query, (user_id, turn)) for each in partials_in(turn, row[0]))

    @of_user
    def get_progress(self, user_id: str, turn: int) -> Read[Mapping[str, AgentProgress]]:
        """Return the progress of each agent of the task of a turn, by agent name."""
        return (yield from self._progress(user_id, turn))

    @of_user
    def get_receipt(self, user_id: str, task_id: str) -> Read[bytes | None]:
        """Return the JSON of a task's receipt."""
        query = "SELECT body FROM detour.receipts WHERE user_id = $1 AND task_id = $2"
        return one((yield query, (user_id, task_id)))

    @of_user
    def get_acceptance(self, user_id: str, client_id: str) -> Read[tuple[int, bytes] | None]:
        """Return the `seq` and the JSON of the response to the message with this client id."""
        query = "SELECT seq, body FROM detour.acceptances WHERE user_id = $1 AND client_id = $2"
        row = next((yield query, (user_id, client_id)), None)
        return (row[0], row[1]) if row else None

    @of_user
    def get_interrupted_contexts(self, user_id: str) -> Read[tuple[InterruptedContext, ...]]:
        """Return the last interrupted contexts, newest first, at most `KEPT_CONTEXTS`."""
        return (yield from self._contexts(user_id))

    def _contexts(self, user_id: str) -> Read[tuple[InterruptedContext, ...]]:
        query = "SELECT document FROM detour.contexts WHERE user_id = $1 ORDER BY turn DESC"
        return tuple(context_from_json(row[0]) for row in (yield query, (user_id,)))

    @of_user
    def get_interrupted_context(self, user_id: str, turn: int) -> Read[InterruptedContext | None]:
        """Return the interrupted context of the task of a turn, None if it is no longer stored."""
        return (yield from self._context(user_id, turn))

    def _context(self, user_id: str, turn: int) -> Read[InterruptedContext | None]:
        query = "SELECT document FROM detour.contexts WHERE user_id = $1 AND turn = $2"
        document = one((yield query, (user_id, turn)))
        return None if document is None else context_from_json(document)

    async def get_latest_interrupted_context(self, user_id: str) -> InterruptedContext | None:
        """Return the newest interrupted context."""
        contexts = await self.get_interrupted_contexts(user_id)
        return contexts[0] if contexts else None

    @of_user
    def get_input(self, user_id: str, request_id: str) -> Read[InputRequest | None]:
        """Return an input request by its id; once it is resolved, it changes no more."""
        query = "SELECT document FROM detour.inputs WHERE user_id = $1 AND request_id = $2"
        document = one((yield query, (user_id, request_id)))
        return None if document is None else input_from_json(document)

    @of_user
    def get_inputs(self, user_id: str, turn: int) -> Read[tuple[InputRequest, ...]]:
        """Return all input requests of the task of a turn, in order."""
        return (yield from self._inputs(user_id, turn))

    def _inputs(self, user_id: str, turn: int) -> Read[tuple[InputRequest, ...]]:
        query = "SELECT document FROM detour.inputs WHERE user_id = $1 AND turn = $2 ORDER BY number"
        return tuple(input_from_json(row[0]) for row in (yield query, (user_id, turn)))

    @of_user
    def get_checkpoint(self, user_id: str, turn: int) -> Read[Checkpoint | None]:
        """Return the checkpoint of the task of a turn."""
        query = "SELECT body, resting FROM detour.checkpoints WHERE user_id = $1 AND turn = $2"
        row = next((yield query, (user_id, turn)), None)
        return Checkpoint(turn, row[0], bool(row[1])) if row else None

    @of_user
    def get_tool_calls(self, user_id: str, turn: int) -> Read[tuple[ToolCall, ...]]:
        """Return every tool call of the task of a turn in its last state, in the order they were made."""
        query = "SELECT document FROM detour.tool_calls WHERE user_id = $1 AND turn = $2"
        return in_order_made(tool_call_from_json(row[0]) for row in (yield query, (user_id, turn)))

    @of_user
    def unsettled_tool_calls(self, user_id: str) -> Read[tuple[ToolCall, ...]]:
        """Return every write of a user that may have had an effect but whose outcome is not known.

        Those that a graph made by itself, and its steps, only until an ending has said that nobody knows.
        """
        query = """
        SELECT user_id, document FROM detour.tool_calls INDEXED BY tool_calls_unsettled
        WHERE unsettled AND user_id = $1"""
        return in_order_made(readable((yield query, (user_id,)), tool_call_from_json, table="tool_calls"))

    @of_user
    def get_model_steps(self, user_id: str, *, since_turn: int) -> Read[tuple[ModelStep, ...]]:
        """Return the model steps of the tasks of that turn and later ones, in order."""
        query = """
        SELECT document FROM detour.model_steps WHERE user_id = $1 AND turn >= $2 ORDER BY turn, position"""
        return tuple(model_step_from_json(row[0]) for row in (yield query, (user_id, since_turn)))

    @of_all
    def inputs_due(self, now: datetime) -> Read[tuple[InputRequest, ...]]:
        """Return every open input request, of all users, that expires no later than `now`."""
        query = """
        SELECT user_id, document FROM detour.inputs INDEXED BY inputs_open
        WHERE resolution IS NULL AND expires_at <= $1 ORDER BY expires_at, request_id"""
        return tuple(readable((yield query, (now.timestamp(),)), input_from_json, table="inputs"))

    @of_all
    def unfinished_users(self) -> Read[frozenset[str]]:
        """Return the users who have `resumable` tasks or `unsettled_tool_calls`."""
        unsettled = "SELECT user_id FROM detour.tool_calls INDEXED BY tool_calls_unsettled WHERE unsettled"
        return frozenset(
            row[0] for row in (yield f"SELECT user_id {self._resumable()} UNION {unsettled}", ())
        )

    @of_user
    def resumable(self, user_id: str) -> Read[tuple[Task, ...]]:
        """Return a user's tasks to resume, in order: the unfinished ones, and those that a shutdown ended.

        A task that a shutdown ended is left out if a later task was active since; asides do not count. An
        aside that a shutdown ended is left out if a later aside of the same message has it as its previous
        task: that is how a message that was taken up again is stored.
        """
        query = f"SELECT user_id, document {self._resumable()} AND user_id = $1 ORDER BY turn"
        return tuple(readable((yield query, (user_id,)), task_from_json, table="tasks"))

    def _turns_to_resume(self, user_id: str) -> Read[set[int]]:
        """Read the turns of a user's tasks to resume, damaged ones included."""
        query = f"SELECT turn {self._resumable()} AND user_id = $1"
        return {row[0] for row in (yield query, (user_id,))}

    def _resumable(self) -> str:
        return f"""
        FROM detour.tasks INDEXED BY tasks_to_resume
        WHERE (status NOT IN {_TERMINAL} OR reason = 'shutdown') AND (status NOT IN {_TERMINAL}
            OR (status = 'interrupted' AND NOT EXISTS (SELECT 1 FROM detour.tasks AS later
                WHERE later.user_id = tasks.user_id AND later.turn > tasks.turn AND later.aside = tasks.aside
                AND CASE WHEN tasks.aside THEN {self.IS_TAKEN_UP} ELSE later.status <> 'queued' END)))"""


# --- orders --------------------------------------------------------------------------------------------
# The orders in which every store returns tasks, calls and messages.


def latest_task(tasks: Sequence[Task]) -> Task:
    """Return the task that a user is shown: the newest active one, else the last that ended, else the newest.

    Newer and last mean of a later turn: clocks are set back, turns are not. Asides count only if there is
    nothing else. `tasks` are at least all unfinished ones of a user, the last of those that ended and are no
    asides, and the last of all.
    """
    by_turn = sorted((task for task in tasks if not task.aside), key=lambda task: task.turn)
    by_turn = by_turn or sorted(tasks, key=lambda task: task.turn)
    ended = [task for task in by_turn if task.status.terminal]
    active = [task for task in by_turn if not task.status.terminal and task.status != TaskStatus.QUEUED]
    return (active or ended or by_turn)[-1]


def in_starting_order(waiting: Iterable[Task]) -> list[Task]:
    """Return queued tasks in the order in which they start: those that are to steer, by priority, by turn."""
    return sorted(waiting, key=lambda task: (task.steer != "pending", _rank(task), task.turn))


def _rank(task: Task) -> int:
    return 0 if task.steer == "pending" else -task.priority


def queued_and_pending(waiting: Iterable[Task]) -> tuple[tuple[str, ...], tuple[Task, ...]]:
    """Return the ids of queued tasks, and apart from them those whose messages are to steer, in order."""
    in_order = in_starting_order(waiting)
    pending = tuple(each for each in in_order if each.steer == "pending")
    return tuple(each.task_id for each in in_order if each.steer != "pending"), pending


def standing_of(
    position: UserPosition,
    tasks: Sequence[Task],
    inputs: Iterable[InputRequest],
    agents: Mapping[str, AgentProgress],
) -> Standing:
    """Return the standing of a user with those tasks; `inputs` and `agents` are of the latest."""
    queued, pending = queued_and_pending(each for each in tasks if each.status == TaskStatus.QUEUED)
    return Standing(
        position=position,
        task=latest_task(tasks),
        queued=queued,
        pending=pending,
        inputs=tuple(each for each in inputs if each.open),
        agents=agents,
    )


def in_order_made(calls: Iterable[ToolCall]) -> tuple[ToolCall, ...]:
    """Return tool calls in the order in which they were made, those of one user together."""
    return tuple(sorted(calls, key=lambda call: (call.user_id, call.requested_at, call.call_id)))
