"""What wishes, hours, names, changes and negations mean: each line of `wishes.jsonl` is a conversation.

A line has what was `said`, what the last message changed in the slots of the request ("" where it emptied
one), and what it assumed, dropped and refused. `kind` tells what the line is an example of, `today` on which
day it is said. Some lines tell `besides` what else is meant: a question, a booking, what is offered.
"""

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from backend.travel.providers.demo.world import CARRIERS
from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.english.details.airlines import DEMO, DEMO_AIRLINES, find_airlines
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.wording import describe, doubts, steps_to_others
from backend.travel.understanding.queries import fits, flight_query
from backend.travel.understanding.requested import requested
from backend.travel.understanding.result import Place, Understanding
from backend.travel.understanding.slot_table import ROWS
from backend.travel.understanding.understand import understand
from checks.understanding.assistant import read_prompt
from tests.understanding.conversation import TODAY, flight, hotel, in_turn, told

STAY = "a hotel in Rome from 3 May"
FLIGHT = "flights from Berlin to Rome on 3 May"
HOTELS = "hotels in Rome from 3 May"
LINES = [
    json.loads(line) for line in (Path(__file__).parent / "wishes.jsonl").read_text("utf-8").splitlines()
]


def in_short(value: Any) -> Any:
    """Return a value of a slot as it stands in a line: a place by its name or airport, all else as text."""
    if isinstance(value, Place):
        return value.airport or value.city.name
    return [in_short(each) for each in value] if isinstance(value, tuple) else str(value)


def slots_of(understood: Understanding | None) -> dict[str, Any]:
    """Return the slots that a request holds, by their names."""
    if understood is None:
        return {}
    values = {name: getattr(understood.of(row.agent), row.field) for name, row in ROWS.items()}
    return {name: in_short(value) for name, value in values.items() if value != ROWS[name].empty}


def outcome(said: list[str], today: date = TODAY) -> dict[str, Any]:
    """Return what the last of the messages did, in the form of a line."""
    before = slots_of(told(*said[:-1], today=today) if said[1:] else None)
    understood = told(*said, today=today)
    now = slots_of(understood)
    changed = {name: now.get(name, "") for name in (*now, *before) if now.get(name) != before.get(name)}
    refused = [[one.said, one.reason] for one in understood.refused]
    told_besides = {"assumed": understood.assumed, "dropped": understood.dropped, "refused": refused}
    kept = {name: list(some) for name, some in told_besides.items() if some}
    meant = {"relation": understood.relation, "agents": list(understood.agents), "slots": changed} | kept
    return meant if understood.wanted == understood.agents else meant | {"wanted": list(understood.wanted)}


def besides(understood: Understanding) -> dict[str, Any]:
    """Return what else a request tells, as far as it tells any."""
    question, booking, period = understood.question, understood.booking, understood.period
    tour, goal = understood.tour, understood.open_goal
    return {
        "others": steps_to_others(understood),
        "doubts": doubts(understood),
        "question": question and [question.topic, question.by, question.which.by],
        "booking": booking and [booking.action, *(one.kind for one in booking.in_turn or (booking,))],
        "booked": booking and in_short((booking.pick, booking.number, booking.name)),
        "period": period and in_short((period.start, period.end)),
        "tour": tour
        and [in_short(tour.start), *([in_short(one), tour.stay_in(one).nights] for one in tour.cities)],
        "goal": goal and [goal.is_warm, *map(in_short, goal.left_out)],
    }


@pytest.mark.parametrize("line", LINES, ids=[f"{line['kind']}-{line['said'][-1]}" for line in LINES])
def test_message_means_what_its_line_tells(line: dict[str, Any]) -> None:
    today = date.fromisoformat(line.get("today", TODAY.isoformat()))
    aside = ("kind", "said", "today", "besides")
    assert outcome(line["said"], today) == {name: line[name] for name in line if name not in aside}
    if expected := line.get("besides"):
        told_besides = besides(told(*line["said"], today=today))
        assert {name: told_besides[name] for name in expected} == expected


def test_airlines_of_the_demo_inventory_are_known_by_name() -> None:
    assert [name + DEMO for name in DEMO_AIRLINES] == [carrier.name for carrier in CARRIERS]


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("with Lufthansa", ["Lufthansa"]),
        ("on United Airlines or british airways", ["United Airlines", "British Airways"]),
        ("I'd like Delta, please", ["Delta Airlines"]),
        ("fly with Swiss", ["Swiss"]),
        ("Swiss or BA only", ["Swiss", "British Airways"]),
        ("only egypt air", ["EgyptAir"]),
        ("with linden or Pogo Demo", ["Linden Demo", "Pogo Demo"]),
        ("a Swiss hotel in the Mississippi delta", []),
        ("a lot of luggage", []),
        ("from London by tap and train", []),
        ("under the linden trees", []),
        ("flights to Qatar", []),
        ("via Qatar", []),
        ("my ba is in french", []),
        ("the british are coming, or the americans", []),
    ],
)
def test_airlines_are_found_by_name(said: str, names: list[str]) -> None:
    assert [one.name for one in find_airlines(Text(said))] == names


@pytest.mark.parametrize(
    ("before", "said", "words"),
    [
        (FLIGHT, "Swiss or BA only", "with Swiss or British Airways only"),
        (FLIGHT, "no Ryanair or easyJet", "not with Ryanair or easyJet"),
        (
            HOTELS,
            "with a pool, free cancellation, within 2 km of the centre, not in Trastevere",
            "with a pool, not in Trastevere, within 2 km of the centre, with free cancellation",
        ),
    ],
)
def test_reply_tells_what_is_looked_for(before: str, said: str, words: str) -> None:
    assert describe(told(before, said)).endswith(words)


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
    understood = told(FLIGHT, said)
    assert requested("flight", understood)["seats"] == list(seats)
    assert "seats are chosen after booking" in describe(understood)
    assert flight_query(understood) == flight_query(told(FLIGHT))
    assert told(FLIGHT, said, "for 2 people").flight.seats == seats


def carried_by(*carriers: tuple[str, str]) -> dict[str, object]:
    flights = [{"carrier_name": name, "carrier": code} for name, code in carriers]
    return {"slices": [{"segments": flights}]}


@pytest.mark.parametrize(
    ("said", "carriers", "is_fitting"),
    [
        ("with British Airways only", [("British Airways", "BA")], True),
        ("with BA only", [("BRITISH AIRWAYS", "BA")], True),
        ("with Linden only", [("Linden Demo", "demo-linden")], True),
        ("with Linden Demo only", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], False),
        ("with Linden or Pogo", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], True),
        ("with Lufthansa only", [("Linden Demo", "demo-linden")], False),
        ("not with Pogo", [("Linden Demo", "demo-linden"), ("Pogo Demo", "demo-pogo")], False),
        ("not with Pogo", [("Linden Demo", "demo-linden")], True),
    ],
)
def test_journey_fits_by_all_its_airlines(
    said: str, carriers: list[tuple[str, str]], is_fitting: bool
) -> None:
    assert fits("flight", told(FLIGHT, said).flight, carried_by(*carriers)) is is_fitting


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
FLIGHT_OFFER: dict[str, Any] = {
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
    assert fits("flight", told(FLIGHT, said).flight, FLIGHT_OFFER) is is_fitting


def test_flight_one_way_is_within_any_limit_on_the_way_back() -> None:
    assert fits("flight", told(FLIGHT, "fly back after 6 pm").flight, FLIGHT_OFFER | {"slices": [THERE]})


HOTEL_OFFER: dict[str, Any] = {
    "name": "Amber Heron Demo Hotel",
    "district": "Trastevere",
    "distance_km": 2.1,
    "amenities": ["wifi", "pool", "pets allowed", "air conditioning"],
    "free_cancellation_until": "2027-05-01",
    "stars": 4,
    "score": 8.0,
}


@pytest.mark.parametrize(
    ("said", "is_fitting"),
    [
        ("with a pool", True),
        ("with a pool, pet friendly, with air conditioning", True),
        ("with a pool and parking", False),
        ("within 3 km of the centre", True),
        ("within 2 km of the centre", False),
        ("free cancellation", True),
        ("not in Trastevere", False),
        ("not in Monti", True),
        ("the hotel called Amber Heron", True),
        ("the Hilton", False),
        ("not the Hilton", True),
    ],
)
def test_hotels_are_within_what_was_said(said: str, is_fitting: bool) -> None:
    assert fits("hotel", told(HOTELS, said).hotel, HOTEL_OFFER) is is_fitting


def test_hotel_that_is_never_free_to_cancel_does_not_fit() -> None:
    assert not fits(
        "hotel", told(HOTELS, "free cancellation").hotel, HOTEL_OFFER | {"free_cancellation_until": None}
    )


def test_wish_answers_if_it_was_asked_for() -> None:
    prompt = Prompt(about=("hotel",), asks_details=True)
    understood = understand("in the north, please", previous=told(STAY), today=TODAY, prompt=prompt)
    assert (understood.relation, understood.agents) == ("answer", ("hotel",))


ROME = "flights from Berlin to Rome on 10 December and a hotel there for 3 nights"
PARIS = "actually flights to Paris instead"


@pytest.mark.parametrize("there", ["a hotel there", "is there a cheaper hotel there?"])
def test_hotel_there_is_where_the_flights_go_by_now(there: str) -> None:
    for understood in (told(ROME, PARIS, there), in_turn(ROME, PARIS, there)):
        assert understood.agents == ("hotel",)
        assert (hotel(understood)["city"], flight(understood)["destination"]) == ("Paris", "Paris")
        assert "hotel.city" in understood.carried


def test_first_days_that_hold_still_are_left_as_they_are() -> None:
    malaga = "manchester to malaga 10-17 april 2 adults"
    slots = in_turn(malaga, "a week later", "a week earlier", "ok the first dates were best").flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 4, 10), date(2027, 4, 17))


def answered(before: str, report: str, said: str) -> Understanding:
    """Return what somebody says to what an assistant reports."""
    known = told(before)
    return understand(
        said, previous=known, today=TODAY, prompt=read_prompt(report, previous=known, today=TODAY)
    )


def test_what_an_assistant_reports_is_neither_offered_nor_counted() -> None:
    report = "I found 27 hotels; the cheapest is Casa Azul (4 stars, Alfama) for 182.00 EUR."
    assert (answered(HOTELS, report, "ok cool").agents, answered(HOTELS, report, "ok cool").hotel.name) == (
        (),
        None,
    )
    assert answered(FLIGHT, "Shall I hold Aurora for 96.00 EUR?", "yes please").flight.passengers is None


def test_one_of_two_days_that_an_assistant_puts_forward_is_chosen() -> None:
    question = "Do you mean Friday 27 November or Friday 4 December?"
    understood = answered("flights from Oslo to Lima on friday", question, "the later one")
    assert understood.flight.departure_date == date(2026, 12, 4)
