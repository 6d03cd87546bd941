"""The seam between the ledger and what it runs: what a tool is, and how it tells what it does.

A tool is run by the ledger, never by a node, in an asyncio task of its own. What it changes outside, its
`effect`, decides what an interruption does to it: a call without effect, or one that reads, may be cancelled
at any await, or go on for another task; one that writes is never cancelled once it has begun.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from ...domain.encoding import can_be_told, encode
from ...domain.tool_call import Effect

A_contra = TypeVar("A_contra", contravariant=True)
A = TypeVar("A")


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a call came to: a few words for people, and `value`, JSON-ready, for the agent that made it.

    Where `whole` is False, something is missing in it, and the same call is worth making again.
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
    return can_be_told(result.summary)


@dataclass(frozen=True, slots=True)
class Quote:
    """What a write would do, exactly, for the user to allow: `arguments` are those that it would be run with.

    `prompt` asks for it in a sentence or two. `facts` are told with it, JSON-ready, under short titles in the
    order in which they are shown: what, who, total, refund rule, and that nothing is really bought.
    """

    arguments: Any
    prompt: str
    facts: Mapping[str, Any] = field(default_factory=dict[str, Any])


class Report(Protocol):
    """How a running tool tells what it does."""

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
        """Tell how far the call is."""
        ...

    def late(self, summary: str) -> None:
        """Note, in a few words, what came of work that went on after it was let go; it is never shown."""
        ...


class Tool(Protocol[A_contra]):
    """Something an agent can use."""

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
        """Seconds for which what a call of it found answers another one with the same arguments; 0: never."""
        ...

    async def run(self, arguments: A_contra, report: Report) -> ToolResult:
        """Do the work, reporting on the way, and return what it came to.

        Raises `DetourError` with a sentence fit to be shown. When cancelled, nothing of it goes on.
        """
        ...


class WriteTool(Protocol[A_contra]):
    """A tool that changes something outside: each call is allowed by the user, and made at most once."""

    @property
    def name(self) -> str:
        """The tool's name, for people and receipts."""
        ...

    async def quote(self, user_id: str, arguments: A_contra) -> Quote:
        """Return what a call would do at this moment; reads only, and may be cancelled.

        Raises `DetourError` with a sentence fit to be shown where it cannot be done at all.
        """
        ...

    async def run(self, arguments: Mapping[str, Any], report: Report) -> ToolResult:
        """Do it once; `arguments` are the JSON form of those that were quoted, and so allowed.

        `report.call_id` identifies the call to the provider. It ends by itself within a bounded time, and is
        never cancelled. Raises `OutcomeUnknown` where the provider may or may not have done it, any other
        `DetourError` where it has not; `QuoteChanged` where it would have to be allowed anew.
        """
        ...

    async def outcome_of(self, user_id: str, call_id: str) -> ToolResult | None:
        """Return what a call came to, as the provider has it; None where it never took effect nor will.

        Raises `ProviderError` while that cannot be told.
        """
        ...
