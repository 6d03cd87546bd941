"""The seam: the calls that the kit makes of a server, and the values that they return.

A server is held to the table through these calls alone. `checks/conformance/adapter.py` has them for Detour,
`checks/conformance/langgraph_api.py` for servers that speak the LangGraph API.
"""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from checks.conformance.phases import Phase
from checks.conformance.table import Outcome

Kind = Literal["status", "text", "found", "asked", "tool", "taken over", "settled", "steered"]

ENDED = frozenset({"completed", "failed", "interrupted"})
"""The statuses after which a task changes no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that a task reports of itself, live.

    status: `word` is its status, `why` the reason where it has one. text: `word` is the new piece. found:
    `count` items are new. asked: it waits for its user, `word` is the id of what it asks. tool: the call
    `word` is now `why`; a step of the graph that nothing can end counts as a call once its task has ended.
    taken over: the calls `calls` of an earlier task go on in this one. settled: the account of its
    interruption can be had. steered: it is decided what became of a message that was to steer, `word`; the
    task is that in whose run it is.
    """

    kind: Kind
    task: str
    word: str = ""
    why: str = ""
    count: int = 0
    calls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The outcome of a tool call, as the server reports it."""

    call_id: str
    tool: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The outcome of a task, as the server reports it."""

    calls: tuple[Call, ...] = ()
    found: int = 0
    text_kept: int = 0
    input_request: str = ""
    adopted_by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The parts of a task that can still be looked up: the number of its items, and its text."""

    found: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """An entry of the conversation; `cut_short` marks an answer that was interrupted."""

    role: str
    text: str
    cut_short: bool = False


class Server(Protocol):
    """A server with one of the kit's graphs, whose users are independent of each other.

    The phases that are not applicable are not played, and the report says why.
    """

    @property
    def described(self) -> str:
        """Its name and versions; known once it has started."""
        ...

    @property
    def not_applicable(self) -> Mapping[str, str]:
        """The phases that it cannot be brought to, each with the reason."""
        ...

    @property
    def steers(self) -> bool:
        """Whether the kit can steer it; if not, the cells of steering are not played."""
        ...

    @property
    def unreported(self) -> Mapping[str, str]:
        """The fields of an outcome that the server cannot report, with an explanation: not compared."""
        ...

    def translated(self, phase: Phase, event: str, outcome: Outcome) -> Sequence[Outcome]:
        """Return an outcome of the table in the terms of this server; several if it has several forms."""
        ...

    def user(self, cell: str) -> str:
        """Return the id of the user that plays a cell, in the form that the server takes."""
        ...

    async def start(self, world: str) -> None:
        """Start it, or start it again with all that it had stored; return once it serves.

        `world` is the address that its graph finds in `CONFORMANCE_WORLD`.
        """
        ...

    async def kill(self) -> None:
        """End its process as a power cut would."""
        ...

    async def close(self) -> None:
        """End it, and remove what it has stored."""
        ...

    async def send(self, user: str, message: str, *, wait_its_turn: bool = False) -> str:
        """Send a message, which interrupts the user's task or waits its turn; return its task."""
        ...

    async def steer(self, user: str, message: str) -> str:
        """Send a message that steers the running task; return its own task, "" if it waits to be taken in.

        Only of a server that `steers`.
        """
        ...

    async def stop(self, user: str, task: str) -> Account | None:
        """Stop one task; return the account of it, None where it is still to settle."""
        ...

    async def fill_in(self, user: str, request: str, fields: Mapping[str, object]) -> None:
        """Answer a question with a form."""
        ...

    async def allow(self, user: str, request: str) -> None:
        """Give the permission that a task asks for."""
        ...

    def events(self, user: str) -> AsyncGenerator[Event, None]:
        """Yield all events of the user's tasks from the first one on, then live ones."""
        ...

    async def account(self, user: str, task: str) -> Account:
        """Return the account of a task that has ended."""
        ...

    async def kept_of(self, user: str, task: str) -> Kept:
        """Return the kept parts of a task."""
        ...

    async def history(self, user: str) -> list[Entry]:
        """Return the conversation, oldest entry first."""
        ...

    async def latest(self, user: str) -> str:
        """Return the user's latest task."""
        ...
