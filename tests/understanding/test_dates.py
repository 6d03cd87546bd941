"""Dates as people write them, on Friday 20 November 2026 unless said otherwise."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.understanding.english.dates.dates import DateMention, find_dates
from backend.travel.understanding.english.dates.days import easter
from backend.travel.understanding.english.language.text import Text

FRIDAY = date(2026, 11, 20)
WEDNESDAY = date(2026, 11, 18)


def read(said: str, today: date = FRIDAY, after: date | None = None) -> DateMention:
    mentions = find_dates(Text(said), today=today, after=after)
    assert len(mentions) == 1, f"{said!r} has {len(mentions)} dates"
    return mentions[0]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("10 December", "2026-12-10"),
        ("on the 10th of December", "2026-12-10"),
        ("Dec 10th 2026", "2026-12-10"),
        ("December 10, 2027", "2027-12-10"),
        ("Fri 27 Nov", "2026-11-27"),
        ("the first of March", "2027-03-01"),
        ("March twenty-second", "2027-03-22"),
        ("2026-12-10", "2026-12-10"),
        ("10.12.2026", "2026-12-10"),
        ("31/12", "2026-12-31"),
        ("12/31", "2026-12-31"),
        ("29 February", "2028-02-29"),
        ("today", "2026-11-20"),
        ("tonight", "2026-11-20"),
        ("tomorrow", "2026-11-21"),
        ("the day after tomorrow", "2026-11-22"),
        ("in 3 days", "2026-11-23"),
        ("in three weeks", "2026-12-11"),
        ("in a month", "2026-12-20"),
        ("2 weeks from now", "2026-12-04"),
        ("a week from tomorrow", "2026-11-28"),
        ("on Monday", "2026-11-23"),
        ("next Tuesday", "2026-11-24"),
        ("next Friday", "2026-11-27"),
        ("Wednesday next week", "2026-11-25"),
        ("on the 12th", "2026-12-12"),
        ("the 25th", "2026-11-25"),
        ("the 5th of next month", "2026-12-05"),
        ("new year's eve", "2026-12-31"),
        ("19 November", "2027-11-19"),
        ("Saturday week", "2026-11-28"),
        ("tomorrow week", "2026-11-28"),
        ("a week on Tuesday", "2026-12-01"),
        ("a week tomorrow", "2026-11-28"),
        ("Friday after next", "2026-12-04"),
        ("Sunday this week", "2026-11-22"),
        ("Friday of next week", "2026-11-27"),
        ("the second Saturday of December", "2026-12-12"),
        ("the 3rd Friday in January 2027", "2027-01-15"),
        ("the last Friday of next month", "2026-12-25"),
        ("the first Monday of the month", "2026-12-07"),
        ("Easter", "2027-03-28"),
        ("Good Friday", "2027-03-26"),
        ("Easter Monday", "2027-03-29"),
        ("Thanksgiving", "2026-11-26"),
        ("Boxing Day", "2026-12-26"),
        ("labor day", "2027-09-06"),
        ("the day after Christmas", "2026-12-26"),
        ("two days before Christmas", "2026-12-23"),
        ("the Friday before Christmas", "2026-12-18"),
        ("the Monday after Easter", "2027-03-29"),
        ("next month on the 15th", "2026-12-15"),
        ("wendesday", "2026-11-25"),
        ("3 Febuary", "2027-02-03"),
    ],
)
def test_date_without_a_year_is_the_next_such_day(said: str, day: str) -> None:
    mention = read(said)
    assert (mention.start, mention.end, mention.approximate) == (date.fromisoformat(day), None, False)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("10-17 December", "2026-12-10", "2026-12-17"),
        ("10\u201317 December", "2026-12-10", "2026-12-17"),
        ("from 3 to 7 May", "2027-05-03", "2027-05-07"),
        ("between 3 and 7 May", "2027-05-03", "2027-05-07"),
        ("May 3-7", "2027-05-03", "2027-05-07"),
        ("28 to 3 May", "2027-04-28", "2027-05-03"),
        ("20 December - 3 January", "2026-12-20", "2027-01-03"),
        ("between March 15th and March 17th, 2027", "2027-03-15", "2027-03-17"),
        ("from the 24th to the 4th", "2026-11-24", "2026-12-04"),
        ("from Monday to Thursday", "2026-11-23", "2026-11-26"),
        ("tomorrow until Sunday", "2026-11-21", "2026-11-22"),
        ("from now until Tuesday", "2026-11-20", "2026-11-24"),
        ("2026-12-10 to 2026-12-17", "2026-12-10", "2026-12-17"),
        ("10/12/2026 - 17/12/2026", "2026-12-10", "2026-12-17"),
        ("this weekend", "2026-11-21", "2026-11-22"),
        ("the weekend after next", "2026-12-05", "2026-12-06"),
        ("the last weekend in January", "2027-01-30", "2027-01-31"),
        ("the weekend before Christmas", "2026-12-19", "2026-12-20"),
        ("the weekend of 5 December", "2026-12-05", "2026-12-06"),
        ("over Easter", "2027-03-26", "2027-03-29"),
        ("over Thanksgiving", "2026-11-26", "2026-11-29"),
        ("12th to 15th", "2026-12-12", "2026-12-15"),
        ("the 3rd to the 10th of next month", "2026-12-03", "2026-12-10"),
        ("between Christmas and New Year", "2026-12-25", "2027-01-01"),
    ],
)
def test_range_has_both_of_its_ends(said: str, start: str, end: str) -> None:
    mention = read(said)
    assert (mention.start, mention.end) == (date.fromisoformat(start), date.fromisoformat(end))


@pytest.mark.parametrize(
    ("said", "nights"),
    [
        ("for 3 nights", 3),
        ("for a week", 7),
        ("two weeks' stay for two weeks", 14),
        ("a 5-day trip", 5),
        ("a long weekend", 3),
    ],
)
def test_length_of_stay_is_told_in_nights(said: str, nights: int) -> None:
    assert [mention.nights for mention in find_dates(Text(said), today=FRIDAY)] == [nights]


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("in December", "2026-12-01", "2026-12-31"),
        ("in November", "2026-11-20", "2026-11-30"),
        ("early May", "2027-05-01", "2027-05-10"),
        ("the end of next month", "2026-12-21", "2026-12-31"),
        ("next week", "2026-11-23", "2026-11-29"),
        ("the week after next", "2026-11-30", "2026-12-06"),
        ("the week before Christmas", "2026-12-18", "2026-12-24"),
        ("the first week of April", "2027-04-01", "2027-04-07"),
        ("the last week of February", "2027-02-22", "2027-02-28"),
        ("the second half of June", "2027-06-16", "2027-06-30"),
        ("the end of the month", "2026-11-21", "2026-11-30"),
        ("in summer", "2027-06-01", "2027-08-31"),
        ("this winter", "2026-12-01", "2027-02-28"),
        ("next year", "2027-01-01", "2027-12-31"),
        ("any day between 3 and 7 May", "2027-05-03", "2027-05-07"),
    ],
)
def test_period_is_approximate(said: str, start: str, end: str) -> None:
    mention = read(said)
    assert mention.approximate
    assert (mention.start, mention.end) == (date.fromisoformat(start), date.fromisoformat(end))


@pytest.mark.parametrize(
    ("said", "today", "day", "others"),
    [
        ("next Friday", WEDNESDAY, "2026-11-27", ["2026-11-20"]),
        ("on Friday", FRIDAY, "2026-11-27", ["2026-11-20"]),
        ("10/12", FRIDAY, "2026-12-10", ["2027-10-12"]),
        ("next weekend", FRIDAY, "2026-11-28", ["2026-11-21"]),
        ("on 5/6/2027", FRIDAY, "2027-06-05", ["2027-05-06"]),
        ("on Friday or Saturday", WEDNESDAY, "2026-11-20", ["2026-11-21"]),
        ("10 or 11 December", FRIDAY, "2026-12-10", ["2026-12-11"]),
    ],
)
def test_what_can_be_read_in_several_ways_tells_the_others(
    said: str, today: date, day: str, others: list[str]
) -> None:
    mention = read(said, today)
    assert mention.start == date.fromisoformat(day)
    assert [other.isoformat() for other in mention.others] == others


@pytest.mark.parametrize(
    "said",
    [
        "returning on the 14th",
        "back on the 14th",
        "until the 14th",
        "return on the 14th",
        "with a return on the 14th",
    ],
)
def test_return_lies_behind_the_departure_known_before(said: str) -> None:
    mention = read(said, after=date(2027, 1, 20))
    assert (mention.role, mention.start, mention.end) == ("return", None, date(2027, 2, 14))


def test_return_lies_behind_the_departure_named_after_it() -> None:
    back, out = find_dates(Text("returning on the 14th, leaving on 20 December"), today=FRIDAY)
    assert (out.start, back.end) == (date(2026, 12, 20), date(2027, 1, 14))


@pytest.mark.parametrize(
    "said",
    [
        "I may go 2 times",
        "may I ask",
        "on the 5th floor",
        "5th avenue",
        "at 10 am",
        "24/7",
        "under 150 a night",
        "the first flight",
        "2 to 4 people",
        "flight 815",
        "2026",
        "a second opinion",
        "march of the penguins",
        "in 99999999 days",
    ],
)
def test_words_without_a_date_are_left_alone(said: str) -> None:
    assert find_dates(Text(said), today=FRIDAY) == ()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("31 April", "no_such_day"),
        ("30 February 2027", "no_such_day"),
        ("31/2/2027", "no_such_day"),
        ("the fifth Friday of December", "no_such_day"),
        ("3 May 2020", "day_has_passed"),
        ("from 1 to 5 November 2026", "day_has_passed"),
        ("from 17 May to 3 May", "ends_before_it_begins"),
        ("from 17 May to 3 May 2027", "ends_before_it_begins"),
    ],
)
def test_day_that_cannot_be_meant_is_refused(said: str, reason: str) -> None:
    mention = read(said)
    assert mention.refused == reason
    assert mention.start is None or mention.approximate


def test_day_that_its_month_does_not_have_leaves_the_month() -> None:
    mention = read("31 February")
    assert (mention.start, mention.end, mention.approximate) == (date(2027, 2, 1), date(2027, 2, 28), True)


@pytest.mark.parametrize(("near", "day"), [(None, "2026-11-25"), ("2027-01-08", "2027-01-25")])
def test_bare_day_lies_in_the_month_spoken_of_before(near: str | None, day: str) -> None:
    known = date.fromisoformat(near) if near else None
    (mention,) = find_dates(Text("the 25th"), today=FRIDAY, near=known)
    assert mention.start == date.fromisoformat(day)


@pytest.mark.parametrize("said", ["returning 3 December", "back on 3 December 2026"])
def test_return_before_the_departure_does_not_roll_on_for_a_year(said: str) -> None:
    assert read(said, after=date(2026, 12, 10)).refused == "ends_before_it_begins"
    assert read(said).end == date(2026, 12, 3)


def test_day_of_a_return_is_a_return() -> None:
    mention = read("flights with a March 8th return", after=date(2027, 3, 1))
    assert (mention.role, mention.end) == ("return", date(2027, 3, 8))


def test_return_in_the_next_year_rolls_forward() -> None:
    assert read("returning 3 January", after=date(2026, 12, 20)).end == date(2027, 1, 3)


@pytest.mark.parametrize(
    ("said", "role", "day"),
    [
        ("on the 5th, no, the 6th", "", "2026-12-06"),
        ("leaving on Monday - sorry, Tuesday", "departure", "2026-11-24"),
        ("back on 3 May, I mean 4 May", "return", "2027-05-04"),
    ],
)
def test_day_that_is_taken_back_is_left_out(said: str, role: str, day: str) -> None:
    mention = read(said)
    assert (mention.role, mention.end if role == "return" else mention.start) == (
        role,
        date.fromisoformat(day),
    )


@pytest.mark.parametrize(
    ("year", "day"), [(1961, "04-02"), (2024, "03-31"), (2038, "04-25"), (2285, "03-22")]
)
def test_easter_is_when_the_tables_have_it(year: int, day: str) -> None:
    assert easter(year) == date.fromisoformat(f"{year}-{day}")


@given(st.integers(1583, 9000))
def test_easter_is_a_sunday_between_22_march_and_25_april(year: int) -> None:
    day = easter(year)
    assert day.weekday() == 6
    assert date(year, 3, 22) <= day <= date(year, 4, 25)


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(1, 12), st.integers(1, 28))
def test_day_and_month_never_lie_behind_and_never_more_than_a_year_ahead(
    today: date, month: int, day: int
) -> None:
    name = date(2000, month, 1).strftime("%B")
    start = read(f"{day} {name}", today).start
    assert start is not None
    assert (start.month, start.day) == (month, day)
    assert 0 <= (start - today).days <= 366


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(0, 6))
def test_weekday_is_one_of_the_next_seven_days(today: date, weekday: int) -> None:
    name = date(2024, 1, 1 + weekday).strftime("%A")
    start = read(f"on {name}", today).start
    assert start is not None
    assert start.weekday() == weekday
    assert 1 <= (start - today).days <= 7
