"""What a message takes away: "forget the price limit", "not Lufthansa", "cancel the return", "one way".

What is taken away is no wish: readers of wishes get the message without these words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..dates.grammar import read_span
from ..language.numbers import whole_number
from ..language.tables import lists_of, phrases_of, rows_of, words_of
from ..language.text import FIGURES, Phrases, Text
from .airlines import (
    NAMES,
    AirlineMention,
    disliked_airline,
    find_airlines,
    is_allowed_again,
    unwanted_airlines,
)
from .facts import CABINS
from .times import ANY_HOUR_BEGINS, any_hour_at

_FACTS_WORDS = words_of("facts")
_SAID = phrases_of("changes")
_WORDS = words_of("changes")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Object:
    """What somebody may take away, and the slots that are empty then."""

    slots: tuple[str, ...]
    phrases: Phrases


_OBJECTS = (
    *rows_of("changes", "objects", _Object),
    *(_Object(slots=("flight.cabin_class",), phrases=one.phrases) for one in CABINS),
    *(
        _Object(slots=(f"hotel.amenities:{name}",), phrases=one)
        for name, one in lists_of("amenities").items()
    ),
)
_BY_FIRST = {
    first: tuple(one for one in _OBJECTS if first in one.phrases)
    for some in _OBJECTS
    for first in some.phrases
}
_LIFTED = rows_of("changes", "lifted", _Object)
_PARTED = {"take": ("out", "off", "away"), "leave": ("out", "off", "away"), "cut": ("out",), "keep": ("out",)}
"""Verbs whose second part stands behind what they take away."""
_BEGINNINGS = frozenset(ANY_HOUR_BEGINS).union(
    _PARTED,
    _SAID.one_way,
    _SAID.drop,
    _SAID.against_airlines,
    NAMES,
    _BY_FIRST,
    *(one.phrases for one in _LIFTED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The tokens from `first` up to `after`, and the slots that they empty.

    `airlines` are those that are spoken against, for which no slot needs to be known.
    """

    first: int
    after: int
    slots: tuple[str, ...] = ()
    airlines: tuple[str, ...] = ()


def find_removals(text: Text) -> tuple[Removal, ...]:
    """Return what the message takes away, in its order."""
    found: list[Removal] = []
    index = 0
    begin = _BEGINNINGS | {FIGURES} if "way" in text.vocabulary else _BEGINNINGS  # "1 way"
    while (index := text.next_of(begin, index)) < text.length:
        removal = _at(text, index)
        if removal:
            found.append(removal)
        index = removal.after if removal else index + 1
    return tuple(found)


def allowed_again(text: Text) -> tuple[str, ...]:
    """Return what is no longer left out: "Ryanair is fine"."""
    return tuple(
        f"flight.not_airlines:{one.name}" for one in find_airlines(text) if is_allowed_again(text, one)
    )


def _is_beside(text: Text, index: int) -> bool:
    """Whether the one-way flight there is a further one: "also a one way ticket", not "one way as well"."""
    before = {text.norm(at) for at in range(index)} | ({"another"} & text.vocabulary)
    return not text.vocabulary.isdisjoint(_WORDS.besides) and not before.isdisjoint(_WORDS.a_further)


def _at(text: Text, index: int) -> Removal | None:
    length = text.match(_SAID.one_way, index)
    if length and text.norm(index - 1) not in _WORDS.not_a_one_way and not _is_beside(text, index):
        return Removal(first=index, after=index + length, slots=("flight.return_date",))
    if unminded := any_hour_at(text, index):
        return Removal(first=index, after=unminded[0], slots=unminded[1])
    for lifted in _LIFTED:
        if length := text.match(lifted.phrases, index):
            return Removal(first=index, after=index + length, slots=lifted.slots)
    if against := _spoken_against(text, index):
        return against
    if length := text.match(_SAID.drop, index):
        return _dropped(text, index, index + length)
    if text.norm(index) in _PARTED:
        return _parted(text, index)
    for one in _BY_FIRST.get(text.norm(index), ()):
        length = text.match(one.phrases, index)
        trail = text.match(_SAID.does_not_matter, index + length) if length else 0
        if trail:
            return Removal(first=index, after=index + length + trail, slots=one.slots)
    return None


def _spoken_against(text: Text, index: int) -> Removal | None:
    """ "KLM is always late", "stop suggesting KLM"."""
    if disliked := disliked_airline(text, index):
        return _without_airlines(index, (disliked,))
    length = text.match(_SAID.against_airlines, index)
    unwanted = unwanted_airlines(text, _past_articles(text, index + length)) if length else ()
    return _without_airlines(index, unwanted) if unwanted else None


def _past_articles(text: Text, at: int) -> int:
    while text.norm(at) in _WORDS.articles:
        at += 1
    return at


def _without_airlines(first: int, unwanted: Sequence[AirlineMention]) -> Removal:
    names = tuple(one.name for one in unwanted)
    slots = ("flight.airline", *(f"flight.airlines:{name}" for name in names))
    return Removal(first=first, after=unwanted[-1].after, slots=slots, airlines=names)


def _parted(text: Text, first: int) -> Removal | None:
    """ "take the return out", "leave the stars off"."""
    at = _past_articles(text, first + 1)
    for one in _BY_FIRST.get(text.norm(at), ()):
        length = text.match(one.phrases, at)
        end = at + length + (text.norm(at + length) in _WORDS.fillers)
        if length and text.norm(end) in _PARTED[text.norm(first)]:
            return Removal(first=first, after=end + 1, slots=one.slots)
    return None


def _dropped(text: Text, first: int, at: int) -> Removal | None:
    """What stands behind a word such as "forget"."""
    if text.norm(first) == "any" and text.norm(at) == "with":
        return None  # "any with parking?" looks for some
    is_any = text.norm(first) == "any" and text.match(_SAID.drop, first) == 1
    at = _past_articles(text, at)
    number = whole_number(text, at)
    at = number[1] if number and text.norm(number[1]) in _FACTS_WORDS.stars else at
    for one in sorted(
        _BY_FIRST.get(text.norm(at), ()), key=lambda one: text.match(one.phrases, at), reverse=True
    )[:1]:
        after = at + text.match(one.phrases, at)
        is_of_some = one.slots == ("flight.return_date",) or text.norm(at) in _WORDS.dimensions_only
        is_of_some = is_of_some or text.norm(after) == "but"  # "any district but Baixa"
        if after > at and text.norm(after) != "-" and not (is_any and is_of_some):
            return Removal(first=first, after=after, slots=one.slots)
    # "Are there any with KLM?" looks for some.
    unwanted = () if is_any else unwanted_airlines(text, at)
    if unwanted:
        return _without_airlines(first, unwanted)
    span = read_span(text, at) if text.norm(first) in _WORDS.before_a_day else None
    return Removal(first=first, after=span.after) if span and span.start and span.nights is None else None
