"""What events add up to."""

import pytest

from backend.clients.story import Story


class Telling:
    """Numbers frames, and tells them to a story."""

    def __init__(self) -> None:
        self.story = Story()

    def __call__(self, type_, /, *, task_id="A", at_s=0.0, **fields) -> bool:
        frame = {"seq": self.story.seq + 1, "type": type_, "task_id": task_id, "at": "", **fields}
        return self.story.hear(frame, at_s)


@pytest.fixture
def tell() -> Telling:
    return Telling()


STATUS = {
    "task_id": "B",
    "status": "running",
    "message": "hotels in Rome",
    "agents": {"hotel": {"state": "working", "detail": "", "done": 1, "total": 2, "count": 3}},
    "input_requests": [{"request_id": "q1", "kind": "question"}],
    "created_at": "2026-12-01T10:00:00Z",
    "updated_at": "2026-12-01T10:00:05Z",
}
SNAPSHOT = {
    "type": "snapshot",
    "seq": 9,
    "epoch": "e",
    "status": STATUS,
    "partial_results": {
        "partial_results": {"hotel": [1]},
        "text": "I loo",
        "interrupted": [{"task_id": "A", "message": "flights", "partial_results": {"flight": [1, 2]}}],
    },
    "history": [{"message_id": "B.0", "task_id": "B", "role": "user", "text": "hotels in Rome"}],
}


def test_snapshot_replaces_the_whole_story(tell):
    tell("message", message_id="Z.0", role="user", text="old", interrupted=False)
    tell("input_request", request_id="q0", kind="question")
    assert tell.story.hear(SNAPSHOT, 100.0)
    story = tell.story
    assert (story.seq, story.synced) == (9, True)
    assert [each["text"] for each in story.messages] == ["hotels in Rome"]
    assert [each["request_id"] for each in story.requests] == ["q1"]
    assert story.left["A"].found == {"flight": [1, 2]}
    task = story.task_to_show
    assert (task.task_id, task.text, task.found, task.began_s) == ("B", "I loo", {"hotel": [1]}, 95.0)
    assert story.active_task is task


def test_repeated_frames_change_nothing(tell):
    tell("partial_result", agent="flight", items=[1])
    edition = tell.story.edition
    assert not tell("partial_result", seq=1, agent="flight", items=[1])
    assert not tell("hello", epoch="e")
    assert not tell("of_a_later_version")
    assert tell.story.tasks["A"].found == {"flight": [1]}
    assert tell.story.edition == edition


def test_messages_keep_the_servers_order(tell):
    for name in ("b.0", "a.10", "a.9", "b.1"):
        tell("message", task_id=name[0], message_id=name, role="user", text=name, interrupted=False)
    assert [each["message_id"] for each in tell.story.messages] == ["a.9", "a.10", "b.0", "b.1"]


def test_task_to_show_is_the_newest_that_searches_then_the_last_with_results(tell):
    tell("agent_update", task_id="A", agent="flight", state="working")
    tell("status_update", task_id="B", status="running", message="thanks")
    assert tell.story.task_to_show.task_id == "A"
    assert tell.story.active_task.task_id == "B"
    for task_id in ("B", "A"):
        tell("status_update", task_id=task_id, status="completed", message="")
    assert tell.story.task_to_show.task_id == "A"
    assert tell.story.active_task is None


def test_interrupted_task_leaves_its_partial_results(tell):
    tell("partial_result", agent="flight", items=[1, 2])
    tell("status_update", status="interrupted", message="flights", partial_results={"flight": [1, 2]})
    tell("receipt", receipt={"reason": "stopped"})
    assert tell.story.left["A"].found == {"flight": [1, 2]}
    assert tell.story.receipts == {"A": {"reason": "stopped"}}


@pytest.mark.parametrize(("reason", "status"), [("superseded", "interrupted"), (None, "completed")])
def test_amended_receipt_of_an_unknown_task_does_not_make_it_active(tell, reason, status):
    tell("receipt", receipt={"reason": reason})
    assert tell.story.tasks["A"].status == status
    assert tell.story.active_task is None
    assert tell.story.waits_for_user


def test_question_is_open_until_resolved_and_its_outcome_is_kept_until_the_next(tell):
    tell("status_update", status="input_required", message="")
    tell("input_request", request_id="q1", kind="permission")
    assert tell.story.waits_for_user
    tell("input_resolved", request_id="q1", outcome="denied")
    assert (tell.story.requests, tell.story.outcome) == ([], "denied")
    assert not tell.story.waits_for_user
    tell("input_request", request_id="q2", kind="question")
    assert tell.story.outcome == ""


def test_reply_grows_is_corrected_and_becomes_a_message(tell):
    tell("text_delta", text="One two", offset=0)
    tell("text_delta", text="three", offset=4)
    assert tell.story.tasks["A"].text == "One three"
    tell("message", message_id="A.1", role="assistant", text="One three", interrupted=False)
    assert tell.story.tasks["A"].text == ""


def test_text_of_a_node_that_does_not_reply_is_left_out_of_the_reply(tell):
    tell("text_delta", text="One", offset=0, node="write", message_id="m1", reply=True)
    tell("text_delta", text="A plan", offset=0, node="plan", message_id="m2", reply=False)
    assert tell.story.tasks["A"].text == "One"


def test_adopted_tools_are_named_once(tell):
    tell("tool_update", call_id="c1", tool="search_flights", state="running")
    tell("context_transfer", task_id="B", adopted=["c1", "c1", "unknown"])
    assert tell.story.tasks["B"].taken_over == ["search_flights"]


def test_story_keeps_the_last_twenty_tasks(tell):
    for number in range(50):
        tell("status_update", task_id=f"t{number}", status="completed", message="")
    assert len(tell.story.tasks) == 20
    assert "t49" in tell.story.tasks


def steered(tell, steer, *, task_id="A", text="card", revision=0, message_id="W.0"):
    return tell("steer", task_id=task_id, message_id=message_id, steer=steer, text=text, revision=revision)


def pending(tell, text="card", *, task_id="W"):
    """A message is accepted that is to steer a task."""
    message_id = f"{task_id}.0"
    tell("message", task_id=task_id, message_id=message_id, role="user", text=text, steer="pending")
    steered(tell, "pending", text=text, message_id=message_id)


def placed(story):
    return [(each["message_id"], each["task_id"], each["text"]) for each in story.messages]


@pytest.mark.requirement("CLIENTS-STEER")
def test_pending_message_starts_no_task_and_keeps_its_place_once_taken_in(tell):
    tell("status_update", status="running", message="book")
    tell("message", message_id="A.0", role="user", text="book")
    pending(tell)
    assert [(each["message_id"], each["text"]) for each in tell.story.pending] == [("W.0", "card")]
    assert (list(tell.story.tasks), tell.story.active_task.task_id) == (["A"], "A")
    tell("message", message_id="A.1", role="assistant", text="one")
    steered(tell, "taken_in")
    tell("message", message_id="A.2", role="assistant", text="two")
    assert tell.story.pending == []
    assert placed(tell.story) == [
        ("A.0", "A", "book"),
        ("A.1", "A", "one"),
        ("W.0", "A", "card"),
        ("A.2", "A", "two"),
    ]


@pytest.mark.requirement("CLIENTS-STEER")
def test_edit_changes_a_pending_message_in_place(tell):
    pending(tell)
    pending(tell, "seat", task_id="X")
    edition = tell.story.edition
    steered(tell, "pending", text="my card", revision=1)
    assert [(each["text"], each["revision"]) for each in tell.story.pending] == [("my card", 1), ("seat", 0)]
    assert placed(tell.story) == [("W.0", "W", "my card"), ("X.0", "X", "seat")]
    assert tell.story.edition > edition


@pytest.mark.requirement("CLIENTS-STEER")
def test_withdrawn_message_is_removed(tell):
    pending(tell)
    steered(tell, "withdrawn", task_id="W")
    assert (tell.story.pending, tell.story.messages, tell.story.tasks) == ([], [], {})
    gone = {"message_id": "W.0", "task_id": "W", "role": "user", "text": "card", "steer": "withdrawn"}
    tell.story.hear({**SNAPSHOT, "history": [gone]}, 0.0)
    assert tell.story.messages == []


@pytest.mark.requirement("CLIENTS-STEER")
def test_merged_messages_stand_before_the_newer_one(tell):
    pending(tell)
    tell("message", task_id="Z", message_id="Z.0", role="user", text="newer")
    steered(tell, "merged", task_id="Z")
    tell("message", task_id="A", message_id="A.1", role="system", text="Interrupted.")
    assert placed(tell.story) == [("A.1", "A", "Interrupted."), ("W.0", "Z", "card"), ("Z.0", "Z", "newer")]


@pytest.mark.requirement("CLIENTS-STEER")
def test_story_does_not_wait_for_the_user_before_a_pending_message_gets_its_task(tell):
    tell("status_update", status="running", message="book")
    pending(tell)
    tell("status_update", status="completed", message="book")
    assert not tell.story.waits_for_user
    tell("status_update", task_id="W", status="running", message="card")
    steered(tell, "own_task", task_id="W")
    tell("status_update", task_id="W", status="completed", message="card")
    assert tell.story.waits_for_user


@pytest.mark.requirement("CLIENTS-STEER")
def test_snapshot_has_pending_messages(tell):
    waiting = {"message_id": "W.0", "text": "card", "revision": 2, "at": ""}
    tell.story.hear({**SNAPSHOT, "status": {**STATUS, "pending": [waiting]}}, 0.0)
    assert tell.story.pending == [waiting]
    tell.story.hear({**SNAPSHOT, "seq": 10}, 0.0)
    assert tell.story.pending == []
