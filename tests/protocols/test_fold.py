"""What events mean for a thread: which run each belongs to, when runs end, and what is left of a task."""

import pytest

from tests.protocols.thread_frames import (
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
    status,
)

ASKED = (
    *message("t1", "Fly me"),
    agent("t1", "flight", "input_required"),
    said("t1", 1, "assistant", "Question 1?"),
    asked("t1", 1),
    status("t1", "input_required", "Fly me"),
)


def test_a_task_that_completes_is_one_run_that_ends_with_its_status():
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
def test_each_ending_has_its_status_and_ends_the_run_with_its_last_event(ending, expected):
    steps, state = fold(frames(*message("t1", "hello"), *ending))
    assert runs_of(state) == [("t1", expected, True)]
    assert state.runs["t1"].ended_seq == len(steps)


def test_a_task_that_rests_ends_its_run_and_an_answer_in_words_begins_the_next():
    answer = said("t1", 2, "user", "Rome")
    more = (resolved("t1", 1), status("t1", "running", "Fly me"))
    steps, state = fold(frames(*ASKED, rests("t1"), answer, *more, status("t1", "completed", "Fly me")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "success", True)]
    assert state.runs["t1"].ended_waiting
    assert not state.runs["t1-r2"].ended_waiting
    assert (state.runs["t1-r2"].message, state.runs["t1-r2"].message_id) == ("Rome", "t1.2")
    assert [each.began for each in steps].count(True) == 2
    assert not state.requests


def test_an_answer_by_form_without_words_begins_a_run_of_the_tasks_message():
    steps, state = fold(frames(*ASKED, rests("t1"), resolved("t1", 1, "allowed"), status("t1", "running")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "running", False)]
    assert (state.runs["t1-r2"].message, state.runs["t1-r2"].message_id) == ("Fly me", None)
    assert steps[-1].run is state.runs["t1-r2"]


def test_one_message_that_answers_several_questions_begins_one_run():
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


def test_two_forms_one_after_the_other_begin_a_run_each():
    both = (*ASKED, asked("t1", 2, "hotel"), rests("t1"))
    first = (said("t1", 3, "user", "Rome"), resolved("t1", 1), agent("t1", "flight", "waiting"))
    second = (said("t1", 4, "user", "Oslo"), resolved("t1", 2), status("t1", "running"))
    _, state = fold(frames(*both, *first, *second))
    assert runs_of(state) == [
        ("t1", "success", True),
        ("t1-r2", "success", True),
        ("t1-r3", "running", False),
    ]


def test_an_answer_while_another_agent_works_ends_the_run_so_far():
    steps, state = fold(
        frames(*ASKED, said("t1", 2, "user", "Rome"), resolved("t1", 1), status("t1", "running"))
    )
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "running", False)]
    answer = steps[len(ASKED)]
    assert answer.began
    assert answer.ended is state.runs["t1"]
    assert answer.run is state.runs["t1-r2"]
    assert not state.runs["t1"].ended_waiting


def test_a_question_that_is_withdrawn_with_its_agent_lets_the_task_resume_in_a_new_run():
    stopped = (agent("t1", "flight", "interrupted"), resolved("t1", 1, "withdrawn"), status("t1", "running"))
    _, state = fold(frames(*ASKED, rests("t1"), *stopped, status("t1", "completed")))
    assert runs_of(state) == [("t1", "success", True), ("t1-r2", "success", True)]
    assert not state.requests


def test_what_interrupts_a_resting_task_belongs_to_no_run():
    withdrawn = resolved("t1", 1, "withdrawn")
    steps, state = fold(frames(*ASKED, rests("t1"), withdrawn, *interrupted("t1", "Fly me", "stopped")))
    assert runs_of(state) == [("t1", "success", True)]
    assert {each.run for each in steps[len(ASKED) + 1 :]} == {None}
    assert state.interrupted["t1"]["asked"] == ["Question 1?"]
    assert state.interrupted["t1"]["receipt"]["reason"] == "stopped"


def test_an_aside_is_a_run_of_its_own_beside_that_of_the_active_task():
    aside = (*message("t2", "thanks"), said("t2", 1, "assistant", "Welcome"), status("t2", "completed"))
    steps, state = fold(frames(*message("t1", "Fly me"), *aside, found("t1", "flight", 1)))
    assert runs_of(state) == [("t1", "running", False), ("t2", "success", True)]
    assert state.active_run() is state.runs["t1"]
    assert steps[-1].run is state.runs["t1"]
    shown = state.shown_task()
    assert shown is not None
    assert shown.found == {"flight": [1]}


def test_a_newer_message_runs_while_the_older_one_settles():
    newer = (*message("t2", "Oslo"), agent("t2", "flight", "working"))
    steps, state = fold(frames(*message("t1", "Rome"), *newer, *interrupted("t1", "Rome", "superseded")))
    assert runs_of(state) == [("t1", "interrupted", True), ("t2", "running", False)]
    assert steps[-1].ended is state.runs["t1"]


def test_a_crash_continues_the_run_in_the_task_that_retries_its_message():
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


def test_a_message_that_is_given_up_ends_its_run_as_interrupted():
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


def test_a_receipt_that_is_amended_later_changes_the_account_alone():
    ended = (*message("t1", "Book it"), *interrupted("t1", "Book it", "stopped"))
    amended = {**receipt("t1", "stopped"), "receipt": {"reason": "stopped", "amendments": 1}}
    steps, state = fold(frames(*ended, *message("t2", "hello"), amended))
    assert steps[-1].run is None
    assert state.interrupted["t1"]["receipt"] == {"reason": "stopped", "amendments": 1}
    assert runs_of(state) == [("t1", "interrupted", True), ("t2", "running", False)]


def test_what_an_interrupted_task_said_is_its_reply_in_the_order_of_the_pieces():
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


def test_no_more_interrupted_tasks_are_kept_than_the_server_keeps():
    many = [
        each for n in range(8) for each in (*message(f"t{n}", "x"), *interrupted(f"t{n}", "x", "stopped"))
    ]
    _, state = fold(frames(*many))
    assert [*state.interrupted] == ["t3", "t4", "t5", "t6", "t7"]
