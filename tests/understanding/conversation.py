"""Conversations for tests: told in messages, shown as the slots that are filled."""

from datetime import date

from backend.travel.understanding.result import FlightSlots, HotelSlots, Place, Understanding
from backend.travel.understanding.understand import understand

BERLIN_TO_TOKYO = "Find flights from Berlin to Tokyo on 10 December"
LISBON = "flights and hotels in Lisbon from London, 12-15 January"
TODAY = date(2026, 11, 20)


def told(*messages: str, today: date = TODAY) -> Understanding:
    """Return what the last of the messages means after the others."""
    understood: Understanding | None = None
    for message in messages:
        understood = understand(message, previous=understood, today=today)
    assert understood is not None
    return understood


def in_turn(*messages: str) -> Understanding:
    """Return what the last of the messages means, with all requests before it at hand."""
    understood: Understanding | None = None
    before: list[Understanding] = []
    for message in messages:
        now = understand(
            message,
            previous=understood,
            today=TODAY,
            alike=tuple(reversed(before)),
            history=tuple(range(len(before))),
        )
        before += [understood] if understood else []
        understood = now
    assert understood is not None
    return understood


def name(place: Place | None) -> str | None:
    return (place.airport or place.city.name) if place else None


def flight(understood: Understanding) -> dict[str, object]:
    slots = understood.flight
    shown = {
        key: getattr(slots, key) for key in FlightSlots.__slots__ if getattr(slots, key) not in (None, ())
    }
    return shown | {key: name(shown[key]) for key in ("origin", "destination") if key in shown}


def hotel(understood: Understanding) -> dict[str, object]:
    slots = understood.hotel
    shown = {
        key: getattr(slots, key) for key in HotelSlots.__slots__ if getattr(slots, key) not in (None, ())
    }
    return shown | {key: name(shown[key]) for key in ("city",) if key in shown}
