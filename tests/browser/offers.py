"""Offers that a test has made, as a source would give them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from backend.travel.values.travel import FlightOffer, FlightSegment, FlightSlice, HotelOffer
from tests.agents.sources import a_flight, a_hotel

Leg = tuple[str, str, str, str]
"""Where and when it leaves, and where and when it lands: `("BER", "2026-12-10T10:20+01:00", "HND", ...)`."""


def flight(price: float, *legs: Leg, carrier: str = "Aurora Demo", **changes: Any) -> FlightOffer:
    """Return an offer of one direction; without legs, of a nonstop flight."""
    offer_id = f"made-f-{price:.2f}-{carrier}"
    offer = replace(a_flight(f"{price:.2f}", carrier), offer_id=offer_id, provider="demo")
    if legs:
        segments = tuple(_segment(carrier, leg) for leg in legs)
        minutes = int((segments[-1].arrives_at - segments[0].departs_at).total_seconds() // 60)
        offer = replace(offer, slices=(FlightSlice(segments=segments, duration_minutes=minutes),))
    return replace(offer, **changes)


def hotel(price: float, name: str = "Heron Demo", **changes: Any) -> HotelOffer:
    """Return an offer of one night."""
    made = replace(a_hotel(f"{price:.2f}", name), offer_id=f"made-h-{price:.2f}", provider="demo")
    return replace(made, **changes)


def flights(prices: Sequence[float]) -> list[FlightOffer]:
    """Return an offer for each price, of a carrier that is named after it."""
    return [flight(price, carrier=f"Air {price:.0f}") for price in prices]


def _segment(carrier: str, leg: Leg) -> FlightSegment:
    origin, leaves, destination, lands = leg
    departs_at, arrives_at = datetime.fromisoformat(leaves), datetime.fromisoformat(lands)
    return FlightSegment(
        carrier="made",
        carrier_name=carrier,
        number="7",
        origin=origin,
        destination=destination,
        departs_at=departs_at,
        arrives_at=arrives_at,
        duration_minutes=int((arrives_at - departs_at).total_seconds() // 60),
        aircraft="wide-body jet",
    )
