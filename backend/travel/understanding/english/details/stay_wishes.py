"""What narrows hotels besides stars and scores: how far from the centre, free cancellation, parts of a city
that are not wanted (`unwanted_districts.py`).
"""

from collections.abc import Collection, Iterator

from ...places.districts import CENTRE_NAMES
from ...result import Refused
from ..language.numbers import NUMBERS, whole_number
from ..language.spans import SlotMention
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of, phrases, word_set
from .unwanted_districts import AGAINST, unwanted_districts_at

_SAID = phrases_of("hotel_wishes")
_WORDS = words_of("hotel_wishes")

WALK_KM = 1.5
"""What counts as walking distance."""
CLOSE_KM = 2.0
"""What counts as close to the centre, where somebody wants to be closer to it."""

_WALKED_IN_AN_HOUR_KM = 5.0
_MILE_KM = 1.6
_CENTRE = phrases(*CENTRE_NAMES, "the city", "town", "the action", "middle")
_UNITS = {
    **dict.fromkeys(("km", "kms", "kilometer", "kilometers", "kilometre", "kilometres"), 1.0),
    **dict.fromkeys(("mile", "miles", "mi"), _MILE_KM),
    **dict.fromkeys(("m", "metres", "meters"), 0.001),
}
_FARTHEST_KM = 100
_CUES = (
    word_set("walking walkable walk closer nearer far central km kms kilometer kilometers metres")
    | word_set("kilometre kilometres mile miles mi m meters minute minutes min mins cancellation cancelation")
    | word_set("cancellations cancel cancelled canceled cancellable cancelable refundable")
    | AGAINST.begin
)
_BEGIN = (
    any_of(
        _SAID.walkable, _SAID.closer, _SAID.more_central, _SAID.at_most, _SAID.free_cancellation, AGAINST
    ).begin
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
    length = text.match(_SAID.walkable, first)
    after = _centre(text, first + length) if length else 0
    if after:
        return _within(first, after, WALK_KM)
    length = text.match(_SAID.closer, first)
    after = _centre(text, first + length) if length else 0
    after = after or first + text.match(_SAID.more_central, first)
    if after > first:
        return _within(first, after, CLOSE_KM)
    return _measured(text, first)


def _measured(text: Text, first: int) -> SlotMention | None:
    """ "within 2 km of the centre", "10 minutes walk from the centre at most"."""
    led = text.match(_SAID.at_most, first)
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
    if unit in _WORDS.minutes:
        walks = [text.norm(at) in _WORDS.walk for at in (after, after + 1, after + 2)]
        if not any(walks):
            return None
        kilometres = amount * _WALKED_IN_AN_HOUR_KM / 60
        after += walks.index(True) + 1
    length = text.match(_SAID.from_word, after)
    end = _centre(text, after + length) if length and kilometres else 0
    if not end or not 0 < kilometres <= _FARTHEST_KM:
        return None
    end += text.match(_SAID.max_behind, end)
    return _within(first, end, round(kilometres, 1))


def _within(first: int, after: int, kilometres: float) -> SlotMention:
    return SlotMention(first=first, after=after, slots={"hotel.max_km": kilometres})


def _cancellation(text: Text, first: int) -> SlotMention | None:
    length = text.match(_SAID.free_cancellation, first)
    is_denied = text.norm(first - 1) in ("no", "without", "not")
    if not length or is_denied:
        return None
    return SlotMention(first=first, after=first + length, slots={"hotel.free_cancellation": True})


def lodging_told(text: Text, *, named: Collection[int]) -> tuple[Refused, ...]:
    """Return the kind of lodging that a message asks for, in its words; none in the tokens of names.

    Who asks for a hotel as well is shown hotels.
    """
    if not text.vocabulary.isdisjoint(_WORDS.hotels):
        return ()
    at = text.find(_SAID.kinds)
    if at < 0 or at in named or text.norm(at - 1) in ("no", "not", "without"):
        return ()
    said = text.spelled(at, at + text.match(_SAID.kinds, at))
    return (Refused(said=said, reason="kind_of_lodging"),)
