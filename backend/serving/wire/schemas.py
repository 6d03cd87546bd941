"""What clients send and get, as pydantic models: they check input, and make the OpenAPI document."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ...domain.task import DEFAULT_PRIORITY, Policy
from . import recorded_examples

USER_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
LONGEST_MESSAGE = 8000
LONGEST_CLIENT_ID = 128
LONGEST_NOTE = 1000


def _no_nul(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("not_text", "must be text without NUL characters or lone surrogates")
    return text


UserId = Annotated[str, StringConstraints(pattern=USER_ID_PATTERN)]
MessageText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_MESSAGE),
    AfterValidator(_no_nul),
]
ClientId = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_CLIENT_ID), AfterValidator(_no_nul)
]
Ref = (
    Annotated[str, StringConstraints(max_length=LONGEST_CLIENT_ID)]
    | Annotated[int, Field(strict=True, ge=-(2**63), lt=2**63)]
)
RequestId = Annotated[str, StringConstraints(min_length=1, max_length=128), AfterValidator(_no_nul)]
TaskId = Annotated[str, StringConstraints(min_length=1, max_length=64), AfterValidator(_no_nul)]
AgentName = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_no_nul)]
MessageId = Annotated[str, StringConstraints(min_length=1, max_length=80), AfterValidator(_no_nul)]


def _with_example(example: Mapping[str, Any]) -> ConfigDict:
    return ConfigDict(extra="forbid", json_schema_extra={"examples": [dict(example)]})


class Input(BaseModel):
    """What clients send: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid")


class ChatRequest(Input):
    """A message of a user."""

    model_config = _with_example(recorded_examples.CHAT_REQUEST)

    user_id: UserId
    message: MessageText
    client_id: ClientId | None = None
    policy: Policy = "interrupt"
    priority: int = Field(default=DEFAULT_PRIORITY, ge=0, le=9, strict=True)


class StopRequest(Input):
    """The task to stop, by default the active one. With an `agent`, stop only that agent of it."""

    model_config = _with_example(recorded_examples.STOP_REQUEST)

    task_id: TaskId | None = None
    agent: AgentName | None = None


class AnswerRequest(Input):
    """The answer to a question, completed from its defaults; or the decision on a permission."""

    model_config = _with_example(recorded_examples.ANSWER_REQUEST)

    request_id: RequestId
    answer: dict[str, Any] | None = None
    decision: Literal["allow", "deny"] | None = None
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE), AfterValidator(_no_nul)] | None = None


class AnyCommand(BaseModel):
    """What all commands over the socket have in common: `ref` comes back with the reply."""

    ref: Ref | None = None


class PingCommand(AnyCommand, Input):
    """A client's own heartbeat."""

    type: Literal["ping"]


class ChatCommand(AnyCommand, Input):
    """A message, sent over the socket."""

    type: Literal["chat"]
    message: MessageText
    client_id: ClientId | None = None
    policy: Policy = "interrupt"
    priority: int = Field(default=DEFAULT_PRIORITY, ge=0, le=9, strict=True)


class StopCommand(AnyCommand, Input):
    """A stop, sent over the socket."""

    type: Literal["stop"]
    task_id: TaskId | None = None
    agent: AgentName | None = None


class AnswerCommand(AnyCommand, AnswerRequest):
    """An answer, sent over the socket."""

    type: Literal["answer"]


Command = Annotated[PingCommand | ChatCommand | StopCommand | AnswerCommand, Field(discriminator="type")]


class Output(BaseModel):
    """Documents an answer; answers are built by `views`, and a test holds them to these models."""

    model_config = ConfigDict(extra="forbid")


class ChatAnswer(Output):
    """An accepted message."""

    model_config = _with_example(recorded_examples.CHAT_ANSWER)

    task_id: str
    user_id: str
    status: str
    policy: Policy
    relation: str | None
    interrupted_task_id: str | None
    duplicate: bool
    seq: int
    epoch: str
    websocket: str


class AnsweredAnswer(Output):
    """An accepted answer; the task resumes with it."""

    model_config = _with_example(recorded_examples.ANSWERED_ANSWER)

    user_id: str
    task_id: str
    request_id: str
    outcome: str
    status: str
    seq: int
    epoch: str


class InputRequestView(Output):
    """An open question: `schema` is a JSON Schema, `defaults` fill its form.

    A permission request names the `tool` of its call, and has `facts`: what the call would do, under titles.
    """

    request_id: str
    kind: str
    agent: str
    prompt: str
    schema_: dict[str, Any] = Field(alias="schema")
    defaults: dict[str, Any]
    expires_at: str
    call_id: str | None = None
    tool: str | None = None
    facts: dict[str, Any] | None = None


class AgentView(Output):
    """How far an agent is.

    `since` is when it began to work, null while it has not, or waits for its user; `until` when it ended.
    `request` is what it was asked to find; a graph of your own has none.
    """

    state: str
    detail: str
    done: int
    total: int
    count: int
    since: str | None
    until: str | None
    request: dict[str, Any] | None = None


class StatusAnswer(Output):
    """The status of a user's latest task."""

    model_config = _with_example(recorded_examples.STATUS_ANSWER)

    user_id: str
    task_id: str
    status: str
    reason: str | None
    message: str
    policy: Policy
    current_agent: str | None
    agents: dict[str, AgentView]
    input_request: InputRequestView | None
    input_requests: list[InputRequestView]
    queued: list[str]
    previous_task_id: str | None
    created_at: str
    updated_at: str
    seq: int
    epoch: str


class InterruptedView(Output):
    """What an interrupted task left behind."""

    task_id: str
    message: str
    reason: str
    at: str
    partial_results: dict[str, list[Any]]
    text: str
    asked: list[str]


class PartialResultsAnswer(Output):
    """What was found so far."""

    model_config = _with_example(recorded_examples.PARTIAL_RESULTS_ANSWER)

    user_id: str
    task_id: str
    status: str
    partial_results: dict[str, list[Any]]
    text: str
    interrupted: list[InterruptedView]
    seq: int
    epoch: str


class MessageView(Output):
    """One message of a conversation; `client_id` is the one it was sent with, if it was sent with any."""

    message_id: str
    role: str
    text: str
    task_id: str
    at: str
    interrupted: bool
    client_id: str | None


class HistoryAnswer(Output):
    """A conversation, oldest message first."""

    model_config = _with_example(recorded_examples.HISTORY_ANSWER)

    user_id: str
    messages: list[MessageView]
    seq: int
    epoch: str


class ToolCallView(Output):
    """What became of one tool call."""

    call_id: str
    tool: str
    effect: str
    outcome: str
    summary: str


class StoppedAgentAnswer(AgentView):
    """An agent after a stop request, with the outcomes of its tool calls."""

    model_config = _with_example(recorded_examples.STOPPED_AGENT_ANSWER)

    user_id: str
    task_id: str
    agent: str
    tool_calls: list[ToolCallView]


class StoppingAnswer(Output):
    """A task, or one agent of it, is being stopped; a side effect that had started still finishes."""

    model_config = _with_example(recorded_examples.STOPPING_ANSWER)

    user_id: str
    status: str


class UsageView(Output):
    """What language models have used for a task; `estimated` if a service did not report all of it."""

    input_tokens: int
    output_tokens: int
    model_calls: int
    estimated: bool


class ReceiptAnswer(Output):
    """The true account of how a task ended."""

    model_config = _with_example(recorded_examples.RECEIPT_ANSWER)

    task_id: str
    reason: str | None
    at: str
    requested_at: str | None
    settled_at: str
    text_kept: int
    partial_results: dict[str, int]
    input_request: str | None
    tool_calls: list[ToolCallView]
    adopted_by: str | None
    usage: UsageView


class HealthAnswer(Output):
    """The process serves."""

    model_config = _with_example(recorded_examples.HEALTH_ANSWER)

    status: str


class ReadyAnswer(Output):
    """Whether messages would be accepted now; `store` is "ok" or says what is wrong."""

    model_config = _with_example(recorded_examples.READY_ANSWER)

    status: str
    store: str
    serving: bool


class ErrorBody(Output):
    """What went wrong."""

    code: str
    message: str
    retryable: bool
    details: Any = None


class SessionRequest(Input):
    """The token of the link that the server printed when it started."""

    model_config = _with_example({"token": "a long random string"})

    token: str = Field(min_length=1, max_length=4096)


class ErrorAnswer(Output):
    """Every error has this form."""

    error: ErrorBody
