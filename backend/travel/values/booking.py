"""Bookings: what is chosen, what is ordered, what a provider made of it, what cancelling gives back.

A choice has no price: the same flights on another day are the same choice. An order has the offer as the user
saw it: a provider that sells it otherwise by now refuses, rather than book what nobody agreed to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from datetime import date, datetime
from decimal import InvalidOperation
from typing import Any, Literal, cast

from .offers import Untold, amount, told
from .travel import (
    CabinClass,
    CarClass,
    CarOffer,
    FlightOffer,
    FlightSegment,
    FlightSlice,
    HotelOffer,
    Money,
    Station,
    Transmission,
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
    """The flights of each direction, for so many passengers, to be paid in a currency."""

    directions: tuple[tuple[Departure, ...], ...]
    cabin_class: CabinClass
    passengers: int
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StayChoice:
    """A stay at one hotel, which its name and its place on the map tell, to be paid in a currency."""

    hotel: str
    city: str
    country: str
    latitude: float
    longitude: float
    check_in: date
    check_out: date
    rooms: int
    guests: int
    currency: str


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a user wants held or booked, and for whom; at what price, a provider is yet to say.

    `not_chosen_by` are wishes by which the offer was not chosen, in the user's words. `beside` are sentences
    for the question: what of the message is left out, and what is asked next.
    """

    choice: Choice
    travellers: tuple[str, ...] = ()
    not_chosen_by: tuple[str, ...] = ()
    beside: str = ""

    def key_parts(self) -> Mapping[str, Any]:
        """Return what tells this write from others: not what is said beside its question.

        Who declines the second of two bookings changes what is said beside the first, which stays allowed.
        """
        return {name: getattr(self, name) for name in ("choice", "not_chosen_by", "travellers")}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancellation:
    """What cancelling a booking gives back; `refund` is None as long as that was not asked."""

    reference: str
    refund: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """What a provider holds or has booked for a user.

    `held_until` is set where it was held first; `refund` once it is cancelled. `live` is false where nothing
    was really bought.
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

    def as_of(self, at: datetime) -> "Booking":
        """Return it as it is at a moment: what is held expires then."""
        if self.state == "held" and self.held_until is not None and self.held_until <= at:
            return replace(self, state="expired")
        return self


def choice_of(offer: Offer) -> Choice:
    """Return what an offer offers, whatever it costs."""
    if isinstance(offer, HotelOffer):
        return StayChoice(
            hotel=offer.name,
            city=offer.city,
            country=offer.country,
            latitude=offer.latitude,
            longitude=offer.longitude,
            check_in=offer.check_in,
            check_out=offer.check_out,
            rooms=offer.rooms,
            guests=offer.guests,
            currency=offer.price_total.currency,
        )
    if isinstance(offer, CarOffer):
        return RentalChoice(
            supplier=offer.supplier,
            model=offer.model,
            car_class=offer.car_class,
            transmission=offer.transmission,
            station=offer.station,
            city=offer.city,
            country=offer.country,
            subdivision=offer.subdivision,
            pick_up=offer.pick_up,
            drop_off=offer.drop_off,
            currency=offer.price_total.currency,
        )
    return FlightChoice(
        directions=tuple(
            tuple(
                Departure(
                    carrier=flight.carrier,
                    number=flight.number,
                    origin=flight.origin,
                    destination=flight.destination,
                    day=flight.departs_at.date(),
                )
                for flight in direction.segments
            )
            for direction in offer.slices
        ),
        cabin_class=offer.cabin_class,
        passengers=offer.passengers,
        currency=offer.price_total.currency,
    )


# --- json ----------------------------------------------------------------------------------------------
# Offers, orders and bookings read back as they were stored or told. By hand, since pydantic measures worse:
# 97 to 254 us for a flight with four segments (40 by hand), and its times have a zone class of their own.


def offer_from_json(document: Mapping[str, Any]) -> Offer:
    """Return the offer whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    values: dict[str, Any] = {**document, "price_total": _money(document["price_total"])}
    if "slices" in values:
        values["slices"] = tuple(map(_slice, values["slices"]))
        values["price_per_person"] = _money(values["price_per_person"])
        if not values["slices"]:
            raise ValueError("a journey without flights")
        return FlightOffer(**values)
    until = values["free_cancellation_until"]
    values["free_cancellation_until"] = date.fromisoformat(until) if until else None
    if "pick_up" in values:
        values |= {day: date.fromisoformat(values[day]) for day in ("pick_up", "drop_off")}
        values["price_per_day"] = _money(values["price_per_day"])
        return CarOffer(**values)
    values |= {
        "amenities": tuple(values["amenities"]),
        "check_in": date.fromisoformat(values["check_in"]),
        "check_out": date.fromisoformat(values["check_out"]),
        "price_per_night": _money(values["price_per_night"]),
    }
    return HotelOffer(**values)


def whole_offer(document: Mapping[str, Any]) -> Offer | None:
    """Return the offer whose JSON this is; None if it lacks a fact by which it would be booked."""
    offer = told(offer_from_json, document)
    return offer if _is_whole(offer) else None


def _is_whole(value: object) -> bool:
    """Whether a value and all that it holds are told; None is a fact of `free_cancellation_until` alone."""
    if isinstance(value, tuple):
        return all(_is_whole(each) for each in cast("tuple[object, ...]", value))
    if not isinstance(value, FlightOffer | FlightSlice | FlightSegment | HotelOffer | CarOffer):
        return value is not None
    names = (each.name for each in fields(value) if each.name != "free_cancellation_until")
    return all(_is_whole(getattr(value, name)) for name in names)


def booking_from_json(document: Mapping[str, Any]) -> Booking:
    """Return the booking whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    until, refund = document["held_until"], document["refund"]
    values: dict[str, Any] = {
        **document,
        "offer": offer_from_json(document["offer"]),
        "travellers": tuple(document["travellers"]),
        "made_at": datetime.fromisoformat(document["made_at"]),
        "held_until": datetime.fromisoformat(until) if until else None,
        "refund": _money(refund) if refund else None,
    }
    return Booking(**values)


def order_from_json(document: Mapping[str, Any]) -> Order:
    """Return the order whose JSON this is. Raises KeyError, TypeError or ValueError for what is none."""
    return Order(offer=offer_from_json(document["offer"]), travellers=tuple(document["travellers"]))


def cancellation_from_json(document: Mapping[str, Any]) -> Cancellation:
    """Return the cancellation whose JSON this is. Raises KeyError, TypeError or ValueError for none."""
    refund = document["refund"]
    return Cancellation(reference=document["reference"], refund=_money(refund) if refund else None)


def _money(document: Mapping[str, Any]) -> Money:
    try:
        return Money(amount=amount(document), currency=document["currency"])
    except (Untold, InvalidOperation):
        raise ValueError("an amount that is no price") from None


def _slice(document: Mapping[str, Any]) -> FlightSlice:
    segments = tuple(map(_segment, document["segments"]))
    if not segments:
        raise ValueError("a direction without flights")
    return FlightSlice(segments=segments, duration_minutes=document["duration_minutes"])


def _segment(document: Mapping[str, Any]) -> FlightSegment:
    values: dict[str, Any] = {
        **document,
        "departs_at": datetime.fromisoformat(document["departs_at"]),
        "arrives_at": datetime.fromisoformat(document["arrives_at"]),
    }
    return FlightSegment(**values)
