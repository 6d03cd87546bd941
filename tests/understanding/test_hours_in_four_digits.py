"""Hours as timetables write them ("0700", "after 1800"), and parts of a day behind the day."""

from datetime import time

import pytest

from tests.understanding.conversation import flight, told

ROUTE = "flights london to rome"


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        (
            "friday 0700ish, back same day after 1800",
            {"departs_after": time(6), "departs_before": time(8), "returns_after": time(18)},
        ),
        ("tmrw 0830", {"departs_after": time(7, 30), "departs_before": time(9, 30)}),
        ("friday, out 1015ish", {"departs_after": time(9, 15), "departs_before": time(11, 15)}),
        ("friday, back sunday before 2030", {"returns_before": time(20, 30)}),
        ("friday, returning sunday after 1730hrs", {"returns_after": time(17, 30)}),
        ("friday, home sunday from 1600", {"returns_after": time(16)}),
        ("3 dec, arrive by 1200", {"arrives_before": time(12)}),
        ("3 dec, leaving after 1430", {"departs_after": time(14, 30)}),
    ],
)
def test_four_digits_are_an_hour_beside_a_flight(said: str, hours: dict[str, time]) -> None:
    understood = told(f"{ROUTE} {said}")
    assert {name: value for name, value in flight(understood).items() if isinstance(value, time)} == hours
    assert understood.refused == ()


@pytest.mark.parametrize("said", ["under 1800", "max 1200 euros", "budget 0900 euros each"])
def test_amount_of_four_digits_is_no_hour(said: str) -> None:
    understood = told(f"{ROUTE} 3 dec {said}")
    assert not any(isinstance(value, time) for value in flight(understood).values())


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("3 dec, back wed, late afternoon", {"returns_after": time(15), "returns_before": time(18)}),
        ("3 dec back wed late afternoon", {"returns_after": time(15), "returns_before": time(18)}),
        ("on Friday, late evening", {"departs_after": time(20)}),
        ("on fri early morning", {"departs_after": time(5), "departs_before": time(9)}),
    ],
)
def test_part_of_a_day_behind_its_day_is_told_of_that_way(said: str, hours: dict[str, time]) -> None:
    understood = told(f"{ROUTE} {said}")
    assert {name: value for name, value in flight(understood).items() if isinstance(value, time)} == hours
    assert understood.refused == ()
