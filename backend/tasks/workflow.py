"""The seam to whatever reads messages and runs tasks: the travel graph, or any other LangGraph graph.

The core knows a workflow only by the `Workflow` protocol.
"""

from collections.abc import Callable, Coroutine, Mapping, Sequence, Set
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from ..domain.questions import InputRequest
from ..domain.task import Policy, ResultFilter, ResultSorter, Task
from ..store.base import StateStore
from ..store.records import Record
from .task_context import CachedThread, TaskContext

Manner = Literal["interrupt", "beside", "stop", "answer"]
"""What a message does to the active task: replace it, leave it running, end it, or answer its question.

The task of a message that leaves it running or ends it is an aside, which cannot ask its user anything.
"""

Answers = Mapping[str, Mapping[str, Any]]
"""Valid answers to questions, by `request_id`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """The state of a conversation when a message arrives.

    - `previous`: the request before the message; `has_spoken`: there was a message before.
    - `unfinished`: its task was interrupted, or this message will interrupt it; `stopped`: by the user.
    - `asked`: the open questions of that task.
    - `recent`: the last request about each earlier subject, latest first, without the current subject.
    - `alike`: other earlier requests, latest first, which a later one about the same subject replaced.
    - `beside`: the request of the last message since `previous` that left it as it is.
    - `turns`: those of `(*recent, *alike)`, which tell the order in which these were asked for.
    - `task_ids`: those of `(previous, *recent, *alike)`, as far as there are any.
    - `unseen`: the ids of those `asked` so late that the user cannot have seen them when writing the message.
    - `answers_alone`: the message is only read for whether it answers; as a new one it is read again.
    """

    previous: Mapping[str, Any] | None = None
    unfinished: bool = False
    stopped: bool = False
    asked: Sequence[InputRequest] = ()
    recent: Sequence[Mapping[str, Any]] = ()
    alike: Sequence[Mapping[str, Any]] = ()
    turns: Sequence[int] = ()
    task_ids: Sequence[str] = ()
    answers_alone: bool = False
    has_spoken: bool = False
    beside: Mapping[str, Any] | None = None
    unseen: frozenset[str] = frozenset()

    @property
    def last_request(self) -> Mapping[str, Any] | None:
        """The request before the message, empty if that had none; None before the first message."""
        return {} if self.previous is None and self.has_spoken else self.previous


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a message asks for, given the requests before it.

    - `request`: JSON-ready; stored with the task, and `previous` when the next message is read.
    - `carried` and `dropped`: the parts of the previous request that were taken over, and that were not.
    - `answers`: what the message answers; the task that asked then resumes with `request`.
    - `resumes`: the index of the request that is resumed, in `recent` followed by `alike`.
    - `subject`: what the request is about, in a word; a request without one cannot be resumed later.
    """

    relation: str | None = None
    manner: Manner = "interrupt"
    request: Mapping[str, Any] | None = None
    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    answers: Answers = field(default_factory=dict[str, Mapping[str, Any]])
    resumes: int | None = None
    subject: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateWrite:
    """What a client writes to the state of a thread, for which `task` stands.

    `supersteps` are steps one after another, each of updates `{values, as_node}`, JSON-ready; they begin from
    the step `step_id`, by default the newest. `store` has the thread.
    """

    task: Task
    supersteps: Sequence[Sequence[Mapping[str, Any]]]
    step_id: str | None
    store: StateStore


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenState:
    """A written state: the `records` to store, and its newest step, to be cached once they are stored.

    That is None for one that is too large, `thread` is its name in the cache; the rest is as in the event
    `state_written`. `changed` are the ids of those `messages` that the conversation had before.
    """

    records: Sequence[Record]
    thread: str
    newest: CachedThread | None
    step_id: str
    parent: str | None
    as_node: str | None
    channels: Sequence[str]
    messages: Sequence[Mapping[str, Any]]
    changed: Set[str]
    removed: Sequence[str]


Advise = Callable[[str, Situation], Coroutine[Any, Any, Reading | None]]
"""Reads a message that `Workflow.read` does not understand, in bounded time; None if it does not either.

Called before the message is accepted; never raises.
"""


class Workflow(Protocol):
    """Answers messages."""

    def read(self, message: str, situation: Situation) -> Reading:
        """Read a message. Pure and quick (milliseconds): the sender waits for it.

        Raises `BadInput` for a new message that cannot be answered without more than its words.
        """
        ...

    def read_with_values(self, message: str, given: Mapping[str, Any], situation: Situation) -> Reading:
        """Read a message that comes with values for the workflow, JSON-ready, by name.

        Raises `BadInput` that names what does not fit. Pure and quick.
        """
        ...

    def steer_policy(self, request: Mapping[str, Any] | None) -> Policy:
        """Return the policy that `steer` means for a message with this request: itself, or another one."""
        ...

    async def check_stored(self, store: StateStore, user_id: str, request: Mapping[str, Any] | None) -> None:
        """Raise `NotFound` if a new request names something of its user that is not stored."""
        ...

    async def write_state(self, write: StateWrite) -> WrittenState:
        """Make the steps of what a client writes to a thread; stores nothing.

        Raises `BadInput` for what cannot be written, and `NotFound` for a step that is not stored.
        """
        ...

    def result_sorter(
        self, found_for: Mapping[str, Any] | None, request: Mapping[str, Any] | None
    ) -> ResultSorter | None:
        """Return the sorter of the results for one request by another; None if the workflow has none.

        Pure and quick, as the returned function is.
        """
        ...

    def result_filter(self, request: Mapping[str, Any] | None) -> ResultFilter | None:
        """Return which of the results that are found for a request are shown; None for all of them.

        Pure and quick, as the returned function is.
        """
        ...

    def read_keys(self, request: Mapping[str, Any] | None) -> Sequence[str] | None:
        """Return the keys (`call_key`) of the reads that a task will make for a request.

        None if only the run shows them. Pure and quick.
        """
        ...

    def read_answer(
        self,
        answer: Mapping[str, Any],
        question: InputRequest,
        previous: Mapping[str, Any] | None,
        *,
        asked: Sequence[InputRequest],
    ) -> Reading:
        """Read an answer that fits its question's schema. Raises `BadInput` if it still makes no sense.

        It may answer other open questions of the task (`asked`) as well.
        """
        ...

    async def run(self, context: TaskContext) -> str | None:
        """Run the task and return the reply; None to wait for the user's answer.

        Called again after the answer, with the answers in the context, and after a crash. Runs in an asyncio
        task of its own, which an interruption cancels once. What it raises fails the task; results that were
        published before are kept.
        """
        ...

    async def forget(self, user_id: str, *, aged: bool = False) -> None:
        """Delete what is kept of a user outside the store; none of the user's tasks runs any more.

        If nobody wished it, but all that is stored is `aged`, what was bought stays: it may still be used.
        Raises `StoreUnavailable`; it is then called again.
        """
        ...


# --- caller trace --------------------------------------------------------------------------------------
# The W3C trace context of a message's sender, from the edge of the server to the task's record.
#
# A context variable, as OpenTelemetry keeps it too: what lies between the edge and the record need not know
# it.


CALLER_TRACE: ContextVar[str | None] = ContextVar("caller_trace", default=None)
"""The `traceparent` of the request that is being served; None if it has none, or without tracing."""
