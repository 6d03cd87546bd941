"""What an interrupted task leaves behind, as clients and as graphs get it."""

import orjson

from backend.domain.encoding import encode
from tests.records import a_context


def test_clients_get_the_fields_of_the_contract() -> None:
    assert orjson.loads(encode(a_context().to_wire())) == {
        "task_id": "ann-1",
        "message": "message 1",
        "reason": "superseded",
        "at": "2026-03-01T08:30:00.123Z",
        "partial_results": {"flight": [{"price": 1.5}], "hotel": []},
        "text": "so far",
        "asked": [],
    }


def test_whether_anything_was_found_is_known_without_reading_it() -> None:
    unread = {"partial_results": b"no JSON", "text": ""}
    assert a_context(counts={"flight": 0}, **unread).found_nothing
    assert not a_context(counts={"flight": 0, "hotel": 1}, **unread).found_nothing
    assert not a_context(partial_results=b"{}", counts={}, text="so far").found_nothing


def test_a_graph_gets_plain_values_and_what_had_been_asked_for() -> None:
    state = a_context().to_state()
    assert orjson.loads(orjson.dumps(state)) == state
    assert state["partial_results"] == a_context().items() == {"flight": [{"price": 1.5}], "hotel": []}
    assert state["request"] == {"stars": 4}
