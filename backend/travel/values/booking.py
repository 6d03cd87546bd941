"""Bookings: what is chosen, what is ordered, what a provider made of it, what cancelling gives back.

A choice has no price: the same flights on another day are the same choice. An order has the offer as the user
saw it: a provider that sells it otherwise by now refuses, rather than book what nobody agreed to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any, Literal

from .travel import CabinClass, CarClass, CarOffer, FlightOffer, HotelOffer, Money, Station, Transmission

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
