"""Ranges of days as people write them, on Friday 20 November 2026."""

from datetime import date

import pytest

from tests.understanding.conversation import told


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
