"""What takes something away, and what moves nothing; `wishes.jsonl` has what else changes do."""

import pytest

from backend.travel.understanding.english.details.removals import find_removals
from backend.travel.understanding.english.details.shifts import find_shift
from backend.travel.understanding.english.language.sentences import is_waived, negation_before
from backend.travel.understanding.english.language.text import Text


@pytest.mark.parametrize(
    "said",
    [
        "cheaper options later",
        "the day after tomorrow",
        "3 days before Christmas",
        "two nights",
        "a later flight",
    ],
)
def test_what_tells_no_amount_or_a_day_of_its_own_moves_nothing(said: str) -> None:
    assert find_shift(Text(said)) is None


PRICES = {"flight.max_price", "flight.max_total", "hotel.max_price", "hotel.max_total", "car.max_price"}


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("forget the price limit", PRICES),
        ("price doesn't matter", PRICES),
        ("any airline is fine", {"flight.airline", "flight.airlines", "flight.not_airlines"}),
        ("not Lufthansa", {"flight.airline", "flight.airlines:Lufthansa"}),
        ("I'd rather not fly with easyJet", {"flight.airline", "flight.airlines:easyJet"}),
        ("cancel the return", {"flight.return_date"}),
        ("without the return flight", {"flight.return_date"}),
        ("make it one way", {"flight.return_date"}),
        ("it doesn't have to be direct", {"flight.max_stops"}),
        ("not business class", {"flight.cabin_class"}),
        ("the star rating is not important", {"hotel.stars"}),
        ("never mind the 4 stars", {"hotel.stars"}),
        ("I don't mind stops", {"flight.max_stops"}),
        ("any area", {"hotel.district"}),
        ("no pool", {"hotel.amenities:pool"}),
        ("no return flights?", {"flight.return_date"}),
        ("any return flights?", set()),
        ("no more than 200 euros", set()),
        ("not one way", set()),
        ("14th not 4th", set()),
    ],
)
def test_removed_value_empties_its_slots(said: str, slots: set[str]) -> None:
    assert {slot for removal in find_removals(Text(said)) for slot in removal.slots} == slots


def test_negation_reaches_no_further_than_what_lets_it_through() -> None:
    assert negation_before(Text("I can't leave before 9"), 3) == 1
    assert negation_before(Text("no Ryanair flight before 9"), 3) == -1
    assert not is_waived(Text("I can't leave before 9"), 3)
    assert is_waived(Text("I don't mind leaving before 9"), 4)
