"""When a flight is to leave, to arrive or to fly back: "in the morning", "land by noon", "back after 6 pm".

The time of something else ("check in after 6 pm", "dinner at 7") limits no flight. Only what is told of
flying is taken, or what stands alone: that is the time of the departure.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import time
from typing import Literal

from ...places.gazetteer import load_gazetteer, name_key
from ..dates.points import BESIDE, MONTHS
from ..language.numbers import NUMBER_WORDS, NUMBERS, whole_number
from ..language.sentences import (
    is_waived,
    negation_before,
    negation_of,
    sentence_around,
    takes_back,
    way_back_at,
)
from ..language.tables import phrases_of, rows_of, words_of
from ..language.text import Phrases, SlotMention, Text, any_of

_LANGUAGE_SAID = phrases_of("language")
_LANGUAGE_WORDS = words_of("language")
_SAID = phrases_of("times")
_WORDS = words_of("times")

Way = Literal["departs", "arrives", "returns"]
_Span = tuple[time | None, time | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Part:
    """A part of the day: `[[spans]]` tell it anywhere, `[[parts_of_a_day]]` only beside a day or a flight."""

    phrases: Phrases
    after: time | None = None
    before: time | None = None

    @property
    def span(self) -> _Span:
        return self.after, self.before


_NOON = time(12)
_NOONS = frozenset({"noon", "midday"})
_HALVES = {"am": 0, "pm": 12}
_PARTS = rows_of("times", "spans", _Part)
_ALL_PARTS = any_of(*(row.phrases for row in _PARTS))
_BY_WORD = {word: row.span for row in rows_of("times", "parts_of_a_day", _Part) for word in row.phrases}
_IN_SHORT = {word: _BY_WORD[word] for word in _WORDS.in_short}
"""Right behind a day these are parts of it: "fri pm", "back sun eve"."""
_FROM_BELOW = any_of(_SAID.at_the_earliest, _SAID.later_than)
_ON_A_WAY = any_of(_SAID.on_the_way_back, _SAID.on_the_way_out)
_CLAUSE_ENDS = frozenset({"", ".", ",", ";", "!", "?"})
_BEHIND_AN_HOUR = _SAID.in_the_am.begin | _SAID.in_the_pm.begin | _HALVES.keys() | {":", ".", "h"}
"""Without one of these behind it, a number in figures is no time that can be nothing else."""
_BEGIN_AN_HOUR = NUMBER_WORDS.keys() | {"noon", "midday", "half", "quarter", "a"}
_MINUTES = {"half": 30, "quarter": 15}
_QUARTERS = (0, 15, 30, 45)
_FIRST_HOUR = time(5)
_END_OF_DAY = time(23, 59)
_LAST_HOUR, _SMALL_HOURS, _MINUTES_OF_AN_HOUR = 23, 6, 60
_FOUR = len("1800")
_MONTHS_OF_A_YEAR = 12
_LONGEST_DATE = 7
"""Tokens of a date between "by" and a part of the day: "by the 5th of May afternoon"."""
_WORDS_BEFORE = 4
_WORDS_BETWEEN = 5

_BEGIN = (
    _ALL_PARTS.begin
    | _BY_WORD.keys()
    | _WORDS.begins_a_time
    | any_of(_FROM_BELOW, _SAID.earlier_than).begin
    | _WORDS.bounds
    | _WORDS.roughly
    | NUMBERS
)
_CUES = _WORDS.cues | _WORDS.bounds | _WORDS.occasions
"""A message without any of these tells no time of day; most are, and need not be looked through."""

HOURS: dict[Way, tuple[str, str]] = {
    "departs": ("flight.departs_after", "flight.departs_before"),
    "arrives": ("flight.arrives_after", "flight.arrives_before"),
    "returns": ("flight.returns_after", "flight.returns_before"),
}
"""The slots of each way."""
_ENDS_OF_A_DAY = frozenset({"morning", "evening"})
ANY_TIME = any_of(_SAID.any_time, _SAID.does_not_matter)
ANY_HOUR_BEGINS = _SAID.any_time.begin | _SAID.times.begin


def of_way_back(mention: SlotMention) -> SlotMention:
    """Return the hours of a departure as those of the way back; any other mention as it is."""
    back = dict(zip(HOURS["departs"], HOURS["returns"], strict=True))
    return replace(mention, slots={back.get(slot, slot): value for slot, value in mention.slots.items()})


def any_hour_at(text: Text, index: int) -> tuple[int, tuple[str, ...]] | None:
    """Return the index after words there that mind no hour, and the slots that they empty.

    "The return can be any time", "the time doesn't matter"; "any time in May" tells a day still to be said.
    """
    after = index + text.match(_SAID.any_time, index)
    is_of_a_day = text.norm(after) in ("on", "for") and text.norm(after + 1) not in _WORDS.no_day
    if after == index or is_of_a_day or text.norm(after) not in _CLAUSE_ENDS | _WORDS.behind_any_time:
        after = _not_minded(text, index)
    if not after:
        return None
    said = {text.norm(at) for at in range(*sentence_around(text, index))}
    if said & _WORDS.back:
        return after, HOURS["returns"]
    there = (*HOURS["departs"], *HOURS["arrives"])
    return after, there if said & _WORDS.out else (*there, *HOURS["returns"])


def _not_minded(text: Text, index: int) -> int:
    """The index after "the time on the way back doesn't matter", 0 if nothing of the kind begins there."""
    length = text.match(_SAID.times, index)
    behind = range(index + length, index + length + _WORDS_BETWEEN) if length else ()
    return next((at + trail for at in behind if (trail := text.match(_SAID.does_not_matter, at))), 0)


def find_times_of_day(text: Text) -> Iterator[SlotMention]:
    """Yield when the flight is to leave, to arrive or to fly back, in the order of the message."""
    at = text.length if text.vocabulary.isdisjoint(_CUES) and not _has_a_clock(text) else 0
    told: dict[str, time | None] = {}
    before: tuple[Way, int] | None = None
    while (at := text.next_of(_BEGIN, at)) < text.length:
        if begin := _begin_of_an_occasion(text, at):
            yield SlotMention(first=at, after=begin[1], slots={"flight.arrives_before": begin[0]})
            at = begin[1]
            continue
        found = _part(text, at) or _between(text, at) or _limit(text, at, is_time_told=bool(told))
        found = found or _by_a_day(text, at) or _around(text, at)
        other = text.skip({"in", "the", "late", "early"}, found[0] + 1) if found else 0
        if found and text.norm(found[0]) == "or" and text.said(found[0] - 1, other + 1) >= _ENDS_OF_A_DAY:
            at = other + 1  # "in the morning or evening" is no span, and told as not searched by
            continue
        negation = _negation(text, at, found[0]) if found else range(0)
        if found and negation and not _bound(text, at)[0]:
            found = _turned(found)
        what = _what_of(text, at, found[0], negation) if found else None
        if found and what:
            # "In the morning, but not too early" tells both ends; "in the morning, no, in the evening" one.
            if before and takes_back(text, before[1], at):
                what, told = before[0], {}
            before = what, found[0]
            slots = {slot: end or told.get(slot) for slot, end in zip(HOURS[what], found[1], strict=True)}
            told |= slots
            if negation:  # what stands between, other readers may read
                yield SlotMention(first=negation.start, after=negation.stop, slots=slots)
            # Of "the same evening", "the evening before" the words tell the day as well.
            tells_a_day = text.norm(at - 1) == "same" or (
                text.norm(at) in _BY_WORD and _is_beside(text, at + 1)
            )
            after = at if tells_a_day else found[0]
            yield SlotMention(first=at, after=after, slots=slots)
        at = found[0] if found else at + 1


def _begin_of_an_occasion(text: Text, at: int) -> tuple[time, int] | None:
    """When what they travel for begins, and the index after it: "a meeting at 10 am", "be there at 10"."""
    start, _ = sentence_around(text, at)
    said = text.said(start, at)
    if text.norm(at) != "at" or said & _WORDS.not_a_begin:
        return None
    if said & _WORDS.occasions:
        return _read_hour(text, at + 1)
    is_told = text.norm(at - 1) == "there" and text.norm(at - 2) in ("be", "get")
    return (_read_hour(text, at + 1) or _read_bare_hour(text, at + 1)) if is_told else None


def _negation(text: Text, at: int, after: int) -> range:
    """The tokens that speak against a time: "not" in the morning, evenings "are not an option"."""
    behind = text.match(_LANGUAGE_SAID.no_option, after)
    return range(after, after + behind) if behind else negation_of(text, at, _WORDS.beside_a_part)


def _turned(found: tuple[int, _Span]) -> tuple[int, _Span] | None:
    """What is left of the day without a part of it, None where that is no span: "not in the afternoon"."""
    after, (start, end) = found
    if start is None or (end is not None and start <= _FIRST_HOUR):
        return after, (end, None)
    return (after, (None, start)) if end is None else None


def _has_a_clock(text: Text) -> bool:
    """Whether four digits tell an hour without another word: "tomorrow 0830"."""
    return text.has_figures and any(len(word) == _FOUR and word[0] == "0" for word in text.vocabulary)


# Times, each with the index after it, and the span that it tells.


def _part(text: Text, at: int) -> tuple[int, _Span] | None:
    """A part of the day: "in the morning", "evening flights", "afternoon preferred"."""
    word, before = text.norm(at), text.norm(at - 1)
    if word in _IN_SHORT and not text.match(_ALL_PARTS, at):
        is_glued = text.is_glued(at) or text[at - 1].is_number
        is_led = word in _WORDS.early_or_late and text.norm(text.skip({"on"}, at + 1)) in _WORDS.next_days
        return (at + 1, _IN_SHORT[word]) if is_led or (_is_day(text, at - 1) and not is_glued) else None
    if before != "good" and word in _BY_WORD and word not in _IN_SHORT:
        preferred = text.match(_SAID.preferred, at + 1)
        is_aside = before in _CLAUSE_ENDS | _WORDS.steps_aside
        is_of_way = (
            preferred > 0
            or text.match(_ON_A_WAY, at + 1) > 0
            or _comes_or_goes(text, at + 1) > 0
            or (text.norm(at + 1) in ("out", "back") and is_aside)
            or text.match(_LANGUAGE_SAID.no_option, at + 1) > 0
            or text.norm(at + 1) in _WORDS.flights | {"ones"}
        )
        # "One way, morning", "too pricey. afternoon?": but "morning, find me a flight" greets.
        is_clause = at > 0 and {before, text.norm(text.skip(_WORDS.asks, at + 1))} <= _CLAUSE_ENDS
        is_told = _is_beside(text, at + 1) or _is_of_a_day(text, at + 1)
        is_clause = is_clause or (before == "the" and is_told and word != "night")
        is_of_day = (is_clause or _is_day(text, at - 1)) and (_is_only_part(text) or _is_of_way_back(text))
        if is_of_day or _is_put_right(text, at) or (is_of_way and word != "night"):
            return at + 1 + preferred, _until(text, at, _BY_WORD[word])
        negation = negation_of(text, at, _WORDS.beside_a_part)
        is_alone = word in _WORDS.a_lone_part or (negation and word != "night")
        if is_alone and _stands_alone(text, negation.start if negation else at, at + 1):
            return at + 1, _BY_WORD[word]
    if not text.match(_ALL_PARTS, at):
        return None
    length, span = max(((text.match(row.phrases, at), row.span) for row in _PARTS), key=lambda one: one[0])
    if word in _WORDS.bounds and negation_before(text, at) >= 0:  # "not before noon"
        span = span[1], span[0]
    # "Early morning" alone is part of a day ("on Friday, early morning"), or of some other thing.
    is_noun = length == 2 and word in _WORDS.early_or_late and text.norm(at + 1) not in _WORDS.flights
    is_of_day = _is_day(text, at - 1 - (before == ",")) or _tells_a_day(text, at + length)
    is_of_day = is_of_day or text.norm(at + length) in _WORDS.flights
    if is_noun and not is_of_day and not _stands_alone(text, at, at + length):
        return None
    return at + length, _until(text, at, span)


def _is_beside(text: Text, at: int) -> bool:
    """Whether the day next to one that is known is told there: "the evening (before)", unlike "before 9"."""
    is_date = text.norm(at + 2) in _LANGUAGE_WORDS.ordinals | MONTHS.keys()
    return text.norm(at) in BESIDE and (is_date or not text[at + 1].is_number)


def _is_of_a_day(text: Text, at: int) -> bool:
    """Whether the day is told there of which it is a part: "the morning (of the 14th)"."""
    day = at + 1 + (text.norm(at + 1) == "the")
    return text.norm(at) == "of" and (text[day].is_number or text.norm(day) in _WORDS.days)


def _is_put_right(text: Text, at: int) -> bool:
    """Whether a part of the day there corrects another: "actually morning", "morning instead"."""
    behind = text.norm(at + 1)
    if text.norm(at) not in _WORDS.parts_of_a_day or text.norm(at - 1) in _WORDS.determiners:
        return False
    is_led = text.norm(at - 1) in _WORDS.puts_right or text.match_before(_SAID.makes, at, within=2)
    is_end = behind in _CLAUSE_ENDS | _WORDS.behind_a_part
    return behind == "instead" or (bool(is_led) and is_end)


def _until(text: Text, at: int, span: _Span) -> _Span:
    """The part of a day up to its end where "by" stands before the day: "be there by Friday lunchtime"."""
    return (None, span[1]) if span[1] and _is_by_a_day(text, at) else span


def _by_a_day(text: Text, at: int) -> tuple[int, _Span] | None:
    """ "By Thursday 10am", "by Monday noon": the hour up to which it is."""
    start = at + (text.norm(at) == "at")
    hour = (_noon(text, start) or _read_hour(text, start)) if _is_by_a_day(text, at) else None
    return (hour[1], (None, hour[0])) if hour else None


def _is_by_a_day(text: Text, at: int) -> bool:
    """Whether a day with "by" before it stands before the hour there."""
    before = at - 1
    while before > at - _LONGEST_DATE and _tells_a_day(text, before):
        before -= 1
    return text.norm(before) == "by" and before < at - 1


def _between(text: Text, at: int) -> tuple[int, _Span] | None:
    """ "between 9 and 11 am": a half of the day that is told once holds for both; "between 10 and noon"."""
    if text.norm(at) != "between":
        return None
    first = _noon(text, at + 1) or _read_clock(text, at + 1) or _counted_hour(text, at + 1)
    joint = first[1] if first else at
    half = "pm" if text.norm(at + 1) in _NOONS else ""
    last = _noon(text, joint + 1) or _read_clock(text, joint + 1, half)
    last = last if text.norm(joint) in ("and", "-") else None
    if first is None or last is None:
        return None
    half = text.norm(last[1] - 1)
    if text[at + 1].is_word and half not in _HALVES:  # "between eight and eleven in the morning"
        half = "am" if last[0] < _NOON else "pm"
    if half in _HALVES and text.norm(joint - 1) not in _HALVES:
        first = _read_clock(text, at + 1, half) or first
    told = {text.norm(at + 1), text.norm(at + 2), text.norm(joint + 1), text.norm(joint + 2), half}
    is_told = not told.isdisjoint({":", *_HALVES, *_NOONS})
    return (last[1], (first[0], last[0])) if is_told and first[0] < last[0] else None


def _noon(text: Text, at: int) -> tuple[time, int] | None:
    return (_NOON, at + 1) if text.norm(at) in _NOONS else None


def _counted_hour(text: Text, at: int) -> tuple[time, int] | None:
    read = whole_number(text, at) if text[at].is_word else None
    return (time(read[0]), read[1]) if read and 1 < read[0] <= _NOON.hour else None


def _limit(text: Text, at: int, *, is_time_told: bool) -> tuple[int, _Span] | None:
    """ "after 6 pm", "before 18:30", "not before 9 am", "no later than noon"."""
    length, is_after = _bound(text, at)
    start = at + length
    if not length:
        return None
    if not text.match(_SAID.at_the_earliest, at) and negation_before(text, at) >= 0:
        is_after = not is_after
    if text.norm(start) == "midnight":  # "not landing after midnight"; "after midnight" bounds no day
        return None if is_after else (start + 1, (None, _END_OF_DAY))
    start += is_time_told and text.norm(start) == "the"  # "in the morning, after the 8"
    read = _read_hour(text, start)
    if read is None and (_is_told_of(text, at) or _is_hour(text, at, start, is_time_told=is_time_told)):
        read = _read_bare_hour(text, start, part=text.norm(at - 1))
    if read is None:
        return None
    return read[1], (read[0], None) if is_after else (None, read[0])


def _bound(text: Text, at: int) -> tuple[int, bool]:
    """How many words bound a time there, 0 if none do, and whether from below: "after", "later than"."""
    for is_after, names in ((True, _FROM_BELOW), (False, _SAID.earlier_than)):
        if length := text.match(names, at):
            return length, is_after
    return int(text.norm(at) in _WORDS.bounds), text.norm(at) in _WORDS.after


def _is_hour(text: Text, at: int, start: int, *, is_time_told: bool) -> bool:
    """Whether a number behind "before" or "after" is an hour, though no word for leaving stands before it.

    It is one behind a part of a day, in words in a message about a flight, or where nothing else is said.
    """
    read = whole_number(text, start)
    if read is None or (read[0] == 1 and text[start].is_word):
        return False
    is_in_four = text[start].is_number and len(text[start].raw) == _FOUR
    is_of_flight = text.has_any(_WORDS.leaving | _WORDS.arriving)
    is_bound = text.norm(at) in _WORDS.bounds_an_hour or text.norm(start - 1) == "than"
    if is_in_four and (is_bound or text.norm(at) == "from"):
        return is_of_flight or text.has_any(_WORDS.times_words_back) or _stands_alone(text, at, read[1])
    if not is_bound or read[0] > _NOON.hour:
        return False
    is_shown = text.norm(at) in _WORDS.before and text.norm(at - 1) in _WORDS.what_is_shown
    if (is_shown or text.norm(at - 1) in _WORDS.none) and text.norm(read[1]) in _CLAUSE_ENDS | _WORDS.asks:
        return True  # "nothing before 9"
    is_beside = text.norm(at - 1) in _WORDS.parts_of_a_day or is_time_told or _is_day(text, at - 1)
    is_in_words = is_of_flight and text.norm(start) in NUMBER_WORDS
    return is_beside or is_in_words or _stands_alone(text, at, read[1])


def _around(text: Text, at: int) -> tuple[int, _Span] | None:
    """ "around 9 am", "at 18:30", "10am", "leave around 3": within an hour of it; "6 at the latest"."""
    is_at, is_number = text.norm(at) == "at", text[at].is_number
    is_rough = text.norm(at) in _WORDS.roughly
    if not (is_rough or is_number or text.norm(at) in _BEGIN_AN_HOUR):
        return None
    start = at + is_rough + (is_rough and text.norm(at + 1) in ("about", "around"))
    read = _read_hour(text, start)
    bare = read or (
        _read_bare_hour(text, start) if text[start].is_number or text.norm(start) in NUMBER_WORDS else None
    )
    if bare and (ends := _or_so(text, bare[1])):
        return ends[1], (bare[0], None) if ends[0] else (None, bare[0])
    # "Book the one at 18:30" picks an offer.
    is_pick = is_at and not text.vocabulary.isdisjoint(_WORDS.picks)
    read = bare if is_rough and not is_at and _is_told_of(text, at) else read
    if is_pick or not (is_rough or is_number) or read is None or _is_day_of_month(text, start):
        return None
    hour, after = read
    is_near = is_rough or text.norm(after - 1) == "ish" or _is_day(text, at - 1)
    if not (is_near or _stands_alone(text, at, after)):
        return None
    last = time(hour.hour + 1, hour.minute) if hour.hour < _LAST_HOUR else None
    return after, (time(max(hour.hour - 1, 0), hour.minute), last)


def _is_day_of_month(text: Text, at: int) -> bool:
    """Whether a number there is a day: "February 9 in the morning", unlike "9 in the morning"."""
    is_told = text.norm(at + 1) not in _HALVES and _half_at(text, at + 1) is not None
    return is_told and text[at].is_number and text.norm(at - 1) in MONTHS


def _or_so(text: Text, at: int) -> tuple[bool, int] | None:
    """Whether an hour is the first one (or the last), as the words behind it tell, and the index after."""
    for is_first, names in ((True, _SAID.or_later), (False, _SAID.or_earlier)):
        if length := text.match(names, at):
            return is_first, at + length
    return None


# What a time is told of.


def _what_of(text: Text, first: int, after: int, negation: range) -> Way | None:
    """What a time is told of: as its clause tells, or of the departure if it is told alone; None of none.

    What follows "leaving after 6 pm" may tell of the way back.
    """
    if _ends_a_range(text, first):
        return "returns"
    if _is_put_right(text, first) and not text.has_any(_WORDS.times_words_back):
        return "departs"
    is_told = text.norm(first - 1) in _WORDS.leaving
    lead = first - (text.norm(first - 1) in ("like", "say", "maybe"))
    is_apart = text.norm(lead - 1) == "," and _is_day(text, lead - 2)  # "back on Wednesday, late afternoon"
    start, end = lead - is_apart, after
    while text.norm(start - 1) not in _CLAUSE_ENDS or _ends_a_date(text, start - 1):
        start -= 1
    is_told = is_told and not (text.norm(start) == "the" and text.norm(start + 1) in _WORDS.times_words_back)
    while not is_told and text.norm(end) not in _CLAUSE_ENDS:
        end += 1
    # "Go back to the flights" flies nowhere.
    before = {
        text.norm(at)
        for at in range(start, first)
        if not (text.says(at, "back", "to") or _is_no_place(text, at) or at in negation)
    } - {","}
    # The day of a flight tells nothing of an hour: "anything on the 5th before noon", "after 8pm works".
    beside = text.said(after + _is_beside(text, after), end) - _WORDS.are_fine
    others = {word for word in before | beside if not (word in _WORDS.days or word.isdecimal())}
    is_of_hotel = not is_told and others & _WORDS.hotels and not others & _WORDS.flights
    is_answer = text.norm(start) == "no" and text.norm(start + 1) in _LANGUAGE_WORDS.behind_an_answer
    start += is_answer  # "no better Thursday after 5"
    is_denied = not negation and text.has_any(_WORDS.unwanted, max(start, first - _WORDS_BEFORE), first)
    is_there = not is_told and _is_to_be_in(text, start, first)  # "to get to Zurich by 9 for a meeting"
    is_of_others = others & _WORDS.not_leaving and not is_there
    if is_waived(text, first) or is_denied or is_of_others or is_of_hotel:
        return None
    behind = after + (text.norm(after) in _WORDS.flights)
    # "Friday morning back Sunday evening" tells the way back behind the day on which it begins.
    is_behind = text.norm(behind) in _WORDS.times_words_back and not _tells_a_day(text, behind + 1)
    is_behind = is_behind or text.match(_SAID.on_the_way_back, behind) > 0 or _comes_back(text, behind)
    is_behind = is_behind or (_is_day(text, first - 1) and way_back_at(text, behind) > 0)
    is_out = is_told and text.norm(first - 1) not in ("flight", "fly", "flying")
    if (is_behind or before & _WORDS.times_words_back) and not is_out:
        return "returns"
    if text.match(_SAID.night_flights, first):
        return "departs"
    if others & _WORDS.arriving or any(text.match(_SAID.gets_in, at) for at in range(start, end)):
        return "arrives"
    if is_there:
        return "arrives"
    is_of_day = _is_day(text, first - 1 - is_apart) or _tells_a_day(text, after)
    is_of_route = is_of_day and bool({"to", "from"} & before or _begins_with_a_route(text))
    return (
        "departs"
        if others & _WORDS.leaving or others <= _WORDS.small_words | _WORDS.parts_of_a_day or is_of_route
        else None
    )


def _begins_with_a_route(text: Text) -> bool:
    """Whether a message begins with two places: "fra lhr tomorrow morning"."""
    ends = [text[0], text[1 + (text.norm(1) == "-")]]
    gazetteer = load_gazetteer()
    return all(
        one.raw.isalpha()
        and (one.norm.upper() in gazetteer.codes or name_key((one.norm,)) in gazetteer.known)
        for one in ends
    )


def _comes_or_goes(text: Text, at: int) -> int:
    """How many words say there which way is meant: "morning coming back", not "... coming back on Friday"."""
    is_way = text.norm(at + 1) in _WORDS.times_words_back or text.norm(at + 1) in ("out", "there")
    is_end = text.norm(at + 2) in _CLAUSE_ENDS | _WORDS.ends_a_way
    return 2 if text.norm(at) in _WORDS.goes and is_way and is_end else 0


def _comes_back(text: Text, at: int) -> bool:
    return text.norm(at + 1) in _WORDS.times_words_back and _comes_or_goes(text, at) > 0


def _is_day(text: Text, at: int) -> bool:
    """Whether a day ends at that token: "Friday morning", "12/12 morning", "same evening"."""
    before = text.norm(at - 1)
    if text.norm(at) == "same" or (text.norm(at) == "day" and before == "same"):
        return True
    is_in_figures = before in ("/", "-") and text.is_glued(at) and text[at - 2].is_number
    return text.norm(at) in _WORDS.days or (text[at].is_number and (before in _WORDS.days or is_in_figures))


def _stands_alone(text: Text, first: int, after: int) -> bool:
    """Whether the message says nothing but the time in those tokens: "early morning please"."""
    others = (*range(first), *range(after, text.length))
    return all(text.norm(at) in _WORDS.small_words for at in others if text[at].is_word or text[at].is_number)


def _is_only_part(text: Text) -> bool:
    """Whether one part of a day is told: of two, the second is that of the way back."""
    return sum(_is_part(text, at) for at in range(text.length)) == 1


def _is_of_way_back(text: Text) -> bool:
    """Whether the way back is told in a clause of its own, so that each part of a day is told of one way."""
    backs = [at for at in range(1, text.length) if text.norm(at) in _WORDS.times_words_back]
    # "Friday morning back Sunday evening": right behind a part of a day the way back begins.
    begins = _CLAUSE_ENDS | _WORDS.steps_aside
    return any(text.norm(at - 1) in begins or _is_part(text, at - 1) for at in backs) or any(
        _ends_a_range(text, at) for at in range(2, text.length) if _is_part(text, at)
    )


def _ends_a_range(text: Text, at: int) -> bool:
    """Whether the last day of a range stands before a part of it: "Friday evening to Sunday afternoon"."""
    before = at - 1
    while before > at - _LONGEST_DATE and _tells_a_day(text, before):
        before -= 1
    is_date = text.norm(before) == "-" and text[before + 1].is_number  # "2026-12-10 evening"
    is_first = not is_date and (_is_part(text, before - 1) or _is_day(text, before - 1))
    return before < at - 1 and text.norm(before) in _WORDS.joins_days and is_first


def _is_part(text: Text, at: int) -> bool:
    """Whether a part of a day stands there, in short only behind a day: "fri am", unlike "i am"."""
    word = text.norm(at)
    return word in _WORDS.parts_of_a_day or (word in _IN_SHORT and _is_day(text, at - 1))


def _is_told_of(text: Text, at: int) -> bool:
    """Whether a word for leaving, arriving or flying back stands before it, so that a number is an hour."""
    told = _WORDS.arriving | _WORDS.times_words_back | (_WORDS.leaving - _WORDS.flights)
    before = at - 1 - (text.norm(at - 1) in _LANGUAGE_WORDS.negations)  # "leave not before 9"
    is_there = _is_to_be_in(text, max(0, at - _WORDS_BEFORE), at)  # "be in Zurich by 9"
    return text.norm(before) in told or text.says(before - 1, "get", "in") or is_there


def _tells_a_day(text: Text, at: int) -> bool:
    return text.norm(at) in _WORDS.days or text.norm(at) in ("on", "the", "of") or text[at].is_number


def _is_no_place(text: Text, at: int) -> bool:
    """Whether "there" names no place: "is there anything around 6 pm?"."""
    return text.norm(at) == "there" and bool({text.norm(at - 1), text.norm(at + 1)} & _WORDS.is_word)


def _is_to_be_in(text: Text, start: int, first: int) -> bool:
    """Whether a time before which no word for leaving stands tells when to be somewhere."""
    lengths = ((at, text.match(_SAID.be_in, at)) for at in range(first - 1, start - 1, -1))
    at = next(
        (at for at, length in lengths if length and text[at + length].norm not in ("a", "the", "my")), -1
    )
    goes_there = text.norm(first) == "by" and text[first - 1].is_capitalised  # "a flight to Zurich by 9am"
    is_told = at >= 0 and not text.has_any(_WORDS.leaving, at, first)
    return is_told or (goes_there and "to" in text.said(first - 3, first - 1))


def _ends_a_date(text: Text, at: int) -> bool:
    """Whether a stop is one of a date: "back on 16.12. after 17:00"."""
    is_last = text.says(at - 2, ".") and text[at - 1].is_number
    return text.norm(at) == "." and (is_last or (text[at - 1].is_number and text[at + 1].is_number))


# Hours as people write and say them, each with the index after it.


def _read_hour(text: Text, at: int) -> tuple[time, int] | None:
    """A time that can be nothing else: "6 pm", "18:30", "18h", "noon", "half past six"."""
    if text[at].is_number and text.norm(at + 1) not in _BEHIND_AN_HOUR:
        return _in_four_digits(text, at) if len(text[at].raw) == _FOUR else None  # nearly always None
    if text.norm(at) in ("noon", "midday"):
        return _NOON, at + 1
    if to_the_quarter := _past_or_to(text, at):
        return to_the_quarter
    read = _read_clock(text, at)
    if read is None:
        return None
    last = text.norm(read[1] - 1)
    is_told = last in _HALVES or last == "h" or text.norm(at + 1) in (":", "h") or _half_at(text, at + 1)
    return read if is_told or _is_pointed(text, at) else None


def _in_four_digits(text: Text, at: int) -> tuple[time, int] | None:
    """ "0700", "1800hrs", "1730ish": four digits that are no amount and no year."""
    is_told = text.norm(at + 1) in _WORDS.told_in_four
    hour, minute = divmod(int(text[at].raw), 100)
    if not (is_told or text[at].raw.startswith("0")) or hour > _LAST_HOUR or minute >= _MINUTES_OF_AN_HOUR:
        return None
    return time(hour, minute), at + 1 + is_told


def _read_bare_hour(text: Text, at: int, *, part: str = "") -> tuple[time, int] | None:
    """An hour that is told as a number: "10", "five", "1800".

    Of a small hour it is the one after noon, unless the part of the day before it tells otherwise.
    """
    ends = _CLAUSE_ENDS | _WORDS.behind_an_hour
    if text[at].is_number and len(text[at].raw) == _FOUR:
        hour, minute = divmod(int(text[at].raw), 100)
        is_hour = hour <= _LAST_HOUR and minute in _QUARTERS and text.norm(at + 1) in ends
        return (time(hour, minute), at + 1) if is_hour else None
    read = whole_number(text, at)
    if read is None or not 1 <= read[0] <= _LAST_HOUR or text.norm(read[1]) not in ends:
        return None
    return time(_likely(read[0], part)), read[1] + (text.norm(read[1]) in ("o'clock", "oclock"))


def _likely(hour: int, part: str = "") -> int:
    """The hour of the day that somebody means who tells it in twelve: small ones are after noon."""
    is_late = part in _WORDS.late_parts or (hour <= _SMALL_HOURS and part not in _WORDS.early_parts)
    return hour + 12 if is_late and hour < _NOON.hour else hour


def _past_or_to(text: Text, at: int) -> tuple[time, int] | None:
    """ "half past six", "half six", "quarter to eight pm", "a quarter past seven in the morning"."""
    at += text.norm(at) == "a"
    minute = _MINUTES.get(text.norm(at), 0)
    way = text.norm(at + 1)
    is_way = way in ("past", "to", "after")
    if not minute or not (is_way or minute == _MINUTES["half"]):
        return None
    read = whole_number(text, at + 1 + is_way)
    if read is None or not 1 <= read[0] <= _NOON.hour:
        return None
    hour, after = read
    if told := _half_at(text, after):
        hour, after = hour % _NOON.hour + _HALVES[told[0]], told[1]
    else:
        hour = _likely(hour)
    if way == "to":
        hour, minute = (hour - 1) % 24, _MINUTES_OF_AN_HOUR - minute
    return time(hour, minute), after


def _is_pointed(text: Text, at: int) -> bool:
    """Whether "18.30" stands there, which is no day: minutes are no month."""
    last = text[at + 2]
    is_two = text.norm(at + 1) == "." and text.is_glued(at + 1) and last.is_number and text.is_glued(at + 2)
    return is_two and len(last.raw) == 2 and (last.raw == "00" or int(last.raw) > _MONTHS_OF_A_YEAR)


def _read_clock(text: Text, at: int, half: str = "") -> tuple[time, int] | None:
    """A time with the half of the day that follows it, or `half` where none does."""
    in_words = whole_number(text, at) if text[at].is_word else None
    if in_words and not half and not _half_at(text, in_words[1]):
        in_words = None
    if not in_words and (not text[at].is_number or len(text[at].raw) > 2):
        return None
    hour, after, minute = (*in_words, 0) if in_words else (int(text[at].raw), at + 1, 0)
    if (
        (text.norm(after) == ":" or _is_pointed(text, at))
        and len(text[after + 1].raw) == 2
        and text[after + 1].is_number
    ):
        minute, after = int(text[after + 1].raw), after + 2
    elif text.norm(after) == "h" and text.is_glued(after):
        after += 1
        if text[after].is_number and len(text[after].raw) == 2 and text.is_glued(after):
            minute, after = int(text[after].raw), after + 1
    half, after = _half_at(text, after) or (half, after)
    if half and not 1 <= hour <= _NOON.hour:
        return None
    hour = hour % _NOON.hour + _HALVES[half] if half else hour
    return (time(hour, minute), after) if hour <= _LAST_HOUR and minute < _MINUTES_OF_AN_HOUR else None


def _half_at(text: Text, at: int) -> tuple[str, int] | None:
    """The half of the day that is told behind an hour: "pm", "in the morning"."""
    if text.norm(at) in _HALVES:
        return text.norm(at), at + 1
    for half, names in (("am", _SAID.in_the_am), ("pm", _SAID.in_the_pm)):
        if length := text.match(names, at):
            return half, at + length
    return None
