"""A message that steers: it is no run and no message of the conversation before it has its place there."""

from typing import Any

import pytest

from backend.protocols.thread.fold import FoldedEvent
from backend.protocols.thread.state import ThreadState
from tests.protocols.thread_frames import (
    Frame,
    asked,
    fold,
    frames,
    interrupted,
    message,
    piece,
    rests,
    runs_of,
    said,
    status,
    steer,
    steers,
)

pytestmark = pytest.mark.requirement("STEERED-ONCE")

CARD = "and use the company card"
BEGUN = (*message("t1", "book it"), piece("t1", "Looking. ", message_id="a1"))
SENT = (*BEGUN, *steers("t1", "t2", CARD, client_id="mine"))


def words(state: ThreadState) -> list[tuple[str, str]]:
    """The conversation: of each message the task in whose run it is, and its text."""
    return [(each["task_id"], each["text"]) for each in state.messages_in_order()]


def waiting(state: ThreadState) -> list[tuple[str, str, str]]:
    return [(each["message_id"], each["task_id"], each["text"]) for each in state.pending.values()]


def placed(steps: list[FoldedEvent]) -> list[str]:
    return [each.message["text"] for each in steps if each.message is not None]


def after(*events: Frame) -> tuple[list[FoldedEvent], ThreadState]:
    return fold(frames(*events))


def test_a_pending_message_is_no_run_and_not_in_the_conversation():
    steps, state = after(*SENT)
    assert runs_of(state) == [("t1", "running", False)]
    assert list(state.tasks) == ["t1"]
    assert words(state) == [("t1", "book it")]
    assert waiting(state) == [("t2.0", "t1", CARD)]
    assert [each.run.run_id if each.run else None for each in steps[-2:]] == [None, "t1"]
    assert placed(steps) == ["book it"]


def test_one_that_is_taken_in_stands_in_that_run_where_it_was_read_with_its_ids():
    steps, state = after(
        *SENT,
        steer("t1", "t2", "taken_in", CARD),
        said("t1", 1, "assistant", "Booked."),
        status("t1", "completed", "book it"),
    )
    assert words(state) == [("t1", "book it"), ("t1", CARD), ("t1", "Booked.")]
    (taken,) = [each for each in state.messages.values() if each["text"] == CARD]
    assert (taken["message_id"], taken["client_id"], taken["steer"]) == ("t2.0", "mine", "taken_in")
    assert not state.pending
    assert runs_of(state) == [("t1", "success", True)]
    assert placed(steps) == ["book it", CARD, "Booked."]


def test_an_edited_one_has_its_last_text():
    _, state = after(*SENT, steer("t1", "t2", "pending", "use mine", revision=1))
    assert waiting(state) == [("t2.0", "t1", "use mine")]
    _, state = after(*SENT, steer("t1", "t2", "taken_in", "use mine", revision=1))
    assert words(state) == [("t1", "book it"), ("t1", "use mine")]


def test_a_withdrawn_one_is_gone():
    steps, state = after(*SENT, steer("t1", "t2", "withdrawn", CARD), status("t1", "completed"))
    assert words(state) == [("t1", "book it")]
    assert not state.pending
    assert placed(steps) == ["book it"]
    assert runs_of(state) == [("t1", "success", True)]


OWN: dict[str, Any] = {
    "at the end of the run": (
        status("t1", "completed", "book it"),
        status("t2", "running", CARD),
        steer("t2", "t2", "own_task", CARD),
    ),
    "sent now": (
        steer("t2", "t2", "own_task", CARD),
        status("t2", "running", CARD),
        *interrupted("t1", "book it", "superseded"),
    ),
    "left for the end": (
        steer("t2", "t2", "own_task", CARD),
        status("t2", "queued", CARD),
        status("t1", "completed", "book it"),
        status("t2", "running", CARD),
    ),
}


@pytest.mark.parametrize("way", OWN)
def test_one_that_becomes_a_task_of_its_own_begins_its_run_once(way):
    steps, state = after(*SENT, *OWN[way], said("t2", 1, "assistant", "Done."), status("t2", "completed"))
    assert [each.run_id for each in state.runs.values()] == ["t1", "t2"]
    assert (state.runs["t2"].message, state.runs["t2"].message_id) == (CARD, "t2.0")
    assert [each for each in words(state) if each[0] == "t2"] == [("t2", CARD), ("t2", "Done.")]
    assert placed(steps).count(CARD) == 1
    assert not state.pending
    began = [each for each in steps if each.began]
    assert [each.run.run_id for each in began if each.run] == ["t1", "t2"]
    assert began[1].message is not None, "its run begins with the message in the conversation"


def test_what_waits_stands_before_a_newer_message_in_the_run_of_that():
    steps, state = after(
        *SENT,
        *steers("t1", "t3", "at once"),
        *message("t4", "no, a train"),
        steer("t4", "t2", "merged", CARD),
        steer("t4", "t3", "merged", "at once"),
        *interrupted("t1", "book it", "superseded"),
        said("t4", 1, "assistant", "A train."),
        status("t4", "completed"),
    )
    of_run = [text for task_id, text in words(state) if task_id == "t4"]
    assert of_run == [CARD, "at once", "no, a train", "A train."]
    assert [each.run_id for each in state.runs.values()] == ["t1", "t4"]
    assert not state.pending
    assert placed(steps).count(CARD) == 1


def test_several_left_at_the_end_are_the_last_ones_run_with_the_others_before():
    _, state = after(
        *SENT,
        *steers("t1", "t3", "at once"),
        status("t1", "completed", "book it"),
        status("t3", "running", "at once"),
        steer("t3", "t3", "own_task", "at once"),
        steer("t3", "t2", "merged", CARD),
    )
    assert [text for task_id, text in words(state) if task_id == "t3"] == [CARD, "at once"]
    assert [each.run_id for each in state.runs.values()] == ["t1", "t3"]


def test_against_a_question_it_waits_and_begins_nothing():
    resting = (*message("t1", "book it"), asked("t1", 1), status("t1", "input_required"), rests("t1"))
    _, state = after(*resting, *steers("t1", "t2", CARD))
    assert [each.run_id for each in state.runs.values()] == ["t1"]
    assert state.runs["t1"].ended_waiting
    assert waiting(state) == [("t2.0", "t1", CARD)]
    assert not state.waits("t2.0", state.runs["t1"]), "its user must answer first"


def test_a_retry_of_the_running_message_takes_it_in():
    events = frames(*SENT, *interrupted("t1", "book it", "lost"), status("t5", "running", "book it"))
    more = {"seq": 99, "at": "2026-03-01T08:31:00.000Z"}
    _, state = fold(
        [*events, {**steer("t5", "t2", "taken_in", CARD), **more}],
        retries={"t5": "t1"},
        continued={"t1"},
    )
    assert [each.run_id for each in state.runs.values()] == ["t1"]
    assert ("t5", CARD) in words(state)
