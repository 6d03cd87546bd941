"""The messages of a thread as LangGraph's clients are shown them, where a crash comes between them."""

import pytest

from backend.protocols.langgraph.messages import messages_of
from tests.protocols.thread_frames import fold, frames, interrupted, message, piece, said, status


def crashed(task: str, text: str, *kept: str) -> list[dict[str, object]]:
    """Return the events of a task that a crash ended, and what it had said as the next process stores it."""
    stored = (said(task, 1, "assistant", each, interrupted=True) for each in kept)
    return [*stored, *interrupted(task, text, "lost")]


def test_the_reply_to_a_message_that_was_retried_comes_before_a_message_that_waited() -> None:
    events = frames(
        *message("t1", "Rome"),
        *message("t2", "Oslo"),
        *crashed("t1", "Rome"),
        status("t3", "running", "Rome"),
        said("t3", 1, "assistant", "About Rome"),
        status("t3", "completed", "Rome"),
        said("t2", 1, "assistant", "About Oslo"),
        status("t2", "completed", "Oslo"),
    )
    _, state = fold(events, retries={"t3": "t1"}, continued={"t1"})
    shown = [each["content"] for each in messages_of(state, {"t1", "t2"})]
    assert [each for each in shown if not each.startswith("Interrupted")] == [
        "Rome",
        "About Rome",
        "Oslo",
        "About Oslo",
    ]


@pytest.mark.requirement("A-MESSAGE-KEEPS-ITS-ID")
def test_what_was_said_before_a_crash_is_kept_under_the_id_of_its_pieces() -> None:
    before = [*message("t1", "Rome"), piece("t1", "About ", message_id="m1", reply=True)]
    retry = [
        status("t2", "running", "Rome"),
        piece("t2", "About Rome", message_id="m2", reply=True),
        said("t2", 1, "assistant", "About Rome"),
        status("t2", "completed", "Rome"),
    ]
    _, state = fold(
        frames(*before, *crashed("t1", "Rome", "About "), *retry), retries={"t2": "t1"}, continued={"t1"}
    )
    shown = [(each["id"], each["content"]) for each in messages_of(state, {"t1"}) if each["type"] == "ai"]
    assert [each for each in shown if not each[1].startswith("Interrupted")] == [
        ("m1", "About "),
        ("m2", "About Rome"),
    ]
