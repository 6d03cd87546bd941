"""Assistants: the graphs of this server, which clients can read and not change."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response

from ...domain.errors import NotFound
from ...graphs.several_graphs import GraphView
from ...http.services import Services
from ...http.wire.bodies import json_response
from ...store.threads import holds
from ..threads import Agents, uuid_of
from .views import selected
from .wire import FURTHEST, add_route, body_of, mapping, names, not_implemented, number, text

_SINCE = "2026-01-01T00:00:00.000Z"
"""When an assistant was made; one of this server is as old as the server's code."""

VERSION = "0.1.0"
_MESSAGES: Mapping[str, Any] = {"type": "array", "items": {"type": "object"}, "title": "Messages"}
_TALK: Mapping[str, Any] = {"type": "object", "properties": {"messages": _MESSAGES}}
_OF_MESSAGES: Mapping[str, Any] = {
    "input_schema": _TALK,
    "output_schema": _TALK,
    "state_schema": _TALK,
    "context_schema": None,
}
"""The schemas of the travel assistant, which takes and gives nothing but messages."""


class Assistants:
    """Answers what clients ask about assistants."""

    def __init__(self, services: Services, agents: Agents) -> None:
        self._services = services
        self._agents = agents

    async def search(self, request: Request) -> Response:
        """Return the assistants that fit."""
        found, wanted = await self._found(request)
        return json_response([selected(each, wanted) for each in found])

    async def count(self, request: Request) -> Response:
        """Return how many assistants fit."""
        found, _ = await self._found(request)
        return json_response(len(found))

    async def get(self, request: Request) -> Response:
        """Return an assistant."""
        return json_response(self._view(self._named(request)))

    async def graph(self, request: Request) -> Response:
        """Return the nodes and edges of an assistant's graph."""
        name = self._named(request)
        served = self._services.graphs
        return json_response(
            served.drawn(self._agents.graph_of(name)) if served is not None else _drawn_as_one(name)
        )

    async def schemas(self, request: Request) -> Response:
        """Return the JSON Schemas of what an assistant takes and gives, each null if it has none."""
        name = self._named(request)
        served = self._services.graphs
        schemas = served.schemas(self._agents.graph_of(name)) if served is not None else _OF_MESSAGES
        # What a message brings as `context` is in `configurable`, too.
        config = schemas["context_schema"]
        return json_response({"graph_id": name, **schemas, "config_schema": config})

    async def subgraphs(self, request: Request) -> Response:
        """Return no subgraphs: what an assistant consists of is its own."""
        self._named(request)
        return json_response({})

    def _named(self, request: Request) -> str:
        return self._agents.named(request.path_params["assistant_id"])

    def _graph(self, name: str) -> GraphView | None:
        served, own = self._services.graphs, self._agents.graph_of(name)
        return next((each for each in served.views() if each["name"] == own), None) if served else None

    async def _found(self, request: Request) -> tuple[list[dict[str, Any]], Any]:
        body = await body_of(request)
        metadata, graph_id, name = mapping(body, "metadata"), text(body, "graph_id"), text(body, "name")
        views = [self._view(each) for each in self._agents.names]
        found = [
            each
            for each in views
            if graph_id in (None, each["graph_id"])
            and (name is None or name.lower() in each["name"].lower())
            and holds(each["metadata"], metadata)
        ]
        first = number(body, "offset", 0, most=FURTHEST)
        return found[first : first + number(body, "limit", 10)], names(body, "select")

    def _view(self, name: str) -> dict[str, Any]:
        graph = self._graph(name)
        return {
            "assistant_id": uuid_of(name),
            "graph_id": name,
            "name": name,
            "description": (graph["description"] if graph is not None else "") or None,
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


async def _ok(_request: Request) -> Response:
    return json_response({"ok": True})


async def _info(_request: Request) -> Response:
    flags = {"assistants": True, "crons": False, "langsmith": False}
    return json_response({"version": VERSION, "flags": flags})


async def _no_subgraph(request: Request) -> Response:
    raise NotFound(f"There is no subgraph {request.path_params['namespace']!r}.")


def assistant_router(services: Services, agents: Agents) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    assistants = Assistants(services, agents)
    one = "/assistants/{assistant_id}"
    add_route(router, "/ok", _ok, "GET")
    add_route(router, "/info", _info, "GET")
    add_route(router, "/assistants/search", assistants.search, "POST")
    add_route(router, "/assistants/count", assistants.count, "POST")
    add_route(router, one, assistants.get, "GET")
    add_route(router, f"{one}/graph", assistants.graph, "GET")
    add_route(router, f"{one}/schemas", assistants.schemas, "GET")
    add_route(router, f"{one}/subgraphs", assistants.subgraphs, "GET")
    add_route(router, f"{one}/subgraphs/{{namespace}}", _no_subgraph, "GET")
    fixed = not_implemented("assistants that clients could make or change: they are its graphs")
    add_route(router, "/assistants", fixed, "POST")
    add_route(router, one, fixed, "PATCH", "DELETE")
    add_route(router, f"{one}/versions", fixed, "POST")
    add_route(router, f"{one}/latest", fixed, "POST")
    return router
