"""The shapes of answers, and what renders them. A shape is the source of its part of the OpenAPI document.

Pydantic refuses `typing.TypedDict` before Python 3.12, so all are those of `typing_extensions`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from ...conversation.accepted import ChatAnswer as ChatAnswer
from ...conversation.answering import AnsweredAnswer as AnsweredAnswer
from ...conversation.steering import PendingAnswer as PendingAnswer
from ...conversation.steering import PendingView, pending_view
from ...conversation.stopping import StoppedAgentAnswer as StoppedAgentAnswer
from ...domain.context import InterruptedView
from ...domain.context import ReceiptAnswer as ReceiptAnswer
from ...domain.encoding import to_wire
from ...domain.partials import PartialResults
from ...domain.questions import InputRequestView
from ...domain.task import (
    AgentView,
    InterruptReason,
    MessageView,
    Policy,
    SortedView,
    Task,
    TaskStatus,
    current_agent,
)
from ...domain.tool_call import Effect, Outcome, State, ToolCall
from ...store.records import History, Snapshot, Standing, UserPosition
from ...tasks.ledger.observed import StillRunningView

Entries = Sequence[Mapping[str, Any]]


class ExportAnswer(TypedDict):
    """Everything that is stored of a user, by table; docs/data.md describes each field.

    `bookings` are those of the demo inventory, of the travel assistant alone; `damaged` is how many rows of
    which table could not be read, and were left out.
    """

    user_id: str
    exported_at: str
    bookings: NotRequired[Entries]
    users: Entries
    messages: Entries
    tasks: Entries
    receipts: Entries
    tool_calls: Entries
    inputs: Entries
    acceptances: Entries
    model_steps: Entries
    contexts: Entries
    partials: Entries
    agents: Entries
    checkpoints: Entries
    events: Entries
    thread_steps: Entries
    thread_pieces: Entries
    threads: Entries
    conversations: Entries
    damaged: Mapping[str, int]


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
    policy: Policy
    current_agent: str | None
    agents: Mapping[str, AgentView]
    input_request: InputRequestView | None
    input_requests: Sequence[InputRequestView]
    queued: Sequence[str]
    pending: NotRequired[Sequence[PendingView]]
    still_running: Sequence[StillRunningView]
    previous_task_id: str | None
    graph: NotRequired[str]
    created_at: str
    updated_at: str
    seq: int
    epoch: str
    set_aside: NotRequired[Sequence[str]]


def status_answer(standing: Standing, still_running: Sequence[StillRunningView] = ()) -> StatusAnswer:
    """Return `GET /status`; `still_running` are steps of ended tasks that cannot be stopped."""
    task = standing.task
    status: StatusAnswer = {
        "user_id": task.user_id,
        "task_id": task.task_id,
        "status": task.status,
        "reason": task.reason if task.status.terminal or task.status == "cancelling" else None,
        "message": task.message,
        "policy": task.policy,
        "current_agent": current_agent(standing.agents),
        "agents": {name: now.to_wire() for name, now in standing.agents.items()},
        "input_request": standing.inputs[0].to_wire() if standing.inputs else None,
        "input_requests": [request.to_wire() for request in standing.inputs],
        "queued": standing.queued,
        "still_running": still_running,
        "previous_task_id": task.previous_task_id,
        "created_at": to_wire(task.created_at),
        "updated_at": to_wire(task.updated_at),
        "seq": standing.position.seq,
        "epoch": standing.position.epoch,
    }
    if standing.pending:
        status["pending"] = [pending_view(each) for each in standing.pending]
    if task.graph is not None:
        status["graph"] = task.graph
    if task.set_aside:
        status["set_aside"] = task.set_aside
    return status


class PendingListAnswer(TypedDict):
    """The messages that wait for the running task to take them in, in order."""

    user_id: str
    pending: Sequence[PendingView]
    seq: int
    epoch: str


def pending_answer(standing: Standing) -> PendingListAnswer:
    """Return `GET /pending`."""
    return {
        "user_id": standing.task.user_id,
        "pending": [pending_view(each) for each in standing.pending],
        "seq": standing.position.seq,
        "epoch": standing.position.epoch,
    }


class ConversationView(TypedDict):
    """A conversation of a person; `title` is how its first message begins, empty while nothing was said."""

    user_id: str
    title: str
    begun_at: str
    last_at: str


class ConversationsAnswer(TypedDict):
    """A person's conversations, the newest first."""

    conversations: Sequence[ConversationView]


class SessionView(TypedDict):
    """A session of a browser that is signed in; `id` opens nothing.

    `used_at` may be a minute behind. `expires_at` is when it ends if it is not used. `browser` is what the
    browser calls itself. `current` is whether this call came with it.
    """

    id: str
    begun_at: str
    used_at: str
    expires_at: str
    address: str
    browser: str
    current: bool


class SessionsAnswer(TypedDict):
    """A person's sessions, that used last first."""

    sessions: Sequence[SessionView]


class SignedOutAnswer(TypedDict):
    """How many sessions of a person have ended."""

    person: str
    ended: int


class TicketAnswer(TypedDict):
    """What opens one WebSocket or event stream; `expires_in` is in seconds."""

    ticket: str
    expires_in: int


class PartialResultsAnswer(TypedDict):
    """What was found so far; `results_sorted` is there if its task began with results of another one."""

    user_id: str
    task_id: str
    status: TaskStatus
    partial_results: Mapping[str, Sequence[Any]]
    text: str
    interrupted: Sequence[InterruptedView]
    still_running: Sequence[StillRunningView]
    seq: int
    epoch: str
    results_sorted: NotRequired[SortedView]


def partial_results_answer(
    snapshot: Snapshot, still_running: Sequence[StillRunningView] = ()
) -> PartialResultsAnswer:
    """Return `GET /partial-results`; `still_running` as for `status_answer`."""
    found = PartialResults()
    for saved in snapshot.partials:
        if saved.found is not None:
            found.add(saved.found)
        found.say(saved.text)
    answer: PartialResultsAnswer = {
        "user_id": snapshot.task.user_id,
        "task_id": snapshot.task.task_id,
        "status": snapshot.task.status,
        "partial_results": found.fragment(),
        "text": found.text,
        "interrupted": [context.to_wire() for context in snapshot.interrupted],
        "still_running": still_running,
        "seq": snapshot.position.seq,
        "epoch": snapshot.position.epoch,
    }
    if snapshot.task.results_sorted is not None:
        answer["results_sorted"] = snapshot.task.results_sorted
    return answer


class HistoryAnswer(TypedDict):
    """A conversation, oldest message first."""

    user_id: str
    messages: Sequence[MessageView]
    seq: int
    epoch: str


def history_answer(user_id: str, history: History) -> HistoryAnswer:
    """Return `GET /history`."""
    return {
        "user_id": user_id,
        "messages": [message.to_wire() for message in history.messages],
        "seq": history.position.seq,
        "epoch": history.position.epoch,
    }


class CallView(TypedDict):
    """A tool call with its arguments and its result.

    `state` is its outcome once it has ended. `arguments` and `result` are JSON of any form; `result` is null
    if there is none. `kind` is "step" for a step of the graph that outlived its task. `tool_call_id` is the
    id that a language model gave the call, if one asked for it.
    """

    call_id: str
    agent: str
    tool: str
    effect: Effect
    state: State | Outcome
    summary: str
    arguments: Mapping[str, Any]
    result: Any
    started_at: str | None
    ended_at: str | None
    kind: NotRequired[Literal["step"]]
    tool_call_id: NotRequired[str]


class CallsAnswer(TypedDict):
    """The tool calls of a task, in the order in which they were made."""

    user_id: str
    task_id: str
    calls: Sequence[CallView]


def calls_answer(task: Task, calls: Sequence[ToolCall]) -> CallsAnswer:
    """Return `GET /calls`."""
    return {
        "user_id": task.user_id,
        "task_id": task.task_id,
        "calls": [_call_view(call) for call in calls if call.task_id == task.task_id],
    }


def _call_view(call: ToolCall) -> CallView:
    view: CallView = {
        "call_id": call.call_id,
        "agent": call.agent,
        "tool": call.tool,
        "effect": call.effect,
        "state": call.outcome or call.state,
        "summary": call.summary,
        "arguments": call.arguments,
        "result": call.result,
        "started_at": to_wire(call.started_at) if call.started_at else None,
        "ended_at": to_wire(call.ended_at) if call.ended_at else None,
    }
    if call.is_step:
        view["kind"] = "step"
    elif call.asked_as:
        view["tool_call_id"] = call.asked_as
    return view


class CheckpointView(TypedDict):
    """A step of a thread, by its id."""

    checkpoint_id: str


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
    next: Sequence[str]
    checkpoint: CheckpointView
    parent_checkpoint: CheckpointView | None
    metadata: StateMetadataView
    created_at: str | None
    lost: NotRequired[Sequence[str]]


class StateHistoryAnswer(TypedDict):
    """The steps of a thread, newest first; both branches where a message has begun from an earlier step."""

    user_id: str
    states: Sequence[StateView]


def snapshot_frame(
    position: UserPosition, snapshot: Snapshot | None, still_running: Sequence[StillRunningView] = ()
) -> dict[str, Any]:
    """Return the `snapshot` frame of a WebSocket; of a user who never wrote, an empty one."""
    return {
        "type": "snapshot",
        "seq": position.seq,
        "epoch": position.epoch,
        "status": status_answer(snapshot, still_running) if snapshot else None,
        "partial_results": partial_results_answer(snapshot, still_running) if snapshot else None,
        "history": [message.to_wire() for message in snapshot.messages] if snapshot else [],
    }


class StoppingAnswer(TypedDict):
    """A task, or one agent of it, is being stopped; a side effect that had started still finishes."""

    user_id: str
    status: Literal["cancelling"]


class HealthAnswer(TypedDict):
    """The process serves."""

    status: str


class ReadyAnswer(TypedDict):
    """Whether messages would be accepted now; `store` is "ok" or names the fault.

    `status` is "ok", "draining" while the server ends or is drained, and else "unavailable".
    """

    status: str
    store: str
    serving: bool
