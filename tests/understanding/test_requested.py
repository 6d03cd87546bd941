"""What an agent is asked to find, as clients are shown it."""

from datetime import date

import orjson

from backend.domain.encoding import encode
from backend.travel.understanding.english.wording import requested_in_words
from backend.travel.understanding.requested import requested
from backend.travel.understanding.result import Agent
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import told

TODAY = date(2026, 11, 20)


def _requested(agent: Agent, said: str) -> object:
    return orjson.loads(encode(requested(agent, understand(said, previous=None, today=TODAY))))


def _known(asked: object) -> dict[str, object]:
    assert isinstance(asked, dict)
    return {name: value for name, value in asked.items() if value is not None}


def test_flight_is_told_with_its_places_and_the_defaults_it_is_searched_by() -> None:
    said = "flights from Berlin to Tokyo on 10 December, at most 1 stop, under 900 EUR"
    assert _known(_requested("flight", said)) == {
        "origin": {"label": "Berlin, DE", "latitude": 52.52, "longitude": 13.4, "codes": ["BER"]},
        "destination": {
            "label": "Tokyo, JP",
            "latitude": 35.68,
            "longitude": 139.76,
            "codes": ["HND", "NRT"],
        },
        "departure_date": "2026-12-10",
        "passengers": 1,
        "cabin_class": "economy",
        "max_stops": 1,
        "max_price": {"amount": "900", "currency": "EUR"},
        "unused": [],
        "assumed": ["cabin_class", "passengers"],
    }


def test_airport_that_was_named_is_the_only_code() -> None:
    request = requested("flight", understand("fly BER to HND", previous=None, today=TODAY))
    assert (request["destination"]["label"], request["destination"]["codes"]) == ("Tokyo, JP", ["HND"])


def test_stay_is_told_with_its_part_of_the_city() -> None:
    said = "a 4 star hotel in Shinjuku, Tokyo, from 10 to 13 December for two"
    assert _known(_requested("hotel", said)) == {
        "city": {"label": "Tokyo, JP", "latitude": 35.68, "longitude": 139.76},
        "district": "Shinjuku",
        "check_in": "2026-12-10",
        "check_out": "2026-12-13",
        "guests": 2,
        "rooms": 1,
        "stars": 4,
        "unused": [],
        "assumed": ["rooms"],
    }


def test_several_values_are_told_as_lists() -> None:
    flight = _known(_requested("flight", "flights from Berlin to Tokyo on 10 December, Swiss or KLM only"))
    assert flight["airlines"] == ["Swiss", "KLM"]
    stay = _known(_requested("hotel", "a hotel in Rome from 10 December with a pool, not in Trastevere"))
    assert (stay["amenities"], stay["not_districts"]) == (["pool"], ["Trastevere"])


def test_limits_on_what_is_found_are_told_as_forms_give_them() -> None:
    flight = _requested(
        "flight", "flights from Berlin to Tokyo on 10 December, leaving between 9 and 11:30 am"
    )
    stay = _requested("hotel", "a hotel in Tokyo from 10 December rated 8.5 or better")
    assert isinstance(flight, dict)
    assert isinstance(stay, dict)
    assert (flight["departs_after"], flight["departs_before"], stay["min_score"]) == ("09:00", "11:30", 8.5)


def test_unknown_value_is_null() -> None:
    flight = requested("flight", understand("flights to Rome", previous=None, today=TODAY))
    assert (flight["origin"], flight["departure_date"]) == (None, None)
    hotel = requested("hotel", understand("a hotel", previous=None, today=TODAY))
    assert (hotel["city"], hotel["district"], hotel["check_in"], hotel["check_out"]) == (None, "", None, None)


def test_planner_is_told_without_its_tour() -> None:
    said = "plan a tour from Vienna to Rome and Athens in June"
    assert requested("planner", understand(said, previous=None, today=TODAY)) == {}


def test_limits_are_told_in_words_for_clients_that_know_no_input_for_them() -> None:
    understood = told("flights from Berlin to Tokyo on 10 December, Linden only, with a checked bag")
    shown = requested_in_words("flight", understood)
    assert shown["words"] == {"airlines": "with Linden Demo only", "bags": "with 1 checked bag"}
    assert requested_in_words("hotel", understood)["words"] == {}
    assert requested_in_words("planner", understood) == {}
