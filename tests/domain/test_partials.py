"""Partial results: the whole is the sum of its pieces; and what an interrupted task leaves of them."""

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from backend.domain import events
from backend.domain.encoding import encode
from backend.domain.partials import PartialBatch, PartialResults
from tests.records import AT, a_context

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
def test_partial_results_are_the_sum_of_the_batches(found: Found) -> None:
    results = PartialResults(PartialBatch.of(agent, items) for agent, items in found)
    assert results.to_json() == summed(found)
    assert results.counts() == {agent: len(items) for agent, items in summed(found).items()}
    assert orjson.loads(encode({"partial_results": results.fragment()})) == {"partial_results": summed(found)}


@given(st.lists(batches, max_size=8))
def test_partial_result_events_add_up_to_the_whole(found: Found) -> None:
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
def test_partial_text_is_all_pieces_in_order(pieces: list[str]) -> None:
    results = PartialResults(text="so far: ")
    for piece in pieces:
        results.say(piece)
    assert results.text == "so far: " + "".join(pieces)


def test_partial_text_is_joined_only_when_read():
    results = PartialResults()
    for number in range(1000):
        results.say(str(number))
    assert len(results._pieces) == 1000  # adding a piece to one string would copy all before it
    assert results.text == "".join(map(str, range(1000)))
    assert results.text_length == len(results.text)


# --- interrupted contexts ---------------------------------------------------------------------------


def test_interrupted_context_has_the_fields_of_the_contract() -> None:
    assert orjson.loads(encode(a_context().to_wire())) == {
        "task_id": "ann-1",
        "message": "message 1",
        "reason": "superseded",
        "at": "2026-03-01T08:30:00.123Z",
        "partial_results": {"flight": [{"price": 1.5}], "hotel": []},
        "text": "so far",
        "asked": [],
    }


def test_interrupted_context_knows_without_decoding_whether_anything_was_found() -> None:
    unread = {"partial_results": b"no JSON", "text": ""}
    assert a_context(counts={"flight": 0}, **unread).found_nothing
    assert not a_context(counts={"flight": 0, "hotel": 1}, **unread).found_nothing
    assert not a_context(partial_results=b"{}", counts={}, text="so far").found_nothing


def test_interrupted_context_gives_graphs_plain_values_and_the_request() -> None:
    state = a_context().to_state()
    assert orjson.loads(orjson.dumps(state)) == state
    assert state["partial_results"] == a_context().items() == {"flight": [{"price": 1.5}], "hotel": []}
    assert state["request"] == {"stars": 4}
