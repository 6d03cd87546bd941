"""The dates a message names: our own closed grammar, since every date library tried guessed silently.

A date is a point ("10 December", "next Friday", "the 12th", "in 3 weeks"), a range of two points ("from 3
to 7 May") or a length of stay ("for 3 nights"). What cannot be read is left alone rather than guessed, and
where a date has several readings the others are handed along. A day that cannot be meant, because there is
no such day or it has passed, is refused with the reason.
"""

from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Literal

from ...result import Reason
from ..language.corrections import takes_back
from ..language.text import Text, phrases
from .days import Day, DayOfMonth, Month, MonthDay, SameDay
from .grammar import Span, read_span

Role = Literal["", "departure", "return"]

_RETURN = phrases(
    "return", "returning", "returns", "back", "until", "till", "til", "through", "thru", "check out",
    "checkout", "check-out", "checking out", "home", "inbound", "ending", "ends", "extend to", "extend it to",
)  # fmt: skip
_DEPARTURE = phrases("depart", "departs", "departing", "departure", "leave", "leaves", "leaving")
_ARRIVAL = phrases(
    "check in",
    "check-in",
    "checkin",
    "checking in",
    "arrive",
    "arrives",
    "arriving",
    "arrival",
    "coming",
    "get there",
    "be there",
)
_RETURN_TICKET = phrases("return flight", "return flights", "return ticket", "return tickets", "return trip")
_HOME = frozenset({"home"})
_AMERICAN = phrases(
    "i'm american", "im american", "i am american", "we're american", "american format", "american style",
    "us format", "us style", "american way", "month first",
)  # fmt: skip
_LOOK_BACK = 5
_LONGEST_JOURNEY = timedelta(days=300)
"""A return that would roll forward further than this was named for a day before the departure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DateMention:
    """A date in a message, resolved.

    `first` and `after` are its tokens. A length of stay alone has only `nights`. An `approximate` mention is
    a period, `start` to `end`, out of which a day has still to be said. `others` are other readings of
    `start`, or of the only date where the role is "return". A return alone has only `end`.
    The end of a weekend is loose: a length of stay overrules it. What is `refused` holds no day, but may
    still hold the period that it lies in.
    """

    first: int
    after: int
    start: date | None = None
    end: date | None = None
    nights: int | None = None
    approximate: bool = False
    role: Role = ""
    others: tuple[date, ...] = ()
    has_loose_end: bool = False
    refused: Reason | None = None


def find_dates(
    text: Text,
    *,
    today: date,
    after: date | None = None,
    since: date | None = None,
    near: date | None = None,
    leaving_is_return: bool = False,
    only_return_is_asked: bool = False,
) -> tuple[DateMention, ...]:
    """Return the dates in the message, in its order.

    `after` is the departure known from before: a return that the message names alone lies behind it.
    `since` begins the period that was named before ("in March"): a day named now lies in it. `near` is a
    day known from before, in whose month a bare day ("the 12th") lies.
    With `leaving_is_return` the day on which somebody leaves is the last one, not the first. With
    `only_return_is_asked` a single day, of which nothing else is said, is the last one.
    """
    spans = _spans(text)
    roles: dict[int, Role] = {span.first: _role(text, span, spans) for span in spans}
    arrives = any(_is_arrival(text, span, spans) for span in spans)
    if leaving_is_return or arrives:
        roles = {first: "return" if role == "departure" else role for first, role in roles.items()}
    spans = [span for span in spans if not isinstance(span.start, SameDay) or roles[span.first] == "return"]
    spans = _corrected(text, _told_once(text, spans), roles)
    if after is None and len(spans) == 1 and text.norm(spans[0].first - 2) in _HOME:
        roles[spans[0].first] = ""
    single = [span for span in spans if span.start is not None]
    if only_return_is_asked and len(single) == 1 and single[0].end is None and not roles[single[0].first]:
        roles[single[0].first] = "return"
    month = max(near.replace(day=1), today) if near and not since else None
    mentions = [
        _resolve(span, roles[span.first], today, _floor(span, today, month=month, since=since))
        for span in spans
        if roles[span.first] != "return"
    ]
    starts = [mention.start for mention in mentions if mention.start and not mention.approximate]
    known = starts[0] if starts else after
    mentions += [
        _resolve(span, "return", today, max(known or today, today), is_departure_known=known is not None)
        for span in spans
        if roles[span.first] == "return"
    ]
    return tuple(sorted(mentions, key=lambda mention: mention.first))


def _floor(span: Span, today: date, *, month: date | None, since: date | None) -> date:
    """The first day that a date can mean. A bare day lies in the month spoken of before, or the following."""
    is_bare = isinstance(span.start, DayOfMonth) and (
        span.start.months_ahead is None or span.start.is_following
    )
    return (month if is_bare else None) or since or today


def _corrected(text: Text, spans: list[Span], roles: dict[int, Role]) -> list[Span]:
    """Make one of a date that is taken back and the one that is meant: "on the 5th, no, the 6th"."""
    kept: list[Span] = []
    for span in spans:
        if kept and span.nights is None and takes_back(text, kept[-1].after, span.first):
            before = kept.pop()
            role = roles[span.first] or roles[before.first]
            span = replace(span, first=before.first)
            roles[span.first] = role
        kept.append(span)
    return kept


def _told_once(text: Text, spans: list[Span]) -> list[Span]:
    """Read "12/5" as it is explained: "12/5 (that's December 5)", "12/5, I'm American"."""
    is_american = text.has(_AMERICAN)
    told = [replace(span, start=_exchanged(span.start)) if is_american else span for span in spans]
    days = {(day.month, day.day) for day in _days_of(told) if not day.or_swapped}
    return [span for span in told if span.end or not _is_explained(span.start, days)]


def _is_explained(day: Day | None, told: set[tuple[int, int]]) -> bool:
    """Whether one of the two readings of a day told in figures is among the months and days told in words."""
    if not isinstance(day, MonthDay) or not day.or_swapped:
        return False
    return (day.month, day.day) in told or (day.day, day.month) in told


def _days_of(spans: list[Span]) -> list[MonthDay]:
    return [span.start for span in spans if isinstance(span.start, MonthDay)]


def _exchanged(day: Day | None) -> Day | None:
    if isinstance(day, MonthDay) and day.or_swapped:
        return replace(day, month=day.day, day=day.month, or_swapped=False)
    return day


def _spans(text: Text) -> list[Span]:
    spans: list[Span] = []
    index = 0
    while index < text.length:
        span = read_span(text, index)
        if span and not _is_put_off(text, span):
            spans.append(span)
        index = span.after if span else index + 1
    return spans


def _is_put_off(text: Text, span: Span) -> bool:
    """Whether a day is only named by the way: "not today", "you're slow today"."""
    is_today = text.norm(span.first) in ("today", "tonight")
    is_said_of_us = text.norm(0) in ("youre", "you're") or [text.norm(0), text.norm(1)] == ["you", "are"]
    return is_today and (text.norm(span.first - 1) == "not" or is_said_of_us)


def _role(text: Text, span: Span, spans: list[Span]) -> Role:
    """Return what the words before a date say it is; the nearest word decides."""
    if span.nights is not None:
        return ""
    is_last = text.norm(span.after) == "back" and text.norm(span.after + 1) in ("", ".", "!", "please")
    is_of_a_return = text.norm(span.after) == "return" and not text.match(_RETURN_TICKET, span.after)
    if is_of_a_return or is_last:
        return "return"
    fence = max((other.after for other in spans if other.after <= span.first), default=0)
    for index in range(span.first - 1, max(fence, span.first - _LOOK_BACK) - 1, -1):
        if text.norm(index) in (".", ";", "?", "!"):
            return ""
        if _is_return(text, index):
            return "return"
        if text.match(_DEPARTURE, index):
            return "departure"
        if text.match(_ARRIVAL, index):
            return ""
    return ""


def _is_arrival(text: Text, span: Span, spans: list[Span]) -> bool:
    """Whether the words before a date say that somebody arrives then."""
    fence = max((other.after for other in spans if other.after <= span.first), default=0)
    before = range(span.first - 1, max(fence, span.first - _LOOK_BACK) - 1, -1)
    return span.nights is None and any(
        text.match(_ARRIVAL, index) and text.norm(index + 1) not in ("back", "home") for index in before
    )


def _is_return(text: Text, index: int) -> bool:
    if text.match(_RETURN_TICKET, index) and text.norm(index - 1) in ("a", "the", "with"):
        return False
    return text.match(_RETURN, index) > 0


def _resolve(
    span: Span, role: Role, today: date, floor: date, *, is_departure_known: bool = False
) -> DateMention:
    """Put a date on the calendar."""
    mention = DateMention(first=span.first, after=span.after, nights=span.nights, role=role)
    if span.start is None:
        return mention
    readings = span.start.readings(today, floor)
    if not readings:
        mention = replace(mention, refused="no_such_day")
        return _in_its_month(mention, span.start, today, floor) if role != "return" else mention
    best = readings[0]
    if best.end < today or (best.start < today and not best.approximate):
        return replace(mention, refused="day_has_passed")
    if is_departure_known and not _is_in_order(floor, best.start):
        return replace(mention, refused="ends_before_it_begins")
    others = tuple(dict.fromkeys(reading.start for reading in readings[1:]))
    mention = replace(mention, start=best.start, approximate=best.approximate, others=others)
    if span.end is not None:
        return _with_end(mention, span, today)
    if best.end > best.start:
        return replace(mention, end=best.end, has_loose_end=True)
    if role == "return":
        return replace(mention, start=None, end=best.start)
    return mention


def _in_its_month(mention: DateMention, day: Day, today: date, floor: date) -> DateMention:
    """A day that its month does not have leaves the month, out of which another can be said."""
    month = Month(month=day.month, year=day.year) if isinstance(day, MonthDay) and day.month <= 12 else None
    period = month.readings(today, floor) if month else ()
    if not period:
        return mention
    return replace(mention, start=period[0].start, end=period[0].end, approximate=True)


def _with_end(mention: DateMention, span: Span, today: date) -> DateMention:
    start = mention.start
    ends = span.end.readings(today, start) if span.end and start else ()
    if not ends or start is None:
        return replace(mention, start=None, others=(), refused="no_such_day")
    end = ends[0].end
    if not _is_in_order(start, end):
        return replace(mention, start=None, others=(), refused="ends_before_it_begins")
    return replace(mention, end=end, approximate=span.is_any_day)


def _is_in_order(start: date, end: date) -> bool:
    """Whether a journey can last so long: what is before its start has rolled on to the next year."""
    return timedelta(0) <= end - start <= _LONGEST_JOURNEY
