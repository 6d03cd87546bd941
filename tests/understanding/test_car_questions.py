"""Questions about rental cars that were found."""

import pytest

from backend.travel.understanding.found import Which
from tests.understanding.conversation import told

CARS = "rental cars in Palermo from 10 to 15 March"
FLIGHT_AND_CAR = "flights and a car, Berlin to Palermo, 10 March to 15 March"
HERE = Which()


@pytest.mark.parametrize(
    ("said", "topic", "which"),
    [
        ("which one is the cheapest", "which", Which(by="price")), ("cheapest?", "which", Which(by="price")),
        ("does it fit 4 people and 3 suitcases?", "bags", HERE),
        ("how many bags fit in the second one?", "bags", Which(numbers=(2,))),
        ("is there enough room for 2 big suitcases?", "bags", HERE), ("how big is the boot?", "bags", HERE),
        ("how many people fit in it?", "seats", HERE), ("how many seats does it have", "seats", HERE),
        ("is it big enough for 5 people?", "seats", HERE), ("is there unlimited mileage?", "mileage", HERE),
        ("how many km are included?", "mileage", HERE), ("is it automatic?", "gearbox", HERE),
        ("is number 3 a manual?", "gearbox", Which(numbers=(3,))),
        ("where do i pick it up?", "station", HERE), ("is it at the airport?", "station", HERE),
        ("can i cancel for free?", "refund", HERE), ("is it refundable?", "refund", HERE),
        ("how much is it per day?", "price", HERE), ("which is the biggest?", "which", None),
        ("what is the difference between the first two", "difference", None),
        ("anything cheaper?", "step", None),
        ("is insurance included?", "untold", HERE), ("do i need to pay a deposit?", "untold", HERE),
        ("what is the fuel policy?", "untold", HERE),
        ("can my wife drive too? second driver", "untold", HERE),
        ("How much extra is the one way fee, vs bringing it back?", "untold", HERE),
        ("is there a drop fee", "untold", HERE), ("what's the drop off charge for Catania", "untold", HERE),
        ("do they charge a one-way fee?", "untold", HERE),
        ("how much is it to return it somewhere else", "untold", HERE),
        ("what is the minimum age?", "untold", HERE), ("do i need an international licence?", "untold", HERE),
        ("can i pick it up at 10am?", "untold", HERE), ("what documents do i need?", "untold", HERE),
    ],
)  # fmt: skip
def test_what_is_asked_of_cars_is_answered_and_changes_nothing(said: str, topic: str, which: Which) -> None:
    before, after = told(CARS), told(CARS, said)
    assert after.question is not None
    assert after.question.topic == topic
    assert which in (None, after.question.which)
    assert after.car == before.car


@pytest.mark.parametrize(
    "said",
    [
        "automatic please", "only automatic", "what about an SUV", "a bigger car from the 11th",
        "I need 5 seats", "with free cancellation", "make it a week", "at the airport please", "an estate",
        "can I drop it off in Catania?",
    ],
)  # fmt: skip
def test_wishes_for_a_car_are_no_questions(said: str) -> None:
    question = told(CARS, said).question
    assert question is None or question.topic == "step"


@pytest.mark.parametrize(
    ("said", "agent"),
    [
        ("how many seats does the car have?", "car"), ("is the car at the airport?", "car"),
        ("are bags included?", "flight"), ("what airline is it?", "flight"),
        ("how many bags fit in the car?", "car"),
    ],
)  # fmt: skip
def test_beside_a_flight_the_car_is_asked_about_by_its_noun(said: str, agent: str) -> None:
    question = told(FLIGHT_AND_CAR, said).question
    assert question is not None
    assert question.agent == agent


@pytest.mark.parametrize("said", ["flights and car in Palermo from Berlin, 10 to 15 March"])
def test_car_beside_flights_needs_no_article(said: str) -> None:
    assert set(told(said).wanted) == {"flight", "car"}
