"""Some of those who travel that do so on other days, or from elsewhere: "my parents fly on the 17th".

A search is for all who travel together, so their days and places are none of the search's.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..language.numbers import whole_number
from ..language.sentences import clauses
from ..language.tables import words_of
from ..language.text import Text, word_set
from ..places.finder import PlaceMention
from .people import relative_at

_WORDS = words_of("people")

_LONGEST = 18
_BREAKS = word_set("and & , ; . + while but") | {""}
_LONGEST_START = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class PartyMention:
    """The clause in the tokens from `first` up to `after`."""

    first: int
    after: int


def find_party(text: Text) -> PartyMention | None:
    """Return the clause about some of those who travel, None if there is none."""
    if (_WORDS.travels | _WORDS.joins).isdisjoint(text.vocabulary) or not text.vocabulary & _WORDS.elsewhere:
        return None
    for first, after in clauses(text):
        start = first + (text.norm(first) in ("and", "but", "so", "oh"))
        verb = _behind_them(text, start)
        while verb and text.norm(verb) in _WORDS.before_a_verb:
            verb += 1
        if not verb or text.norm(verb) not in _WORDS.travels | _WORDS.joins or after - first > _LONGEST:
            continue
        said = {text.norm(at) for at in range(verb + 1, after)}
        is_elsewhere = text.norm(verb + 1) == "from" and text.norm(verb + 2) not in _WORDS.no_place
        if text.norm(verb) in _WORDS.joins and is_elsewhere:
            return PartyMention(first=start, after=after)
        if text.norm(verb + 1) in ("home", "at") and text.norm(verb) in ("stay", "stays"):
            continue  # who stays at home does not travel
        if not said.isdisjoint(_WORDS.elsewhere) and said.isdisjoint(_WORDS.not_apart):
            return PartyMention(first=start, after=after)
    return None


def parties(
    text: Text, places: Sequence[PlaceMention], party: PartyMention | None
) -> tuple[PartyMention, ...]:
    """Return the `party` that was found, or else what tells of those who start elsewhere than the others.

    So "3 from Berlin and 2 from Munich" tells of the latter.

    A start that is a goal, too, is that of a further leg.
    """
    if party is not None:
        return (party,)
    goals = {one.place.city for one in places if one.place and one.role != "origin"}
    starts = [one for one in places if one.place and one.role == "origin" and one.place.city not in goals]
    first = starts[0].place.city if starts and starts[0].place else None
    others = [one for one in starts if one.place and one.place.city != first]
    return tuple(
        PartyMention(first=_behind_a_break(text, one.first), after=one.after)
        for one in others
        if not any(text.norm(at) in _WORDS.or_word for at in range(starts[0].after, one.first))
    )


def _behind_a_break(text: Text, at: int) -> int:
    """Where the words begin that tell who starts there: behind an "and" or a comma."""
    first = at
    while first > 0 and text.norm(first - 1) not in _BREAKS and at - first < _LONGEST_START:
        first -= 1
    return first


def _behind_them(text: Text, first: int) -> int:
    """The index after "my parents", "two of the girls", "the others"; 0 if they do not stand there."""
    relative = relative_at(text, first)
    if relative:
        return relative[1]
    count = whole_number(text, first)
    at = count[1] if count else first + (text.norm(first) in _WORDS.some)
    is_some = at > first
    while text.norm(at) in _WORDS.of and at - first < _LONGEST:
        at += 1
    if text.norm(at) in _WORDS.group and (is_some or text.norm(first) in ("the", "our", "my")):
        return at + 1
    return at if text.norm(first) in ("some", "others") and is_some else 0
