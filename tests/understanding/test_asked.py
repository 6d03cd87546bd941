"""What messages ask of what was found, book, cancel and leave as it is: each line of `asked.jsonl` is one.

A line has the conversation in `say`, and what its last message comes to: whom it `asks` and what it `books`
as far as these are filled, the `slots` that it changed ("" where it emptied one), what it `refused`. `while`
tells what is open as it is said: a permission ("deciding"), a task ("unfinished"). `kind` tells what the line
is an example of, `holds` of which promise.
"""

import json
from dataclasses import fields, is_dataclass, replace
from datetime import date, time
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from backend.travel.understanding.dialogue.prompt import Prompt, asking
from backend.travel.understanding.dialogue.slots import Slots
from backend.travel.understanding.english.found.questions import find_question
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.result import FlightSlots, HotelSlots, Place, Understanding
from backend.travel.understanding.slot_table import ROWS
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import City, Money
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, told

LINES = [json.loads(line) for line in Path(__file__).with_name("asked.jsonl").read_text("utf-8").splitlines()]


def in_short(value: Any) -> Any:
    """Return a value as it stands in a line: of an object only what is filled."""
    if isinstance(value, Place):
        return value.airport or value.city.name
    if isinstance(value, City | Money | date | time):
        return str(value.name if isinstance(value, City) else value)
    if isinstance(value, tuple):
        return [in_short(one) for one in value]
    if is_dataclass(value):
        filled = {field.name: in_short(getattr(value, field.name)) for field in fields(value)}
        return {name: one for name, one in filled.items() if one not in (None, "", False, [], {})}
    return value


def slots_of(understood: Understanding | None) -> dict[str, Any]:
    if understood is None:
        return {}
    values = {name: getattr(understood.of(row.agent), row.field) for name, row in ROWS.items()}
    return {name: in_short(value) for name, value in values.items() if value != ROWS[name].empty}


def outcome(line: dict[str, Any]) -> dict[str, Any]:
    """Return what the last message of a line comes to."""
    before: Understanding | None = None
    *earlier, said = line["say"]
    for message in earlier:
        before = understand(message, previous=before, today=TODAY)
    open_now = dict.fromkeys(line.get("while", ()), True)
    after = understand(said, previous=before, today=TODAY, **open_now)
    was, now = slots_of(before), slots_of(after)
    told = {
        "agents": list(after.agents),
        "wanted": list(after.wanted) if before is None or after.wanted != before.wanted else [],
        "slots": {name: now.get(name, "") for name in (*now, *was) if now.get(name) != was.get(name)},
        "asks": in_short(after.question) if after.question else {},
        "books": in_short(after.booking) if after.booking else {},
        "refused": [[one.said, one.reason] for one in after.refused],
        "unused": list(after.unused),
    }
    return {"relation": after.relation} | {name: value for name, value in told.items() if value}


def shortened(line: dict[str, Any]) -> dict[str, Any]:
    """Return what a line tells of its outcome."""
    return {name: value for name, value in line.items() if name not in ("kind", "holds", "say", "while")}


def lines_of(promise: str) -> pytest.MarkDecorator:
    """Parametrize with the lines that hold a promise, "" for those of none."""
    held = [line for line in LINES if line.get("holds", "") == promise]
    return pytest.mark.parametrize("line", held, ids=lambda line: line["say"][-1])


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@lines_of("FOUND-ANSWERS-QUESTIONS")
def test_question_about_what_was_found_is_read(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


@pytest.mark.requirement("BOTH-ARE-BOOKED-IN-TURN")
@lines_of("BOTH-ARE-BOOKED-IN-TURN")
def test_flight_and_hotel_are_wanted_one_after_the_other(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
@lines_of("CANCEL-IS-ABOUT-THE-BOOKING")
def test_to_cancel_is_to_cancel_what_was_booked(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@lines_of("NOTHING-SAID-IS-LOST-IN-SILENCE")
def test_what_nothing_is_made_of_is_named(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


@pytest.mark.requirement("STOPS-IN-MANY-WORDS")
@lines_of("STOPS-IN-MANY-WORDS")
def test_stop_stops_and_other_words_do_not(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


@lines_of("")
def test_message_comes_to_what_its_line_tells(line: dict[str, Any]) -> None:
    assert outcome(line) == shortened(line)


def test_no_conversation_stands_twice() -> None:
    said = [(*line["say"], *line.get("while", ())) for line in LINES]
    assert len(said) == len(set(said))


TRIP = "Flights from Berlin to Lisbon, 12 to 16 December, a hotel there and a rental car for two"
FIRST_ASKED = ["is that one automatic?", "does it have a pool?", "how long is the flight?"]
ASKED_BEHIND = [
    "total price please", "the total please", "and the price?", "rating?", "is there a bag",
    "can I cancel it", "what time does it leave", "which airline", "how much per person",
    "does it have parking", "the weather there",
]  # fmt: skip


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize("behind", ASKED_BEHIND)
@pytest.mark.parametrize("first", FIRST_ASKED)
def test_each_of_two_questions_is_answered_or_named(first: str, behind: str) -> None:
    for message in (f"{first} {behind}", f"{first.rstrip('?')} and {behind.removeprefix('and ')}"):
        asked = told(TRIP, message).question
        assert asked is not None
        assert len(asked.also) + len(asked.unread) == 1, message


ASKED_BESIDE = [
    "which is the cheapest?",
    "does the hotel have a pool?",
    "how many stops?",
    "what's the total?",
]
CHANGES = [
    "make it 3 people", "only nonstop please", "go to Porto instead", "leave a day later", "forget the car",
    "I need a hotel with parking", "4 stars at least", "under 300 euros", "book the cheapest flight",
]  # fmt: skip


@pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("asked", ASKED_BESIDE)
def test_question_beside_a_change_is_asked_and_the_change_made(asked: str, change: str) -> None:
    alone = told(TRIP, change)
    for message in (
        f"{asked} and {change}",
        f"{change}. {asked}",
        f"{change}, and {asked}",
        f"{asked.rstrip('?')}, also {change}",
    ):
        both = told(TRIP, message)
        assert both.question == told(TRIP, asked).question, message
        assert replace(both, question=None) == alone, message


APART = [
    "make it 3 people", "only nonstop", "go to Porto instead", "leave a day later", "business class",
    "4 stars at least", "leaving after 9", "from Hamburg", "stay two nights longer", "with a pool",
]  # fmt: skip


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize(("first", "second"), [*permutations(APART, 2)])
def test_two_changes_of_one_message_are_both_made(first: str, second: str) -> None:
    both = before = slots_of(told(TRIP))
    for change in (first, second):
        alone = slots_of(told(TRIP, change)).items()
        both = both | {name: value for name, value in alone if value != before.get(name)}
    for message in (f"{first} and {second}", f"{first}, {second}", f"{first}. {second}."):
        understood = told(TRIP, message)
        assert slots_of(understood) == both, message
        assert understood.refused == ()


ASKED_AFTER_A_QUESTION = {
    "we leave on the 3rd": (Prompt(proposed=Slots(flight=FlightSlots(departure_date=TODAY))), "answer"),
    "I have no bags to check in, and return on the 14th": (asking("flight.return_date"), "answer"),
    "No, I'll do that later": (Prompt(), "other"),
    "No, find me something else": (Prompt(), "refine"),
    "No, show me later flights": (Prompt(), "refine"),
}


@pytest.mark.parametrize(("said", "asked"), ASKED_AFTER_A_QUESTION.items())
def test_what_another_assistant_asked_is_answered_or_not(said: str, asked: tuple[Prompt, str]) -> None:
    prompt, relation = asked
    understood = understand(said, previous=told(BERLIN_TO_TOKYO), today=TODAY, prompt=prompt)
    assert (understood.relation, understood.hotel) == (relation, HotelSlots())


def test_offer_is_not_taken_by_asking_about_it() -> None:
    offer = Prompt(offered=Slots(flight=FlightSlots(airline="Lufthansa")))
    before = told(BERLIN_TO_TOKYO)
    asked = understand("Ok, when does it arrive?", previous=before, today=TODAY, prompt=offer)
    assert (asked.relation, asked.flight.airline) == ("other", None)
    taken = understand("Sounds good. When does it arrive?", previous=before, today=TODAY, prompt=offer)
    assert taken.flight.airline == "Lufthansa"


def test_agent_that_has_not_searched_is_not_asked() -> None:
    assert find_question(Text("does it have a pool?"), (), ("flight",)) is None
    assert find_question(Text("how long is the layover?"), (), ("hotel",)) is None
    assert find_question(Text("which one is the cheapest?"), (), ()) is None
