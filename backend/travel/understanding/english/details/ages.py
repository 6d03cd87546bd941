"""The children who come along, with their ages: "2 kids (4 and 7)", "my son, 6", "with a baby"."""

from collections.abc import Iterator

from ....values.travel import UNKNOWN_AGE
from ...message import AgesOfKnown
from ..dates.grammar import read_span
from ..language.numbers import NUMBERS, whole_number
from ..language.tables import words_of
from ..language.text import SlotMention, Text
from .known_children import MONTHS_OF_A_YEAR, OLDEST, ages_of_known

_WORDS = words_of("people")

_WORDS_BEFORE_AGES = 4
_WORDS_TO_A_CHILD = 3
_AT_MOST = 9
_BEGIN = _WORDS.any_children | _WORDS.owners | _WORDS.between | {"an", "another"} | NUMBERS


def find_ages(text: Text) -> Iterator[SlotMention]:
    """Yield the children of a message, once for flights and once for stays; the words are those of ages."""
    known = ages_of_known(text)
    text = text.without(range(*known[1:])) if known else text
    ages: list[int] = []
    spans: list[tuple[int, int]] = []
    at = text.length if text.vocabulary.isdisjoint(_WORDS.cues) else 0
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _old(text, at) or _children(text, at)
        if found:
            told, first, after = found
            ages += told
            spans.append((first, after))
        at = max(found[2], at + 1) if found else at + 1
    told: tuple[int, ...] | AgesOfKnown = tuple(ages)
    if known:
        of_known = AgesOfKnown(ages=known[0], adults=2 - (not text.vocabulary.isdisjoint(_WORDS.speakers)))
        told = of_known.filling(told) if told else of_known
        yield from _mentions(known[1:], told, is_counted=False)
    for span in spans if 0 < len(ages) <= _AT_MOST else ():
        yield from _mentions(span, told)


def _mentions(
    span: tuple[int, int], ages: tuple[int, ...] | AgesOfKnown, *, is_counted: bool = True
) -> Iterator[SlotMention]:
    for slot in ("flight.children", "hotel.children"):
        yield SlotMention(first=span[0], after=span[1], slots={slot: ages}, is_counted=is_counted)


def ages_at(text: Text, at: int, count: int) -> tuple[tuple[int, ...], int, int]:
    """Return the ages of so many children told from `at` on, where they begin, and the index behind them.

    Empty if none are told there.
    """
    start, is_told, first = at, False, -1
    while text.norm(start) in _WORDS.before_ages | _WORDS.aged and start < at + _WORDS_BEFORE_AGES:
        first = start if first < 0 and text.norm(start) in _WORDS.aged else first
        is_told = is_told or text.norm(start) in _WORDS.aged or text.norm(start) == "("
        start += 1
    ages, after = list[int](), start
    # Where people speak no comma is heard: "4 7 and 11".
    while len(ages) < count:
        joint = after + (bool(ages) and text.norm(after) in _WORDS.joins_ages)
        joint += bool(ages) and text.norm(joint) == "and"
        read = whole_number(text, joint)
        is_age = read is not None and read[0] <= OLDEST and not _is_day(text, joint, count)
        if read is None or not is_age or (ages and joint == after and text.is_glued(joint)):
            break
        if text.norm(read[1]) in _WORDS.people:
            break  # "kids aged 7, 2 adults"
        ages.append(read[0])
        after = read[1]
        if text.norm(after) in _WORDS.years_old and len(ages) < count:
            after += 1 + (text.norm(after + 1) in _WORDS.old)
    is_in_months = count == 1 and len(ages) == 1 and start > at and text.norm(after) in _WORDS.months_old
    is_told = is_told or text.norm(start - 1) == "of" or text.norm(after + 1) in _WORDS.old
    ages = [ages[0] // MONTHS_OF_A_YEAR] if is_in_months and is_told else ages
    has_years = text.norm(after) in _WORDS.years_old or (is_in_months and is_told)
    after += has_years + (has_years and text.norm(after + 1) in _WORDS.old)
    is_closed = text.norm(after) == ")"
    after += is_closed
    is_apart = start > at or count > 1  # "2 kids 5 and 7", but not "a child 5"
    is_plain = is_apart and (is_closed or not text[after].is_word or text.norm(after) in _WORDS.after_ages)
    if len(ages) != count or not (is_told or has_years or is_plain):
        return (), at, at
    return tuple(ages), start if first < 0 else first, after


def year_old(text: Text, at: int) -> int:
    """Return the index after an age such as "3 year old" or "6-year-old", 0 if none is told there."""
    read = whole_number(text, at)
    if read is None:
        return 0
    unit = read[1] + (text.norm(read[1]) == "-")
    old = unit + 1 + (text.norm(unit + 1) == "-")
    is_age = text.norm(unit) in _WORDS.years | _WORDS.months_of_age
    return old + 1 if is_age and text.norm(old) in _WORDS.old else 0


def is_told_of_somebody(text: Text, at: int) -> bool:
    """Return whether what is told there of a relative is no journey: "my son hates", "my son Paul said"."""
    is_named = (text[at].is_word and text[at].is_capitalised) or (at < text.length and not text.norm(at))
    return text.norm(at) in _WORDS.no_traveller or (is_named and text.norm(at + 1) in _WORDS.no_traveller)


def are_grown_up(text: Text, noun: int) -> bool:
    """Return whether girls or boys travel among themselves: "4 girls, hen do", "12 lads and 3 girls"."""
    if text.norm(noun) not in _WORDS.girls:
        return False
    is_owned = any(text.norm(noun - back) in _WORDS.owners | {"with", "our"} for back in (1, 2))
    among = _WORDS.among_themselves | _WORDS.adults - {"adults", "adult", "seniors", "senior"}
    is_trip = any(
        text.norm(at) in _WORDS.girls and text.norm(at + 1) in _WORDS.after_girls for at in range(noun + 1)
    )
    is_occasion = is_trip or not text.vocabulary.isdisjoint(among)
    has_elders = not text.vocabulary.isdisjoint(_WORDS.elders)
    return not is_owned and (is_occasion or not has_elders)


def listed_children(text: Text, noun: int) -> int:
    """Return how many children are told by nothing but their ages: "kids aged 2, 7 and 13"."""
    found = _without_a_number(text, noun) if text.norm(noun) in _WORDS.children else None
    return len(found[0]) if found else 0


def _is_day(text: Text, at: int, count: int) -> bool:
    """Whether a number behind children is a day: "my son, 3-5 May", "a child, 4 to 11 July", "13-15"."""
    read = whole_number(text, at)
    if read and text.norm(read[1]) in _WORDS.up_to and text[read[1] + 1].is_number:
        return True
    span = read_span(text, at)
    is_ages = count > 1 and span is not None and span.end is None and text.norm(at + 1) == "/"
    return span is not None and not is_ages


def _old(text: Text, at: int) -> tuple[tuple[int, ...], int, int] | None:
    """ "a 3 year old", "my 6-year-old daughter": an age that stands before the child, or for it.

    The words are left to the reader of people, who counts by them.
    """
    after = year_old(text, at)
    read = whole_number(text, at)
    if not after or read is None or read[0] > OLDEST:
        return None
    is_named = text.norm(after) in _WORDS.any_children
    after += is_named
    unit = read[1] + (text.norm(read[1]) == "-")
    months = read[0] if text.norm(unit).startswith("m") else 0  # of weeks no year is full
    age = read[0] if text.norm(unit) in _WORDS.years else months // MONTHS_OF_A_YEAR
    return (age,), after, after


def _children(text: Text, at: int) -> tuple[tuple[int, ...], int, int] | None:
    """Children who are named there, with their ages as far as those are told."""
    if text.norm(at - 1) in _WORDS.no_children:
        return None
    is_owned = text.norm(at) in _WORDS.owners
    is_article = text.norm(at) in ("a", "an", "another")
    read = None if is_owned or is_article else whole_number(text, at)
    start = at + 1 if is_owned or is_article else read[1] if read else at
    counted = whole_number(text, start) if is_owned else None
    count, noun = counted or (read[0] if read else 1, start)
    while text.norm(noun) in _WORDS.between and noun < start + _WORDS_TO_A_CHILD:
        noun += 1
    word = text.norm(noun)
    is_led = bool(is_owned or is_article or read)
    is_several = word.endswith(("s", "children"))
    if word not in _WORDS.any_children or text.norm(noun + 1) in _WORDS.for_children:
        return None
    if is_owned and (is_told_of_somebody(text, noun + 1) or text.norm(at - 1) in _WORDS.visited):
        return None
    if read and text.norm(at - 1) in _WORDS.owners and text.norm(at - 2) in _WORDS.visited:
        return None  # "to visit my two daughters"
    grown = whole_number(text, noun + 2) if text.norm(noun + 1) in ("(", ",") else None
    if grown and grown[0] > OLDEST and text.norm(grown[1]) in (")", ","):
        return None  # "my daughter (19)"
    if not is_led:
        return _without_a_number(text, noun)
    if are_grown_up(text, noun):
        return None
    if not 0 < count <= _AT_MOST or (is_several and count == 1 and not read):
        return _without_a_number(text, noun)
    ages, first, after = ages_at(text, noun + 1, count)
    if ages:
        return ages, first, after
    return ((0 if word in _WORDS.babies else UNKNOWN_AGE,) * count, noun + 1, noun + 1)


def _without_a_number(text: Text, noun: int) -> tuple[tuple[int, ...], int, int] | None:
    """ "kids aged 2, 7 and 13": the ages tell how many there are."""
    at = noun + 1
    is_told = text.norm(at) in _WORDS.aged or text.norm(at) == "("
    for count in range(_AT_MOST, 0 if is_told else 1, -1):
        ages, _, after = ages_at(text, at, count)
        if ages:
            return ages, at, after
    return None
