"""The messages of one call of MCP, over all that its task asks."""

from typing import Any

import orjson

from backend.protocols.mcp.rendering import AskedCall, CallRenderer
from backend.protocols.mcp.wire import StreamedCall
from tests.protocols.test_fold import ASKED
from tests.protocols.thread_frames import (
    agent,
    asked,
    fold_slowly,
    frames,
    interrupted,
    message,
    resolved,
    rests,
    said,
    status,
)

BOTH = (*ASKED, asked("t1", 2, "hotel"), rests("t1"))


def rendered(*events: Any) -> list[dict[str, Any]]:
    """Return the messages of a call whose client shows forms; it is over with the last of them."""
    call = StreamedCall("ann", "t1", None, 7, None, "2025-11-25", elicits=True)
    following = AskedCall(call)
    renderer = CallRenderer(call, following)
    messages: list[dict[str, Any]] = []
    for step, state in fold_slowly(frames(*events)):
        run = following.take(step, state)
        shown = renderer.step(step, state) if run is None else renderer.go_on(run, step, state)
        messages += [orjson.loads(each) for each in shown if each is not None]
        assert following.over(state) is ("result" in messages[-1] if messages else False)
    return messages


def told(messages: list[dict[str, Any]]) -> list[str]:
    """Return what each message is: the question, or the status of the result."""
    return [
        each["params"]["message"] if "params" in each else each["result"]["structuredContent"]["status"]
        for each in messages
    ]


QUESTIONS = ["Question 1?", "Question 2?"]


def test_forms_that_are_filled_in_one_after_the_other_are_one_result():
    first = (said("t1", 3, "user", "Rome"), resolved("t1", 1), agent("t1", "flight", "waiting"))
    second = (said("t1", 4, "user", "Oslo"), resolved("t1", 2), status("t1", "running"))
    assert told(rendered(*BOTH, *first, *second, status("t1", "completed"))) == [*QUESTIONS, "success"]


def test_question_that_stays_open_while_the_task_goes_on_is_asked_once():
    first = (said("t1", 3, "user", "Rome"), resolved("t1", 1), status("t1", "running"))
    again = (status("t1", "input_required"), rests("t1"))
    second = (said("t1", 4, "user", "Oslo"), resolved("t1", 2), status("t1", "running"))
    messages = rendered(*BOTH, *first, *again, *second, status("t1", "completed"))
    assert told(messages) == [*QUESTIONS, "success"]


def test_question_that_comes_after_another_is_asked_in_the_same_stream():
    first = (said("t1", 3, "user", "Rome"), resolved("t1", 1), resolved("t1", 2), status("t1", "running"))
    third = (asked("t1", 3), rests("t1"))
    last = (said("t1", 4, "user", "Oslo"), resolved("t1", 3), status("t1", "running"))
    messages = rendered(*BOTH, *first, *third, *last, status("t1", "completed"))
    assert told(messages) == [*QUESTIONS, "Question 3?", "success"]


def test_task_that_ends_while_it_asks_ends_its_call():
    ending = (resolved("t1", 1, "expired"), resolved("t1", 2, "expired"))
    messages = rendered(*BOTH, *ending, *interrupted("t1", "Fly me", "timed_out"))
    assert told(messages) == [*QUESTIONS, "interrupted"]


def test_message_of_another_task_ends_nothing():
    assert told(rendered(*BOTH, *message("t2", "Hello"), status("t2", "completed"))) == QUESTIONS
