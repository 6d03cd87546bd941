"""Changes that are told against what is known: later, earlier, fewer stops, nicer."""

from datetime import date, time
from typing import Any

import pytest

from tests.understanding.conversation import told

RETURN = "flights from Berlin to Rome on 3 May, back on 8 May"
STAY = "hotels in Rome from 3 May"


@pytest.mark.parametrize(
    ("said", "held"),
    [
        (("a later flight back",), {"returns_after": time(12)}),
        (("fly back later please",), {"returns_after": time(12)}),
        (("an earlier return",), {"returns_before": time(12)}),
        (("back in the evening", "a later flight back"), {"returns_after": time(19)}),
        (("fly back after 3 pm", "a later flight back"), {"returns_after": time(16)}),
        (("an earlier flight please",), {"departs_before": time(12)}),
        (("leave earlier", "leave earlier"), {"departs_before": time(11)}),
        (("in the morning", "a later flight"), {"departs_after": time(12)}),
        (("arrive earlier",), {"arrives_before": time(12)}),
        (("fewer stops",), {"max_stops": 1}),
        (("fewer stops", "fewer stops"), {"max_stops": 0}),
        (("nonstop", "fewer stops"), {"max_stops": 0}),
    ],
)
def test_flights_are_changed_against_what_is_known(said: tuple[str, ...], held: dict[str, Any]) -> None:
    flight = told(RETURN, *said).flight
    names = (*(f"{what}_{end}" for what in ("departs", "arrives", "returns") for end in ("after", "before")),)
    found = {name: getattr(flight, name) for name in (*names, "max_stops")}
    assert {name: value for name, value in found.items() if value is not None} == held
    assert (flight.departure_date, flight.return_date) == (date(2027, 5, 3), date(2027, 5, 8))


@pytest.mark.parametrize(
    ("said", "stars"),
    [
        (("something nicer",), 4),
        (("at least 3 stars", "something nicer"), 4),
        (("something nicer", "even something nicer"), 5),
        (("5 stars", "a nicer one"), 5),
    ],
)
def test_hotels_are_changed_against_what_is_known(said: tuple[str, ...], stars: int) -> None:
    assert told(STAY, *said).hotel.stars == stars


@pytest.mark.parametrize(
    "said", ["a day later", "two hours later", "later", "see you later", "back later than planned?", "sooner"]
)
def test_what_moves_days_or_nothing_sets_no_hour(said: str) -> None:
    flight = told(RETURN, said).flight
    assert (flight.departs_after, flight.departs_before, flight.returns_after) == (None, None, None)
