"""Every row of the table of slots has what is derived from it: a reader, a phrase, a schema."""

import json
from dataclasses import fields, replace
from datetime import date, time
from decimal import Decimal
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from backend.domain.encoding import encode
from backend.travel.agents.questions import FIELDS, schema_of, value_of
from backend.travel.agents.with_model.reading import SLOTS_READ
from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.dialogue.slots import Slots, held_in
from backend.travel.understanding.english.slot_words import FOUND, WORDS
from backend.travel.understanding.english.wording import describe, not_searched_by, requested_in_words
from backend.travel.understanding.requested import request_schema
from backend.travel.understanding.result import Place, Understanding
from backend.travel.understanding.slot_table import (
    ROWS,
    SLOTS,
    answered_with,
    given_by,
    links_of,
    rows_of,
    searched_by,
)
from backend.travel.values.travel import Money
from tests.understanding.conversation import TODAY, told

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "hotels in Rome from 3 May"
RENTAL = "a rental car in Rome from 3 May"

EXAMPLES: dict[str, tuple[str, Any, str]] = {
    "flight.origin": (FLIGHT, "Berlin", "from Berlin"),
    "flight.destination": (FLIGHT, "Rome", "to Rome"),
    "flight.departure_date": (FLIGHT, date(2027, 5, 3), "on Mon 3 May 2027"),
    "flight.return_date": (f"{FLIGHT}, back on 8 May", date(2027, 5, 8), "returning Sat 8 May 2027"),
    "flight.passengers": (f"{FLIGHT} for 3 people", 3, "3 passengers"),
    "flight.children": (
        f"{FLIGHT} for 2 adults and 2 kids (4 and 7)",
        (4, 7),
        "2 of them children (aged 4 and 7)",
    ),
    "flight.cabin_class": (f"{FLIGHT} in business class", "business", "business class"),
    "flight.airline": (f"{FLIGHT} with Lufthansa", "Lufthansa", "with Lufthansa only"),
    "flight.airlines": (f"{FLIGHT}, Swiss or KLM only", ("Swiss", "KLM"), "with Swiss or KLM only"),
    "flight.not_airlines": (f"{FLIGHT}, not Ryanair", ("Ryanair",), "not with Ryanair"),
    "flight.max_stops": (f"{FLIGHT}, nonstop", 0, "nonstop"),
    "flight.max_price": (f"{FLIGHT} under 300 EUR", Money(amount=Decimal(300)), "up to €300"),
    "flight.max_total": (f"{FLIGHT}, 600 euros altogether", Money(amount=Decimal(600)), "up to €600 in all"),
    "flight.departs_after": (f"{FLIGHT}, leaving after 6 pm", time(18), "leaving from 18:00"),
    "flight.departs_before": (f"{FLIGHT}, leaving by noon", time(12), "leaving by 12:00"),
    "flight.arrives_after": (f"{FLIGHT}, arriving after 9 am", time(9), "arriving from 09:00"),
    "flight.arrives_before": (f"{FLIGHT}, arriving by noon", time(12), "arriving by 12:00"),
    "flight.returns_after": (f"{FLIGHT}, flying back after 6 pm", time(18), "flying back from 18:00"),
    "flight.returns_before": (f"{FLIGHT}, flying back by noon", time(12), "flying back by 12:00"),
    "flight.max_minutes": (f"{FLIGHT}, under 6 hours", 360, "at most 6 hours each way"),
    "flight.max_layover": (f"{FLIGHT}, max 2 h layover", 120, "layovers of at most 2 hours"),
    "flight.via": (f"{FLIGHT} via Zurich", ("Zurich",), "via Zurich"),
    "flight.avoided": (f"{FLIGHT}, not via Paris", ("Paris",), "not via Paris"),
    "flight.bags": (f"{FLIGHT} with a checked bag", 1, "with 1 checked bag"),
    "flight.refundable": (f"{FLIGHT}, refundable", True, "refundable"),
    "flight.changeable": (f"{FLIGHT} with a flexible ticket", True, "changeable"),
    "flight.seats": (f"{FLIGHT}, an aisle seat please", ("aisle",), "seats are chosen after booking"),
    "hotel.city": (STAY, "Rome", "in Rome"),
    "hotel.district": ("hotels in Trastevere, Rome from 3 May", "Trastevere", "near Trastevere"),
    "hotel.check_in": (STAY, date(2027, 5, 3), "from Mon 3 May 2027"),
    "hotel.check_out": (f"{STAY} to 6 May", date(2027, 5, 6), "to Thu 6 May 2027"),
    "hotel.nights": ("hotels in Rome for 3 nights", 3, "for 3 nights"),
    "hotel.rooms": (f"{STAY}, 2 rooms", 2, "2 rooms"),
    "hotel.guests": (f"{STAY} for 2 people", 2, "2 guests"),
    "hotel.children": (f"{STAY} for 2 adults and a 3 year old", (3,), "1 of them a child (aged 3)"),
    "hotel.stars": (f"{STAY} with 4 stars", 4, "at least 4 stars"),
    "hotel.max_price": (f"{STAY} under 90 EUR a night", Money(amount=Decimal(90)), "up to €90 a night"),
    "hotel.max_total": (
        f"{STAY}, 600 euros for the whole stay",
        Money(amount=Decimal(600)),
        "up to €600 in all",
    ),
    "hotel.min_score": (f"{STAY} rated 8.5 or better", 8.5, "rated 8.5 or better"),
    "hotel.name": ("I want to stay at the Hilton in Rome from 3 May", "hilton", "called Hilton"),
    "hotel.not_names": (f"{STAY}, not the Hilton", ("Hilton",), "not Hilton"),
    "hotel.amenities": (f"{STAY} with a pool", ("pool",), "with a pool"),
    "hotel.not_districts": (f"{STAY}, not in Trastevere", ("Trastevere",), "not in Trastevere"),
    "hotel.max_km": (f"{STAY} within 2 km of the centre", 2.0, "within 2 km of the centre"),
    "hotel.free_cancellation": (f"{STAY} with free cancellation", True, "with free cancellation"),
    "car.city": (RENTAL, "Rome", "in Rome"),
    "car.pick_up": (RENTAL, date(2027, 5, 3), "from Mon 3 May 2027"),
    "car.drop_off": (f"{RENTAL} to 6 May", date(2027, 5, 6), "to Thu 6 May 2027 (3 days)"),
    "car.station": (f"{RENTAL}, picked up at the airport", "airport", "at the airport"),
    "car.car_class": (f"{RENTAL}, an estate car", "estate", "estates"),
    "car.transmission": (f"{RENTAL}, automatic", "automatic", "automatic"),
    "car.seats": (f"{RENTAL} with 5 seats", 5, "with at least 5 seats"),
    "car.max_price": (f"{RENTAL} under 40 EUR a day", Money(amount=Decimal(40)), "up to €40 a day"),
    "car.free_cancellation": (f"{RENTAL} with free cancellation", True, "with free cancellation"),
}
"""For each slot a message that fills it, what it then holds, and the words in which the reply tells it."""


def test_every_row_has_its_example() -> None:
    assert EXAMPLES.keys() == ROWS.keys()


@pytest.mark.parametrize("name", ROWS)
def test_every_slot_is_read_told_and_stored(name: str) -> None:
    said, expected, words = EXAMPLES[name]
    understood = told(said)
    slot = ROWS[name]
    held = getattr(understood.of(slot.agent), slot.field)
    value = held.city.name if isinstance(held, Place) else held
    if slot.type == tuple[Place, ...]:
        value = tuple(place.city.name for place in held)
    assert (value.casefold() if name == "hotel.name" else value) == expected
    assert words.casefold() in f"{describe(understood)} {not_searched_by(understood)}".casefold()
    assert from_json(to_json(understood)) == understood


@pytest.mark.parametrize("name", ROWS)
def test_every_slot_is_kept_with_its_request_and_can_be_emptied(name: str) -> None:
    understood = told(EXAMPLES[name][0])
    slot = ROWS[name]
    assert name in held_in(understood).filled
    emptied = held_in(understood).changed(slot.agent, **{slot.field: slot.empty})
    assert name not in emptied.filled
    assert getattr(told(EXAMPLES[name][0], "thanks").of(slot.agent), slot.field) == getattr(
        understood.of(slot.agent), slot.field
    )


@pytest.mark.parametrize("name", ROWS)
def test_every_slot_that_is_searched_by_has_a_schema_and_is_shown_to_clients(name: str) -> None:
    slot = ROWS[name]
    is_given, is_shown = slot in given_by(slot.agent), slot in searched_by(slot.agent)
    assert (name in SLOTS_READ) == (is_given and slot.is_read_by_models)
    assert (slot.field in requested_in_words(slot.agent, told(EXAMPLES[name][0]))) == is_shown
    if slot.is_searched:
        assert schema_of(slot)


@pytest.mark.parametrize("name", [name for name, slot in ROWS.items() if slot.needed])
def test_missing_values_are_asked_for_in_words(name: str) -> None:
    slot = ROWS[name]
    assert WORDS[name].question
    assert slot.is_asked
    known = told(EXAMPLES[name][0])
    without = held_in(known).changed(slot.agent, **{slot.field: None}).of(slot.agent)
    changed: dict[str, Any] = {slot.agent: without}
    assert replace(known, **changed).missing == (name,)


@pytest.mark.parametrize("name", ROWS)
def test_clients_are_shown_what_their_types_promise(name: str) -> None:
    slot = ROWS[name]
    places = {"Spot": {"type": "object", "required": ["label"]}, "Money": {"type": "object"}}
    schema = {**request_schema(slot.agent), "components": {"schemas": places}, "additionalProperties": False}
    for said in (EXAMPLES[name][0], FLIGHT, STAY, RENTAL, "thanks"):
        shown = json.loads(encode(requested_in_words(slot.agent, told(said))))
        assert list(Draft202012Validator(schema).iter_errors(shown)) == []


@pytest.mark.parametrize("agent", SLOTS)
def test_every_field_of_a_question_has_a_title(agent: Any) -> None:
    assert FIELDS[agent]
    assert all(field["title"] for field in FIELDS[agent].values())


def test_every_row_has_its_words() -> None:
    assert WORDS.keys() == ROWS.keys()
    for name, words in WORDS.items():
        assert words.told or words.wished or WORDS[words.told_by].told, name
        assert ROWS[name].is_searched or words.wished or words.told_by, name


@pytest.mark.parametrize("agent", SLOTS)
def test_every_agent_with_slots_has_its_place_in_requests_and_messages(agent: str) -> None:
    assert {agent, f"whole_{agent}"} <= {field.name for field in fields(Understanding)}
    assert agent in {field.name for field in fields(Slots)}
    assert agent in FOUND


def test_fact_of_the_journey_is_in_one_slot_of_each_agent() -> None:
    for link in ("goal", "first_day", "last_day"):
        assert [slot.agent for slot in links_of(link)] == list(SLOTS)
    for link in ("people", "children"):
        assert [slot.agent for slot in links_of(link)] == ["flight", "hotel"]
    assert [slot.name for slot in answered_with(ROWS["hotel.city"])] == ["flight.destination"]
    assert answered_with(ROWS["flight.origin"]) == ()


@pytest.mark.parametrize("name", [name for name, slot in ROWS.items() if slot.is_searched])
def test_default_is_no_value_that_could_be_left_out(name: str) -> None:
    slot = ROWS[name]
    assert slot.filter is None or slot.default in (None, "")
    assert slot.instead_of == "" or slot.instead_of in {other.field for other in rows_of(slot.agent)}


def test_time_of_day_that_a_model_gives_is_read() -> None:
    slot = ROWS["flight.departs_after"]
    assert value_of(slot, "18:30", TODAY) == (time(18, 30), ())


def test_place_that_nobody_knows_is_refused_with_a_sentence() -> None:
    with pytest.raises(ValueError, match="I do not know a place"):
        value_of(ROWS["hotel.city"], "Nowhereville", TODAY)
