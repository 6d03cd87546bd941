"""What the readers of decisions, stops and talk make of a message: each line of `talk.jsonl` is one reading.

A line has the `reader`, what is `said`, what is decided upon (`to`), and the `result`. `kind` tells what the
line is an example of.
"""

import json
from collections.abc import Callable, Mapping
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk import decisions, remarks, stops
from backend.travel.understanding.english.talk.remarks import ALL_RIGHT, small_talk
from backend.travel.understanding.english.unread import beside_an_assent
from tests.understanding.conversation import told

LINES = [json.loads(line) for line in Path(__file__).with_name("talk.jsonl").read_text("utf-8").splitlines()]


def of_text(reader: Callable[[Text], Any]) -> Callable[[str], Any]:
    return lambda said: reader(Text(said))


READERS: Mapping[str, Callable[..., Any]] = {
    "decision_in": decisions.decision_in,
    "pauses": decisions.pauses,
    "denies_in_passing": decisions.denies_in_passing,
    "does_otherwise": decisions.does_otherwise,
    "is_praise": of_text(lambda text: decisions.find_praise(text) >= 0),
    "left_of_a_put_off": stops.without_put_offs,
    "says_nothing": stops.says_nothing,
    "undoes": of_text(remarks.undoes),
    "redoes": of_text(remarks.redoes),
    "starts_over": of_text(remarks.starts_over),
    "what_was_right": of_text(
        lambda text: (right := remarks.find_right(text)) and [right.what, right.is_oldest]
    ),
    "is_closing": of_text(remarks.is_closing),
    "is_only_told": of_text(remarks.is_only_told),
    "asks_about": of_text(remarks.asks_about),
    "asks_for_more": of_text(remarks.asks_for_more),
    "beside_an_assent": of_text(beside_an_assent),
    "small_talk": small_talk,
}


def read(line: dict[str, Any]) -> Any:
    reader = READERS[line["reader"]]
    return (partial(reader, to=line["to"]) if "to" in line else reader)(line["said"])


@pytest.mark.requirement("UNDO-GOES-BACK")
@pytest.mark.requirement("START-OVER-FORGETS")
@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line['reader']}-{line['said']}")
def test_reader_makes_of_a_message_what_its_line_tells(line: dict[str, Any]) -> None:
    result = read(line)
    is_told = isinstance(result, str) and line["reader"] in ("small_talk", "left_of_a_put_off")
    assert (result.strip(" ,.") if is_told else result) == line["result"]


DECIDING = [line for line in LINES if line["reader"] == "decision_in" and line["result"] and "to" not in line]


@given(st.sampled_from(DECIDING), st.text(min_size=1, max_size=30), st.booleans())
def test_yes_with_anything_beside_it_never_becomes_a_no_nor_the_other_way_round(line, beside, is_before):
    said, decided = line["said"], line["result"]
    both = decisions.decision_in(f"{beside} {said}" if is_before else f"{said} {beside}")
    # "ok, none": before a no of its own an "ok" is no yes.
    is_mere_ok = said == "ok" and not is_before and decisions.decision_in(beside) == "deny"
    assert both in (None, "deny" if is_mere_ok else decided)


ASSENTS = ("ok", "great", "sure", "yes", "all right", "no problem")
WISHES = {
    "with a balcony": "balcony", "only if vegan food": "vegan", "near a laundromat": "laundromat",
    "a kitchen would be great": "kitchen", "i get sick upfront": "sick", "ORY too": "ORY",
}  # fmt: skip


@pytest.mark.parametrize(("assent", "wish"), list(product(ASSENTS, WISHES)))
@pytest.mark.parametrize("before", ["flight London to Madrid 4 dec back 8 dec", "hotel in Rome 5-8 dec"])
def test_wish_beside_an_assent_is_used_or_named(before: str, assent: str, wish: str) -> None:
    said = f"{assent}, {wish}"
    understood = told(before, said)
    is_taken = understood.relation != "other" or understood.question or understood.refused
    assert is_taken or small_talk(said) != ALL_RIGHT or WISHES[wish] in beside_an_assent(Text(said))
