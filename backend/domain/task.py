"""A task's record: one attempt at one message, how far its agents are, and what it said. Pure values.

How a task may get from one status to the next is `task_life`.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from .encoding import Clock, to_wire

# --- validity of earlier results -----------------------------------------------------------------------
# A workflow decides it from two requests, for each result; the core publishes it and counts it in receipts.


Validity = Literal["stays", "waits", "goes"]
"""Whether a result of an earlier request answers a new one: it `stays` as it is, `waits` if it has to be
found anew (another day, more people), or `goes`.
"""

ResultSorter = Callable[[str, Sequence[Any]], Sequence[Validity]]
"""Returns the validity of each of an agent's results."""

ResultFilter = Callable[[str, Any], bool]
"""Returns whether a task shows a result of an agent."""


class SortedResults(TypedDict):
    """Positions of an agent's results by their validity, among all that it found, counted from 0."""

    stays: Sequence[int]
    waits: Sequence[int]
    goes: Sequence[int]


class SortedCounts(TypedDict):
    """How many of an agent's results have which validity."""

    stays: int
    waits: int
    goes: int


class SortedView(TypedDict):
    """Validity of the results of the task `from_task_id` for a task's request, by agent."""

    from_task_id: str
    results: Mapping[str, SortedResults]


def sort_results(found: Mapping[str, Sequence[Any]], sorter: ResultSorter) -> dict[str, SortedResults]:
    """Return the positions of each agent's results by validity; agents without results are left out."""
    return {agent: _positions(sorter(agent, items)) for agent, items in found.items() if items}


def counts_of(results: Mapping[str, SortedResults]) -> dict[str, SortedCounts]:
    """Return how many results of each agent have which validity."""
    return {
        agent: {"stays": len(each["stays"]), "waits": len(each["waits"]), "goes": len(each["goes"])}
        for agent, each in results.items()
    }


def _positions(sorted_as: Sequence[Validity]) -> SortedResults:
    def having(validity: Validity) -> list[int]:
        return [position for position, each in enumerate(sorted_as) if each == validity]

    return {"stays": having("stays"), "waits": having("waits"), "goes": having("goes")}


# --- task ----------------------------------------------------------------------------------------------


Policy = Literal["interrupt", "enqueue", "reject", "steer"]
"""What a message does while another one is worked on. No task is stored with `steer`: see `Task.steer`."""

Steer = Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]
"""What became of a steered message.

`pending`: it waits for the running task to take it in; `taken_in`: that has; `merged`: it stands before the
message of a later task, in its run; `own_task`: it is a task of its own; `withdrawn`: by its user.
"""

OF_ANY_MESSAGE = frozenset({"graph", "page"})
"""What a message may bring and still steer a run: it says where it comes from and goes to."""

DEFAULT_PRIORITY = 5


class TaskStatus(StrEnum):
    """A task's status, as users see it."""

    QUEUED = "queued"
    """Accepted and stored; waits for its turn."""
    RUNNING = "running"
    """Its graph runs, or is about to."""
    INPUT_REQUIRED = "input_required"
    """It waits for the user, and costs nothing meanwhile."""
    CANCELLING = "cancelling"
    """Interrupted, while a side effect that had started finishes."""
    COMPLETED = "completed"
    """It answered."""
    FAILED = "failed"
    """It broke; what it had found is kept."""
    INTERRUPTED = "interrupted"
    """It was ended before it was done; what it had found is kept."""

    @property
    def terminal(self) -> bool:
        """Whether no step leads out of this status."""
        return self in TERMINAL


TERMINAL = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.INTERRUPTED})


class InterruptReason(StrEnum):
    """Why a task was interrupted. The first reason given stays."""

    SUPERSEDED = "superseded"
    """A newer message took its place."""
    STOPPED = "stopped"
    """The user said stop."""
    TIMED_OUT = "timed_out"
    """It ran longer than a task may."""
    SHUTDOWN = "shutdown"
    """The server shut down; the next process retries the message."""
    LOST = "lost"
    """Its process died; the next process retries the message."""


AgentState = Literal["waiting", "working", "input_required", "done", "interrupted", "failed"]

StoppedBy = Literal["operator"]
"""Who stopped a task of somebody else."""

ENDED_AGENT_STATES = frozenset[AgentState]({"done", "interrupted", "failed"})


class AgentView(TypedDict):
    """How far an agent is.

    `since` is when it began to work, null while it has not, or waits for its user; `until` when it ended.
    `request` is what it was asked to find; a graph of your own has none.
    """

    state: AgentState
    detail: str
    done: int
    total: int
    count: int
    since: str | None
    until: str | None
    request: NotRequired[Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProgress:
    """One agent's progress: `done` of `total` steps (sources, say), `count` results so far.

    `request` is what it was asked to do, JSON-ready and opaque here; None if its workflow does not say.
    `since` is when it began to work, None before that and while it waits for its user; `until` is when it
    ended.
    """

    state: AgentState = "waiting"
    detail: str = ""
    done: int = 0
    total: int = 0
    count: int = 0
    request: Mapping[str, Any] | None = None
    since: datetime | None = None
    until: datetime | None = None

    def then(
        self, state: AgentState, *, at: datetime, detail: str, done: int, total: int, count: int
    ) -> "AgentProgress":
        """Return its next progress; one that works again after it has ended gets a new `since`."""
        ends, had_ended = state in ENDED_AGENT_STATES, self.state in ENDED_AGENT_STATES
        since = None if state == "input_required" or (had_ended and not ends) else self.since
        return replace(
            self,
            state=state,
            detail=detail,
            done=done,
            total=total,
            count=count,
            since=at if state == "working" and since is None else since,
            until=(self.until if had_ended else at) if ends else None,
        )

    def to_wire(self, *, with_request: bool = True) -> AgentView:
        """Return the contract's form; a `request` of None is left out."""
        view: AgentView = {
            "state": self.state,
            "detail": self.detail,
            "done": self.done,
            "total": self.total,
            "count": self.count,
            "since": to_wire(self.since) if self.since else None,
            "until": to_wire(self.until) if self.until else None,
        }
        if with_request and self.request is not None:
            view["request"] = self.request
        return view


@dataclass(frozen=True, slots=True, kw_only=True)
class TakenIn:
    """A message that the run of an earlier one has taken in.

    `before` if it stands before that; `within` if a graph within has it, whose state goes with its run.
    `step` is the step of the outermost graph that has it, as LangGraph counts them.
    """

    message_id: str
    text: str
    before: bool = False
    within: bool = False
    step: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One attempt at one message.

    - `turn` numbers a user's tasks from 1 without gaps; it orders the conversation even if a clock jumps.
    - `started_at` is when it became `running`, None while it was only queued.
    - `reason` is set as soon as an interruption is requested, before the task has ended.
    - `request` is what the workflow understood the message to ask for, JSON-ready and opaque here; `subject`
      is what it is about, in a word. `carried` and `dropped` name the parts of the request of
      `previous_task_id` that were and were not taken over; `resumed_task_id` is the task whose request it
      resumes, if not that of the task before it.
    - An `aside` is answered while the active task runs, and never takes its place.
    - `attempt` counts the tries of this message: after a crash a new task retries it. The new task has
      `begun` once its graph runs; `asked_in` is the first task, which holds the message in the conversation.
    - `stopped_by` says who stopped it, if not its user.
    - `set_aside` says what of its graph's stored state did not fit the graph any more, a sentence each.
    - `results_sorted` sorts the results of the task before it, as in its event; None if there were none.
    - `traceparent` is the W3C trace context of the message's sender; None without tracing.
    - `blocked` says where its code kept the event loop blocked, in this attempt or one before, if it did.
    - `steer` is what became of its message, if that was to steer the task before it. While it is `pending`,
      this one is queued, before all others. `taken_in_by` is the task in whose run the message is; this one
      has ended then, and never was a task of its own. `client_id` is the one that the message was sent with,
      if it was to steer; `revision` counts its edits.
    - `writes_state` if it stands for what a client wrote to its thread's state: it never ran, and has no
      message of its own.
    - `took_in` are the messages that its run has taken in; those with `before` stand before its own.
    - `not_before` is when it may start at the earliest; None: as its turn comes.
    - `messages` counts the task's messages in the conversation; `spoken_turn` is the turn of the last message
      that answered a question of the task: the conversation continues from there.
    """

    task_id: str
    user_id: str
    turn: int
    message: str
    status: TaskStatus
    created_at: datetime
    updated_at: datetime
    policy: Policy = "interrupt"
    priority: int = DEFAULT_PRIORITY
    started_at: datetime | None = None
    reason: InterruptReason | None = None
    interrupt_requested_at: datetime | None = None
    relation: str | None = None
    request: Mapping[str, Any] | None = None
    carried: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    previous_task_id: str | None = None
    asked_in: str | None = None
    aside: bool = False
    attempt: int = 1
    begun: bool = True
    messages: int = 1
    spoken_turn: int | None = None
    subject: str | None = None
    resumed_task_id: str | None = None
    set_aside: tuple[str, ...] = ()
    stopped_by: StoppedBy | None = None
    results_sorted: SortedView | None = None
    traceparent: str | None = None
    blocked: str | None = None
    steer: Steer | None = None
    taken_in_by: str | None = None
    client_id: str | None = None
    revision: int = 0
    took_in: tuple[TakenIn, ...] = ()
    writes_state: bool = False
    not_before: datetime | None = None

    @property
    def message_id(self) -> str:
        """The id of its message in the conversation."""
        return f"{self.asked_in or self.task_id}.0"

    @property
    def graph(self) -> str | None:
        """The name of the graph that answers it; None unless its server has several."""
        return (self.request or {}).get("graph")


def current_agent(agents: Mapping[str, AgentProgress]) -> str | None:
    """Return the agent that is working, the first by name; None if none is."""
    return min((name for name, progress in agents.items() if progress.state == "working"), default=None)


Role = Literal["user", "assistant", "system"]


class MessageView(TypedDict):
    """One message of a conversation; `client_id` is the one it was sent with, if it was sent with any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task, left out for all others. `task_id` is the task in whose run
    the message is; `taken_in_at` is when that took it in, left out if it did not.
    """

    message_id: str
    role: Role
    text: str
    task_id: str
    at: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[Sequence[str]]
    steer: NotRequired[Steer]
    taken_in_at: NotRequired[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One entry of a conversation; `position` orders the messages of a turn, the user's is 0.

    `interrupted` marks an answer that was cut short: `text` is the part that had been sent. `client_id` is
    the id that the sender gave the message, if any. `suggestions` are messages that may answer it. `steer` is
    what became of one that was to steer a task; once that is settled, it is in the run of `taken_in_by`. If
    that took it in, it stands behind all that the run had done by `taken_in_at`.
    """

    user_id: str
    task_id: str
    turn: int
    position: int
    role: Role
    text: str
    at: datetime
    interrupted: bool = False
    client_id: str | None = None
    suggestions: tuple[str, ...] = ()
    steer: Steer | None = None
    taken_in_by: str | None = None
    taken_in_at: datetime | None = None

    @property
    def message_id(self) -> str:
        """Unique, and stable over restarts."""
        return f"{self.task_id}.{self.position}"

    def to_wire(self) -> MessageView:
        """Return the contract's form, as the history lists it."""
        view: MessageView = {
            "message_id": self.message_id,
            "role": self.role,
            "text": self.text,
            "task_id": self.taken_in_by or self.task_id,
            "at": to_wire(self.at),
            "interrupted": self.interrupted,
            "client_id": self.client_id,
        }
        if self.steer is not None:
            view["steer"] = self.steer
        if self.taken_in_at is not None:
            view["taken_in_at"] = to_wire(self.taken_in_at)
        if self.suggestions:
            view["suggestions"] = self.suggestions
        return view


# --- ids -----------------------------------------------------------------------------------------------
# Task ids: opaque, unique, and sortable by the time they were made.


_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32: sorts as the numbers do


def _base32(number: int, length: int) -> str:
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in reversed(range(length)))


def task_id_factory(clock: Clock) -> Callable[[], str]:
    """Return a function that makes ids of 26 characters: 60 bits of microseconds, then 70 random bits.

    Ids of one factory never go backwards, whatever the clock does.
    """
    last = 0

    def new_task_id() -> str:
        nonlocal last
        last = max(last + 1, int(clock().timestamp() * 1_000_000))
        return _base32(last, 12) + _base32(secrets.randbits(70), 14)

    return new_task_id
