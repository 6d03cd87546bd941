"""What a server sends and answers; written by `scripts/write_types.py` from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

from .wire_values import (
    InterruptReason,
    MessageView,
    PartialResultsAnswer,
    ReceiptAnswer,
    SortedResults,
    StatusAnswer,
    TakenInAfter,
    TaskStatus,
    UsageView,
)


class AgentUpdate(TypedDict):
    """An agent started, progressed or ended; an update without `request` leaves the request as it was."""

    seq: int
    task_id: str
    at: str
    state: Literal["waiting", "working", "input_required", "done", "interrupted", "failed"]
    detail: str
    done: int
    total: int
    count: int
    since: str | None
    until: str | None
    request: NotRequired[dict[str, Any]]
    type: Literal["agent_update"]
    agent: str


class ContextTransfer(TypedDict):
    """The task took something over from the one before it: `adopted` are ids of tool calls."""

    seq: int
    task_id: str
    at: str
    type: Literal["context_transfer"]
    from_task_id: str
    relation: str | None
    carried: dict[str, Any]
    adopted: list[str]
    dropped: list[str]


class Hello(TypedDict):
    """The first frame. `seq` is the last number of the log, not the position of this client.

    `graphs` are the names of the graphs, of a server of several. `policy` is what messages do that do not say
    it, unless they interrupt.
    """

    type: Literal["hello"]
    user_id: str
    epoch: str
    seq: int
    at: str
    heartbeat_s: float
    graphs: NotRequired[list[str]]
    policy: NotRequired[Literal["interrupt", "enqueue", "reject", "steer"]]


class InputRequested(TypedDict):
    """A task asks its user a question, or for a permission."""

    seq: int
    task_id: str
    at: str
    request_id: str
    kind: Literal["question", "permission"]
    agent: str
    prompt: str
    schema: dict[str, Any]
    defaults: dict[str, Any]
    expires_at: str
    call_id: NotRequired[str]
    tool: NotRequired[str]
    facts: NotRequired[dict[str, Any]]
    type: Literal["input_request"]


class InputResolved(TypedDict):
    """A question or a permission is no longer open."""

    seq: int
    task_id: str
    at: str
    type: Literal["input_resolved"]
    request_id: str
    outcome: Literal["answered", "allowed", "denied", "withdrawn", "expired"]


class MessageAdded(TypedDict):
    """A message entered the history; `client_id` is the one it was sent with, if any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task.
    """

    seq: int
    task_id: str
    at: str
    type: Literal["message"]
    message_id: str
    role: Literal["user", "assistant", "system"]
    text: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[list[str]]
    steer: NotRequired[Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]]


class OffersOrdered(TypedDict):
    """The user asked for an agent's offers in another order: by a fact of theirs, least or earliest first."""

    seq: int
    task_id: str
    at: str
    type: Literal["offers_ordered"]
    agent: str
    by: str
    descending: bool


class OffersPointedOut(TypedDict):
    """The task's reply speaks of these offers of an agent."""

    seq: int
    task_id: str
    at: str
    type: Literal["offers_pointed_out"]
    agent: str
    offer_ids: list[str]


class PartialResult(TypedDict):
    """An agent found `items`, which are new; `count` is how many it has found in all."""

    seq: int
    task_id: str
    at: str
    type: Literal["partial_result"]
    agent: str
    items: list[Any]
    count: int
    source: str | None


class ReceiptIssued(TypedDict):
    """An interruption has settled, or its receipt is amended."""

    seq: int
    task_id: str
    at: str
    type: Literal["receipt"]
    receipt: ReceiptAnswer


class Reset(TypedDict):
    """The position of this client is not valid any more: a snapshot follows, and replaces what it knew."""

    type: Literal["reset"]
    reason: str


class ResultsSorted(TypedDict):
    """What the task's request makes of the results of an earlier task, by agent."""

    seq: int
    task_id: str
    at: str
    type: Literal["results_sorted"]
    from_task_id: str
    results: dict[str, SortedResults]


class SnapshotFrame(TypedDict):
    """All that a client needs to begin with; of a user who never wrote, `status` is null."""

    type: Literal["snapshot"]
    seq: int
    epoch: str
    status: StatusAnswer | None
    partial_results: PartialResultsAnswer | None
    history: list[MessageView]


class StatusUpdate(TypedDict):
    """A task changed its status; `partial_results` are all its results so far, by agent.

    `graph` names the task's graph, of a server of several. `usage` comes with the final status.
    """

    seq: int
    task_id: str
    at: str
    type: Literal["status_update"]
    status: TaskStatus
    reason: InterruptReason | None
    message: str
    graph: NotRequired[str]
    current_agent: str | None
    partial_results: dict[str, list[Any]]
    usage: NotRequired[UsageView]


class Steered(TypedDict):
    """What became of a message that was to steer a task, or that it was edited while it is `pending`.

    `task_id` is the task in whose run it is, or is to be.
    """

    seq: int
    task_id: str
    at: str
    type: Literal["steer"]
    message_id: str
    steer: Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]
    text: str
    revision: int
    after: NotRequired[TakenInAfter]


class TaskResting(TypedDict):
    """A task only waits for its user from now on: nothing of it runs until a question is resolved."""

    seq: int
    task_id: str
    at: str
    type: Literal["task_resting"]


class TextDelta(TypedDict):
    """A piece of the reply; `offset` is the number of characters (code points) before it.

    Of a language model in a graph, `node` and `message_id` say whose text it is. With `reply` false it is no
    part of the reply, and `offset` counts within its own message.
    """

    seq: int
    task_id: str
    at: str
    type: Literal["text_delta"]
    text: str
    offset: int
    node: NotRequired[str]
    message_id: NotRequired[str]
    reply: NotRequired[bool]


class ToolUpdate(TypedDict):
    """A tool call changed its state; once it has ended, `state` is its outcome.

    `kind` is "step" for a step of the graph that outlived its task; a tool call has no `kind`.
    """

    seq: int
    task_id: str
    at: str
    type: Literal["tool_update"]
    call_id: str
    tool: str
    state: (
        Literal["waiting", "running", "ended"]
        | Literal[
            "completed",
            "not_started",
            "cancelled",
            "adopted",
            "denied",
            "completed_after_interrupt",
            "failed",
            "unknown",
        ]
    )
    effect: Literal["none", "read", "write"]
    summary: str
    kind: NotRequired[Literal["step"]]


Frame = (
    Hello
    | SnapshotFrame
    | Reset
    | StatusUpdate
    | AgentUpdate
    | PartialResult
    | TextDelta
    | MessageAdded
    | Steered
    | ToolUpdate
    | InputRequested
    | TaskResting
    | InputResolved
    | ContextTransfer
    | ResultsSorted
    | OffersPointedOut
    | OffersOrdered
    | ReceiptIssued
)
