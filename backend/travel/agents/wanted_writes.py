"""Which write a message wants: a tool, with the offer or the booking that it is for.

`wanted_write` picks from what the searches of the task have found, or from what the user has booked or holds;
`of_earlier` takes an offer of an earlier request. Neither writes anything, and both say in a sentence why
there is nothing to write.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...tasks.ledger.base import WriteTool
from ..tools.booking import BookingTools, WantedWrite
from ..understanding.found import KINDS, Which
from ..understanding.queries import flight_query
from ..understanding.result import Bookable, BookingWish
from ..values.booking import Booking, Cancellation, Wanted, choice_of, whole_offer
from ..values.offers import in_order
from ..values.travel import FlightOffer, FlightQuery
from .choosing import chosen, which_kind
from .earlier_offers import without_city
from .found.found_offers import pointed_at
from .own_bookings import bookings_of_user, kind_of
from .state import EarlierOffer, TravelRun

NOTHING_TO_CANCEL = "You have no booking that could be cancelled."
ONLY_FLIGHTS_ARE_HELD = "Only flights can be held; a {} is booked at once."
LACKS_FACTS = "That offer lacks what is needed to book it; please have it searched for again."


async def wanted_write(run: TravelRun, wish: BookingWish) -> WantedWrite | str:
    """Return what a wish wants written, or in a sentence why nothing can be. May be cancelled."""
    if wish.action == "cancel":
        return await _cancellation(run, wish)
    held = await _held(run, wish) if wish.action == "book" else None
    if held is not None:
        return held
    kind = wish.kind or _only_kind(run)
    if kind is None:
        return which_kind(wish.action, _kinds_found(run))
    if wish.action == "hold" and kind != "flight":
        return ONLY_FLIGHTS_ARE_HELD.format(kind)
    wish, order = without_city(wish, run.understanding), run.spoken_of.order(kind)
    found = run.context.found.to_json().get(kind, [])
    item = _pointed_at(run, wish.which, kind, found) or chosen(
        found,
        wish,
        kind=kind,
        by=order.by,
        descending=order.descending,
        spoken_of=run.spoken_of.offer_id_of(wish),
    )
    if isinstance(item, str):
        return item
    offer = whole_offer(item)
    if offer is None:
        return LACKS_FACTS
    run.context.point_out(kind, [item["offer_id"]])
    run.speak_of(run.spoken_of.of(kind, [item]))
    return WantedWrite(_tool(run.bookings, wish, kind), Wanted(choice=choice_of(offer)))


def _pointed_at(
    run: TravelRun, which: Which | None, kind: Bookable, items: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any] | str | None:
    """Return the offer that only those shown tell ("the last one"), or why there is none."""
    if which is None or not items:
        return None
    order = run.spoken_of.order(kind)
    shown = in_order(items, order.by, descending=order.descending)
    pointed = pointed_at(shown, which, kind, run.spoken_of)
    if pointed is None and which.by is not None:
        return in_order(items, which.by, descending=which.descending)[0]
    return pointed[0] if isinstance(pointed, tuple) else pointed


def of_earlier(run: TravelRun, wish: BookingWish, earlier: EarlierOffer) -> WantedWrite | str:
    """Return how to book an offer of an earlier request, which is quoted anew and needs no search."""
    if earlier["item"] is None:
        return earlier["why_none"]
    if wish.action == "hold" and earlier["kind"] != "flight":
        return ONLY_FLIGHTS_ARE_HELD.format(earlier["kind"])
    offer = whole_offer(earlier["item"])
    if offer is None:
        return LACKS_FACTS
    return WantedWrite(_tool(run.bookings, wish, earlier["kind"]), Wanted(choice=choice_of(offer)))


def _kinds_found(run: TravelRun) -> Sequence[Bookable]:
    found = run.context.found.counts()
    return [kind for kind in KINDS if found.get(kind)]


def _only_kind(run: TravelRun) -> Bookable | None:
    """Return of what there are offers, if that is one kind only."""
    kinds = _kinds_found(run)
    return kinds[0] if len(kinds) == 1 else None


def _tool(tools: BookingTools, wish: BookingWish, kind: Bookable) -> WriteTool[Any]:
    return tools.hold_flight if wish.action == "hold" else tools.books(kind)


async def _held(run: TravelRun, wish: BookingWish) -> WantedWrite | str | None:
    """Return how to book what the user holds: the hold of a reference, or the only one that can be meant."""
    if not wish.reference and (
        wish.pick or wish.number or wish.name or wish.which or wish.kind not in (None, "flight")
    ):
        return None
    bookings = await bookings_of_user(run)
    if wish.reference:
        named = [each for each in bookings if each.reference == wish.reference]
        if not named:
            return f"You have no booking {wish.reference}."
        if named[0].state != "held":
            return f"{wish.reference} is {named[0].state} already."
    else:
        query = flight_query(run.understanding)
        named = [each for each in bookings if each.state == "held" and _answers(each, query)]
        if len(named) != 1:
            return None
    wanted = Wanted(choice=choice_of(named[0].offer), travellers=named[0].travellers)
    return WantedWrite(run.bookings.book_flight, wanted)


def _answers(booking: Booking, query: FlightQuery | None) -> bool:
    """Whether what is held is a flight between the places, and on the day, that are searched for now."""
    if query is None or not isinstance(booking.offer, FlightOffer):
        return query is None
    first = booking.offer.slices[0].segments[0]
    return (
        first.origin in query.origins
        and booking.offer.slices[0].segments[-1].destination in query.destinations
        and first.departs_at.date() == query.departure_date
    )


async def _cancellation(run: TravelRun, wish: BookingWish) -> WantedWrite | str:
    """Return which booking to cancel: the one of a reference, or the only one that can be meant."""
    if wish.reference:
        return WantedWrite(run.bookings.cancel_booking, Cancellation(reference=wish.reference))
    live = [
        each
        for each in await bookings_of_user(run)
        if each.state in ("held", "booked") and wish.kind in (None, kind_of(each))
    ]
    if not live:
        return NOTHING_TO_CANCEL
    if len(live) > 1:
        return f"Which one shall I cancel: {', '.join(each.reference for each in live)}?"
    return WantedWrite(run.bookings.cancel_booking, Cancellation(reference=live[0].reference))
