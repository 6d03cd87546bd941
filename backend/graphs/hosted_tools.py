"""What the nodes of a hosted graph may use of the server, and need not: tools, and text as it is made.

A tool is declared once, with what it changes outside, and used in any node. The server then keeps account of
each call: an interruption ends it, lets it finish, or hands it to the next run, by its effect, and tells
truthfully which. A node finds the run that it belongs to by itself. Where there is none, in a test or behind
another server, a tool is only run, and a write still asks first, so the same graph works there.
"""

import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from langgraph.config import get_stream_writer
from langgraph.types import interrupt

from ..domain.tool_call import DONE, Effect, Outcome
from ..errors import DetourError, OutcomeUnknown, ProviderError, QuoteChanged
from ..tasks.ledger.base import Quote, Report, ToolResult
from ..tasks.task_owner import TaskOwner
from .hosted_calls import RUN, WRITES, Arguments, HostedTool, Toolbox, WritingTool, is_async
from .langgraph_internals import outermost_node
from .permission import with_permission

__all__ = [
    "EarlierCall",
    "OutcomeUnknown",
    "ProviderError",
    "Quote",
    "QuoteChanged",
    "Report",
    "Result",
    "ToolResult",
    "earlier_calls",
    "program",
    "say",
    "tool",
    "use",
]

_ALLOWING = (True, "allow", {"decision": "allow"})


@dataclass(frozen=True, slots=True)
class Result:
    """What a call came to, and in what words; `value` is what the tool returned, or the list of its items."""

    outcome: Outcome | None
    value: Any = None
    summary: str = ""

    @property
    def done(self) -> bool:
        """Whether it did what it was made for."""
        return self.outcome in DONE


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """A call of the run before this one; `outcome` is None while it is still under way."""

    tool: str
    arguments: Arguments
    outcome: Outcome | None
    summary: str


def tool(
    *,
    effect: Effect = "read",
    fresh_s: float = 0.0,
    name: str | None = None,
    quote: Callable[..., Any] | None = None,
    outcome: Callable[[str], Any] | None = None,
) -> Callable[[Callable[..., Any]], HostedTool]:
    """Declare a function as a tool.

    An async function runs on the event loop, a plain one in a thread. What a generator yields is shown item
    by item, and the call's value is the list of it; else it is what is returned, or the `value` of a
    returned `ToolResult`. Arguments and values have a JSON form. A parameter called `report` is no argument:
    it is given the call's `Report`.

    What a call found answers another one with the same arguments for `fresh_s` seconds. A write is an async
    function, allowed by the user before each call. `quote` takes its arguments and returns the `Quote` of
    what it would do; without one, the arguments are shown. `outcome` takes the `call_id` and returns what the
    call came to as the provider has it, None where it never took effect; it is asked where the answer was
    lost. Both may be async. Raises `TypeError` for what fits no tool.
    """

    def declare(function: Callable[..., Any]) -> HostedTool:
        called = name or function.__name__
        if effect == "write" and (not is_async(function) or fresh_s):
            raise TypeError(
                f"The tool {called!r} writes: it must be async, and is never answered by another."
            )
        if effect != "write" and (quote or outcome):
            raise TypeError(f"The tool {called!r} does not write, and so needs no quote and no outcome.")
        declared = HostedTool(
            name=called, effect=effect, fresh_s=fresh_s, function=function, quote=quote, outcome=outcome
        )
        if effect == "write":
            WRITES[called] = declared
        return declared

    return declare


def program(
    name: str, command: Sequence[str], *, effect: Effect = "none", fresh_s: float = 0.0
) -> HostedTool:
    """Declare a program as a tool: a command, run in a process of its own for each call.

    Its arguments are a line of JSON on its standard input, which then stays open for as long as the call is
    wanted. Each line that it prints is shown, as the JSON it is or else as text. Raises `TypeError` for a
    write: a program may be ended at any time.
    """
    if effect == "write" or not command:
        raise TypeError(f"The program {name!r} needs a command, and must not write.")
    return HostedTool(
        name=name, effect=effect, fresh_s=fresh_s, function=lambda: None, command=tuple(command)
    )


async def use(declared: HostedTool, /, **arguments: Any) -> Result:
    """Call a tool from an async node; return what it came to, a failing one with its sentence as `summary`.

    A write asks the user first: the node then runs again from its start, and what it had found before that
    is still fresh is not searched for again. Within a tool, another one is merely run, as a part of it.
    Raises `TypeError` for arguments that do not fit, or have no JSON form. Cancelling it lets go of the call.
    """
    given = declared.bound(arguments)
    run = RUN.get()
    if run is None:
        return await _use_alone(declared, given)
    agent, made = outermost_node(), run.toolbox.made(declared)
    if isinstance(made, WritingTool):
        call = await with_permission(run.task, run.ledger.writes, agent, made, given)
    else:
        call = await run.ledger.call(run.task, agent, made, given)
    return Result(call.outcome, call.result if call.done else None, call.summary)


async def earlier_calls() -> Sequence[EarlierCall]:
    """Return what was called for the message before, if that was interrupted, and what became of it by now.

    Nothing where no server keeps account of it. Raises `StoreUnavailable`.
    """
    run = RUN.get()
    before = run.task.previous if run is not None else None
    if run is None or before is None or before.task_id != run.task.task.previous_task_id:
        return ()
    calls = await run.ledger.calls_of(run.task.user_id, before.turn)
    return [EarlierCall(each.tool, each.arguments, each.outcome, each.summary) for each in calls]


def say(text: str) -> None:
    """Send a piece of the reply; nothing where no server listens.

    Raises `TooMuchShownError`, and `TypeError` for text that cannot be encoded.
    """
    run = RUN.get()
    if run is not None:
        run.task.say(text)


class _Aside:
    """The report of a call that no server keeps account of: what it finds goes to the graph's stream."""

    def __init__(self) -> None:
        self.call_id = uuid.uuid4().hex
        self.user_id = ""

    def found(self, items: Sequence[Any], *, source: str) -> None:
        with suppress(RuntimeError):  # there is no graph either
            get_stream_writer()({"items": list(items), "source": source})

    def progress(self, detail: str, *, done: int, total: int) -> None:
        pass

    def late(self, summary: str) -> None:
        pass


async def _use_alone(declared: HostedTool, given: Arguments) -> Result:
    """Run a tool where no server keeps account of it; a write is allowed by LangGraph's own `interrupt()`."""
    made = Toolbox(TaskOwner()).made(declared)
    try:
        if isinstance(made, WritingTool):
            quote = await made.quote("", given)
            asked: Any = {"prompt": quote.prompt, "facts": quote.facts}
            if interrupt(asked) not in _ALLOWING:
                return Result("denied")
            given = quote.arguments
        came_to = await made.run(given, _Aside())
    except DetourError as error:
        return Result("failed", summary=error.message)
    return Result("completed", came_to.value, came_to.summary)
