"""What "cancel it", "undo that" and "no" are about right after a booking: what the request before has made.

Never a booking of an earlier request: one that was denied, failed or was sold out left nothing to cancel.
"""

from collections.abc import Sequence

from ...domain.errors import StoreUnavailable
from ...domain.tool_call import ToolCall
from ..tools.booking import CancelBooking
from ..values.booking import Cancellation
from .state import TravelRun
from .write_endings import NOT_KNOWN_YET

NOTHING_WAS_BOOKED = "Nothing was booked by that, so there is nothing to cancel."
_BEING_DONE = (
    "You have allowed that already, and it is being done: a no does not stop it. I will tell what came of it."
)
_STAYS = '{} stays as it is: say "cancel it" if you do not want it.'
_NOT_TAKEN_BACK = "A cancellation cannot be taken back, but you can book again."


async def left_by_a_no(run: TravelRun) -> str:
    """Return what a no with nothing left to deny does not undo; "" where nothing was allowed just before.

    Of a yes and a no at the same instant, from two windows, one counts: whoever has sent the no must not read
    "All right" beside what is booked. May be cancelled.
    """
    try:
        writes = await run.kept.writes_before(run.context.user_id, run.context.task_id) if run.kept else ()
    except StoreUnavailable:
        return ""
    if any(call.outcome is None or call.unsettled for call in writes):
        return _BEING_DONE
    made = [_made_by(call).reference for call in writes if call.done and call.tool != CancelBooking.name]
    return _STAYS.format(" and ".join(made)) if made else ""


async def to_cancel(run: TravelRun) -> Sequence[Cancellation] | str:
    """Return what is to be cancelled of the request before, in a sentence why nothing is.

    A cancellation that was denied or failed is asked for again; one that was made is final. Raises
    `StoreUnavailable`. May be cancelled.
    """
    writes = await run.kept.writes_before(run.context.user_id, run.context.task_id) if run.kept else ()
    made = [_made_by(call) for call in writes if call.done and call.tool != CancelBooking.name]
    if made:
        return made
    cancelled = [call for call in writes if call.tool == CancelBooking.name]
    again = [each for call in cancelled if not call.done and (each := _asked_by(run, call)) is not None]
    if again:
        return again
    if cancelled:
        gone = " and ".join(_made_by(call).reference for call in cancelled if call.done)
        return " ".join(filter(None, [f"{gone} is cancelled." if gone else "", _NOT_TAKEN_BACK]))
    return NOT_KNOWN_YET if any(call.outcome == "unknown" for call in writes) else NOTHING_WAS_BOOKED


def _made_by(call: ToolCall) -> Cancellation:
    return Cancellation(reference=call.result["reference"])


def _asked_by(run: TravelRun, call: ToolCall) -> Cancellation | None:
    write = run.bookings.wanted_by(call)
    return write.wanted if write is not None and isinstance(write.wanted, Cancellation) else None
