"""What a message takes away: "forget the price limit", "not Lufthansa", "cancel the return", "one way".

What is taken away is no wish: readers of wishes get the message without these words.
"""

from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from ..dates.days import Day, DayOfMonth, MonthDay, Weekday
from ..dates.grammar import BEGINNINGS, read_span
from ..dates.points import read_point
from ..language.numbers import whole_number
from ..language.tables import lists_of, phrases_of, rows_of, words_of
from ..language.text import FIGURES, Phrases, Text, any_of
from .airlines import (
    NAMES,
    AirlineMention,
    airline_at,
    disliked_airline,
    find_airlines,
    is_allowed_again,
    negation_of_airline,
    unwanted_airlines,
)
from .facts import CABINS
from .times import ANY_HOUR_BEGINS, ANY_TIME, any_hour_at, find_times_of_day

_DATES_SAID = phrases_of("dates")
_FACTS_WORDS = words_of("facts")
_LANGUAGE_WORDS = words_of("language")
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
_WORDS_TO_A_DAY = 6
_BY_FIRST = {
    first: tuple(one for one in _OBJECTS if first in one.phrases)
    for some in _OBJECTS
    for first in some.phrases
}
_NEVER_LEFT_OUT = frozenset({"hotel.stars", "hotel.amenities", "hotel.free_cancellation", "flight.max_stops"})
_AIRLINES = ("flight.airline", "flight.airlines")
_LIFTED = rows_of("changes", "lifted", _Object)
_PARTED = {"take": ("out", "off", "away"), "leave": ("out", "off", "away"), "cut": ("out",), "keep": ("out",)}
"""Verbs whose second part stands behind what they take away."""
_BEGINNINGS = frozenset[str]().union(
    *(_SAID.one_way, ANY_HOUR_BEGINS, NAMES, _SAID.against_airlines, _SAID.drop, _PARTED),
    *(one.phrases for one in _LIFTED),
)
"""With these all begins that is taken away, but what stands before words such as "doesn't matter"."""
_NOT_WANTED = any_of(_SAID.does_not_matter, phrases_of("language").no_option)
"""Behind what somebody takes away."""
_CUES_AND_BEGINNINGS: tuple[tuple[Set[str], Set[str]], ...] = (
    (frozenset[str]().union(*_PARTED.values()), _PARTED.keys()),
    (ANY_TIME.cues, ANY_HOUR_BEGINS),
    *((some.cues, some.begin) for some in (NAMES, _SAID.one_way, _SAID.drop, _SAID.against_airlines)),
    *((one.phrases.cues, one.phrases.begin) for one in _LIFTED),
)
"""Words without one of which nothing of a kind is taken away, and those with which it begins."""
_CUES = frozenset[str]().union(*(cues for cues, _ in _CUES_AND_BEGINNINGS))
_CUES_OF_ANOTHER_DAY = _WORDS.into | _WORDS.exchanges | {"than"} | _DATES_SAID.cannot_be.cues


@dataclass(frozen=True, slots=True, kw_only=True)
class Removal:
    """The tokens from `first` up to `after`, and the slots that they empty.

    What begins at the token `unwanted` is not wanted, rather than not needed; 0 where nothing is.
    `airlines` are those that are spoken against, for which no slot needs to be known; `day` is a day in whose
    place another comes: "Monday instead of Sunday".
    """

    first: int
    after: int
    slots: tuple[str, ...] = ()
    unwanted: int = 0
    airlines: tuple[str, ...] = ()
    day: Day | None = None

    def is_of(self, known: date) -> bool:
        """Whether another day is to come in the place of one that is known."""
        if isinstance(self.day, Weekday):
            return self.day.weekday == known.weekday()
        if isinstance(self.day, MonthDay):
            return (self.day.month, self.day.day) == (known.month, known.day)
        return isinstance(self.day, DayOfMonth) and self.day.day == known.day

    def is_idle(self, filled: Collection[str]) -> bool:
        """Whether it speaks against what no offer is left out for, and none of the `filled` slots held.

        "No 3 star hotels", "without breakfast": a search can ask for these, and not for all others.
        """
        kept = {slot.partition(":")[0] for slot in self.slots}
        return self.unwanted > 0 and kept <= _NEVER_LEFT_OUT and kept.isdisjoint(filled)


def find_removals(text: Text) -> tuple[Removal, ...]:
    """Return what the message takes away, in its order."""
    found: list[Removal] = []
    told = text.vocabulary & _CUES
    begins = [begin for cues, begin in _CUES_AND_BEGINNINGS if not told.isdisjoint(cues)] if told else []
    begins += [_BY_FIRST.keys()] if text.has(_NOT_WANTED) else []
    begins += [{FIGURES}] if "way" in text.vocabulary else []  # "1 way"
    for index in sorted({at for begin in begins for at in text.each_of(begin)}):
        is_free = not found or index >= found[-1].after
        if is_free and (removal := _at(text, index)):
            found.append(removal)
    return tuple(found)


def replaced_days(text: Text, known: Collection[date]) -> tuple[Removal, ...]:
    """Return the known days in whose place others come: "swap Sunday for Monday", "Sunday doesn't work"."""
    found: list[Removal] = []
    for at in text.each_of(BEGINNINGS) if known and text.has_any(_CUES_OF_ANOTHER_DAY) else ():
        day, after = read_point(text, at) or (None, at)
        one = Removal(first=at - (text.norm(at - 1) == "than"), after=after, day=day)
        if not any(map(one.is_of, known)):
            continue
        joint, other = text.norm(after), read_point(text, after + 1)
        before = text.said(at - _WORDS_TO_A_DAY, at)
        is_led = bool(before & _WORDS.exchanges) and before.isdisjoint(_WORDS.whole_days)
        is_joined = joint in _WORDS.into or (joint in _WORDS.for_another and is_led)
        is_exchanged = is_joined and other and not any(map(replace(one, day=other[0]).is_of, known))
        if is_exchanged or one.first < at or text.match(_DATES_SAID.cannot_be, after):
            found.append(replace(one, after=after + bool(is_exchanged)))
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
    return _led(text, index) if text.norm(index) in _BEGINNINGS else _not_wanted(text, index)


def _not_wanted(text: Text, index: int) -> Removal | None:
    """ "The stars don't matter"."""
    slots, after = _object_at(text, index)
    trail = text.match(_NOT_WANTED, after) if slots else 0
    return Removal(first=index, after=after + trail, slots=slots) if trail else None


def _led(text: Text, index: int) -> Removal | None:
    """What is taken away by words that stand before it, or by others than that it is not wanted."""
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
    # "Nothing without a pool", "why not Lufthansa?"
    is_turned = text.norm(index) == "without" and text.norm(index - 1) in _LANGUAGE_WORDS.negations
    is_turned = is_turned or text.norm(index - 1) == "why"
    if (length := text.match(_SAID.drop, index)) and not is_turned:
        return _dropped(text, index, index + length)
    if behind := _PARTED.get(text.norm(index)):  # "take the return out", "leave the stars off"
        slots, after = _object_at(text, text.skip(_WORDS.articles, index + 1))
        after += text.norm(after) in _WORDS.fillers
        is_taken = bool(slots) and text.norm(after) in behind
        return Removal(first=index, after=after + 1, slots=slots) if is_taken else None
    return _not_wanted(text, index)


def _object_at(text: Text, at: int) -> tuple[tuple[str, ...], int]:
    """The slots of what is named there, none where nothing is, and the index after it."""
    objects = _BY_FIRST.get(text.norm(at), ())
    found = max(objects, key=lambda one: text.match(one.phrases, at), default=None)
    length = text.match(found.phrases, at) if found else 0
    return (found.slots, at + length) if found and length else ((), at)


def _further(text: Text, after: int, joints: Collection[str]) -> tuple[tuple[str, ...], int]:
    """The slots of what is taken away beside the first, and the index after it: "no pool or gym needed"."""
    found: list[str] = []
    while text.norm(after) in joints:
        slots, end = _object_at(text, text.skip(_WORDS.articles, after + 1))
        if not slots or text.norm(after + 1) == "with":
            break
        found += slots
        after = end
    return tuple(found), after


def _spoken_against(text: Text, index: int) -> Removal | None:
    """ "KLM is always late", "stop suggesting KLM", "one that isn't KLM"."""
    if disliked := disliked_airline(text, index):
        return _without_airlines(index, (disliked,))
    if negation := negation_of_airline(text, index):
        if text.norm(negation.stop) in ("only", "just"):
            return Removal(first=negation.start, after=airline_at(text, index), slots=_AIRLINES)
        return _without_airlines(negation.start, unwanted_airlines(text, index))
    length = text.match(_SAID.against_airlines, index)
    start = text.skip(_WORDS.articles, index + length)
    return _without_airlines(index, unwanted_airlines(text, start)) if length else None


def _without_airlines(first: int, unwanted: Sequence[AirlineMention]) -> Removal | None:
    names = tuple(one.name for one in unwanted)
    slots = ("flight.airline", *(f"flight.airlines:{name}" for name in names))
    return Removal(first=first, after=unwanted[-1].after, slots=slots, airlines=names) if unwanted else None


def _dropped(text: Text, first: int, at: int) -> Removal | None:
    """What stands behind a word such as "forget"; "are there any with KLM?" looks for some."""
    is_any = text.norm(first) == "any" and text.match(_SAID.drop, first) == 1
    if is_any and text.norm(at) == "with":
        return None
    unwanted = at = text.skip(_WORDS.articles, at)
    number = whole_number(text, at)
    unit = number[1] + (text.norm(number[1]) == "-") if number else at
    is_counted = number is not None and text.norm(unit) in _FACTS_WORDS.stars
    at = unit if is_counted else at
    slots, after = _object_at(text, at)
    is_of_some = slots == ("flight.return_date",) or is_counted or text.norm(at) in _WORDS.dimensions_only
    # "Any district but Baixa", "any dates from 10 to 20 May"
    is_of_some = is_of_some or text.norm(after) in ("but", "from", "between")
    if slots and text.norm(after) != "-" and not (is_any and is_of_some):
        further, after = _further(
            text, after, ("or", "nor") if text.norm(first) == "no" else ("or", "nor", "and")
        )
        slots = (*slots, *further)
        is_needless = text.match(_SAID.does_not_matter, after) > 0 or text.norm(after) in _WORDS.needless
        is_against = text.match(_SAID.against, first) > 0 and not is_needless
        return Removal(first=first, after=after, slots=slots, unwanted=unwanted if is_against else 0)
    if not is_any and (airlines := unwanted_airlines(text, at)):
        return _without_airlines(first, airlines)
    span = read_span(text, at) or read_span(text, at - 1)
    if span is None or span.start is None or span.nights is not None or is_any:
        return None
    hours = find_times_of_day(text.without(range(span.after)))
    hour = next((one for one in hours if one.first <= span.after + 1), None)
    if hour and text.norm(first) not in ("instead", "rather"):
        # "Not on Friday after 6pm" leaves out neither that day nor that hour.
        return Removal(first=first, after=hour.after, unwanted=unwanted)
    is_of_day = text.norm(first) in _WORDS.before_a_day
    return Removal(first=first, after=span.after, day=span.start) if is_of_day else None
