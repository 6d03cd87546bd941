"""Partial results: the whole is always the sum of what was shown piece by piece."""

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from backend.domain import events
from backend.domain.encoding import encode
from backend.domain.partials import PartialBatch, PartialResults
from tests.records import AT

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
batches = st.tuples(
    st.sampled_from(["flight", "hotel", 'a "quoted", \\ name']), st.lists(json_values, max_size=4)
)
Found = list[tuple[str, list[Any]]]


def summed(found: Found) -> dict[str, list[Any]]:
    whole: dict[str, list[Any]] = {}
    for agent, items in found:
        whole.setdefault(agent, []).extend(items)
    return whole


@given(st.lists(batches, max_size=8))
def test_the_whole_is_the_sum_of_the_batches(found: Found) -> None:
    results = PartialResults(PartialBatch.of(agent, items) for agent, items in found)
    assert results.to_json() == summed(found)
    assert results.counts() == {agent: len(items) for agent, items in summed(found).items()}
    assert orjson.loads(encode({"partial_results": results.fragment()})) == {"partial_results": summed(found)}


@given(st.lists(batches, max_size=8))
def test_a_client_that_adds_up_the_events_has_the_whole_and_the_counts(found: Found) -> None:
    results, clients = PartialResults(), PartialResults()
    for agent, items in found:
        batch = PartialBatch.of(agent, items, source="demo")
        results.add(batch)
        event = orjson.loads(events.partial_result("t", batch, count=results.count(agent), at=AT).body)
        clients.add(PartialBatch.of(event["agent"], event["items"]))
        assert event["items"] == items
        assert event["count"] == clients.counts()[agent]
    assert clients.to_json() == results.to_json()


@given(st.lists(st.text(min_size=1), max_size=6))
def test_the_text_is_all_that_was_said_in_order(pieces: list[str]) -> None:
    results = PartialResults(text="so far: ")
    for piece in pieces:
        results.say(piece)
    assert results.text == "so far: " + "".join(pieces)


def test_nothing_found_is_an_empty_object() -> None:
    assert PartialResults().to_json() == {}
    assert PartialResults().counts() == {}
    assert PartialResults().text == ""


def test_streamed_text_is_joined_when_it_is_read_and_not_with_each_piece():
    results = PartialResults()
    for number in range(1000):
        results.say(str(number))
    assert len(results._pieces) == 1000  # adding a piece to one string would copy all before it
    assert results.text == "".join(map(str, range(1000)))
    assert results.text_length == len(results.text)
