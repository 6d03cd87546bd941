"""Tools and streamed text for the nodes of a hosted graph; using them is optional.

A graph declares a tool once, with its effect outside, and calls it in any node with `use`. The server
accounts for each call: by its effect an interruption cancels it, lets it finish, or hands it to the next run,
and the receipt tells which. Outside the server, in a test or behind another one, `use` only runs the tool,
and a write still asks first; so the same graph works there.
"""

import uuid
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

from langgraph.config import get_stream_writer
from langgraph.types import interrupt

from ..domain.encoding import encode
from ..domain.errors import DetourError, OutcomeUnknown, ProviderError, QuoteChanged
from ..domain.tool_call import DONE, Effect, Outcome, ToolCall, call_key
from ..tasks.ledger.base import Quote, Report, Tool, ToolResult, WriteTool
from ..tasks.ledger.ledger import Ledger
from ..tasks.ledger.write_once import Writes
from ..tasks.programs import keeps_running
from ..tasks.task_context import TaskContext
from ..tasks.task_owner import TaskOwner
from .graph_output import BLOCKED_AFTER_S
from .hosted_calls import (
    NODE_CONTEXT,
    WRITES,
    Arguments,
    HostedTool,
    NodeContext,
    Toolbox,
    WritingTool,
    is_async,
)
from .langgraph_internals import outermost_node, outermost_step
from .page_tools import page_tools

# --- permission ----------------------------------------------------------------------------------------
# Asks the user before a write, and makes it once it is allowed.
#
# A node runs again from its start after the answer, so the ledger keeps the quote and the decision.
# If the quote has changed since the user allowed it, the user is asked again.


A = TypeVar("A")


async def with_permission(
    context: TaskContext, writes: Writes, agent: str, tool: WriteTool[A], arguments: A
) -> ToolCall:
    """Make a write if the user allows it; return the finished call with its `outcome`.

    The outcome is `denied` if the user does not allow it, `failed` if it cannot be done. Asking ends this run
    of the node, as `interrupt()` does. Cancelling this does not cancel a write that has begun. Raises
    `TypeError` for arguments without a JSON form.
    """
    while True:
        call = await allowed_write(context, writes, agent, tool, arguments)
        if not waits_for_its_user(call):
            return call
        # LangGraph returns from the nth `interrupt()` of a node the nth answer that the node ever got. If the
        # write was quoted anew since, that answer was to the old question: so the call decides, not
        # the answer.
        interrupt({"agent": agent, "prompt": call.asks["prompt"], "permission": call.call_id})


async def allowed_write(
    context: TaskContext, writes: Writes, agent: str, tool: WriteTool[A], arguments: A
) -> ToolCall:
    """Take a write as far as the user has allowed it, and return its call; for callers that are no nodes.

    The call has ended, or `waits_for_its_user`: then ask, and call this again after the decision. Cancelling
    this does not cancel a write that has begun. Raises `TypeError` as `with_permission` does.
    """
    purpose = call_key(tool.name, arguments)
    made = writes.last_for(context, purpose)
    call = writes.renewed(context, made) if made is not None and not context.is_stopped(agent) else made
    while True:
        if context.is_stopped(agent) and (call is None or not call.begun):
            return writes.mark_not_begun(context, agent, tool, arguments, purpose=purpose, call=call)
        if call is None or not writes.is_valid(context, call):
            await writes.wait_for_other_tasks(context, agent)
            try:
                quote = await tool.quote(context.user_id, arguments)
            except DetourError as error:
                return writes.refuse(context, agent, tool, arguments, purpose=purpose, error=error)
            if context.is_stopped(agent):  # while the quote was awaited
                continue
            call = writes.propose(context, agent, tool, quote, purpose=purpose)
        if call.begun:
            return await writes.outcome_of(context, call)
        match writes.decision_on(context, call):
            case "allowed":
                call = await writes.carry_out(context, call, tool)
                if writes.is_valid(context, call):
                    return call
            case "denied":
                return writes.deny(context, call)
            case None:
                return call


def waits_for_its_user(call: ToolCall) -> bool:
    """Tell whether a write is proposed, and neither decided nor ended."""
    return call.outcome is None and call.state == "waiting"


# --- agent tools ---------------------------------------------------------------------------------------
# The ledger as the agents of one task use it: they call tools and read the outcomes.


class AgentTools:
    """The tools of one task's agents."""

    __slots__ = ("_ledger", "_task")

    def __init__(self, task: TaskContext, ledger: Ledger) -> None:
        self._task = task
        self._ledger = ledger

    @property
    def calls(self) -> Sequence[ToolCall]:
        """The task's calls, in the order they were made."""
        return tuple(self._task.tool_calls.values())

    async def read(self, agent: str, tool: Tool[A], arguments: A, *, scope: str = "") -> ToolCall:
        """Run a tool that reads, and return the finished call; as `Ledger.call`."""
        return await self._ledger.call(self._task, agent, tool, arguments, scope=scope)

    async def write(self, agent: str, tool: WriteTool[A], arguments: A) -> ToolCall:
        """Run a tool that writes if the user allows it, and return the finished call; as `with_permission`.

        Asking ends the run of the node.
        """
        return await with_permission(self._task, self._ledger.writes, agent, tool, arguments)

    async def writes_at_rest(self, agent: str) -> None:
        """Wait until no write of the user is running, so that what is read next has its effect."""
        await self._ledger.writes.wait_for_other_tasks(self._task, agent)

    def drop_reads(self, agents: Collection[str]) -> None:
        """Cancel the reads in progress of agents that turn out to ask for something else."""
        self._ledger.drop_reads(self._task, agents)

    async def calls_of(self, turn: int) -> Sequence[ToolCall]:
        """Return every call of the user's task of a turn as it is by now. Raises `StoreUnavailable`."""
        return await self._ledger.calls_of(self._task.user_id, turn)


# --- hosted tools --------------------------------------------------------------------------------------


__all__ = [
    "EarlierCall",
    "OutcomeUnknown",
    "PendingMessage",
    "ProviderError",
    "Quote",
    "QuoteChanged",
    "Report",
    "Result",
    "ToolResult",
    "earlier_calls",
    "keeps_running",
    "page_tools",
    "pending_messages",
    "program",
    "say",
    "tool",
    "use",
]

_ALLOWING = (True, "allow", {"decision": "allow"})


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a call, in words too; `value` is what the tool returned, or the list of its items."""

    outcome: Outcome | None
    value: Any = None
    summary: str = ""

    @property
    def done(self) -> bool:
        """Whether the call succeeded."""
        return self.outcome in DONE


@dataclass(frozen=True, slots=True)
class PendingMessage:
    """A message of the user that was sent to steer the run; `message_id` is its id in the conversation."""

    message_id: str
    text: str


@dataclass(frozen=True, slots=True)
class EarlierCall:
    """A call of the run before this one; `outcome` is None while it is running."""

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

    An async function runs on the event loop, a plain one in a thread. Each item that a generator yields is
    shown at once, and the call's value is their list; otherwise it is what the function returns, or the
    `value` of a returned `ToolResult`. Arguments and values have a JSON form. A parameter called `report` is
    no argument: it gets the call's `Report`.

    A call's result answers other calls with the same arguments for `fresh_s` seconds. A write is an async
    function, and the user allows each call first. `quote` takes its arguments and returns the `Quote` of what
    it would do; without one, the user sees the arguments. `outcome` takes the `call_id` and returns the
    call's value according to the provider, None if the call never took effect; the server calls it if the
    answer was lost. Both may be async. Raises `TypeError` for a function that cannot be such a tool.
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
    """Declare a program as a tool: a command that runs in a process of its own for each call.

    It reads its arguments as a line of JSON from its standard input, which is closed when the call is
    cancelled. Each line that it prints is shown, as JSON if it is that, otherwise as text. Raises `TypeError`
    for a write, since a program may be ended at any time.
    """
    if effect == "write" or not command:
        raise TypeError(f"The program {name!r} needs a command, and must not write.")
    return HostedTool(
        name=name, effect=effect, fresh_s=fresh_s, function=lambda: None, command=tuple(command)
    )


async def use(declared: HostedTool, /, **arguments: Any) -> Result:
    """Call a tool from an async node and return its result; a failed call's `summary` says why in a sentence.

    A write asks the user first: the node then runs again from its start, and calls whose results are still
    fresh are answered from them. Within a tool, another tool only runs, as a part of it. Raises `TypeError`
    for arguments that the tool does not take, or without a JSON form. Cancelling this releases the call.
    """
    given = declared.bound(arguments)
    node = NODE_CONTEXT.get()
    if node is None:
        return await _use_alone(declared, given)
    agent, made = outermost_node(), node.toolbox.made(declared)
    if isinstance(made, WritingTool):
        call = await with_permission(node.task, node.ledger.writes, agent, made, given)
    else:
        # Two graphs may have tools of one name that differ: a read of one never answers the other's.
        call = await node.ledger.call(node.task, agent, made, given, scope=node.graph)
    return Result(call.outcome, call.result if call.done else None, call.summary)


async def earlier_calls() -> Sequence[EarlierCall]:
    """Return the calls of the task before, if it was interrupted, with their outcomes by now.

    Empty outside the server. Raises `StoreUnavailable`.
    """
    node = NODE_CONTEXT.get()
    before = node.task.previous if node is not None else None
    if node is None or before is None or before.task_id != node.task.task.previous_task_id:
        return ()
    calls = await node.ledger.calls_of(node.task.user_id, before.turn)
    return [EarlierCall(each.tool, each.arguments, each.outcome, each.summary) for each in calls]


def pending_messages() -> Sequence[PendingMessage]:
    """Take in the messages that wait to steer this run, and return them, oldest first; mostly there are none.

    To read them is to take them in: they count as taken in once the step of this node is stored, and wait
    again if it never is. For async nodes and plain ones; a plain one whose event loop is blocked gets none.
    The server takes nothing in by itself for a graph one of whose nodes calls this. Empty outside the server.
    """
    node = NODE_CONTEXT.get()
    if node is None or node.taking_in is None:
        return ()
    read = partial(node.taking_in.read, outermost_node(), outermost_step())
    taken = node.on_loop.answer(read, within_s=BLOCKED_AFTER_S)
    return [PendingMessage(each.message_id, each.text) for each in taken or ()]


def say(text: str) -> None:
    """Stream a piece of the reply, from an async node or a plain one; outside the server, do nothing.

    Raises `TooMuchShownError`, in a plain node for a piece that was too much before; and `TypeError` for text
    that cannot be encoded.
    """
    node = NODE_CONTEXT.get()
    if node is None:
        return
    if node.task.failure is not None:
        raise node.task.failure
    encode(text)
    node.on_loop(_say, node, outermost_node(), text)


def _say(node: NodeContext, name: str, text: str) -> None:
    # On the loop: the text of the node's model in the node's thread has been followed by now.
    if not node.models.claims(text, name):
        node.task.say(text)


class _StreamReport:
    """The report of a call outside the server: items go to the graph's own stream."""

    def __init__(self) -> None:
        self.call_id = uuid.uuid4().hex
        self.user_id = ""

    def found(self, items: Sequence[Any], *, source: str) -> None:
        with suppress(RuntimeError):  # raised outside a graph, where nobody reads
            get_stream_writer()({"items": list(items), "source": source})

    def progress(self, detail: str, *, done: int, total: int) -> None:
        pass

    def late(self, summary: str) -> None:
        pass


async def _use_alone(declared: HostedTool, given: Arguments) -> Result:
    """Run a tool outside the server; a write asks with LangGraph's own `interrupt()`."""
    made = Toolbox(TaskOwner()).made(declared)
    try:
        if isinstance(made, WritingTool):
            quote = await made.quote("", given)
            asked: Any = {"prompt": quote.prompt, "facts": quote.facts}
            if interrupt(asked) not in _ALLOWING:
                return Result("denied")
            given = quote.arguments
        came_to = await made.run(given, _StreamReport())
    except DetourError as error:
        return Result("failed", summary=error.message)
    return Result("completed", came_to.value, came_to.summary)
