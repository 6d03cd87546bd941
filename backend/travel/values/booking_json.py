"""Offers, orders and bookings read back from their JSON, as it was stored or told.

By hand, since pydantic measures worse here: 97 to 254 us for a flight with four segments (40 by hand), most
of it for the union of the kinds of offer, and its times have a zone class that `encode` writes otherwise.
"""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from decimal import InvalidOperation
from typing import Any, cast

from .booking import Booking, Cancellation, Offer, Order
from .offer_facts import Untold, amount, told
from .travel import CarOffer, FlightOffer, FlightSegment, FlightSlice, HotelOffer, Money


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
