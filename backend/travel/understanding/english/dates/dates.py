"""The dates a message names: our own closed grammar, since every date library tried guessed silently.

A date is a point ("10 December", "next Friday", "the 12th", "in 3 weeks"), a range of two points ("from 3
to 7 May") or a length of stay ("for 3 nights"). What cannot be read is left alone rather than guessed, and
where a date has several readings the others are handed along. A day that cannot be meant, because there is
no such day or it has passed, is refused with the reason.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from typing import Literal

from ...result import Reason, Refused
from ..language.cars import asks_for_car
from ..language.numbers import whole_number
from ..language.sentences import is_before_work, sentence_around, takes_back, way_back_at
from ..language.tables import phrases_of, words_of
from ..language.text import SENTENCE_ENDS, Span, Text
from .days import (
    SATURDAY,
    Ahead,
    Around,
    Beside,
    Choice,
    Day,
    DayOfMonth,
    Month,
    MonthDay,
    Months,
    NthWeekday,
    OfPeriod,
    Reading,
    SameDay,
    Week,
    Weekday,
    Weekend,
    WeekendAt,
)
from .grammar import BEGINNINGS, DateSpan, is_plain, read_span
from .points import DAY_UNITS, NIGHT_UNITS, NTH, is_feast, month_after

_SAID = phrases_of("dates")
_WORDS = words_of("dates")

Role = Literal["", "departure", "return"]

_LOOK_BACK = 5
_WORDS_TO_AN_EVENT = 9
_WORDS_FROM_AN_EVENT = 5
_WORDS_TO_A_JOURNEY = 6
_CLAUSE_ENDS = SENTENCE_ENDS | {",", "and"}
_WORDS_AFTER_KEEP = 3
_WORDS_OF_CANNOT = 4
_MOST_NIGHTS_IN_TURN = 30
_NIGHTS_OF_A_MONTH = 30
_SUNDAY = 6
_HALF_A_YEAR = timedelta(days=183)
_BEFORE_NEAREST = timedelta(days=4)
"""The week after a day so long before another holds each weekday once, where it is nearest to that day."""

_BEFORE_HOLIDAYS = timedelta(days=4)
_AROUND_A_FEAST = timedelta(days=14)
_SOON = timedelta(days=14)
"""During a journey that begins by then "Friday" is the coming one, as people go on to say of these days."""

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
    is_arrival: bool = False
    """Whether somebody lands on that day."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NightsMention:
    """Some `nights` of a journey, behind those `skipped`: from its end, if below 0."""

    first: int
    after: int
    skipped: int
    nights: int


def find_dates(
    text: Text,
    *,
    today: date,
    after: date | None = None,
    since: date | None = None,
    near: date | None = None,
    near_weekdays: bool = False,
    last: date | None = None,
    is_moved: bool = False,
    leaving_is_return: bool = False,
    only_return_is_asked: bool = False,
    has_car: bool = False,
) -> tuple[DateMention, ...]:
    """Return the dates in the message, in its order.

    `after` is the departure known from before: a return that the message names alone lies behind it.
    `since` begins the period that was named before ("in March"): a day named now lies in it. `near` is a
    day known from before, in whose month a bare day ("the 12th") lies; with `near_weekdays` "Thursday" is
    the one nearest to it, also in the next days if the day `is_moved`, and nearest to the `last` day if it
    is that of the return.
    With `leaving_is_return` the day on which somebody leaves is the last one, not the first. With
    `only_return_is_asked` a single day, of which nothing else is said, is the last one.
    """
    named = _spans(text)
    if not named:
        return ()
    departure = after and Ahead(days=(after - today).days)
    spans = _beside_each_other(text, _of_the_weekend(named), departure, has_car=has_car)
    # Without a month before it, "the second week" is a week of something else.
    spans = [
        span for span in spans if since or not _is_of_period(span.start, is_month_known=near is not None)
    ]
    # Nor are two plain numbers days, unless days were spoken of.
    is_spoken_of = after or near or any(_period_told(text, span, today) for span in named)
    spans = [span for span in spans if is_spoken_of or not _is_plain_range(text, span)]
    roles: dict[int, Role] = {span.first: _role(text, span, spans) for span in spans}
    if leaving_is_return or any(_is_arrival(text, span, spans) for span in spans):
        roles = {first: "return" if role == "departure" else role for first, role in roles.items()}
    roles |= {span.first: "return" for span in spans if _is_length(text, span)}
    spans = _beside_a_feast(text, _around_an_event(text, spans, roles), roles)
    spans = _without_occasions(text, _in_the_same_month(text, spans, roles), roles)
    spans = _the_day_before(text, spans, roles)
    spans = [span for span in spans if not _is_of_the_start(span.start) or roles[span.first] == "return"]
    spans = _corrected(text, _told_once(text, spans), roles)
    is_of_start = len(spans) == 1 and _is_of_the_start(spans[0].start)  # "home after 5 days"
    if after is None and len(spans) == 1 and _is_home(text, spans[0]) and not is_of_start:
        roles[spans[0].first] = ""
    single = [span for span in spans if span.start is not None]
    if only_return_is_asked and len(single) == 1 and single[0].end is None and not roles[single[0].first]:
        roles[single[0].first] = "return"
    journey = (near, last) if near and not since else None
    # After "Fri 4 December", "after 5pm on Friday" is that one, though there is one before.
    is_its_day = near is not None and Weekday(weekday=near.weekday()) in [span.start for span in spans]
    is_far = near is not None and (is_moved or is_its_day or near > today + _SOON)
    around = near - _BEFORE_NEAREST if near and is_far and near_weekdays and not since else None
    period = _period_of_message(text, named, today)
    mentions: list[DateMention] = []
    for span in spans:
        if roles[span.first] == "return":
            continue
        # Behind "4 to 11 February", "the 6th" is one of these days; behind "5 May", "the 4th" is in May.
        first = next((one.start for one in mentions if one.start and not one.approximate), None)
        is_range = "return" in roles.values() or any(one.end for one in mentions)
        first = first if is_range or first is None else max(first.replace(day=1), today)
        lands = _lands(text, span, spans)
        month = first or (_from_month(span.start, *journey, today, lands=lands) if journey else None)
        floor = _weekend_of_trip(text, span, since or after, today) or _floor(
            span, today, month=month, around=around, since=since
        )
        if period and _is_told_by_less(span.start) and not (since and isinstance(span.start, Weekday)):
            floor = period
        mention = _resolve(span, roles[span.first], today, floor)
        mentions.append(replace(mention, is_arrival=lands))
    starts = [mention.start for mention in mentions if mention.start and not mention.approximate]
    known = starts[0] if starts else after
    if around and last and not starts and last - _BEFORE_NEAREST > (after or today) and _are_weekdays(spans):
        known = last - _BEFORE_NEAREST
    is_open = known is None
    mentions += [
        DateMention(first=span.first, after=span.after, nights=nights)
        if is_open and (nights := _days_from_the_start(span.start, _NIGHTS_OF_A_MONTH) or 0) > 0
        else _resolve(
            span,
            "return",
            today,
            max(known or today, today, *([period] if period and _is_told_by_less(span.start) else ())),
            is_departure_known=known is not None,
        )
        for span in spans
        if roles[span.first] == "return"
    ]
    return tuple(sorted(mentions, key=lambda mention: mention.first))


def arrivals_told(text: Text, mentions: Sequence[DateMention]) -> tuple[Refused, ...]:
    """Return the days by which somebody is to be there: a flight that leaves on the day may land after it."""
    return tuple(
        Refused(said=text.spelled(one.first - 1, one.after), reason="arrive_by")
        for one in mentions
        if text.norm(one.first - 1) in ("by", "before")
        and one.start
        and text.match_before(_SAID.arrival, one.first, within=_LOOK_BACK)
    )


def left_out(
    text: Text, mentions: Sequence[DateMention], days: Collection[date], change: Span | None
) -> list[DateMention]:
    """Return the days that stay as they are, "keep the 15th", and those that cannot be while another is told.

    So "Easter is then, make it the week after" leaves out Easter.
    """
    cannot_be = [
        one
        for one in mentions
        if text.match(_SAID.cannot_be, one.after)
        or text.match_before(_SAID.cannot_on, one.first, within=_WORDS_OF_CANNOT)
    ]
    is_changed = change is not None and not text.match(_SAID.cannot_be, change.after)
    kept = [one for one in mentions if _is_kept(text, one, days)]
    return [*kept, *(cannot_be if days or is_changed or len(cannot_be) < len(mentions) else ())]


def _is_kept(text: Text, mention: DateMention, days: Collection[date]) -> bool:
    named = mention.start or mention.end
    is_known = named is not None and any(named.day == day.day for day in days)
    return is_known and text.match_before(_SAID.keeps, mention.first, within=_WORDS_AFTER_KEEP)


def nights_in_turn(text: Text) -> NightsMention | None:
    """Return which nights of a journey a message speaks of, None if of none.

    "Hotel only for the last night", "in Ubud for the first week", "the final two nights in Geneva"; "last
    night" alone is yesterday's, and "the first week of May" one of the month.
    """
    for at in text.each_of(NTH.keys() | _WORDS.last):
        nth = -1 if text.norm(at) in _WORDS.last else NTH.get(text.norm(at), 0)
        count, unit = (abs(nth) == 1 and whole_number(text, at + 1)) or (1, at + 1)
        length = NIGHT_UNITS.get(text.norm(unit)) or DAY_UNITS.get(text.norm(unit), 0)
        is_told = text.norm(at - 1) in _WORDS.before or text.norm(at - 1) in _WORDS.stays
        # "A late check-out on the last day" is of no night.
        is_told = is_told and (text.norm(unit) not in ("day", "days") or "for" in text.said(at - 2, at))
        nights = count * length
        if nth and is_told and 0 < nights <= _MOST_NIGHTS_IN_TURN and not month_after(text, unit + 1):
            skipped = -nights if nth < 0 else (nth - 1) * length
            return NightsMention(first=at, after=unit + 1, skipped=skipped, nights=nights)
    return None


# The spans of a message, and what each is.


def _spans(text: Text) -> list[DateSpan]:
    spans: list[DateSpan] = []
    index = 0
    while (index := text.next_of(BEGINNINGS, index)) < text.length:
        span = read_span(text, index)
        if span and not _is_put_off(text, span):
            spans.append(span)
        index = span.after if span else index + 1
    return spans


def _is_put_off(text: Text, span: DateSpan) -> bool:
    """Whether a day is only named by the way: "not today", "you're slow today"."""
    is_said_of_us = text.norm(0) in ("youre", "you're") or text.says(0, "you", "are")
    return text.norm(span.first) in _WORDS.today and (text.norm(span.first - 1) == "not" or is_said_of_us)


def _is_plain_range(text: Text, span: DateSpan) -> bool:
    is_range = isinstance(span.start, DayOfMonth) and isinstance(span.end, DayOfMonth)
    return is_range and is_plain(text, span.first, span.after)


def _is_of_period(day: Day | None, *, is_month_known: bool) -> bool:
    """Whether a day is told from a period of which nothing is known; weekends are counted in any month."""
    return isinstance(day, OfPeriod) and not (is_month_known and isinstance(day.of, NthWeekday))


def _is_length(text: Text, span: DateSpan) -> bool:
    """Whether a span tells the last day by how long the stay is: "for a month", "for the weekend"."""
    is_weekend = isinstance(span.start, Weekday) and text.norm(span.first + 1) == "weekend"
    is_length = is_weekend or (_is_of_the_start(span.start) and span.end is None)
    return is_length and text.norm(span.first - 1) in _WORDS.for_so_long


def _is_of_the_start(day: Day | None) -> bool:
    """Whether a day is told from that of the departure: "the same day", "two weeks later"."""
    return isinstance(day, SameDay) or isinstance(getattr(day, "base", None), SameDay)


def _fence(span: DateSpan, spans: Sequence[DateSpan], within: int) -> int:
    """The first of so many tokens before a date that no other date comes after."""
    return max(0, span.first - within, *(one.after for one in spans if one.after <= span.first))


def _role(text: Text, span: DateSpan, spans: list[DateSpan]) -> Role:
    """Return what the words before a date say it is; the nearest word decides."""
    if span.nights is not None:
        return ""
    word, behind = text.norm(span.after), text.norm(span.after + 1)
    next_day = span.after + 1 + (behind in ("on", ":", "the"))
    is_of_a_return = word == "return" and not text.match(_SAID.return_ticket, span.after)
    is_of_a_return = is_of_a_return and all(one.first != next_day for one in spans)  # "return 9 May"
    is_of_a_return = is_of_a_return or text.match(_SAID.for_the_way_back, span.after) > 0
    if is_of_a_return or _comes_back(text, span, spans):
        return "return"
    for index in range(span.first - 1, _fence(span, spans, _LOOK_BACK) - 1, -1):
        if text.norm(index) in SENTENCE_ENDS:
            return ""
        is_way_back = text.norm(index - 1) in _WORDS.ways
        if text.says(index, "back", "to") and index + 2 >= span.first - 1 and not is_way_back:
            return ""  # "back to the 10th": the day that it was before
        is_ticket = text.match(_SAID.return_ticket, index) and text.norm(index - 1) in ("a", "the", "with")
        if text.match(_SAID.return_word, index) and not is_ticket:
            return "return"
        if text.norm(index) in _WORDS.begins:
            return ""
        if text.match(_SAID.departure, index):
            return "departure"
        if text.match(_SAID.arrival, index):
            return ""
    return ""


def _comes_back(text: Text, span: DateSpan, spans: list[DateSpan]) -> bool:
    """Whether the words behind a day say that somebody comes back: "Sunday I have to be home"."""
    after = way_back_at(text, span.after)
    end = text.next_of(_CLAUSE_ENDS, after)
    return after > 0 and not any(after <= one.first < end for one in spans if one.start)


def _is_home(text: Text, span: DateSpan) -> bool:
    """Whether somebody comes home then: "home by Sunday", "Sunday I have to be home"."""
    return text.norm(span.first - 2) == "home" or "home" in text.said(
        span.after, way_back_at(text, span.after)
    )


def _is_arrival(text: Text, span: DateSpan, spans: list[DateSpan]) -> bool:
    """Whether the words before a date say that somebody arrives then."""
    return span.nights is None and any(
        text.match(_SAID.arrival, index) and text.norm(index + 1) not in ("back", "home")
        for index in range(_fence(span, spans, _LOOK_BACK), span.first)
    )


def _lands(text: Text, span: DateSpan, spans: list[DateSpan]) -> bool:
    """Whether the nearest words before a day say that somebody lands then: "arriving on the 15th"."""
    for index in range(span.first - 1, _fence(span, spans, _LOOK_BACK) - 1, -1):
        if text.norm(index) in SENTENCE_ENDS or text.match(_SAID.return_word, index):
            return False
        if text.match(_SAID.lands, index):
            return text.norm(index + 1) not in ("back", "home")
    return False


def _corrected(text: Text, spans: list[DateSpan], roles: dict[int, Role]) -> list[DateSpan]:
    """Make one of a date that is taken back and the one that is meant: "on the 5th, no, the 6th"."""
    kept: list[DateSpan] = []
    for span in spans:
        if kept and span.nights is None and takes_back(text, kept[-1].after, span.first):
            before = kept.pop()
            role = roles[span.first] or roles[before.first]
            span = replace(span, first=before.first)
            roles[span.first] = role
        kept.append(span)
    return kept


def _told_once(text: Text, spans: list[DateSpan]) -> list[DateSpan]:
    """Read "12/5" as it is explained: "12/5 (that's December 5)", "12/5, I'm American".

    A day that begins a range as well is told by that: "the 14th is better, so 14th to 21st".
    """
    ranges = [one.start for one in spans if one.end and isinstance(one.start, DayOfMonth)]
    spans = [one for one in spans if one.end or one.nights is not None or one.start not in ranges]
    swapped = [one for one in spans if isinstance(one.start, MonthDay) and one.start.or_swapped]
    if text.has(_SAID.american):
        return [replace(one, start=_exchanged(one.start)) if one in swapped else one for one in spans]
    days = [one.start for one in spans if isinstance(one.start, MonthDay) and one not in swapped]
    told = {day for one in days for day in ((one.month, one.day), (one.day, one.month))}
    return [one for one in spans if one.end or one not in swapped or _in_figures(one.start) not in told]


def _in_figures(day: Day | None) -> tuple[int, int]:
    return (day.month, day.day) if isinstance(day, MonthDay) else (0, 0)


def _exchanged(day: Day | None) -> Day | None:
    return replace(day, month=day.day, day=day.month, or_swapped=False) if isinstance(day, MonthDay) else day


# Days that are told by others of the message: an evening before, days around an event, a month told once.


def _of_the_weekend(spans: list[DateSpan]) -> list[DateSpan]:
    """Read a weekday beside a weekend as the one nearest to it: "next weekend, Friday to Sunday"."""
    weekend = next((one for one in spans if isinstance(one.start, Weekend) and not one.end), None)
    day = next((one for one in spans if isinstance(one.start, Weekday) and one.start.which == "coming"), None)
    if weekend is None or day is None or not isinstance(day.start, Weekday):
        return spans
    if day.first < weekend.first and day.end is None:
        return spans  # "on Friday over the weekend" tells both ends
    ahead = (day.start.weekday - SATURDAY + 3) % 7 - 3
    start = Ahead(days=ahead, base=weekend.start)
    return [replace(one, start=start) if one is day else one for one in spans if one is not weekend]


def _beside_each_other(
    text: Text, spans: list[DateSpan], day: Day | None, *, has_car: bool
) -> list[DateSpan]:
    """Read days that are told by others of the message.

    "For the weekend" after a day is the Sunday of it; "the evening before" and "the day after" move from
    that day, those of a car from the first one; and what only names an occasion counts for nothing where
    first and last day are told: "for New Year, 30 Dec to 2 Jan".
    """
    is_told = any(span.start and span.end for span in spans)
    kept: list[DateSpan] = []
    event: DateSpan | None = None
    for span in spans:
        is_occasion = text.norm(span.first - 1) in _WORDS.occasion
        is_over = is_occasion or text.norm(span.first) == "over"
        is_over = is_over and span.end is None and not isinstance(span.start, Month)
        if len(spans) > 1 and is_told and is_over and span.nights is None:
            continue
        ahead = _days_from_the_start(span.start)
        first = next((one.start for one in kept if one.start), day)
        led = text.within(_fence(span, spans, span.first), span.first) if has_car and ahead else None
        if first and ahead and led and asks_for_car(led, "known"):
            span = replace(span, start=Ahead(days=ahead, base=first))
        elif kept and is_occasion and isinstance(span.start, Weekend):
            span = replace(span, start=Weekday(weekday=_SUNDAY))
        elif kept and kept[-1].start and ahead is not None and ahead < 0:
            event = kept.pop()
            span = replace(span, start=Ahead(days=ahead, base=event.start), end=event.end)
        elif kept and ahead is not None and (event or kept[-1].end):
            base = event or kept[-1]
            kept[-1] = replace(kept[-1], end=None) if event else kept[-1]
            last = base.end or base.start
            span = replace(span, start=Ahead(days=ahead, base=last) if ahead else last)
        kept.append(span)
    return kept


def _days_from_the_start(day: Day | None, month: int = 0) -> int | None:
    """How many days a day lies after the one told before, a `month` being of so many; else None."""
    if isinstance(day, Ahead) and isinstance(day.base, SameDay) and (month or not day.months):
        return day.days + day.months * month
    return 0 if isinstance(day, SameDay) else None


def _around_an_event(text: Text, spans: list[DateSpan], roles: Mapping[int, str]) -> list[DateSpan]:
    """Read the days of the journey around the day of an event.

    "The wedding is on Saturday 12 June, so I fly on the Thursday": weekdays are those next to the event, and
    a day on which somebody travels is the first one, not that of the event.
    """
    event = next((span for span in spans if span.start and _is_of_an_event(text, span, spans)), None)
    if len(spans) < 2 or event is None or event.start is None:
        return spans
    told: list[DateSpan] = []
    is_first_told = False
    for span in spans:
        is_return, start = roles[span.first] == "return", span.start
        is_travelled = span is not event and start is not None
        is_travelled = is_travelled and (isinstance(span.end, Weekday) or _is_travelled(text, span, spans))
        if isinstance(start, Weekday) and is_travelled and not isinstance(event.start, Weekday):
            base = event.end or event.start if is_return else Ahead(days=1, base=event.start)
            if start.which == "coming":
                start = Beside(unit=start.weekday, base=base, is_before=not is_return)
        elif isinstance(start, DayOfMonth) and span is not event and isinstance(event.start, MonthDay):
            start = _in_month_of(event.start, start, is_before=is_travelled and not is_return)
        is_first_told = is_first_told or (is_travelled and not is_return)
        told.append(replace(span, start=start))
    return [span for span in told if span.first != event.first] if is_first_told else told


def _beside_a_feast(text: Text, spans: list[DateSpan], roles: dict[int, Role]) -> list[DateSpan]:
    """Read a day without a month before or after a feast: "home after New Year, on the second"."""
    days: dict[int, Day] = {}
    gone: set[int] = set()
    for feast, span in pairwise(spans):
        side, day = text.norm(feast.first - 1), span.start
        is_beside = side in ("before", "after") and is_feast(text, feast.start, feast.first, feast.after)
        if is_beside and isinstance(feast.start, MonthDay) and isinstance(day, DayOfMonth):
            days[span.first] = _in_month_of(feast.start, day, is_before=side == "before")
            roles[span.first] = roles[span.first] or roles[feast.first]
            gone.add(feast.first)
    told = [span for span in spans if span.first not in gone]
    return [replace(span, start=days.get(span.first, span.start)) for span in told]


def _the_day_before(text: Text, spans: list[DateSpan], roles: Mapping[int, str]) -> list[DateSpan]:
    """Read "be there before Friday" as the day before it: on Friday itself it would be too late."""
    return [
        replace(span, start=Ahead(days=-1, base=span.start))
        if _is_too_late(text, span) and (roles[span.first] or _is_travelled(text, span, spans))
        else span
        for span in spans
    ]


def _is_too_late(text: Text, span: DateSpan) -> bool:
    is_before = text.norm(span.first - 1) == "before" and text.norm(span.first - 2) not in _WORDS.not_before
    backs = [at + 1 for at in text.where({"back"}) if 0 < span.first - at <= _LOOK_BACK + 1]
    is_before = is_before or any(
        is_before_work(text, at) for at in (*backs, way_back_at(text, span.after)) if at
    )
    return is_before and isinstance(span.start, Weekday | MonthDay | DayOfMonth) and span.end is None


def _in_month_of(event: MonthDay, day: DayOfMonth, *, is_before: bool) -> Day:
    """A day without a month in that of the event, or in the one before or after it as the journey has it."""
    if day.months_ahead is not None:
        return day
    is_other = day.day > event.day if is_before else day.day < event.day
    month = event.month + (is_other and (-1 if is_before else 1))
    year = event.year and event.year + (month - 1) // 12
    return MonthDay(month=(month - 1) % 12 + 1, day=day.day, year=year)


def _is_of_an_event(text: Text, span: DateSpan, spans: list[DateSpan]) -> bool:
    """Whether a word for an event stands before a day, or right behind, and none for travelling between."""
    is_day = isinstance(span.start, MonthDay | DayOfMonth | Weekday | Ahead)
    if not (is_day and text.has(_SAID.events)) or _is_travelled(text, span, spans):
        return False
    before = text.find(_SAID.events, _fence(span, spans, _WORDS_TO_AN_EVENT), span.first)
    if before >= 0:
        return text.find(_SAID.travels, before, span.first) < 0
    behind = text.find(_SAID.events, span.after, span.after + _WORDS_FROM_AN_EVENT)
    return behind >= 0 and text.find(_SAID.travels, span.after, behind) < 0


def _is_travelled(text: Text, span: DateSpan, spans: list[DateSpan]) -> bool:
    """Whether somebody travels on a day: "fly on the Thursday", "be there by Friday"."""
    at = text.find(_SAID.travels, _fence(span, spans, _WORDS_TO_A_JOURNEY), span.first)
    return at >= 0 and not text.has_any(SENTENCE_ENDS, at, span.first)


def _in_the_same_month(text: Text, spans: list[DateSpan], roles: Mapping[int, str]) -> list[DateSpan]:
    """Read a first day whose month is told with the last one: "leaving the 3rd, back the 7th of March"."""
    days = [span for span in spans if span.start is not None]
    is_pair = len(days) == 2 and not days[0].end and not days[1].end
    are_joined = is_pair and text.said(days[0].after, days[1].first) <= _WORDS.joins_days
    if not (is_pair and (are_joined or roles[days[1].first] == "return")):
        return spans
    first, last = days[0].start, days[1].start
    if not isinstance(first, DayOfMonth) or not isinstance(last, MonthDay) or first.months_ahead is not None:
        return spans
    month = last.month if first.day < last.day else (last.month - 2) % 12 + 1
    start = MonthDay(month=month, day=first.day, year=last.year and last.year - (month > last.month))
    return [replace(span, start=start) if span is days[0] else span for span in spans]


def _without_occasions(text: Text, spans: list[DateSpan], roles: Mapping[int, str]) -> list[DateSpan]:
    """Leave out an occasion beside the days of the journey: "over Christmas, leaving the 20th".

    "Easter in Vienna, 25 to 30 March" names the feast, and the days as well.
    """
    leaves = any(roles[span.first] == "departure" for span in spans if span.start)
    feasts = [one.first for one in spans if is_feast(text, one.start, one.first, one.after)]
    is_told = any(
        (isinstance(one.start, MonthDay | DayOfMonth) or (isinstance(one.start, Weekday) and one.end))
        and one.first not in feasts
        and roles[one.first] != "return"
        for one in spans
    )

    def is_occasion(span: DateSpan) -> bool:
        is_led = isinstance(span.start, Around) or text.norm(span.first - 1) in _WORDS.occasion
        reasons = (at for at in text.where(_WORDS.because) if at < span.first and text.norm(at + 1) == "of")
        because = max(reasons, default=-1)
        is_reason = because >= 0 and not text.has_any(_WORDS.behind_a_reason, because, span.first)
        return (
            (leaves and is_led)
            or (is_told and span.first in feasts and span.end is None)
            or (is_reason and span.end is None and len(spans) > 1)
        )

    return [span for span in spans if roles[span.first] or span.nights is not None or not is_occasion(span)]


# Days on the calendar.


def _period_of_message(text: Text, spans: list[DateSpan], today: date) -> date | None:
    """The first day that days told by less can mean: "in March, out on the 6th", "at half term, 13th-20th".

    Of two periods the one within the other counts: "in the summer holidays in August, 7th to 14th".
    """
    is_numbered = any(isinstance(span.start, DayOfMonth) for span in spans)
    around = _AROUND_A_FEAST / (1 if is_numbered else 2)  # "over Easter, Thursday to Monday"
    periods = [told for span in spans if (told := _period_told(text, span, today, around))]
    inner = [one for one in periods if not any(_is_within(other, one) for other in periods)]
    is_told = any(map(_is_told_by_less, (span.start for span in spans)))
    firsts = [one.start for one in inner if one.end >= today]
    return max(min(firsts), today) if firsts and is_told else None


def _period_told(
    text: Text, span: DateSpan, today: date, days_around: timedelta = _AROUND_A_FEAST
) -> Reading | None:
    """The days in or near which those lie that are told by less; "I was there in March" tells of none.

    Holidays may begin some days before their weekend, and a feast is named for all the days around it.
    """
    day, around = span.start, timedelta(0)
    is_period = isinstance(day, Month | Months | Week) and text.norm(span.first - 1) != "of"
    if isinstance(day, Around) and day.is_period:
        around = _BEFORE_HOLIDAYS
    elif isinstance(day, Around) or is_feast(text, day, span.first, span.after):
        around = days_around
    is_past = text.has_any(_WORDS.was, sentence_around(text, span.first)[0], span.first)
    readings = day.readings(today, today) if day and (is_period or around) and not is_past else ()
    return replace(readings[0], start=readings[0].start - around) if readings else None


def _is_within(one: Reading, other: Reading) -> bool:
    return one != other and other.start <= one.start and one.end <= other.end


def _is_told_by_less(day: Day | None) -> bool:
    """Whether a day is told by its number or its weekday alone."""
    return isinstance(day, Weekday) or (isinstance(day, DayOfMonth) and day.months_ahead is None)


def _are_weekdays(spans: list[DateSpan]) -> bool:
    """Whether all days are told by the weekday alone: "back on Sunday", "before Tuesday"."""
    days = (span.start.base if isinstance(span.start, Ahead) else span.start for span in spans)
    return all(map(_is_weekday, days))


def _is_weekday(day: Day | None) -> bool:
    return isinstance(day, Weekday) and day.which == "coming"


def _floor(
    span: DateSpan, today: date, *, month: date | None, around: date | None, since: date | None
) -> date:
    """The first day that a date can mean. A bare day lies in the month spoken of before, or the following."""
    start = span.start.base if isinstance(span.start, Ahead) else span.start
    start = start.day if isinstance(start, WeekendAt) else start
    days = start.days if isinstance(start, Choice) else (start,)
    if around and all(map(_is_weekday, days)):
        return max(around, today)
    is_of_the_month = isinstance(span.start, NthWeekday) and not (span.start.month or span.start.ahead)
    is_bare = (
        isinstance(span.start, OfPeriod)
        or is_of_the_month
        or all(isinstance(day, DayOfMonth) and (day.months_ahead is None or day.is_following) for day in days)
    )
    if since and _is_long_after(span.start, since, today):
        return today  # "31 January" of a stay in February
    if since and since > today and all(map(_is_weekday, days)):
        return since - timedelta(days=1)  # a weekday lies behind its floor, also the one that begins a period
    return (month if is_bare else None) or since or today


def _from_month(day: Day | None, first: date, last: date | None, today: date, *, lands: bool) -> date:
    """The day from which a bare day counts: it lies in the journey, or else in the month that begins with.

    Who goes there some days before may land in the month before that.
    """
    within = day.readings(today, first) if isinstance(day, DayOfMonth) and last else ()
    if within and last and within[0].start <= last <= first + _SOON:
        return first
    return max(min(first.replace(day=1), first - _BEFORE_NEAREST if lands else first), today)


def _weekend_of_trip(text: Text, span: DateSpan, trip: date | None, today: date) -> date | None:
    """The Monday from which "the weekend" counts: that of the week of the journey, unless it is very near."""
    is_the = isinstance(span.start, Weekend) and text.norm(span.first) == "the"
    return trip - timedelta(days=trip.weekday()) if is_the and trip and trip > today + _SOON else None


def _is_long_after(day: Day | None, since: date, today: date) -> bool:
    """Whether a day, counted from the period that was told, would come when that is long over."""
    counted = day.readings(today, since) if isinstance(day, MonthDay) and not day.year else ()
    return bool(counted) and counted[0].start - since > _HALF_A_YEAR


def _resolve(
    span: DateSpan, role: Role, today: date, floor: date, *, is_departure_known: bool = False
) -> DateMention:
    """Put a date on the calendar."""
    told = partial(DateMention, first=span.first, after=span.after, nights=span.nights, role=role)
    if span.start is None:
        return told()
    readings = span.start.readings(today, floor)
    if not readings:
        mention = told(refused="no_such_day")
        return _in_its_month(mention, span.start, today, floor) if role != "return" else mention
    best = readings[0]
    if best.end < today or (best.start < today and not best.approximate):
        return told(refused="day_has_passed")
    if is_departure_known and not _is_in_order(floor, best.start):
        return told(refused="ends_before_it_begins")
    others = tuple(dict.fromkeys(one.start for one in readings[1:] if one.start != best.start))
    told = partial(told, approximate=best.approximate, others=others)
    if span.end is not None:
        return _with_end(told(start=best.start), span, best.start, today)
    if best.end > best.start:
        return told(start=best.start, end=best.end, has_loose_end=True)
    return told(end=best.start) if role == "return" else told(start=best.start)


def _in_its_month(mention: DateMention, day: Day, today: date, floor: date) -> DateMention:
    """A day that its month does not have leaves the month, out of which another can be said."""
    month = Month(month=day.month, year=day.year) if isinstance(day, MonthDay) and day.month <= 12 else None
    period = month.readings(today, floor) if month else ()
    return replace(mention, start=period[0].start, end=period[0].end, approximate=True) if period else mention


def _with_end(mention: DateMention, span: DateSpan, start: date, today: date) -> DateMention:
    ends = span.end.readings(today, start) if span.end else ()
    if ends and _is_in_order(start, ends[0].end):
        return replace(mention, end=ends[0].end, approximate=span.is_any_day)
    return replace(mention, start=None, others=(), refused="ends_before_it_begins" if ends else "no_such_day")


def _is_in_order(start: date, end: date) -> bool:
    """Whether a journey can last so long: what is before its start has rolled on to the next year."""
    return timedelta(0) <= end - start <= _LONGEST_JOURNEY
