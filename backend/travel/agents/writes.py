"""Which write a message wants, what the request before has made, and how a write has ended.

`wanted_write` picks from what the searches of the task have found, or from what the user has booked or holds;
`of_earlier` takes an offer of an earlier request. Neither writes anything, and both say in a sentence why
there is nothing to write. Nothing here guesses: "cancel it" right after a booking is about what the request
before has made, and never about a booking of an earlier one.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import partial
from operator import itemgetter
from typing import Any, NamedTuple

from ...domain.errors import DetourError, StoreUnavailable
from ...domain.tool_call import ToolCall
from ...tasks.ledger.base import WriteTool
from ..tools import booking_words as words
from ..tools.booking import BookingTools, CancelBooking, WantedWrite, wanted_of
from ..understanding.dialogue.slots import held_in
from ..understanding.english.language.text import tokenise
from ..understanding.found import KINDS, Which
from ..understanding.queries import flight_query
from ..understanding.result import Bookable, BookingWish, ShownRental, ShownStay
from ..understanding.slot_table import ROWS
from ..values.booking import Booking, Cancellation, Choice, booking_from_json, choice_of, whole_offer
from ..values.offers import Untold, currency, in_order, price, told
from ..values.travel import CarOffer, FlightOffer, FlightQuery, HotelOffer
from .choosing import Item, chosen, which_kind, without_city
from .found.found_offers import pointed_at
from .found.other_requests import named_for_want_of_better
from .state import EarlierOffer, TravelRun

NOT_KNOWN_YET = "I do not know yet whether that went through; I will tell you as soon as I do."

_VERBS = {
    "hold_flight": ("hold", "held"),
    "book_flight": ("book", "booked"),
    "book_hotel": ("book", "booked"),
    "book_car": ("book", "booked"),
    "cancel_booking": ("cancel", "cancelled"),
}
WRITES = frozenset(_VERBS)
"""The names of all tools whose writes are told of here."""


class Ending(NamedTuple):
    """How a part of the agent's work ended: its state, "done" or "failed", and a sentence for the reply.

    What the user does not allow is done, too: nothing went wrong.
    """

    state: str
    sentence: str


def ending_of(call: ToolCall, one_of_several: str = "") -> Ending:
    """Return how a write ended, told by its kind where it is `one_of_several`: others may be booked."""
    verb, done = _VERBS[call.tool]
    if call.done:
        return Ending("done", f"{call.summary[:1].upper()}{call.summary[1:]}.")
    if call.outcome == "denied" and one_of_several:
        return Ending("done", f"You did not allow the {one_of_several}, so it was not {done}.")
    if call.outcome == "denied":
        return Ending("done", f"You did not allow it, so nothing was {done}.")
    if call.outcome == "unknown":
        return Ending("done", NOT_KNOWN_YET)
    reason = call.summary[:1].upper() + call.summary[1:] or f"Nothing was {done}"
    return Ending("failed", f"I could not {verb} that. {reason if reason.endswith('.') else reason + '.'}")


# --- what a user has booked ----------------------------------------------------------------------------


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
    of_kind = [line for line, each in meant if kind in (None, each.kind)]
    lines = of_kind or [line for line, _ in meant]
    if not lines:
        return f"You have no booking {named}." if named else NO_BOOKINGS
    listed = f"{'Your booking' if len(lines) == 1 else 'Your bookings'}: {'; '.join(lines)}."
    return listed if of_kind else f"No {kind} is booked. {listed}"


async def bookings_of_user(run: TravelRun) -> Sequence[Booking]:
    """Return the user's bookings, the oldest first; none where they cannot be read. May be cancelled."""
    listed: Sequence[Mapping[str, Any]] = (await _listed(run)).result or ()
    return [booking_from_json(each["booking"]) for each in listed]


async def _listed(run: TravelRun) -> ToolCall:
    arguments: Mapping[str, Any] = {}
    # A write that is still under way would be missing from the list, or be in it though it fails.
    await run.tools.writes_at_rest(AGENT)
    return await run.tools.read(AGENT, run.bookings.list_bookings, arguments)


# --- what the request before has made ------------------------------------------------------------------


NOTHING_WAS_BOOKED = "Nothing was booked by that, so there is nothing to cancel."
_BEING_DONE = (
    "You have allowed that already, and it is being done: a no does not stop it. I will tell what came of it."
)
_STAYS = '{} stays as it is: say "cancel it" if you do not want it.'
_DAYS = ("first_day", "last_day")
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


async def left_by_other_days(run: TravelRun) -> str:
    """Return that what was booked just before stays where a message tells other days; "" if nothing was.

    "One more night", said behind a booking, is searched for, and changes nothing of it. May be cancelled.
    """
    understood = run.understanding
    news = (ROWS[name] for name in held_in(understood).filled - {*understood.carried})
    moved = [slot for slot in news if slot.link in _DAYS or slot.instead_of]
    is_told = understood.booking or any(one.reason == "booking_stays" for one in understood.refused)
    return "" if understood.relation != "refine" or is_told or not moved else await left_by_a_no(run)


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


# --- what is to be written -----------------------------------------------------------------------------


_LETTERS = 3  # from which a word is a day or a month in short
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
    if wish.is_same:
        wish = await _as_booked(run, wish, kind)
    wish, order = without_city(wish, run.understanding), run.spoken_of.order(kind)
    found = run.context.found.to_json().get(kind, [])
    is_alone = run.understanding.booking is not None and run.understanding.booking.then is None
    is_plain = (
        wish.pick == "cheapest" and is_alone and not (wish.name or wish.shown or (wish.number or 1) > 1)
    )
    beyond = None if found or not is_plain else await named_for_want_of_better(run, kind)
    item = (
        beyond
        or _pointed_at(run, wish.which, kind, found)
        or chosen(
            found,
            wish,
            kind=kind,
            by=order.by,
            descending=order.descending,
            spoken_of=run.spoken_of.offer_id_of(wish),
        )
    )
    if isinstance(item, str):
        return item
    offer = whole_offer(item)
    if offer is None:
        return LACKS_FACTS
    run.context.point_out(kind, [item["offer_id"]])
    run.speak_of(run.spoken_of.of(kind, [item]))
    return WantedWrite(_tool(run.bookings, wish, kind), wanted_of(offer))


async def _as_booked(run: TravelRun, wish: BookingWish, kind: Bookable) -> BookingWish:
    """Return the wish for what is booked, or was until it was cancelled; the same without any."""
    same = [each for each in await bookings_of_user(run) if each.kind == kind]
    gone = {each.reference for each in wish.in_turn}
    offer = next((each.offer for each in same if each.reference in gone), same[-1].offer if same else None)
    if isinstance(offer, HotelOffer):
        return replace(wish, name=offer.name, shown=ShownStay(hotel=offer.name, district=offer.district))
    if isinstance(offer, CarOffer):
        car = f"{offer.model}, {offer.supplier}"
        return replace(wish, name=car, shown=ShownRental(car=car, transmission=offer.transmission))
    if offer is None:
        return wish
    first = offer.slices[0].segments[0]
    return replace(wish, name=f"{first.carrier_name} {first.number}")


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
    return WantedWrite(_tool(run.bookings, wish, earlier["kind"]), wanted_of(offer))


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
    wanted = wanted_of(named[0].offer, travellers=named[0].travellers)
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
    writes = (call for call in run.tools.calls if call.effect == "write" and call.done)
    made = {call.result["reference"] for call in writes}
    live = [
        each
        for each in await bookings_of_user(run)
        if each.state in ("held", "booked") and wish.kind in (None, each.kind) and each.reference not in made
    ]
    if not live:
        return NOTHING_TO_CANCEL
    if wish.name:
        all_live, live = live, [each for each in live if _is_told_by(words.in_short(each.offer), wish.name)]
        if not live:
            return f"You have booked nothing called {wish.name}: {'; '.join(map(words.listed, all_live))}."
    if len(live) > 1:
        return f"Which one shall I cancel: {', '.join(each.reference for each in live)}?"
    return WantedWrite(run.bookings.cancel_booking, Cancellation(reference=live[0].reference))


def _is_told_by(line: str, name: str) -> bool:
    """Whether an offer in short has all words of a name: of "Saturday" the first letters do."""
    known = [token.norm for token in tokenise(line)]

    def is_known(word: str) -> bool:
        alike = [one for one in known if min(len(one), len(word)) >= _LETTERS]
        return word in known or any(one.startswith(word[: len(one)]) for one in alike)

    return all(is_known(token.norm) for token in tokenise(name))


# --- what is left of an offer that is gone -------------------------------------------------------------


_MOST_ASKED = 5
"""How many other offers are asked for, one after the other, until one is still to be had."""


async def nearest_left(run: TravelRun, gone: EarlierOffer) -> str:
    """Return a sentence that names the nearest offer of the same request which is still sold; "" for none.

    It is "" as well where the store cannot be read: the write has ended, and its outcome must still be told.
    May be cancelled.
    """
    try:
        kept = await run.kept.of_task(run.context.user_id, gone["task_id"]) if run.kept else None
    except StoreUnavailable:
        return ""
    item = gone["item"]
    if kept is None or item is None:
        return ""
    tool = run.bookings.books(gone["kind"])
    missing = _choice(item)
    others = (each for each in kept.offers.get(gone["kind"], ()) if each["offer_id"] != item["offer_id"])
    distances = [(told(partial(_distance, item), other), other) for other in others]
    nearest_first = sorted((each for each in distances if each[0] is not None), key=itemgetter(0))
    for _, other in nearest_first[:_MOST_ASKED]:
        offer = whole_offer(other)
        if offer is None or choice_of(offer) == missing:
            continue  # it lacks what is asked for, or is the same, sold by somebody else
        with suppress(DetourError):
            quote = await tool.quote(run.context.user_id, wanted_of(offer))
            offer = quote.arguments.offer
            return f"The nearest that is left is {words.told_apart(offer)} for {offer.price_total}."
    return ""


def _choice(item: Item) -> Choice | None:
    offer = whole_offer(item)
    return choice_of(offer) if offer is not None else None


def _distance(gone: Item, other: Item) -> tuple[float, Decimal]:
    """How far another offer is from the one that is gone: flights by when they leave, others by price.

    Raises one of `UNTOLD` where that is not told, or the price is in another currency.
    """
    if currency(other) != currency(gone):
        raise Untold("price_total")
    dearer = abs(price(other) - price(gone))
    if "slices" not in gone:
        return 0.0, dearer
    apart = zip(_departures(gone), _departures(other), strict=False)
    return sum(abs((there - here).total_seconds()) for here, there in apart), dearer


def _departures(item: Item) -> Sequence[datetime]:
    return [datetime.fromisoformat(each["segments"][0]["departs_at"]) for each in item["slices"]]
