"""One run as one assistant message: which text is the reply, and what a retry or a trimmed log leaves."""

from typing import Any

import pytest

from backend.protocols.ai_sdk.rendering import RunChunks, UIMessage
from backend.protocols.thread.fold import Fold
from backend.protocols.thread.state import ThreadState

AT = "2026-11-22T12:00:00.000Z"


def fold(*, retries: dict[str, str] | None = None, continued: set[str] | None = None) -> Fold:
    return Fold(ThreadState("e"), retries=retries or {}, continued=continued or set())


def numbered(frames: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {"seq": number, "task_id": "t", "at": AT, **frame} for number, frame in enumerate(frames, start=1)
    ]


def chunks(frames: list[dict[str, Any]], run_id: str = "t", **known: Any) -> list[dict[str, Any]]:
    folded, rendered = fold(**known), RunChunks(run_id)
    return [each for frame in numbered(frames) for each in rendered.step(folded.take(frame), folded.state)]


def parts(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the parts of the message that chunks make."""
    message = UIMessage()
    for each in found:
        message.take(each)
    return message.to_wire()["parts"]


def texts(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(each["type"], each["text"]) for each in parts(found) if "text" in each]


def said(text: str, role: str = "assistant", number: int = 1, **fields: Any) -> dict[str, Any]:
    task = fields.get("task_id", "t")
    entry = {"message_id": f"{task}.{number}", "role": role, "text": text, "interrupted": False}
    return {"type": "message", "client_id": None, **entry, **fields}


def status(value: str, reason: str | None = None, **fields: Any) -> dict[str, Any]:
    told = {"status": value, "reason": reason, "message": "hi", "partial_results": {}}
    return {"type": "status_update", **told, **fields}


def piece(text: str, message_id: str | None = None, **fields: Any) -> dict[str, Any]:
    by = {} if message_id is None else {"node": "agent", "message_id": message_id, "reply": True}
    return {"type": "text_delta", "text": text, "offset": 0, **by, **fields}


BEGUN = [said("hi", "user", 0), status("running")]


def replied(*frames: dict[str, Any], reply: str) -> list[dict[str, Any]]:
    return [*BEGUN, *frames, said(reply), status("completed")]


@pytest.mark.parametrize(
    ("streamed", "reply", "shown"),
    [
        ([piece("one ", "a"), piece("two", "a")], "one two", ["one two"]),
        ([piece("one ", "a")], "one two", ["one two"]),
        ([piece("a draft", "a")], "one two", ["a draft", "one two"]),
        ([piece("In", "a")], "Indeed", ["In", "Indeed"]),
        ([piece("plan", "a"), piece("\n\n"), piece("reply", "b")], "reply", ["plan", "reply"]),
    ],
)
def test_reply_is_shown_once_beside_what_was_streamed_of_it(streamed, reply, shown):
    assert texts(chunks(replied(*streamed, reply=reply))) == [("text", each) for each in shown]


def test_reply_that_was_not_streamed_is_shown_under_its_own_id():
    found = chunks(replied(reply="one two"))
    assert texts(found) == [("text", "one two")]
    assert [each["id"] for each in found if each["type"] == "text-start"] == ["t.1"]


def test_text_of_a_node_that_does_not_reply_is_reasoning():
    inner = {"node": "judge", "message_id": "j", "reply": False}
    frames = replied(
        piece("hm", **inner), piece("re", "a"), piece("m", **inner), piece("ply", "a"), reply="reply"
    )
    found = chunks(frames)
    assert texts(found) == [("reasoning", "hmm"), ("text", "reply")]
    (begun,) = [each for each in found if each["type"] == "reasoning-start"]
    assert begun["providerMetadata"] == {"detour": {"node": "judge"}}
    assert [each["state"] for each in parts(found)] == ["done", "done"]


def test_models_that_speak_at_once_have_one_part_each_until_their_node_ends():
    ended = {"type": "agent_update", "agent": "b", "state": "done", "until": AT}
    frames = [
        *BEGUN,
        piece("one ", "a", node="a"),
        piece("three", "b", node="b"),
        said("Which?"),
        piece("two", "a", node="a"),
        ended,
        piece(" more", "a", node="a"),
        said("one two more", number=2),
        status("completed"),
    ]
    found = chunks(frames)
    assert texts(found) == [("text", "one two more"), ("text", "three"), ("text", "Which?")]
    closed = [each["id"] for each in found if each["type"] == "text-end"]
    assert closed == ["t.1", "b", "a"]


def test_reply_that_goes_on_after_an_answer_shows_in_each_message_what_is_new():
    asked = {"type": "input_request", "request_id": "q", "prompt": "Where?"}
    frames = [
        *BEGUN,
        piece("Let me see."),
        said("Where?"),
        asked,
        status("input_required"),
        {"type": "task_resting"},
        said("Rome", "user", 2),
        {"type": "input_resolved", "request_id": "q", "outcome": "answered"},
        status("running"),
        piece("\n\n"),
        piece("Here."),
        said("Let me see.\n\nHere.", number=3),
        status("completed"),
    ]
    assert texts(chunks(frames)) == [("text", "Let me see."), ("text", "Where?")]
    assert texts(chunks(frames, "t-r2")) == [("text", "Here.")]


def test_question_that_is_withdrawn_while_its_run_goes_on_says_so():
    asked = {"type": "input_request", "request_id": "q", "prompt": "Where?"}
    resolved = {"type": "input_resolved", "request_id": "q", "outcome": "withdrawn"}
    found = chunks([*BEGUN, said("Where?"), asked, resolved, said("Done.", number=2), status("completed")])
    assert [each["data"] for each in parts(found) if each["type"] == "data-question"] == [
        {"request_id": "q", "prompt": "Where?", "outcome": "withdrawn"}
    ]


def test_text_cut_short_is_shown_once_with_the_receipt_as_its_marker():
    receipt = {"reason": "stopped"}
    frames = [
        *BEGUN,
        piece("one ", "a"),
        said("one", interrupted=True),
        said("Stopped by the user.", "system", 2),
        status("interrupted", "stopped"),
        {"type": "receipt", "receipt": receipt},
    ]
    found = chunks(frames)
    assert parts(found) == [
        {"type": "text", "text": "one ", "state": "done"},
        {"type": "data-interruption", "data": receipt},
    ]
    assert found[-2:] == [
        {"type": "abort", "reason": "stopped"},
        {
            "type": "finish",
            "finishReason": "interrupted",
            "messageMetadata": {"status": "interrupted", "reason": "stopped"},
        },
    ]


def test_text_of_a_lost_process_is_dropped_when_the_message_is_answered_anew():
    again = {"task_id": "t2"}
    frames = [
        *BEGUN,
        {"type": "partial_result", "agent": "finder", "items": [1, 2], "count": 2},
        piece("half a re", "a"),
        said("half a re", interrupted=True),
        status("interrupted", "lost"),
        {"type": "receipt", "receipt": {"reason": "lost"}},
        {**status("running"), **again},
        {"type": "partial_result", "agent": "finder", "items": [3], "count": 1, **again},
        {**piece("whole", "b"), **again},
        said("whole", **again),
        {**status("completed"), **again},
    ]
    known = {"retries": {"t2": "t"}, "continued": {"t"}}
    assert texts(chunks(frames[:7], **known)) == [("text", "half a re")], "until then it stays"
    found = chunks(frames, **known)
    assert [each["type"] for each in parts(found)] == ["data-partial", "text"]
    assert parts(found)[0]["data"] == {"agent": "finder", "items": [3], "count": 1}
    assert texts(found) == [("text", "whole")]
    assert found[-1]["finishReason"] == "stop"


def test_run_whose_events_are_gone_is_shown_as_far_as_it_is_known():
    folded = fold()
    frames = numbered(
        [
            *BEGUN,
            {"type": "partial_result", "agent": "finder", "items": [1, 2], "count": 2},
            piece("Where", "a"),
            said("Where?"),
            {"type": "input_request", "request_id": "q", "prompt": "Where?"},
        ]
    )
    for frame in frames:
        folded.take(frame)
    rendered = RunChunks("t")
    found = list(rendered.present(folded.state.runs["t"], folded.state))
    assert found[0]["type"] == "start"
    assert [each["type"] for each in parts(found)] == ["data-partial", "text", "data-question"]
    step = folded.take({"type": "task_resting", "seq": 7, "task_id": "t", "at": AT})
    found += rendered.step(step, folded.state)
    assert texts(found) == [("text", "Where?")]
    assert found[-1]["finishReason"] == "stop"
    again = list(rendered.present(folded.state.runs["t"], folded.state))
    assert again[0] == {"type": "reset-step"}, "who has seen the beginning begins anew"
    assert texts(again) == [("text", "Where?")]


def test_run_whose_first_events_are_gone_begins_with_what_is_known():
    folded, rendered = fold(), RunChunks("t")
    found: list[dict[str, Any]] = []
    frames = replied({"type": "partial_result", "agent": "finder", "items": [1], "count": 1}, reply="one")
    for frame in numbered(frames):
        step = folded.take(frame)
        if frame["seq"] > 2:
            found += rendered.step(step, folded.state)
    assert [each["type"] for each in found] == [
        "start",
        "data-partial",
        "text-start",
        "text-delta",
        "text-end",
        "finish",
    ]
