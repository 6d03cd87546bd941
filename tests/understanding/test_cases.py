"""What conversations come to: each line of `cases/` is one, with what is known after its last message.

`say` are the messages. `flight`, `hotel` and `car` name slots with their values, null for one that is empty;
`same_as` is a conversation after which all slots are the same. `refused` is what is told as not taken, with
`reasons` by its reasons and in `told` by a part of the sentence. `people`, `facts` and `dates` are what the
readers of these make of the message alone; `places` are those in it, each with its role, its name and what
else it may be, and `unknown` names that nobody knows. `today` is the day, if not that of all other cases;
`period` the first and the last day out of which one is still to be said, `choices` what could be meant as
well. `tour` has the cities as they are gone through, `nights` those in each.
"""

import json
from dataclasses import fields
from datetime import date, time
from pathlib import Path
from typing import Any

import pytest

from backend.travel.understanding.english.dates.dates import DateMention, find_dates
from backend.travel.understanding.english.details.facts import read_facts
from backend.travel.understanding.english.details.people import find_people
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.places.finder import PlaceMention
from backend.travel.understanding.english.places.places import find_places
from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.message import Facts
from backend.travel.understanding.places.gazetteer import load_gazetteer
from backend.travel.understanding.result import Place, TourWish, Understanding
from backend.travel.values.travel import City, Money
from tests.understanding.conversation import TODAY, flight, hotel, name, told

HERE = Path(__file__).parent / "cases"
CASES = [
    pytest.param(json.loads(line), id=f"{path.stem}-{number}")
    for path in sorted(HERE.glob("*.jsonl"))
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
]


def plain(value: Any) -> Any:
    """Return a value as it stands in a case."""
    if isinstance(value, Money):
        return f"{value.amount.normalize():f} {value.currency}"
    if isinstance(value, Place):
        return name(value)
    if isinstance(value, City):
        return value.name
    if isinstance(value, date | time):
        return value.isoformat() if isinstance(value, date) else f"{value:%H:%M}"
    if isinstance(value, tuple | list):
        return [plain(one) for one in value] or None
    return value


def after(understood: Understanding, case: dict[str, Any]) -> dict[str, Any]:
    """Return all that a case tells, as it is after its messages."""
    text = Text(case["say"][-1])
    facts = read_facts(text, 0, text.length) if "facts" in case else Facts()
    places = find_places(text, load_gazetteer()) if case.keys() & {"places", "unknown"} else None
    today = day_of(case)
    dates = find_dates(text, today=today) if "dates" in case else ()
    period, tour = understood.period, understood.tour
    same = told(*case["same_as"], today=today) if "same_as" in case else understood
    is_same = (flight(same), hotel(same)) == (flight(understood), hotel(understood))
    known = {
        "say": case["say"],
        "kind": case["kind"],
        "today": case.get("today"),
        "same_as": case.get("same_as") if is_same else None,
        "places": [place_of(one) for one in places.mentions] if places else None,
        "unknown": [one.said for one in places.unknown] if places else None,
        "people": find_people(text) if "people" in case else None,
        "facts": {key: plain(one) for key, one in vars_of(facts).items() if one not in (None, (), False)},
        "dates": [mention_of(one) for one in dates],
        "period": [plain(period.start), plain(period.end)] if period else None,
        "choices": [[one.taken, *one.others] for one in understood.alternatives],
        "relation": understood.relation,
        "agents": plain(understood.agents),
        "refused": [one.said for one in understood.refused],
        "reasons": [one.reason for one in understood.refused],
        "told": case.get("told") if case.get("told", "") in refusals(understood) else refusals(understood),
        "unused": list(understood.unused),
        "nights": [tour.stay_in(city).nights or tour.nights for city in tour.cities] if tour else None,
        "tour": tour_of(tour, case["tour"]) if tour and case.get("tour") else tour,
    }
    known |= {
        agent: {slot: plain(getattr(understood.of(agent), slot)) for slot in case[agent]}
        for agent in ("flight", "hotel", "car")
        if agent in case
    }
    return {key: known[key] for key in case}


def place_of(mention: PlaceMention) -> list[str]:
    """Return a place as it stands in a case: ["origin", "Berlin, DE"], ["", "", "Florence, Italy", ...]."""
    place = mention.place
    return [mention.role, (place.airport or place.city.label) if place else "", *mention.others]


def day_of(case: dict[str, Any]) -> date:
    return date.fromisoformat(case["today"]) if "today" in case else TODAY


def mention_of(one: DateMention) -> dict[str, Any]:
    """Return what a message tells of a day, a range, or a length of stay."""
    values = {field.name: plain(getattr(one, field.name)) for field in fields(one)}
    words = {"first", "after", "has_loose_end"}
    return {name: value for name, value in values.items() if value and name not in words}


def tour_of(tour: TourWish, case: dict[str, Any]) -> dict[str, Any]:
    """Return what a case tells of a journey: `way` are its cities, where it starts and where it ends."""
    start = [tour.start.city.name] if tour.start else []
    end = [(tour.start or tour.cities[0]).city.name] if tour.returns else []
    way = [*start, *(city.city.name for city in tour.cities), *end]
    return {key: way if key == "way" else plain(getattr(tour, key)) for key in case}


def vars_of(facts: Facts) -> dict[str, Any]:
    return {field: getattr(facts, field) for field in Facts.__slots__}


@pytest.mark.parametrize("case", CASES)
def test_conversation_comes_to_what_its_case_tells(case: dict[str, Any]) -> None:
    assert after(told(*case["say"], today=day_of(case)), case) == case


def test_cases_tell_something_and_no_conversation_stands_twice() -> None:
    cases = [param.values[0] for param in CASES]
    assert all(case.keys() - {"kind", "say"} for case in cases)
    said = [(case["kind"], *case["say"]) for case in cases]
    assert len(said) == len(set(said))
