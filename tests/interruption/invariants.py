"""What must hold of a user, at any moment and at the end; told from the events alone and from what is stored.

The strongest check is that both agree: whoever follows the events and adds them up knows what `GET` tells.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from backend.conversation.accepted import Accepted
from backend.conversation.answering import AnsweredAnswer
from backend.conversation.recovery import GIVEN_UP
from backend.domain.context import KEPT_CONTEXTS, ReceiptAnswer
from backend.domain.encoding import encode
from backend.http.wire.answers import history_answer, partial_results_answer, status_answer
from backend.store.base import StateStore
from tests.shapes import check_shape

EVERYTHING = 1_000_000
TERMINAL = ("completed", "failed", "interrupted")
MAY_FOLLOW = {
    None: {"queued", "running"},
    "queued": {"running", "interrupted"},
    "running": {"input_required", "cancelling", "completed", "failed", "interrupted"},
    "input_required": {"running", "cancelling", "completed", "failed", "interrupted"},
    "cancelling": {"interrupted"},
}
OF_EVERY_EVENT = {"seq", "type", "task_id", "at", "agent"}
MAY_COME_LATER = {"receipt", "tool_update", "message"}
"""What is told of a task that has ended: what became of a call is known only now."""


@dataclass
class Followed:
    """One task as its events tell it."""

    statuses: list[str] = field(default_factory=list)
    reason: str | None = None
    whole: dict[str, list[Any]] = field(default_factory=dict)
    agents: dict[str, Any] = field(default_factory=dict)
    found: dict[str, list[Any]] = field(default_factory=dict)
    text: str = ""
    receipt: Any = None
    open: list[str] = field(default_factory=list)

    @property
    def status(self) -> str | None:
        return self.statuses[-1] if self.statuses else None


class Follower:
    """Adds up a user's events, and insists that each makes sense after those before it."""

    def __init__(self, events: Sequence[dict[str, Any]]) -> None:
        self.events = events
        self.tasks: dict[str, Followed] = {}
        self.messages: dict[str, dict[str, Any]] = {}
        self.asked: list[str] = []
        self.resolved: dict[str, str] = {}
        for expected, event in enumerate(events, 1):
            assert event["seq"] == expected, "the numbers have a hole"
            assert "too_late" not in str(event), f"published after the interruption: {event}"
            task = self.tasks.setdefault(event["task_id"], Followed())
            if task.status in TERMINAL:
                assert event["type"] in MAY_COME_LATER, f"told after the end: {event}"
                assert event["type"] != "message" or event["role"] == "system", "said after the end"
            getattr(self, f"_{event['type']}", lambda *_: None)(task, event)

    def _status_update(self, task: Followed, event: dict[str, Any]) -> None:
        assert event["status"] in MAY_FOLLOW[task.status]
        if event["reason"] == "superseded":
            assert list(self.tasks)[-1] != event["task_id"], "nothing has taken its place"
        task.statuses.append(event["status"])
        task.reason, task.whole = event["reason"], event["partial_results"]

    def _agent_update(self, task: Followed, event: dict[str, Any]) -> None:
        before = task.agents.get(event["agent"], {})
        assert before.get("state") != "interrupted" or "request" in event, f"told of a stopped agent: {event}"
        request = {name: value for name, value in before.items() if name == "request"}
        told = {name: value for name, value in event.items() if name not in OF_EVERY_EVENT}
        task.agents[event["agent"]] = request | told

    def _partial_result(self, task: Followed, event: dict[str, Any]) -> None:
        stopped = task.agents.get(event["agent"], {}).get("state") == "interrupted"
        assert not stopped, f"taken of a stopped agent: {event}"
        task.found.setdefault(event["agent"], []).extend(event["items"])

    def _text_delta(self, task: Followed, event: dict[str, Any]) -> None:
        task.text += event["text"] if event.get("reply", True) else ""

    def _message(self, task: Followed, event: dict[str, Any]) -> None:
        assert event["message_id"] not in self.messages
        self.messages[event["message_id"]] = event
        if event["role"] == "user":
            self.asked.append(event["task_id"])

    def _input_request(self, task: Followed, event: dict[str, Any]) -> None:
        assert event["request_id"] not in (*task.open, *self.resolved), "asked twice"
        task.open.append(event["request_id"])

    def _input_resolved(self, task: Followed, event: dict[str, Any]) -> None:
        task.open.remove(event["request_id"])
        self.resolved[event["request_id"]] = event["outcome"]

    def _receipt(self, task: Followed, event: dict[str, Any]) -> None:
        assert task.status == "interrupted" or "amended_at" in event["receipt"]
        if task.receipt is not None:
            amended = event["receipt"]
            assert amended["amended_at"], "two receipts"
            changed = [
                (before, after)
                for before, after in zip(task.receipt["tool_calls"], amended["tool_calls"], strict=True)
                if before != after
            ]
            assert changed, "amended without a change"
            assert all(before["outcome"] == "unknown" for before, _ in changed), "an outcome was changed"
        check_shape(ReceiptAnswer, encode(event["receipt"]))
        task.receipt = event["receipt"]


async def follow(store: StateStore, user: str) -> Follower:
    """Add up all events of a user that are durable."""
    page = await store.events_after(user, 0, limit=EVERYTHING)
    return Follower([orjson.loads(event.frame) for event in page.events])


async def check_any_time(
    store: StateStore, user: str, *, lost: Collection[tuple[str, int]] = ()
) -> Follower | None:
    """Compare what is told of a user with what its events add up to; of `lost` turns not all was stored."""
    followed = await follow(store, user)
    snapshot = await store.snapshot(user, history=EVERYTHING)
    if snapshot is None:
        assert not followed.tasks
        return None
    said = await store.history(user, limit=EVERYTHING)
    assert said is not None
    told = (status_answer(snapshot), partial_results_answer(snapshot), history_answer(user, said))
    status, partials, history = (orjson.loads(encode(each)) for each in told)
    in_order = list(followed.tasks)
    task = followed.tasks[snapshot.task.task_id]
    assert status["seq"] == len(followed.events)
    assert (status["status"], status["reason"]) == (task.status, task.reason)
    records = {name: await store.get_task_metadata(user, name) for name in in_order}
    waiting = [record for record in records.values() if record is not None and record.status == "queued"]
    waiting.sort(key=lambda each: -each.priority)
    assert status["queued"] == [each.task_id for each in waiting], "not the order in which they start"
    assert [each["request_id"] for each in status["input_requests"]] == task.open
    if task.status in ("running", "input_required"):
        assert (task.status == "input_required") == bool(task.open)
    for name in in_order:
        assert followed.tasks[name].status not in TERMINAL or not followed.tasks[name].open
    whole = [name for name, record in records.items() if record and (user, record.turn) not in lost]
    if snapshot.task.task_id in whole:
        assert partials["partial_results"] == task.found
        assert partials["text"] == task.text
        assert status["agents"] == task.agents
    told = {event["message_id"]: (event["role"], event["text"]) for event in followed.messages.values()}
    assert {each["message_id"]: (each["role"], each["text"]) for each in history["messages"]} == told
    asked = [each["task_id"] for each in history["messages"] if each["role"] == "user"]
    assert asked == followed.asked, "the history is not in the order of the messages"
    interrupted = [name for name in reversed(in_order) if followed.tasks[name].status == "interrupted"]
    assert [each["task_id"] for each in partials["interrupted"]] == interrupted[:KEPT_CONTEXTS]
    for context in partials["interrupted"]:
        left = followed.tasks[context["task_id"]]
        assert context["reason"] == left.reason
        if context["task_id"] in whole:
            assert (context["partial_results"], context["text"]) == (left.found, left.text)
    for name in in_order:
        await _check_ending(store, user, name, followed.tasks[name], whole=name in whole)
    return followed


async def _check_ending(store: StateStore, user: str, name: str, task: Followed, *, whole: bool) -> None:
    receipt = orjson.loads(await store.get_receipt(user, name) or b"null")
    record = await store.get_task_metadata(user, name)
    assert record is not None
    assert record.status == task.status
    if task.status not in TERMINAL:
        assert receipt is None
        return
    assert record.reason == task.reason == receipt["reason"]
    assert (task.receipt is not None) == (task.status == "interrupted" or "amended_at" in receipt)
    assert task.receipt in (None, receipt)
    assert all(agent["state"] in ("done", "failed", "interrupted") for agent in task.agents.values())
    if whole:
        assert task.whole == task.found
        counts = {agent: len(items) for agent, items in task.found.items()}
        assert {agent: count for agent, count in receipt["partial_results"].items() if count} == counts
        assert receipt["text_kept"] == len(task.text)
    else:
        assert all(item in task.whole[agent] for agent, items in task.found.items() for item in items)


async def check_at_the_end(
    store: StateStore,
    user: str,
    accepted: Sequence[Accepted],
    answered: Sequence[tuple[str, AnsweredAnswer]] = (),
) -> None:
    """Check that every task has ended, and that all that was promised of accepted messages has come true."""
    followed = await follow(store, user)
    position = await store.position(user)
    promised = sorted(
        (each for each in accepted if position and each.epoch == position.epoch and not each.duplicate),
        key=lambda each: each.seq,
    )
    asked = iter(followed.asked)
    in_order_there = all(each.task_id in asked for each in promised)
    assert in_order_there, "an accepted message is missing, or out of order"
    by_form = [
        (word, each)
        for word, each in answered
        if position and (each["user_id"], each["epoch"]) == (user, position.epoch)
    ]
    assert len({each["request_id"] for _, each in by_form}) == len(by_form), "two answers were taken"
    for word, each in by_form:
        assert followed.resolved[each["request_id"]] == each["outcome"]
        stored = await store.get_input(user, each["request_id"])
        assert stored is not None
        decided = {"word": "allowed", "other": "denied"}.get(word)
        assert (
            (stored.answer == {"answer": word}) if stored.permission is None else each["outcome"] == decided
        )
    for request_id in followed.resolved:
        assert (await store.get_input(user, request_id)).resolution == followed.resolved[request_id]
    tasks = [await store.get_task_metadata(user, name) for name in followed.tasks]
    turns = [each.turn for each in tasks if each is not None]
    assert turns == sorted(set(turns))
    replies = {event["task_id"] for event in followed.messages.values() if event["role"] != "user"}
    for place, task in enumerate(tasks, 1):
        assert task is not None
        assert await store.get_checkpoint(user, task.turn) is None
        assert task.status.terminal, f"{task.task_id} never ended"
        assert task.task_id in replies, f"nobody was told how {task.task_id} ended"
        later = [each for each in tasks[place:] if each is not None]
        if task.reason == "superseded":
            assert any(not each.aside for each in later), f"nothing took the place of {task.task_id}"
        successors = [each for each in later if each.previous_task_id == task.task_id]
        again = any(each.message == task.message for each in successors)
        if task.reason in ("superseded", "stopped"):
            # One that was paused, and resumed by another process, counts that as an attempt of its own.
            retries = [each for each in successors if each.asked_in is not None]
            taken_up = [each.task_id for each in retries if each.attempt > task.attempt]
            assert taken_up == [], f"{task.task_id} was told to end, and was taken up again"
        if task.reason == "lost":
            said = [event["text"] for event in followed.messages.values() if event["task_id"] == task.task_id]
            tried = task.attempt + 1 if task.begun else task.attempt
            next_attempt = any(each.message == task.message and each.attempt == tried for each in successors)
            given_up = any(text.endswith(GIVEN_UP) for text in said)
            assert next_attempt != given_up, f"{task.task_id} was lost for good"
        if task.reason == "shutdown":
            replaced = not task.aside and any(not each.aside for each in later)
            assert again or replaced, f"{task.task_id} was not taken up again"
    for each in promised:
        if each.interrupted_task_id is not None:
            told = followed.tasks[each.interrupted_task_id]
            assert told.reason in ("superseded", "stopped")
    for each in (each for each in accepted if each.duplicate):
        first = [one for one in accepted if one.task_id == each.task_id and not one.duplicate]
        assert sum(one.relation != "answer" for one in first) <= 1
