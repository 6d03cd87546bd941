"""Items of LangGraph's `Store`: put, read, searched and deleted by clients, as graphs see them.

Graphs keep items for each user apart, and the API names none. A call is about the user of the thread

1. that the header `Detour-Thread` names, else
2. that the first label of the namespace names which is the id of a thread of the caller's, else
3. about the person who calls, or the one party: what is put there lies beneath the items of all the person's
   threads, whose graphs read it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from fastapi import Request, Response

from ...domain.errors import BadInput
from ...http.identity.access import Act, unknown_user
from ...http.wire.bodies import is_user_id, json_response
from ...store.persons import id_for
from .api import Api
from .wire import FURTHEST, body_of, checked_thread_id, mapping, names, number, text, unknown_thread

THREAD = "detour-thread"
"""The header that names the thread."""

MOST_LABELS = 20
"""Of a namespace; each may be looked up as a thread."""

_LONGEST_LABEL = 256
_LONGEST_KEY = 1024


class StoreRoutes:
    """Answers the calls of the store."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def put(self, request: Request) -> Response:
        """Put an item, in the place of the one that has its key."""
        body = await body_of(request)
        if body.get("ttl") is not None:
            raise BadInput("ttl: items do not expire here.")
        if not isinstance(body.get("value"), Mapping):
            raise BadInput("value: it should be an object.")
        namespace = _namespace(body, "namespace", least=1)
        item = {"namespace": namespace, "key": _key(body.get("key")), "value": mapping(body, "value")}
        index = False if body.get("index") is False else names(body, "index")
        await self._done(request, Act.CHANGE, {"do": "put", **item, "index": index}, namespace)
        return Response(status_code=204)

    async def get(self, request: Request) -> Response:
        """Return an item, null if there is none."""
        query = request.query_params
        given = query.getlist("namespace")
        # Both SDKs join the labels with dots; the published API has one parameter for each.
        joined = given[0].split(".") if len(given) == 1 else given
        namespace = _namespace({"namespace": joined}, "namespace", least=1)
        item = {"namespace": namespace, "key": _key(query.get("key"))}
        return json_response(await self._done(request, Act.READ, {"do": "get", **item}, namespace))

    async def delete(self, request: Request) -> Response:
        """Delete an item, if there is one."""
        body = await body_of(request)
        namespace = _namespace(body, "namespace", least=1)
        item = {"namespace": namespace, "key": _key(body.get("key"))}
        await self._done(request, Act.CHANGE, {"do": "delete", **item}, namespace)
        return Response(status_code=204)

    async def search(self, request: Request) -> Response:
        """Return the items within a namespace that fit a filter, those changed last first."""
        body = await body_of(request)
        namespace = _namespace(body, "namespace_prefix")
        operation = {
            "do": "search",
            "namespace": namespace,
            "filter": mapping(body, "filter") or None,
            "query": text(body, "query"),
            "limit": number(body, "limit", 10),
            "offset": number(body, "offset", 0, most=FURTHEST),
        }
        return json_response({"items": await self._done(request, Act.READ, operation, namespace)})

    async def namespaces(self, request: Request) -> Response:
        """Return the namespaces that have items."""
        body = await body_of(request)
        prefix, suffix = _namespace(body, "prefix"), _namespace(body, "suffix")
        operation = {
            "do": "namespaces",
            "prefix": prefix,
            "suffix": suffix,
            "max_depth": number(body, "max_depth", 0) or None,
            "limit": number(body, "limit", 100),
            "offset": number(body, "offset", 0, most=FURTHEST),
        }
        found = await self._done(request, Act.READ, operation, [*prefix, *suffix])
        return json_response({"namespaces": found})

    async def _done(
        self, request: Request, act: Act, operation: Mapping[str, Any], labels: Sequence[str]
    ) -> Any:
        user_id = await self._user(request.headers.get(THREAD), labels, act)
        async with self._services.long_read():
            [result] = await self._services.conversations.use_items(user_id, [operation])
        return result

    async def _user(self, named: str | None, labels: Sequence[str], act: Act) -> str:
        """Return whose items are meant. Raises `Forbidden`, and `NotFound` for a thread of somebody else."""
        if named:
            thread_id = checked_thread_id(named)
            await self._services.access.check(thread_id, act)
            if not await self._api.knows(thread_id):
                raise unknown_thread(thread_id)
            return thread_id
        access = self._services.access
        access.check_scope(act)
        if access.knows_persons and access.person is None:
            raise unknown_user("")
        for label in labels:
            if is_user_id(label) and await self._is_own(label):
                return label
        return id_for(access.person)

    async def _is_own(self, thread_id: str) -> bool:
        access = self._services.access
        if access.knows_persons:
            return await self._services.store.person_of(thread_id) == access.person
        return await self._api.knows(thread_id)


def _namespace(body: Mapping[str, Any], name: str, *, least: int = 0) -> list[str]:
    given: Any = body.get(name) or []
    labels: list[Any] = cast("list[Any]", given) if isinstance(given, list) else [None]
    if not least <= len(labels) <= MOST_LABELS or not all(map(_is_label, labels)):
        raise BadInput(
            f"{name}: it should be a list of {least} to {MOST_LABELS} labels: texts of 1 to {_LONGEST_LABEL} "
            "characters, without periods."
        )
    if least and labels[0] == "langgraph":
        raise BadInput(f"{name}: its first label should not be `langgraph`, which is LangGraph's own.")
    return labels


def _is_label(label: Any) -> bool:
    return isinstance(label, str) and 0 < len(label) <= _LONGEST_LABEL and "." not in label


def _key(key: Any) -> str:
    if not isinstance(key, str) or not 0 < len(key) <= _LONGEST_KEY:
        raise BadInput(f"key: it should be text of 1 to {_LONGEST_KEY} characters.")
    return key
