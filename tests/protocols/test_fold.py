"""What events mean for a thread: which run each belongs to, when runs end, and what is left of a task."""

from typing import Any

import pytest

from backend.protocols.langgraph.messages import messages_of
from backend.protocols.thread.fold import FoldedEvent
from backend.protocols.thread.state import ThreadState
from tests.protocols.thread_frames import (
    Frame,
    agent,
    asked,
    fold,
    found,
    frames,
    interrupted,
    message,
    piece,
    receipt,
    resolved,
    rests,
    runs_of,
    said,
    shown_task,
    status,
    steer,
    steers,
)

STEERED_ONCE = pytest.mark.requirement("STEERED-ONCE")

ASKED = (
    *message("t1", "Fly me"),
    agent("t1", "flight", "input_required"),
    said("t1", 1, "assistant", "Question 1?"),
    asked("t1", 1),
    status("t1", "input_required", "Fly me"),
)


def test_task_that_completes_is_one_run_that_ends_with_its_status():
    steps, state = fold(
        frames(*message("t1", "hello"), said("t1", 1, "assistant", "Hi"), status("t1", "completed", "hello"))
    )
    assert runs_of(state) == [("t1", "success", True)]
    assert [each.began for each in steps] == [True, False, False, False]
    assert [each.ended.run_id if each.ended else None for each in steps] == [None, None, None, "t1"]


@pytest.mark.parametrize(
    ("ending", "expected"),
    [
        ((status("t1", "failed", "hello"),), "error"),
        (interrupted("t1", "hello", "stopped"), "interrupted"),
        (interrupted("t1", "hello", "superseded"), "interrupted"),
        (interrupted("t1", "hello", "timed_out"), "timeout"),
    ],
)
def test_ending_has_its_status_and_ends_the_run_with_its_last_event(ending, expected):
    steps, state = fold(frames(*message("t1", "hello"), *ending))
    assert runs_of(state) == [("t1", expected, True)]
    assert state.runs["t1"].ended_seq == len(steps)


def test_task_that_rests_ends_its_run_and_an_answer_in_words_begins_the_next():
    answer = said("t1", 2, "user", "Rome")
    more = (resolved("t1", 1), status("t1", "running", "Fly me"))
    steps, state = fold(frames(*ASKED, rests("t1"), answer, *more, status("t1", "completed", "Fly me")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "success", True)]
    assert state.runs["t1"].ended_waiting
    assert not state.runs["t1-r2"].ended_waiting
    assert (state.runs["t1-r2"].message, state.runs["t1-r2"].message_id) == ("Rome", "t1.2")
    assert [each.began for each in steps].count(True) == 2
    assert not state.requests


def test_answer_by_form_without_words_begins_a_run_of_the_tasks_message():
    steps, state = fold(frames(*ASKED, rests("t1"), resolved("t1", 1, "allowed"), status("t1", "running")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "running", False)]
    assert (state.runs["t1-r2"].message, state.runs["t1-r2"].message_id) == ("Fly me", None)
    assert steps[-1].run is state.runs["t1-r2"]


def test_message_that_answers_several_questions_begins_one_run():
    both = (*ASKED, asked("t1", 2, "hotel"), rests("t1"))
    _, state = fold(
        frames(
            *both,
            said("t1", 3, "user", "Rome"),
            resolved("t1", 1),
            resolved("t1", 2),
            status("t1", "running"),
        )
    )
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "running", False)]


def test_forms_one_after_the_other_begin_a_run_each():
    both = (*ASKED, asked("t1", 2, "hotel"), rests("t1"))
    first = (said("t1", 3, "user", "Rome"), resolved("t1", 1), agent("t1", "flight", "waiting"))
    second = (said("t1", 4, "user", "Oslo"), resolved("t1", 2), status("t1", "running"))
    _, state = fold(frames(*both, *first, *second))
    assert runs_of(state) == [
        ("t1", "success", True),
        ("t1-r2", "success", True),
        ("t1-r3", "running", False),
    ]


def test_answer_while_another_agent_works_ends_the_run_so_far():
    steps, state = fold(
        frames(*ASKED, said("t1", 2, "user", "Rome"), resolved("t1", 1), status("t1", "running"))
    )
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "running", False)]
    answer = steps[len(ASKED)]
    assert answer.began
    assert answer.ended is state.runs["t1"]
    assert answer.run is state.runs["t1-r2"]
    assert not state.runs["t1"].ended_waiting


def test_question_that_is_withdrawn_with_its_agent_lets_the_task_resume_in_a_new_run():
    stopped = (agent("t1", "flight", "interrupted"), resolved("t1", 1, "withdrawn"), status("t1", "running"))
    _, state = fold(frames(*ASKED, rests("t1"), *stopped, status("t1", "completed")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "success", True)]
    assert not state.requests


def test_interruption_of_a_resting_task_belongs_to_no_run():
    withdrawn = resolved("t1", 1, "withdrawn")
    steps, state = fold(frames(*ASKED, rests("t1"), withdrawn, *interrupted("t1", "Fly me", "stopped")))
    assert runs_of(state) == [("t1", "success", True)]
    assert {each.run for each in steps[len(ASKED) + 1 :]} == {None}
    assert state.interrupted["t1"]["asked"] == ["Question 1?"]
    assert state.interrupted["t1"]["receipt"]["reason"] == "stopped"


def test_aside_is_a_run_of_its_own_beside_that_of_the_active_task():
    aside = (*message("t2", "thanks"), said("t2", 1, "assistant", "Welcome"), status("t2", "completed"))
    steps, state = fold(frames(*message("t1", "Fly me"), *aside, found("t1", "flight", 1)))
    assert runs_of(state) == [("t1", "running", False), ("t2", "success", True)]
    assert state.active_run() is state.runs["t1"]
    assert steps[-1].run is state.runs["t1"]
    shown = shown_task(state)
    assert shown is not None
    assert shown.found == {"flight": [1]}


def test_newer_message_runs_while_the_older_one_settles():
    newer = (*message("t2", "Oslo"), agent("t2", "flight", "working"))
    steps, state = fold(frames(*message("t1", "Rome"), *newer, *interrupted("t1", "Rome", "superseded")))
    assert runs_of(state) == [("t1", "interrupted", True), ("t2", "running", False)]
    assert steps[-1].ended is state.runs["t1"]


def test_crash_continues_the_run_in_the_task_that_retries_its_message():
    retry = (status("t2", "running", "Rome"), found("t2", "flight", 2), status("t2", "completed", "Rome"))
    steps, state = fold(
        frames(*message("t1", "Rome"), found("t1", "flight", 1), *interrupted("t1", "Rome", "lost"), *retry),
        retries={"t2": "t1"},
        continued={"t1"},
    )
    assert runs_of(state) == [("t1", "success", True)]
    assert {each.run.run_id for each in steps if each.run} == {"t1"}
    assert [each.began for each in steps].count(True) == 1
    assert [each.ended for each in steps].count(None) == len(steps) - 1


def test_message_that_is_given_up_ends_its_run_as_interrupted():
    second = (status("t2", "running", "Rome"), *interrupted("t2", "Rome", "lost"))
    third = (status("t3", "running", "Rome"), *interrupted("t3", "Rome", "lost"))
    steps, state = fold(
        frames(*message("t1", "Rome"), *interrupted("t1", "Rome", "lost"), *second, *third),
        retries={"t2": "t1", "t3": "t1"},
        continued={"t1", "t2"},
    )
    assert runs_of(state) == [("t1", "interrupted", True)]
    assert state.runs["t1"].reason == "lost"
    assert steps[-1].ended is state.runs["t1"]


def test_receipt_that_is_amended_later_changes_the_account_alone():
    ended = (*message("t1", "Book it"), *interrupted("t1", "Book it", "stopped"))
    amended = {**receipt("t1", "stopped"), "receipt": {"reason": "stopped", "amendments": 1}}
    steps, state = fold(frames(*ended, *message("t2", "hello"), amended))
    assert steps[-1].run is None
    assert state.interrupted["t1"]["receipt"] == {"reason": "stopped", "amendments": 1}
    assert runs_of(state) == [("t1", "interrupted", True), ("t2", "running", False)]


def test_reply_of_an_interrupted_task_has_its_pieces_in_order():
    pieces = (
        piece("t1", "One", message_id="m1", reply=True),
        piece("t1", "thinking", message_id="m2", reply=False),
        piece("t1", "\n\n"),
        piece("t1", "Two", message_id="m3", reply=True),
        piece("t1", "\n\n"),
        piece("t1", "Thr", message_id="m4", reply=True),
    )
    _, state = fold(frames(*message("t1", "Say it"), *pieces, *interrupted("t1", "Say it", "stopped")))
    assert state.interrupted["t1"]["text"] == "One\n\nTwo\n\nThr"


def test_interrupted_tasks_are_kept_as_many_as_the_server_keeps():
    many = [
        each for n in range(8) for each in (*message(f"t{n}", "x"), *interrupted(f"t{n}", "x", "stopped"))
    ]
    _, state = fold(frames(*many))
    assert [*state.interrupted] == ["t3", "t4", "t5", "t6", "t7"]


# --- messages that steer: neither a run nor in the conversation before they have their place there ---------


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


@STEERED_ONCE
def test_pending_message_is_no_run_and_not_in_the_conversation():
    steps, state = after(*SENT)
    assert runs_of(state) == [("t1", "running", False)]
    assert list(state.tasks) == ["t1"]
    assert words(state) == [("t1", "book it")]
    assert waiting(state) == [("t2.0", "t1", CARD)]
    assert [each.run.run_id if each.run else None for each in steps[-2:]] == [None, "t1"]
    assert placed(steps) == ["book it"]


@STEERED_ONCE
def test_steered_message_stands_in_its_run_where_it_was_read():
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


@STEERED_ONCE
def test_edited_one_has_its_last_text():
    _, state = after(*SENT, steer("t1", "t2", "pending", "use mine", revision=1))
    assert waiting(state) == [("t2.0", "t1", "use mine")]
    _, state = after(*SENT, steer("t1", "t2", "taken_in", "use mine", revision=1))
    assert words(state) == [("t1", "book it"), ("t1", "use mine")]


@STEERED_ONCE
def test_withdrawn_one_is_gone():
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


@STEERED_ONCE
@pytest.mark.parametrize("way", OWN)
def test_message_with_a_task_of_its_own_begins_its_run_once(way):
    steps, state = after(*SENT, *OWN[way], said("t2", 1, "assistant", "Done."), status("t2", "completed"))
    assert [each.run_id for each in state.runs.values()] == ["t1", "t2"]
    assert (state.runs["t2"].message, state.runs["t2"].message_id) == (CARD, "t2.0")
    assert [each for each in words(state) if each[0] == "t2"] == [("t2", CARD), ("t2", "Done.")]
    assert placed(steps).count(CARD) == 1
    assert not state.pending
    began = [each for each in steps if each.began]
    assert [each.run.run_id for each in began if each.run] == ["t1", "t2"]
    assert began[1].message is not None, "its run begins with the message in the conversation"


@STEERED_ONCE
def test_waiting_messages_stand_before_a_newer_one_in_its_run():
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


@STEERED_ONCE
def test_waiting_messages_at_the_end_are_the_run_of_the_last():
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


@STEERED_ONCE
def test_message_against_a_question_waits_and_begins_nothing():
    resting = (*message("t1", "book it"), asked("t1", 1), status("t1", "input_required"), rests("t1"))
    _, state = after(*resting, *steers("t1", "t2", CARD))
    assert [each.run_id for each in state.runs.values()] == ["t1"]
    assert state.runs["t1"].ended_waiting
    assert waiting(state) == [("t2.0", "t1", CARD)]
    assert not state.waits("t2.0", state.runs["t1"]), "its user must answer first"


@STEERED_ONCE
def test_retry_of_the_running_message_takes_it_in():
    events = frames(*SENT, *interrupted("t1", "book it", "lost"), status("t5", "running", "book it"))
    more = {"seq": 99, "at": "2026-03-01T08:31:00.000Z"}
    _, state = fold(
        [*events, {**steer("t5", "t2", "taken_in", CARD), **more}],
        retries={"t5": "t1"},
        continued={"t1"},
    )
    assert [each.run_id for each in state.runs.values()] == ["t1"]
    assert ("t5", CARD) in words(state)


# --- messages of the LangGraph API after a crash ----------------------------------------------------------


def crashed(task: str, text: str, *kept: str) -> list[dict[str, object]]:
    """Return the events of a task that a crash ended, and what it had said as the next process stores it."""
    stored = (said(task, 1, "assistant", each, interrupted=True) for each in kept)
    return [*stored, *interrupted(task, text, "lost")]


def test_reply_to_a_message_that_was_retried_comes_before_a_message_that_waited() -> None:
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
def test_text_before_a_crash_is_kept_under_the_id_of_its_pieces() -> None:
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
