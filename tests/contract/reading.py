"""Every read of a store, as one value that can be compared."""

import sys
from collections.abc import Iterable
from contextlib import aclosing
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson

from backend.store.base import StateStore
from backend.store.export import Exported
from backend.store.retention import CONVERSATIONS, TASKS, THREADS, AgedPlace
from tests.records import AT

TURNS = range(1, 8)
CLIENT_IDS = ("c1", "c2")
GRAPHS = ("", "other")


async def all_that_is_told(store: Any, user_ids: Iterable[str]) -> dict[str, Any]:
    """Return every read of a store but for its export, by its call; task ids are those of `tests.records`."""
    told: dict[str, Any] = {
        "unfinished users": await store.unfinished_users(),
        "threads": await store.find_threads(limit=10),
        "changed threads": await store.find_threads(metadata={"a": 1}, sort_by="updated_at", limit=10),
        "inputs due": [await store.inputs_due(AT + timedelta(hours=hours)) for hours in range(4)],
    }
    for kind in (TASKS, THREADS, CONVERSATIONS):
        aged = await store.aged_users(AT + timedelta(seconds=1), after=AgedPlace(kind))
        told[f"aged users {kind}"] = aged
    for user_id in user_ids:
        task_ids = [*(f"{user_id}-{turn}" for turn in TURNS), "ann-1", "bob-1"]
        told |= {
            f"{user_id} position": await store.position(user_id),
            f"{user_id} snapshot": await store.snapshot(user_id, history=3),
            f"{user_id} standing": await store.standing(user_id),
            f"{user_id} history": await store.history(user_id, limit=2),
            f"{user_id} messages": await store.get_messages(user_id, limit=1000),
            f"{user_id} last messages": await store.get_messages(user_id, limit=2),
            f"{user_id} no messages": await store.get_messages(user_id, limit=0),
            f"{user_id} tasks": [await store.get_task_metadata(user_id, task_id) for task_id in task_ids],
            f"{user_id} partials": [await store.get_partials(user_id, turn) for turn in TURNS],
            f"{user_id} progress": [await store.get_progress(user_id, turn) for turn in TURNS],
            f"{user_id} receipts": [await store.get_receipt(user_id, task_id) for task_id in task_ids],
            f"{user_id} acceptances": [await store.get_acceptance(user_id, each) for each in CLIENT_IDS],
            f"{user_id} contexts": await store.get_interrupted_contexts(user_id),
            f"{user_id} context of each turn": [
                await store.get_interrupted_context(user_id, turn) for turn in TURNS
            ],
            f"{user_id} latest context": await store.get_latest_interrupted_context(user_id),
            f"{user_id} resumable": await store.resumable(user_id),
            f"{user_id} unsettled tool calls": await store.unsettled_tool_calls(user_id),
            f"{user_id} input": [
                await store.get_input(user_id, f"{each}-1-q{n}") for each in ("ann", "bob") for n in (1, 2)
            ],
            f"{user_id} inputs": [await store.get_inputs(user_id, turn) for turn in TURNS],
            f"{user_id} tool calls": [await store.get_tool_calls(user_id, turn) for turn in TURNS],
            f"{user_id} model steps": await store.get_model_steps(user_id, since_turn=1),
            f"{user_id} last model steps": await store.get_model_steps(user_id, since_turn=3),
            f"{user_id} checkpoints": [await store.get_checkpoint(user_id, turn) for turn in TURNS],
            f"{user_id} threads": [await thread_as_told(store, user_id, graph) for graph in GRAPHS],
            f"{user_id} saved thread": await store.get_saved_thread(user_id),
            f"{user_id} events": await store.events_after(user_id, 0, limit=1000),
            f"{user_id} page of events": await store.events_after(user_id, 2, limit=3),
        }
    return told


async def exported(store: StateStore, user_id: str) -> list[tuple[str, Any]]:
    """Return the entries of an export, read as JSON."""
    return [(table, orjson.loads(entry or b"null")) for table, entry in await as_exported(store, user_id)]


async def exported_but_events(store: StateStore, user_id: str) -> list[Exported]:
    """Return the entries of an export but for events: which are stored whole depends on the process."""
    return [each for each in await as_exported(store, user_id) if each.table != "events"]


async def as_exported(store: StateStore, user_id: str) -> list[Exported]:
    """Return the entries of an export."""
    async with aclosing(store.export(user_id)) as entries:
        return [each async for each in entries]


async def thread_as_told(store: Any, user_id: str, graph: str) -> dict[str, Any]:
    """Return every read of one thread."""
    steps = await store.get_thread_steps(user_id, graph, limit=1000, most_bytes=sys.maxsize)
    ids = [each.step_id for each in steps]
    return {
        "newest": await store.get_thread_step(user_id, graph),
        "unknown": await store.get_thread_step(user_id, graph, "none"),
        "steps": steps,
        "each": [await store.get_thread_step(user_id, graph, each) for each in ids],
        "few bytes": await store.get_thread_steps(user_id, graph, limit=1000, most_bytes=30),
        "pages": [
            await store.get_thread_steps(user_id, graph, limit=2, before=each, most_bytes=sys.maxsize)
            for each in ids
        ],
    }


def as_if_never_copied(mark: Path) -> None:
    """Give the mark beside an SQLite file the times by which a copy is taken for what a kill left."""
    name, groups, _ = mark.read_text().split()
    mark.write_text(f"{name} {groups} {mark.stat().st_mtime:.3f}\n")
    mark.write_text(f"{name} {groups} {mark.stat().st_mtime:.3f}\n")
