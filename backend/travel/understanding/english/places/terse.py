"""Airport codes in small letters, as people who type little write them: "ber lis 12/12", "from muc to ath".

Three letters are a word more often than an airport. So a code counts in small letters only beside another
one, or between words that ask for a place, and only if it is one of a city of ours.
"""

from collections.abc import Mapping

from ...places.gazetteer import Gazetteer, name_key
from ...result import Place
from ..language.tables import words_of
from ..language.text import Text, word_set

_WORDS = words_of("places")

_LETTERS = 3
_LONGEST = 24
"""Tokens of a terse message: in a longer one people write out what they mean."""


_BEFORE_A_PAIR = word_set("flight flights fly flying ticket tickets need trip from please hi hello , . :") | {
    ""
}
_OR = frozenset({"or"})


def codes_in_small_letters(text: Text, gazetteer: Gazetteer) -> Mapping[int, Place]:
    """Return the codes that a terse message has in small letters, by the index of their tokens."""
    if text.length > _LONGEST:
        return {}
    likely = {at: place for at in range(text.length) if (place := _code(text, at, gazetteer))}
    if not likely:
        return {}
    found: dict[int, Place] = {}
    for first, place in likely.items():
        second = first + 1 + (text.norm(first + 1) in _WORDS.joins_a_pair) + (_is_arrow(text, first + 1))
        other = likely.get(second)
        is_pair = other is not None and other.city != place.city and not _are_words(text, first, second)
        is_joined = second > first + 1 and _is_clear(text, first) and _is_clear(text, second)
        is_to_a_city = _is_before_a_city(text, first, gazetteer)
        is_chained = text.norm(first - 1) in _WORDS.joins_a_pair and first - 2 in found
        starts = _choice_up_to(text, first, place, gazetteer)
        begins = is_chained or text.norm(starts[0] - 1) in _BEFORE_A_PAIR
        if is_pair and other is not None and (begins or is_joined):
            found |= {at: likely[at] for at in (*starts, second)}
        else:
            is_beside = _is_clear(text, first) and _is_asked_for(text, first)
            is_choice = text.norm(first - 1) == "or" and _is_code_of(text, first - 2, place, gazetteer)
            if is_to_a_city and begins:
                found |= {at: likely[at] for at in starts}
            elif is_beside or is_choice:
                found[first] = place
    return found


def _code(text: Text, at: int, gazetteer: Gazetteer) -> Place | None:
    token = text[at]
    is_code = len(token.norm) == _LETTERS and token.is_word and token.norm not in _WORDS.never
    place = gazetteer.codes.get(token.norm.upper()) if is_code else None
    return place if place and place.city in gazetteer.cities else None


def _is_code_of(text: Text, at: int, place: Place, gazetteer: Gazetteer) -> bool:
    """Whether another airport of the same city stands there by its code: "JFK or ewr"."""
    other = _code(text, at, gazetteer)
    return other is not None and other.city == place.city


def _choice_up_to(text: Text, last: int, place: Place, gazetteer: Gazetteer) -> list[int]:
    """Where the codes of airports of one city stand of which that is the last: "jfk, lga or ewr"."""
    starts = [last]
    signs = _OR
    while text.norm(starts[0] - 1) in signs and _is_code_of(text, starts[0] - 2, place, gazetteer):
        starts.insert(0, starts[0] - 2)
        signs = _OR | {","}
    return starts


def _is_before_a_city(text: Text, at: int, gazetteer: Gazetteer) -> bool:
    """Whether a route to a city by its name begins there: "lon to rome", "chi - las vegas", "lon rome"."""
    sign = at + 1 + _is_arrow(text, at + 1)
    is_joined = text.norm(sign) in _WORDS.joins_a_pair
    if not (is_joined or _is_clear(text, at)):
        return False
    goal = sign + is_joined
    goals = {text.norm(goal), name_key((text.norm(goal), text.norm(goal + 1)))}
    return not goals.isdisjoint(gazetteer.known)


def _is_arrow(text: Text, at: int) -> bool:
    return text.norm(at) == "-" and text.norm(at + 1) == ">"


def _are_words(text: Text, *indexes: int) -> bool:
    return all(text.norm(at) in _WORDS.also_words - _WORDS.metropoles for at in indexes)


def _is_clear(text: Text, at: int) -> bool:
    return text.norm(at) not in _WORDS.also_words


def _is_asked_for(text: Text, at: int) -> bool:
    """Whether the words beside a code ask for a place: "from ber", "to lis", "hotel ath"."""
    before, behind = text.norm(at - 1), text[at + 1]
    ends = not behind.norm or behind.is_number or behind.norm in _WORDS.ends_a_place
    return ends and (before in ("from", "to") or before in _WORDS.hotels or behind.norm in _WORDS.hotels)
