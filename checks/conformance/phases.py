"""The phases in which a task can be met: the message that brings it there, and how the runner knows it is."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase:
    """A task is in it once all that is named here has happened, in this order.

    `message` is the script of `checks.conformance.graph` that it runs, `again` that of the message which
    takes its place: the same one where it would ask for the same. `behind` is the script of the task that it
    waits for. `asks` is what it has asked its user for; `allowed`: it was permitted. `gates` are those at
    which its work waits. `says` is the text that it has sent, `finds` how many items it has told of, `ends`
    the tool whose call has ended. `over`: it has completed. `outlives` are the calls and steps that no
    interruption ends: the account says so, and is put right when they have ended.
    """

    name: str
    message: str
    again: str = "answer"
    behind: str = ""
    asks: Literal["question", "permission"] | None = None
    allowed: bool = False
    gates: tuple[str, ...] = ()
    says: str = ""
    finds: int = 0
    ends: str = ""
    outlives: tuple[str, ...] = ()
    over: bool = False

    @property
    def slug(self) -> str:
        """Its name as a part of a user's id."""
        return "".join(letter if letter.isalnum() else "-" for letter in self.name)


def _tool_phases(kind: Literal["async", "plain"]) -> tuple[Phase, ...]:
    """Return the phases of tools that nobody declared; the next message has the same model read all of it."""

    def phase(name: str, script: str, *gates: str, ends: str = "", outlives: tuple[str, ...] = ()) -> Phase:
        return Phase(
            name=f"{kind} tool, {name}",
            message=f"{kind}: {script}",
            again=f"{kind}: talk",
            gates=gates,
            ends=f"{ends}_{kind}" if ends else "",
            outlives=tuple(f"{each}_{kind}" for each in outlives if kind == "plain"),
        )

    return (
        phase("not begun", "hold and book", "ready"),
        phase("running", "book", "book", outlives=("book",)),
        phase("ended, not committed", "look", "committing", ends="look"),
        phase("second in a row", "look and book", "book", ends="look", outlives=("book",)),
        phase("two in parallel", "book and pay", "book", "pay", outlives=("book", "pay")),
    )


PHASES = (
    Phase(name="queued", message="answer", behind="hold"),
    Phase(name="routing", message="route", gates=("router",)),
    Phase(name="text streaming", message="text", gates=("text",), says="One, two"),
    Phase(name="question", message="question", asks="question"),
    Phase(name="permission", message="order", asks="permission"),
    Phase(name="read running", message="read", again="read", gates=("search",), finds=1),
    Phase(
        name="two reads, one finished",
        message="two reads",
        again="two reads",
        gates=("search",),
        finds=2,
        ends="quick",
    ),
    Phase(name="write not sent yet", message="order slowly", allowed=True, gates=("sending",)),
    Phase(name="write running", message="order", allowed=True, gates=("order",)),
    Phase(name="thread running", message="thread", again="thread", gates=("thread",), finds=1),
    Phase(name="subprocess running", message="program", again="program", gates=("program",), finds=1),
    Phase(name="finished", message="answer", over=True),
    *_tool_phases("async"),
    *_tool_phases("plain"),
    Phase(name="async node", message="node: waiting", gates=("node",), finds=1),
    Phase(name="plain node", message="node: blocking", gates=("node",), finds=1, outlives=("blocking",)),
    Phase(name="subgraph", message="node: within", gates=("node",), finds=1),
    Phase(name="parallel branches", message="node: branches", gates=("right",), finds=1),
    Phase(name="Send", message="node: sent", gates=("sent",), finds=1),
    Phase(name="conditional edge", message="node: fork", gates=("edge",), finds=1, outlives=("fork",)),
    Phase(name="node that asks", message="node: asking", asks="question", gates=("right",)),
    Phase(name="functional graph", message="node: function", gates=("second part",), finds=1),
    Phase(name="cancellation caught", message="node: catching", gates=("node",), finds=1),
    Phase(name="cancellation ignored", message="node: returning", gates=("node",), finds=1),
    Phase(name="cancellation lost in wait_for", message="node: waiting_for", gates=("node",), finds=1),
    Phase(name="cancellation lost in a time-out", message="node: timing_out", gates=("node",), finds=1),
    Phase(
        name="cancellation caught by a tool",
        message="async: insist",
        again="async: talk",
        gates=("insist",),
    ),
)

EVENTS = ("superseded", "stopped", "both at once", "twice", "process killed", "steered")
"""What can happen to a task: a newer message; a stop; both at the same instant, in either order;
a stop that is sent twice at the same instant, and again when all is over; the end of the server's process,
which is then started again; a message that it is to take in."""
