"""All that is stored of a user, as JSON: an object for each row of each table, the same from every store.

`docs/data.md` tells what is in each. What a graph keeps in a form of its own is base64, as it is stored.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

import orjson
import ormsgpack
import structlog

from ..domain.encoding import embedded, encode, encode_exactly, to_wire
from ..domain.events import stored
from .records import UserPosition

_log = structlog.get_logger(__name__)


class Exported(NamedTuple):
    """One entry of an export: the table that it is from, and its JSON object; None if that is damaged."""

    table: str
    entry: bytes | None


class ExportedTable(NamedTuple):
    """A table, the columns that are read of it, and in which order of rows; `entries` makes a row's JSON."""

    name: str
    columns: str
    order: str
    entries: Callable[..., Iterable[bytes]]


_DAMAGE = (ValueError, TypeError, AttributeError, OverflowError, OSError)
"""What is raised by a row that is not as it was written."""


def entries_of_row(table: ExportedTable, row: Sequence[Any], *, user_id: str) -> Iterator[Exported]:
    """Yield the entries of a row; one that is damaged has no JSON, and is logged."""
    try:
        for entry in table.entries(*row):
            yield Exported(table.name, entry if _is_object(entry) else _left_out(table, user_id, "no JSON"))
    except _DAMAGE as error:
        # Only the type: the error may quote what a user wrote.
        yield Exported(table.name, _left_out(table, user_id, type(error).__name__))


def _is_object(entry: bytes) -> bool:
    # What is stored is put into an entry as it is: without a look, the whole file might be no JSON.
    try:
        return isinstance(orjson.loads(entry), dict)
    except orjson.JSONDecodeError:
        return False


def _left_out(table: ExportedTable, user_id: str, reason: str) -> None:
    _log.error("a damaged record is left out", table=table.name, user_id=user_id, reason=reason)


def user_entry(position: UserPosition) -> Exported:
    """Return the entry of the user's own row."""
    return Exported("users", encode(position))


def _document(document: bytes | str) -> list[bytes]:
    return [document.encode() if isinstance(document, str) else document]


def _receipt(task_id: str, body: bytes) -> list[bytes]:
    return [encode({"task_id": task_id, "receipt": embedded(body)})]


def _acceptance(client_id: str, seq: int, body: bytes) -> list[bytes]:
    return [encode({"client_id": client_id, "seq": seq, "answer": embedded(body)})]


def _context(document: bytes) -> list[bytes]:
    head, _, partial_results = document.partition(b"\n")
    return [b'%b,"partial_results":%b}' % (head[:-1], partial_results or b"null")]


def _partials(turn: int, found: bytes) -> Iterable[bytes]:
    # Rows that version 3 and earlier wrote have no call id.
    for position, agent, source, count, items, text, *call_id in ormsgpack.unpackb(found):
        place = {"turn": turn, "position": position}
        if not agent:
            yield encode({**place, "text": text})
            continue
        about = {"agent": agent, "source": source, "call_id": call_id[0] if call_id else None, "count": count}
        yield encode({**place, **about, "items": embedded(b"[%b]" % items), "text": text})


_PROGRESS = ("state", "detail", "done", "total", "count", "request", "since", "until")


def _agent(turn: int, agent: str, *progress: Any) -> list[bytes]:
    now = dict(zip(_PROGRESS, progress, strict=True))
    request = None if now["request"] is None else embedded(now["request"])
    return [encode_exactly({"turn": turn, "agent": agent, **now, "request": request})]


def _checkpoint(turn: int, resting: bool, body: bytes) -> list[bytes]:
    return [encode({"turn": turn, "resting": bool(resting), "body": _base64(body)})]


def _events(first_seq: int, bodies: bytes) -> Iterable[bytes]:
    for seq, body in enumerate(ormsgpack.unpackb(bodies), start=first_seq):
        yield stored(seq, body).frame


def _step(
    graph: str, number: int, step_id: str, parent: str | None, turn: int, body: bytes, *ids: bytes
) -> list[bytes]:
    about = {"graph": graph, "number": number, "step_id": step_id, "parent": parent, "turn": turn}
    pages, pieces = (each.hex() for each in ids)
    return [encode({**about, "body": _base64(body), "pages": pages, "pieces": pieces})]


def _piece(graph: str, piece_id: bytes, body: bytes) -> list[bytes]:
    return [encode({"graph": graph, "piece_id": piece_id.hex(), "body": _base64(body)})]


def _conversation(person: str, begun_at: float) -> list[bytes]:
    return [encode({"person": person, "begun_at": to_wire(datetime.fromtimestamp(begun_at, UTC))})]


def _base64(body: bytes) -> str:
    return b64encode(body).decode("ascii")


BESIDE_USERS = (
    ExportedTable("messages", "document", "turn, position", _document),
    ExportedTable("tasks", "document", "turn", _document),
    ExportedTable("receipts", "task_id, body", "task_id", _receipt),
    ExportedTable("tool_calls", "document", "turn, call_id", _document),
    ExportedTable("inputs", "document", "request_id", _document),
    ExportedTable("acceptances", "client_id, seq, body", "client_id", _acceptance),
    ExportedTable("model_steps", "document", "turn, position", _document),
    ExportedTable("contexts", "document", "turn", _context),
    ExportedTable("partials", "turn, found", "turn, last_position", _partials),
    ExportedTable("agents", f"turn, agent, {', '.join(_PROGRESS)}", "turn, agent", _agent),
    ExportedTable("checkpoints", "turn, resting, body", "turn", _checkpoint),
    ExportedTable("events", "first_seq, bodies", "last_seq", _events),
    ExportedTable(
        "thread_steps",
        "graph, number, step_id, parent, turn, body, pages, pieces",
        "graph, number",
        _step,
    ),
    ExportedTable("thread_pieces", "graph, piece_id, body", "graph, piece_id", _piece),
    ExportedTable("threads", "document", "user_id", _document),
    ExportedTable("conversations", "person, begun_at", "user_id", _conversation),
)
"""The tables in the order in which they are exported, after `users`."""

EXPORTED_TABLES = ("users", *(each.name for each in BESIDE_USERS))
