"""One step of an agent that a language model drives: its answer, and the calls it asks for. Pure."""

from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, NotRequired

from typing_extensions import TypedDict

from .tool_call import ToolCall


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


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or several model calls; `estimated` if a service did not report all of them.

    `cache_read` and `cache_creation` are part of the input tokens, `reasoning` of the output tokens.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    calls: int = 0
    estimated: bool = False
    cache_read: int = 0
    cache_creation: int = 0
    reasoning: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.calls + other.calls,
            self.estimated or other.estimated,
            self.cache_read + other.cache_read,
            self.cache_creation + other.cache_creation,
            self.reasoning + other.reasoning,
        )

    def to_wire(self) -> UsageView:
        """Return the contract's form."""
        view: UsageView = {
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "model_calls": self.calls,
            "estimated": self.estimated,
        }
        if self.cache_read:
            view["cache_read_tokens"] = self.cache_read
        if self.cache_creation:
            view["cache_creation_tokens"] = self.cache_creation
        if self.reasoning:
            view["reasoning_tokens"] = self.reasoning
        return view


NO_USAGE = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestedCall:
    """A tool call that a model asks for.

    `call_id` is unique among the model's calls. `key` is the ledger's key of the call, whose outcome is the
    result; "" if the call was `refused`, for that reason, and never made.
    """

    call_id: str
    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key: str = ""
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStep:
    """One complete answer of the model that drives an agent; stored before any of its calls is made.

    An answer that was cut short is not a step, and no model ever sees it. `turn` is the task's, as in its
    tool calls; `said_in` is the turn of the conversation at that moment: a later one if the user had answered
    a question. `position` counts the steps of a task.
    """

    user_id: str
    task_id: str
    turn: int
    said_in: int
    position: int
    agent: str
    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    usage: Usage = NO_USAGE
    at: datetime


# --- usage ---------------------------------------------------------------------------------------------
# What a task's model calls have used so far, reported by the service or estimated.
#
# The service never reports a call that is cut short: its usage is estimated from the characters sent and
# received until then. An estimate can be made at any moment, so a cancellation needs no clean-up.


CHARACTERS_PER_TOKEN = 4
"""For estimates; what OpenAI's documentation gives as a rule of thumb for English."""


@dataclass(slots=True)
class MeteredCall:
    """One call of a model: characters sent and received, and `reported`, its usage by the service.

    `sent` may be what counts the characters: that is called if the service does not report them, and once.
    `provider`, `model` and `agent` are names, "" where nobody knows them: of the service, of its model, and
    of the agent or node that asks.
    """

    sent: int | Callable[[], int]
    received: int = 0
    reported: Usage | None = None
    provider: str = ""
    model: str = ""
    agent: str = ""
    on_end: "OnCallEnd | None" = None

    def end(self, reported: Usage | None, *, failed: bool = False) -> None:
        """Note what it has used by the service, None if that did not say, and call `on_end`.

        What the service left out is estimated. A call that is cut short with its task need not be ended.
        """
        self.reported = reported
        # Counted or dropped: a conversation is not to be held until its task ends.
        self.sent = 0 if reported is not None and reported.input_tokens else self._characters_sent()
        on_end, self.on_end = self.on_end, None
        if on_end is not None:
            on_end(self, failed)

    @property
    def usage(self) -> Usage:
        """What it has used: as the service reported it, else estimated."""
        reported = self.reported or Usage(calls=1, estimated=True)
        if not reported.estimated:
            return reported
        given, said = _tokens(self._characters_sent()), _tokens(self.received)
        return replace(
            reported,
            input_tokens=reported.input_tokens or given,
            output_tokens=reported.output_tokens or said,
        )

    def _characters_sent(self) -> int:
        if not isinstance(self.sent, int):
            self.sent = self.sent()
        return self.sent


def reported_usage(reported: Mapping[str, Any] | None, *, received: int) -> Usage | None:
    """Return the usage that a service reported of a call with so many characters of answer, if it did.

    `reported` is LangChain's `usage_metadata`. No call has no input, and no answer has no output: zeros are
    marked as what is to be estimated.
    """
    if not reported:
        return None
    given, said = reported.get("input_tokens") or 0, reported.get("output_tokens") or 0
    of_input: Mapping[str, Any] = reported.get("input_token_details") or {}
    of_output: Mapping[str, Any] = reported.get("output_token_details") or {}
    return Usage(
        given,
        said,
        1,
        estimated=not given or (not said and received > 0),
        cache_read=_total(of_input, "cache_read"),
        # Anthropic's clients tell them for each time to live, and then 0 as `cache_creation`.
        cache_creation=_total(
            of_input, "cache_creation", "ephemeral_5m_input_tokens", "ephemeral_1h_input_tokens"
        ),
        reasoning=_total(of_output, "reasoning"),
    )


def _total(details: Mapping[str, Any], *names: str) -> int:
    # OpenAI's clients put the service tier before the name: `flex_cache_read`.
    return sum(count or 0 for name, count in details.items() if name.endswith(names))


REFUSED = Usage(calls=1)
"""What a call has used that its service refused, with a status: nothing."""


OnCallEnd = Callable[[MeteredCall, bool], None]
"""Called with a call that has ended, and whether it failed."""

OnCallBegin = Callable[[MeteredCall], OnCallEnd]
"""Called in the thread of a call that is about to be made; returns what to call once it has ended."""


class UsageMeter:
    """All calls of a task; `before` is what it had used before its process was lost, or before it paused.

    `on_begin`, if it is set, is called with each call.
    """

    def __init__(self, before: Usage = NO_USAGE) -> None:
        self._before = before
        self._calls: list[MeteredCall] = []
        self.on_begin: OnCallBegin | None = None

    def begin(
        self, sent: int | Callable[[], int], *, provider: str = "", model: str = "", agent: str = ""
    ) -> MeteredCall:
        """Return the meter of a call that is about to be made, with so many characters."""
        call = MeteredCall(sent, provider=provider, model=model, agent=agent)
        self._calls.append(call)
        if self.on_begin is not None:
            call.on_end = self.on_begin(call)
        return call

    def note_lost_calls(self) -> None:
        """Mark the total as an estimate: a process is gone, and with it what it knew of its calls."""
        self._before += Usage(estimated=True)

    def total(self) -> Usage:
        """Return what has been used so far."""
        return sum((call.usage for call in self._calls), self._before)


def _tokens(characters: int) -> int:
    return -(-characters // CHARACTERS_PER_TOKEN)


# --- model trace ---------------------------------------------------------------------------------------
# What language models have done for one task: their answers, and what they have used.


Past = tuple[Sequence[ModelStep], Sequence[ToolCall]]

ReadPast = Callable[[int], Coroutine[Any, Any, Past]]
"""Reads the steps of the user's tasks from a turn on, and all tool calls of those tasks."""


async def no_past(_since_turn: int) -> Past:
    """Return nothing: no model was asked before."""
    return (), ()


@dataclass(slots=True)
class ModelTrace:
    """The `steps` of a task, complete answers in order, and the `usage` of all its model calls."""

    past: ReadPast = no_past
    steps: list[ModelStep] = field(default_factory=list[ModelStep])
    usage: UsageMeter = field(default_factory=UsageMeter)

    @classmethod
    def of(cls, past: ReadPast, steps: Sequence[ModelStep]) -> "ModelTrace":
        """Return the trace of a task that resumes after these steps."""
        return cls(past, list(steps), UsageMeter(sum((step.usage for step in steps), NO_USAGE)))
