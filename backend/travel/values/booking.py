"""Bookings: what is chosen, what is ordered, what a provider made of it, what cancelling gives back.

A choice has no price: the same flights on another day are the same choice. An order has the offer as the user
saw it: a provider that sells it otherwise by now refuses, rather than book what nobody agreed to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import date, datetime
from typing import Any, Literal, cast

from .offers import told
from .travel import (
    LATER,
    CabinClass,
    CarClass,
    CarOffer,
    FlightOffer,
    FlightSegment,
    FlightSlice,
    HotelOffer,
    Money,
    Papers,
    Station,
    Transmission,
    from_json,
    shared,
)

# --- values --------------------------------------------------------------------------------------------


Offer = FlightOffer | HotelOffer | CarOffer
BookingState = Literal["held", "booked", "cancelled", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One flight of a carrier (its id) on a day, which is the local one where it leaves."""

    carrier: str
    number: str
    origin: str
    destination: str
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class FlightChoice:
    """The flights of each direction, for so many passengers, to be paid in a currency.

    `children` are the ages of some of them, where the seller prices by these.
    """

    directions: tuple[tuple[Departure, ...], ...]
    cabin_class: CabinClass
    passengers: int
    currency: str
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StayChoice:
    """A stay at one hotel, which its name and its place on the map tell, to be paid in a currency.

    `children` are the ages of some of the guests, where the seller prices by these.
    """

    hotel: str
    city: str
    country: str
    latitude: float | None
    longitude: float | None
    check_in: date
    check_out: date
    rooms: int
    guests: int
    currency: str
    children: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RentalChoice:
    """A car of a supplier's, by its model and class, from one station of a city; one car for one driver."""

    supplier: str
    model: str
    car_class: CarClass
    transmission: Transmission
    station: Station
    city: str
    country: str
    subdivision: str
    pick_up: date
    drop_off: date
    currency: str


Choice = FlightChoice | StayChoice | RentalChoice


def parts_of(choice: Choice) -> Mapping[str, Any]:
    """Return what tells a choice from others; one without children as before choices knew of any."""
    values = {each.name: getattr(choice, each.name) for each in fields(choice)}
    return {name: value for name, value in values.items() if name != "children" or value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user wants held or booked, and for whom; at what price, a provider is yet to say.

    `not_chosen_by` are wishes by which the offer was not chosen, in the user's words. `beside` are sentences
    for the question: what of the message is left out, and what is asked next. `seen` is the offer of a real
    seller's, who sells it by its own id; None for the demo's, which knows what is chosen.
    """

    choice: Choice
    travellers: tuple[str, ...] = ()
    not_chosen_by: tuple[str, ...] = ()
    beside: str = ""
    seen: Offer | None = None

    def key_parts(self) -> Mapping[str, Any]:
        """Return what tells this write from others: not what is said beside its question.

        Who declines the second of two bookings changes what is said beside the first, which stays allowed.
        """
        return {
            "choice": parts_of(self.choice),
            "not_chosen_by": self.not_chosen_by,
            "travellers": self.travellers,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Whom a seller wants to know: `adults`, `children` of these ages `on` a day, and their `passports`."""

    adults: int
    children: tuple[int, ...] = ()
    on: date
    passports: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An offer to be held or booked. `travellers` are names, at most one a person; none if not told."""

    offer: Offer
    travellers: tuple[str, ...] = ()

    @property
    def people(self) -> int:
        """How many travel, stay or drive."""
        if isinstance(self.offer, CarOffer):
            return 1
        return self.offer.guests if isinstance(self.offer, HotelOffer) else self.offer.passengers

    @property
    def children(self) -> tuple[int, ...]:
        """The ages of the children among them, as far as the price depends on these."""
        return children_of(self.offer)

    @property
    def party(self) -> Party:
        """Who has to be known: of a flight all, at the age they have on its last day; of a room one adult."""
        offer = self.offer
        if isinstance(offer, CarOffer):
            return Party(adults=1, on=offer.pick_up)
        if isinstance(offer, HotelOffer):
            return Party(adults=offer.rooms, on=offer.check_in)
        last = offer.slices[-1].segments[0].departs_at.date()
        passports = papers_of(offer) == "passports"
        adults = offer.passengers - len(self.children)
        return Party(adults=adults, children=self.children, on=last, passports=passports)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """What cancelling a booking gives back; `refund` is None as long as that was not asked."""

    reference: str
    refund: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What a provider holds or has booked for a user.

    `held_until` is set where it was held first; `refund` once it is cancelled. `live` is false where nothing
    was really bought. The airline or the hotel goes by `seller_reference`, "" where there is none.
    """

    reference: str
    provider: str
    live: bool
    state: BookingState
    offer: Offer
    travellers: tuple[str, ...]
    made_at: datetime
    held_until: datetime | None = None
    refund: Money | None = None
    seller_reference: str = field(default="", metadata=LATER)

    @property
    def kind(self) -> Literal["flight", "hotel", "car"]:
        """What is booked."""
        if isinstance(self.offer, FlightOffer):
            return "flight"
        return "car" if isinstance(self.offer, CarOffer) else "hotel"

    def has_begun(self, at: datetime, today: date) -> bool:
        """Return whether its trip has begun: a flight at its hour, all else the day after its first."""
        if isinstance(self.offer, FlightOffer):
            return self.offer.slices[0].segments[0].departs_at <= at
        first = self.offer.pick_up if isinstance(self.offer, CarOffer) else self.offer.check_in
        return first < today

    def as_of(self, at: datetime) -> "Booking":
        """Return it as it is at a moment: what is held expires then."""
        if self.state == "held" and self.held_until is not None and self.held_until <= at:
            return replace(self, state="expired")
        return self


def children_of(offer: Offer) -> tuple[int, ...]:
    """Return the ages of the children for whom an offer is; none where its seller prices by heads alone."""
    return () if isinstance(offer, CarOffer) or offer.terms is None else offer.terms.children


def papers_of(offer: Offer) -> Papers:
    """Return what a seller wants of each traveller."""
    return "none" if isinstance(offer, CarOffer) or offer.terms is None else offer.terms.papers


def choice_of(offer: Offer) -> Choice:
    """Return what an offer offers, whatever it costs."""
    if isinstance(offer, HotelOffer):
        stay = shared(StayChoice, offer)
        currency, children = offer.price_total.currency, children_of(offer)
        return StayChoice(hotel=offer.name, currency=currency, children=children, **stay)
    if isinstance(offer, CarOffer):
        return RentalChoice(currency=offer.price_total.currency, **shared(RentalChoice, offer))
    directions = (
        tuple(Departure(day=each.departs_at.date(), **shared(Departure, each)) for each in way.segments)
        for way in offer.slices
    )
    flights = shared(FlightChoice, offer)
    return FlightChoice(
        directions=tuple(directions),
        currency=offer.price_total.currency,
        children=children_of(offer),
        **flights,
    )


# --- json ----------------------------------------------------------------------------------------------


def offer_from_json(document: Mapping[str, Any]) -> Offer:
    """Return the offer whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    kind = FlightOffer if "slices" in document else CarOffer if "pick_up" in document else HotelOffer
    offer = from_json(kind, document)
    if isinstance(offer, FlightOffer) and not (offer.slices and all(each.segments for each in offer.slices)):
        raise ValueError("a journey without flights")
    return offer


def whole_offer(document: Mapping[str, Any]) -> Offer | None:
    """Return the offer whose JSON this is; None if it lacks a fact by which it would be booked."""
    offer = told(offer_from_json, document)
    return offer if _is_whole(offer) else None


_MAY_BE_UNTOLD = frozenset(
    {
        "amenities",
        "changeable",
        "checked_bags",
        "distance_km",
        "free_cancellation_until",
        "latitude",
        "longitude",
        "refundable",
        "score",
        "stars",
        "terms",
    }
)
"""Facts of offers by which none is booked."""


def _is_whole(value: object) -> bool:
    """Whether a value and all that it holds are told, as far as it is booked by it."""
    if isinstance(value, tuple):
        return all(_is_whole(each) for each in cast("tuple[object, ...]", value))
    if not isinstance(value, FlightOffer | FlightSlice | FlightSegment | HotelOffer | CarOffer):
        return value is not None
    names = (each.name for each in fields(value) if each.name not in _MAY_BE_UNTOLD)
    return all(_is_whole(getattr(value, name)) for name in names)


def booking_from_json(document: Mapping[str, Any]) -> Booking:
    """Return the booking whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    return from_json(Booking, {**document, "offer": offer_from_json(document["offer"])})


def order_from_json(document: Mapping[str, Any]) -> Order:
    """Return the order whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    return from_json(Order, {**document, "offer": offer_from_json(document["offer"])})
