"""The calls of the LangGraph API, in one table."""

from collections.abc import Iterable, Sequence

from fastapi import Request, Response

from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ...http.wire.bodies import json_response
from ..threads import user_of
from .api import Api
from .assistant_routes import AssistantRoutes
from .copies import Copies
from .run_routes import RunRoutes
from .runs_stream import RunsStreams
from .starting import Starting
from .state_writes import StateWrites
from .store_routes import StoreRoutes
from .thread_routes import StateRoutes, ThreadRoutes
from .thread_stream import ThreadStreams
from .wire import error_body, error_response, not_implemented

VERSION = "0.1.0"


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
    writes = StateWrites(api)
    starting = Starting(api, writes)
    runs = RunRoutes(api, starting)
    return [
        Group(
            "LangGraph API",
            "What `useStream` and LangGraph's SDKs call. A thread is a user, and its id the user's.",
            [
                *_assistant_calls(AssistantRoutes(api)),
                *_run_calls(runs),
                *_thread_calls(ThreadRoutes(api, writes), StateRoutes(api), ThreadStreams(api, starting)),
                Call(
                    "GET",
                    f"{_THREAD}/stream",
                    RunsStreams(api).join,
                    "Join the stream of a thread, over its runs",
                ),
                *_state_write_calls(writes, Copies(api)),
                *_store_calls(StoreRoutes(api)),
                *_missing_calls(),
            ],
            {"thread_id": user_of},
            refusal=error_response,
            # They take a whole conversation with each message.
            large_bodies=["/threads", "/runs", "/store"],
            error_form=error_body,
            own_paths=["/threads", "/runs", "/assistants", "/store", "/info", "/ok"],
            begin=runs.webhooks.begin,
        )
    ]


def _assistant_calls(assistants: AssistantRoutes) -> Iterable[Call]:
    schemas = "Get what an assistant takes"
    return [
        Call("GET", "/ok", _ok, "See whether the server serves"),
        Call("GET", "/info", _info, "Get the version of the API"),
        Call("POST", "/assistants/search", assistants.search, "Search the assistants", Act.READ),
        Call("POST", "/assistants/count", assistants.count, "Count the assistants", Act.READ),
        Call("GET", _ASSISTANT, assistants.get, "Get an assistant"),
        Call("POST", "/assistants", assistants.create, "Make an assistant", Act.CHANGE),
        Call("PATCH", _ASSISTANT, assistants.update, "Change an assistant", Act.CHANGE),
        Call("DELETE", _ASSISTANT, assistants.delete, "Delete an assistant", Act.CHANGE),
        Call("POST", f"{_ASSISTANT}/versions", assistants.versions, "List its versions", Act.READ),
        Call("POST", f"{_ASSISTANT}/latest", assistants.set_latest, "Choose its version", Act.CHANGE),
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
    yield Call(
        "POST", "/runs/batch", runs.batch, "Begin several runs, each on a thread of its own", Act.CHANGE
    )
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
        Call("POST", "/threads/prune", threads.prune, "Delete several threads"),
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


def _state_write_calls(writes: StateWrites, copies: Copies) -> Iterable[Call]:
    state = f"{_THREAD}/state"
    return [
        Call("POST", state, writes.update, "Write to the state of a thread", Act.CHANGE),
        Call("POST", f"{_THREAD}/copy", copies.copy, "Copy a thread", Act.CHANGE),
        Call("PATCH", state, writes.patch, "Change the metadata of a thread by its state"),
    ]


_CRONS = "runs at set times"
_MISSING = (
    ("GET POST", "/runs/crons", _CRONS),
    ("GET POST PATCH DELETE", "/runs/crons/{rest:path}", _CRONS),
    ("POST", f"{_THREAD}/runs/crons", _CRONS),
)
"""Calls that are answered with 501: their methods and path, and what this server does not have."""


def _missing_calls() -> Iterable[Call]:
    for methods, path, subject in _MISSING:
        for method in methods.split():
            yield Call(method, path, not_implemented(subject))
