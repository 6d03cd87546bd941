"""When a flight is to leave, to arrive or to fly back: "in the morning", "land by noon", "back after 6 pm".

The time of something else ("check in after 6 pm", "dinner at 7") limits no flight. Only what is told of
flying is taken, or what stands alone: that is the time of the departure.
"""

from collections.abc import Iterator
from datetime import time
from typing import Literal

from ..dates.words import MONTHS
from ..language.negations import is_waived, negation_before
from ..language.numbers import NUMBER_WORDS, NUMBERS, whole_number
from ..language.spans import SlotMention
from ..language.tables import phrases_of, words_of
from ..language.text import Text, any_of, word_set
from . import times_words as words
from .hours import CLAUSE_ENDS, HALVES, NOON, half_at, read_bare_hour, read_clock, read_hour

_LANGUAGE_WORDS = words_of("language")
_SAID = phrases_of("times")
_WORDS = words_of("times")

_ENDS_OF_A_WAY = CLAUSE_ENDS | word_set("would is please instead works and")
_ALL_PARTS = any_of(*(names for names, _ in words.PARTS))
_ENDS = any_of(*(names for _, names in words.OR_SO)).begin
_ANY = (
    word_set(
        "dawn sunrise bird lunchtime lunch dinner eye eyes redeye redeyes overnight night too super very"
    )
    | word_set("at around about half quarter latest onwards onward h am pm :")
    | word_set("morning mornings afternoon afternoons evening evenings noon midday")
    | words.IN_SHORT.keys()
    | word_set("between earlier later earliest latest lunch work early late")
    | _WORDS.bounds
    | word_set("b ish hrs hr hours")
)
"""A message without any of these tells no time of day; most are, and need not be looked through."""
_BEGIN = (
    _ALL_PARTS.begin
    | words.PART.keys()
    | words.IN_SHORT.keys()
    | _WORDS.a_lone_part
    | word_set("night between b noon midday a half quarter")
    | any_of(_SAID.at_the_earliest, *(names for _, names in words.COMPARED)).begin
    | _WORDS.bounds
    | _WORDS.roughly
    | NUMBERS
)
_GREETING = "good"
_LAST_HOUR = 24 - 1
_LONGEST_DATE = 7
"""Tokens of a date between "by" and a part of the day: "by the 5th of May afternoon"."""


def _until(text: Text, at: int, span: words.Span) -> words.Span:
    """The part of a day up to its end where "by" stands before the day: "be there by Friday lunchtime"."""
    before = at - 1
    while before > at - _LONGEST_DATE and _tells_a_day(text, before):
        before -= 1
    return (None, span[1]) if text.norm(before) == "by" and before < at - 1 and span[1] else span


def find_times_of_day(text: Text) -> Iterator[SlotMention]:
    """Yield when the flight is to leave, to arrive or to fly back, in the order of the message."""
    at = text.length if text.vocabulary.isdisjoint(_ANY) and not _has_a_clock(text) else 0
    may_be_ended = not text.vocabulary.isdisjoint(_ENDS)
    told: dict[str, time | None] = {}
    while (at := text.next_of(_BEGIN, at)) < text.length:
        found = _part(text, at) or _between(text, at) or _limit(text, at, is_time_told=bool(told))
        found = found or _about(text, at) or (_last_or_first(text, at) if may_be_ended else None)
        what = _what_of(text, at, found[0]) if found else ""
        if found and what:
            (after, (start, end)) = found
            slots = {f"flight.{what}_after": start, f"flight.{what}_before": end}
            # "In the morning, but not too early" tells both ends.
            slots = {name: limit or told.get(name) for name, limit in slots.items()}
            told |= slots
            negation = negation_before(text, at)
            if negation >= 0:  # what stands between, other readers may read
                yield SlotMention(first=negation, after=negation + 1, slots=slots)
            yield SlotMention(first=at, after=after, slots=slots)
        at = found[0] if found else at + 1


def _has_a_clock(text: Text) -> bool:
    """Whether four digits tell an hour without another word: "tomorrow 0830"."""
    return text.has_figures and any(
        len(word) == len("0830") and word.startswith("0") for word in text.vocabulary
    )


def _part(text: Text, at: int) -> tuple[int, words.Span] | None:
    """A part of the day: "in the morning", "evening flights", "afternoon preferred"."""
    span = words.PART.get(text.norm(at)) or (words.NIGHT if text.norm(at) == "night" else None)
    in_short = words.IN_SHORT.get(text.norm(at))
    if in_short and _is_day(text, at - 1) and not (text[at - 1].is_number or text.is_glued(at)):
        return at + 1, in_short
    if span and text.norm(at - 1) != _GREETING:
        preferred = text.match(_SAID.preferred, at + 1)
        is_of_day = _is_day(text, at - 1) and (_is_only_part(text) or _is_of_way_back(text))
        is_night = text.norm(at) == "night"
        way = text.match(words.ON_A_WAY, at + 1) or _comes_or_goes(text, at + 1)
        is_of_way = way > 0 or (
            text.norm(at + 1) in ("out", "back") and text.norm(at - 1) in CLAUSE_ENDS | _WORDS.steps_aside
        )
        if is_of_day or (not is_night and (preferred or is_of_way or text.norm(at + 1) in _WORDS.flights)):
            return at + 1 + preferred, _until(text, at, span)
    if (
        text.norm(at) in _WORDS.a_lone_part
        and text.norm(at - 1) != _GREETING
        and _stands_alone(text, at, at + 1)
    ):
        return at + 1, words.PART[text.norm(at)]
    if not text.match(_ALL_PARTS, at):
        return None
    found = ((text.match(names, at), limits) for names, limits in words.PARTS)
    length, limits = max(found, key=lambda each: each[0])
    if text.norm(at) in _WORDS.bounds and negation_before(text, at) >= 0:  # "not before noon"
        limits = limits[1], limits[0]
    # "Early morning" alone is part of a day ("on Friday, early morning"), or of some other thing.
    is_noun = length == 2 and text.norm(at) in _WORDS.early_or_late
    is_of_day = _is_day(text, at - 1 - (text.norm(at - 1) == ","))
    is_else = is_noun and not (is_of_day or text.norm(at + length) in _WORDS.flights)
    is_else = is_else and not _stands_alone(text, at, at + length)
    return None if is_else else (at + length, _until(text, at, limits))


def _comes_or_goes(text: Text, at: int) -> int:
    """How many words say there which way is meant: "morning coming back", not "... coming back on Friday"."""
    is_way = text.norm(at + 1) in _WORDS.times_words_back or text.norm(at + 1) in ("out", "there")
    return 2 if text.norm(at) in _WORDS.goes and is_way and text.norm(at + 2) in _ENDS_OF_A_WAY else 0


def _comes_back(text: Text, at: int) -> bool:
    return text.norm(at + 1) in _WORDS.times_words_back and _comes_or_goes(text, at) > 0


def _is_day(text: Text, at: int) -> bool:
    """Whether a day ends at that token: "Friday morning", "on 5 May, morning"."""
    return text.norm(at) in _WORDS.days or (text[at].is_number and text.norm(at - 1) in _WORDS.days)


def _stands_alone(text: Text, first: int, after: int) -> bool:
    """Whether the message says nothing but the time in those tokens: "early morning please"."""
    others = (*range(first), *range(after, text.length))
    return all(text.norm(at) in _WORDS.small_words for at in others if text[at].is_word or text[at].is_number)


def _is_only_part(text: Text) -> bool:
    """Whether one part of a day is told: of two, the second is that of the way back."""
    return sum(_is_part(text, at) for at in range(text.length)) == 1


def _is_of_way_back(text: Text) -> bool:
    """Whether the way back is told in a clause of its own, so that each part of a day is told of one way."""
    backs = [at for at in range(text.length) if text.norm(at) in _WORDS.times_words_back]
    # "Friday morning back Sunday evening": right behind a part of a day the way back begins.
    begins = CLAUSE_ENDS | _WORDS.steps_aside
    return any(at and (text.norm(at - 1) in begins or _is_part(text, at - 1)) for at in backs)


def _is_part(text: Text, at: int) -> bool:
    """Whether a part of a day stands there, in short only behind a day: "fri am", unlike "i am"."""
    return text.norm(at) in _WORDS.parts_of_a_day or (
        text.norm(at) in words.IN_SHORT and _is_day(text, at - 1)
    )


def _between(text: Text, at: int) -> tuple[int, words.Span] | None:
    """ "between 9 and 11 am": a half of the day that is told once holds for both."""
    if text.norm(at) != "between":
        return None
    first = read_clock(text, at + 1, half="") or _counted_hour(text, at + 1)
    joint = first[1] if first else at
    last = read_clock(text, joint + 1, half="") if first and text.norm(joint) in ("and", "-") else None
    if first is None or last is None:
        return None
    half = text.norm(last[1] - 1)
    if text[at + 1].is_word and half not in HALVES:  # "between eight and eleven in the morning"
        half = "am" if last[0] < NOON else "pm"
    if half in HALVES and text.norm(joint - 1) not in HALVES:
        first = read_clock(text, at + 1, half=half) or first
    is_told = half in HALVES or ":" in (text.norm(at + 2), text.norm(joint + 2))
    return (last[1], (first[0], last[0])) if is_told and first[0] < last[0] else None


def _counted_hour(text: Text, at: int) -> tuple[time, int] | None:
    read = whole_number(text, at) if text[at].is_word else None
    return (time(read[0]), read[1]) if read and 1 < read[0] <= NOON.hour else None


def _limit(text: Text, at: int, *, is_time_told: bool) -> tuple[int, words.Span] | None:
    """ "after 6 pm", "before 18:30", "not before 9 am", "no later than noon"."""
    length, is_after = _bound(text, at)
    start = at + length
    if not length:
        return None
    if not text.match(_SAID.at_the_earliest, at) and negation_before(text, at) >= 0:
        is_after = not is_after
    start += is_time_told and text.norm(start) == "the"  # "in the morning, after the 8"
    read = read_hour(text, start)
    part = text.norm(at - 1) if text.norm(at - 1) in _WORDS.parts_of_a_day else ""
    if read is None and (_is_told_of(text, at) or _is_hour(text, at, start, is_time_told=is_time_told)):
        read = read_bare_hour(text, start, part=part)
    if read is None:
        return None
    return read[1], (read[0], None) if is_after else (None, read[0])


def _is_hour(text: Text, at: int, start: int, *, is_time_told: bool) -> bool:
    """Whether a number behind "before" or "after" is an hour, though no word for leaving stands before it.

    It is one behind a part of a day, in words in a message about a flight, or where nothing else is said.
    """
    read = whole_number(text, start)
    if read is None or (read[0] == 1 and text[start].is_word):
        return False
    is_in_four = text[start].is_number and len(text[start].raw) == len("1800")
    is_bound = text.norm(at) in ("after", "before", "past", "by", "than") or text.norm(start - 1) == "than"
    if not (is_bound or (is_in_four and text.norm(at) == "from")):
        return False
    if not (read[0] <= NOON.hour or is_in_four):
        return False
    if is_in_four and not text.vocabulary.isdisjoint(
        _WORDS.leaving | _WORDS.arriving | _WORDS.times_words_back
    ):
        return True
    if text.norm(at - 1) in _WORDS.parts_of_a_day or is_time_told:
        return True
    is_word = text.norm(start) in NUMBER_WORDS and not text.vocabulary.isdisjoint(
        _WORDS.leaving | _WORDS.arriving
    )
    return is_word or _stands_alone(text, at, read[1])


def _about(text: Text, at: int) -> tuple[int, words.Span] | None:
    """ "around 9 am", "at 18:30", "10am", "on 5 May 10am", "leave around 3": within an hour of it."""
    is_rough = text.norm(at) in _WORDS.roughly
    # "Book the one at 18:30" picks an offer.
    is_pick = text.norm(at) == "at" and not text.vocabulary.isdisjoint(_WORDS.picks)
    if is_pick or not (is_rough or text[at].is_number):
        return None
    start = at + is_rough + (is_rough and text.norm(at + 1) in ("about", "around"))
    read = read_hour(text, start)
    if is_rough and read is None and text.norm(at) != "at" and _is_told_of(text, at):
        read = read_bare_hour(text, start)
    if read is None or _or_so(text, read[1]) or _is_day_of_month(text, start):
        return None
    hour, after = read
    is_rough = is_rough or text.norm(after - 1) == "ish"
    if not (is_rough or _is_day(text, at - 1) or _stands_alone(text, at, after)):
        return None
    early = time(max(hour.hour - 1, 0), hour.minute)
    return after, (early, time(hour.hour + 1, hour.minute) if hour.hour < _LAST_HOUR else None)


def _is_day_of_month(text: Text, at: int) -> bool:
    """Whether a number there is a day: "February 9 in the morning", unlike "9 in the morning"."""
    return text[at].is_number and text.norm(at - 1) in MONTHS and half_at(text, at + 1) is not None


def _last_or_first(text: Text, at: int) -> tuple[int, words.Span] | None:
    """ "half past six at the latest", "9 am or later"."""
    start = at + (text.norm(at) in _WORDS.roughly)
    read = read_hour(text, start)
    if read is None and (text[start].is_number or text.norm(start) in NUMBER_WORDS):
        read = read_bare_hour(text, start)
    found = _or_so(text, read[1]) if read else None
    if read is None or found is None:
        return None
    return found[1], (read[0], None) if found[0] else (None, read[0])


def _or_so(text: Text, at: int) -> tuple[bool, int] | None:
    found = ((is_after, text.match(names, at)) for is_after, names in words.OR_SO)
    return next(((is_after, at + length) for is_after, length in found if length), None)


def _bound(text: Text, at: int) -> tuple[int, bool]:
    """How many words bound a time there, 0 if none do, and whether from below: "after", "later than"."""
    for is_after, names in ((True, _SAID.at_the_earliest), *words.COMPARED):
        length = text.match(names, at)
        if length:
            return length, is_after
    if (text.norm(at), text.norm(at + 1)) == ("b", "4") and text.is_glued(at + 1):
        return 2, False
    word = text.norm(at)
    return (1 if word in _WORDS.bounds else 0), word in _WORDS.after


def _is_told_of(text: Text, at: int) -> bool:
    """Whether a word for leaving, arriving or flying back stands before it, so that a number is an hour."""
    told = _WORDS.arriving | _WORDS.times_words_back | (_WORDS.leaving - _WORDS.flights)
    at = at - 1 if text.norm(at - 1) in _LANGUAGE_WORDS.negations else at  # "leave not before 9"
    return text.norm(at - 1) in told or (text.norm(at - 1) == "in" and text.norm(at - 2) == "get")


def _what_of(text: Text, first: int, after: int) -> Literal["departs", "arrives", "returns", ""]:
    """What a time is told of: as its clause tells, or of the departure if it is told alone; "" of none.

    What follows "leaving after 6 pm" may tell of the way back.
    """
    is_told = text.norm(first - 1) in _WORDS.leaving
    is_apart = text.norm(first - 1) == "," and _is_day(text, first - 2)  # "back on Wednesday, late afternoon"
    start, end = first - is_apart, after
    while text.norm(start - 1) not in CLAUSE_ENDS or _ends_a_date(text, start - 1):
        start -= 1
    is_told = is_told and not (text.norm(start) == "the" and text.norm(start + 1) in _WORDS.times_words_back)
    while not is_told and text.norm(end) not in CLAUSE_ENDS and not _turns_back(text, end):
        end += 1
    # "Go back to the flights" flies nowhere.
    before = [
        text.norm(at)
        for at in range(start, first)
        if (text.norm(at), text.norm(at + 1)) != ("back", "to")
        and not (_is_no_place(text, at) or text.norm(at) == ",")
    ]
    others = {*before, *(text.norm(at) for at in range(after, end))}
    if is_waived(text, first):
        return ""
    is_turned = text.norm(first) in _WORDS.bounds or _bound(text, first)[0] > 0
    is_denied = any(
        text.norm(at) in _WORDS.unwanted for at in range(max(start, first - words.WORDS_BEFORE), first)
    )
    if is_denied and not (is_turned and negation_before(text, first) >= 0):
        return ""
    if others & _WORDS.not_leaving or (
        not is_told and others & _WORDS.hotels and not others & _WORDS.flights
    ):
        return ""
    behind = after + (text.norm(after) in _WORDS.flights)
    # "Friday morning back Sunday evening" tells the way back behind the day on which it begins.
    is_behind = text.norm(behind) in _WORDS.times_words_back and not _tells_a_day(text, behind + 1)
    is_back = not _WORDS.times_words_back.isdisjoint(before) or is_behind
    is_back = is_back or text.match(words.ON_THE_WAY_BACK, behind) > 0 or _comes_back(text, behind)
    if is_back and not (is_told and text.norm(first - 1) not in ("flight", "fly", "flying")):
        return "returns"
    if others & _WORDS.arriving or any(text.match(_SAID.gets_in, at) for at in range(start, end)):
        return "arrives"
    if not is_told and _is_to_be_in(text, start, first):
        return "arrives"
    is_of_route = _is_day(text, first - 1) and not {"to", "from"}.isdisjoint(before)
    return "departs" if others & _WORDS.leaving or others <= _WORDS.small_words or is_of_route else ""


def _tells_a_day(text: Text, at: int) -> bool:
    return text.norm(at) in _WORDS.days or text.norm(at) in ("on", "the", "of") or text[at].is_number


def _is_no_place(text: Text, at: int) -> bool:
    """Whether "there" names no place: "is there anything around 6 pm?"."""
    return text.norm(at) == "there" and (
        text.norm(at - 1) in _WORDS.is_word or text.norm(at + 1) in _WORDS.is_word
    )


def _is_to_be_in(text: Text, start: int, first: int) -> bool:
    """Whether a time before which no word for leaving stands tells when to be somewhere."""
    at = next((at for at in range(first - 1, start - 1, -1) if text.match(_SAID.be_in, at)), -1)
    return at >= 0 and all(text.norm(each) not in _WORDS.leaving for each in range(at, first))


def _ends_a_date(text: Text, at: int) -> bool:
    """Whether a stop is one of a date: "back on 16.12. after 17:00"."""
    if text.norm(at) != "." or not text[at - 1].is_number:
        return False
    is_within = text[at + 1].is_number and text.is_glued(at + 1)
    return is_within or (text.norm(at - 2) == "." and text[at - 3].is_number)


def _turns_back(text: Text, at: int) -> bool:
    """Whether the way back is told from there on: "... and back on Tuesday"."""
    step = at + (text.norm(at) in _WORDS.steps_aside)
    if text.norm(step) in _WORDS.goes and text.norm(step + 1) in _WORDS.times_words_back:
        return True
    return text.norm(step) in _WORDS.times_words_back or (
        step > at and text.norm(step + 1) in _WORDS.times_words_back
    )
