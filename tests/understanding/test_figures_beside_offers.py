"""Figures in messages about what was found: an offer's number is one that is told as a place in the list."""

from datetime import date

import pytest

from backend.travel.understanding.found import Which
from tests.understanding.conversation import told

pytestmark = pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")

CAR = "need an SUV in Denver 19 to 27 December"
TRIP = "4 of us Mumbai to Dubai 24-28 Dec, flights and a 4 star hotel"


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (CAR, "it has to be 4wd, we're going up into the mountains"),
        (CAR, "is it a 4x4?"),
        (CAR, "does it have 4wd?"),
        (CAR, "do any of these come as a 4-wheel drive?"),
        (TRIP + " and a rental car", "and with 4 do we still need the big car?"),
        (TRIP + " and a rental car", "with 5, is the small car enough?"),
        (TRIP, "what if 3* and we fly 26-30"),
        (TRIP, "how much is a 5* one?"),
        (TRIP, "what if 3 *"),
        (TRIP, "how about 26 - 30"),
        (TRIP, "is it ok for us with 6?"),
        (TRIP, "what about those with 1 stop"),
        (TRIP, "is the hotel more than €90?"),
    ],
)
def test_figure_that_counts_or_is_part_of_a_word_is_no_offers_number(before: str, said: str) -> None:
    question = told(before, said).question
    assert question is None or not question.which.numbers


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("how does 1 compare with 3?", (1, 3)),
        ("difference between 1 and 3?", (1, 3)),
        ("is breakfast included with number 4?", (4,)),
        ("does 2 have a pool?", (2,)),
        ("does hotel 2 or 3 have a pool?", (2, 3)),
        ("is breakfast included (option 2)?", (2,)),
        ("does the 2nd have wifi?", (2,)),
        ("And does the first one serve breakfast, and is it included in the price?", (1,)),
        ("does the second hotel have parking and is it included in the price?", (2,)),
        ("is wifi included in the price in the third one?", (3,)),
        ("what is included in the price of number 2?", (2,)),
    ],
)
def test_place_in_the_list_is_an_offers_number(said: str, numbers: tuple[int, ...]) -> None:
    question = told(TRIP, said).question
    assert question is not None
    assert question.which == Which(numbers=numbers)


@pytest.mark.parametrize(
    "said",
    [
        "what if 3* and we fly 26-30",
        "how about 26 - 30",
        "we could travel 26-30",
        "what about 26-30?",
        "fly 26-30",
    ],
)
def test_two_plain_days_of_a_journey_are_its_days(said: str) -> None:
    flight = told(TRIP, said).flight
    assert (flight.departure_date, flight.return_date) == (date(2026, 12, 26), date(2026, 12, 30))
