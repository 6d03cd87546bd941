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


class _Event(TypedDict):
    """What every event has."""

    seq: int
    task_id: str
    at: str


class AgentUpdate(AgentView, _Event):
    """An agent started, progressed or ended; an update without `request` leaves the request as it was."""

    type: Literal["agent_update"]
    agent: str


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
    state: Literal["waiting", "running", "ended"] | _Outcome


class CallView(CallBefore):
    """A tool call with its arguments and its result.

    `state` is its outcome once it has ended. `arguments` and `result` are JSON of any form; `result` is null
    if there is none. `kind` is "step" for a step of the graph that outlived its task. `tool_call_id` is the
    id that a language model gave the call, if one asked for it.
    """

    agent: str
    effect: Literal["none", "read", "write"]
    summary: str
    arguments: dict[str, Any]
    result: Any
    started_at: str | None
    ended_at: str | None
    kind: NotRequired[Literal["step"]]
    tool_call_id: NotRequired[str]


class CallsAnswer(TypedDict):
    """The tool calls of a task, in the order in which they were made."""

    user_id: str
    task_id: str
    calls: list[CallView]


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


class ContextTransfer(_Event):
    """The task took something over from the one before it: `adopted` are ids of tool calls."""

    type: Literal["context_transfer"]
    from_task_id: str
    relation: str | None
    carried: dict[str, Any]
    adopted: list[str]
    dropped: list[str]


class ErrorAnswer(TypedDict):
    """Every error has this form."""

    error: ErrorBody


class ErrorBody(TypedDict):
    """What went wrong."""

    code: str
    message: str
    retryable: bool
    details: NotRequired[Any]


class GraphMessage(_Event):
    """A message entered the state of the graph: the result of a tool call, or a model's.

    A result has the `tool_call_id` that it answers and its `status`. A model's is told if it is new or no
    part of the reply; `text` is left out if `text_delta` events of the same `message_id` had all of it. With
    `cut` it is only the beginning of a long text.
    """

    type: Literal["graph_message"]
    message_id: str
    role: Literal["assistant", "tool"]
    node: str
    text: NotRequired[str]
    cut: NotRequired[bool]
    tool_call_id: NotRequired[str]
    tool: NotRequired[str]
    status: NotRequired[Literal["success", "error"]]
    namespace: NotRequired[str]


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


class HistoryAnswer(TypedDict):
    """A conversation, oldest message first."""

    user_id: str
    messages: list[MessageView]
    seq: int
    epoch: str


class InputRequestView(TypedDict):
    """An open question: `schema` is a JSON Schema, `defaults` fill its form.

    A permission request names the `tool` of its call, and has `facts`: what the call would do, under titles.
    A question about an action has both as well, if it has them. `value` is what a graph handed to
    `interrupt()`, if that says more.
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
    value: NotRequired[Any]


class InputRequested(InputRequestView, _Event):
    """A task asks its user a question, or for a permission."""

    type: Literal["input_request"]


class InputResolved(_Event):
    """A question or a permission is no longer open."""

    type: Literal["input_resolved"]
    request_id: str
    outcome: Literal["answered", "allowed", "denied", "withdrawn", "expired"]


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


class MessageAdded(_Event):
    """A message entered the history; `client_id` is the one it was sent with, if any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task. `content` are the blocks of one that is more than text. With
    `unsaid` the user did not say it: a client has had the thread go on from its state.
    """

    type: Literal["message"]
    message_id: str
    role: Literal["user", "assistant", "system"]
    text: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[list[str]]
    steer: NotRequired[Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]]
    content: NotRequired[list[dict[str, Any]]]
    unsaid: NotRequired[bool]


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


class OffersOrdered(_Event):
    """The user asked for an agent's offers in another order: by a fact of theirs, least or earliest first."""

    type: Literal["offers_ordered"]
    agent: str
    by: str
    descending: bool


class OffersPointedOut(_Event):
    """The task's reply speaks of these offers of an agent."""

    type: Literal["offers_pointed_out"]
    agent: str
    offer_ids: list[str]


class PartialResult(_Event):
    """An agent found `items`, which are new; `count` is how many it has found in all."""

    type: Literal["partial_result"]
    agent: str
    items: list[Any]
    count: int
    source: str | None


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
    """The fate of a message that was pending; `task_id` is the task in whose run it is, or is to be."""

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


class ReceiptIssued(_Event):
    """An interruption has settled, or its receipt is amended."""

    type: Literal["receipt"]
    receipt: ReceiptAnswer


class Reset(TypedDict):
    """The position of this client is no longer valid: a snapshot follows, and replaces its state."""

    type: Literal["reset"]
    reason: str


class SortedView(TypedDict):
    """Validity of the results of the task `from_task_id` for a task's request, by agent."""

    from_task_id: str
    results: dict[str, SortedResults]


class ResultsSorted(SortedView, _Event):
    """What the task's request makes of the results of an earlier task, by agent."""

    type: Literal["results_sorted"]


class SnapshotFrame(TypedDict):
    """All that a client needs to begin with; of a user who never wrote, `status` is null."""

    type: Literal["snapshot"]
    seq: int
    epoch: str
    status: StatusAnswer | None
    partial_results: PartialResultsAnswer | None
    history: list[MessageView]


class SortedCounts(TypedDict):
    """How many of an agent's results have which validity."""

    stays: int
    waits: int
    goes: int


class SortedResults(TypedDict):
    """Positions of an agent's results by their validity, among all that it found, counted from 0."""

    stays: list[int]
    waits: list[int]
    goes: list[int]


class StateHistoryAnswer(TypedDict):
    """The steps of a thread, newest first; both branches where a message has begun from an earlier step."""

    user_id: str
    states: list[StateView]


class StateMetadataView(TypedDict):
    """How a step came about: `source` is `input` for a message and `loop` for a step of the graph.

    `step` counts the steps of its branch as LangGraph does; null if unreadable. `turn` is that of the task.
    The LangGraph API leaves it out; while served, it answers at `GET /threads/{user_id}/state`.
    """

    source: str | None
    step: int | None
    turn: NotRequired[int]


class StateView(TypedDict):
    """The state of a graph after one step, shaped as LangGraph's `StateSnapshot`.

    `next` are the nodes that would run next. `lost` lists the parts that are no longer readable, if any.
    """

    values: Any
    next: list[str]
    checkpoint: CheckpointView
    parent_checkpoint: CheckpointView | None
    metadata: StateMetadataView
    created_at: str | None
    lost: NotRequired[list[str]]


class StateWritten(_Event):
    """A client wrote to the state of a graph's thread, as its node `as_node`: a task that never ran.

    `checkpoint_id` is the step that it made, from the step `parent`. `messages` are those that it added to
    the graph's conversation, or changed, as LangChain writes them, and `removed` the ids of those that it
    took out, `__remove_all__` for all of them. `channels` are all parts of the state that it changed.
    """

    type: Literal["state_written"]
    checkpoint_id: str
    parent: str | None
    as_node: str | None
    channels: list[str]
    messages: list[dict[str, Any]]
    removed: list[str]
    graph: NotRequired[str]


class StatusAnswer(TypedDict):
    """The status of a user's latest task; `graph` is the name of its graph, of a server of several.

    `pending` are messages that the task will take in, if any. `set_aside` lists the parts of its graph's
    stored state that no longer fit the graph, if any.
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


class StatusUpdate(_Event):
    """A task changed its status; `partial_results` are all its results so far, by agent.

    `graph` names the task's graph, of a server of several. `usage` comes with the final status.
    """

    type: Literal["status_update"]
    status: TaskStatus
    reason: InterruptReason | None
    message: str
    graph: NotRequired[str]
    current_agent: str | None
    partial_results: dict[str, list[Any]]
    usage: NotRequired[UsageView]


class Steered(PendingView, _Event):
    """What became of a message that was to steer a task, or that it was edited while it is `pending`.

    `task_id` is the task in whose run it is, or is to be.
    """

    type: Literal["steer"]
    steer: Literal["pending", "taken_in", "merged", "own_task", "withdrawn"]
    after: NotRequired[TakenInAfter]


class StillRunningView(TypedDict):
    """A tool call, or a step of the graph, that still runs though its task has ended."""

    task_id: str
    call_id: str
    kind: Literal["tool", "step"]
    name: str


class StoppedAgentAnswer(AgentView):
    """An agent after a stop request, with the outcomes of its tool calls."""

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


class TaskResting(_Event):
    """A task only waits for its user from now on: nothing of it runs until a question is resolved."""

    type: Literal["task_resting"]


TaskStatus = Literal[
    "queued", "running", "input_required", "cancelling", "completed", "failed", "interrupted"
]
"""A task's status, as users see it."""


class TextDelta(_Event):
    """A piece of the reply; `offset` is the number of characters (code points) before it.

    Of a language model in a graph, `node` and `message_id` say whose text it is, and `namespace` in which
    graph within. With `reply` false it is no part of the reply, and `offset` counts within its own message.
    """

    type: Literal["text_delta"]
    text: str
    offset: int
    node: NotRequired[str]
    message_id: NotRequired[str]
    reply: NotRequired[bool]
    namespace: NotRequired[str]


class ToolCallAsked(_Event):
    """A piece of a tool call that a message of a language model asks for; `whole` with its last piece.

    `arguments` is text of a JSON object, `offset` the number of its characters before this piece. The call
    itself is told by `tool_update` events with the same `tool_call_id`, once the graph makes it. With `cut`
    some of the arguments are left out: the task has shown as much as it may. One `for_page` is executed by
    the page that has sent the message.
    """

    type: Literal["tool_call"]
    tool_call_id: str
    tool: str
    arguments: str
    offset: int
    whole: bool
    cut: NotRequired[bool]
    for_page: NotRequired[bool]
    message_id: str
    node: str
    namespace: NotRequired[str]


class ToolCallView(TypedDict):
    """What became of one tool call, or of a step of the graph that outlived its task (`kind` "step")."""

    call_id: str
    tool: str
    effect: Literal["none", "read", "write"]
    outcome: _Outcome
    summary: str
    kind: NotRequired[Literal["step"]]


class ToolUpdate(CallBefore, _Event):
    """A tool call changed its state; once it has ended, `state` is its outcome.

    `kind` is "step" for a step of the graph that outlived its task; a tool call has no `kind`. `arguments`
    come when it begins and `result` when it has ended, unless their JSON is longer than 16 KiB.
    `tool_call_id` is the id that a language model gave the call, if one asked for it.
    """

    type: Literal["tool_update"]
    effect: Literal["none", "read", "write"]
    summary: str
    kind: NotRequired[Literal["step"]]
    tool_call_id: NotRequired[str]
    arguments: NotRequired[dict[str, Any]]
    result: NotRequired[Any]


class UsageView(TypedDict):
    """What language models have used for a task; `estimated` if a service did not report all of it.

    Where a service reported them: of the input tokens those that it read from its cache and wrote to it, of
    the output tokens those of reasoning.
    """

    input_tokens: int
    output_tokens: int
    model_calls: int
    estimated: bool
    cache_read_tokens: NotRequired[int]
    cache_creation_tokens: NotRequired[int]
    reasoning_tokens: NotRequired[int]


Frame = (
    Hello
    | SnapshotFrame
    | Reset
    | StatusUpdate
    | AgentUpdate
    | PartialResult
    | TextDelta
    | ToolCallAsked
    | GraphMessage
    | MessageAdded
    | Steered
    | ToolUpdate
    | StateWritten
    | InputRequested
    | TaskResting
    | InputResolved
    | ContextTransfer
    | ResultsSorted
    | OffersPointedOut
    | OffersOrdered
    | ReceiptIssued
)


_Outcome = Literal[
    "completed",
    "not_started",
    "cancelled",
    "adopted",
    "denied",
    "completed_after_interrupt",
    "failed",
    "unknown",
]
