"""Tools of a hosted graph, as the ledger runs them: made of plain functions and of programs.

An async function runs on the event loop, any other in a thread, a program in a process. What a generator
yields and a program prints is shown item by item, and is what the call comes to.
"""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, cast

import orjson

from ..domain.encoding import encode
from ..domain.tool_call import Effect
from ..errors import GraphFailedError, ProviderError
from ..tasks.ledger.base import Quote, Report, Tool, ToolResult
from ..tasks.ledger.ledger import Ledger
from ..tasks.ledger.processes import Command, SubprocessTool
from ..tasks.ledger.threads import ThreadReport, ThreadTool
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner

Arguments = Mapping[str, Any]
"""Arguments by name, those left out filled in with their defaults."""

REPORT = "report"
"""The parameter of a function that is given the report of its call, and is no argument."""

LONGEST_SUMMARY = 200
"""Characters of a text that is its own summary."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostedTool:
    """A tool as a graph declares it; `command` is a program's, and `function` then stands for nothing."""

    name: str
    effect: Effect
    fresh_s: float
    function: Callable[..., Any]
    command: Sequence[str] = ()
    quote: Callable[..., Any] | None = None
    outcome: Callable[[str], Any] | None = None

    def bound(self, arguments: Arguments) -> dict[str, Any]:
        """Return the arguments of a call, filled in. Raises `TypeError` where they do not fit."""
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
        """Return a value as JSON has it. Raises `GraphFailedError` where it has no JSON form."""
        try:
            return orjson.loads(encode(value))
        except TypeError as error:
            raise GraphFailedError(f"The tool {self.name!r} gave what has no JSON form: {error}.") from error

    def result(self, value: Any) -> ToolResult:
        """Return what a call comes to that gave this. Raises `GraphFailedError`."""
        if isinstance(value, ToolResult):
            return replace(value, value=self.item(value.value))
        value = self.item(value)
        return ToolResult(_in_words(value), value)


class FunctionTool:
    """An async function, or an async generator, as a tool."""

    def __init__(self, declared: HostedTool) -> None:
        self.name = declared.name
        self.effect: Effect = declared.effect
        self.fresh_s = declared.fresh_s
        self._declared = declared

    async def run(self, arguments: Arguments, report: Report) -> ToolResult:
        """Run it; what a generator yields is shown. When cancelled, it is, and a generator is closed."""
        RUN.set(None)  # this is an asyncio task of its own, whose call may go on in another run
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
    """An async function that writes: it is quoted, and asked for what a call came to, by two others."""

    async def quote(self, user_id: str, arguments: Arguments) -> Quote:
        """Return what its quote says, or its arguments as they are where it has none."""
        declared = self._declared
        if declared.quote is None:
            return Quote(arguments, f"May I do this: {self.name}?", arguments)
        quoted = declared.quote(**arguments)
        quote: Any = await quoted if inspect.isawaitable(quoted) else quoted
        if not isinstance(quote, Quote):
            raise GraphFailedError(f"The quote of the tool {self.name!r} is no Quote.")
        return quote

    async def outcome_of(self, user_id: str, call_id: str) -> ToolResult | None:
        """Return what it came to. Raises `ProviderError` where it has nobody to ask."""
        declared = self._declared
        if declared.outcome is None:
            raise ProviderError(f"What {self.name} came to cannot be looked up.")
        found = declared.outcome(call_id)
        value: Any = await found if inspect.isawaitable(found) else found
        return None if value is None else declared.result(value)


class Toolbox:
    """Makes tools for the ledger, one of each that a graph declares."""

    def __init__(self, owner: TaskOwner) -> None:
        self._owner = owner
        self._made: dict[HostedTool, Tool[Arguments] | WritingTool] = {}

    def made(self, declared: HostedTool) -> Tool[Arguments] | WritingTool:
        """Return the tool that is declared so."""
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
class HostedRun:
    """One run of a hosted graph, as its nodes find it."""

    task: TaskContext
    ledger: Ledger
    toolbox: Toolbox


RUN: ContextVar[HostedRun | None] = ContextVar("hosted_run", default=None)
"""The run that a node belongs to, with all that it starts, threads included; none within a tool."""


WRITES: dict[str, HostedTool] = {}
"""Every write declared in this process, by name, for the calls that a process left unsettled when it died.

The decorator fills it at import, since nothing else knows the writes of a graph before its nodes use them: a
node may use a tool of any module, of a closure or of an object, and an unsettled call is asked about at the
start, before any node runs. Of the tool only its name is stored with the call. A write declared later, in a
function, is asked about from its first use on.
"""


class _Lines:
    """One run of a program: it is told its arguments as a line of JSON, each line it prints is an item."""

    def __init__(self, declared: HostedTool, arguments: Arguments, report: Report) -> None:
        self._declared = declared
        self._report = report
        self._items: list[Any] = []
        self.request = encode(arguments) + b"\n"

    def heard(self, line: str) -> None:
        """Show a line: as the JSON it is, else as text."""
        if line.strip():
            try:
                item = orjson.loads(line)
            except orjson.JSONDecodeError:
                item = line
            self._items.append(item)
            self._report.found([item], source=self._declared.name)

    def result(self, exit_code: int) -> ToolResult:
        """Return all that it printed. Raises `ProviderError` where it failed."""
        if exit_code != 0:
            raise ProviderError(f"{self._declared.name} failed.")
        return self._declared.result(self._items)


def is_async(function: Callable[..., Any]) -> bool:
    """Tell whether what a function returns is awaited, or gone through with `async for`."""
    return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)


def _run_blocking(declared: HostedTool, arguments: Arguments, report: ThreadReport) -> ToolResult:
    """Call a plain function in its thread; a generator is gone through until nobody wants it any more."""
    RUN.set(None)
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
    """Note what came of a thread that was let go."""
    report.late(f"ended later: {outcome.summary if isinstance(outcome, ToolResult) else 'failed'}")


def _environment() -> dict[str, str]:
    """Return this process's environment without what is the server's own."""
    return {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}


def _in_words(value: Any) -> str:
    """Return a few words for what a call came to: a short text itself, the number of items, or "done"."""
    if isinstance(value, list):
        count = len(cast("list[Any]", value))
        return "1 item" if count == 1 else f"{count} items"
    return value if isinstance(value, str) and 0 < len(value) <= LONGEST_SUMMARY else "done"
