"""Each event's JSON is what the wire contract says, field by field."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain import events
from backend.domain.events import Event, stored
from backend.domain.partials import PartialBatch, PartialResults
from backend.domain.task import AgentProgress, InterruptReason, TaskStatus
from tests.records import AT, a_message, a_task, an_event

FOUND = PartialBatch.of("flight", [{"id": 1}, {"id": 2}], source="demo")
CALL = {"call_id": "c1", "tool": "search_flights", "state": "running", "effect": "read", "summary": "HAM-LIS"}


def one_of_each() -> dict[str, Event]:
    working = AgentProgress(
        state="working", detail="asking", done=1, total=3, count=2, since=AT, request={"city": "Rome"}
    )
    made = [
        events.status_update(a_task(), PartialResults([FOUND]), {"flight": working}),
        events.agent_update("ann-1", "flight", working, with_request=True, at=AT),
        events.partial_result("ann-1", FOUND, count=2, at=AT),
        events.text_delta("ann-1", "I found", offset=3, at=AT),
        events.message(a_message(position=1, role="assistant", text="Here", interrupted=True)),
        events.tool_update("ann-1", CALL, at=AT),
        events.context_transfer(
            "ann-1", from_task_id="ann-0", relation="refine", carried={"flight": 2}, dropped=["hotel"], at=AT
        ),
        events.receipt("ann-1", {"reason": "stopped"}, at=AT),
    ]
    return {event.type: event for event in made}


def sent(event: Event, seq: int = 7) -> dict[str, Any]:
    return orjson.loads(stored(seq, event.body).frame)


def test_event_has_exactly_the_fields_of_its_type() -> None:
    frames = {kind: sent(event) for kind, event in one_of_each().items()}
    for kind, frame in frames.items():
        common = {name: frame.pop(name) for name in ("seq", "type", "task_id", "at")}
        at = "2026-03-01T08:30:00.123Z"
        assert common == {"seq": 7, "type": kind, "task_id": "ann-1", "at": at}
    assert frames == {
        "status_update": {
            "status": "running",
            "reason": None,
            "message": "message 1",
            "current_agent": "flight",
            "partial_results": {"flight": [{"id": 1}, {"id": 2}]},
        },
        "agent_update": {
            "agent": "flight",
            "state": "working",
            "detail": "asking",
            "done": 1,
            "total": 3,
            "count": 2,
            "since": "2026-03-01T08:30:00.123Z",
            "until": None,
            "request": {"city": "Rome"},
        },
        "partial_result": {"agent": "flight", "items": [{"id": 1}, {"id": 2}], "count": 2, "source": "demo"},
        "text_delta": {"text": "I found", "offset": 3},
        "message": {
            "message_id": "ann-1.1",
            "role": "assistant",
            "text": "Here",
            "interrupted": True,
            "client_id": None,
        },
        "tool_update": CALL,
        "context_transfer": {
            "from_task_id": "ann-0",
            "relation": "refine",
            "carried": {"flight": 2},
            "adopted": [],
            "dropped": ["hotel"],
        },
        "receipt": {"receipt": {"reason": "stopped"}},
    }


@pytest.mark.parametrize("status", TaskStatus)
def test_status_update_has_a_reason_only_once_the_task_ends(status: TaskStatus) -> None:
    task = a_task(status=status, reason=InterruptReason.SUPERSEDED)
    told = sent(events.status_update(task, PartialResults()))["reason"]
    assert told == ("superseded" if status.terminal or status == "cancelling" else None)


def test_agent_update_has_a_request_only_if_it_is_new() -> None:
    asked = AgentProgress(state="working", request={"city": "Rome"})
    assert "request" not in sent(events.agent_update("t", "hotel", asked, with_request=False, at=AT))
    silent = AgentProgress(state="working")
    assert "request" not in sent(events.agent_update("t", "hotel", silent, with_request=True, at=AT))


@given(st.integers(1, 2**62), st.text())
def test_event_number_is_prepended_and_changes_nothing_else(seq: int, text: str) -> None:
    event = an_event(text)
    numbered = stored(seq, event.body)
    assert numbered.seq == seq
    assert numbered.frame.startswith(b'{"seq":%d,' % seq)
    assert orjson.loads(numbered.frame) == {"seq": seq, **orjson.loads(event.body)}


TRICKY = ',"partial_results":{},"items":[{"count":1}],"count":'


@given(st.text() | st.just(TRICKY), st.text() | st.just(TRICKY))
def test_status_update_embeds_results_whatever_the_message_says(message: str, agent: str) -> None:
    batch = PartialBatch.of(agent, [{"items": [agent], "count": 1}], source=agent)
    results = PartialResults([batch])
    event = events.status_update(a_task(message=message), results)
    none = events.status_update(a_task(message=message), PartialResults())
    assert orjson.loads(event.body) == {**orjson.loads(none.body), "partial_results": results.to_json()}
    assert list(orjson.loads(event.body)) == list(orjson.loads(none.body))
    found = events.batch_in(events.partial_result("t", batch, count=1, at=AT).body)
    assert (found.agent, found.items) == (agent, batch.items)


def test_partial_result_of_empty_batch_has_an_empty_list() -> None:
    assert sent(events.partial_result("t", PartialBatch.of("hotel", []), count=0, at=AT))["items"] == []
