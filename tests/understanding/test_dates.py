"""Days, ranges of days and lengths of stays as people write them."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.understanding.english.dates.dates import DateMention, find_dates
from backend.travel.understanding.english.dates.days import easter
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.wording import refusals
from tests.understanding.conversation import flight, told

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


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("3rd-22nd", date(2026, 12, 3), date(2026, 12, 22)),
        ("from the 7th to the 15th of next month", date(2026, 12, 7), date(2026, 12, 15)),
        ("the 5th-26th of the following month please", date(2026, 12, 5), date(2026, 12, 26)),
        ("from 2 to 23", date(2026, 12, 2), date(2026, 12, 23)),
        ("28th to 3rd", date(2026, 11, 28), date(2026, 12, 3)),
        ("5/8-5/19", date(2027, 5, 8), date(2027, 5, 19)),
        ("from 5/4 to 5/8", date(2027, 5, 4), date(2027, 5, 8)),
        ("arriving on 3 May and leaving on the 7th", date(2027, 5, 3), date(2027, 5, 7)),
        ("leaving on 7 May, arriving on 3 May", date(2027, 5, 3), date(2027, 5, 7)),
    ],
)
def test_range_of_days_may_leave_its_month_open(said: str, start: date, end: date) -> None:
    understood = told("a hotel in Rome", said)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (start, end)


@pytest.mark.parametrize(
    "said", ["from 2 to 4 people", "between 9 and 5 pm", "2-3 rooms", "from 2 to 3 stars"]
)
def test_two_numbers_that_count_something_are_no_range_of_days(said: str) -> None:
    assert told("a hotel in Rome", said).hotel.check_in is None


def test_nights_and_days_that_agree_are_both_kept() -> None:
    understood = told("a hotel in Rome, 3 nights, from 3 to 6 May")
    assert (understood.hotel.nights, understood.hotel.check_out) == (3, date(2027, 5, 6))
    longer = told("a hotel in Rome, 3 nights, from 3 to 6 May", "make it 5 nights")
    assert (longer.hotel.nights, longer.hotel.check_out) == (5, None)


def test_following_month_is_the_one_after_the_month_spoken_of() -> None:
    stay = told("a hotel in Rome from 11 to 26 May", "make it the 6th-30th of the following month").hotel
    assert (stay.check_in, stay.check_out) == (date(2027, 6, 6), date(2027, 6, 30))


TODAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    ("said", "saturday", "other"),
    [
        ("in three weeks for the weekend", "2026-12-12", "2026-12-19"),
        ("in three weeks over the weekend", "2026-12-12", "2026-12-19"),
        ("in 3 weeks for a weekend", "2026-12-12", "2026-12-19"),
        ("the weekend in three weeks", "2026-12-12", "2026-12-19"),
        ("in 2 weeks, just the weekend", "2026-12-05", "2026-12-12"),
        ("in two weeks at the weekend", "2026-12-05", "2026-12-12"),
        ("in a week for the weekend", "2026-11-28", "2026-12-05"),
        ("the weekend after next", "2026-12-12", "2026-12-05"),
    ],
)
def test_weekend_some_weeks_ahead_is_saturday_to_sunday(said: str, saturday: str, other: str) -> None:
    understood = told(f"hotel in Turin {said}", today=TODAY)
    first = date.fromisoformat(saturday)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (
        first,
        first.replace(day=first.day + 1),
    )
    assert [one.others for one in understood.alternatives] == [(other,)]


@pytest.mark.parametrize(
    ("said", "check_in", "check_out"),
    [
        ("in three weeks", date(2026, 12, 14), None),
        ("in three weeks, not the weekend", date(2026, 12, 14), None),
        ("in 4 days for the weekend", date(2026, 11, 27), date(2026, 11, 29)),
        ("this weekend", date(2026, 11, 28), date(2026, 11, 29)),
        ("in two weeks for a week", date(2026, 12, 7), date(2026, 12, 14)),
    ],
)
def test_other_days_ahead_stay_what_they_are(said: str, check_in: date, check_out: date | None) -> None:
    understood = told(f"flights and hotel in Turin from Rome {said}", today=TODAY)
    assert (understood.flight.departure_date, understood.flight.return_date) == (check_in, check_out)


THREE_WEEKS = "flights from Oslo to Bangkok 10 January to 31 January"


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("three weeks is too long, make it two", 24),
        ("three weeks is too long, make it two please", 24),
        ("3 weeks are too long, make that 2", 24),
        ("three weeks is too much, make it one", 17),
        ("21 days is too long, make it 14", 24),
        ("21 nights is a bit too long, make it 10 instead", 20),
        ("three weeks seems too long. make it two", 24),
        ("three weeks is far too long, just two", 24),
    ],
)
def test_number_is_one_of_the_unit_before(said: str, back: int) -> None:
    flight = told(THREE_WEEKS, said, today=TODAY).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, 1, 10), date(2027, 1, back))
    assert flight.passengers is None


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("make it two people", 2),
        ("make it 2 adults", 2),
        ("three weeks is too long", None),
        ("three weeks is fine", None),
        ("2 nights is too short", None),
        ("the layover is too long", None),
    ],
)
def test_other_numbers_are_no_length(said: str, people: int | None) -> None:
    flight = told(THREE_WEEKS, said, today=TODAY).flight
    assert (flight.return_date, flight.passengers) == (date(2027, 1, 31), people)


FLIGHT = "flight London to Geneva 5 dec back 12 dec"


@pytest.mark.parametrize(
    ("said", "nights"),
    [
        ("hotel only for the last night", 1),
        ("the last night in Geneva please", 1),
        ("hotel for the final 3 nights pls", 3),
        ("only need somewhere to sleep the last two nights", 2),
        ("hotel just for the last 2 nights", 2),
    ],
)
def test_last_nights_are_those_before_the_flight_back(said: str, nights: int) -> None:
    understood = told(FLIGHT, said)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (
        date(2026, 12, 12 - nights),
        date(2026, 12, 12),
    )
    assert (understood.flight, understood.refused) == (told(FLIGHT).flight, ())


def test_last_night_may_be_told_in_the_opening_message() -> None:
    understood = told("flying madrid to athens 2-10 march, hotel only for the last night")
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2027, 3, 9), date(2027, 3, 10))


def test_last_night_is_yesterdays() -> None:
    assert told(FLIGHT, "i slept badly last night").agents == ()


@pytest.mark.parametrize(
    ("said", "origin", "left_out"),
    [
        ("we are 3 from Berlin and 2 from Munich, all to Lisbon 5 to 9 march", "Berlin", "2 from Munich"),
        ("flights to Lisbon 5-9 march, me from Berlin and my friend from Hamburg", "Berlin",
         "my friend from Hamburg"),
        ("flights to Lisbon 5-9 march from Berlin, my sister flies from Oslo", "Berlin",
         "my sister flies from Oslo"),
        ("flights to Lisbon 5-9 march, two people from London, one from Paris", "London", "one from Paris"),
    ],
)  # fmt: skip
def test_those_who_start_elsewhere_are_told_to_be_left_out(said: str, origin: str, left_out: str) -> None:
    understood = told(said)
    assert flight(understood)["origin"] == origin
    assert f'"{left_out}" changed nothing' in refusals(understood)


def test_traveller_from_elsewhere_changes_no_flight_of_the_others() -> None:
    before = "flights London to Rome 5-12 dec for 4"
    understood = told(before, "my brother joins from Dublin on the 7th")
    assert understood.flight == told(before).flight
    assert '"my brother joins from Dublin on the 7th" changed nothing' in refusals(understood)


@pytest.mark.parametrize(
    "said",
    ["flights from Berlin or Hamburg to Lisbon 5-9 march", "flight from Berlin, no from Hamburg, to Lisbon",
     "flights from Berlin to Rome 3 may and from Rome to Athens 7 may"],
)  # fmt: skip
def test_choice_a_correction_and_a_further_leg_leave_nobody_out(said: str) -> None:
    assert "changed nothing" not in refusals(told(said))


WAY = "flights Berlin to Rome on 10 May"
STAY = "hotel in Edinburgh 8-11 August"


def days(*messages: str) -> tuple[str, str]:
    understood = told(*messages)
    of_stay = understood.wanted == ("hotel",)
    first = understood.hotel.check_in if of_stay else understood.flight.departure_date
    last = understood.hotel.check_out if of_stay else understood.flight.return_date
    return shown(first), shown(last)


def shown(day: date | None) -> str:
    return f"{day.day}.{day.month}" if day else ""


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("I search a flight from Graz to Bonn for the 3. of May, return on the 10. of May", "3.5", "10.5"),
        ("flight Berlin to Rome on 3. May, back 10. May", "3.5", "10.5"),
        ("flight Berlin to Rome 3. to 10. May", "3.5", "10.5"),
        ("flight Berlin to Rome 3.-10. May", "3.5", "10.5"),
        ("flight Berlin to Rome on the 3. May", "3.5", ""),
        ("flight Berlin to Rome on 3.May", "3.5", ""),
        ("flight Berlin to Rome the 3.5.", "3.5", ""),
        ("flight Berlin to Rome on May 3., return May 10.", "3.5", "10.5"),
        ("a hotel in Rome from the 3. till the 10. of May", "3.5", "10.5"),
        ("i want go Madrid from Warsaw the 10 of december and i come back the 14", "10.12", "14.12"),
        ("flights oslo to rome 4 may and i return the 9", "4.5", "9.5"),
        ("flights oslo to rome 4 may and i come home the 9", "4.5", "9.5"),
        ("flights oslo to rome 4 may, coming back on 9", "4.5", "9.5"),
        ("oslo to rome 12 feb, back 16", "12.2", "16.2"),
        ("oslo to rome 12 feb, return 16, 2 adults", "12.2", "16.2"),
        ("oslo to rome 12 feb, home the 9", "12.2", "9.3"),
        ("flights oslo to rome 4 may, back the week after", "4.5", "11.5"),
        ("flights oslo to rome 4 may, returning the following week", "4.5", "11.5"),
        ("flights oslo to rome 4 may, 1 week", "4.5", "11.5"),
        ("Heathrow to Antalya 6 may, two weeks, 2 adults", "6.5", "20.5"),
        ("need a flight vienna to porto friday after 5pm, home sunday night", "27.11", "29.11"),
        ("need to get from Graz to Berlin Tuesday for a meeting weds 9am, home weds night", "24.11", "25.11"),
    ],
)  # fmt: skip
def test_days_of_an_opening_message(message: str, first: str, last: str) -> None:
    assert days(message) == (first, last)


@pytest.mark.parametrize(
    ("before", "said", "first", "last"),
    [
        (WAY, "i come back the 14", "10.5", "14.5"),
        (WAY, "return on 14 please", "10.5", "14.5"),
        (WAY, "coming back 14", "10.5", "14.5"),
        (f"{WAY} to 14 May", "back the 16", "10.5", "16.5"),
        (STAY, "ok then try 9-11 instead", "9.8", "11.8"),
        (STAY, "sorry 9-11", "9.8", "11.8"),
        (STAY, "9 to 12", "9.8", "12.8"),
        (STAY, "make it 9-11 please", "9.8", "11.8"),
        (STAY, "until 14", "8.8", "14.8"),
        (STAY, "leave one day sooner", "8.8", "10.8"),
        (STAY, "can we leave a day earlier", "8.8", "10.8"),
        (STAY, "arrive a day earlier", "7.8", "11.8"),
        (f"{WAY} to 14 May", "leave a day earlier", "9.5", "14.5"),
        (f"{WAY} to 14 May", "meeting got pushed so shift everything a day", "11.5", "15.5"),
        (f"{WAY} to 14 May", "shift it all by two days", "12.5", "16.5"),
        (f"{WAY} to 14 May", "push everything back a week", "17.5", "21.5"),
        (f"{WAY} to 14 May", "bring it forward by a day", "9.5", "13.5"),
        ("flights Berlin to Rome in June", "the second weekend then", "12.6", "13.6"),
        ("flights Berlin to Rome in June", "first weekend", "5.6", "6.6"),
    ],
)
def test_days_that_change(before: str, said: str, first: str, last: str) -> None:
    assert days(before, said) == (first, last)


@pytest.mark.parametrize(
    "said",
    [
        "back 9.20", "back at 9", "back by 9", "return the 9 o'clock one", "leave 9-11 in the morning",
        "9-11 am", "2-3 rooms", "4-5 stars", "back 300", "the 2 of us", "I need 2. May I bring a dog?",
        "return 2 tickets", "hotel 10-15 minutes from the centre", "room 16", "9", "11-9",
    ],
)  # fmt: skip
def test_numbers_that_are_hours_counts_or_prices_move_no_day(said: str) -> None:
    assert days(f"{WAY} to 14 May", said) == ("10.5", "14.5")


@pytest.mark.parametrize("said", ["2-3", "hotel 4-5", "9-11"])
def test_two_numbers_alone_are_no_days_where_no_days_were_spoken_of(said: str) -> None:
    assert days("flights from Berlin to Rome", said) == ("", "")


@pytest.mark.parametrize("said", ["second weekend", "the first weekend please"])
def test_weekend_is_counted_only_in_a_month_that_was_told(said: str) -> None:
    assert days("flights from Berlin to Rome", said) == ("", "")


def test_what_is_on_in_the_evening_is_no_day_of_the_stay() -> None:
    understood = told(
        "I need a flight from Dallas to Chicago on May 2nd, a hotel for 2 nights with a gym, "
        "oh and is there anything fun to do on Saturday night?"
    )
    assert understood.hotel.check_in == date(2027, 5, 2)
    assert [one.said for one in understood.refused] == ["sights and things to do"]


@pytest.mark.parametrize("said", ["looking for a meeting in Rome", "tickets for a concert in Rome"])
def test_occasion_that_is_looked_for_is_still_none_of_ours(said: str) -> None:
    assert told(said).agents == ()


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("LHR-LIS fri 11 dec, back mon 14", "11.12", "14.12"),
        ("LHR-LIS fri 11 dec, back mon 14, 2 people", "11.12", "14.12"),
        ("flights from Rome to Oslo wed 9 - sat 12 dec", "9.12", "12.12"),
        ("flights Rome Oslo fri 4 to mon 7", "4.12", "7.12"),
        ("berlin to paris thu 11 back sun 14 feb", "11.2", "14.2"),
        ("hotel Rome fri 4-sun 6", "4.12", "6.12"),
        ("flights from Rome to Oslo on sat 2 people", "21.11", ""),
        ("flights from Rome to Oslo on wed 9:20", "25.11", ""),
    ],
)
def test_number_behind_a_weekday_is_the_day_in_the_first_month_that_has_it_on_that_weekday(
    message: str, first: str, last: str
) -> None:
    assert days(message) == (first, last)
    assert told(message).unused == ()
