"""How a node asks its user before it changes anything outside, and does it once that is allowed.

The node runs again after the answer, so all that it knows is on the ledger: what was quoted, what was asked,
and what became of it. Where what would be done is no longer what was allowed, it is asked for anew.
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
    """Do what a tool would do if the user allows it; return the finished call, whose `outcome` is the truth.

    It is `denied` where the user does not allow it, and `failed` where it cannot be done. Asking ends the run
    of the node, as `interrupt()` does. Cancelling it does not end a call that has begun. Raises `TypeError`
    for arguments without a JSON form.
    """
    while True:
        call = await allowed_write(context, writes, agent, tool, arguments)
        if not waits_for_its_user(call):
            return call
        # An answer that the node was given before, to what it asks no more, is returned here: ask again.
        interrupt({"agent": agent, "prompt": call.asks["prompt"], "permission": call.call_id})


async def allowed_write(
    context: TaskContext, writes: Writes, agent: str, tool: WriteTool[A], arguments: A
) -> ToolCall:
    """Do what a tool would do as far as the user has allowed it, and return the call, for other than nodes.

    It has ended, or `waits_for_its_user`: it is to be asked for, and this called again after the decision.
    Cancelling it does not end a call that has begun. Raises `TypeError` as `with_permission` does.
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
            if context.is_stopped(agent):
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
