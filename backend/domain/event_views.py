"""The shape of each event of the wire contract, as a client receives it, its number included.

`events` makes the events. Its functions join encoded pieces, which the type checker cannot follow, so tests
hold every event of every run that they follow to these shapes.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from .fates import SortedResults
from .inputs import InputRequestView, Resolution
from .model_step import UsageView
from .receipt import ReceiptAnswer
from .task import AgentView, InterruptReason, Role, Steer, TaskStatus
from .tool_call import Effect, Outcome, State


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

    Of a language model in a graph, `node` and `message_id` say whose text it is. With `reply` false it is no
    part of the reply, and `offset` counts within its own message.
    """

    type: Literal["text_delta"]
    text: str
    offset: int
    node: NotRequired[str]
    message_id: NotRequired[str]
    reply: NotRequired[bool]


class MessageAdded(EventView):
    """A message entered the history; `client_id` is the one it was sent with, if any.

    `suggestions` are messages that a user may want to send next; left out if there are none. `steer` is what
    became of a message that was to steer a task.
    """

    type: Literal["message"]
    message_id: str
    role: Role
    text: str
    interrupted: bool
    client_id: str | None
    suggestions: NotRequired[Sequence[str]]
    steer: NotRequired[Steer]


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

    `kind` is "step" for a step of the graph that outlived its task; a tool call has no `kind`.
    """

    type: Literal["tool_update"]
    call_id: str
    tool: str
    state: State | Outcome
    effect: Effect
    summary: str
    kind: NotRequired[Literal["step"]]


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


Event = (
    StatusUpdate
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
