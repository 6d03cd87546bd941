"""What wishes, hours, names, changes and negations mean: each line of `wishes.jsonl` is a conversation.

A line has what was `said`, what the last message changed in the slots of the request ("" where it emptied
one), and what was refused of it. `kind` tells what the line is an example of.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.travel.providers.demo.world import CARRIERS
from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.english.details.airlines import DEMO, DEMO_AIRLINES
from backend.travel.understanding.result import Place, Understanding
from backend.travel.understanding.slot_table import ROWS
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, told

STAY = "a hotel in Rome from 3 May"
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


def outcome(said: list[str]) -> dict[str, Any]:
    """Return what the last of the messages did, in the form of a line."""
    before = slots_of(told(*said[:-1]) if said[1:] else None)
    understood = told(*said)
    now = slots_of(understood)
    changed = {name: now.get(name, "") for name in (*now, *before) if now.get(name) != before.get(name)}
    refused = [[one.said, one.reason] for one in understood.refused]
    return {"relation": understood.relation, "slots": changed} | ({"refused": refused} if refused else {})


@pytest.mark.parametrize("line", LINES, ids=[f"{line['kind']}-{line['said'][-1]}" for line in LINES])
def test_message_means_what_its_line_tells(line: dict[str, Any]) -> None:
    expected = {name: value for name, value in line.items() if name not in ("kind", "said")}
    assert outcome(line["said"]) == expected


def test_airlines_of_the_demo_inventory_are_known_by_name() -> None:
    assert [name + DEMO for name in DEMO_AIRLINES] == [carrier.name for carrier in CARRIERS]


@pytest.mark.parametrize(
    "said",
    [
        "something cheap, I don't care where",
        "how about a moderate price range?",
        "is it in the expensive price range?",
        "I would rather be in the north",
        "do any of them have free parking?",
        "are any available on 8 May?",
    ],
)
def test_wish_goes_on_with_the_search_for_a_hotel(said: str) -> None:
    understood = told(STAY, said)
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    assert understood.hotel.city == told(STAY).hotel.city


def test_wish_answers_if_it_was_asked_for() -> None:
    prompt = Prompt(about=("hotel",), asks_details=True)
    understood = understand("in the north, please", previous=told(STAY), today=TODAY, prompt=prompt)
    assert (understood.relation, understood.agents) == ("answer", ("hotel",))


def test_wish_for_a_hotel_says_nothing_without_one() -> None:
    assert told(BERLIN_TO_TOKYO, "in the north").relation == "other"
    assert told("something cheap in the north").relation == "other"
