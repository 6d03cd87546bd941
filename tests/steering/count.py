"""Counts what became of each steered message, from the events, the store, and what models were asked with.

None of it is taken from what the server keeps in memory, and the three must agree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import orjson

from backend.conversation.accepted import Accepted
from backend.conversation.steering import PendingAnswer
from backend.domain.task import Message, Task
from backend.store.base import StateStore
from tests.steering.desk import NAMED, Prompt

EVERYTHING = 1_000_000
TERMINAL = ("completed", "failed", "interrupted")
MAY_COME_LATER = {"receipt", "tool_update", "message"}
"""What is told of a task that has ended: what became of a call is known only then."""


@dataclass
class Told:
    """One message of a user, as the events tell of it."""

    message_id: str
    text: str
    fates: list[tuple[str, str]] = field(default_factory=list)
    times: list[datetime] = field(default_factory=list)
    seq: int = 0
    revision: int = 0

    @property
    def name(self) -> str:
        """The name in its text."""
        return NAMED.findall(self.text)[0]

    @property
    def own_id(self) -> str:
        """The task that it is if no other takes it."""
        return self.message_id.rpartition(".")[0]

    @property
    def ended(self) -> bool:
        """Whether its fate was told."""
        return bool(self.fates) and self.fates[-1][0] != "pending"


class Count:
    """Adds up the events of a user, and insists that each makes sense after those before it."""

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self.messages: dict[str, Told] = {}
        self.statuses: dict[str, list[str]] = {}
        self.ends: dict[str, datetime] = {}
        for event in events:
            of = self.statuses.setdefault(event["task_id"], [])
            late = of[-1:] and of[-1] in TERMINAL
            assert not late or event["type"] in MAY_COME_LATER, f"told after the end: {event}"
            getattr(self, f"_{event['type']}", lambda _event: None)(event)

    def _message(self, event: Mapping[str, Any]) -> None:
        if event["role"] == "user":
            assert event["message_id"] not in self.messages, f"told twice: {event}"
            self.messages[event["message_id"]] = Told(event["message_id"], event["text"])

    def _steer(self, event: Mapping[str, Any]) -> None:
        told = self.messages[event["message_id"]]
        assert not told.ended, f"two fates: {told} and {event}"
        if event["steer"] == "pending":
            assert event["revision"] == (told.revision + 1 if told.fates else 0)
            assert event["text"] == told.text or told.fates, "accepted with another text"
            told.text, told.revision = event["text"], event["revision"]
        else:
            assert told.fates, f"never pending: {event}"
            assert (event["text"], event["revision"]) == (told.text, told.revision), "of another revision"
        told.fates.append((event["steer"], event["task_id"]))
        told.seq = event["seq"]
        told.times.append(datetime.fromisoformat(event["at"]))

    def _status_update(self, event: Mapping[str, Any]) -> None:
        before = self.statuses[event["task_id"]]
        if event["status"] == "running" and before == ["queued"]:
            waits = [each.name for each in self.messages.values() if each.fates and not each.ended]
            assert not waits, f"{event['task_id']} overtook {waits}"
        before.append(event["status"])
        if event["status"] in TERMINAL:
            self.ends[event["task_id"]] = datetime.fromisoformat(event["at"])

    @property
    def steered(self) -> list[Told]:
        """The messages that were pending once."""
        return [each for each in self.messages.values() if each.fates]


async def count(store: StateStore, user: str) -> Count:
    """Add up all events of a user that are durable."""
    page = await store.events_after(user, 0, limit=EVERYTHING)
    return Count([orjson.loads(event.frame) for event in page.events])


@dataclass
class Kept:
    """What the store has of a user."""

    tasks: Mapping[str, Task]
    history: Sequence[Message]

    def family(self, task_id: str) -> list[Task]:
        """Return a task and the retries of its message, in order."""
        first = self.tasks[task_id].asked_in or task_id
        found = [each for each in self.tasks.values() if first in (each.task_id, each.asked_in)]
        return sorted(found, key=lambda each: each.turn)


async def kept(store: StateStore, user: str, counted: Count) -> Kept:
    """Read what the store has of a user."""
    names = {*counted.statuses, *(each.own_id for each in counted.messages.values())}
    tasks = {name: await store.get_task_metadata(user, name) for name in sorted(names)}
    return Kept(
        {name: task for name, task in tasks.items() if task is not None},
        await store.get_messages(user, limit=EVERYTHING),
    )


async def check_pending(store: StateStore, user: str) -> None:
    """Check, at any moment, that the store lists what waits as the events do, and has each message once."""
    counted = await count(store, user)
    standing = await store.standing(user)
    if standing is None:
        assert not counted.messages
        return
    waits = [(each.message_id, each.text, each.revision) for each in counted.steered if not each.ended]
    listed = [(each.message_id, each.message, each.revision) for each in standing.pending]
    assert listed == waits, "what is listed as pending is not what was told"
    stored = await kept(store, user, counted)
    said = [each for each in stored.history if each.role == "user"]
    assert sorted(each.message_id for each in said) == sorted(counted.messages)
    for each in said:
        told = counted.messages[each.message_id]
        fate, task_id = told.fates[-1] if told.fates else (None, told.own_id)
        of = task_id if fate in ("taken_in", "merged") else told.own_id
        assert (each.text, each.to_wire()["task_id"]) == (told.text, of), f"{each} is not {told}"


async def check_fates(
    store: StateStore,
    user: str,
    accepted: Sequence[Accepted],
    changed: Sequence[tuple[str, PendingAnswer]],
    prompts: Sequence[Prompt],
    *,
    is_kept_at_once: bool = True,
) -> Count:
    """Check, once nothing is under way any more, that each message of a user has had exactly one fate.

    If what is taken in `is_kept_at_once` in the conversation, models read it in all later runs, too.
    """
    counted = await count(store, user)
    standing, position = await store.standing(user), await store.position(user)
    if standing is None or position is None:
        assert not counted.messages
        return counted
    assert standing.pending == ()
    assert standing.queued == ()
    stored = await kept(store, user, counted)
    names = [each.name for each in counted.messages.values() if NAMED.search(each.text)]
    assert len(names) == len({*names})
    for each in counted.messages.values():
        if not each.fates:
            assert not NAMED.search(each.text) or stored.tasks[each.own_id].steer is None
            continue
        assert each.ended, f"it waits for ever: {each}"
        _check_fate(each, counted, stored)
    for task in stored.tasks.values():
        _check_task(task, counted, stored)
    of_now = [each for each in accepted if (each.user_id, each.epoch) == (user, position.epoch)]
    for each in of_now:
        _check_answer(each, counted)
    for how, answer in changed:
        if answer["message_id"] in counted.messages:
            _check_change(how, answer, counted)
    _check_prompts(user, prompts, counted, stored, is_kept_at_once=is_kept_at_once)
    return counted


def _check_fate(told: Told, counted: Count, stored: Kept) -> None:
    fate, task_id = told.fates[-1]
    own = stored.tasks[told.own_id]
    assert (own.steer, own.message, own.revision) == (fate, told.text, told.revision), f"{own} is not {told}"
    ran = counted.statuses.get(told.own_id, [])
    match fate:
        case "taken_in" | "merged":
            assert (own.status, own.aside, own.taken_in_by) == ("completed", True, task_id)
            assert ran == [], f"taken in, and a task of its own: {told}"
            taken = [each for each in stored.tasks[task_id].took_in if each.message_id == told.message_id]
            assert [(each.text, each.before) for each in taken] == [(told.text, fate == "merged")]
        case "own_task":
            assert task_id == told.own_id
            assert {*ran[-1:]} & {*TERMINAL}, f"its task never ended: {told}, {ran}"
        case _:
            assert fate == "withdrawn"
            assert (own.status, own.reason, own.taken_in_by) == ("interrupted", "stopped", None)
            assert ran == [], f"withdrawn, and a task of its own: {told}"


def _check_task(task: Task, counted: Count, stored: Kept) -> None:
    """Check that what a task says it has taken in is what was told, and in its order."""
    family = {each.task_id for each in stored.family(task.task_id)}
    for taken in task.took_in:
        fate = counted.messages[taken.message_id].fates[-1]
        assert fate[0] == ("merged" if taken.before else "taken_in")
        assert fate[1] in family, f"{task.task_id} has what {fate} has"
    before = [stored.tasks[each.message_id.rpartition(".")[0]].turn for each in task.took_in if each.before]
    assert before == sorted(before), "merged in another order"


def _check_answer(accepted: Accepted, counted: Count) -> None:
    if accepted.message_id is None:
        return
    told = counted.messages[accepted.message_id]
    final = told.fates[-1] if told.fates else ("own_task", told.own_id)
    if accepted.steer != "pending":
        assert (accepted.steer, accepted.task_id) == final, f"answered {accepted}, and it was {told}"
    elif not accepted.duplicate:
        assert told.fates[0] == ("pending", accepted.task_id)


def _check_change(how: str, answer: PendingAnswer, counted: Count) -> None:
    told = counted.messages[answer["message_id"]]
    if how != "edit":
        assert (answer["steer"], answer["text"]) == (told.fates[-1][0], told.text), f"{answer}, and {told}"
    if how in ("now", "later"):
        assert answer["task_id"] == told.own_id


def _check_prompts(
    user: str, prompts: Sequence[Prompt], counted: Count, stored: Kept, *, is_kept_at_once: bool
) -> None:
    of_user = [each for each in prompts if each.user == user and each.task_id in stored.tasks]
    for prompt in of_user:
        names = prompt.names
        assert len(names) == len({*names}), f"a message is there twice: {prompt}"
    steered = [each for each in counted.steered if NAMED.search(each.text)]
    for told in steered:
        fate, task_id = told.fates[-1]
        later = [each for each in of_user if each.at > told.times[-1]]
        if fate == "withdrawn":
            assert all(told.name not in each.names for each in later), f"withdrawn, and said: {told}"
            continue
        family = stored.family(task_id)
        in_family = [each for each in of_user if each.task_id in {one.task_id for one in family}]
        having = [each for each in in_family if told.name in each.names]
        assert having or family[-1].status != "completed", f"no model has read it: {told}"
        assert all(each.text_of(told.name) == told.text for each in having if each.at > told.times[-1])
        must = [each for each in in_family if each.at > told.times[-1]]
        if fate == "taken_in" and is_kept_at_once:
            must = later
        missing = [each for each in must if told.name not in each.names]
        assert not missing, f"it is gone again: {told}, {missing[0]}"
    _check_order(of_user, steered)


def _check_order(prompts: Sequence[Prompt], steered: Sequence[Told]) -> None:
    """Check that what a run has taken in stands in the order in which it was told."""
    runs: dict[str, list[str]] = {}
    for told in sorted(
        (each for each in steered if each.fates[-1][0] == "taken_in"), key=lambda each: each.seq
    ):
        runs.setdefault(told.fates[-1][1], []).append(told.name)
    for prompt in prompts:
        for names in runs.values():
            there = [each for each in prompt.names if each in names]
            assert there == [each for each in names if each in there], f"in another order: {prompt}"
