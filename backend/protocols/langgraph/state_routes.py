"""The state of a thread: now, at a checkpoint, and after each message."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fastapi import APIRouter, Request, Response

from ...domain.encoding import embedded, encode
from ...errors import BadInput, NotFound
from ...graphs.graph_view import unknown_graph
from ...log.state_store.base import HISTORY_BYTES
from ...serving.services import Services
from ...serving.wire.output import json_response
from ..leaving import Leaving
from ..thread.state import Run, ThreadState
from ..threads import Threads
from .branches import Asked, branch_of, head_of
from .checkpoints import Checkpoints, Step, parent_id_of, rest_of
from .index import Index
from .replies import add_route, not_implemented
from .stopping import Stopping
from .views import checkpoint_id_of, selected, state_view
from .wire import body_of, mapping, names, number, text, thread_id_of, unknown_thread

_HISTORY = 10


class _Thread(NamedTuple):
    thread_id: str
    state: ThreadState
    asked: Asked
    steps: Mapping[str, Step]
    is_leaving: bool


class StateRoutes:
    """Answers what clients ask about the states of threads."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        index: Index,
        checkpoints: Checkpoints,
        leaving: Leaving,
        stopping: Stopping,
    ) -> None:
        self._services = services
        self._threads = threads
        self._index = index
        self._checkpoints = checkpoints
        self._leaving = leaving
        self._stopping = stopping

    async def state(self, request: Request) -> Response:
        """Return the present state, with what runs has found so far; with `graph`, as that graph keeps it."""
        graph = request.query_params.get("graph")
        async with self._read(thread_id_of(request), graph) as thread:
            return json_response(selected(_present(thread), request.query_params.getlist("select")))

    async def at(self, request: Request) -> Response:
        """Return the state at the checkpoint that the path names."""
        async with self._read(thread_id_of(request)) as thread:
            view = _at(thread, request.path_params["checkpoint_id"])
            return json_response(selected(view, request.query_params.getlist("select")))

    async def at_checkpoint(self, request: Request) -> Response:
        """Return the state at the checkpoint that the body names, by default the present one."""
        body = await body_of(request)
        checkpoint_id = text(mapping(body, "checkpoint"), "checkpoint_id", within="checkpoint.")
        wanted = names(body, "select")
        async with self._read(thread_id_of(request)) as thread:
            view = _present(thread) if checkpoint_id is None else _at(thread, checkpoint_id)
            return json_response(selected(view, wanted))

    async def history(self, request: Request) -> Response:
        """Return the states after each message, newest first; the first is the present one.

        A page has `HISTORY_BYTES`, but at least one state; `before` its last one is the next.
        """
        body = await body_of(request)
        limit = number(body, "limit", _HISTORY)
        before = body.get("before")
        if isinstance(before, Mapping):
            own = mapping(mapping(body, "before"), "configurable", within="before.") or mapping(
                body, "before"
            )
            before = text(own, "checkpoint_id", within="before.")
        if before is not None and not isinstance(before, str):
            raise BadInput("before: it should name a checkpoint.")
        checkpoint = mapping(body, "checkpoint")
        if checkpoint.get("checkpoint_ns"):
            return json_response([])  # of a subgraph, whose states are not shown
        wanted = names(body, "select")
        metadata = mapping(body, "metadata")
        async with self._read(thread_id_of(request)) as thread:
            return json_response(await _page(thread, metadata, wanted, limit=limit, before=before))

    @contextlib.asynccontextmanager
    async def _read(self, thread_id: str, graph: str | None = None) -> AsyncGenerator[_Thread]:
        """Wait for the turn of a long read, and read a thread; render the answer within it."""
        await self._stopping.settled(thread_id)  # it may take seconds, in which others have their turns
        async with self._services.long_read(thread_id):
            yield await self._thread(thread_id, graph)

    async def _thread(self, thread_id: str, graph: str | None) -> _Thread:
        state = await self._threads.state(thread_id)
        saved = await self._index.get(thread_id)
        if thread_id in self._index.hidden or (state is None and saved is None):
            raise unknown_thread(thread_id)
        state = state or ThreadState("")
        served = self._services.graphs
        if graph is not None and served is not None and graph not in served.names:
            raise unknown_graph(graph, served.names)
        firsts = _firsts(state, graph)
        steps = await self._checkpoints.last_steps(thread_id, firsts)
        active = state.active_run()
        leaving = active is not None and self._leaving.is_leaving(thread_id, active)
        asked = await self._checkpoints.asked(thread_id, saved)
        return _Thread(thread_id, state, asked, steps, leaving)


def _firsts(state: ThreadState, graph: str | None = None) -> list[Run]:
    """Return the first run of each message."""
    return [each for each in state.runs.values() if each.number == 1 and graph in (None, each.graph)]


def _present(thread: _Thread) -> dict[str, Any]:
    return _view(thread, head_of(thread.state, thread.asked), is_head=True)


def _shown(thread: _Thread) -> list[tuple[str, Run]]:
    """Return the runs whose states are shown, each with its checkpoint: the head, then the newest."""
    head = head_of(thread.state, thread.asked)
    if head is None:
        return []
    others = [each.task_id for each in reversed(_firsts(thread.state)) if each.task_id != head.task_id]
    runs = (head, *filter(None, map(thread.state.last_run_of, others)))
    return [(checkpoint_id_of(run, thread.steps.get(run.task_id)), run) for run in runs]


async def _page(
    thread: _Thread,
    metadata: Mapping[str, Any],
    wanted: Sequence[str] | None,
    *,
    limit: int,
    before: str | None,
) -> list[Any]:
    """Return a page of states with that metadata, each ready to be encoded.

    One after the other: each holds the whole conversation up to its message, so all of a long one together
    would be hundreds of MiB.
    """
    page: list[Any] = []
    size = 0
    for view in _views(thread, before):
        if len(page) >= limit:
            break
        if metadata.items() <= view["metadata"].items():
            rendered = encode(selected(view, wanted))
            size += len(rendered)
            if page and size > HISTORY_BYTES:
                break
            page.append(embedded(rendered))
        await asyncio.sleep(0)  # others run in between
    return page


def _views(thread: _Thread, before: str | None) -> Iterator[dict[str, Any]]:
    """Yield the states before a checkpoint, or all of them, newest first."""
    shown = _shown(thread)
    if before is not None:
        ids = [checkpoint_id for checkpoint_id, _ in shown]
        shown = shown[ids.index(before) + 1 :] if before in ids else []
    for place, (_, run) in enumerate(shown):
        yield _view(thread, run, is_head=before is None and place == 0)


def _at(thread: _Thread, checkpoint_id: str) -> dict[str, Any]:
    for place, (known, run) in enumerate(_shown(thread)):
        if known == checkpoint_id:
            return _view(thread, run, is_head=place == 0)
    raise NotFound(f"There is no checkpoint {checkpoint_id!r} in this thread.", code="unknown_checkpoint")


def _view(thread: _Thread, run: Run | None, *, is_head: bool = False) -> dict[str, Any]:
    thread_id, state, asked, steps, is_leaving = thread
    if run is None:
        return state_view(thread_id, state, None, asked)
    step = steps.get(run.task_id)
    branch: Sequence[str] = branch_of(run, state, asked)
    return state_view(
        thread_id,
        state,
        run,
        asked,
        step=step,
        rest=rest_of(step),
        parent_id=parent_id_of(run, state, asked, steps),
        number=len(branch),
        is_head=is_head,
        is_leaving=is_leaving,
    )


def state_routes(states: StateRoutes) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    one = "/threads/{thread_id}"
    add_route(router, f"{one}/state", states.state, "GET")
    add_route(router, f"{one}/state/checkpoint", states.at_checkpoint, "POST")
    add_route(router, f"{one}/state/{{checkpoint_id}}", states.at, "GET")
    add_route(router, f"{one}/history", states.history, "POST")
    add_route(router, f"{one}/state", not_implemented("states that clients could write"), "POST", "PATCH")
    return router
