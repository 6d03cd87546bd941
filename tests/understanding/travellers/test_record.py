"""The record of the travellers' set: no words of theirs, and a turn that differs is told."""

import json

from scripts.travellers import RECORD, differences

TURN = {"id": "c1/01", "conversation": "c1", "message": "rome", "satisfied": "yes"}
BECAME = {
    "id": "c1/01",
    "message": "0f",
    "read": {"relation": "new"},
    "told": ["Rome"],
    "replies": ["Where?"],
}


def test_record_has_readings_and_facts_alone() -> None:
    record = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines()]
    assert {frozenset(one) for one in record} == {frozenset({"id", "message", "read", "told"})}
    assert {len(one["message"]) for one in record} == {12}


def test_turn_as_recorded_is_no_difference() -> None:
    assert differences([BECAME], [BECAME], {"c1/01": TURN}, readings_only=False) == []


def test_difference_shows_message_reply_and_both_values() -> None:
    [told] = differences([{**BECAME, "told": ["Oslo"]}], [BECAME], {"c1/01": TURN}, readings_only=False)
    assert told.splitlines() == [
        "c1/01 (yes): rome",
        "    reply: Where?",
        '    told was ["Rome"]',
        '    told now ["Oslo"]',
    ]
    assert differences([{**BECAME, "told": []}], [BECAME], {"c1/01": TURN}, readings_only=True) == []


def test_turn_that_is_not_recorded_is_a_difference() -> None:
    assert differences([BECAME], [], {"c1/01": TURN}, readings_only=True)
