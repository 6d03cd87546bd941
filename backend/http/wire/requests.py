"""The bodies and commands of clients, as pydantic models, which check and document them."""

import unicodedata
from collections.abc import Mapping
from typing import Annotated, Any, Literal, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import PydanticCustomError
from starlette.datastructures import Headers

from ...domain.errors import BadInput
from ...domain.task import DEFAULT_PRIORITY, OF_ANY_MESSAGE, Policy
from .examples import EXAMPLES

USER_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$"
LONGEST_MESSAGE = 8000
LONGEST_CLIENT_ID = 128
LONGEST_NOTE = 1000


DEEPEST = 100
"""Levels of nesting in input: pydantic reads back no JSON of over 200; a record adds a few."""


def is_deeper_than(value: Any, most: int) -> bool:
    """Return whether a value is nested in more than so many levels."""
    level: list[Any] = [value]
    for _ in range(most + 1):
        below: list[Any] = []
        for each in level:
            if isinstance(each, dict):
                below += each.values()  # pyright: ignore[reportUnknownArgumentType, reportUnknownMemberType]
            elif isinstance(each, list):
                below += each
        if not below:
            return False
        level = below
    return True


def _shallow(value: Any) -> Any:
    if is_deeper_than(value, DEEPEST):
        raise PydanticCustomError("too_deep", "should be nested in at most {most} levels", {"most": DEEPEST})
    return value


def _no_nul(text: str) -> str:
    if "\0" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise PydanticCustomError("not_text", "must be text without NUL characters or lone surrogates")
    return text


_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Zs"})
_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | {*map(chr, range(0xFE00, 0xFE10))}
"""Characters of other categories that show nothing by themselves: fillers, joiners, variants."""


def _visible(text: str) -> str:
    # The first character of most messages ends this.
    if all(unicodedata.category(each) in _INVISIBLE or each in _BLANK for each in text):
        raise PydanticCustomError("invisible", "must have a character that can be seen")
    return text


def _printable(text: str) -> str:
    if not text.isprintable():
        raise PydanticCustomError("not_printable", "must be printable characters")
    return text


UserId = Annotated[str, StringConstraints(pattern=USER_ID_PATTERN)]
MessageText = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=LONGEST_MESSAGE),
    AfterValidator(_no_nul),
    AfterValidator(_visible),
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
GraphName = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(_no_nul)]
MessageId = Annotated[str, StringConstraints(min_length=1, max_length=80), AfterValidator(_no_nul)]


def _add_example(schema: dict[str, Any], of: type[BaseModel]) -> None:
    if of.__name__ in EXAMPLES:
        schema["examples"] = [EXAMPLES[of.__name__]]


class Input(BaseModel):
    """What clients send: a field that is not known is refused."""

    model_config = ConfigDict(extra="forbid", json_schema_extra=_add_example)


Object = Annotated[dict[str, Any], AfterValidator(_shallow)]
CheckpointId = Annotated[str, StringConstraints(min_length=1, max_length=128), AfterValidator(_no_nul)]


def _without_default(schema: dict[str, Any]) -> None:
    del schema["default"]  # it is the server's


class Policed(BaseModel):
    """Input that may have a policy."""

    policy: Policy = Field(
        default="interrupt",
        description="What it does while another one is worked on; by default what `DETOUR_POLICY` says",
        json_schema_extra=_without_default,
    )

    @property
    def named_policy(self) -> Policy | None:
        """The policy, None if it does not say."""
        return self.policy if "policy" in self.model_fields_set else None


class _Given(Input):
    """What a message may have for a graph of your own, beside its text: refused where it does not fit."""

    graph: GraphName | None = Field(
        default=None, description="The graph it is for; by default the one that its user spoke to last"
    )
    input: Object | None = Field(default=None, description="More fields of the graph's input")
    context: Object | None = Field(default=None, description="Fields of the run's context")
    configurable: Object | None = Field(default=None, description="More of the run's `configurable`")
    checkpoint_id: CheckpointId | None = Field(
        default=None,
        description="The step of the thread from which the run begins, in place of the newest; of the travel "
        "assistant the task whose request it comes after, or `start`",
    )

    @property
    def given(self) -> dict[str, Any]:
        """The fields that are set, by name."""
        names = {"graph", "input", "context", "configurable", "checkpoint_id"}
        return self.model_dump(include=names, exclude_none=True)


class MessageInput(_Given, Policed):
    """A message, in a body or a command."""

    message: MessageText
    client_id: ClientId | None = None
    priority: int = Field(default=DEFAULT_PRIORITY, ge=0, le=9, strict=True)
    task_id: TaskId | None = Field(default=None, description="With `steer`: the task that is meant")


class ChatRequest(MessageInput):
    """A message of a user."""

    user_id: UserId


class StopRequest(Input):
    """The task to stop, by default the active one. With an `agent`, stop only that agent of it.

    With `pending` "withdraw", messages that wait to be taken in are withdrawn; else they begin a task.
    """

    task_id: TaskId | None = None
    agent: AgentName | None = None
    pending: Literal["keep", "withdraw"] = "keep"


class EditRequest(Input):
    """The new text of a message that waits to be taken in, and the revision that its sender has seen."""

    message: MessageText
    revision: int = Field(ge=0, strict=True)


class AnswerRequest(Input):
    """The answer to a question, completed from its defaults; or the decision on a permission.

    The answer is an object of the question's fields; any JSON answers a graph's question without a schema.
    """

    request_id: RequestId
    answer: Annotated[
        dict[str, Any] | list[Any] | str | bool | int | float | None, AfterValidator(_shallow)
    ] = None
    decision: Literal["allow", "deny"] | None = None
    note: Annotated[str, StringConstraints(max_length=LONGEST_NOTE), AfterValidator(_no_nul)] | None = None


class AnyCommand(BaseModel):
    """What all commands over the socket have in common: `ref` comes back with the reply."""

    ref: Ref | None = None


class PingCommand(AnyCommand, Input):
    """A client's own heartbeat."""

    type: Literal["ping"]


class ChatCommand(AnyCommand, MessageInput):
    """A message, sent over the socket."""

    type: Literal["chat"]


class StopCommand(AnyCommand, StopRequest):
    """A stop, sent over the socket."""

    type: Literal["stop"]


class AnswerCommand(AnyCommand, AnswerRequest):
    """An answer, sent over the socket."""

    type: Literal["answer"]


Command = Annotated[PingCommand | ChatCommand | StopCommand | AnswerCommand, Field(discriminator="type")]


class SessionRequest(Input):
    """The token of the link that the server printed when it started."""

    token: str = Field(min_length=1, max_length=4096)


class SignOutRequest(Input):
    """The person whose sessions are to end."""

    person: Annotated[str, AfterValidator(_printable)] = Field(min_length=1, max_length=255)


# --- policy --------------------------------------------------------------------------------------------


HEADER = "Detour-Policy"
"""For clients whose protocol has no field for it; a field counts before it."""

POLICIES: tuple[Policy, ...] = get_args(Policy)

_FAULT = f"should be one of: {', '.join(POLICIES)}"


def checked_policy(wanted: Any, field: str) -> Policy | None:
    """Return the policy in a field or a header, None if it is missing. Raises `BadInput`."""
    if wanted is None:
        return None
    for each in POLICIES:
        if wanted == each:
            return each
    raise BadInput.of_fields((field, _FAULT))


def policy_in(headers: Headers) -> Policy | None:
    """Return the policy in a request's header, None without it. Raises `BadInput`."""
    return checked_policy(headers.get(HEADER), HEADER)


def policy_of(named: Policy | None, default: Policy, given: Mapping[str, Any] | None) -> Policy:
    """Return the policy of a message that names one, or else the server's.

    A message with input for its own run can't steer another one: it waits, unless it asked to.
    """
    if named is not None:
        return named
    return "enqueue" if default == "steer" and set(given or ()) - OF_ANY_MESSAGE else default
