"""The store that a graph was compiled with, as one user sees it: what one user said reaches no other's model.

Many stores join the labels of a namespace with dots and search for all that begins with such a text, with
`LIKE`: for the prefix `ann` they return what is of `anna`, of `ann.lee` and of `Ann`. So the label of a user
is no beginning of another's, has no dot, no wildcard of `LIKE`, and no letter in two cases.
"""

import string
from collections.abc import Iterable, Sequence
from typing import Any, cast

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

Namespace = tuple[str, ...]

_PLAIN = frozenset((string.ascii_lowercase + string.digits + "-@").encode())
_END = "!"


def label_of(user_id: str) -> str:
    """Return the first label of a user's namespaces: for `ann.lee` it is `ann=2elee!`."""
    return "".join(chr(each) if each in _PLAIN else f"={each:02x}" for each in user_id.encode()) + _END


class StoreOfUser(BaseStore):
    """All items of one user in a store, under the user's label.

    An earlier version put them under the plain id. They are still found there, and deleted once they are
    written again or deleted. Under the id `ann` nothing tells an item of `ann` in `("lee", "notes")` from one
    of `ann.lee` in `("notes",)`: what is of several labels is found there only if its first one is asked for.
    """

    def __init__(self, store: BaseStore, user_id: str) -> None:
        self.supports_ttl = store.supports_ttl
        self.ttl_config = store.ttl_config
        self._store = store
        self._label = label_of(user_id)
        self._id = user_id

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        asked = [(op, self._placed(op)) for op in ops]
        return self._seen(asked, self._store.batch([each for _, placed in asked for each in placed]))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations on the user's items."""
        asked = [(op, self._placed(op)) for op in ops]
        return self._seen(asked, await self._store.abatch([each for _, placed in asked for each in placed]))

    def _placed(self, op: Op) -> Sequence[Op]:
        """Return the operation on the user's items, then those on what an earlier version has stored."""
        match op:
            case GetOp():
                return [op._replace(namespace=each) for each in self._places(op.namespace)]
            case PutOp():
                own, *earlier = self._places(op.namespace)
                return [
                    op._replace(namespace=own),
                    *(PutOp(each, op.key, None) for each in earlier),
                ]
            case SearchOp():
                most = op.offset + op.limit
                return [
                    op._replace(namespace_prefix=each, limit=most, offset=0)
                    for each in self._places(op.namespace_prefix)
                ]
            case ListNamespacesOp():
                return self._listed(op)

    def _places(self, namespace: Namespace) -> Sequence[Namespace]:
        earlier = [(self._id, *namespace)]
        # Joined with dots this is `ann.`, which leaves out what is of `anna`, and under the label `ann!`.
        return [(self._label, *namespace), *earlier, *([] if namespace else [(self._id, "")])]

    def _listed(self, op: ListNamespacesOp) -> Sequence[Op]:
        asked = op.match_conditions or ()
        others = [each for each in asked if each.match_type != "prefix"]
        prefixes = [each.path for each in asked if each.match_type == "prefix"] or [()]
        # One more label, or as many as the plain id comes to where it is taken apart at its dots.
        depth = None if op.max_depth is None else op.max_depth + 1 + self._id.count(".")
        most = op.offset + op.limit
        return [
            ListNamespacesOp((*(MatchCondition("prefix", each) for each in places), *others), depth, most, 0)
            for places in zip(*(self._places(cast("Namespace", each)) for each in prefixes), strict=False)
        ]

    def _seen(self, asked: Sequence[tuple[Op, Sequence[Op]]], results: Sequence[Result]) -> list[Result]:
        """Return the results as the user is to see them."""
        found: list[Result] = []
        at = 0
        for op, placed in asked:
            of_op, at = results[at : at + len(placed)], at + len(placed)
            found.append(self._result(op, of_op))
        return found

    def _result(self, op: Op, results: Sequence[Result]) -> Result:
        match op:
            case GetOp():
                items = [each for each in results if isinstance(each, Item)]
                return _in_namespace(items[0], op.namespace) if items else None
            case PutOp():
                return None
            case SearchOp():
                items = self._items(op, cast("Sequence[list[SearchItem]]", results))
                if op.query:
                    items.sort(key=lambda each: -(each.score or 0.0))
                return items[op.offset : op.offset + op.limit]
            case ListNamespacesOp():
                asked = any(each.match_type == "prefix" and each.path for each in op.match_conditions or ())
                found = {
                    rest[: op.max_depth]
                    for namespaces in cast("Sequence[list[Namespace]]", results)
                    for each in namespaces
                    if (rest := self._rest(each, is_asked_for=asked)) is not None
                }
                return sorted(found)[op.offset : op.offset + op.limit]

    def _items(self, op: SearchOp, results: Sequence[Sequence[SearchItem]]) -> list[SearchItem]:
        found: dict[tuple[Namespace, str], SearchItem] = {}
        for item in (each for items in results for each in items):
            rest = self._rest(item.namespace, is_asked_for=bool(op.namespace_prefix))
            if rest is not None:
                found.setdefault((rest, item.key), _in_namespace(item, rest))
        return [*found.values()]

    def _rest(self, namespace: Namespace, *, is_asked_for: bool) -> Namespace | None:
        """Return a namespace without the user's label or id; None if it is not, or may not be, the user's."""
        if namespace[:1] == (self._label,):
            return namespace[1:]
        joined = ".".join(namespace)
        if not joined.startswith(f"{self._id}."):
            return None
        rest = tuple(joined.removeprefix(f"{self._id}.").split("."))
        return rest if is_asked_for or len(rest) == 1 else None


def _in_namespace(item: Any, namespace: Namespace) -> Any:
    values: dict[str, Any] = {
        "value": item.value,
        "key": item.key,
        "namespace": namespace,
        "created_at": item.created_at,
        "updated_at": item.updated_at,
    }
    return SearchItem(**values, score=item.score) if isinstance(item, SearchItem) else Item(**values)
