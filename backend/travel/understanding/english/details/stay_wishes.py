"""What narrows hotels besides stars and scores: how far from the centre, free cancellation, parts of a city
that are not wanted (`unwanted_districts.py`).
"""

from collections.abc import Collection, Iterator

from ...places.districts import CENTRE_NAMES
from ...result import Refused
from ..language.numbers import NUMBERS, whole_number
from ..language.text import Text, any_of, phrases, word_set
from .slot_mentions import SlotMention
from .unwanted_districts import AGAINST, unwanted_districts_at

WALK_KM = 1.5
"""What counts as walking distance."""
CLOSE_KM = 2.0
"""What counts as close to the centre, where somebody wants to be closer to it."""

_WALKED_IN_AN_HOUR_KM = 5.0
_MILE_KM = 1.6
_CENTRE = phrases(*CENTRE_NAMES, "the city", "town", "the action", "middle")
_WALKABLE = phrases(
    "walking distance to", "walking distance of", "walking distance from", "in walking distance to",
    "within walking distance of", "within walking distance to", "within walking distance from",
    "walkable to", "walkable from", "walking to", "can walk to", "could walk to", "easy walk to",
    "easy walk from", "short walk to", "short walk from",
)  # fmt: skip
_CLOSER = phrases(
    "closer to", "nearer to", "nearer", "closer in to", "not so far from", "not too far from",
    "not far from", "not that far from", "less far from",
)  # fmt: skip
_MORE_CENTRAL = phrases("more central", "more centrally located", "closer in")
_AT_MOST = phrases(
    "within", "max", "maximum", "at most", "less than", "under", "no more than", "not more than", "up to",
    "not further than", "no further than", "not farther than", "no farther than", "not over", "below",
)  # fmt: skip
_UNITS = {
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"), 1.0),
    **dict.fromkeys(("mile", "miles", "mi"), _MILE_KM),
    **dict.fromkeys(("m", "metres", "meters"), 0.001),
}
_MINUTES = word_set("minute minutes min mins")
_WALK = word_set("walk walking foot")
_FROM = phrases("of", "from", "to", "away from", "walk from", "walk to", "on foot from", "distance from")
_MAX_BEHIND = phrases("max", "at most", "maximum", "or less")
_FREE_CANCELLATION = phrases(
    "free cancellation", "free cancelation", "free cancellations", "cancellation is free",
    "cancelled for free", "canceled for free", "cancel for free", "cancel free of charge",
    "cancel it for free", "cancel without a fee", "cancellable", "cancelable", "refundable rate",
    "refundable room", "refundable rooms", "refundable rates", "refundable hotel", "refundable hotels",
    "flexible cancellation",
    "free to cancel", "cancel at no cost", "to be able to cancel", "option to cancel",
    "possibility to cancel",
    "that i can cancel", "that we can cancel", "that can be cancelled", "that can be canceled",
    "one i can cancel", "one we can cancel", "something i can cancel", "something we can cancel",
)  # fmt: skip
_HOTELS = word_set("hotel hotels")
KINDS = phrases(
    "hostel", "hostels", "apartment", "apartments", "b&b", "b & b", "bed and breakfast", "guesthouse",
    "guesthouses", "guest house", "guest houses", "resort", "resorts", "villa", "villas", "motel", "motels",
    "a flat", "flats", "a studio", "cottage", "cottages", "chalet", "chalets", "bnb", "b and b", "homestay",
    "home stay", "riad", "ryokan", "campsite", "glamping", "vacation rental", "holiday rental",
    "holiday let", "air bnb", "airbnbs", "entire place", "service apartment", "serviced apartment",
    "airbnb", "holiday home", "holiday flat", "aparthotel",
)  # fmt: skip
"""Kinds of lodging, which offers do not tell."""
_FARTHEST_KM = 100
_CUES = (
    word_set("walking walkable walk closer nearer far central km kms kilometer kilometers metres")
    | word_set("kilometre kilometres mile miles mi m meters minute minutes min mins cancellation cancelation")
    | word_set("cancellations cancel cancelled canceled cancellable cancelable refundable")
    | AGAINST.begin
)
_BEGIN = (
    any_of(_WALKABLE, _CLOSER, _MORE_CENTRAL, _AT_MOST, _FREE_CANCELLATION, AGAINST).begin
    | _UNITS.keys()
    | {"an"}
    | NUMBERS
)


def find_stay_wishes(text: Text) -> Iterator[SlotMention]:
    """Yield what narrows hotels, in the order of the message."""
    at = text.length if text.vocabulary.isdisjoint(_CUES) else 0
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _distance(text, at) or _cancellation(text, at) or unwanted_districts_at(text, at)
        if found:
            yield found
        at = found.after if found else at + 1


def _centre(text: Text, at: int) -> int:
    """The index after words for the centre, 0 if none stand there."""
    start = at + (text.norm(at) in ("the", "a"))
    length = text.match(_CENTRE, start) or text.match(_CENTRE, at)
    start = start if text.match(_CENTRE, start) else at
    return start + length if length else 0


def _distance(text: Text, first: int) -> SlotMention | None:
    length = text.match(_WALKABLE, first)
    after = _centre(text, first + length) if length else 0
    if after:
        return _within(first, after, WALK_KM)
    length = text.match(_CLOSER, first)
    after = _centre(text, first + length) if length else 0
    after = after or first + text.match(_MORE_CENTRAL, first)
    if after > first:
        return _within(first, after, CLOSE_KM)
    return _measured(text, first)


def _measured(text: Text, first: int) -> SlotMention | None:
    """ "within 2 km of the centre", "10 minutes walk from the centre at most"."""
    led = text.match(_AT_MOST, first)
    at = first + led + (text.norm(first + led) in ("a", "an"))
    read = whole_number(text, at) or ((1, at) if text.norm(at) in _UNITS else None)
    if read is None:
        return None
    amount, after = float(read[0]), read[1]
    if text.norm(after) in (".", ",") and text[after + 1].is_number and text.is_glued(after + 1):
        amount, after = float(f"{read[0]}.{text[after + 1].raw}"), after + 2
    after += text.norm(after) == "-"
    unit = text.norm(after)
    kilometres = amount * _UNITS[unit] if unit in _UNITS else 0.0
    after += 1
    if unit in _MINUTES:
        walks = [text.norm(at) in _WALK for at in (after, after + 1, after + 2)]
        if not any(walks):
            return None
        kilometres = amount * _WALKED_IN_AN_HOUR_KM / 60
        after += walks.index(True) + 1
    length = text.match(_FROM, after)
    end = _centre(text, after + length) if length and kilometres else 0
    if not end or not 0 < kilometres <= _FARTHEST_KM:
        return None
    end += text.match(_MAX_BEHIND, end)
    return _within(first, end, round(kilometres, 1))


def _within(first: int, after: int, kilometres: float) -> SlotMention:
    return SlotMention(first=first, after=after, slots={"hotel.max_km": kilometres})


def _cancellation(text: Text, first: int) -> SlotMention | None:
    length = text.match(_FREE_CANCELLATION, first)
    is_denied = text.norm(first - 1) in ("no", "without", "not")
    if not length or is_denied:
        return None
    return SlotMention(first=first, after=first + length, slots={"hotel.free_cancellation": True})


def lodging_told(text: Text, *, named: Collection[int]) -> tuple[Refused, ...]:
    """Return the kind of lodging that a message asks for, in its words; none in the tokens of names.

    Who asks for a hotel as well is shown hotels.
    """
    if not text.vocabulary.isdisjoint(_HOTELS):
        return ()
    at = text.find(KINDS)
    if at < 0 or at in named or text.norm(at - 1) in ("no", "not", "without"):
        return ()
    said = text.spelled(at, at + text.match(KINDS, at))
    return (Refused(said=said, reason="kind_of_lodging"),)
