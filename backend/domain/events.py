"""The events of the wire contract: one function for each type; nothing else makes an event.

An event is encoded once, without its number. The store numbers it in the transaction that stores it, so no
number that a client has seen is ever lost, and none is skipped.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal, NamedTuple, NotRequired

import orjson
from typing_extensions import TypedDict

from .context import ReceiptAnswer
from .encoding import embedded, encode, to_wire
from .model_usage import Usage, UsageView
from .partials import PartialBatch, PartialResults
from .questions import InputRequest, InputRequestView, Resolution
from .task import (
    AgentProgress,
    AgentView,
    InterruptReason,
    Message,
    Role,
    SortedResults,
    Steer,
    Task,
    TaskStatus,
    current_agent,
)
from .tool_call import Effect, Outcome, State

# --- event views ---------------------------------------------------------------------------------------
# The shape of each event of the wire contract, as a client receives it, its number included.
#
# `events` makes the events. Its functions join encoded pieces, which the type checker cannot follow, so
# tests hold every event of every run that they follow to these shapes.


class EventView(TypedDict):
    """What all events have: `seq` counts a user's events without a gap, `at` is a time in UTC."""

    seq: int
    task_id: str
    at: str


class StatusUpdate(EventView):
    """A task changed its status; `partial_results` are all its results so far, by agent.

    `graph` names the task's graph, of a server of several. `usage` comes with the final status.
    """

    type: Literal["status_update"]
    status: TaskStatus
    reason: InterruptReason | None
    message: str
    graph: NotRequired[str]
    current_agent: str | None
    partial_results: Mapping[str, Sequence[Any]]
    usage: NotRequired[UsageView]


class AgentUpdate(EventView, AgentView):
    """An agent started, progressed or ended; an update without `request` leaves the request as it was."""

    type: Literal["agent_update"]
    agent: str


class PartialResult(EventView):
    """An agent found `items`, which are new; `count` is how many it has found in all."""

    type: Literal["partial_result"]
    agent: str
    items: Sequence[Any]
    count: int
    source: str | None


class TextDelta(EventView):
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


class ToolCallAsked(EventView):
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


class GraphMessage(EventView):
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


class MessageAdded(EventView):
    """A message entered the history; `client_id` is the one it was sent with, if any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task. `content` are the blocks of one that is more than text. With
    `unsaid` the user did not say it: a client has had the thread go on from its state.
    """

    type: Literal["message"]
    message_id: str
    role: Role
    text: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[Sequence[str]]
    steer: NotRequired[Steer]
    content: NotRequired[Sequence[Mapping[str, Any]]]
    unsaid: NotRequired[bool]


class CallBefore(TypedDict):
    """A tool call that was made before a message was taken in; `state` is how it stood then."""

    call_id: str
    tool: str
    state: State | Outcome


class TakenInAfter(TypedDict):
    """Where a message stands: after a step of these nodes, and these calls of the task, the last ones."""

    nodes: Sequence[str]
    calls: Sequence[CallBefore]


class Steered(EventView):
    """What became of a message that was to steer a task, or that it was edited while it is `pending`.

    `task_id` is the task in whose run it is, or is to be.
    """

    type: Literal["steer"]
    message_id: str
    steer: Steer
    text: str
    revision: int
    after: NotRequired[TakenInAfter]


class ToolUpdate(EventView):
    """A tool call changed its state; once it has ended, `state` is its outcome.

    `kind` is "step" for a step of the graph that outlived its task; a tool call has no `kind`. `arguments`
    come when it begins and `result` when it has ended, unless their JSON is longer than 16 KiB.
    `tool_call_id` is the id that a language model gave the call, if one asked for it.
    """

    type: Literal["tool_update"]
    call_id: str
    tool: str
    state: State | Outcome
    effect: Effect
    summary: str
    kind: NotRequired[Literal["step"]]
    tool_call_id: NotRequired[str]
    arguments: NotRequired[Mapping[str, Any]]
    result: NotRequired[Any]


class StateWritten(EventView):
    """A client wrote to the state of a graph's thread, as its node `as_node`: a task that never ran.

    `checkpoint_id` is the step that it made, from the step `parent`. `messages` are those that it added to
    the graph's conversation, or changed, as LangChain writes them, and `removed` the ids of those that it
    took out, `__remove_all__` for all of them. `channels` are all parts of the state that it changed.
    """

    type: Literal["state_written"]
    checkpoint_id: str
    parent: str | None
    as_node: str | None
    channels: Sequence[str]
    messages: Sequence[Mapping[str, Any]]
    removed: Sequence[str]
    graph: NotRequired[str]


class InputRequested(EventView, InputRequestView):
    """A task asks its user a question, or for a permission."""

    type: Literal["input_request"]


class TaskResting(EventView):
    """A task only waits for its user from now on: nothing of it runs until a question is resolved."""

    type: Literal["task_resting"]


class InputResolved(EventView):
    """A question or a permission is no longer open."""

    type: Literal["input_resolved"]
    request_id: str
    outcome: Resolution


class ContextTransfer(EventView):
    """The task took something over from the one before it: `adopted` are ids of tool calls."""

    type: Literal["context_transfer"]
    from_task_id: str
    relation: str | None
    carried: Mapping[str, Any]
    adopted: Sequence[str]
    dropped: Sequence[str]


class ResultsSorted(EventView):
    """What the task's request makes of the results of an earlier task, by agent."""

    type: Literal["results_sorted"]
    from_task_id: str
    results: Mapping[str, SortedResults]


class OffersPointedOut(EventView):
    """The task's reply speaks of these offers of an agent."""

    type: Literal["offers_pointed_out"]
    agent: str
    offer_ids: Sequence[str]


class OffersOrdered(EventView):
    """The user asked for an agent's offers in another order: by a fact of theirs, least or earliest first."""

    type: Literal["offers_ordered"]
    agent: str
    by: str
    descending: bool


class ReceiptIssued(EventView):
    """An interruption has settled, or its receipt is amended."""

    type: Literal["receipt"]
    receipt: ReceiptAnswer


AnyEvent = (
    StatusUpdate
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


# --- events --------------------------------------------------------------------------------------------


class ResultsShown(NamedTuple):
    """The results in an event: `counts` are the items of each agent, in the order in which they are shown.

    `without` is the body of a `status_update` with no results in it; None for a `partial_result`. `final` if
    the task has ended.
    """

    counts: Mapping[str, int]
    without: bytes | None = None
    final: bool = False


class Event(NamedTuple):
    """An event without its number; `body` is its JSON object, `results` says which results are in it."""

    type: str
    task_id: str
    body: bytes
    results: ResultsShown | None = None


class StoredEvent(NamedTuple):
    """An event with its number; `frame` is the whole JSON object, as sent."""

    seq: int
    frame: bytes


def stored(seq: int, body: bytes) -> StoredEvent:
    """Return the event of a body and its number."""
    # Spliced into the encoded object, since encoding a large event a second time would cost as much again.
    return StoredEvent(seq, b'{"seq":%d,%b' % (seq, body[1:]))


def _event(kind: str, task_id: str, at: datetime, fields: Mapping[str, Any]) -> Event:
    body = encode({"type": kind, "task_id": task_id, "at": to_wire(at), **fields})
    return Event(type=kind, task_id=task_id, body=body)


def status_update(
    task: Task,
    partials: PartialResults,
    agents: Mapping[str, AgentProgress] | None = None,
    *,
    usage: Usage | None = None,
) -> Event:
    """A task changed its status; `partials` are all its results, `agents` its agents' progress.

    `usage` is what language models have used for it, published once it has ended.
    """
    fields: dict[str, Any] = {
        "status": task.status,
        "reason": task.reason if task.status.terminal or task.status == "cancelling" else None,
        "message": task.message,
        **({} if task.graph is None else {"graph": task.graph}),
        "current_agent": current_agent(agents or {}),
        "partial_results": {},
        **({} if usage is None else {"usage": usage.to_wire()}),
    }
    event = _event("status_update", task.task_id, task.updated_at, fields)
    if not (counts := partials.counts()):
        return event
    shown = ResultsShown(counts, without=event.body, final=task.status.terminal)
    return event._replace(body=with_results(event.body, partials), results=shown)


def with_results(body: bytes, results: PartialResults) -> bytes:
    """Return the body of a `status_update` that has no results with these in their place."""
    # Only numbers and strings precede the key. Within a string a quote has a backslash before it, so neither
    # a message nor an agent's name is taken for the key; `batch_in` relies on that, too.
    before, _, after = body.partition(b',"partial_results":{}')
    return b"".join((before, b',"partial_results":', results.encoded(), after))


def agent_update(
    task_id: str, agent: str, progress: AgentProgress, *, with_request: bool, at: datetime
) -> Event:
    """An agent started, progressed or ended; `with_request` if its request is new."""
    fields = {"agent": agent, **progress.to_wire(with_request=with_request)}
    return _event("agent_update", task_id, at, fields)


def partial_result(task_id: str, batch: PartialBatch, *, count: int, at: datetime) -> Event:
    """An agent found results; `count` is how many in all."""
    items = embedded(b"[" + batch.items + b"]")
    fields = {"agent": batch.agent, "items": items, "count": count, "source": batch.source}
    event = _event("partial_result", task_id, at, fields)
    return event._replace(results=ResultsShown({batch.agent: batch.count}))


def batch_in(body: bytes) -> PartialBatch:
    """Return the agent and the items in the body of a `partial_result`; `count` is 0 if there are none."""
    # Cut out rather than decoded: only numbers and strings precede the items, and follow them.
    before, _, rest = body.partition(b',"items":[')
    items, _, _ = rest.rpartition(b'],"count":')
    return PartialBatch(agent=orjson.loads(before + b"}")["agent"], items=items, count=1 if items else 0)


class Speaker(NamedTuple):
    """Whose text it is: the node whose model says it, the message it is part of, and whether that replies.

    `namespace` is that of the graph within in which the node runs, "" for the outermost graph.
    """

    node: str
    message_id: str
    is_reply: bool
    namespace: str = ""


def text_delta(task_id: str, text: str, *, offset: int, at: datetime, by: Speaker | None = None) -> Event:
    """A piece of text; `offset` is the number of characters before it, of the reply or of its message."""
    fields: dict[str, Any] = {"text": text, "offset": offset}
    if by is not None:
        fields |= {"node": by.node, "message_id": by.message_id, "reply": by.is_reply, **_within(by)}
    return _event("text_delta", task_id, at, fields)


def _within(by: Speaker) -> dict[str, Any]:
    return {"namespace": by.namespace} if by.namespace else {}


def tool_call(
    task_id: str,
    call_id: str,
    tool: str,
    arguments: str,
    *,
    offset: int,
    whole: bool,
    cut: bool,
    for_page: bool,
    by: Speaker,
    at: datetime,
) -> Event:
    """A language model asks for a tool call; `arguments` is a piece of its JSON, `whole` if the last."""
    fields = {
        "tool_call_id": call_id,
        "tool": tool,
        "arguments": arguments,
        "offset": offset,
        "whole": whole,
        **({"cut": True} if cut else {}),
        **({"for_page": True} if for_page else {}),
        "message_id": by.message_id,
        "node": by.node,
        **_within(by),
    }
    return _event("tool_call", task_id, at, fields)


def graph_message(task_id: str, message: Mapping[str, Any], *, at: datetime) -> Event:
    """A message entered the state of the graph; `message` holds the other fields of a `GraphMessage`."""
    return _event("graph_message", task_id, at, message)


def message(entry: Message, content: Sequence[Mapping[str, Any]] = (), *, unsaid: bool = False) -> Event:
    """A message entered the history; `content` are its blocks if it is more than text."""
    fields = {
        "message_id": entry.message_id,
        "role": entry.role,
        "text": entry.text,
        "interrupted": entry.interrupted,
        "client_id": entry.client_id,
        **({"suggestions": entry.suggestions} if entry.suggestions else {}),
        **({"steer": entry.steer} if entry.steer is not None else {}),
        **({"content": content} if content else {}),
        **({"unsaid": True} if unsaid else {}),
    }
    return _event("message", entry.task_id, entry.at, fields)


def steer(
    task_id: str,
    message: Task,
    fate: Steer,
    *,
    at: datetime,
    after: TakenInAfter | None = None,
) -> Event:
    """What became of a message that was to steer, or that it was edited; `task_id` is whose run it is in.

    `message` is the task that waits for its turn with it. `after` is the place of one that was taken in: the
    `nodes` of the step before it, and the `calls` that have been made.
    """
    fields = {
        "message_id": message.message_id,
        "steer": fate,
        "text": message.message,
        "revision": message.revision,
        **({} if after is None else {"after": after}),
    }
    return _event("steer", task_id, at, fields)


def tool_update(task_id: str, call: Mapping[str, Any], *, at: datetime) -> Event:
    """A tool call changed its state; `call` holds call_id, tool, state, effect and summary."""
    return _event("tool_update", task_id, at, call)


def input_request(request: InputRequest) -> Event:
    """A task needs its user."""
    return _event("input_request", request.task_id, request.asked_at, request.to_wire())


def input_resolved(request: InputRequest, *, at: datetime) -> Event:
    """A question was answered, withdrawn, or has expired."""
    fields = {"request_id": request.request_id, "outcome": request.resolution}
    return _event("input_resolved", request.task_id, at, fields)


def task_resting(task_id: str, *, at: datetime) -> Event:
    """A task only waits for its user from now on: nothing of it runs until a question is resolved."""
    return _event("task_resting", task_id, at, {})


def context_transfer(
    task_id: str,
    *,
    from_task_id: str,
    relation: str | None,
    carried: Mapping[str, Any],
    dropped: Sequence[str],
    adopted: Sequence[str] = (),
    at: datetime,
) -> Event:
    """A task took over slots, results or calls of an earlier one."""
    fields: dict[str, Any] = {
        "from_task_id": from_task_id,
        "relation": relation,
        "carried": carried,
        "adopted": adopted,
        "dropped": dropped,
    }
    return _event("context_transfer", task_id, at, fields)


def results_sorted(
    task_id: str, *, from_task_id: str, results: Mapping[str, SortedResults], at: datetime
) -> Event:
    """The request of a task makes this of the results that an earlier task found."""
    return _event("results_sorted", task_id, at, {"from_task_id": from_task_id, "results": results})


def offers_pointed_out(task_id: str, agent: str, offer_ids: Sequence[str], *, at: datetime) -> Event:
    """The reply of a task speaks of these offers of an agent."""
    return _event("offers_pointed_out", task_id, at, {"agent": agent, "offer_ids": offer_ids})


def offers_ordered(task_id: str, agent: str, by: str, *, descending: bool, at: datetime) -> Event:
    """The user wants the offers of an agent in this order."""
    fields = {"agent": agent, "by": by, "descending": descending}
    return _event("offers_ordered", task_id, at, fields)


def state_written(
    task: Task,
    checkpoint_id: str,
    *,
    parent: str | None,
    as_node: str | None,
    channels: Sequence[str],
    messages: Sequence[Mapping[str, Any]],
    removed: Sequence[str],
) -> Event:
    """A client wrote to the state of a thread; `task` stands for that."""
    fields: dict[str, Any] = {
        "checkpoint_id": checkpoint_id,
        "parent": parent,
        "as_node": as_node,
        "channels": channels,
        "messages": messages,
        "removed": removed,
        **({} if task.graph is None else {"graph": task.graph}),
    }
    return _event("state_written", task.task_id, task.updated_at, fields)


def receipt(task_id: str, account: ReceiptAnswer, *, at: datetime) -> Event:
    """An interruption has settled."""
    return _event("receipt", task_id, at, {"receipt": account})
