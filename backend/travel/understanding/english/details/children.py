"""The children who come along, with their ages: "2 kids (4 and 7)", "my son, 6", "with a baby".

Whoever tells how old the children are that were counted before names nobody who comes along besides: "the
kids are 4 and 8", "she's 6", "one is 4, the other 8".
"""

from collections.abc import Iterator

from ....values.travel import UNKNOWN_AGE
from ...message import AgesOfKnown
from ..dates.grammar import read_span
from ..language.numbers import NUMBERS, has_numbers, whole_number
from ..language.tables import words_of
from ..language.text import SlotMention, Text

_WORDS = words_of("people")

_OLDEST = 17
_MONTHS_OF_A_YEAR = 12
_AT_MOST = 9
_WORDS_TO_A_CHILD = 3
_WORDS_BEFORE_A_CHILD = 2
_BEGIN = _WORDS.any_children | _WORDS.owners | _WORDS.between | {"an", "another"} | NUMBERS
_BEFORE_AGES = _WORDS.before_ages | _WORDS.aged
_UNITS = _WORDS.years | _WORDS.months_of_age
_NOT_AMONG_THEMSELVES = _WORDS.owners | {"with", "our"}

Told = tuple[tuple[int, ...], int, int]
"""The ages of some children, where they begin, and the index behind them."""


def find_ages(text: Text) -> Iterator[SlotMention]:
    """Yield the children of a message, once for flights and once for stays; the words are those of ages."""
    known = _of_known(text)
    text = text.without(range(*known[1:])) if known else text
    ages: list[int] = []
    spans: list[tuple[int, int]] = []
    at = 0 if text.has_any(_WORDS.cues) else text.length
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _old(text, at) or _children(text, at)
        if found:
            ages += found[0]
            spans.append(found[1:])
        at = max(found[2], at + 1) if found else at + 1
    told: tuple[int, ...] | AgesOfKnown = tuple(ages)
    if known:
        of_known = AgesOfKnown(ages=known[0], adults=1 + (not text.has_any(_WORDS.speakers)))
        told = of_known.filling(told) if told else of_known
        yield from _mentions(known[1:], told, is_counted=False)
    for span in spans if 0 < len(ages) <= _AT_MOST else ():
        yield from _mentions(span, told)


def _mentions(
    span: tuple[int, int], ages: tuple[int, ...] | AgesOfKnown, *, is_counted: bool = True
) -> Iterator[SlotMention]:
    for slot in ("flight.children", "hotel.children"):
        yield SlotMention(first=span[0], after=span[1], slots={slot: ages}, is_counted=is_counted)


def ages_at(text: Text, at: int, count: int) -> Told:
    """Return the ages of so many children told from `at` on, where they begin, and the index behind them.

    Empty if none are told there.
    """
    after = start = text.skip(_BEFORE_AGES, at)
    first = next((each for each in range(at, start) if text.norm(each) in _WORDS.aged), start)
    ages: list[int] = []
    while len(ages) < count:  # where people speak no comma is heard: "4 7 and 11"
        joint = text.skip(_WORDS.joins_ages, after, 2) if ages else after
        read = whole_number(text, joint)
        if read is None or read[0] > _OLDEST or _is_day(text, joint, count):
            break
        if text.norm(read[1]) in _WORDS.people:
            break  # "kids aged 7, 2 adults"
        ages.append(read[0])
        after = read[1]
        if len(ages) < count and text.norm(after) in _WORDS.years_old:
            after = text.skip(_WORDS.old, after + 1, 1)
    if len(ages) != count:
        return (), at, at
    is_in_months = count == 1 and start > at and text.norm(after) in _WORDS.months_old
    ages = [ages[0] // _MONTHS_OF_A_YEAR] if is_in_months else ages
    is_told = first < start or text.has_any({"("}, at, start) or text.norm(start - 1) == "of"
    is_told = is_told or text.norm(after + 1) in _WORDS.old
    if is_in_months or text.norm(after) in _WORDS.years_old:
        after = text.skip(_WORDS.old, after + 1, 1)
        is_told = True
    is_closed = text.norm(after) == ")"
    after += is_closed
    is_apart = start > at or count > 1  # "2 kids 5 and 7", but not "a child 5"
    is_plain = is_apart and (is_closed or not text[after].is_word or text.norm(after) in _WORDS.after_ages)
    return (tuple(ages), first, after) if is_told or is_plain else ((), at, at)


def year_old(text: Text, at: int) -> int:
    """Return the index after an age such as "3 year old" or "6-year-old", 0 if none is told there."""
    read = whole_number(text, at)
    unit = text.skip({"-"}, read[1], 1) if read else -1
    old = text.skip({"-"}, unit + 1, 1)
    return old + 1 if text.norm(unit) in _UNITS and text.norm(old) in _WORDS.old else 0


def is_told_of_somebody(text: Text, at: int) -> bool:
    """Return whether what is told there of a relative is no journey: "my son hates", "my son Paul said"."""
    is_named = (text[at].is_word and text[at].is_capitalised) or (at < text.length and not text.norm(at))
    return text.norm(at) in _WORDS.no_traveller or (is_named and text.norm(at + 1) in _WORDS.no_traveller)


def are_grown_up(text: Text, noun: int) -> bool:
    """Return whether girls or boys travel among themselves: "4 girls, hen do", "12 lads and 3 girls"."""
    if text.norm(noun) not in _WORDS.girls or text.has_any(_NOT_AMONG_THEMSELVES, noun - 2, noun):
        return False
    is_trip = any(text.norm(at + 1) in _WORDS.after_girls for at in text.where(_WORDS.girls) if at <= noun)
    return is_trip or text.has_any(_WORDS.among_themselves) or not text.has_any(_WORDS.elders)


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
    return span is not None and not (count > 1 and span.end is None and text.norm(at + 1) == "/")


def _old(text: Text, at: int) -> Told | None:
    """ "a 3 year old", "my 6-year-old daughter": an age that stands before the child, or for it.

    The words are left to the reader of people, who counts by them.
    """
    after, read = year_old(text, at), whole_number(text, at)
    if not after or read is None or read[0] > _OLDEST:
        return None
    unit = text.norm(text.skip({"-"}, read[1], 1))
    months = read[0] if unit.startswith("m") else 0  # of weeks no year is full
    after = text.skip(_WORDS.any_children, after, 1)
    return (read[0] if unit in _WORDS.years else months // _MONTHS_OF_A_YEAR,), after, after


def _children(text: Text, at: int) -> Told | None:
    """Children who are named there, with their ages as far as those are told."""
    is_owned = text.norm(at) in _WORDS.owners
    start = at + (is_owned or text.norm(at) in ("a", "an", "another"))
    counted = whole_number(text, start) if is_owned or start == at else None
    count, noun = counted or (1, start)
    noun = text.skip(_WORDS.between, noun, start + _WORDS_TO_A_CHILD - noun)
    word = text.norm(noun)
    is_no_child = word not in _WORDS.any_children or text.norm(noun + 1) in _WORDS.for_children
    if is_no_child or text.norm(at - 1) in _WORDS.no_children:
        return None
    is_visited = text.norm(at - 1) in _WORDS.visited or (
        text.norm(at - 1) in _WORDS.owners and text.norm(at - 2) in _WORDS.visited
    )
    if is_owned and (is_visited or is_told_of_somebody(text, noun + 1)):
        return None
    if counted and not is_owned and is_visited and text.norm(at - 1) in _WORDS.owners:
        return None  # "to visit my two daughters"
    grown = whole_number(text, noun + 2) if text.norm(noun + 1) in ("(", ",") else None
    is_grown = grown and grown[0] > _OLDEST and text.norm(grown[1]) in (")", ",")  # "my daughter (19)"
    is_led = start > at or counted is not None
    if is_grown or (is_led and are_grown_up(text, noun)):
        return None
    is_several = word.endswith(("s", "children"))
    if not is_led or not 0 < count <= _AT_MOST or (is_several and count == 1 and start > at):
        return _without_a_number(text, noun)
    told = ages_at(text, noun + 1, count)
    return told if told[0] else ((0 if word in _WORDS.babies else UNKNOWN_AGE,) * count, noun + 1, noun + 1)


def _without_a_number(text: Text, noun: int) -> Told | None:
    """ "kids aged 2, 7 and 13": the ages tell how many there are."""
    at = noun + 1
    is_told = text.norm(at) in _WORDS.aged or text.norm(at) == "("
    told = (ages_at(text, at, count) for count in range(_AT_MOST, 0 if is_told else 1, -1))
    return next(((ages, at, after) for ages, _, after in told if ages), None)


def _of_known(text: Text) -> Told | None:
    """The ages of children who are counted elsewhere, told by nothing else or beside a word for them."""
    if not (text.has_any(_WORDS.cues_of_ages) and has_numbers(text)):
        return None
    first = text.skip(_WORDS.ahead, 0)
    told = _statements(text, first, is_clear=False)
    if told and text.skip(_WORDS.beside_ages, told[2], text.length) == text.length:
        return told
    child = next(iter(text.where(_WORDS.who_are_known)), text.length)
    starts = range(max(0, child - _WORDS_BEFORE_A_CHILD), text.length)
    return next((told for at in starts if (told := _statements(text, at, is_clear=True))), None)


def _statements(text: Text, at: int, *, is_clear: bool) -> Told | None:
    """Statements side by side; where they are to be `is_clear`, ages without a verb are none."""
    ages: tuple[int, ...] = ()
    after = at
    while told := _statement(
        text,
        text.skip(_WORDS.joins_ages, after, 2) if ages else at,
        is_elided=bool(ages),
        is_clear=is_clear,
    ):
        ages, after = ages + told[0], told[1]
    return (ages[:_AT_MOST], at, after) if ages else None


def _statement(text: Text, at: int, *, is_elided: bool, is_clear: bool) -> tuple[tuple[int, ...], int] | None:
    """ "the kids are 4 and 8", "she's 6", "the other 8" (`is_elided`), "aged 4 and 8"."""
    many, verb = _subject(text, at)
    if not many:
        if is_clear or is_elided:
            return None
        start = at + (text.norm(at) in ("their", "the") and text.norm(at + 1) in _WORDS.aged)
        is_aged = text.norm(start) in _WORDS.aged
        start += is_aged
        told = _list(text, start + (is_aged and (text.norm(start) == ":" or text.norm(start) in _WORDS.are)))
        return told[:2] if told and (is_aged or told[2]) else None
    start = text.skip(_WORDS.are | _WORDS.beside_a_verb, verb)
    has_verb = text.norm(verb - 1) in _WORDS.holds_its_verb or start > verb
    told = _list(text, start) if many > 1 else _age(text, start)
    if told is None or not (has_verb or is_elided):
        return None
    ages, after, has_unit = told
    is_both = text.norm(start - 1) == "both"
    if many > len(ages) and not (has_unit or is_both):
        return None
    is_over = not text[after].is_word or text.norm(after) in _WORDS.after
    return (ages * 2 if is_both and len(ages) == 1 else ages, after) if is_over else None


def _subject(text: Text, at: int) -> tuple[int, int]:
    """How many are meant at least (0 for nobody), and the index behind the words for them."""
    word = text.norm(at)
    if word in _WORDS.she or (word == "one" and text.norm(at + 1) in _WORDS.are):
        return 1, at + 1
    if word in _WORDS.they:
        return 2, at + 1
    is_owned = word in _WORDS.owners or word in ("both", "all")
    noun = at + is_owned
    is_compared = text.norm(noun) in _WORDS.compared or (is_owned and text.norm(noun) in _WORDS.counted)
    noun += is_compared
    if text.norm(noun) in _WORDS.several:
        return (2, noun + 1) if is_owned and text.norm(noun + 1) in _WORDS.are else (0, at)
    if text.norm(noun) in _WORDS.one or (is_compared and text.norm(noun) == "one"):
        return (1, noun + 1) if is_owned or is_compared else (0, at)
    if is_owned and text.norm(noun) == "others":
        return 1, noun + 1
    return (1, noun) if is_compared else (0, at)


def _age(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """One age, the index behind it, and whether its unit is told: "4", "10 months", "4 years old"."""
    read = whole_number(text, at)
    if read is None or text.norm(read[1]) in (":", "%", "/"):
        return None
    age, after = read
    unit = text.skip({"-"}, after, 1)
    is_months = text.norm(unit) in _WORDS.months_old
    has_unit = is_months or text.norm(unit) in _WORDS.years_old
    after = text.skip({"-", "old", "of", "age"}, unit + 1 if has_unit else after)
    age = age // _MONTHS_OF_A_YEAR if is_months else age
    return ((age,), after, has_unit) if age <= _OLDEST else None


def _list(text: Text, at: int) -> tuple[tuple[int, ...], int, bool] | None:
    """Ages side by side: "4, 8 and 12", "4 & 8 years old", and dictated: "4 7 and 11"."""
    ages, after, has_unit = (), at, False
    while further := _age(text, text.skip(_WORDS.joins_ages, after, 2) if ages else at):
        ages, after, has_unit = (*ages, *further[0]), further[1], has_unit or further[2]
    return (ages[:_AT_MOST], after, has_unit) if ages else None
