"""Numbers nobody can mean ("0 people", "9 stars"), and those that are searched for as if they were others:
children, for whom no search has a fare of its own.
"""

from ...result import Refused
from ..dates.points import NIGHT_UNITS
from ..language.numbers import NUMBERS, whole_number
from ..language.tables import words_of
from ..language.text import Text
from .ages import are_grown_up
from .people import is_below_zero

_FACTS_WORDS = words_of("facts")
_PEOPLE_WORDS = words_of("people")


_STARS_AT_MOST = 5
_WORDS_TO_A_CHILD = 3
_AT_MOST = {
    **dict.fromkeys(_PEOPLE_WORDS.people, 99),
    **dict.fromkeys(_FACTS_WORDS.rooms, 50),
    **dict.fromkeys(_FACTS_WORDS.stars, _STARS_AT_MOST),
    **dict.fromkeys(NIGHT_UNITS, 365),
}


def impossible_counts(text: Text) -> tuple[Refused, ...]:
    """Return the numbers in the message that count none, or far too many, in the user's words."""
    found: list[Refused] = []
    at = text.length if _AT_MOST.keys().isdisjoint(text.vocabulary) else 0
    while (at := text.next_of(NUMBERS, at)) < text.length:
        read = whole_number(text, at)
        if read is None:
            at += 1
            continue
        count, after = read
        unit = after + (text.norm(after) == "-")
        most = _AT_MOST.get(text.norm(unit))
        is_decimal = text.norm(at - 1) == "." and text.is_glued(at)
        is_negative = is_below_zero(text, at)
        if most is not None and not (1 <= count <= most and not is_negative) and not is_decimal:
            first = at - is_negative
            found.append(Refused(said=text.spelled(first, unit + 1), reason="impossible_count"))
        at = after
    return tuple(found)


def children_told(text: Text) -> tuple[Refused, ...]:
    """Return the children of whom the message tells how many, in the user's words: "2 small kids"."""
    found: list[Refused] = []
    for at in () if text.vocabulary.isdisjoint(_PEOPLE_WORDS.children) else range(text.length):
        read = (1, at + 1) if text.norm(at) in ("a", "an") else whole_number(text, at)
        noun = read[1] if read else at
        while read and text.norm(noun) in _PEOPLE_WORDS.between and noun < at + _WORDS_TO_A_CHILD:
            noun += 1
        is_child = text.norm(noun) in _PEOPLE_WORDS.children and not are_grown_up(text, noun)
        if read and read[0] and is_child and text.norm(at - 1) != "-":
            found.append(Refused(said=text.spelled(at, noun + 1), reason="adult_fare"))
    return tuple(found)
