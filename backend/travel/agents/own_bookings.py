"""The bookings that a user has: as the provider lists them, and in a sentence."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...domain.tool_call import ToolCall
from ..understanding.result import Bookable
from ..values.booking import Booking, booking_from_json
from ..values.travel import CarOffer, FlightOffer
from .state import TravelRun

AGENT = "booking"

NO_BOOKINGS = "You have no bookings."


async def list_of_bookings(run: TravelRun) -> str:
    """Return the user's bookings in a sentence: those of the reference or kind in the message, else all.

    May be cancelled.
    """
    call = await _listed(run)
    if call.outcome != "completed":
        return call.summary
    wish = run.understanding.booking
    named, kind = (wish.reference, wish.kind) if wish else (None, None)
    all_lines = [(each["line"], booking_from_json(each["booking"])) for each in call.result]
    meant = [(line, each) for line, each in all_lines if named in (None, each.reference)]
    of_kind = [line for line, each in meant if kind in (None, kind_of(each))]
    lines = of_kind or [line for line, _ in meant]
    if not lines:
        return f"You have no booking {named}." if named else NO_BOOKINGS
    listed = f"{'Your booking' if len(lines) == 1 else 'Your bookings'}: {'; '.join(lines)}."
    return listed if of_kind else f"No {kind} is booked. {listed}"


async def bookings_of_user(run: TravelRun) -> Sequence[Booking]:
    """Return the user's bookings, the oldest first; none where they cannot be read. May be cancelled."""
    listed: Sequence[Mapping[str, Any]] = (await _listed(run)).result or ()
    return [booking_from_json(each["booking"]) for each in listed]


def kind_of(booking: Booking) -> Bookable:
    """Return which agent found what is booked."""
    if isinstance(booking.offer, FlightOffer):
        return "flight"
    return "car" if isinstance(booking.offer, CarOffer) else "hotel"


async def _listed(run: TravelRun) -> ToolCall:
    arguments: Mapping[str, Any] = {}
    # A write that is still under way would be missing from the list, or be in it though it fails.
    await run.tools.writes_at_rest(AGENT)
    return await run.tools.read(AGENT, run.bookings.list_bookings, arguments)
