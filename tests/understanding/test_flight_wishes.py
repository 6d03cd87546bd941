"""What narrows flights: how long they take, where planes are changed, bags, refunds; and wishes for seats."""

from typing import Any

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import fits, flight_query
from backend.travel.understanding.requested import requested
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import name, told

FLIGHT = "flights from Berlin to Rome on 3 May"


def after(said: str) -> Understanding:
    understood = told(FLIGHT, said)
    assert (understood.relation, understood.agents) in [("refine", ("flight",)), ("answer", ("flight",))]
    assert refusals(understood) == ""
    assert name(understood.flight.destination) == "Rome"
    return understood


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("under 6 hours", 360),
        ("not longer than 5h", 300),
        ("max 7h30 please", 450),
        ("at most six hours", 360),
        ("shorter than 10 hrs", 600),
        ("no more than 2 and a half hours", 150),
        ("flight time below 4.5 hours", 270),
        ("8 hours max", 480),
        ("up to 2 hours 45 minutes", 165),
    ],
)
def test_how_long_a_flight_may_take_is_a_limit(said: str, minutes: int) -> None:
    assert after(said).flight.max_minutes == minutes


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("max 2 h layover", 120),
        ("layovers of at most 90 minutes", 90),
        ("layover under 3 hours", 180),
        ("no more than 1 hour stopover", 60),
        ("no long layovers", 180),
        ("only short connections", 180),
    ],
)
def test_how_long_a_layover_may_be_is_a_limit(said: str, minutes: int) -> None:
    understood = after(said)
    assert (understood.flight.max_layover, understood.flight.max_minutes) == (minutes, None)


@pytest.mark.parametrize(
    "said",
    ["we check in 3 hours before", "two hours later", "at most one stop", "under 6 hundred euros", "6 hours"],
)
def test_other_numbers_limit_no_time(said: str) -> None:
    flight = told(FLIGHT, said).flight
    assert (flight.max_minutes, flight.max_layover) == (None, None)


@pytest.mark.parametrize(
    ("said", "via", "avoided"),
    [
        ("via Istanbul", ["Istanbul"], []),
        ("with a stopover in Zurich", ["Zurich"], []),
        ("not via Paris", [], ["Paris"]),
        ("no stops in Paris or London", [], ["Paris", "London"]),
        ("please avoid connecting in Frankfurt", [], ["Frankfurt"]),
        ("I don't want to change planes in Vienna", [], ["Vienna"]),
        ("not through CDG", [], ["CDG"]),
        ("avoid FCO", [], ["FCO"]),
        ("not to CIA please", [], ["CIA"]),
    ],
)
def test_where_planes_are_changed_is_a_limit(said: str, via: list[str], avoided: list[str]) -> None:
    flight = after(said).flight
    assert ([name(each) for each in flight.via], [name(each) for each in flight.avoided]) == (via, avoided)


def test_places_that_are_avoided_add_up_and_the_last_word_holds() -> None:
    assert len(told(FLIGHT, "not via Paris", "not via London either").flight.avoided) == 2
    wanted = told(FLIGHT, "not via Paris", "ok, via Paris then")
    assert ([name(each) for each in wanted.flight.via], wanted.flight.avoided) == (["Paris"], ())


@pytest.mark.parametrize(
    ("said", "bags"),
    [
        ("with a checked bag", 1),
        ("two checked bags each", 2),
        ("luggage included please", 1),
        ("with a suitcase", 1),
        ("hand luggage only", 0),
        ("just a carry-on", 0),
        ("no checked bags", 0),
    ],
)
def test_bags_are_a_limit(said: str, bags: int) -> None:
    assert after(said).flight.bags == bags


@pytest.mark.parametrize(
    "said", ["are bags included?", "what counts as hand luggage?", "how many checked bags?"]
)
def test_question_about_bags_is_no_limit(said: str) -> None:
    assert told(FLIGHT, said).flight.bags is None


def test_conditions_are_limits() -> None:
    assert after("refundable tickets only").flight.refundable is True
    assert after("with a flexible ticket please").flight.changeable is True
    assert told(FLIGHT, "non-refundable is fine").flight.refundable is None


@pytest.mark.parametrize(
    ("said", "seats"),
    [
        ("I'd like an aisle seat", ("aisle",)),
        ("window seat please", ("window",)),
        ("we want to sit together, with extra legroom", ("together", "legroom")),
    ],
)
def test_wish_for_a_seat_is_kept_told_and_shown_and_not_searched_by(
    said: str, seats: tuple[str, ...]
) -> None:
    understood = after(said)
    assert requested("flight", understood)["seats"] == list(seats)
    assert "seats are chosen after booking" in describe(understood)
    assert flight_query(understood) == flight_query(told(FLIGHT))
    assert told(FLIGHT, said, "for 2 people").flight.seats == seats


def way(*flights: tuple[str, str, str, str], minutes: int = 200) -> dict[str, Any]:
    keys = ("origin", "departs_at", "destination", "arrives_at")
    segments = [dict(zip(keys, each, strict=True)) for each in flights]
    return {"segments": segments, "duration_minutes": minutes}


THERE = way(
    ("BER", "2027-05-03T08:00:00+02:00", "ZRH", "2027-05-03T09:30:00+02:00"),
    ("ZRH", "2027-05-03T11:00:00+02:00", "FCO", "2027-05-03T12:30:00+02:00"),
    minutes=270,
)
BACK = way(("FCO", "2027-05-08T19:00:00+02:00", "BER", "2027-05-08T21:00:00+02:00"))
OFFER: dict[str, Any] = {
    "slices": [THERE, BACK], "checked_bags": 1, "refundable": False, "changeable": True,
}  # fmt: skip


@pytest.mark.parametrize(
    ("said", "is_fitting"),
    [
        ("arrive by 12:30", True),
        ("arrive by noon", False),
        ("fly back after 6 pm", True),
        ("fly back before 6 pm", False),
        ("at most 5 hours", True),
        ("at most 4 hours", False),
        ("layovers of at most 90 minutes", True),
        ("layovers under 1 hour", False),
        ("via Zurich", True),
        ("via Zurich or Vienna", True),
        ("via Vienna", False),
        ("not via Zurich", False),
        ("not via Rome", True),
        ("not to FCO", False),
        ("not to CIA", True),
        ("with a checked bag", True),
        ("with 2 checked bags", False),
        ("hand luggage only", True),
        ("refundable", False),
        ("flexible ticket", True),
    ],
)
def test_flights_are_within_what_was_said(said: str, is_fitting: bool) -> None:
    assert fits("flight", told(FLIGHT, said).flight, OFFER) is is_fitting


def test_flight_one_way_is_within_any_limit_on_the_way_back() -> None:
    assert fits("flight", told(FLIGHT, "fly back after 6 pm").flight, OFFER | {"slices": [THERE]})
