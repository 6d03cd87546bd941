"""The calls of the LangGraph API, in one table; those of assistants are answered here."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import Request, Response

from ...domain.errors import NotFound
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ...http.wire.bodies import json_response
from ...store.threads import holds
from ..threads import Agents, user_of, uuid_of
from .run_routes import RunRoutes
from .starting import Api, Starting
from .store_routes import StoreRoutes
from .thread_routes import StateRoutes, ThreadRoutes
from .thread_stream import ThreadStreams
from .views import selected
from .wire import (
    FURTHEST,
    body_of,
    error_body,
    error_response,
    mapping,
    names,
    not_implemented,
    number,
    text,
)

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
    """Answers the calls of assistants: the graphs of this server, which clients can read and not change."""

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

    async def no_subgraph(self, request: Request) -> Response:
        """Raise `NotFound`: there is none."""
        raise NotFound(f"There is no subgraph {request.path_params['namespace']!r}.")

    def _named(self, request: Request) -> str:
        return self._agents.named(request.path_params["assistant_id"])

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


async def _ok(_request: Request) -> Response:
    return json_response({"ok": True})


async def _info(_request: Request) -> Response:
    flags = {"assistants": True, "crons": False, "langsmith": False}
    return json_response({"version": VERSION, "flags": flags})


# --- calls ---------------------------------------------------------------------------------------------


_THREAD = "/threads/{thread_id}"
_RUN = f"{_THREAD}/runs/{{run_id}}"
_ASSISTANT = "/assistants/{assistant_id}"


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    api = Api(services)
    starting = Starting(api)
    runs = RunRoutes(api, starting)
    return [
        Group(
            "LangGraph API",
            "What `useStream` and LangGraph's SDKs call. A thread is a user, and its id the user's.",
            [
                *_assistant_calls(Assistants(services, api.agents)),
                *_run_calls(runs),
                *_thread_calls(ThreadRoutes(api), StateRoutes(api), ThreadStreams(api, starting)),
                *_store_calls(StoreRoutes(api)),
                *_missing_calls(),
            ],
            {"thread_id": user_of},
            refusal=error_response,
            # They take a whole conversation with each message.
            large_bodies=["/threads", "/runs", "/store"],
            error_form=error_body,
            own_paths=["/threads", "/runs", "/assistants", "/store", "/info", "/ok"],
        )
    ]


def _assistant_calls(assistants: Assistants) -> Iterable[Call]:
    schemas = "Get what an assistant takes"
    return [
        Call("GET", "/ok", _ok, "See whether the server serves"),
        Call("GET", "/info", _info, "Get the version of the API"),
        Call("POST", "/assistants/search", assistants.search, "Search the assistants", Act.READ),
        Call("POST", "/assistants/count", assistants.count, "Count the assistants", Act.READ),
        Call("GET", _ASSISTANT, assistants.get, "Get an assistant"),
        Call("GET", f"{_ASSISTANT}/graph", assistants.graph, "Get the graph of an assistant"),
        Call("GET", f"{_ASSISTANT}/schemas", assistants.schemas, schemas),
        Call("GET", f"{_ASSISTANT}/subgraphs", assistants.subgraphs, "List the subgraphs of an assistant"),
        Call(
            "GET",
            f"{_ASSISTANT}/subgraphs/{{namespace}}",
            assistants.no_subgraph,
            "Get a subgraph of an assistant",
        ),
    ]


def _run_calls(runs: RunRoutes) -> Iterable[Call]:
    begin = [("", runs.create, "Begin a run{}")]
    begin += [("/stream", runs.stream, "Begin a run{}, and stream it")]
    begin += [("/wait", runs.wait, "Begin a run{}, and wait for its end")]
    for path, where in ((f"{_THREAD}/runs", ""), ("/runs", " on a thread of its own")):
        for end, endpoint, title in begin:
            # The body says whether a thread may be made.
            yield Call("POST", f"{path}{end}", endpoint, title.format(where), BY_ROUTE)
    yield Call("POST", "/runs/cancel", runs.cancel_several, "Stop several runs", BY_ROUTE)
    yield Call("GET", f"{_THREAD}/runs", runs.listed, "List the runs of a thread")
    yield Call("GET", _RUN, runs.get, "Get a run")
    yield Call("DELETE", _RUN, runs.delete, "Remove a run that has ended")
    yield Call("GET", f"{_RUN}/stream", runs.join_stream, "Join the stream of a run")
    yield Call("GET", f"{_RUN}/join", runs.join, "Wait for the end of a run")
    yield Call("POST", f"{_RUN}/cancel", runs.cancel, "Stop a run", Act.END)


def _thread_calls(threads: ThreadRoutes, states: StateRoutes, streams: ThreadStreams) -> Iterable[Call]:
    state, events = f"{_THREAD}/state", f"{_THREAD}/stream/events"
    by_body = "Get a state by the checkpoint in the body"
    over_runs = "Stream the events of a thread over its runs"
    return [
        Call("POST", "/threads", threads.create, "Create a thread", BY_ROUTE),
        Call("POST", "/threads/search", threads.search, "Search the threads", Act.READ),
        Call("POST", "/threads/count", threads.count, "Count the threads", Act.READ),
        Call("GET", _THREAD, threads.get, "Get a thread"),
        Call("PATCH", _THREAD, threads.update, "Change the metadata of a thread"),
        Call("DELETE", _THREAD, threads.delete, "Forget a thread"),
        Call("GET", state, states.state, "Get the newest state of a thread"),
        Call("POST", f"{state}/checkpoint", states.at_checkpoint, by_body, Act.READ),
        Call("GET", f"{state}/{{checkpoint_id}}", states.at, "Get a state by its checkpoint"),
        Call("POST", f"{_THREAD}/history", states.history, "List the states of a thread", Act.READ),
        Call("POST", f"{_THREAD}/commands", streams.command, "Carry out a command on a thread", Act.SPEAK),
        Call("POST", events, streams.events, over_runs, Act.FOLLOW),
    ]


def _store_calls(store: StoreRoutes) -> Iterable[Call]:
    return [
        Call("PUT", "/store/items", store.put, "Put an item into the store", Act.CHANGE),
        Call("GET", "/store/items", store.get, "Get an item of the store", Act.READ),
        Call("DELETE", "/store/items", store.delete, "Delete an item of the store", Act.CHANGE),
        Call("POST", "/store/items/search", store.search, "Search the items of the store", Act.READ),
        Call("POST", "/store/namespaces", store.namespaces, "List the namespaces of the store", Act.READ),
    ]


_ASSISTANTS = "assistants that clients could make or change: they are its graphs"
_CRONS = "runs at set times"
_MISSING = (
    ("POST", "/assistants", _ASSISTANTS),
    ("PATCH DELETE", _ASSISTANT, _ASSISTANTS),
    ("POST", f"{_ASSISTANT}/versions", _ASSISTANTS),
    ("POST", f"{_ASSISTANT}/latest", _ASSISTANTS),
    ("GET POST", "/runs/crons", _CRONS),
    ("GET POST PATCH DELETE", "/runs/crons/{rest:path}", _CRONS),
    ("POST", f"{_THREAD}/runs/crons", _CRONS),
    ("POST", "/runs/batch", "batches of runs"),
    ("POST", f"{_THREAD}/copy", "copies of threads"),
    ("GET", f"{_THREAD}/stream", "streams of whole threads in this form"),
    ("POST", "/threads/prune", "pruning"),
    ("POST PATCH", f"{_THREAD}/state", "states that clients could write"),
)
"""Calls that are answered with 501: their methods and path, and what this server does not have."""


def _missing_calls() -> Iterable[Call]:
    for methods, path, subject in _MISSING:
        for method in methods.split():
            yield Call(method, path, not_implemented(subject))
