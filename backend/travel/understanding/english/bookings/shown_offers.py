"""An offer told by all that it is shown with, so that it can be no other: what a click on one says.

    flight Amberwing Demo 253 and 1908 on 10 December 2026 at 09:05, back with Amberwing Demo 256 on ...
    hotel "Blue Anchor Demo Inn" in Shinjuku from 10 December 2026 to 15 December 2026

The days in it tell the offer. They are no wish to travel on another day, so these words are kept from all who
read the rest of the message.
"""

import re
from contextlib import suppress
from datetime import date, time

from ...result import BookingWish, ShownDirection, ShownStay
from ...tokens import fold
from ..dates.words import MONTHS
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


def read_shown_offer(text: Text, index: int) -> Offer | None:
    """Return the offer that is told so from that token on, None if none is."""
    if text.norm(index + (text.norm(index) == "the")) not in ("flight", "hotel"):
        return None
    found = _flight(text, index) or _stay(text, index)
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


def _day(words: str) -> date | None:
    """ "10 December 2026"; None for a day that there is not."""
    number, month, year = words.split()
    with suppress(ValueError, KeyError):
        return date(int(year), MONTHS[fold(month)], int(number))
    return None
