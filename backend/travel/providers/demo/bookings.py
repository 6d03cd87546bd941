"""Bookings on the demo inventory: nothing is bought, but all else is as with a real provider.

Seats, rooms and cars are finite, what is held expires, prices may have changed since they were seen, and the
card that pays takes no more than `MOST_PAID`: whoever orders above that sees a payment fail. What is booked
survives a kill at any instant.

A request takes its time to arrive and its answer takes its time to come back; between the two lies one
transaction. Whoever waits in vain cannot know which of the two it was, as with a real provider.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from itertools import chain
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import orjson

from ....domain.encoding import Clock, encode_exactly, encode_sorted
from ....domain.errors import (
    BookingRefused,
    DetourError,
    NotFound,
    NotOnSale,
    OutcomeUnknown,
    ProviderError,
    QuoteChanged,
)
from ...values.booking import (
    Booking,
    Cancellation,
    Choice,
    FlightChoice,
    Offer,
    Order,
    RentalChoice,
    StayChoice,
    booking_from_json,
    choice_of,
    parts_of,
)
from ...values.places import cities_named
from ...values.travel import (
    CarOffer,
    CarQuery,
    FlightOffer,
    HotelOffer,
    HotelQuery,
    Money,
    shared,
)
from ..booking_database import BookingDatabase, Steps, new_reference
from .cars import CarMarket, cars, check_rental, priced_car
from .flights import flight_offer
from .hotels import check_stay, hotels, priced_stay, rooms_on_sale
from .inventory import Inventory
from .journeys import TicketCounter, journey_of
from .world import NOT_OFFERED, PROVIDER_NAME, check_flights, fingerprint, in_eur, quoted, unit

# --- what is chosen, as it is sold now -----------------------------------------------------------------


SOLD_OUT = "That is sold out by now."

Place = tuple[str, int]
"""What can run out: a flight, a hotel or a car, and the day or night (an ordinal)."""


class Claim(NamedTuple):
    """So many seats of a flight, rooms of a night or cars of a day (an ordinal), `of` those there are."""

    item: str
    day: int
    places: int
    of: int


class Sale(NamedTuple):
    """An offer as it is sold now, what booking it takes, and `subject`, the same for equal choices only."""

    offer: Offer
    claims: tuple[Claim, ...]
    subject: str

    def has_room(self, taken: Mapping[Place, int]) -> bool:
        """Return whether all that it takes is there beside what is taken."""
        return all(taken.get((each.item, each.day), 0) + each.places <= each.of for each in self.claims)


def places_of(choice: Choice, *, seed: int) -> list[Place]:
    """Return all that a choice takes places of, in order."""
    if isinstance(choice, StayChoice):
        item = f"room {seed} {choice.hotel} {choice.latitude} {choice.longitude}"
        return [(item, night) for night in range(choice.check_in.toordinal(), choice.check_out.toordinal())]
    if isinstance(choice, RentalChoice):
        which = (choice.supplier, choice.model, choice.car_class, choice.transmission, choice.station)
        item = f"car {seed} {choice.city} {choice.subdivision} {choice.country} {' '.join(which)}"
        # The day of the return counts: whoever takes the car next gets it the day after.
        return [(item, day) for day in range(choice.pick_up.toordinal(), choice.drop_off.toordinal() + 1)]
    return [
        (f"seat {seed} {flight.carrier} {flight.number}", flight.day.toordinal())
        for direction in choice.directions
        for flight in direction
    ]


def sale_of(choice: Choice, inventory: Inventory, *, today: date) -> Sale:
    """Return what is chosen as it is sold today, whether or not there is room for it.

    Raises `NotOnSale` where it is no longer sold, or never was.
    """
    quoted(choice.currency)
    if isinstance(choice, StayChoice):
        offer, count, of = _stay(choice, today=today, seed=inventory.seed)
    elif isinstance(choice, RentalChoice):
        offer, count, of = _rental(choice, today=today, seed=inventory.seed)
    else:
        offer, count, of = _flights(choice, inventory, today=today)
    places = places_of(choice, seed=inventory.seed)
    claims = (Claim(item, day, count, there) for (item, day), there in zip(places, of, strict=True))
    return Sale(offer, tuple(claims), fingerprint(encode_sorted(parts_of(choice))))


_Sold = tuple[Offer, int, Iterable[int]]
"""An offer, how many places it takes of each, and how many of each there are."""


def _flights(choice: FlightChoice, inventory: Inventory, *, today: date) -> _Sold:
    there, *back = (flights[0].day for flights in choice.directions)
    check_flights(there, back[0] if back else None, passengers=choice.passengers, today=today)
    counter = TicketCounter(
        inventory=inventory, today=today, passengers=choice.passengers, cabin=choice.cabin_class
    )
    directions = [tuple(map(counter.flight, flights)) for flights in choice.directions]
    offer = flight_offer(tuple(map(journey_of, directions)), counter, currency=choice.currency)
    return offer, choice.passengers, [leg.seats for legs in directions for leg in legs]


def _stay(choice: StayChoice, *, today: date, seed: int) -> _Sold:
    query = HotelQuery(**shared(HotelQuery, choice))
    check_stay(query, today=today)
    # Among cities of one name, the place on the map tells which hotel is meant.
    of_name = (
        hotel
        for city in cities_named(query.city, query.country, query.subdivision)
        for hotel in hotels(city, seed=seed)
        if (hotel.name, hotel.latitude, hotel.longitude) == (choice.hotel, choice.latitude, choice.longitude)
    )
    hotel = next(of_name, None)
    if hotel is None or hotel.sleeps * choice.rooms < choice.guests:
        raise NotOnSale(NOT_OFFERED)
    offer = priced_stay(hotel, query, currency=choice.currency, today=today, seed=seed)
    if offer is None:
        raise NotOnSale(SOLD_OUT)
    nights = (choice.check_in + timedelta(days=night) for night in range(query.nights))
    return offer, choice.rooms, [rooms_on_sale(hotel, night, seed=seed) for night in nights]


def _rental(choice: RentalChoice, *, today: date, seed: int) -> _Sold:
    query, currency = CarQuery(**shared(CarQuery, choice)), choice.currency
    check_rental(query, today=today)
    for market in get_args(CarMarket):
        for city in cities_named(query.city, query.country, query.subdivision):
            for car in cars(city, market=market, seed=seed):
                offer = priced_car(car, query, market=market, currency=currency, today=today, seed=seed)
                if choice_of(offer) == choice:
                    return offer, 1, [car.at_most] * len(places_of(choice, seed=seed))
    raise NotOnSale(NOT_OFFERED)


# --- bookings ------------------------------------------------------------------------------------------


ANSWERED_WITHIN_S = 10.0

OfferT = TypeVar("OfferT", FlightOffer, HotelOffer, CarOffer)


class _Call(NamedTuple):
    user_id: str
    call_id: str
    arguments: Any

    @property
    def digest(self) -> str:
        """What tells its arguments from others. Raises `TypeError` where a name in them is no text."""
        return blake2b(encode_sorted(self.arguments), digest_size=16).hexdigest()


@dataclass(kw_only=True, eq=False)
class DemoBookings:
    """Implements `backend.travel.providers.base.BookingProvider` over a database of bookings.

    `pace` is the time, in seconds, that a request takes to arrive, and an answer to come
    back, give or take a third; `answered_within_s` how long a call waits for both. Use from one thread.
    """

    name = PROVIDER_NAME
    live = False
    hold_minutes = 20

    database: BookingDatabase
    inventory: Inventory
    clock: Clock
    today: Callable[[], date]
    pace: float
    answered_within_s: float = ANSWERED_WITHIN_S
    reference: Callable[[], str] = lambda: new_reference("DEMO")

    def __post_init__(self) -> None:
        self._under_way = Counter[tuple[str, str]]()

    async def close(self) -> None:
        """Finish what was handed over and close the database; nothing can be booked afterwards."""
        await self.database.close()

    # --- reading -------------------------------------------------------------------------------------

    async def offer(self, user_id: str, choice: Choice, seen: Offer | None = None) -> Offer:
        """Return what is chosen as it is sold now, or as the user holds it. Raises `NotOnSale`.

        May be cancelled.
        """
        sale, at = sale_of(choice, self.inventory, today=self.today()), self.clock()

        def read() -> Steps[Offer]:
            if kept := (yield from _held(user_id, sale.subject, at)):
                return kept.offer
            if not sale.has_room((yield from _taken(sale.claims, at))):
                raise NotOnSale(SOLD_OUT)
            return sale.offer

        return await self.database.read(read())

    async def with_room(self, offers: Sequence[OfferT]) -> Sequence[OfferT]:
        """Return those offers for which there is room now. Raises `ProviderError`. May be cancelled."""
        places = [places_of(choice_of(offer), seed=self.inventory.seed) for offer in offers]
        every = chain.from_iterable(places)
        taken = await self.database.read(_taken(every, self.clock())) if offers else {}

        def has_room(offer: Offer, of_offer: list[Place]) -> bool:
            if taken.keys().isdisjoint(of_offer):
                return True
            return sale_of(choice_of(offer), self.inventory, today=self.today()).has_room(taken)

        return [offer for offer, each in zip(offers, places, strict=True) if has_room(offer, each)]

    async def booking(self, user_id: str, reference: str) -> Booking:
        """Return a booking of the user. Raises `NotFound`. May be cancelled."""
        return await self.database.read(_booking(user_id, reference, self.clock()))

    async def bookings(self, user_id: str) -> Sequence[Booking]:
        """Return all bookings of the user, the oldest first. May be cancelled."""
        kept = await self.database.read(_kept("user_id = $1 ORDER BY made_at, reference", user_id))
        return tuple(booking.as_of(self.clock()) for booking in kept)

    async def cancellation(self, user_id: str, reference: str) -> Cancellation:
        """Return what cancelling gives back now. Raises `NotFound`, `BookingRefused`. May be cancelled."""
        booking = await self.booking(user_id, reference)
        refund = _refund_of(booking, at=self.clock(), today=self.today())
        return Cancellation(reference=reference, refund=refund)

    async def outcome_of(self, user_id: str, call_id: str) -> Booking | None:
        """Return what a call came to; None where it was not done, which is final: later it is refused.

        Raises `ProviderError` while it is on its way, or the database cannot be read. May be cancelled.
        """
        if (user_id, call_id) in self._under_way:
            raise ProviderError("It is on its way still; nobody knows yet what becomes of it.")
        return await self.database.write(_outcome_of(user_id, call_id))

    # --- writing -------------------------------------------------------------------------------------

    async def hold(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Keep a flight for `hold_minutes`. See `BookingProvider` for errors and cancellation."""
        call = _Call(user_id, call_id, ("hold", order))
        return await self._once(call, lambda: self._order(call, order, state="held"))

    async def book(self, user_id: str, call_id: str, order: Order) -> Booking:
        """Book and pay, from what is held where the user holds it. See `BookingProvider` for the rest."""
        call = _Call(user_id, call_id, ("book", order))
        return await self._once(call, lambda: self._order(call, order, state="booked"))

    async def cancel(self, user_id: str, call_id: str, cancellation: Cancellation) -> Booking:
        """Cancel a booking for the refund that was quoted. See `BookingProvider` for the rest."""
        call = _Call(user_id, call_id, ("cancel", cancellation))
        return await self._once(call, lambda: self._cancel(user_id, cancellation))

    async def forget(self, user_id: str) -> None:
        """Forget all of a user. Raises `ProviderError`."""
        await self.database.write(_forget(user_id))

    async def _once(self, call: _Call, do: Callable[[], Steps[Booking]]) -> Booking:
        """Do something in one transaction, unless the call was made before: then return what it came to."""
        under_way = (call.user_id, call.call_id)
        self._under_way[under_way] += 1
        try:
            async with asyncio.timeout(self.answered_within_s):
                await self._on_the_way("there", call.call_id)
                try:
                    # Before anything else: what was booked once may be sold no more.
                    booking = await self.database.read(_done_before(call))
                    booking = booking or await self.database.write(_only_once(call, do()))
                except DetourError:
                    await self._on_the_way("back", call.call_id)
                    raise
                await self._on_the_way("back", call.call_id)
                return booking
        except TimeoutError:
            raise OutcomeUnknown("The demo's booking office did not answer in time.") from None
        finally:
            self._under_way -= Counter([under_way])  # which drops those of which none is left

    async def _on_the_way(self, direction: str, call_id: str) -> None:
        await asyncio.sleep(self.pace * (0.7 + 0.6 * unit("on the way", direction, call_id)))

    # --- what is done, in a transaction, with what was read of the inventory before --------------------

    def _order(self, call: _Call, order: Order, *, state: Literal["held", "booked"]) -> Steps[Booking]:
        if state == "held" and not isinstance(order.offer, FlightOffer):
            noun = "room" if isinstance(order.offer, HotelOffer) else "car"
            raise BookingRefused(f"The demo inventory holds flights only; a {noun} is booked at once.")
        _check_travellers(order)
        sale = sale_of(choice_of(order.offer), self.inventory, today=self.today())
        at = self.clock()

        def steps() -> Steps[Booking]:
            kept = yield from _held(call.user_id, sale.subject, at)
            _check_terms(order.offer, kept.offer if kept else sale.offer)
            if state == "booked":
                _check_payment(order.offer.price_total)
            if kept is None:
                booking = Booking(
                    reference=self.reference(),
                    provider=self.name,
                    live=self.live,
                    state=state,
                    offer=sale.offer,
                    travellers=order.travellers,
                    made_at=at,
                    held_until=at + timedelta(minutes=self.hold_minutes) if state == "held" else None,
                )
                while (yield from _kept("reference = $1", booking.reference)):
                    booking = replace(booking, reference=self.reference())
                yield from _add(call.user_id, booking, sale)
            elif state == "held":
                return kept
            else:
                booking = replace(kept, state="booked", travellers=order.travellers or kept.travellers)
                yield from _change(booking)
            # After it is written: by another clock a hold may be over that is booked here, and its seat sold.
            taken = yield from _taken(sale.claims, at)
            if any(taken.get((each.item, each.day), 0) > each.of for each in sale.claims):
                raise BookingRefused(SOLD_OUT)
            return booking

        return steps()

    def _cancel(self, user_id: str, cancellation: Cancellation) -> Steps[Booking]:
        at, today = self.clock(), self.today()
        booking = yield from _booking(user_id, cancellation.reference, at)
        refund = _refund_of(booking, at=at, today=today)
        if cancellation.refund != refund:
            told = f"Cancelling {booking.reference} gives back {refund} now"
            raise QuoteChanged(f"{told}; nothing was cancelled.")
        booking = replace(booking, state="cancelled", refund=refund)
        yield from _change(booking)
        return booking


# --- rules ---------------------------------------------------------------------------------------------

MOST_PAID = Money(amount=Decimal(5000))
"""What the demo card pays at most; a dearer order is declined."""

_LONGEST_NAME = 60


def _check_travellers(order: Order) -> None:
    if len(order.travellers) > order.people:
        told = f"There are {len(order.travellers)} names for {order.people}"
        raise BookingRefused(f"{told}; nothing was booked.")
    for name in order.travellers:
        if not (name.strip() and len(name) <= _LONGEST_NAME and name.isprintable()):
            told = f"A traveller's name has 1 to {_LONGEST_NAME} printable characters"
            raise BookingRefused(f"{told}; nothing was booked.")


def _check_terms(seen: Offer, sold: Offer) -> None:
    """Raise `QuoteChanged` where an offer is sold otherwise by now than it was seen."""
    if seen.price_total != sold.price_total:
        told = f"The price has changed from {seen.price_total} to {sold.price_total}"
        raise QuoteChanged(f"{told}; nothing was booked.")
    if _conditions(seen) != _conditions(sold):
        raise QuoteChanged("The rules for cancelling it have changed; nothing was booked.")


def _conditions(offer: Offer) -> object:
    return offer.refundable if isinstance(offer, FlightOffer) else offer.free_cancellation_until


def _check_payment(total: Money) -> None:
    if in_eur(total) > MOST_PAID.amount:
        declined = f"The payment of {total} was declined"
        most = f"the demo card pays up to {MOST_PAID}"
        raise BookingRefused(f"{declined}: {most}. Nothing was booked.")


def _refund_of(booking: Booking, *, at: datetime, today: date) -> Money:
    """Return what cancelling gives back: all of it, where that is free, else nothing; a hold costs nothing.

    Raises `BookingRefused` where there is nothing to cancel, or it is too late.
    """
    offer = booking.offer
    if booking.state in ("cancelled", "expired"):
        raise BookingRefused(f"{booking.reference} is {booking.state} already; there is nothing to cancel.")
    if booking.has_begun(at, today):
        raise BookingRefused(f"{booking.reference} has begun; it can no longer be cancelled.")
    if isinstance(offer, FlightOffer):
        is_free = offer.refundable
    else:
        is_free = offer.free_cancellation_until is not None and today <= offer.free_cancellation_until
    total = offer.price_total
    return total if booking.state == "booked" and is_free else replace(total, amount=total.amount * 0)


# --- statements ----------------------------------------------------------------------------------------
# Room is what there is less what others have claimed: claims of what is held count until it expires, so that
# an expired hold frees its seats by the clock alone, with nothing to run.

_VOID = b""
"""What stands in the place of a booking where a call must not be carried out any more."""

_REUSED_CALL = "A call was sent again with something else in it; nothing was done."
_TOO_LATE = "The call came after somebody had been told that it was never made; nothing was done."


def _booking_of(document: bytes) -> Booking:
    return booking_from_json(orjson.loads(document))


def _taken(places: Iterable[Place | Claim], at: datetime) -> Steps[dict[Place, int]]:
    """Read how many of each place are taken from the first to the last day of some."""
    days = [place[1] for place in places]
    query = """SELECT item, day, sum(count) FROM detour_demo.claims
        WHERE day BETWEEN $1 AND $2 AND (until IS NULL OR until > $3) GROUP BY item, day"""
    return {(row[0], row[1]): row[2] for row in (yield query, (min(days), max(days), at))}


def _kept(where: str, *values: Any) -> Steps[list[Booking]]:
    rows = yield f"SELECT document FROM detour_demo.bookings WHERE {where}", values
    return [_booking_of(row[0]) for row in rows]


def _held(user_id: str, subject: str, at: datetime) -> Steps[Booking | None]:
    """Read what a user holds of something; of several the one that is held longest."""
    where = "user_id = $1 AND subject = $2 AND state = 'held' AND held_until > $3"
    kept = yield from _kept(f"{where} ORDER BY held_until DESC LIMIT 1", user_id, subject, at)
    return next(iter(kept), None)


def _booking(user_id: str, reference: str, at: datetime) -> Steps[Booking]:
    """Read a booking of a user. Raises `NotFound`, for another user's as for none at all."""
    for booking in (yield from _kept("reference = $1 AND user_id = $2", reference, user_id)):
        return booking.as_of(at)
    raise NotFound(f"You have no booking {reference}.")


def _add(user_id: str, booking: Booking, sale: Sale) -> Steps[None]:
    """Keep a new booking and claim what it takes, whether or not that is there."""
    kept = (booking.state, booking.made_at, booking.held_until, encode_exactly(booking))
    insert = "INSERT INTO detour_demo.bookings VALUES ($1, $2, $3, $4, $5, $6, $7)"
    yield insert, (booking.reference, user_id, sale.subject, *kept)
    for claim in sale.claims:
        values = (claim.item, claim.day, booking.reference, claim.places, booking.held_until)
        yield "INSERT INTO detour_demo.claims VALUES ($1, $2, $3, $4, $5)", values


def _change(booking: Booking) -> Steps[None]:
    """Keep a booking as it is now: a cancelled one takes nothing any more, a booked one for good."""
    reference = booking.reference
    update = "UPDATE detour_demo.bookings SET state = $2, document = $3 WHERE reference = $1"
    yield update, (reference, booking.state, encode_exactly(booking))
    if booking.state == "cancelled":
        yield "DELETE FROM detour_demo.claims WHERE reference = $1", (reference,)
    else:
        yield "UPDATE detour_demo.claims SET until = NULL WHERE reference = $1", (reference,)


def _forget(user_id: str) -> Steps[None]:
    """Delete all of a user; what it had claimed is there for others again."""
    of_user = "(SELECT reference FROM detour_demo.bookings WHERE user_id = $1)"
    yield f"DELETE FROM detour_demo.claims WHERE reference IN {of_user}", (user_id,)
    yield "DELETE FROM detour_demo.calls WHERE user_id = $1", (user_id,)
    yield "DELETE FROM detour_demo.bookings WHERE user_id = $1", (user_id,)


def _call(user_id: str, call_id: str) -> Steps[Sequence[Any] | None]:
    query = "SELECT arguments, document FROM detour_demo.calls WHERE user_id = $1 AND call_id = $2"
    return next(iter((yield query, (user_id, call_id))), None)


def _keep_call(user_id: str, call_id: str, digest: str, document: bytes) -> Steps[None]:
    yield "INSERT INTO detour_demo.calls VALUES ($1, $2, $3, $4)", (user_id, call_id, digest, document)


def _done_before(call: _Call) -> Steps[Booking | None]:
    """Read what a call came to if it was made before.

    Raises `BookingRefused` if it had other arguments, or must not be carried out any more.
    """
    found = yield from _call(call.user_id, call.call_id)
    if found is None:
        return None
    if found[1] == _VOID:
        raise BookingRefused(_TOO_LATE)
    if found[0] != call.digest:
        raise BookingRefused(_REUSED_CALL)
    return _booking_of(found[1])


def _only_once(call: _Call, do: Steps[Booking]) -> Steps[Booking]:
    """Do something and keep what it came to, unless the same call, under way twice, has done it."""
    if before := (yield from _done_before(call)):
        return before
    booking = yield from do
    yield from _keep_call(call.user_id, call.call_id, call.digest, encode_exactly(booking))
    return booking


def _outcome_of(user_id: str, call_id: str) -> Steps[Booking | None]:
    """Read what a call came to; one that was not made is void from then on: it may still be on its way."""
    found = yield from _call(user_id, call_id)
    if found is None:
        yield from _keep_call(user_id, call_id, "", _VOID)
    return _booking_of(found[1]) if found and found[1] != _VOID else None
