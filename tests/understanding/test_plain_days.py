"""Days told by a number alone, or by an ordinal with a point, and what is no day though it looks like one."""

from datetime import date

import pytest

from tests.understanding.conversation import told

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
