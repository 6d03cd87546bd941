"""Goals that are left open, and words that only sound like one."""

from datetime import date
from functools import partial

import pytest

from tests.understanding.conversation import told

in_turn = partial(told, today=date(2026, 11, 22))


@pytest.mark.parametrize(
    "message",
    [
        "somewhere warm in January under 300, from Cologne",
        "anywhere warm in january from cologne under 300",
        "from Cologne to somewhere sunny in January, max 300",
        "where can I fly from Cologne for under 300 in january?",
        "surprise me, from Cologne in January, up to 300 euros",
        "a warm place in January from Cologne under 300 please",
    ],
)
def test_open_goal_is_a_wish_to_fly(message: str) -> None:
    after = in_turn(message)
    assert after.agents == ("flight",)
    assert after.flight.origin is not None
    assert after.flight.origin.city.name == "Cologne"
    assert after.flight.destination is None
    assert after.period is not None
    assert (after.period.start, after.period.end) == (date(2027, 1, 1), date(2027, 1, 31))
    assert after.flight.max_price is not None
    assert after.flight.max_price.amount == 300


def test_what_was_told_before_a_place_is_picked_is_kept() -> None:
    after = in_turn(
        "somewhere warm in January under 300, from Cologne", "ok Gran Canaria then", "second week, any day"
    )
    assert after.flight.origin is not None
    assert after.flight.destination is not None
    assert (after.flight.origin.city.name, after.flight.destination.city.name) == ("Cologne", "Gran Canaria")
    assert after.period is not None
    assert (after.period.start, after.period.end) == (date(2027, 1, 8), date(2027, 1, 14))


@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("the first week", (1, 7)), ("second week, any day", (8, 14)), ("third week please", (15, 21)),
        ("the last week", (25, 31)), ("week 2", None),
    ],
)  # fmt: skip
def test_week_of_the_month_told_before(message: str, days: tuple[int, int] | None) -> None:
    period = in_turn("flights from Berlin to Rome in January", message).period
    assert period is not None
    assert (period.start.day, period.end.day) == (days or (1, 31))


@pytest.mark.parametrize(
    "message",
    [
        "a hotel somewhere near the station in Rome", "is it warm anywhere", "somewhere else please",
        "a room somewhere quiet", "I have put it somewhere", "put me somewhere central",
    ],
)  # fmt: skip
def test_other_words_leave_no_goal_open(message: str) -> None:
    assert "flight" not in in_turn(message).agents


def test_during_a_search_for_a_hotel_somewhere_is_in_its_city() -> None:
    after = in_turn("hotel in Rome from 5 January", "somewhere warm with a pool")
    assert "flight" not in after.wanted
