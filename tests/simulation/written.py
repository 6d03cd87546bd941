"""Reads the arguments of `detour.write` back into the records that they keep, and keeps those."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import ormsgpack

from backend.domain.context import KEPT_CONTEXTS
from backend.store.codec import (
    context_from_json,
    input_from_json,
    message_from_json,
    model_step_from_json,
    partials_in,
    progress_of,
    saved_thread_from_json,
    task_from_json,
    tool_call_from_json,
)
from backend.store.postgres.rows import from_key
from backend.store.records import (
    Checkpoint,
    ForgetCheckpoint,
    ForgetPartials,
    SavedProgress,
    SavedReceipt,
)
from backend.store.threads import ThreadStep
from tests.model_store import ModelUser

TABLES = (
    "tasks", "messages", "events", "partials", "agents", "receipts", "contexts", "acceptances",
    "trim_events", "measure_events", "kept_bytes", "trim_partials", "trim_contexts", "kept_contexts",
    "inputs", "forget_checkpoints", "checkpoints", "tool_calls", "model_steps", "steps", "pieces", "threads",
)  # fmt: skip

FROM_JSON: Mapping[str, Callable[[bytes], Any]] = {
    "tasks": task_from_json,
    "messages": message_from_json,
    "contexts": context_from_json,
    "inputs": input_from_json,
    "tool_calls": tool_call_from_json,
    "model_steps": model_step_from_json,
    "threads": saved_thread_from_json,
}
"""Tables whose rows end with a document that tells all."""


def apply(kept: Mapping[str, ModelUser], *values: Any) -> None:
    """Keep what the arguments after `own` and `must` hold, of users who are there."""
    table: dict[str, Sequence[Any]] = dict(zip(TABLES, values, strict=True))
    for name, from_json in FROM_JSON.items():
        for user, *_, document in table[name]:
            kept[user].keep(from_json(document))
    for user, last, first, packed in table["events"]:
        bodies = ormsgpack.unpackb(packed)
        if kept[user].seq != first - 1 or last != first + len(bodies) - 1:
            raise AssertionError(f"events {first} to {last} of {user} do not follow {kept[user].seq}")
        for body in bodies:
            kept[user].append(body)
    for user, turn, _, _, packed in table["partials"]:
        for saved in partials_in(turn, packed):
            kept[user].keep(saved)
    for user, turn, _, packed in table["agents"]:
        agent, *columns = ormsgpack.unpackb(packed)
        kept[user].keep(SavedProgress(turn, agent, progress_of(*columns)))
    for user, task_id, _, body in table["receipts"]:
        kept[user].keep(SavedReceipt(0, task_id, body))
    for user, client_id, seq, body in table["acceptances"]:
        kept[user].acceptances.setdefault(client_id, (seq, body))
    for user, upto in table["trim_partials"]:
        kept[user].keep(ForgetPartials(upto))
    _keep_checkpoints(kept, table)
    _keep_threads(kept, table)
    _check_all_is_kept(table)


def _check_all_is_kept(table: Mapping[str, Sequence[Any]]) -> None:
    trimmed = [upto for _, upto in table["trim_events"] if upto > 0]
    if trimmed or table["kept_contexts"] != KEPT_CONTEXTS:
        raise AssertionError("the model trims no log")


def _keep_threads(kept: Mapping[str, ModelUser], table: Mapping[str, Sequence[Any]]) -> None:
    held: dict[tuple[str, str], dict[bytes, bytes]] = {}
    for user, graph, piece, body in table["pieces"]:
        held.setdefault((user, graph), {})[piece] = body
    for user, graph, number, step_id, parent, turn, body, pages, pieces in table["steps"]:
        step = ThreadStep(
            graph=from_key(graph),
            number=number,
            step_id=from_key(step_id),
            parent=None if parent is None else from_key(parent),
            turn=turn,
            body=body,
            pages=pages,
            pieces=pieces,
            held=held.get((user, graph), {}),
        )
        kept[user].keep(step)


def _keep_checkpoints(kept: Mapping[str, ModelUser], table: Mapping[str, Sequence[Any]]) -> None:
    for user, turn in table["forget_checkpoints"]:
        kept[user].keep(ForgetCheckpoint(turn))
    for user, turn, _, resting, body in table["checkpoints"]:
        kept[user].keep(Checkpoint(turn, body, resting))
