"""The form of the project's own labelled messages: people who change their minds, labelled by reading.

One record a line: what was said before, the message, what a demanding travel agent would make of it, and
the day it is said on. The labels were written without looking at the rules that read them, so they may
disagree; nothing here is about how well the rules do. `dontcare` is a slot that the message leaves open,
or that may be kept or dropped: it counts neither way.

The rules may be tuned on `mind_changes.jsonl` and never on `held_out.jsonl`, which tells how they do with
people they have not met.
"""

import json
import re
from collections import Counter
from datetime import date
from itertools import chain
from pathlib import Path
from typing import get_args

import pytest

from backend.travel.understanding.result import Agent, Relation
from backend.travel.values.travel import CabinClass


def read(name):
    return [json.loads(line) for line in Path(__file__).with_name(name).read_text("utf-8").splitlines()]


BY_SOURCE = {"own": read("mind_changes.jsonl"), "held_out": read("held_out.jsonl")}
RECORDS = [*chain.from_iterable(BY_SOURCE.values())]
TODAY = date(2026, 11, 20)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d")
KINDS = {
    "flight": {
        **dict.fromkeys(("origin", "destination", "cabin_class", "airline"), str),
        **dict.fromkeys(("departure_date", "return_date"), date),
        **dict.fromkeys(("passengers", "max_stops"), int),
        "max_price": float,
    },
    "hotel": {
        **dict.fromkeys(("city", "area", "name"), str),
        **dict.fromkeys(("check_in", "check_out"), date),
        **dict.fromkeys(("nights", "rooms", "guests", "stars"), int),
        "max_price": float,
    },
}
REQUIRED = {"id", "source", "history", "utterance", "expected", "date_context", "state_before"}
LABELS = {"intent", "slots", "relation", "relation_why"}


def is_of_kind(value, kind):
    if value == "dontcare":
        return True
    if kind is date:
        return bool(ISO_DATE.fullmatch(value)) and date.fromisoformat(value) >= TODAY
    if kind is str:
        return isinstance(value, str) and value.strip() == value != ""
    return (
        not isinstance(value, bool) and isinstance(value, int if kind is int else (int, float)) and value >= 0
    )


def plain(slots):
    return {agent: {name: slot["value"] for name, slot in known.items()} for agent, known in slots.items()}


def flat(state):
    return {f"{agent}.{name}": value for agent, known in state.items() for name, value in known.items()}


@pytest.mark.parametrize(("source", "enough"), [("own", 200), ("held_out", 120)])
def test_there_are_enough_of_them(source, enough) -> None:
    assert len(BY_SOURCE[source]) >= enough


def test_no_held_out_message_is_one_that_is_tuned_on() -> None:
    own, held_out = ({one["utterance"].casefold() for one in records} for records in BY_SOURCE.values())
    assert not own & held_out


def test_none_is_there_twice_in_either_file() -> None:
    assert len({one["id"] for one in RECORDS}) == len(RECORDS)
    assert len({(one["utterance"], json.dumps(one["history"])) for one in RECORDS}) == len(RECORDS)


@pytest.mark.parametrize(("source", "each", "into_a_search"), [("own", 15, 60), ("held_out", 10, 45)])
def test_every_relation_is_there_and_many_records_change_what_runs(source, each, into_a_search) -> None:
    relations = Counter(one["expected"]["relation"] for one in BY_SOURCE[source])
    assert min(relations[name] for name in get_args(Relation)) >= each
    said_into_a_search = [
        one
        for one in BY_SOURCE[source]
        if one["expected"]["relation"] in {"new", "refine", "add"}
        and one["history"]
        and one["history"][-1]["role"] == "user"
    ]
    assert len(said_into_a_search) >= into_a_search


def test_every_record_names_the_file_it_is_from() -> None:
    for source, records in BY_SOURCE.items():
        for record in records:
            assert record["source"] == source
            assert record["id"].startswith(f"{source}/{record['expected']['relation']}/")


def test_every_record_has_the_fields_of_the_form() -> None:
    for record in RECORDS:
        assert REQUIRED <= set(record) <= REQUIRED | {"changed", "out_of_schema"}
        assert LABELS <= set(record["expected"]) <= LABELS | {"intent_also", "relation_also"}
        assert record["utterance"].strip()
        assert record["date_context"] == TODAY.isoformat()
        assert len(record["history"]) <= 6
        for turn in record["history"]:
            assert set(turn) == {"role", "text"}
            assert turn["role"] in {"user", "assistant"}
            assert turn["text"].strip()


def test_intents_and_relations_are_known_ones() -> None:
    for record in RECORDS:
        expected = record["expected"]
        for intent in [expected["intent"], *expected.get("intent_also", [])]:
            assert intent == ["other"] or (intent and set(intent) <= set(get_args(Agent)))
        assert expected["intent"] not in expected.get("intent_also", [])
        relations = [expected["relation"], *expected.get("relation_also", [])]
        assert set(relations) <= set(get_args(Relation))
        assert len(set(relations)) == len(relations)


def test_slots_are_named_and_normal() -> None:
    for record in RECORDS:
        slots = record["expected"]["slots"]
        assert slots is not None or "changed" not in record
        states = [record["state_before"], plain(slots or {})]
        for agent, known in chain.from_iterable(state.items() for state in states):
            assert set(known) <= set(KINDS[agent])
            assert all(is_of_kind(value, KINDS[agent][name]) for name, value in known.items())
            cabin_class = known.get("cabin_class", "dontcare").replace(" ", "_")
            assert cabin_class in {*get_args(CabinClass), "dontcare"}
        for slot in chain.from_iterable(known.values() for known in (slots or {}).values()):
            assert {"value", "from"} <= set(slot) <= {"text", "value", "from"}
            assert slot["from"] in {"user", "carried"}


def test_changed_values_are_those_that_differ() -> None:
    for record in RECORDS:
        if record["expected"]["slots"] is not None:
            before, after = flat(record["state_before"]), flat(plain(record["expected"]["slots"]))
            differing = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
            assert set(record["changed"]) == {name for name in differing if after.get(name) != "dontcare"}


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("4 December", date),
        ("2026-11-19", date),
        (True, int),
        ("2", int),
        (-1, int),
        ("", str),
        ("80", float),
    ],
)
def test_value_out_of_form_is_found(value, kind) -> None:
    assert not is_of_kind(value, kind)
