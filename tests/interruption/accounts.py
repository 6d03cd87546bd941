"""What must hold of a user's tool calls, at any moment and at the end: what is told is what became of them.

Rows, events, receipts and what whoever books has done must all say the same. What never should have reached
it is found by `office` itself, and what a task was given that it should not have been, by `script`.
"""

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import orjson

from backend.domain.tool_call import ToolCall, call_key
from backend.store.base import StateStore
from tests.interruption.invariants import Follower
from tests.interruption.office import Office

OPEN = ("waiting", "running")
OUTCOMES = {
    "read": {"completed", "not_started", "cancelled", "adopted", "failed"},
    "write": {"completed", "not_started", "denied", "completed_after_interrupt", "failed"},
}
AFTER_ALL = {"completed_after_interrupt", "failed", "not_started", "cancelled", "completed"}
"""What an unknown outcome may turn out to be."""


async def check_calls_any_time(store: StateStore, user: str, followed: Follower | None) -> Sequence[ToolCall]:
    """Check what is told of a user's calls, and return them."""
    rows = await calls_of(store, user)
    events = followed.events if followed else ()
    told = _states_told(events)
    _nothing_is_shown_twice(events)
    if not rows:
        return ()
    for row in rows:
        assert row.user_id == user
        if row.effect != "write":
            assert row.key == call_key(row.tool, row.arguments)
        states = told[row.task_id, row.call_id]
        assert states, f"nobody was told of {row}"
        assert states[-1] == (row.outcome or row.state), f"told {states} of {row}"
        if row.effect == "read" and row.outcome == "unknown":
            assert "deaf" in await _message_of(store, row), f"a read that ends is unknown: {row}"
    for task_id in {row.task_id for row in rows}:
        receipt = orjson.loads(await store.get_receipt(user, task_id) or b"null")
        if receipt is not None:
            _receipt_is_true(receipt, [row for row in rows if row.task_id == task_id])
    in_order_told = [*told]
    _adopted_calls_are_one(
        sorted(rows, key=lambda row: in_order_told.index((row.task_id, row.call_id))), events
    )
    return rows


async def check_calls_at_the_end(store: StateStore, user: str, office: Office) -> None:
    """Check that each call has its one outcome, and that what was done is told as done, and nothing else."""
    rows = await calls_of(store, user)
    done = {call_id for call_id, effect in office.effects.items() if effect.user_id == user}
    for row in rows:
        if "deaf" in await _message_of(store, row):
            continue  # what never lets go may have died with its process
        assert row.outcome in OUTCOMES[row.effect], f"never ended: {row}"
        if row.effect == "write":
            assert row.done == (row.call_id in done), f"{row.call_id in done}: told as {row}"
        receipt = orjson.loads(await store.get_receipt(user, row.task_id) or b"null")
        outcomes = {each["call_id"]: each["outcome"] for each in receipt["tool_calls"]}
        assert outcomes == {each.call_id: each.outcome for each in rows if each.task_id == row.task_id}


async def calls_of(store: StateStore, user: str) -> tuple[ToolCall, ...]:
    """Return all of a user's calls, task by task."""
    position = await store.position(user)
    turns = range(1, position.turn + 1) if position else ()
    return tuple([row for turn in turns for row in await store.get_tool_calls(user, turn)])


async def _message_of(store: StateStore, row: ToolCall) -> str:
    task = await store.get_task_metadata(row.user_id, row.task_id)
    assert task is not None
    return task.message


def _states_told(events: Iterable[dict[str, Any]]) -> dict[tuple[str, str], list[str]]:
    """Return the states that were told of each call in each task; each makes sense after the last."""
    told: dict[tuple[str, str], list[str]] = defaultdict(list)
    for event in events:
        if event["type"] == "tool_update":
            states = told[event["task_id"], event["call_id"]]
            last, state = states[-1] if states else "waiting", event["state"]
            if last == "waiting":
                fits = True
            elif last == "running":  # a write that was called off at the last instant may wait again
                fits = state not in OPEN or (state == "waiting" and event["effect"] == "write")
            else:
                again = state == last and event["effect"] == "write"
                fits = again or (last == "unknown" and state in AFTER_ALL)
            assert fits, f"told {state} after {states}: {event}"
            states.append(state)
    return told


def _receipt_is_true(receipt: dict[str, Any], rows: Sequence[ToolCall]) -> None:
    accounts = {each["call_id"]: each for each in receipt["tool_calls"]}
    assert (len(receipt["tool_calls"]), accounts.keys()) == (len(rows), {row.call_id for row in rows})
    for row in rows:
        account = accounts[row.call_id]
        amended_soon = account["outcome"] == "unknown" and row.outcome is not None
        assert amended_soon or account == row.as_account(), f"the receipt says {account} of {row}"


def _adopted_calls_are_one(rows: Sequence[ToolCall], events: Sequence[dict[str, Any]]) -> None:
    """What several tasks have an entry of is one call, and for the same."""
    by_id: dict[str, list[ToolCall]] = defaultdict(list)
    for row in rows:
        by_id[row.call_id].append(row)
    adopted = Counter(
        (event["task_id"], call_id)
        for event in events
        if event["type"] == "context_transfer"
        for call_id in event["adopted"]
    )
    for call_id, entries in by_id.items():
        assert len({(row.tool, row.key, row.effect) for row in entries}) == 1
        for before, after in itertools.pairwise(entries):
            if before.effect == "read":
                assert before.outcome in ("adopted", "completed"), f"{after.task_id} has {before}"
                assert adopted[after.task_id, call_id] == 1, f"nobody was told that it took over {after}"
    for task_id, call_id in adopted:
        assert len(by_id[call_id]) > 1, f"{task_id} took over {call_id} from nobody"


def _nothing_is_shown_twice(events: Iterable[dict[str, Any]]) -> None:
    shown: Counter[tuple[str, str, bytes]] = Counter()
    for event in events:
        if event["type"] == "partial_result":
            found = map(orjson.dumps, event["items"])
            shown.update((event["task_id"], event["agent"], item) for item in found)
    assert all(count == 1 for count in shown.values()), f"shown twice: {shown.most_common(1)}"
