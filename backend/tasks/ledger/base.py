"""The seam between the ledger and the tools it runs: `Tool`, `WriteTool`, and the `Report` of a call.

The ledger runs a tool in an asyncio task of its own; a node never does. What the tool changes outside, its
`effect`, decides what an interruption does to it: a call with the effect "none" or "read" may be cancelled at
any await, or adopted by another task; a write that has begun is never cancelled.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ...domain.encoding import encode, is_json_text
from ...domain.tool_call import Effect

A_contra = TypeVar("A_contra", contravariant=True)
A = TypeVar("A")


class NobodyToAskError(Exception):
    """The outcome of a call can never be asked for: its tool has no way to look it up."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The result of a call: a few words for people, and `value`, JSON-ready, for the agent that made it.

    If `whole` is False, something is missing in it, so it never answers another call.
    """

    summary: str
    value: Any = None
    whole: bool = True


def can_be_kept(result: object) -> bool:
    """Return whether a result is one, and has a JSON form: foreign code may return anything."""
    if not isinstance(result, ToolResult):
        return False
    try:
        encode(result.value)
    except (TypeError, UnicodeEncodeError):
        return False
    return is_json_text(result.summary)


@dataclass(frozen=True, slots=True)
class Quote:
    """Exactly what a write would do, for the user to allow; `arguments` are those it would run with.

    `prompt` asks for it in a sentence or two. `facts` are JSON-ready values under short titles, in the order
    in which they are shown: what, who, total, refund rule, and that nothing is really bought.
    """

    arguments: Any
    prompt: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Report(Protocol):
    """What a running tool reports to."""

    @property
    def call_id(self) -> str:
        """The id of the call: a provider's idempotency key."""
        ...

    @property
    def user_id(self) -> str:
        """The user it is made for."""
        ...

    def found(self, items: Sequence[Any], *, source: str) -> None:
        """Show new items. Raises `TypeError` for what has no JSON form."""
        ...

    def progress(self, detail: str, *, done: int, total: int) -> None:
        """Show how far the call is."""
        ...

    def late(self, summary: str) -> None:
        """Note in the receipt, in a few words, the outcome of work that outlived its call."""
        ...


class Tool(Protocol[A_contra]):
    """Something an agent can call, with the effect "none" or "read"."""

    @property
    def name(self) -> str:
        """The tool's name, for people and receipts."""
        ...

    @property
    def effect(self) -> Effect:
        """What a call changes outside."""
        ...

    @property
    def fresh_s(self) -> float:
        """Seconds for which the result of a call answers another with the same arguments; 0: never."""
        ...

    async def run(self, arguments: A_contra, report: Report) -> ToolResult:
        """Do the work, reporting on the way, and return the result.

        Raises `DetourError` with a sentence fit to be shown. When cancelled, all of its work ends.
        """
        ...


class WriteTool(Protocol[A_contra]):
    """A tool that changes something outside: the user allows each call, and it is made at most once."""

    @property
    def name(self) -> str:
        """The tool's name, for people and receipts."""
        ...

    async def quote(self, user_id: str, arguments: A_contra) -> Quote:
        """Return what a call would do at this moment; reads only, and may be cancelled.

        Raises `DetourError` with a sentence fit to be shown if it cannot be done at all.
        """
        ...

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Do it once; `arguments` are the JSON form of those that were quoted, and so allowed.

        `report.call_id` identifies the call to the provider. It must end by itself within a bounded time: it
        is never cancelled. Raises `OutcomeUnknown` if the provider may or may not have done it, any other
        `DetourError` if it has not, `QuoteChanged` if it would have to be allowed anew.
        """
        ...

    async def outcome_of(self, user_id: str, call_id: str) -> ToolResult | None:
        """Return what the provider has of a call; None if it never took effect, and never will.

        Raises `ProviderError` while that is not known: the ledger asks again. Raises `NobodyToAskError` if
        it never can be: the call stays unsettled, and a call for just the same is refused.
        """
        ...
