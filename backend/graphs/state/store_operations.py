"""The operations of clients on the items of LangGraph's `Store`, in JSON: they may reach another replica.

| `do` | with | result |
|---|---|---|
| `put` | `namespace`, `key`, `value`, `index?`, `unless?` | whether it was put |
| `get` | `namespace`, `key` | the item, or null |
| `delete` | `namespace`, `key`, `unless?` | whether it was deleted |
| `search` | `namespace`, `filter?`, `query?`, `limit`, `offset` | the items, those changed last first |
| `namespaces` | `prefix?`, `suffix?`, `max_depth?`, `limit`, `offset` | the namespaces |

With `unless` a change is made only if the item was changed last at that time; null: if there is none.
"""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, cast

from langgraph.store.base import (
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

from ...domain.errors import BadInput, GraphFailedError

Operation = Mapping[str, Any]
Namespace = tuple[str, ...]
Batch = Callable[[Iterable[Op]], Awaitable[list[Result]]]

_ALL = 10**6
"""More items than a user's store can hold."""


async def carried_out(batch: Batch, operations: Sequence[Operation], *, is_small: bool) -> list[Any]:
    """Carry out operations with a store's batch, one after another; return their results, JSON-ready.

    What is found in a store that is not small keeps the store's own order. Raises `BadInput` for what the
    store refuses; the operations before that are done.
    """
    results: list[Any] = []
    for each in operations:
        try:
            results.append(await _done(batch, each, is_small=is_small))
        except GraphFailedError as error:
            raise BadInput(f"value: {error.message}") from error
        except (TypeError, ValueError, NotImplementedError) as error:
            field = "filter" if each["do"] == "search" else "value"
            raise BadInput(f"{field}: the store refuses it: {error}") from error
    return results


async def _done(batch: Batch, operation: Operation, *, is_small: bool) -> Any:
    do = operation["do"]
    if do == "namespaces":
        return await _namespaces(batch, operation)
    namespace = tuple(operation["namespace"])
    if do == "search":
        return await _search(batch, namespace, operation, sorts=is_small and not operation.get("query"))
    key = operation["key"]
    if do == "get":
        [found] = await batch([GetOp(namespace, key)])
        return _view(found) if isinstance(found, Item) else None
    if "unless" in operation:
        [known] = await batch([GetOp(namespace, key)])
        changed_at = known.updated_at.isoformat() if isinstance(known, Item) else None
        if changed_at != operation["unless"]:
            return False
    value = operation["value"] if do == "put" else None
    await batch([PutOp(namespace, key, value, operation.get("index"))])
    return True


async def _search(batch: Batch, namespace: Namespace, operation: Operation, *, sorts: bool) -> list[Any]:
    first, limit = operation["offset"], operation["limit"]
    asked = SearchOp(namespace, operation.get("filter"), limit, first, operation.get("query"))
    if sorts:
        asked = asked._replace(limit=_ALL, offset=0)
    [results] = await batch([asked])
    found = cast("list[SearchItem]", results)
    if sorts:
        found = sorted(found, key=lambda each: each.updated_at, reverse=True)[first : first + limit]
    return [_view(each) for each in found]


async def _namespaces(batch: Batch, operation: Operation) -> list[list[str]]:
    prefix, suffix = operation.get("prefix"), operation.get("suffix")
    conditions = (
        *([MatchCondition("prefix", tuple(prefix))] if prefix else []),
        *([MatchCondition("suffix", tuple(suffix))] if suffix else []),
    )
    op = ListNamespacesOp(conditions, operation.get("max_depth"), operation["limit"], operation["offset"])
    [found] = await batch([op])
    return [[*each] for each in cast("list[Namespace]", found)]


def _view(item: Item) -> dict[str, Any]:
    view: dict[str, Any] = {
        "namespace": [*item.namespace],
        "key": item.key,
        "value": item.value,
        "created_at": item.created_at.isoformat(),
        "updated_at": item.updated_at.isoformat(),
    }
    return {**view, "score": item.score} if isinstance(item, SearchItem) else view
