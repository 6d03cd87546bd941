"""Days of any year; what single messages say of days stands in `cases`."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.understanding.english.dates.dates import find_dates
from backend.travel.understanding.english.dates.days import easter
from backend.travel.understanding.english.language.text import Text


def first_day(said: str, today: date) -> date:
    (mention,) = find_dates(Text(said), today=today)
    assert mention.start
    return mention.start


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
    start = first_day(f"{day} {date(2000, month, 1):%B}", today)
    assert (start.month, start.day) == (month, day)
    assert 0 <= (start - today).days <= 366


@given(st.dates(date(2000, 1, 1), date(2100, 1, 1)), st.integers(0, 6))
def test_weekday_is_one_of_the_next_seven_days(today: date, weekday: int) -> None:
    start = first_day(f"on {date(2024, 1, 1 + weekday):%A}", today)
    assert start.weekday() == weekday
    assert 1 <= (start - today).days <= 7
