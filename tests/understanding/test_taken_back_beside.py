"""What is taken back, put in another's place or called off in a sentence that says more."""

from datetime import date

import pytest

from tests.understanding.conversation import in_turn, name, told

WEEK_LATER = ("Manchester to Orlando 27 March for two weeks", "what if we went a week later")
TRIP = "a trip from Amsterdam to Singapore then Bangkok then Hanoi in February"
DUBAI = "Mumbai to Dubai 24-28 Dec flights and hotel"


@pytest.mark.parametrize(
    "said",
    [
        "oh no hang on forget that they're back at school by then stick with the first dates",
        "no they're in school then so keep the original dates please",
        "that clashes with my sister's party, go with our first dates",
        "my boss says no so back to the previous dates and 3 people",
        "forget that, the kids have school, use the old dates",
    ],
)
def test_earlier_days_are_taken_up_whatever_else_is_said(said: str) -> None:
    flight = in_turn(*WEEK_LATER, said).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, 3, 27), date(2027, 4, 10))


def test_what_is_wanted_beside_is_taken_as_well() -> None:
    said = "forget that they're back at school, stick with the first dates and we'll need a car as well"
    understood = in_turn(*WEEK_LATER, said)
    assert understood.car.pick_up == understood.flight.departure_date == date(2027, 3, 27)


@pytest.mark.parametrize(
    ("said", "order"),
    [
        ("can you swap hanoi and bangkok?", ["Singapore", "Hanoi", "Bangkok"]),
        ("swap hanoi and bangkok, so singapore-hanoi on the 7th and bangkok last",
         ["Singapore", "Hanoi", "Bangkok"]),
        ("switch Hanoi with Singapore", ["Hanoi", "Bangkok", "Singapore"]),
        ("Bangkok and Hanoi the other way round", ["Singapore", "Hanoi", "Bangkok"]),
        ("Hanoi before Bangkok please", ["Singapore", "Hanoi", "Bangkok"]),
        ("Singapore after Hanoi", ["Bangkok", "Hanoi", "Singapore"]),
        ("swap Hanoi for Lisbon", ["Singapore", "Bangkok", "Lisbon"]),
    ],
)  # fmt: skip
def test_cities_of_a_trip_change_places(said: str, order: list[str]) -> None:
    tour = told(TRIP, said).tour
    assert tour
    assert [city.city.name for city in tour.cities] == order
    assert tour.ordered


@pytest.mark.parametrize(
    "said",
    [
        "ok forget dubai, same thing but goa with car instead of cab",
        "not Dubai, Goa please, and a car rather than a taxi",
        "forget Dubai, make it Goa, and a rental car instead of the train",
        "Goa instead of Dubai, with a car rather than an uber",
    ],
)
def test_place_changes_and_a_car_joins_in_the_place_of_a_taxi(said: str) -> None:
    understood = told(DUBAI, said)
    goals = (understood.flight.destination, understood.hotel.city, understood.car.city)
    assert [name(goal) for goal in goals] == ["Goa"] * 3


@pytest.mark.parametrize("said", ["can you get me a taxi to Goa?", "a taxi to the airport, not to Dubai"])
def test_taxi_alone_changes_no_place(said: str) -> None:
    assert name(told(DUBAI, said).flight.destination) == "Dubai"


@pytest.mark.parametrize(
    "said",
    [
        "just a hotel in miami beach, same week", "actually only a hotel near the beach",
        "drop the flights, just a hotel", "no, just one hotel in Miami", "ok just a hotel for now",
    ],
)  # fmt: skip
def test_just_a_hotel_means_no_flight(said: str) -> None:
    assert told("Chicago to Miami March 13 to 20", said).wanted == ("hotel",)


@pytest.mark.parametrize(
    "said", ["add just a hotel in Miami", "and a hotel in Miami", "I just want a hotel with it"]
)
def test_hotel_beside_a_flight_leaves_it(said: str) -> None:
    assert set(told("Chicago to Miami March 13 to 20", said).wanted) == {"flight", "hotel"}


def test_just_a_car_as_well_keeps_the_stay() -> None:
    assert "hotel" in told("hotel in Rome on 5 December", "just a car in Rome").wanted
