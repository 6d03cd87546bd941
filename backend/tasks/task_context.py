"""A live task: its record, its life, and everything its agents have published.

Only the core holds a task's `TaskContext`; agents get its `AgentContext`. Records are stored and published in
the order in which they were made, and recording never waits. An interrupted task accepts nothing more: users
would see a late result twice if the successor finds it again.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Protocol, TypeVar

import orjson
import structlog

from ..domain import events
from ..domain.context import InterruptedContext
from ..domain.encoding import Clock, encode
from ..domain.errors import DetourError, StoreUnavailable
from ..domain.model_usage import ModelStep, ModelTrace, Past
from ..domain.partials import MOST_TOGETHER_BYTES, PartialBatch, PartialResults, Repeats, ShownResults
from ..domain.questions import InputRequest, TaskInputs
from ..domain.task import (
    ENDED_AGENT_STATES,
    AgentProgress,
    AgentState,
    InterruptReason,
    Message,
    ResultFilter,
    ResultSorter,
    Role,
    Task,
)
from ..domain.task_life import TaskLife, Transition, recorded
from ..domain.tool_call import ToolCall
from ..store.base import StateStore
from ..store.event_log import EventLog
from ..store.ownership import Lease
from ..store.persons import id_for
from ..store.records import Checkpoint, Record, SavedPartial, SavedProgress
from ..store.retry import until_available
from ..store.threads import ThreadStep
from .cancel_scope import CancelScope
from .inbox import Inbox, handed_over, place_after, with_messages

MOST_SHOWN = 4 * 1024 * 1024
"""Bytes of partial results and text that a task may publish, unless set otherwise: about 10,000 offers."""

OVERHEAD_BYTES = 100
"""Added to the size of each batch, for the event around it."""

TEXT_OVERHEAD_BYTES = 16
"""Added to the size of each piece of text. A token has some 4 characters, so a reply may have 200,000 of
them; models allow up to 128,000.
"""

MOST_THREAD_BYTES = 4 * 1024 * 1024
"""The largest thread that is cached; a larger one is read back at the start of each run."""

STOPPED = "stopped by the user"
"""The detail of an agent that its user has stopped, and the summary of its calls."""

T = TypeVar("T")
_log = structlog.get_logger(__name__)


class TooMuchShownError(DetourError):
    """A task published more than it may: it fails, and keeps what it had published until then."""

    code = "too_much_shown"


class Published:
    """The results and the text of one task, numbered in the order in which they are stored."""

    def __init__(self, stored: Sequence[SavedPartial], *, limit_bytes: int) -> None:
        self.results = PartialResults()
        self._limit_bytes = limit_bytes
        self.bytes = 0
        self._told_bytes = 0
        self._next_position = 0
        for each in stored:
            self._next_position = each.position + 1
            if each.found is not None:
                self.results.add(each.found)
                self.bytes += OVERHEAD_BYTES + len(each.found.items)
            if each.text:
                self.results.say(each.text)
                self.bytes += TEXT_OVERHEAD_BYTES + len(each.text.encode())

    def count(self, size: int) -> str | None:
        """Count bytes; return the sentence that the task fails with if they are too many, else None."""
        self.bytes += size
        if self.bytes <= self._limit_bytes:
            return None
        most = f"{self._limit_bytes / 2**20:.3g} MiB"
        return (
            f"This came to more than {most}, the most that is kept for one message. "
            "What was found until then is kept."
        )

    def has_room(self, size: int) -> bool:
        """Count bytes of calls and of messages in the graph's state; return whether there is room for them.

        They have half as much room again, and apart: a graph must not fail by what its tools were given.
        """
        self._told_bytes += size
        return self._told_bytes <= self._limit_bytes // 2

    def saved(self, turn: int, *, found: PartialBatch | None = None, text: str = "") -> SavedPartial:
        """Return the next record of the task of a turn."""
        position, self._next_position = self._next_position, self._next_position + 1
        return SavedPartial(turn, position, found, text)


@dataclass(slots=True)
class _Text:
    """Text that is not recorded yet: `offset` characters precede it in the reply, or in its own message.

    `is_kept` if it is part of the reply. `size` is in characters.
    """

    pieces: list[str]
    by: events.Speaker | None
    offset: int
    is_kept: bool
    size: int

    def can_take(self, more: object) -> bool:
        """Whether more text can be joined to this: by the same speaker, not too long."""
        if not isinstance(more, _Text):
            return False
        is_alike = (self.by, self.is_kept) == (more.by, more.is_kept)
        return is_alike and self.size + more.size <= MOST_TOGETHER_BYTES

    def joined(self, more: "_Text") -> "_Text":
        """Join more text to this."""
        self.pieces += more.pieces
        self.size += more.size
        return self


@dataclass(slots=True)
class _Asked:
    """Pieces of a tool call that a model asks for, not recorded yet; `whole` if they end it."""

    pieces: list[str]
    by: events.Speaker
    call_id: str
    tool: str
    offset: int
    whole: bool
    size: int
    is_cut: bool = False
    for_page: bool = False

    def can_take(self, more: object) -> bool:
        """Whether another piece can be joined to this: of the same call, not too long."""
        if not isinstance(more, _Asked):
            return False
        return self.call_id == more.call_id and self.size + more.size <= MOST_TOGETHER_BYTES

    def joined(self, more: "_Asked") -> "_Asked":
        """Join another piece to this."""
        self.pieces += more.pieces
        self.size += more.size
        self.whole, self.is_cut = more.whole, more.is_cut
        return self


ReadShown = Callable[[], AsyncGenerator[ShownResults]]
"""Reads the results of the requests, the current one first; each is read only when it is asked for."""


async def nothing_shown() -> AsyncGenerator[ShownResults]:
    """Yield nothing: of a task outside a conversation. A `ReadShown`."""
    for none in ():
        yield none


class StoredReads:
    """Reads one user's records, waiting while the store is down: an outage of seconds fails no task."""

    def __init__(self, store: StateStore, user_id: str) -> None:
        self._store = store
        self._user_id = user_id

    async def history(self, limit: int) -> tuple[Message, ...]:
        """Return the last messages, oldest first."""
        return await self._until(lambda: self._store.get_messages(self._user_id, limit=limit))

    async def recent_tasks(self, limit: int) -> tuple[Task, ...]:
        """Return the last tasks, newest first, without asides."""
        return await self._until(lambda: self._store.recent_tasks(self._user_id, limit=limit))

    async def inputs(self, turn: int) -> tuple[InputRequest, ...]:
        """Return all that the task of a turn has asked."""
        return await self._until(lambda: self._store.get_inputs(self._user_id, turn))

    async def checkpoint(self, turn: int) -> Checkpoint | None:
        """Return the checkpoint of a turn."""
        return await self._until(lambda: self._store.get_checkpoint(self._user_id, turn))

    async def person_id(self) -> str:
        """Return the id under which things of the user's person are stored; nobody's users have one, too."""
        return id_for(await self._until(lambda: self._store.person_of(self._user_id)))

    async def checkpoint_of_person(self, person_id: str, turn: int) -> Checkpoint | None:
        """Return the checkpoint of a turn of the user's person."""
        return await self._until(lambda: self._store.get_checkpoint(person_id, turn))

    async def thread_step(self, graph: str, step_id: str | None) -> ThreadStep | None:
        """Return a step of a graph's thread by its id, or the newest."""
        return await self._until(lambda: self._store.get_thread_step(self._user_id, graph, step_id))

    async def past_steps(self, since_turn: int) -> Past:
        """Return the steps of models, and the tool calls of their tasks, from a turn on."""
        return await self._until(lambda: self._past_steps(since_turn))

    async def _past_steps(self, since_turn: int) -> Past:
        past = await self._store.get_model_steps(self._user_id, since_turn=since_turn)
        turns = sorted({step.turn for step in past})
        calls = [await self._store.get_tool_calls(self._user_id, turn) for turn in turns]
        return past, [call for each in calls for call in each]

    async def _until(self, read: Callable[[], Awaitable[T]]) -> T:
        return await until_available(read, user_id=self._user_id)


class CachedThread(Protocol):
    """The newest step of a thread, in the form of its graphs."""

    @property
    def size(self) -> int:
        """Its bytes."""
        ...


class UserCache:
    """A user's stored state in memory: the newest step of each graph's thread, and the body of the store.

    `person_id` is that of the person whom the user belongs to, once it was read. A run reads nothing of this
    from the store; what is missing has to be read. An empty body: nothing is stored. It lives as long as the
    conversation is loaded: only the owner of a user writes there, and only in the conversation's lease.
    """

    __slots__ = ("person_id", "store", "threads")

    def __init__(self) -> None:
        self.threads: dict[str, CachedThread] = {}
        self.person_id: str | None = None
        self.store: bytes | None = None

    def keep(self, graph: str, thread: CachedThread) -> None:
        """Replace the newest step of a thread; drop it if it is too large."""
        if thread.size <= MOST_THREAD_BYTES:
            self.threads[graph] = thread
        else:
            self.threads.pop(graph, None)

    @property
    def size(self) -> int:
        """The bytes of all of it."""
        return sum(each.size for each in self.threads.values()) + len(self.store or b"")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRuntime:
    """What all live tasks share.

    Questions stay open for `answer_within`, requests for a permission for `allow_within`. A task may publish
    `most_shown` bytes.
    """

    store: StateStore
    log: EventLog
    clock: Clock
    answer_within: timedelta
    allow_within: timedelta
    most_shown: int = MOST_SHOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTask:
    """What the store has of a task beside its record, from runs before."""

    partials: Sequence[SavedPartial] = ()
    agents: Mapping[str, AgentProgress] = field(default_factory=dict[str, AgentProgress])
    inputs: Sequence[InputRequest] = ()
    tool_calls: Sequence[ToolCall] = ()
    steps: Sequence[ModelStep] = ()

    @classmethod
    async def read(cls, store: StateStore, task: Task) -> "SavedTask":
        """Read it. Raises `StoreUnavailable`."""
        user_id, turn = task.user_id, task.turn
        return cls(
            partials=await store.get_partials(user_id, turn),
            agents=await store.get_progress(user_id, turn),
            inputs=await store.get_inputs(user_id, turn),
            tool_calls=await store.get_tool_calls(user_id, turn),
            steps=[
                step for step in await store.get_model_steps(user_id, since_turn=turn) if step.turn == turn
            ],
        )


class TaskContext:
    """A live task.

    It writes through its `lease`, and reads its user's records through `stored`. `agents` has each agent's
    progress, `inputs` its questions, `tool_calls` its calls, `trace` the steps and the usage of models;
    `previous` is what the interrupted task before it left, `adopted_by` the task that took over one of its
    calls. `unsaved` are records that the store did not take, which go first.
    """

    def __init__(
        self,
        task: Task,
        runtime: TaskRuntime,
        *,
        lease: Lease | None = None,
        previous: InterruptedContext | None = None,
        saved: SavedTask | None = None,
    ) -> None:
        saved = saved or SavedTask()
        self._task = task
        # Without one it writes as in a process that owns all users.
        self.lease = lease or Lease(task.user_id)
        self.life = TaskLife.of(task)
        self.stored = StoredReads(runtime.store, task.user_id)
        self.trace = ModelTrace.of(self.stored.past_steps, saved.steps)
        self.previous = previous
        self.answer_within, self.allow_within = runtime.answer_within, runtime.allow_within
        self.inputs = TaskInputs(saved.inputs)
        self.cancel_event = asyncio.Event()  # set before the work is cancelled
        self.published = Published(saved.partials, limit_bytes=runtime.most_shown)
        self.agents: dict[str, AgentProgress] = dict(saved.agents)
        self.tool_calls: dict[str, ToolCall] = {each.call_id: each for each in saved.tool_calls}
        self.adopted_by: str | None = None
        self.unsaved: list[Record] = []
        self.inbox: Inbox | None = None  # its conversation's; an aside has none
        self.cache = UserCache()  # its own, unless its conversation gives it the cached one
        self._log, self._clock = runtime.log, runtime.clock
        self._gathered: PartialBatch | _Text | _Asked | None = None
        self._repeats = Repeats()
        self.result_filter: ResultFilter | None = None  # which of the results that are found are shown
        self.result_sorter: ResultSorter | None = None  # what the successor makes of the results
        self.shown: ReadShown = nothing_shown
        self.scope: CancelScope | None = None  # of its work, once that has started
        self.suggestions: Sequence[str] = ()  # stored with the reply, when the task completes

    @classmethod
    def restored(cls, task: Task, runtime: TaskRuntime, lease: Lease, saved: SavedTask) -> "TaskContext":
        """Return the context of a stored task that is not running.

        Ignores an interruption in the record: the process that was carrying it out is gone.
        """
        context = cls(replace(task, reason=None), runtime, lease=lease, saved=saved)
        if task.begun and task.started_at is not None:
            context.trace.usage.note_lost_calls()
        return context

    @property
    def partial_results(self) -> PartialResults:
        """Everything that its agents have published."""
        return self.published.results

    # --- its record and its life ---------------------------------------------------------------------

    @property
    def task(self) -> Task:
        """The task's record as it is now."""
        return self._task

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self._task.task_id

    @property
    def user_id(self) -> str:
        """The user whose task it is."""
        return self._task.user_id

    @property
    def reason(self) -> InterruptReason | None:
        """Why the task was interrupted; None if it was not."""
        return self.life.reason

    @property
    def is_ending(self) -> bool:
        """Whether the task was interrupted, or has ended."""
        return self.life.is_ending

    @property
    def closed(self) -> bool:
        """Whether it accepts nothing more: it was interrupted or suspended, or has ended."""
        return self.life.closed

    @property
    def failure(self) -> TooMuchShownError | None:
        """The error of a task that published more than it may; it fails, whatever its work returns."""
        return TooMuchShownError(self.life.failure) if self.life.failure else None

    def now(self) -> datetime:
        """Return the time."""
        return self._clock()

    def step(
        self, step: Transition, *, at: datetime | None = None, reason: InterruptReason | None = None
    ) -> bool:
        """Take a step of the task's life; return whether its state allows it. Stores nothing."""
        life = self.life.after(step, reason=reason)
        if life is None:
            return False
        self.life = life
        if life.status is not self._task.status:
            self._task = recorded(self._task, life, at=at or self._clock())
        return True

    def status_records(self, step: Transition, at: datetime) -> list[Record]:
        """Take a step if the state allows it; return its records, with an event if the status changes."""
        before = self._task.status
        self.step(step, at=at)
        self._task = replace(self._task, updated_at=at)
        if self._task.status is before:
            return [self._task]
        return [self._task, events.status_update(self._task, self.partial_results, self.agents)]

    def revise(self, **changes: Any) -> None:
        """Change fields of the record other than its status; stores nothing."""
        self._task = replace(self._task, **changes)

    def take_in(
        self, messages: Sequence[Task], nodes: Sequence[str], *, within: bool, step: int | None
    ) -> list[Record]:
        """Take in messages after a step of these nodes; return what is to be stored with that step.

        `within` if it is a step of a subgraph; otherwise `step` is its number.
        """
        task = with_messages(self._task, messages, before=False, within=within, step=step)
        self._task = task = replace(task, updated_at=self._clock())
        after = place_after(nodes, self.tool_calls.values())
        handed = [record for each in messages for record in handed_over(each, task, "taken_in", after=after)]
        return [task, *handed]

    def save(self) -> None:
        """Store the record soon."""
        self.record(self._task)

    def announce_interruption(self, reason: InterruptReason, at: datetime) -> None:
        """Write a coming interruption into the record, to be stored with the message that causes it."""
        self.revise(reason=reason, interrupt_requested_at=at)

    def retract_interruption(self) -> None:
        """Take back an announcement whose message could not be stored."""
        if not self.is_ending:
            reason = InterruptReason.SHUTDOWN if self.life.suspended else None
            self.revise(reason=reason, interrupt_requested_at=None)
            self.save()  # the store may have kept the announcement although it reported a failure

    def request_interruption(self, reason: InterruptReason) -> bool:
        """Interrupt the task; return whether this was the first interruption."""
        if self.is_ending:
            return False
        # Before the step, which closes the context: what is gathered was found in time.
        self.flush()
        self.step(Transition.INTERRUPT, reason=reason)
        self.cancel_event.set()
        return True

    def suspend(self) -> None:
        """Pause a task that can resume from its checkpoint, for the next process."""
        self.flush()
        self.step(Transition.SUSPEND)
        self.cancel_event.set()
        # In the record alone: the next process then resumes the task, and does not count it as an attempt.
        self.revise(reason=InterruptReason.SHUTDOWN)
        self.save()

    def resume(self, *, after_rest: bool) -> None:
        """Get ready to run again after a pause: agents that had not ended run again.

        `after_rest` is False for a run that was cut off before it paused: agents that had ended run again
        too, because the stored checkpoint predates their results.
        """
        # A new event, not a cleared one: what was cancelled before the pause must still see it set.
        self.cancel_event = asyncio.Event()
        agents = self.agents.items() if after_rest else ()
        ended = {agent for agent, now in agents if now.state in ENDED_AGENT_STATES}
        self._repeats = Repeats.of(self.partial_results, but=ended)

    # --- what agents publish -------------------------------------------------------------------------

    def publish(self, agent: str, items: Sequence[Any], *, source: str | None = None) -> None:
        """Publish new partial results: JSON-ready values, dataclasses and decimals included.

        Raises `TypeError` for what has no JSON form, and `TooMuchShownError`.
        """
        if items and not self.closed:
            # Encoded before anything is kept: with a value that has no JSON form no ending could be stored.
            encode((agent, source))
            self.publish_batch(PartialBatch.of(agent, items, source=source))

    def publish_batch(self, found: PartialBatch) -> None:
        """Publish a batch that is encoded already. Raises `TooMuchShownError`.

        Drops what an agent that runs again after an answer had found before. Items that are found one by one
        within a step of the event loop become one event (`EventLog.batch`).
        """
        dropped = self.closed or self.is_stopped(found.agent)
        batch = None if dropped else self._repeats.new_in(found.filtered(self.result_filter))
        if batch is None or not batch.count:
            return
        self._gather(batch, OVERHEAD_BYTES + len(batch.items))
        self.partial_results.add(batch)

    def say(self, text: str, *, by: events.Speaker | None = None, offset: int | None = None) -> None:
        """Stream a piece of the reply; with an `offset`, of another text, not kept beyond its event.

        Raises `TypeError` for what has no JSON form, and `TooMuchShownError`.
        """
        if self.closed or not text:
            return
        at = self.partial_results.text_length if offset is None else offset
        said = _Text([text], by, at, offset is None, len(text))
        self._gather(said, TEXT_OVERHEAD_BYTES + len(text.encode()))
        if offset is None:
            self.partial_results.say(text)

    def ask(
        self,
        call_id: str,
        tool: str,
        arguments: str,
        *,
        offset: int,
        whole: bool,
        by: events.Speaker,
        for_page: bool = False,
    ) -> None:
        """Stream a piece of a tool call that a model asks for; one `for_page` is executed by its page.

        It is left out once the task has published as much as it may: that fails no task.
        """
        is_cut = not self.published.has_room(TEXT_OVERHEAD_BYTES + len(arguments.encode()))
        if not self.closed and (whole or not is_cut):
            pieces = [] if is_cut else [arguments]
            size = len(arguments)
            asked = _Asked(pieces, by, call_id, tool, offset, whole, size, is_cut, for_page)
            self._gather(asked, 0)

    def tell_message(self, message: Mapping[str, Any]) -> None:
        """Publish a message of the graph's state: the fields of a `GraphMessage`.

        Its text is left out once the task has published as much as it may: that fails no task.
        """
        if self.closed:
            return
        self.flush()
        size = OVERHEAD_BYTES + len(message.get("text", "").encode())
        if not self.published.has_room(size) and message.get("text"):
            message = {**message, "text": "", "cut": True}
        self.record(events.graph_message(self.task_id, message, at=self._clock()))

    def _gather(self, more: PartialBatch | _Text | _Asked, size: int) -> None:
        """Join what was found or said to what is gathered, or record that first and gather anew."""
        # First: what breaks the limit is not kept.
        if not self.reserve(size) and self.failure is not None:
            raise self.failure
        gathered = self._gathered
        if gathered is not None and gathered.can_take(more):
            self._gathered = gathered.joined(more)  # pyright: ignore[reportArgumentType]
        else:
            self.flush()  # what came first gets its number first
            self._gathered = more
            self._log.batch(self.user_id, self.flush)

    def flush(self) -> None:
        """Record what is gathered: before any other record, and before the next group of writes."""
        gathered, self._gathered = self._gathered, None
        if isinstance(gathered, PartialBatch):
            count = self.partial_results.count(gathered.agent)
            event = events.partial_result(self.task_id, gathered, count=count, at=self._clock())
            self.record(self.published.saved(self.task.turn, found=gathered), event)
        elif isinstance(gathered, _Asked):
            arguments, at = "".join(gathered.pieces), self._clock()
            asked = (self.task_id, gathered.call_id, gathered.tool, arguments)
            how: Any = {"offset": gathered.offset, "whole": gathered.whole, "cut": gathered.is_cut}
            how["for_page"] = gathered.for_page
            self.record(events.tool_call(*asked, **how, by=gathered.by, at=at))
        elif gathered is not None:
            text, at = "".join(gathered.pieces), self._clock()
            event = events.text_delta(self.task_id, text, offset=gathered.offset, at=at, by=gathered.by)
            kept = [self.published.saved(self.task.turn, text=text)] if gathered.is_kept else []
            self.record(*kept, event)

    def reserve(self, size: int) -> bool:
        """Count bytes towards the task's limit; beyond it, return False and have the task fail."""
        self.life = self.life.failing(self.published.count(size))
        return self.life.failure is None

    # --- its agents and their calls ------------------------------------------------------------------

    def is_stopped(self, agent: str) -> bool:
        """Whether the user has stopped this agent: it may do no more, and what it publishes is dropped."""
        # Derived from the agent's stored state, so that it holds after a restart.
        now = self.agents.get(agent)
        return now is not None and now.state == "interrupted"

    def progress(
        self, agent: str, state: AgentState, *, detail: str = "", done: int = 0, total: int = 0
    ) -> None:
        """Report an agent's progress: in words, and in `done` of `total` steps."""
        if not (self.closed or self.is_stopped(agent)):
            self.record(*self.progress_records(agent, state, detail=detail, done=done, total=total))

    def declare(self, agent: str, request: Mapping[str, Any]) -> None:
        """Announce an agent and what it is asked to do: JSON-ready, published once, for people.

        An agent that is working, or that continues an adopted call, keeps its progress. A declared agent can
        be stopped at any moment: its node must do nothing more once it `is_stopped`. Raises `TypeError` for
        what has no JSON form.
        """
        now, plain = self.agents.get(agent), orjson.loads(encode(request))
        if self.closed or (now is not None and now.request == plain):
            return
        progress = replace(now or AgentProgress(), request=plain)
        self.record(*self._agent_records(agent, progress, with_request=True))

    def stop(self, agent: str) -> None:
        """End one agent; what it has published is kept."""
        self.flush()
        now = self.agents[agent]
        detail = f"{STOPPED}: {now.detail}" if now.state == "working" and now.detail else STOPPED
        ended = self.progress_records(agent, "interrupted", detail=detail, done=now.done, total=now.total)
        self.record(*ended)

    def end_agents(self, state: AgentState, detail: str, *, at: datetime) -> list[Record]:
        """Give agents that have not ended a final state, `at` the task's end; return the records of it."""
        records: list[Record] = []
        for agent, now in list(self.agents.items()):
            if now.state not in ENDED_AGENT_STATES:
                count = self.partial_results.count(agent)
                ended = now.then(state, at=at, detail=detail, done=now.done, total=now.total, count=count)
                records += self._agent_records(agent, ended, with_request=False)
        return records

    def progress_records(
        self, agent: str, state: AgentState, *, detail: str = "", done: int = 0, total: int = 0
    ) -> list[Record]:
        """Change an agent's progress; return the records of it."""
        now, count = self.agents.get(agent, AgentProgress()), self.partial_results.count(agent)
        progress = now.then(state, at=self._clock(), detail=detail, done=done, total=total, count=count)
        return self._agent_records(agent, progress, with_request=False)

    def _agent_records(self, agent: str, progress: AgentProgress, *, with_request: bool) -> list[Record]:
        event = events.agent_update(self.task_id, agent, progress, with_request=with_request, at=self.now())
        self.agents[agent] = progress
        return [SavedProgress(self.task.turn, agent, progress), event]

    def tool_update(self, call: ToolCall) -> None:
        """Keep the state of a tool call; publish it unless the task has ended."""
        self.tool_calls[call.call_id] = call
        # Not `closed`: users see how the calls of an interrupted task end, until its receipt has said it.
        if not self.task.status.terminal:
            self.record(call, events.tool_update(self.task_id, call.as_update(), at=self._clock()))

    # --- records -------------------------------------------------------------------------------------

    def message_records(
        self,
        role: Role,
        text: str,
        *,
        interrupted: bool = False,
        client_id: str | None = None,
        suggestions: Sequence[str] = (),
    ) -> list[Record]:
        """Return the records of a message that this task adds to the conversation.

        Store the task's record after them: it counts the messages, and so gives the next one its position.
        """
        task = self._task
        message = Message(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.spoken_turn or task.turn,
            position=task.messages,
            role=role,
            text=text,
            at=self._clock(),
            interrupted=interrupted,
            client_id=client_id,
            suggestions=tuple(suggestions),
        )
        self.revise(messages=task.messages + 1)
        return [message, events.message(message)]

    def save_unsaved(self) -> bool:
        """Try again to store what the store did not take; return whether nothing is left of it."""
        if self.unsaved:
            self.record()
        return not self.unsaved

    def record(self, *records: Record) -> None:
        """Store records, and publish the events among them once durable. Never waits."""
        # What is gathered came before these records were made; `flush` clears it and comes back here.
        if self._gathered is not None:
            self.flush()
        try:
            self._log.record(self.lease, *self.unsaved, *records)
        except StoreUnavailable as error:
            # Kept in order: an event must not get its number before those that happened earlier.
            _log.warning("something could not be stored yet", task_id=self.task_id, reason=error.message)
            self.unsaved += records
        else:
            self.unsaved.clear()
