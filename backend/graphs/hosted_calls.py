"""Adapts the functions and programs that a hosted graph declares as tools to the ledger.

An async function runs on the event loop, any other function in a thread, a program in a process. Each item
that a generator yields, or line that a program prints, is shown at once, and the list of them is the call's
value.
"""

import asyncio
import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from contextvars import Context, ContextVar
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson

from ..domain.encoding import encode
from ..domain.errors import GraphFailedError, ProviderError
from ..domain.tool_call import Effect
from ..tasks.ledger.base import NobodyToAskError, Quote, Report, Tool, ToolResult
from ..tasks.ledger.ledger import Ledger
from ..tasks.ledger.processes import Command, SubprocessTool
from ..tasks.ledger.threads import ThreadReport, ThreadTool
from ..tasks.loop_watch import Running
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner
from ..tasks.user_threads import THREADS_OF
from .followed_models import FollowedModels
from .graph_output import LoopCalls
from .langgraph_internals import current_nodes
from .steering import TakingIn

Arguments = Mapping[str, Any]
"""Arguments by name, those left out filled in with their defaults."""

REPORT = "report"
"""The parameter of a function that is given the report of its call, and is no argument."""

LONGEST_SUMMARY = 200
"""Characters of a text that is its own summary."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostedTool:
    """A tool as a graph declares it. A program has a `command`, and its `function` is never called."""

    name: str
    effect: Effect
    fresh_s: float
    function: Callable[..., Any]
    command: Sequence[str] = ()
    quote: Callable[..., Any] | None = None
    outcome: Callable[[str], Any] | None = None

    def bound(self, arguments: Arguments) -> dict[str, Any]:
        """Return a call's arguments, defaults filled in. Raises `TypeError` if the function takes others."""
        if self.command:
            return dict(arguments)
        signature = inspect.signature(self.function)
        parameters = [each for each in signature.parameters.values() if each.name != REPORT]
        try:
            bound = signature.replace(parameters=parameters).bind(**arguments)
        except TypeError as error:
            raise TypeError(f"{self.name}() {error}") from None
        bound.apply_defaults()
        return dict(bound.arguments)

    def begin(self, arguments: Arguments, report: Report | ThreadReport) -> Any:
        """Call the function; return its coroutine or generator, or what a plain one returns."""
        wanted = REPORT in inspect.signature(self.function).parameters
        return self.function(**arguments, **({REPORT: report} if wanted else {}))

    def item(self, value: Any) -> Any:
        """Return a value as JSON has it. Raises `GraphFailedError` for one without a JSON form."""
        try:
            return orjson.loads(encode(value))
        except TypeError as error:
            raise GraphFailedError(f"The tool {self.name!r} gave what has no JSON form: {error}.") from error

    def result(self, value: Any) -> ToolResult:
        """Return the result of a call that returned this value. Raises `GraphFailedError` as `item` does."""
        if isinstance(value, ToolResult):
            return replace(value, value=self.item(value.value))
        value = self.item(value)
        return ToolResult(in_words(value), value)


class FunctionTool:
    """An async function, or an async generator, as a tool."""

    def __init__(self, declared: HostedTool) -> None:
        self.name = declared.name
        self.effect: Effect = declared.effect
        self.fresh_s = declared.fresh_s
        self._declared = declared

    async def run(self, arguments: Arguments, report: Report) -> ToolResult:
        """Run the function, showing what a generator yields. Cancelling this cancels or closes it."""
        # The call has an asyncio task of its own, and may be adopted by another run: a tool within this tool
        # must not be accounted to the run that made the call.
        NODE_CONTEXT.set(None)
        declared = self._declared
        running = declared.begin(arguments, report)
        if not inspect.isasyncgen(running):
            return declared.result(await running)
        items: list[Any] = []
        async with aclosing(running) as found:
            async for each in found:
                items.append(declared.item(each))
                report.found(items[-1:], source=self.name)
        return declared.result(items)


class WritingTool(FunctionTool):
    """An async function that writes, with the functions for its quote and for the outcome of a lost call."""

    async def quote(self, user_id: str, arguments: Arguments) -> Quote:
        """Return the declared quote, or else the arguments. Raises `GraphFailedError` if it is no `Quote`."""
        declared = self._declared
        if declared.quote is None:
            return Quote(arguments, f"May I do this: {self.name}?", arguments)
        quoted = declared.quote(**arguments)
        quote: Any = await quoted if inspect.isawaitable(quoted) else quoted
        if not isinstance(quote, Quote):
            raise GraphFailedError(f"The quote of the tool {self.name!r} is no Quote.")
        return quote

    async def outcome_of(self, user_id: str, call_id: str) -> ToolResult | None:
        """Return the outcome of a call, None if it never took effect.

        Raises `NobodyToAskError` for a tool without `outcome`, so that the ledger keeps the call unsettled.
        """
        declared = self._declared
        if declared.outcome is None:
            raise NobodyToAskError(f"What {self.name} came to cannot be looked up.")
        found = declared.outcome(call_id)
        value: Any = await found if inspect.isawaitable(found) else found
        return None if value is None else declared.result(value)


class Toolbox:
    """Makes the ledger's tool for each declared one, once: limits such as `MOST_THREADS` count per tool."""

    def __init__(self, owner: TaskOwner) -> None:
        self._owner = owner
        self._made: dict[HostedTool, Tool[Arguments] | WritingTool] = {}

    def made(self, declared: HostedTool) -> Tool[Arguments] | WritingTool:
        """Return the tool for a declaration, the same each time."""
        if declared not in self._made:
            self._made[declared] = self._make(declared)
        return self._made[declared]

    def _make(self, declared: HostedTool) -> Tool[Arguments] | WritingTool:
        if declared.command:
            return SubprocessTool(
                declared.name,
                Command(declared.command, _environment()),
                lambda arguments, report: _Lines(declared, arguments, report),
                owner=self._owner,
                effect=declared.effect,
                fresh_s=declared.fresh_s,
            )
        if declared.effect == "write":
            return WritingTool(declared)
        if is_async(declared.function):
            return FunctionTool(declared)
        return ThreadTool(
            declared.name,
            lambda arguments, report: _run_blocking(declared, arguments, report),
            on_late=_note_late,
            effect=declared.effect,
            fresh_s=declared.fresh_s,
        )


@dataclass(frozen=True, slots=True)
class NodeContext:
    """What `use`, `say` and `pending_messages` need of the server, for the nodes of one run of a `graph`."""

    task: TaskContext
    ledger: Ledger
    toolbox: Toolbox
    models: FollowedModels
    on_loop: LoopCalls
    graph: str = ""
    taking_in: TakingIn | None = None


NODE_CONTEXT: ContextVar[NodeContext | None] = ContextVar("node_context", default=None)
"""Set for a run and all that it starts, threads included; None within a tool, and outside the server."""

WRITES: dict[str, HostedTool] = {}
"""Every write declared in this process, by name, for the calls that a process left unsettled when it died.

The decorator fills it at import, since nothing else knows the writes of a graph before its nodes use them: a
node may use a tool of any module, of a closure or of an object, and an unsettled call is asked about at the
start, before any node runs. Of the tool only its name is stored with the call. A write declared later, in a
function, is asked about from its first use on.
"""


class _Lines:
    """One run of a program: a line of JSON with its arguments in, a line for each item out."""

    def __init__(self, declared: HostedTool, arguments: Arguments, report: Report) -> None:
        self._declared = declared
        self._report = report
        self._items: list[Any] = []
        self.request = encode(arguments) + b"\n"

    def heard(self, line: str) -> None:
        """Show a line as the JSON it holds, otherwise as text."""
        if line.strip():
            try:
                item = orjson.loads(line)
            except orjson.JSONDecodeError:
                item = line
            self._items.append(item)
            self._report.found([item], source=self._declared.name)

    def result(self, exit_code: int) -> ToolResult:
        """Return all that it printed. Raises `ProviderError` for an exit code other than 0."""
        if exit_code != 0:
            raise ProviderError(f"{self._declared.name} failed.")
        return self._declared.result(self._items)


def is_async(function: Callable[..., Any]) -> bool:
    """Tell whether a function is a coroutine function or an async generator function."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _run_blocking(declared: HostedTool, arguments: Arguments, report: ThreadReport) -> ToolResult:
    """Call a plain function in its thread; consume a generator until its call is cancelled."""
    NODE_CONTEXT.set(None)  # for the reason given in `FunctionTool.run`
    made = declared.begin(arguments, report)
    if not inspect.isgenerator(made):
        return declared.result(made)
    items: list[Any] = []
    for each in made:
        items.append(declared.item(each))
        report.found(items[-1:], source=declared.name)
        if report.stopped.is_set():
            break
    return declared.result(items)


def _note_late(report: Report, outcome: ToolResult | Exception) -> None:
    """Add the result of a thread that outlived its call to the call's summary."""
    report.late(f"ended later: {outcome.summary if isinstance(outcome, ToolResult) else 'failed'}")


def _environment() -> dict[str, str]:
    """Return this process's environment without the server's settings, which hold its token and keys."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}


def in_words(value: Any) -> str:
    """Return a result's summary: a short text itself, the number of items, or "done"."""
    if isinstance(value, list):
        count = len(cast("list[Any]", value))
        return "1 item" if count == 1 else f"{count} items"
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_SUMMARY else "done"


# --- running node --------------------------------------------------------------------------------------
# The task and node of a graph for which an asyncio task runs, seen from another thread.


class RunningNodes:
    """Finds tasks by the context of an asyncio task; `of_user` returns a user's that have not settled yet."""

    def __init__(self, of_user: Callable[[str], Sequence[TaskContext]]) -> None:
        self._of_user = of_user

    def __call__(self, task: "asyncio.Task[Any]", context: Context | None) -> Running:
        """Return what an asyncio task runs for."""
        if context is None:
            return Running(None, "")
        node = context.get(NODE_CONTEXT)
        if node is not None:
            found = node.task
        else:
            # A tool that was declared is cut off from its node, and may work for two tasks of its user.
            of_user = self._of_user(context.get(THREADS_OF, ""))
            found = of_user[0] if len(of_user) == 1 else None
        return Running(found, " > ".join(current_nodes(context)))
