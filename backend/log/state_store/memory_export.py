"""The export of the store in memory: its records as the rows that other stores keep of them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import ormsgpack

from .codec import context_to_json, to_json
from .export import BESIDE_USERS, Exported, entries_of_row
from .memory_user import MemoryUser, ordered
from .records import SavedPartial, SavedProgress
from .sqlite_rows import Row, rows_of


def entries_of(user: MemoryUser, user_id: str, given: Sequence[Row]) -> list[Exported]:
    """Return the entries of all tables but `users`; `given` is whose the conversation is."""
    found: list[Exported] = []
    for table in BESIDE_USERS:
        rows = given if table.name == "conversations" else _rows_of_table(user, user_id, table.name)
        found += [each for row in rows for each in entries_of_row(table, row, user_id=user_id)]
    return found


def _rows_of_table(user: MemoryUser, user_id: str, table: str) -> Iterable[Row]:
    match table:
        case "messages":
            return _documents(ordered(user.messages))
        case "tasks":
            return _documents(user.tasks[turn] for turn in sorted(user.tasks))
        case "receipts":
            return sorted(user.receipts.items())
        case "tool_calls":
            return _documents(user.tool_calls[key] for key in sorted(user.tool_calls))
        case "inputs":
            return _documents(user.inputs[request_id] for request_id in sorted(user.inputs))
        case "acceptances":
            return ((client_id, *user.acceptances[client_id]) for client_id in sorted(user.acceptances))
        case "model_steps":
            return _documents(ordered(user.model_steps))
        case "contexts":
            return ((context_to_json(user.contexts[turn]),) for turn in sorted(user.contexts))
        case "threads":
            return _documents(() if user.saved_thread is None else (user.saved_thread,))
        case _:
            return _rows_of_work(user, user_id, table)


def _rows_of_work(user: MemoryUser, user_id: str, table: str) -> Iterable[Row]:
    match table:
        case "partials":
            return (_without_user(user_id, saved) for saved in ordered(user.partials))
        case "agents":
            progress = (
                SavedProgress(turn, agent, user.progress[turn][agent])
                for turn in sorted(user.progress)
                for agent in sorted(user.progress[turn])
            )
            return (_without_user(user_id, each) for each in progress)
        case "checkpoints":
            kept = (user.checkpoints[turn] for turn in sorted(user.checkpoints))
            return ((each.turn, each.resting, each.body) for each in kept)
        case "events":
            return [(user.seq - len(user.events) + 1, ormsgpack.packb(user.events))]
        case _:
            return _rows_of_threads(user, table)


def _without_user(user_id: str, record: SavedPartial | SavedProgress) -> Row:
    [(_, (_, turn, *what))] = rows_of(user_id, 0, record)
    return (turn, *what) if isinstance(record, SavedProgress) else (turn, ormsgpack.packb([what]))


def _rows_of_threads(user: MemoryUser, table: str) -> Iterator[Row]:
    for graph, thread in sorted(user.threads.items()):
        if table == "thread_pieces":
            yield from ((graph, *piece) for piece in sorted(thread.pieces.items()))
            continue
        for number, step in sorted(thread.steps.items()):
            about = (step.step_id, step.parent, step.turn, step.body, step.pages, step.pieces)
            yield graph, number, *about


def _documents(records: Iterable[Any]) -> Iterator[Row]:
    return ((to_json(each),) for each in records)
