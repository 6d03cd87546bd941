"""Assistants: the graphs of this server, read, and those that people make of them."""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from fastapi import Request, Response

from ...domain.errors import BadInput, Conflict, NotFound
from ...http.wire.bodies import json_response
from ...store.threads import holds
from ..threads import uuid_of
from .api import Api
from .assistants import Assistant, Version
from .views import selected
from .wire import FURTHEST, body_of, config_of, mapping, metadata_of, names, number, text, truth

_SORTED_BY = ("created_at", "updated_at", "name", "graph_id", "assistant_id")
_AT_ONCE = 100

_SINCE = "2026-01-01T00:00:00.000Z"
"""When an assistant was made; one of this server is as old as the server's code."""

_MESSAGES: Mapping[str, Any] = {"type": "array", "items": {"type": "object"}, "title": "Messages"}
_TALK: Mapping[str, Any] = {"type": "object", "properties": {"messages": _MESSAGES}}
_OF_MESSAGES: Mapping[str, Any] = {
    "input_schema": _TALK,
    "output_schema": _TALK,
    "state_schema": _TALK,
    "context_schema": None,
}
"""The schemas of the travel assistant, which takes and gives nothing but messages."""


class AssistantRoutes:
    """Answers the calls of assistants: the graphs of this server, and those that people make of them."""

    def __init__(self, api: Api) -> None:
        self._services = api.services
        self._agents = api.agents
        self._own = api.assistants

    async def search(self, request: Request) -> Response:
        """Return the assistants that fit, the newest first; `X-Pagination-Next` is the next offset."""
        body = await body_of(request)
        found = await self._found(body)
        by = text(body, "sort_by") or "created_at"
        if by not in _SORTED_BY:
            raise BadInput(f"sort_by: it should be one of: {', '.join(_SORTED_BY)}.")
        order = text(body, "sort_order") or "desc"
        if order not in ("asc", "desc"):
            raise BadInput("sort_order: it should be one of: asc, desc.")
        if by != "created_at" or order != "desc":
            found.sort(key=lambda each: each[by], reverse=order == "desc")
        wanted = names(body, "select")
        first, limit = number(body, "offset", 0, most=FURTHEST), number(body, "limit", 10)
        page = [selected(each, wanted) for each in found[first : first + limit]]
        more = {"X-Pagination-Next": str(first + limit)} if len(found) > first + limit else {}
        return json_response(page, headers=more)

    async def count(self, request: Request) -> Response:
        """Return how many assistants fit."""
        return json_response(len(await self._found(await body_of(request))))

    async def get(self, request: Request) -> Response:
        """Return an assistant."""
        assistant_id = request.path_params["assistant_id"]
        if self._agents.knows(assistant_id):
            return json_response(self._view(self._agents.named(assistant_id)))
        return json_response((await self._own.known(assistant_id)).view())

    async def create(self, request: Request) -> Response:
        """Make an assistant of a graph, with a configuration, a context and metadata of its own."""
        body = await body_of(request)
        given = text(body, "assistant_id")
        assistant_id = str(uuid.uuid4()) if given is None else _uuid(given)
        if_exists = text(body, "if_exists") or "raise"
        if if_exists not in ("raise", "do_nothing"):
            raise BadInput("if_exists: it should be one of: raise, do_nothing.")
        if text(body, "graph_id") is None:
            raise BadInput("graph_id: name the graph.")
        now = self._own.clock().isoformat()
        version = self._version(body, now)
        made = Assistant(
            assistant_id=assistant_id, created_at=now, updated_at=now, latest=1, versions=[version]
        )
        is_served = self._agents.knows(assistant_id)
        if not is_served and await self._own.make(made):
            return json_response(made.view())
        if if_exists == "raise":
            raise Conflict(f"There is an assistant {assistant_id!r} already.", code="assistant_exists")
        if is_served:
            return json_response(self._view(self._agents.named(assistant_id)))
        return json_response((await self._own.known(assistant_id)).view())

    async def update(self, request: Request) -> Response:
        """Add a version to an assistant, which takes from the one before what is not given."""
        assistant_id = self._changeable(request)
        body = await body_of(request)
        now = self._own.clock().isoformat()

        def change(known: Assistant) -> Assistant:
            return known.with_version(self._version(body, now, before=known.now), now)

        return json_response((await self._own.change(assistant_id, change)).view())

    async def delete(self, request: Request) -> Response:
        """Delete an assistant with all its versions, and with `delete_threads` the threads begun with it."""
        assistant_id = self._changeable(request)
        await self._own.delete(assistant_id)
        if truth(request.query_params, "delete_threads"):
            await self._delete_threads(assistant_id)
        return Response(status_code=204)

    async def _delete_threads(self, assistant_id: str) -> None:
        store, person = self._services.store, self._services.access.person
        metadata = {"assistant_id": assistant_id}
        while page := await store.find_threads(metadata=metadata, person=person, limit=_AT_ONCE):
            for each in page:
                await self._services.conversations.delete_user(each.user_id)

    async def versions(self, request: Request) -> Response:
        """Return the versions of an assistant, newest first."""
        body = await body_of(request)
        metadata = mapping(body, "metadata")
        assistant_id = request.path_params["assistant_id"]
        if self._agents.knows(assistant_id):
            views = [self._view(self._agents.named(assistant_id))]
        else:
            own = await self._own.known(assistant_id)
            views = [own.view(each) for each in reversed(own.versions)]
        found = [each for each in views if holds(each["metadata"], metadata)]
        first = number(body, "offset", 0, most=FURTHEST)
        return json_response(found[first : first + number(body, "limit", 10)])

    async def set_latest(self, request: Request) -> Response:
        """Choose the version of an assistant that runs get."""
        assistant_id = self._changeable(request)
        given: Any = (await body_of(request)).get("version", request.query_params.get("version"))
        wanted = number({"version": given}, "version", 0, most=FURTHEST)
        now = self._own.clock().isoformat()
        changed = await self._own.change(assistant_id, lambda known: known.with_latest(wanted, now))
        return json_response(changed.view())

    def _changeable(self, request: Request) -> str:
        assistant_id = request.path_params["assistant_id"]
        if self._agents.knows(assistant_id):
            raise Conflict(
                "A graph of this server cannot be changed; make an assistant of it.", code="served"
            )
        return assistant_id

    def _version(self, body: Mapping[str, Any], now: str, before: Version | None = None) -> Version:
        """Return the version that a body asks for. Raises `BadInput`, and `NotFound` for its graph."""
        config_of(body)
        metadata = metadata_of(body)
        graph = text(body, "graph_id")
        base = before or Version(version=1, graph="", name="Untitled", description=None, created_at=now)
        changes: dict[str, Any] = {
            "graph": self._agents.named(graph) if graph is not None else None,
            "name": text(body, "name"),
            "description": text(body, "description"),
            "config": mapping(body, "config") if body.get("config") is not None else None,
            "context": mapping(body, "context") if body.get("context") is not None else None,
        }
        given = {name: value for name, value in changes.items() if value is not None}
        return replace(base, metadata={**base.metadata, **metadata}, **given)

    async def graph(self, request: Request) -> Response:
        """Return the nodes and edges of an assistant's graph."""
        name = await self._named(request)
        served = self._services.graphs
        return json_response(
            served.drawn(self._agents.graph_of(name)) if served is not None else _drawn_as_one(name)
        )

    async def schemas(self, request: Request) -> Response:
        """Return the JSON Schemas of what an assistant takes and gives, each null if it has none."""
        name = await self._named(request)
        served = self._services.graphs
        schemas = served.schemas(self._agents.graph_of(name)) if served is not None else _OF_MESSAGES
        # What a message brings as `context` is in `configurable`, too.
        config = schemas["context_schema"]
        return json_response({"graph_id": name, **schemas, "config_schema": config})

    async def subgraphs(self, request: Request) -> Response:
        """Return no subgraphs: what an assistant consists of is its own."""
        await self._named(request)
        return json_response({})

    async def no_subgraph(self, request: Request) -> Response:
        """Raise `NotFound`: there is none."""
        raise NotFound(f"There is no subgraph {request.path_params['namespace']!r}.")

    async def _named(self, request: Request) -> str:
        return await self._own.agent_of(request.path_params["assistant_id"])

    async def _found(self, body: Mapping[str, Any]) -> list[dict[str, Any]]:
        metadata, graph_id, name = mapping(body, "metadata"), text(body, "graph_id"), text(body, "name")
        own = sorted(await self._own.all(), key=lambda each: each.created_at, reverse=True)
        views = [*(each.view() for each in own), *(self._view(each) for each in self._agents.names)]
        return [
            each
            for each in views
            if graph_id in (None, each["graph_id"])
            and (name is None or name.lower() in each["name"].lower())
            and holds(each["metadata"], metadata)
        ]

    def _view(self, name: str) -> dict[str, Any]:
        served, own = self._services.graphs, self._agents.graph_of(name)
        about = [each["description"] for each in served.views() if each["name"] == own] if served else []
        return {
            "assistant_id": uuid_of(name),
            "graph_id": name,
            "name": name,
            "description": (about[0] if about else "") or None,
            "config": {},
            "context": {},
            "metadata": {"created_by": "system"},
            "version": 1,
            "created_at": _SINCE,
            "updated_at": _SINCE,
        }


def _drawn_as_one(name: str) -> dict[str, Any]:
    nodes = [
        {"id": each, "type": "runnable", "data": {"name": each}} for each in ("__start__", name, "__end__")
    ]
    return {
        "nodes": nodes,
        "edges": [{"source": "__start__", "target": name}, {"source": name, "target": "__end__"}],
    }


def _uuid(given: str) -> str:
    try:
        return str(uuid.UUID(given))
    except ValueError:
        raise BadInput("assistant_id: it should be a UUID.") from None
