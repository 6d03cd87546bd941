"""When a flight is to leave: "in the morning", "after 6 pm", "by noon", "between 9 and 11 am", "an evening
flight".

The time of an arrival, of the way back or of something else ("check in after 6 pm", "dinner at 7") limits no
departure. Only what is told of flying is taken, or what stands alone.
"""

from collections.abc import Iterator
from datetime import time

from ..language.text import Phrases, Text, phrases, word_set
from .slot_mentions import SlotMention

_Span = tuple[time | None, time | None]

_NOON = time(12)
_PARTS: tuple[tuple[Phrases, _Span], ...] = (
    (
        phrases("in the early morning", "early in the morning", "early morning"),
        (time(5), time(9)),
    ),
    (phrases("in the late morning", "late in the morning", "late morning"), (time(10), _NOON)),
    (phrases("in the early afternoon", "early afternoon"), (_NOON, time(15))),
    (phrases("in the late afternoon", "late afternoon"), (time(15), time(18))),
    (phrases("in the late evening", "late in the evening", "late evening"), (time(20), None)),
    (phrases("in the morning", "in the mornings", "mornings only", "only mornings"), (time(5), _NOON)),
    (phrases("in the afternoon", "afternoons only", "only afternoons"), (_NOON, time(18))),
    (phrases("in the evening", "evenings only", "only evenings"), (time(18), None)),
    (phrases("before noon", "before midday", "by noon", "by midday"), (None, _NOON)),
    (phrases("after noon", "after midday"), (_NOON, None)),
)
_PART: dict[str, _Span] = {
    "morning": (time(5), _NOON),
    "afternoon": (_NOON, time(18)),
    "evening": (time(18), None),
}
_FLIGHTS = word_set("flight flights plane planes departure departures")
_LEAVING = _FLIGHTS | word_set("fly flying leave leaves leaving depart departs departing takeoff")
_NOT_LEAVING = word_set(
    """
    arrive arrives arriving arrival arrivals land lands landing there back return returns returning inbound
    home check checkin checking checkout meeting meetings dinner lunch breakfast conference appointment
    wedding work works concert train bus taxi museum store shop open opens close closes
    """
)
_HOTELS = word_set("hotel hotels room rooms")
_UNWANTED = word_set("not no never don't dont without avoid except hate")
_WORDS_BEFORE = 4
_PREFERRED = phrases(
    "if possible", "if you can", "preferred", "preferably", "would be nice", "would be best",
    "would be better", "would be good", "would be great", "is better", "is best",
)  # fmt: skip
_SMALL_WORDS = word_set(
    """
    please only ideally preferably possible if can could we i id we'd i'd wed would like want prefer make it
    that rather something anything one maybe actually and but no not oh ok okay yes just better instead sorry
    the a an in on at to for me us you do is be be best them those earlier later also hmm well need lets let's
    """
)
_AFTER = word_set("after from past")
_BEFORE = word_set("before by until till")
_NEGATIONS = word_set("not never don't dont")
_AT_THE_EARLIEST = phrases("no earlier than", "not earlier than", "at the earliest")
_AT_THE_LATEST = phrases("no later than", "not later than")
_DAYS = word_set("tomorrow monday tuesday wednesday thursday friday saturday sunday")
_EARLY_OR_LATE = word_set("early late")
_ANY = (
    word_set("morning mornings afternoon afternoons evening evenings noon midday")
    | word_set("between earlier later earliest latest")
    | _AFTER
    | _BEFORE
)
"""A message without any of these tells no time of day; most are, and need not be looked through."""
_HALVES = {"am": 0, "pm": 12}
_CLAUSE_ENDS = frozenset({"", ".", ",", ";", "!", "?"})
_GREETING = "good"


def find_times_of_day(text: Text) -> Iterator[SlotMention]:
    """Yield when the flight is to leave, in the order of the message."""
    at = text.length if text.vocabulary.isdisjoint(_ANY) else 0
    while at < text.length:
        found = _part(text, at) or _between(text, at) or _limit(text, at)
        if found and _is_of_leaving(text, at, found[0]):
            (after, (start, end)) = found
            slots = {"flight.departs_after": start, "flight.departs_before": end}
            yield SlotMention(first=at, after=after, slots=slots)
        at = found[0] if found else at + 1


def _part(text: Text, at: int) -> tuple[int, _Span] | None:
    """A part of the day: "in the morning", "evening flights", "afternoon preferred"."""
    span = _PART.get(text.norm(at))
    if span and text.norm(at - 1) != _GREETING:
        preferred = text.match(_PREFERRED, at + 1)
        is_of_day = text.norm(at - 1) in _DAYS and _is_only_part(text)
        if preferred or text.norm(at + 1) in _FLIGHTS or is_of_day:
            return at + 1 + preferred, span
    found = ((text.match(names, at), limits) for names, limits in _PARTS)
    length, limits = max(found, key=lambda each: each[0])
    # "Early morning" alone is part of a day ("on Friday, early morning"), or of some other thing.
    is_noun = length == 2 and text.norm(at) in _EARLY_OR_LATE
    is_else = is_noun and text.norm(at + length) not in _FLIGHTS
    return None if not length or is_else else (at + length, limits)


def _is_only_part(text: Text) -> bool:
    """Whether one part of a day is told: of two, the second is that of the way back."""
    return sum(text.norm(at) in _PART for at in range(text.length)) == 1


def _between(text: Text, at: int) -> tuple[int, _Span] | None:
    """ "between 9 and 11 am": a half of the day that is told once holds for both."""
    if text.norm(at) != "between":
        return None
    first = _clock(text, at + 1, half="")
    joint = first[1] if first else at
    last = _clock(text, joint + 1, half="") if first and text.norm(joint) in ("and", "-") else None
    if first is None or last is None:
        return None
    half = text.norm(last[1] - 1)
    if half in _HALVES and text.norm(joint - 1) not in _HALVES:
        first = _clock(text, at + 1, half=half) or first
    is_told = half in _HALVES or ":" in (text.norm(at + 2), text.norm(joint + 2))
    return (last[1], (first[0], last[0])) if is_told and first[0] < last[0] else None


def _limit(text: Text, at: int) -> tuple[int, _Span] | None:
    """ "after 6 pm", "before 18:30", "not before 9 am", "no later than noon"."""
    earliest, latest = text.match(_AT_THE_EARLIEST, at), text.match(_AT_THE_LATEST, at)
    start = at + (earliest or latest)
    is_turned = text.norm(at) in _NEGATIONS and not start > at
    start = start if start > at else at + (2 if is_turned else 1)
    word = text.norm(start - 1)
    is_after = bool(earliest) or word in (_BEFORE if is_turned else _AFTER)
    is_before = bool(latest) or word in (_AFTER if is_turned else _BEFORE)
    if not (is_after or is_before):
        return None
    read = _hour(text, start)
    if read is None:
        return None
    return read[1], (read[0], None) if is_after else (None, read[0])


def _hour(text: Text, at: int) -> tuple[time, int] | None:
    """A time that can be nothing else: "6 pm", "18:30", "six o'clock", "noon"."""
    if text.norm(at) in ("noon", "midday"):
        return _NOON, at + 1
    read = _clock(text, at, half="")
    if read is None:
        return None
    is_told = text.norm(read[1] - 1) in _HALVES or text.norm(at + 1) == ":"
    return read if is_told else None


def _clock(text: Text, at: int, *, half: str) -> tuple[time, int] | None:
    """A time at an index, with the half of the day that follows it, or `half` where none does."""
    if not text[at].is_number or len(text[at].raw) > 2:
        return None
    hour, after, minute = int(text[at].raw), at + 1, 0
    if text.norm(after) == ":" and text[after + 1].is_number and len(text[after + 1].raw) == 2:
        minute, after = int(text[after + 1].raw), after + 2
    told = text.norm(after) if text.norm(after) in _HALVES else ""
    after += 1 if told else 0
    half = told or half
    if half and not 1 <= hour <= 12:
        return None
    hour = hour % 12 + _HALVES[half] if half else hour
    return (time(hour, minute), after) if hour < 24 and minute < 60 else None


def _is_of_leaving(text: Text, first: int, after: int) -> bool:
    """Whether a time is that of the departure: told so in its clause, or told without anything else.

    What follows "leaving after 6 pm" may tell of the way back.
    """
    is_told = text.norm(first - 1) in _LEAVING
    start, end = first, after
    while text.norm(start - 1) not in _CLAUSE_ENDS:
        start -= 1
    while not is_told and text.norm(end) not in _CLAUSE_ENDS:
        end += 1
    others = {
        text.norm(at)
        for at in (*range(start, first), *range(after, end))
        if (text.norm(at), text.norm(at + 1)) != ("back", "to")  # "go back to the flights" flies nowhere
    }
    is_unwanted = any(text.norm(at) in _UNWANTED for at in range(max(start, first - _WORDS_BEFORE), first))
    is_of_hotel = not is_told and bool(others & _HOTELS) and not others & _FLIGHTS
    if others & _NOT_LEAVING or is_unwanted or is_of_hotel:
        return False
    return bool(others & _LEAVING) or others <= _SMALL_WORDS
