"""What became of the calls of the task before: told in the reply of the one after it, and never guessed.

It is read from the ledger when the reply is written: what had begun may have ended by then, or may not.
"""

from collections.abc import Sequence

from ...domain.task import InterruptReason
from ...domain.tool_call import ToolCall
from .state import TravelRun

_BEFORE = {
    InterruptReason.STOPPED: "before you stopped",
    InterruptReason.SUPERSEDED: "before you changed your mind",
}
_AFTER_ALL = "although I was interrupted"
_DOING = {
    "hold_flight": "holding the flight",
    "book_flight": "booking the flight",
    "book_hotel": "booking the hotel",
    "cancel_booking": "the cancellation",
}


async def aftermath(run: TravelRun, *, searched: Sequence[str] = ()) -> str:
    """Return what must be told of the interrupted task before this one; "" where there is nothing.

    A search that was cut short is told unless its agent is one that has `searched` again.
    """
    before = run.context.previous
    if before is None or before.task_id != run.previous_task_id:
        return ""  # what earlier ones did was told by those that came after them
    calls = await run.tools.calls_of(before.turn)
    told = [_write_sentence(call, before.reason) for call in calls if call.effect == "write"]
    told += [_read_sentence(call) for call in calls if call.effect != "write" and call.agent not in searched]
    return " ".join(filter(None, told))


def _write_sentence(call: ToolCall, reason: InterruptReason) -> str:
    doing = _DOING.get(call.tool, call.tool.replace("_", " "))
    when = _BEFORE.get(reason, _AFTER_ALL)
    if call.done:
        return f"{doing[0].upper()}{doing[1:]} went through {when}: {call.summary}{_full_stop(call.summary)}"
    if call.outcome == "unknown":
        return f"Whether {doing} went through is not known yet; I am finding out, and will tell you."
    if call.outcome is None and call.state == "running":
        return f"{doing[0].upper()}{doing[1:]} had begun and is being finished; you will be told how it ends."
    if call.outcome == "failed":
        return f"{doing[0].upper()}{doing[1:]} did not go through: {call.summary}{_full_stop(call.summary)}"
    if call.outcome in (None, "not_started"):
        return f"{doing[0].upper()}{doing[1:]} was not begun."
    return ""


def _read_sentence(call: ToolCall) -> str:
    if call.outcome != "cancelled":
        return ""
    how_far = call.summary.removeprefix("cut short: ")
    return f"The {call.agent} search was cut short: {how_far}." if how_far != call.summary else ""


def _full_stop(sentence: str) -> str:
    return "" if sentence.endswith((".", "!", "?")) else "."
