"""An offer told by all that it is shown with, so that it can be no other: what a click on one says.

    flight Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05, back with Amberwing Demo 256 on ...
    hotel "Blue Anchor Demo Inn" in Shinjuku from 10 December 2026 to 15 December 2026
    automatic car "Finch, Kestrel Demo" at the airport from 10 December 2026 to 15 December 2026

The days in it tell the offer. They are no wish to travel on another day, so these words are kept from all who
read the rest of the message.
"""

import re
from contextlib import suppress
from datetime import date, time

from ...result import BookingWish, ShownDirection, ShownRental, ShownStay
from ...tokens import fold
from ..dates.points import MONTHS
from ..language.text import Text
from .offers import Offer

_DAY = r"\d{1,2} [^\W\d_]{3,9} \d{4}"
_WAY = rf"[^,;!?]{{1,200}}? on {_DAY} at \d{{1,2}}:\d\d"
_FLIGHT = re.compile(
    rf"(?:the )?flight (?P<there>{_WAY})(?:, (?:and )?back with (?P<back>{_WAY}))?", re.IGNORECASE
)
_WAY_TOLD = re.compile(rf"(?P<flights>.+) on (?P<day>{_DAY}) at (?P<time>\d{{1,2}}:\d\d)", re.IGNORECASE)
_STAY = re.compile(
    r"(?:the )?hotel [\"“](?P<hotel>[^\"“”]{1,200})[\"”]"
    rf"(?: in (?P<district>[^,;!?\"]{{1,80}}?))?(?: from (?P<check_in>{_DAY}) to (?P<check_out>{_DAY}))?"
    r"(?=\s*(?:[.,;!?]|please\b|$))",
    re.IGNORECASE,
)


_RENTAL = re.compile(
    r"(?:the )?(?:(?P<gear>automatic|manual) )?car [\"“](?P<car>[^\"“”]{1,200})[\"”]"
    rf"(?: (?P<station>at the airport|in the centre))?(?: from (?P<pick_up>{_DAY}) to (?P<drop_off>{_DAY}))?"
    r"(?=\s*(?:[.,;!?]|please\b|$))",
    re.IGNORECASE,
)
_BEGINNINGS = frozenset({"flight", "hotel", "car", "automatic", "manual"})


def read_shown_offer(text: Text, index: int) -> Offer | None:
    """Return the offer that is told so from that token on, None if none is."""
    if text.norm(index + (text.norm(index) == "the")) not in _BEGINNINGS:
        return None
    found = _flight(text, index) or _stay(text, index) or _rental(text, index)
    if found is None:
        return None
    wish, end = found
    after = next((at for at in range(index, text.length) if text[at].start >= end), text.length)
    return Offer(first=index, after=after, wish=wish)


def _flight(text: Text, index: int) -> tuple[BookingWish, int] | None:
    told = _FLIGHT.match(text.source, text[index].start)
    if told is None:
        return None
    ways = [_way(way) for way in (told["there"], told["back"]) if way]
    shown = tuple(way for way in ways if way)
    if len(shown) < len(ways):
        return None
    name = text.source[told.start("there") : told.end()]
    return BookingWish(action="book", kind="flight", name=name, shown=shown), told.end()


def _way(words: str) -> ShownDirection | None:
    told = _WAY_TOLD.fullmatch(words)
    day = _day(told["day"]) if told else None
    if told is None or day is None:
        return None
    with suppress(ValueError):
        at = time.fromisoformat(told["time"].zfill(len("09:05")))
        return ShownDirection(flights=_flights(told["flights"]), leaves=f"{day}T{at:%H:%M}")
    return None


def _flights(words: str) -> tuple[str, ...]:
    """ "Amberwing Demo 253 and 1908": each with its carrier, which holds until another one is told."""
    flights: list[str] = []
    carrier = begun = ""
    for piece in words.split(" and "):
        begun = f"{begun} and {piece}" if begun else piece
        named, _, number = begun.rpartition(" ")
        if any(sign.isdigit() for sign in number):
            carrier = named or carrier
            flights.append(f"{carrier} {number}".strip())
            begun = ""
    return (*flights, begun) if begun else tuple(flights)


def _stay(text: Text, index: int) -> tuple[BookingWish, int] | None:
    told = _STAY.match(text.source, text[index].start)
    if told is None:
        return None
    stay = ShownStay(
        hotel=told["hotel"],
        district=told["district"] or "",
        check_in=_day(told["check_in"]) if told["check_in"] else None,
        check_out=_day(told["check_out"]) if told["check_out"] else None,
    )
    return BookingWish(action="book", kind="hotel", name=told["hotel"], shown=stay), told.end()


def _rental(text: Text, index: int) -> tuple[BookingWish, int] | None:
    told = _RENTAL.match(text.source, text[index].start)
    if told is None:
        return None
    gear, station = (told["gear"] or "").lower(), (told["station"] or "").lower()
    rental = ShownRental(
        car=told["car"],
        transmission="automatic" if gear == "automatic" else "manual" if gear else None,
        station="airport" if station.endswith("airport") else "centre" if station else None,
        pick_up=_day(told["pick_up"]) if told["pick_up"] else None,
        drop_off=_day(told["drop_off"]) if told["drop_off"] else None,
    )
    return BookingWish(action="book", kind="car", name=told["car"], shown=rental), told.end()


def _day(words: str) -> date | None:
    """ "10 December 2026"; None for a day that there is not."""
    number, month, year = words.split()
    with suppress(ValueError, KeyError):
        return date(int(year), MONTHS[fold(month)], int(number))
    return None
