"""What a server sends and answers; written by `scripts/write_types.py` from its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class AgentView(TypedDict):
    """How far an agent is.

    `since` is when it began to work, null while it has not, or waits for its user; `until` when it ended.
    `request` is what it was asked to find; a graph of your own has none.
    """

    state: Literal["waiting", "working", "input_required", "done", "interrupted", "failed"]
    detail: str
    done: int
    total: int
    count: int
    since: str | None
    until: str | None
    request: NotRequired[dict[str, Any]]


class AnsweredAnswer(TypedDict):
    """An accepted answer; the task resumes with it."""

    user_id: str
    task_id: str
    request_id: str
    outcome: Literal["answered", "allowed", "denied", "withdrawn", "expired"]
    status: TaskStatus
    seq: int
    epoch: str


class CallBefore(TypedDict):
    """A tool call that was made before a message was taken in; `state` is how it stood then."""

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


class ChatAnswer(TypedDict):
    """An accepted message; `graph` is the name of the graph that answers it, of a server of several.

    Of a message that was sent with the policy `steer`, `steer` says what has become of it, and `message_id`
    which message of the conversation it is; `policy` is another one if nothing could be steered.
    """

    task_id: str
    user_id: str
    status: TaskStatus
    policy: Literal["interrupt", "enqueue", "reject", "steer"]
    relation: str | None
    interrupted_task_id: str | None
    duplicate: bool
    graph: NotRequired[str]
    message_id: NotRequired[str]
    steer: NotRequired[Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]]
    seq: int
    epoch: str
    websocket: str


class CheckpointView(TypedDict):
    """A step of a thread, by its id."""

    checkpoint_id: str


class ErrorAnswer(TypedDict):
    """Every error has this form."""

    error: ErrorBody


class ErrorBody(TypedDict):
    """What went wrong."""

    code: str
    message: str
    retryable: bool
    details: NotRequired[Any]


class GraphView(TypedDict):
    """One graph; `input` and `context` are JSON Schemas of what a message may bring in these fields."""

    name: str
    description: str
    input: dict[str, Any]
    context: dict[str, Any]


class GraphsAnswer(TypedDict):
    """The graphs of a server; `graph` is the one that the user's next message goes to if it names none."""

    graphs: list[GraphView]
    default: str
    graph: str


class HistoryAnswer(TypedDict):
    """A conversation, oldest message first."""

    user_id: str
    messages: list[MessageView]
    seq: int
    epoch: str


class InputRequestView(TypedDict):
    """An open question: `schema` is a JSON Schema, `defaults` fill its form.

    A permission request names the `tool` of its call, and has `facts`: what the call would do, under titles.
    A question about an action has both as well, if it has them.
    """

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


InterruptReason = Literal["superseded", "stopped", "timed_out", "shutdown", "lost"]
"""Why a task was interrupted. The first reason given stays."""


class InterruptedView(TypedDict):
    """What an interrupted task left behind."""

    task_id: str
    message: str
    reason: InterruptReason
    at: str
    partial_results: dict[str, list[Any]]
    text: str
    asked: list[str]


class MessageView(TypedDict):
    """One message of a conversation; `client_id` is the one it was sent with, if it was sent with any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task, left out for all others. `task_id` is the task in whose run
    the message is; `taken_in_at` is when that took it in, left out if it did not.
    """

    message_id: str
    role: Literal["user", "assistant", "system"]
    text: str
    task_id: str
    at: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[list[str]]
    steer: NotRequired[Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]]
    taken_in_at: NotRequired[str]


class PartialResultsAnswer(TypedDict):
    """What was found so far; `results_sorted` is there if its task began with results of another one."""

    user_id: str
    task_id: str
    status: TaskStatus
    partial_results: dict[str, list[Any]]
    text: str
    interrupted: list[InterruptedView]
    still_running: list[StillRunningView]
    seq: int
    epoch: str
    results_sorted: NotRequired[SortedView]


class PendingAnswer(TypedDict):
    """What became of a message that was pending; `task_id` is the task in whose run it is, or is to be."""

    user_id: str
    message_id: str
    task_id: str
    steer: Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]
    text: str
    revision: int
    interrupted_task_id: NotRequired[str | None]


class PendingListAnswer(TypedDict):
    """The messages that wait for the running task to take them in, in order."""

    user_id: str
    pending: list[PendingView]
    seq: int
    epoch: str


class PendingView(TypedDict):
    """A message that waits to be taken in; `revision` counts its edits."""

    message_id: str
    text: str
    revision: int
    at: str


class ReceiptAnswer(TypedDict):
    """The true account of how a task ended.

    An outcome that becomes known later amends it: `amendments` counts how often, `amended_at` is the last
    time. `set_aside` says what of a graph's stored state did not fit the graph any more, if anything.
    `stopped_by` says who stopped the task, if not its user.
    `sorted_results` counts what the message that interrupted the task makes of its results, where it does.
    """

    task_id: str
    reason: InterruptReason | None
    at: str
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: dict[str, int]
    input_request: str | None
    tool_calls: list[ToolCallView]
    adopted_by: str | None
    usage: UsageView
    stopped_by: NotRequired[Literal["operator"]]
    set_aside: NotRequired[list[str]]
    sorted_results: NotRequired[dict[str, SortedCounts]]
    amended_at: NotRequired[str]
    amendments: NotRequired[int]


class SortedCounts(TypedDict):
    """How many of an agent's results have which fate."""

    stays: int
    waits: int
    goes: int


class SortedResults(TypedDict):
    """The results of one agent by their fates: as positions among all that it found, counted from 0."""

    stays: list[int]
    waits: list[int]
    goes: list[int]


class SortedView(TypedDict):
    """What a task's request makes of the results of the task `from_task_id`, by agent."""

    from_task_id: str
    results: dict[str, SortedResults]


class StateHistoryAnswer(TypedDict):
    """The steps of a thread, newest first; both branches where a message has begun from an earlier step."""

    user_id: str
    states: list[StateView]


class StateMetadataView(TypedDict):
    """How a step came about: `source` is `input` for a message and `loop` for a step of the graph.

    `step` counts the steps of its branch as LangGraph does, `turn` is that of the task. Null if unreadable.
    """

    source: str | None
    step: int | None
    turn: int


class StateView(TypedDict):
    """The state of a graph after one step, shaped as LangGraph's `StateSnapshot`.

    `next` are the nodes that would run next. `lost` says what of the state cannot be read any more, if any.
    """

    values: Any
    next: list[str]
    checkpoint: CheckpointView
    parent_checkpoint: CheckpointView | None
    metadata: StateMetadataView
    created_at: str | None
    lost: NotRequired[list[str]]


class StatusAnswer(TypedDict):
    """The status of a user's latest task; `graph` is the name of its graph, of a server of several.

    `pending` are messages that wait for the task to take them in, if any do. `set_aside` says what of its
    graph's stored state did not fit the graph any more, if anything.
    """

    user_id: str
    task_id: str
    status: TaskStatus
    reason: InterruptReason | None
    message: str
    policy: Literal["interrupt", "enqueue", "reject", "steer"]
    current_agent: str | None
    agents: dict[str, AgentView]
    input_request: InputRequestView | None
    input_requests: list[InputRequestView]
    queued: list[str]
    pending: NotRequired[list[PendingView]]
    still_running: list[StillRunningView]
    previous_task_id: str | None
    graph: NotRequired[str]
    created_at: str
    updated_at: str
    seq: int
    epoch: str
    set_aside: NotRequired[list[str]]


class StillRunningView(TypedDict):
    """A tool call, or a step of the graph, that still runs though its task has ended."""

    task_id: str
    call_id: str
    kind: Literal["tool", "step"]
    name: str


class StoppedAgentAnswer(TypedDict):
    """An agent after a stop request, with the outcomes of its tool calls."""

    state: Literal["waiting", "working", "input_required", "done", "interrupted", "failed"]
    detail: str
    done: int
    total: int
    count: int
    since: str | None
    until: str | None
    request: NotRequired[dict[str, Any]]
    user_id: str
    task_id: str
    agent: str
    tool_calls: list[ToolCallView]


class StoppingAnswer(TypedDict):
    """A task, or one agent of it, is being stopped; a side effect that had started still finishes."""

    user_id: str
    status: Literal["cancelling"]


class TakenInAfter(TypedDict):
    """Where a message stands: after a step of these nodes, and these calls of the task, the last ones."""

    nodes: list[str]
    calls: list[CallBefore]


TaskStatus = Literal[
    "queued", "running", "input_required", "cancelling", "completed", "failed", "interrupted"
]
"""A task's status, as users see it."""


class ToolCallView(TypedDict):
    """What became of one tool call, or of a step of the graph that outlived its task (`kind` "step")."""

    call_id: str
    tool: str
    effect: Literal["none", "read", "write"]
    outcome: Literal[
        "completed",
        "not_started",
        "cancelled",
        "adopted",
        "denied",
        "completed_after_interrupt",
        "failed",
        "unknown",
    ]
    summary: str
    kind: NotRequired[Literal["step"]]


class UsageView(TypedDict):
    """What language models have used for a task; `estimated` if a service did not report all of it.

    Where a service told them: of the input tokens those that it read from its cache and wrote to it, of the
    output tokens those of reasoning.
    """

    input_tokens: int
    output_tokens: int
    model_calls: int
    estimated: bool
    cache_read_tokens: NotRequired[int]
    cache_creation_tokens: NotRequired[int]
    reasoning_tokens: NotRequired[int]
