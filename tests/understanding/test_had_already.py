"""What somebody has already is not looked for, and a hotel that joins a journey is in its month."""

from datetime import date

import pytest

from .conversation import told

MONDAY = date(2026, 11, 23)


@pytest.mark.parametrize(
    "message",
    [
        "I have a flight to Vienna booked already, I just need a hotel there",
        "I already have flights to Vienna, just need a hotel 3 to 6 March",
        "we've already booked our flights to Vienna for 3-10 May, looking for a hotel",
        "flights to Vienna are sorted, need a hotel 3 to 6 May",
        "I've got my flight to Vienna, now I need somewhere to stay from 3 to 6 May",
        "Our flights are booked, we need a hotel in Vienna 3 to 6 May",
        "hotel in Vienna please, flight is already booked",
        "need a hotel in Vienna 3 to 6 March, no flights, we have those",
        "already have plane tickets to Vienna so just a hotel 4-8 June for 2",
        "my flight to Vienna is booked, I need a hotel",
        "got our flights to Vienna, need a hotel 3 to 6 May",
        "we have flights to Vienna. Can you find us a hotel from 3 to 6 May?",
    ],
)
def test_flights_that_somebody_has_are_not_looked_for(message: str) -> None:
    understood = told(message, today=MONDAY)
    assert understood.agents == ("hotel",)
    assert understood.booking is None
    assert understood.hotel.city is not None
    assert understood.hotel.city.city.name == "Vienna"


@pytest.mark.parametrize(
    "message",
    [
        "we have a hotel in Rome already, just need flights from London 3 to 6 May",
        "hotel in Rome is booked, need flights from London 3 to 6 May",
        "I have a hotel in Rome already so only flights from London please",
    ],
)
def test_hotel_that_somebody_has_is_not_looked_for(message: str) -> None:
    assert told(message, today=MONDAY).agents == ("flight",)


@pytest.mark.parametrize(
    "message",
    [
        "can I have a flight to Rome and a hotel there",
        "could we have flights from London to Rome and a hotel",
        "I'd like to have a flight to Rome, and a hotel",
        "flights and hotel in Rome 3 to 6 May",
        "I need a flight to Rome and a hotel, nothing is booked yet",
        "I have to get a flight to Rome and a hotel",
    ],
)
def test_requested_agent_is_searched(message: str) -> None:
    assert told(message, today=MONDAY).agents == ("flight", "hotel")


@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("hotel in Porto from the 8th to the 12th", (3, 8, 3, 12)),
        ("and a hotel from the 8th to the 12th", (3, 8, 3, 12)),
        ("hotel there 8th-12th", (3, 8, 3, 12)),
        ("a hotel from the 8th", (3, 8, 3, 12)),
        ("hotel in Porto for the 10th", (3, 10, 3, 12)),
        ("hotel in Porto 8 to 12 April", (4, 8, 4, 12)),
    ],
)
def test_hotel_that_joins_is_in_the_month_of_the_journey(
    message: str, days: tuple[int, int, int, int]
) -> None:
    stay = told("flights from London to Porto 3-12 March for 2 people", message, today=MONDAY).hotel
    assert (stay.check_in, stay.check_out) == (date(2027, *days[:2]), date(2027, *days[2:]))
    assert stay.guests == 2


def test_hotel_of_another_journey_is_not() -> None:
    messages = ("flights from London to Porto 3-12 March", "hotel in Paris from the 8th to the 12th")
    assert told(*messages, today=MONDAY).hotel.check_in == date(2026, 12, 8)
