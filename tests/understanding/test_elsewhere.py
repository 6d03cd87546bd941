"""Messages about other services, and flights or hotels that are only mentioned."""

import pytest

from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, told


@pytest.mark.parametrize(
    "said",
    [
        "please get me a taxi from the hotel to the museum",
        "before I book the flight, what's the weather in Oslo?",
        "Great, and can you book a table for two on Friday",
        "I need room service right away",
        "actually, is there a nightclub near our hotel?",
    ],
)
def test_another_service_wants_nobody_though_it_names_the_hotel(said: str) -> None:
    before, understood = told(LISBON), told(LISBON, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)


def test_what_has_been_booked_already_is_not_wanted_again() -> None:
    understood = told("a hotel in Oslo from 3 May", "my brother already booked us a flight, 2 nights please")
    assert understood.agents == ("hotel",)
    assert understood.hotel.nights == 2


def test_hotel_that_is_wanted_is_looked_for_although_something_else_is_mentioned() -> None:
    assert told("a hotel in Oslo near the museum from 3 May").agents == ("hotel",)
    assert told(BERLIN_TO_TOKYO, "and a hotel with a good restaurant").agents == ("hotel",)


def test_what_a_sentence_says_of_another_service_is_not_said_of_the_hotel() -> None:
    understood = told("Book a table for 6 people on Thursday. I am also looking for a 4 star hotel in Oslo.")
    assert understood.agents == ("hotel",)
    assert (understood.hotel.stars, understood.hotel.guests, understood.hotel.check_in) == (4, None, None)


def test_we_would_is_no_wednesday() -> None:
    understood = told("a hotel in Oslo", "we arrive on 3 May and we'd like to stay for 2 nights")
    assert (understood.hotel.nights, understood.hotel.check_out) == (2, None)


def test_what_a_journey_is_for_tells_where_and_when() -> None:
    understood = told("I have a meeting in Rome on 3 May. I need a flight from Berlin.")
    assert understood.agents == ("flight",)
    assert understood.flight.destination is not None
    assert understood.flight.departure_date is not None


@pytest.mark.parametrize("said", ["with parking, near the museum", "something cheap close to the museum"])
def test_sight_only_tells_where_a_hotel_should_be(said: str) -> None:
    assert told("a hotel in Oslo from 3 May", said).agents == ("hotel",)


def test_place_called_like_another_service_is_a_place() -> None:
    understood = told("find flights from Berlin on 3 May", "to College Station")
    assert understood.flight.destination is not None
