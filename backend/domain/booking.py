"""Bookings: what is ordered, what a provider made of it, and what cancelling it gives back. Pure values.

An order holds the offer as the user saw it, price included: a provider that sells it otherwise by now
refuses, rather than book something that nobody agreed to.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from backend.domain.travel import FlightOffer, FlightSegment, FlightSlice, HotelOffer, Money

Offer = FlightOffer | HotelOffer
BookingState = Literal["held", "booked", "cancelled", "expired"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """An offer to be held or booked. `travellers` are names, at most one a person; none if not told."""

    offer: Offer
    travellers: tuple[str, ...] = ()

    @property
    def people(self) -> int:
        """How many travel or stay."""
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
    values |= {
        "amenities": tuple(values["amenities"]),
        "check_in": date.fromisoformat(values["check_in"]),
        "check_out": date.fromisoformat(values["check_out"]),
        "price_per_night": _money(values["price_per_night"]),
        "free_cancellation_until": date.fromisoformat(until) if until else None,
    }
    return HotelOffer(**values)


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


def _money(document: Mapping[str, Any]) -> Money:
    try:
        return Money(amount=Decimal(document["amount"]), currency=document["currency"])
    except InvalidOperation:
        raise ValueError("an amount that is no number") from None


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
