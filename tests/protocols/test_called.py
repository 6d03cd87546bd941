"""Tool calls in the fold of a thread, and in the messages that are made of it."""

from typing import Any

from backend.protocols.ag_ui.rendering import Transcript
from backend.protocols.langgraph.messages import messages_of
from backend.protocols.thread.state import ThreadState
from tests.protocols.thread_frames import (
    Frame,
    asked,
    call,
    fold,
    frames,
    interrupted,
    message,
    piece,
    receipt,
    rests,
    result,
    said,
    status,
)


def shown(state: ThreadState) -> list[tuple[str, Any]]:
    """Return the messages of a thread: the calls of one that asks, the call and the text of a result."""
    return [_as_shown(each) for each in messages_of(state, {*state.tasks})]


def _as_shown(view: dict[str, Any]) -> tuple[str, Any]:
    if view["type"] == "tool":
        return "tool", (view["tool_call_id"], view["content"])
    calls = [(each["id"], each["args"]) for each in view.get("tool_calls", ())]
    return view["type"], (view["content"], calls) if calls else view["content"]


def test_result_stands_behind_the_message_that_asks() -> None:
    _, state = fold(frames(*message("t1", "hi"), call("t1", "c1", "{}"), result("t1", "c1", "seen")))
    assert shown(state) == [("human", "hi"), ("ai", ("", [("c1", {})])), ("tool", ("c1", "seen"))]


def test_call_of_a_lost_attempt_has_the_result_that_the_next_one_brings() -> None:
    lost = (
        said("t1", 9, "system", "Lost."),
        status("t1", "interrupted", "hi", "lost"),
        receipt("t1", "lost"),
    )
    events = (
        *message("t1", "hi"),
        call("t1", "c1", '{"a":1}'),
        *lost,
        status("t2", "running", "hi"),
        result("t2", "c1", "seen"),
    )
    _, state = fold(frames(*events), retries={"t2": "t1"}, continued={"t1"})
    assert [each for each in shown(state) if each[0] in {"tool"} or isinstance(each[1], tuple)] == [
        ("ai", ("", [("c1", {"a": 1})])),
        ("tool", ("c1", "seen")),
    ]


def test_id_that_comes_again_in_another_message_is_another_call() -> None:
    events = (
        *message("t1", "hi"),
        call("t1", "call_0", '{"a":1}', of="m1"),
        result("t1", "call_0", "one", message_id="r1"),
        call("t1", "call_0", '{"a":2}', of="m2"),
        result("t1", "call_0", "two", message_id="r2"),
    )
    _, state = fold(frames(*events))
    assert shown(state)[1:] == [
        ("ai", ("", [("call_0", {"a": 1})])),
        ("tool", ("call_0", "one")),
        ("ai", ("", [("call_0", {"a": 2})])),
        ("tool", ("call_0", "two")),
    ]


def test_call_whose_first_pieces_are_gone_has_no_arguments() -> None:
    _, state = fold(frames(*message("t1", "hi"), call("t1", "c1", 'me"}', offset=9)))
    (view,) = [each for each in messages_of(state, {"t1"}) if each["type"] == "ai"]
    assert view["tool_calls"] == []
    assert [each["id"] for each in view["invalid_tool_calls"]] == ["c1"]


def test_reply_that_repeats_a_text_before_a_call_stands_behind_its_result() -> None:
    events = (
        *message("t1", "hi"),
        piece("t1", "OK", node="model", message_id="m1", reply=True),
        call("t1", "c1", "{}", of="m1"),
        result("t1", "c1", "seen"),
        piece("t1", "OK", offset=4, node="model", message_id="m2", reply=True),
        said("t1", 1, "assistant", "OK"),
        status("t1", "completed", "hi"),
    )
    _, state = fold(frames(*events))
    assert shown(state)[1:] == [("ai", ("OK", [("c1", {})])), ("tool", ("c1", "seen")), ("ai", "OK")]


def test_planners_message_is_kept_when_the_writer_is_interrupted() -> None:
    plan: Frame = {
        "type": "graph_message",
        "task_id": "t1",
        "message_id": "p",
        "role": "assistant",
        "node": "plan",
    }
    events = (
        *message("t1", "hi"),
        piece("t1", "First Rome.", node="plan", message_id="p", reply=False),
        plan,
        piece("t1", "Go to", node="write", message_id="w", reply=True),
        said("t1", 1, "assistant", "Go to", interrupted=True),
        *interrupted("t1", "hi", "stopped"),
    )
    _, state = fold(frames(*events))
    assert [text for kind, text in shown(state) if kind == "ai"][:2] == ["First Rome.", "Go to"]


def test_transcript_has_the_outcome_of_a_call_whose_task_was_stopped_while_it_asked() -> None:
    events = frames(
        *message("t1", "hi"),
        call("t1", "c1", "{}"),
        asked("t1", 1),
        status("t1", "input_required", "hi"),
        rests("t1"),
        *interrupted("t1", "hi", "stopped"),
    )
    steps, _ = fold(events)
    transcript = Transcript()
    # Each step with the state after it, as a stream has them.
    for number, _ in enumerate(steps, 1):
        taken, after = fold(events[:number])
        transcript.take(taken[-1], after)
    assert [each["content"] for each in transcript.shown(after) if each["role"] == "tool"] == ["Not started."]
