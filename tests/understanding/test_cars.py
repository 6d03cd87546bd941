"""Rental cars: who asks for one, and who only speaks of cars; how they join a trip, and leave it."""

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from backend.travel.understanding.dialogue.slots import held_in
from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import Money
from tests.understanding.conversation import TODAY, told

FLIGHTS = "flights from Berlin to Palermo, 10 March to 15 March"
STAY = "hotels in Palermo from 10 March to 15 March"
BOTH = "flights and hotels, Berlin to Palermo, 10 March to 15 March"
RENTAL = "a rental car in Palermo from 10 to 15 March"


@pytest.mark.parametrize(
    "said",
    [
        RENTAL,
        "rental car Palermo 10-15 March",
        "I need to rent a car in Palermo from 10 to 15 March",
        "car hire in Palermo, 10 March to 15 March please",
        "could you find me a car in Palermo from the 10th of March until the 15th of March",
        "hire car in palermo march 10 to march 15",
        "We want a small car in Palermo from 10 March to 15 March",
        "cars to rent in Palermo 10 to 15 march",
        "get me an SUV in Palermo from 10 March to 15 March",
        "Car in Palermo, pick up at the airport 10 March 10am, back 15 March same time",
        "car palermo 10-15 march",
        "need car in palermo 10-15 march",
        "we want car in Palermo from 10 to 15 March",
        "Car needed in Palermo 10 to 15 March",
        "Hi, car in Palermo from 10 to 15 March please",
        "Car at Palermo airport 10-15 March",
        "a car from Palermo airport, 10 march to 15 march",
        "rental car from Palermo from 10 to 15 March",
        "i need a vehicle in palermo from 10 to 15 march",
        "vehicle hire in Palermo 10-15 March",
        "find car in palermo for 10 to 15 march",
        "Hello. Car for 5 days in Palermo from 10 March",
        "rent car palermo 10 march to 15 march",
        "car hire palermo airport, collect 10 march return 15 march",
    ],
)
def test_car_alone_searches_cars_and_nothing_else(said: str) -> None:
    understood = told(said)
    assert understood.agents == understood.wanted == ("car",)
    assert understood.car.city
    assert understood.car.city.city.name == "Palermo"
    assert (understood.car.pick_up, understood.car.drop_off) == (date(2027, 3, 10), date(2027, 3, 15))


@pytest.mark.parametrize(
    "said",
    [
        f"{STAY} with a car park",
        f"{STAY} near the cable car",
        f"{STAY}, we have our own car",
        f"{STAY}, we come by car",
        f"{STAY} with parking for my car",
        f"a car-free {STAY}",
        f"{FLIGHTS} with carry-on only",
        f"{FLIGHTS}, a car ferry is no option",
        f"{STAY}, I already booked a car",
        f"{STAY} with a dining car",
        f"{STAY}. Car broke down",
        f"{STAY}, we need car parking",
        f"{FLIGHTS}. Car insurance is not needed",
        f"{STAY}, car or no car",
        f"Car is parked, {FLIGHTS}",
    ],
)
def test_mention_of_cars_searches_none(said: str) -> None:
    assert "car" not in told(said).wanted


@pytest.mark.parametrize(
    "said",
    ["and a car", "and a car there", "plus a rental car", "add a car", "we need a car too", "and cars"],
)
@pytest.mark.parametrize("trip", [FLIGHTS, STAY, BOTH])
def test_car_joins_the_trip_that_is_known_and_changes_nothing_else_of_it(trip: str, said: str) -> None:
    before, after = told(trip), told(trip, said)
    assert (after.relation, after.agents) == ("add", ("car",))
    assert after.wanted == (*before.wanted, "car")
    assert (after.flight, after.hotel) == (before.flight, before.hotel)
    assert after.car.city
    assert after.car.city.city.name == "Palermo"
    assert (after.car.pick_up, after.car.drop_off) == (date(2027, 3, 10), date(2027, 3, 15))


def test_car_for_days_of_its_own_changes_neither_flights_nor_hotels() -> None:
    before = told("flights from Berlin to Palermo on 10 March", "and a hotel there")
    after = told(
        "flights from Berlin to Palermo on 10 March",
        "and a hotel there",
        "and a car from the 11th to the 14th",
    )
    assert (after.flight, after.hotel) == (before.flight, before.hotel)
    assert (after.car.pick_up, after.car.drop_off) == (date(2027, 3, 11), date(2027, 3, 14))


def test_car_follows_the_trip_that_moves() -> None:
    moved = told(BOTH, "and a car", "one day later")
    assert (moved.car.pick_up, moved.car.drop_off) == (date(2027, 3, 11), date(2027, 3, 16))
    elsewhere = told(BOTH, "and a car", "go to Catania instead")
    assert elsewhere.car.city
    assert elsewhere.car.city.city.name == "Catania"


def test_flights_and_hotels_may_join_a_car() -> None:
    joined = told(RENTAL, "and a hotel there", "and flights from Berlin")
    assert joined.wanted == ("flight", "hotel", "car")
    assert (joined.hotel.check_in, joined.flight.return_date) == (date(2027, 3, 10), date(2027, 3, 15))


@pytest.mark.parametrize(
    "said", ["no car", "forget the car", "drop the car", "without the car", "I don't need a car"]
)
def test_car_that_is_called_off_is_gone_and_the_rest_stays(said: str) -> None:
    before, after = told(BOTH), told(BOTH, "and a car", said)
    assert after.wanted == ("flight", "hotel")
    assert (after.flight, after.hotel) == (before.flight, before.hotel)
    assert after.car.city is None


def test_only_the_flights_leaves_the_car_out() -> None:
    assert told(BOTH, "and a car", "just the flights").wanted == ("flight",)


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ("automatic", "transmission", "automatic"),
        ("with an automatic gearbox please", "transmission", "automatic"),
        ("make it a manual", "transmission", "manual"),
        ("an SUV please", "car_class", "suv"),
        ("a convertible", "car_class", "convertible"),
        ("a small car", "car_class", "small"),
        ("under 40 a day", "max_price", Money(amount=Decimal(40))),
        ("max €35 per day", "max_price", Money(amount=Decimal(35))),
        ("pick up at the airport", "station", "airport"),
        ("I'd rather pick it up downtown", "station", "centre"),
    ],
)
def test_what_is_said_of_the_car_changes_the_car_alone(said: str, field: str, value: Any) -> None:
    before, after = told(BOTH, "and a car"), told(BOTH, "and a car", said)
    assert getattr(after.car, field) == value
    assert after.agents == ("car",)
    assert (after.flight, after.hotel) == (before.flight, before.hotel)


@pytest.mark.parametrize(
    "said", ["return it in Catania", "drop it off in Catania", "I'll return the car in Catania"]
)
def test_car_that_is_returned_elsewhere_is_refused_with_a_sentence(said: str) -> None:
    before, after = told(RENTAL), told(RENTAL, said)
    assert after.car == before.car
    assert "left out Catania" in refusals(after)


def test_one_way_rental_is_searched_as_a_return_and_told() -> None:
    understood = told("rent a car in Milan from 3 to 7 April and drop it off in Rome")
    assert understood.car.city
    assert understood.car.city.city.name == "Milan"
    assert "left out Rome" in refusals(understood)


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("book the car", {}),
        ("book it", {}),
        ("book the cheapest car", {"pick": "cheapest"}),
        ("reserve that car please", {}),
        ("book the second rental car", {"number": 2}),
        ("I'll take the cheapest rental", {"pick": "cheapest"}),
        ("book the SUV", {"name": "SUV"}),
        ("book the automatic car", {"name": "automatic"}),
        ("book the car with Kestrel Demo", {"name": "Kestrel Demo"}),
    ],
)
def test_car_that_was_found_is_booked(said: str, wish: dict[str, Any]) -> None:
    before, after = told(BOTH, "and a car"), told(BOTH, "and a car", said)
    assert after.booking
    assert (after.booking.kind, after.agents, after.refused) == ("car", ("car",), ())
    assert {name: getattr(after.booking, name) for name in wish} == wish
    assert held_in(after).by_agent == held_in(before).by_agent


@pytest.mark.parametrize(
    "said",
    [
        "book a car",
        "book us a rental car please",
        "I want to book a small car",
        "can you book me a car there",
    ],
)
def test_to_book_a_car_is_to_look_for_one(said: str) -> None:
    after = told(BOTH, said)
    assert after.booking is None
    assert after.agents == ("car",)


@pytest.mark.parametrize(
    ("said", "kinds"),
    [
        ("book the flight and the car", ["flight", "car"]),
        ("book the hotel and the rental car", ["hotel", "car"]),
        ("book the flight, the hotel and the car", ["flight", "hotel", "car"]),
        ("book everything", ["flight", "hotel", "car"]),
        ("book the cheapest of each", ["flight", "hotel", "car"]),
    ],
)
def test_cars_are_booked_in_turn_with_the_rest(said: str, kinds: list[str]) -> None:
    after = told(BOTH, "and a car", said)
    assert after.booking
    assert [each.kind for each in after.booking.in_turn] == kinds
    assert list(after.agents) == kinds


@pytest.mark.parametrize(
    ("said", "action", "kind"),
    [
        ("cancel my car booking", "cancel", "car"),
        ("cancel the rental car I booked", "cancel", "car"),
        ("which car have I booked?", "list", "car"),
        ("cancel my hotel booking", "cancel", "hotel"),
    ],
)
def test_bookings_of_cars_are_told_apart(said: str, action: str, kind: str) -> None:
    after = told(BOTH, "and a car", said)
    assert after.booking
    assert (after.booking.action, after.booking.kind) == (action, kind)


@pytest.mark.parametrize(
    ("said", "last"),
    [
        (["a rental car in Palermo from 10 March", "for 3 days"], date(2027, 3, 13)),
        ([RENTAL, "for 2 days only"], date(2027, 3, 12)),
        ([BOTH, "add a car for 2 days"], date(2027, 3, 12)),
        (["a hotel in Palermo from 10 to 12 March and a rental car for 4 days"], date(2027, 3, 14)),
        (["rent a car in Palermo from 10 March for a week"], date(2027, 3, 17)),
    ],
)
def test_rental_may_be_told_by_its_length(said: list[str], last: date) -> None:
    assert told(*said).car.drop_off == last


def test_where_a_car_is_wanted_a_flight_is_wanted_to() -> None:
    after = told(RENTAL, "ok then fly me there from Turin on the 12th, back the 14th")
    assert after.wanted == ("flight", "car")
    assert after.flight.destination
    assert after.flight.destination.city.name == "Palermo"
    assert (after.car.pick_up, after.car.drop_off) == (date(2027, 3, 10), date(2027, 3, 15))


def test_where_nobody_searches_for_cars_they_are_another_service() -> None:
    understood = understand(RENTAL, previous=None, today=TODAY, offered=("flight", "hotel"))
    assert (understood.relation, understood.agents) == ("other", ())


@pytest.mark.parametrize(
    "said",
    [
        "ok then what would a car w automatic cost for 18-19 Jan",
        "how much would a car be for 18-19 January",
        "how much is an automatic car from the 18th to the 19th of January",
        "what does a small car cost from 18 to 19 January",
        "price of an suv from 18 to 19 January?",
    ],
)
def test_question_about_the_price_of_a_car_searches_one(said: str) -> None:
    after = told("Toronto to Kochi on 14 January, back 20 January, 2 adults", said)
    assert after.agents == ("car",)
    assert (after.car.pick_up, after.car.drop_off) == (date(2027, 1, 18), date(2027, 1, 19))
    assert after.flight.departure_date == date(2027, 1, 14)


@pytest.mark.parametrize(
    "said",
    ["how much is a car park at the airport", "what would a car seat cost", "what does a car ferry cost"],
)
def test_question_about_another_price_searches_no_car(said: str) -> None:
    assert "car" not in told("Toronto to Kochi on 14 January, back 20 January, 2 adults", said).agents
