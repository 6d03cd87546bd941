"""Asks the user before a write, and makes it once it is allowed.

A node runs again from its start after the answer, so the ledger keeps what was quoted, asked and decided. If
the quote has changed since the user allowed it, the user is asked again.
"""

from typing import TypeVar

from langgraph.types import interrupt

from ..domain.tool_call import ToolCall, call_key
from ..errors import DetourError
from ..tasks.ledger.base import WriteTool
from ..tasks.ledger.write_once import Writes
from ..tasks.task_context import TaskContext

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
    made = writes.made_for(context, purpose)
    call = writes.renewed(context, made) if made is not None and not context.is_stopped(agent) else made
    while True:
        if context.is_stopped(agent) and (call is None or not call.begun):
            return writes.call_off(context, agent, tool, arguments, purpose=purpose, call=call)
        if call is None or not writes.stands(context, call):
            await writes.at_rest(context, agent)
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
                if writes.stands(context, call):
                    return call
            case "denied":
                return writes.deny(context, call)
            case None:
                return call


def waits_for_its_user(call: ToolCall) -> bool:
    """Tell whether a write is proposed, and neither decided nor ended."""
    return call.outcome is None and call.state == "waiting"
