"""Days that are told by others of the message: an evening before, days around an event, a month told once."""

from collections.abc import Mapping
from dataclasses import replace

from ..language.tables import phrases_of, words_of
from ..language.text import Text
from .days import Ahead, Day, DayOfMonth, MonthDay, SameDay, Weekday, Weekend
from .grammar import Span
from .special_days import Beside, Choice, OnOrBefore, Over

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

_SUNDAY = 6
_WORDS_TO_AN_EVENT = 9
_WORDS_FROM_AN_EVENT = 5
_WORDS_TO_A_JOURNEY = 6


def beside_each_other(text: Text, spans: list[Span]) -> list[Span]:
    """Read days that are told by others of the message.

    "For the weekend" after a day is the Sunday of it; "the evening before" and "the day after" move from
    that day; and what only names an occasion counts for nothing where first and last day are told: "for
    New Year, 30 Dec to 2 Jan".
    """
    if len(spans) < 2:
        return spans
    is_told = any(span.start and span.end for span in spans)
    kept: list[Span] = []
    event: Span | None = None
    for span in spans:
        is_occasion = text.norm(span.first - 1) in _WORDS.occasion or text.norm(span.first) == "over"
        if is_told and is_occasion and span.end is None and span.nights is None:
            continue
        ahead = _days_from_the_start(span.start)
        if kept and isinstance(span.start, Weekend) and text.norm(span.first - 1) in _WORDS.occasion:
            span = replace(span, start=Weekday(weekday=_SUNDAY))
        elif kept and kept[-1].start and ahead is not None and ahead < 0:
            event = kept.pop()
            span = replace(span, start=Ahead(days=ahead, base=event.start), end=event.end)
        elif kept and ahead is not None and (event or kept[-1].end):
            base = event or kept[-1]
            if event:
                kept[-1] = replace(kept[-1], end=None)
            last = base.end or base.start
            span = replace(span, start=Ahead(days=ahead, base=last) if ahead else last)
        kept.append(span)
    return kept


def _days_from_the_start(day: Day | None) -> int | None:
    """How many days a day lies after the one told before, None where it is told otherwise."""
    if isinstance(day, SameDay):
        return 0
    is_counted = isinstance(day, Ahead) and isinstance(day.base, SameDay) and not day.months
    return day.days if isinstance(day, Ahead) and is_counted else None


def around_an_event(text: Text, spans: list[Span], roles: Mapping[int, str]) -> list[Span]:
    """Read the days of the journey around the day of an event.

    "The wedding is on Saturday 12 June, so I fly on the Thursday": weekdays are those next to the event, and
    a day on which somebody travels is the first one, not that of the event.
    """
    if len(spans) < 2 or _SAID.events.keys().isdisjoint(text.vocabulary):
        return spans
    event = next((span for span in spans if span.start and _is_of_an_event(text, span, spans)), None)
    if event is None or event.start is None:
        return spans
    told: list[Span] = []
    is_first_told = False
    for span in spans:
        is_return = roles[span.first] == "return"
        is_travelled = span is not event and span.start is not None and _is_travelled(text, span, spans)
        is_travelled = is_travelled or (span is not event and isinstance(span.end, Weekday))
        is_coming = isinstance(span.start, Weekday) and span.start.which in ("coming", "this")
        if is_travelled and is_coming and not isinstance(event.start, Weekday):
            base = (event.end or event.start) if is_return else event.start
            span = _weekday_beside(span, base, is_before=not is_return)
        elif span is not event and isinstance(event.start, MonthDay):
            span = _in_month_of(event.start, span, is_before=is_travelled and not is_return)
        is_first_told = is_first_told or (is_travelled and not is_return)
        told.append(span)
    return [span for span in told if span.first != event.first] if is_first_told else told


def the_day_before(text: Text, spans: list[Span], roles: Mapping[int, str]) -> list[Span]:
    """Read "be there before Friday" as the day before it: on Friday itself it would be too late."""
    return [
        replace(span, start=Ahead(days=-1, base=span.start))
        if _is_too_late(text, span) and (roles[span.first] or _is_travelled(text, span, spans))
        else span
        for span in spans
    ]


def _is_too_late(text: Text, span: Span) -> bool:
    is_day = isinstance(span.start, Weekday | MonthDay | DayOfMonth) and span.end is None
    return (
        is_day
        and text.norm(span.first - 1) == "before"
        and text.norm(span.first - 2) not in _WORDS.not_before
    )


def _in_month_of(event: MonthDay, span: Span, *, is_before: bool) -> Span:
    """A day without a month in that of the event, or in the one before or after it as the journey has it."""

    def told(day: Day | None) -> Day | None:
        if isinstance(day, Choice):
            return Choice(days=tuple(one for each in day.days if (one := told(each))))
        if not isinstance(day, DayOfMonth) or day.months_ahead is not None:
            return day
        is_other = day.day > event.day if is_before else day.day < event.day
        month = event.month + (is_other and (-1 if is_before else 1))
        year = event.year and event.year + (month - 1) // 12
        return MonthDay(month=(month - 1) % 12 + 1, day=day.day, year=year)

    return replace(span, start=told(span.start), end=told(span.end))


def _weekday_beside(span: Span, event: Day, *, is_before: bool) -> Span:
    weekday = span.start.weekday if isinstance(span.start, Weekday) else 0
    if not is_before:
        return replace(span, start=Beside(unit=weekday, base=event, is_before=False))
    end = span.end
    if isinstance(end, Weekday):
        end = Beside(unit=end.weekday, base=event, is_before=False)
    return replace(span, start=OnOrBefore(weekday=weekday, base=event), end=end)


def _is_of_an_event(text: Text, span: Span, spans: list[Span]) -> bool:
    """Whether a word for an event stands before a day, or right behind, and none for travelling between."""
    if not isinstance(span.start, MonthDay | DayOfMonth | Weekday | Ahead) or _is_travelled(
        text, span, spans
    ):
        return False
    fence = max((other.after for other in spans if other.after <= span.first), default=0)
    first = max(fence, span.first - _WORDS_TO_AN_EVENT)
    before = text.find(_SAID.events, first, span.first)
    if before >= 0:
        return text.find(_SAID.travels, before, span.first) < 0
    behind = text.find(_SAID.events, span.after, min(text.length, span.after + _WORDS_FROM_AN_EVENT))
    return behind >= 0 and text.find(_SAID.travels, span.after, behind) < 0


def _is_travelled(text: Text, span: Span, spans: list[Span]) -> bool:
    """Whether somebody travels on a day: "fly on the Thursday", "be there by Friday"."""
    fence = max((other.after for other in spans if other.after <= span.first), default=0)
    first = max(fence, span.first - _WORDS_TO_A_JOURNEY)
    at = text.find(_SAID.travels, first, span.first)
    return at >= 0 and all(text.norm(each) not in (".", "!", "?") for each in range(at, span.first))


def in_the_same_month(spans: list[Span], roles: Mapping[int, str]) -> list[Span]:
    """Read a first day whose month is told with the last one: "leaving the 3rd, back the 7th of March"."""
    days = [span for span in spans if span.start is not None]
    if len(days) != 2 or days[0].end or roles[days[1].first] != "return":
        return spans
    first, last = days[0].start, days[1].start
    if not isinstance(first, DayOfMonth) or not isinstance(last, MonthDay) or first.months_ahead is not None:
        return spans
    month = last.month if first.day < last.day else (last.month - 2) % 12 + 1
    year = last.year and last.year - (month > last.month)
    start = MonthDay(month=month, day=first.day, year=year)
    return [replace(span, start=start) if span is days[0] else span for span in spans]


def without_occasions(text: Text, spans: list[Span], roles: Mapping[int, str]) -> list[Span]:
    """Leave out an occasion beside the day on which somebody leaves: "over Christmas, leaving the 20th"."""
    is_first_told = any(roles[span.first] == "departure" for span in spans if span.start)
    if not is_first_told:
        return spans
    return [span for span in spans if not _is_occasion(text, span) or roles[span.first]]


def _is_occasion(text: Text, span: Span) -> bool:
    return isinstance(span.start, Over) or text.norm(span.first - 1) in _WORDS.occasion
