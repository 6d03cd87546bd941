"""Of which offers a question asks: the second, the cheapest, the Hilton, the way back of it."""

from ....values.offers import By
from ...found import Way
from ..bookings.words import ORDINALS
from ..dates.points import MONTHS
from ..language.numbers import NUMBER_WORDS, whole_number
from ..language.tables import phrases_of, words_of
from ..language.text import Text
from . import words
from .coverage import Coverage

_BOOKINGS_WORDS = words_of("bookings")
_DATES_WORDS = words_of("dates")
_SAID = phrases_of("found")
_WORDS = words_of("found")

_MOST_NUMBERS = 9
_DIGITS_OF_A_NUMBER = 2
_LONGEST_NAME = 5
_LONGEST_LIST_IN_ORDINALS = 10
_NUMERALS = NUMBER_WORDS.keys() | _DATES_WORDS.ordinal_endings
_LEADS_TO_A_PLACE = _BOOKINGS_WORDS.numbered | ORDINALS.keys() | {"#", "option", "top", "flight", "hotel"}
_GLUED_TO_A_PLACE = frozenset({".", ",", "?", "!", ";", ":", "(", ")", "'", '"', "#", "-"})
"""What may be written right beside a place in the list; of "4wd", "3*" and "$5" the figure is none."""
_SPANS = frozenset({"-", "to", "till", "until", "through", "/"})


def take_pick(coverage: Coverage) -> tuple[By, bool] | None:
    """Return what the offer has most or least of, and whether most."""
    text = coverage.text
    found = [
        (length, at, row)
        for at in range(text.length)
        if text.norm(at) in words.ALL_PICKS.begin and at not in coverage.used
        for row in words.PICKS
        if (length := text.match(row[2], at))
    ]
    if not found:
        return None
    length, at, row = max(found, key=lambda each: each[0])
    coverage.use(at, at + length)
    by, descending = row[:2]
    if by == "departure" and coverage.take(_SAID.being_there):  # "which gets me there earliest"
        by = "arrival"
    return by, descending


def take_counts(coverage: Coverage) -> bool:
    """Account for people, rooms, nights and stars: "for 3 people", "for 5", "if we are 4".

    They are of the request, and no place in the list. Whether they change it is not told by their words.
    Return whether there are any.
    """
    text, is_any = coverage.text, False
    for at in range(text.length):
        before = text.norm(at - 1)
        read = whole_number(text, at) if at not in coverage.used and before not in _LEADS_TO_A_PLACE else None
        if read is None:
            continue
        after = read[1]
        is_counted = text.norm(after) in _WORDS.counted_people_and_rooms
        is_of_us = (text.norm(after), text.norm(after + 1)) == ("of", "us")
        is_of_people = before in ("for", "are", "were", "re") and text.norm(after) not in _WORDS.offer_nouns
        is_of_people |= before == "with" and _stands_alone_with(text, at, after)
        if is_counted or is_of_us or is_of_people:
            coverage.use(at, after + is_counted + 2 * is_of_us)
            is_any = True
    return is_any


def _stands_alone_with(text: Text, at: int, after: int) -> bool:
    """Whether "with 4" tells a party, unlike "compare 1 with 4", "with number 4" and "with 2 bags"."""
    is_compared = any(text[each].is_number or text.norm(each) in ORDINALS for each in range(at))
    return not is_compared and text.norm(after) not in _WORDS.counted_things | _WORDS.offer_nouns


def take_numbers(coverage: Coverage, *, days: bool = True) -> tuple[int, ...]:
    """Return the numbers of the offers: "the second", "number 3", "the first two", "1 and 2".

    With `days` those of the month are accounted for as well; they are no numbers of offers.
    """
    numbers: list[int] = []
    at = 0
    while at < coverage.text.length:
        day = _day_at(coverage.text, at) if at not in coverage.used else at
        if day > at:
            coverage.used |= set(range(at, day)) if days else set()
            at = day
            continue
        found = _numbers_at(coverage.text, at) if at not in coverage.used else None
        if found is None:
            at += 1
            continue
        some, after = found
        numbers += some
        coverage.use(at, after)
        at = after
    return tuple(dict.fromkeys(numbers))[:_MOST_NUMBERS]


def _day_at(text: Text, at: int) -> int:
    """Return the index after a day: "on the 2nd", "the 20th", "on Friday"; `at` where there is none.

    "The 2nd" alone is a place in the list, "the 20th" is a day: few lists are that long.
    """
    if text.norm(at) in _WORDS.weekdays and text.norm(at - 1) == "on":
        return at + 1
    if text.norm(at) in MONTHS and text[at + 1].is_number:
        return at + 2 + (text.norm(at + 2) in _DATES_WORDS.ordinal_endings)
    after = at + 1 + (text.norm(at + 1) in _DATES_WORDS.ordinal_endings)
    after += text.norm(after) == "of"
    if text[at].is_number and text.norm(after) in MONTHS:
        return after + 1
    is_ordinal = (
        text[at].is_number and text.norm(at + 1) in _DATES_WORDS.ordinal_endings and text.is_glued(at + 1)
    )
    if not is_ordinal or text.norm(at + 2) in _WORDS.offer_nouns or text.norm(at - 1) in _LEADS_TO_A_PLACE:
        return at
    is_on = "on" in (text.norm(at - 1), text.norm(at - 2) if text.norm(at - 1) == "the" else "")
    is_day = is_on or (len(text[at].raw) > len("9") and int(text[at].raw) > _LONGEST_LIST_IN_ORDINALS)
    return at + 2 if is_day else at


def _numbers_at(text: Text, at: int) -> tuple[list[int], int] | None:
    ordinal = ORDINALS.get(text.norm(at))
    if ordinal == 1 or text.norm(at) == "top":
        count = whole_number(text, at + 1) if text.norm(at + 1) not in ("one", "a") else None
        if count and 1 < count[0] <= _MOST_NUMBERS:
            return list(range(1, count[0] + 1)), count[1]
    if text.norm(at + 1) in _BOOKINGS_WORDS.of_a_class:
        return None
    if ordinal:
        return [ordinal], at + 1
    if text[at].is_number:
        is_ordinal = text.norm(at + 1) in _DATES_WORDS.ordinal_endings and text.is_glued(at + 1)
        if text.norm(at + 1) in _WORDS.counted_things and not is_ordinal:
            return None
        if text.norm(at + 1) == "h" or (text.norm(at + 1) == "." and text[at + 2].is_number):
            return None  # "24h", "8.5"
        is_short = len(text[at].raw) <= _DIGITS_OF_A_NUMBER and int(text[at].raw) > 0
        if not is_short or _is_of_a_span(text, at) or _is_part_of_a_word(text, at, at + 1 + is_ordinal):
            return None
        return [int(text[at].raw)], at + 1 + is_ordinal
    is_led = text.norm(at) in _BOOKINGS_WORDS.numbered or text.norm(at) in ("#", "option", "flight", "hotel")
    if not is_led or not (text[at + 1].is_number or text.norm(at + 1) in NUMBER_WORDS.keys() - {"one"}):
        return None
    read = whole_number(text, at + 1)
    return ([read[0]], read[1]) if read and 0 < read[0] < 10**_DIGITS_OF_A_NUMBER else None


def _is_part_of_a_word(text: Text, at: int, after: int) -> bool:
    """Whether a figure is glued to what is no sign of a sentence: "4wd", "3*", "4-wheel", "€5"."""
    is_glued_before = text.is_glued(at) and text.norm(at - 1) not in _GLUED_TO_A_PLACE
    is_joined = text.norm(after) == "-" and text.is_glued(after) and text.is_glued(after + 1)
    return (
        is_glued_before or is_joined or (text.is_glued(after) and text.norm(after) not in _GLUED_TO_A_PLACE)
    )


def _is_of_a_span(text: Text, at: int) -> bool:
    """Whether a figure begins or ends a span of days: "26-30", "26 to 30"; "options 1-3" are offers."""
    begins = text.norm(at + 1) in _SPANS and text[at + 2].is_number
    first = at if begins else at - 2
    ends = text.norm(at - 1) in _SPANS and text[at - 2].is_number
    return (begins or ends) and text.norm(first - 1) not in _LEADS_TO_A_PLACE | _WORDS.offer_nouns


def take_way(coverage: Coverage) -> Way | None:
    """Return the direction that is asked about."""
    if coverage.take(_SAID.words_back):
        coverage.take_all(_SAID.words_back)
        return "back"
    return "out" if coverage.take(_SAID.out) else None


def means_all(text: Text) -> bool:
    """Return whether all offers are asked about: "are bags included with these?", unlike "with that one"."""
    is_one = not {"it", "its", "that", "thats", "this"}.isdisjoint(text.vocabulary)
    return not is_one and not _WORDS.all.isdisjoint(text.vocabulary)


def name_in(coverage: Coverage) -> str | None:
    """Return the name that the words tell which nothing else accounts for; "" without any.

    None if they cannot be a name: then the message says more than a question does.
    """
    unread, text = coverage.unread(), coverage.text
    if not unread:
        return ""
    first, after = unread[0], unread[-1] + 1
    between = {text.norm(at) for at in range(first, after) if at not in unread}
    may_be = all(text[at].is_word or text[at].is_number or text.norm(at) in _WORDS.in_names for at in unread)
    is_other = any(text.norm(at) in _WORDS.not_a_name for at in range(first, after))
    is_told = text.norm(first - 1) in _WORDS.before_a_name
    has_letters = any(text[at].is_word and text.norm(at) not in _NUMERALS for at in unread)
    if after - first > _LONGEST_NAME or is_other or not (may_be and is_told and between <= _WORDS.in_names):
        return None
    if not has_letters:
        return None
    return text.spelled(first, after)
