"""A store that keeps namespaces as text, with the semantics of LangGraph's own stores on SQL databases."""

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

AT = datetime(2026, 1, 5, tzinfo=UTC)


class TextStore(BaseStore):
    """`rows` holds values by the labels of their namespace, joined with dots, and their key; newest last."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], dict[str, Any]] = {}

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._done(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return self.batch(ops)

    def _done(self, op: Op) -> Result:
        match op:
            case GetOp():
                place = (".".join(op.namespace), op.key)
                return _item(Item, place, self.rows[place]) if place in self.rows else None
            case PutOp():
                self.rows.pop((".".join(op.namespace), op.key), None)
                if op.value is not None:
                    self.rows[".".join(op.namespace), op.key] = op.value
                return None
            case SearchOp():
                begin = ".".join(op.namespace_prefix)
                found = [
                    _item(SearchItem, place, value)
                    for place, value in reversed(self.rows.items())
                    if _is_like(place[0], f"{begin}%") and (op.filter or {}).items() <= value.items()
                ]
                return found[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                texts = {text for text, _ in self.rows}
                for each in op.match_conditions or ():
                    path = ".".join("%" if label == "*" else label for label in each.path)
                    pattern = f"{path}%" if each.match_type == "prefix" else f"%{path}"
                    texts = {text for text in texts if _is_like(text, pattern)}
                found = sorted({tuple(text.split("."))[: op.max_depth] for text in texts})
                return found[op.offset : op.offset + op.limit]


def _item(kind: Any, place: tuple[str, str], value: dict[str, Any]) -> Any:
    return kind(namespace=tuple(place[0].split(".")), key=place[1], value=value, created_at=AT, updated_at=AT)


def _is_like(text: str, pattern: str) -> bool:
    """Compare as SQLite's `LIKE` does: in any case, `%` for any text, `_` for any character."""
    parts = [{"%": ".*", "_": "."}.get(each, re.escape(each)) for each in pattern]
    return re.fullmatch("".join(parts), text, re.IGNORECASE) is not None
