"""What the page says of rental cars changes just what was clicked, whatever was said before."""

from decimal import Decimal
from typing import Any

import pytest

from backend.travel.understanding.dialogue.slots import held_in
from backend.travel.understanding.result import ShownRental, Understanding
from backend.travel.values.travel import Money
from tests.frontend.saying import said
from tests.understanding.conversation import told

TRIP = "flights and hotels, Berlin to Palermo, 10 March to 15 March"
SITUATIONS = {
    "a car alone": ["a rental car in Palermo from 10 to 15 March"],
    "a car beside the trip": [TRIP, "and a car"],
    "a car with limits": [TRIP, "and a small manual car at the airport under 90 EUR a day"],
    "after small talk": [TRIP, "and a car", "thanks!"],
    "after a change": [TRIP, "and a car", "nonstop only"],
    "after a booking": [TRIP, "and a car", "book the cheapest hotel"],
}
LIMIT = {"amount": "45", "currency": "EUR"}
CHANGES: tuple[tuple[str, list[Any], str, Any], ...] = (
    *(
        ("carClass", [kind], "car_class", kind)
        for kind in ("small", "compact", "estate", "suv", "convertible")
    ),
    ("carClass", ["van"], "car_class", "van"),
    ("carClass", [""], "car_class", None),
    ("transmission", ["automatic"], "transmission", "automatic"),
    ("transmission", ["manual"], "transmission", "manual"),
    ("transmission", [""], "transmission", None),
    ("station", ["airport"], "station", "airport"),
    ("station", ["centre"], "station", "centre"),
    ("station", [""], "station", None),
    ("carBudget", [LIMIT], "max_price", Money(amount=Decimal(45))),
    ("carBudget", [None], "max_price", None),
    ("pickUp", ["2027-03-11"], "pick_up", "2027-03-11"),
    ("dropOff", ["2027-03-14"], "drop_off", "2027-03-14"),
    ("carCity", ["Catania"], "city", "Catania"),
)
SENTENCES = dict(
    zip(range(len(CHANGES)), said([(name, given) for name, given, _, _ in CHANGES]), strict=True)
)
OFFER = {
    "model": "Finch",
    "supplier": "Kestrel Demo",
    "transmission": "automatic",
    "station": "airport",
    "pick_up": "2027-03-10",
    "drop_off": "2027-03-15",
}


def _plain(value: Any) -> Any:
    if hasattr(value, "city"):
        return value.city.name
    return value.isoformat() if hasattr(value, "isoformat") else value


def _car(understood: Understanding) -> dict[str, Any]:
    return {field: _plain(getattr(understood.car, field)) for field in understood.car.__slots__}


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
@pytest.mark.parametrize("at", SENTENCES, ids=lambda at: SENTENCES[at])
def test_click_changes_just_that_of_the_car(situation: list[str], at: int) -> None:
    _, _, field, value = CHANGES[at]
    before, after = told(*situation), told(*situation, SENTENCES[at])
    assert _car(after) == {**_car(before), field: value}
    assert (after.flight, after.hotel, after.wanted) == (before.flight, before.hotel, before.wanted)
    assert (after.agents, after.booking, after.refused) == (("car",), None, ())


@pytest.mark.parametrize("situation", SITUATIONS.values(), ids=SITUATIONS)
def test_click_on_book_names_the_very_car(situation: list[str]) -> None:
    [sentence] = said([("bookCar", [OFFER])])
    before, after = told(*situation), told(*situation, sentence)
    assert after.booking
    assert isinstance(after.booking.shown, ShownRental)
    shown = {field: _plain(getattr(after.booking.shown, field)) for field in after.booking.shown.__slots__}
    assert shown.pop("car") == f"{OFFER['model']}, {OFFER['supplier']}"
    assert shown == {field: OFFER[field] for field in shown}
    assert held_in(after).by_agent == held_in(before).by_agent
    assert after.agents == ("car",)
