"""Days that are told by other days, by how long a journey is, or in haste."""

from datetime import date

import pytest

from backend.travel.understanding.result import FlightSlots
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import hotel, told

TODAY = date(2026, 11, 22)  # a Sunday


def in_turn(*messages: str) -> FlightSlots:
    return told(*messages, today=TODAY).flight


def day(spelled: str) -> date | None:
    return date.fromisoformat(spelled) if spelled else None


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("Berlin to Rome on 11 December for the weekend", "2026-12-11", "2026-12-13"),
        ("Berlin to Rome on Friday over the weekend", "2026-11-27", "2026-11-29"),
        ("Berlin to Rome on 5 January, back a week later", "2027-01-05", "2027-01-12"),
        ("Berlin to Rome on 5 January and return two weeks later", "2027-01-05", "2027-01-19"),
        ("Berlin to Rome on 5 January, back the Sunday after", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome on 5 January, back the following Sunday", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome on 5 January for a month", "2027-01-05", "2027-02-05"),
        ("Berlin to Rome for two months from 5 January", "2027-01-05", "2027-03-05"),
        ("Berlin to Rome on 5 January for about ten days", "2027-01-05", "2027-01-15"),
        ("Berlin to Rome around the 9th of January for roughly 5 days", "2027-01-09", "2027-01-14"),
        ("Berlin to Rome 5 January five days", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome 12/12 - 15/12", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome 12.12.-15.12.", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome 12.12. - 15.12.", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome from 9 to 15 jan", "2027-01-09", "2027-01-15"),
        ("Berlin to Rome for New Year's, 30 december to 2 january", "2026-12-30", "2027-01-02"),
        ("Berlin to Rome over Christmas, 23 to 27 December", "2026-12-23", "2026-12-27"),
        ("Berlin to Rome on the first of december until the third", "2026-12-01", "2026-12-03"),
        ("Berlin to Rome on Friday 12 December", "2026-12-12", ""),
        ("Berlin to Rome asap", "2026-11-22", ""),
        ("I need to fly from Berlin to Rome as soon as possible", "2026-11-22", ""),
        ("Berlin to Rome nxt fri", "2026-11-27", ""),
        ("Berlin to Rome on wendsday", "2026-11-25", ""),
        ("Berlin to Rome tmrw", "2026-11-23", ""),
        ("Berlin to Rome on 5 January, the day before please", "2027-01-04", ""),
        ("i must be in Rome on 5 January so i fly the evening before from Berlin", "2027-01-04", ""),
        ("fly from Berlin to Rome on the second of december and come back on the fourth after five pm",
         "2026-12-02", "2026-12-04"),
    ],
)  # fmt: skip
def test_first_and_last_day_of_a_flight(message: str, start: str, end: str) -> None:
    flight = understand(message, previous=None, today=TODAY).flight
    assert (flight.departure_date, flight.return_date) == (day(start), day(end))


@pytest.mark.parametrize(
    ("message", "check_in", "last"),
    [
        ("hotel in Lisbon for a month from 1 February", "2027-02-01", "2027-03-01"),
        ("hotel in Rome from 5 January, a week or so", "2027-01-05", "2027-01-12"),
        ("hotel in Rome 2 wks from 5 jan", "2027-01-05", "2027-01-19"),
        ("hotel in Rome on 11 December for the weekend", "2026-12-11", "2026-12-13"),
        ("hotel in Rome 5 January for around 5 nights", "2027-01-05", "2027-01-10"),
    ],
)
def test_first_and_last_day_of_a_stay(message: str, check_in: str, last: str) -> None:
    hotel = understand(message, previous=None, today=TODAY).hotel
    assert (hotel.check_in, hotel.last_day) == (day(check_in), day(last))


@pytest.mark.parametrize(
    ("messages", "start", "end"),
    [
        (["and home the Sunday after that"], "2026-12-01", "2026-12-06"),
        (["coming back two weeks later"], "2026-12-01", "2026-12-15"),
        (["return 3 days later"], "2026-12-01", "2026-12-04"),
        (["coming back a month later"], "2026-12-01", "2027-01-01"),
        (["back on the 6th", "one day earlier there"], "2026-11-30", "2026-12-06"),
        (["a week later"], "2026-12-08", None),
        (["the Sunday after that"], "2026-12-06", None),
        (["no sry on wendsday"], "2026-11-25", None),
        (["one more night"], "2026-12-01", None),
        (["stay a night longer"], "2026-12-01", None),
    ],
)
def test_days_told_from_those_before(messages: list[str], start: str, end: str | None) -> None:
    flight = in_turn("flights from Zurich to Lisbon on 1 December", *messages)
    assert (flight.departure_date, flight.return_date) == (day(start), day(end or ""))


@pytest.mark.parametrize("part", ["end of next week", "the end of next week", "late next week"])
def test_end_of_a_week_is_a_period_of_four_days(part: str) -> None:
    period = understand(f"Berlin to Rome {part}", previous=None, today=TODAY).period
    assert period is not None
    assert (period.start, period.end) == (date(2026, 11, 26), date(2026, 11, 29))


def test_weekday_that_the_day_is_not_is_told_as_another_reading() -> None:
    understood = understand("Berlin to Rome on Friday 12 December", previous=None, today=TODAY)
    (other,) = understood.alternatives
    assert (other.taken, other.others) == ("2026-12-12", ("2026-12-11",))
    assert understand("Berlin to Rome, Sat 12 December", previous=None, today=TODAY).alternatives == ()


@pytest.mark.parametrize(
    "message",
    [
        "can somebody clean my room asap", "let me know asap", "please answer as soon as possible",
        "rated 8.5. or better", "for the month", "on the second floor", "my third trip",
        "it is after all the best",
        "later please", "the first one", "maybe in a later life",
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_day_moves_none(message: str) -> None:
    flight = in_turn("flights from Zurich to Lisbon on 1 December", message)
    assert (flight.departure_date, flight.return_date) == (date(2026, 12, 1), None)


def test_departure_is_no_check_out() -> None:
    told = understand(
        "We're thinking the Maldives, leaving from Manchester around the 9th of January, for about ten days."
        " Somewhere really nice to stay, 5 stars",
        previous=None,
        today=TODAY,
    )
    assert told.agents == ("flight", "hotel")
    assert (told.hotel.check_in, told.hotel.last_day) == (date(2027, 1, 9), date(2027, 1, 19))
    assert (told.flight.departure_date, told.flight.return_date) == (date(2027, 1, 9), date(2027, 1, 19))


def test_leaving_a_hotel_is_its_check_out() -> None:
    hotel = understand("a hotel in Rome, leaving on the 9th of January", previous=None, today=TODAY).hotel
    assert (hotel.check_in, hotel.check_out) == (None, date(2027, 1, 9))


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("weekend after next", "2026-12-05", "2026-12-06"),
        ("weekend of 14 march", "2027-03-13", "2027-03-14"),
        ("easter weekend", "2027-03-26", "2027-03-29"),
        ("for the easter weekend", "2027-03-26", "2027-03-29"),
        ("valentine's weekend", "2027-02-13", "2027-02-14"),
        ("canadian thanksgiving", "2027-10-11", ""),
        ("canadian thanksgiving weekend", "2027-10-09", "2027-10-11"),
        ("thanksgiving", "2026-11-26", ""),
        ("may bank holiday weekend", "2027-05-01", "2027-05-03"),
        ("august bank holiday weekend", "2027-08-28", "2027-08-30"),
        ("sat to mon", "2026-11-28", "2026-11-30"),
        ("sat-sun", "2026-11-28", "2026-11-29"),
        ("fri-mon", "2026-11-27", "2026-11-30"),
        ("thursday to sunday", "2026-11-26", "2026-11-29"),
        ("31st", "2026-12-31", ""),
        ("the 3. of May", "2027-05-03", ""),
        ("5th thru 9th", "2026-12-05", "2026-12-09"),
        ("over new year", "2026-12-31", "2027-01-02"),
    ],
)
def test_spans_that_have_a_name_are_read(said: str, start: str, end: str) -> None:
    slots = in_turn(f"flights from London to Rome {said}")
    assert (slots.departure_date, slots.return_date) == (day(start), day(end))


@pytest.mark.parametrize(
    "said", ["3rd week of january", "the 3rd week of january", "the third week of january"]
)
def test_week_of_a_month_is_counted_in_figures_too(said: str) -> None:
    understood = told(f"flights from London to Rome {said}", today=TODAY)
    assert understood.flight.departure_date is None
    assert understood.period
    assert understood.period.start == date(2027, 1, 15)


def test_weekend_of_a_stay_is_that_of_the_journey() -> None:
    understood = told("flight from Berlin to Rome on 8 December", "and a hotel for the weekend", today=TODAY)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2026, 12, 12), date(2026, 12, 13))


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("this weekend instead", "2026-11-21", "2026-11-22"),
        ("thursday to sunday next week", "2026-11-26", "2026-11-29"),
        ("monday to wednesday next week", "2026-11-23", "2026-11-25"),
    ],
)
def test_days_told_from_today_are_the_coming_ones(said: str, start: str, end: str) -> None:
    slots = told("flight from Berlin to Rome on 11 December", said, today=date(2026, 11, 18)).flight
    assert (slots.departure_date, slots.return_date) == (day(start), day(end))


def test_day_to_leave_lies_in_the_month_that_was_told() -> None:
    slots = in_turn("flights from London to Rome in July, 2 weeks", "leave 4th")
    assert (slots.departure_date, slots.return_date) == (date(2027, 7, 4), date(2027, 7, 18))


@pytest.mark.parametrize(
    "said", ["I sat in the sun", "take the 2nd", "the 3rd hotel was nice", "what a weekend"]
)
def test_other_words_name_no_day(said: str) -> None:
    assert in_turn("flights from London to Rome on 5 May", said).departure_date == date(2027, 5, 5)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("4th Feb to 11th Feb and a hotel from the 6th to the 9th", ("2027-02-06", "2027-02-09")),
        ("4-11 february, hotel the 6th to the 9th only", ("2027-02-06", "2027-02-09")),
        ("28 feb - 10 march and hotel from the 5th to the 9th", ("2027-03-05", "2027-03-09")),
        ("28 feb return 10 march and hotel from the 5th to the 9th", ("2027-03-05", "2027-03-09")),
    ],
)
def test_days_behind_those_of_the_journey_are_some_of_them(said: str, days: tuple[str, str]) -> None:
    stay = hotel(told(f"flight Dublin - Rome {said}"))
    assert (str(stay["check_in"]), str(stay["check_out"])) == days


@pytest.mark.parametrize(
    ("opening", "said", "days"),
    [
        (
            "one week from saturday 6 february",
            "can we go on the monday instead",
            ("2027-02-08", "2027-02-15"),
        ),
        ("5 dec for a week", "make it the tuesday", ("2026-12-08", "2026-12-15")),
        ("5 dec for a week", "actually the 8th", ("2026-12-08", "2026-12-15")),
        ("5 dec for a week", "leave a day earlier", ("2026-12-04", "2026-12-12")),
        ("5 dec for a week", "actually the 8th, back on the 14th", ("2026-12-08", "2026-12-14")),
        ("sat 12 dec back sat 19 dec", "leave on monday instead", ("2026-12-14", "2026-12-19")),
    ],
)
def test_journey_stays_as_long_as_was_told_where_its_first_day_moves(
    opening: str, said: str, days: tuple[str, str]
) -> None:
    slots = told(f"flight Oslo to Rome {opening}", said).flight
    assert (str(slots.departure_date), str(slots.return_date)) == days


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("sunday instead", "2026-12-06"),
        ("make it thursday", "2026-12-03"),
        ("actually monday", "2026-12-07"),
        ("actually I have to be there by thursday", "2026-12-03"),
    ],
)
def test_weekday_to_which_a_day_is_moved_is_the_nearest_one(said: str, day: str) -> None:
    assert str(told("flight Oslo to Rome friday 4 dec", said).flight.departure_date) == day
