"""Reports the outcomes of the interrupted task's calls in the next reply; never guesses one.

Reads the ledger when the reply is written: by then, a write that had begun may have ended.
"""

from collections.abc import Sequence

from ...domain.task import InterruptReason
from ...domain.tool_call import ToolCall
from .state import TravelRun

_BEFORE = {
    InterruptReason.STOPPED: "before the stop",
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
    """Return sentences on the calls of the interrupted task before this one; "" if there are none to report.

    Leaves out a search that was cut short if its agent is among those that have `searched` again.
    """
    before = run.context.previous
    if before is None or before.task_id != run.previous_task_id:
        return ""  # the replies since then have reported on earlier tasks
    calls = await run.tools.calls_of(before.turn)
    sentences = [_write_sentence(call, before.reason) for call in calls if call.effect == "write"]
    searches = [call for call in calls if call.effect != "write" and call.agent not in searched]
    sentences += [_read_sentence(call) for call in searches]
    return " ".join(filter(None, sentences))


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
    is_cut, _, found = call.summary.partition("cut short: ")
    return "" if is_cut else f"The {call.agent} search was cut short: {found.partition(' from ')[0]}."


def _full_stop(sentence: str) -> str:
    return "" if sentence.endswith((".", "!", "?")) else "."
