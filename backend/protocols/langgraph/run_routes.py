"""Runs that have begun: read, cancelled, deleted."""

from collections.abc import Mapping
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from ...errors import BadInput
from ...log.event_bus.base import SubscriptionEnded
from ...serving.edge.identity.access import Act
from ...serving.services import Services
from ...serving.wire.output import json_response
from ..agents import Agents
from ..following import Following
from ..leaving import Leaving
from ..thread.state import Run
from ..threads import Threads
from .branches import Asked, asked_in
from .index import Index
from .replies import add_route, not_implemented
from .run_follow_routes import known_run
from .starting import Starting
from .stopping import Stopping
from .streams import Follower
from .views import run_view, selected
from .wire import FURTHEST, body_of, names, number, text, thread_id_of, truth, unknown_thread


class Runs:
    """Tells of the runs of threads, and ends them."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        agents: Agents,
        index: Index,
        leaving: Leaving,
        starting: Starting,
        stopping: Stopping,
        follower: Follower,
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._leaving = leaving
        self._starting = starting
        self._stopping = stopping
        self._follower = follower

    async def listed(self, request: Request) -> Response:
        """Return the runs of a thread, newest first."""
        thread_id = thread_id_of(request)
        query = request.query_params
        async with self._services.long_read(thread_id):
            state, saved = await self._threads.state(thread_id), await self._index.get(thread_id)
        if state is None and saved is None:
            raise unknown_thread(thread_id)
        runs = [] if state is None else [*reversed(state.runs.values())]
        status = query.get("status")
        runs = [each for each in runs if not status or each.status == status]
        first = number(query, "offset", 0, most=FURTHEST)
        page = runs[first : first + number(query, "limit", 10)]
        asked = asked_in(saved)
        views = [self._view(thread_id, each, asked) for each in page]
        return json_response([selected(each, query.getlist("select")) for each in views])

    async def get(self, request: Request) -> Response:
        """Return a run."""
        async with self._services.long_read(thread_id_of(request)):
            thread_id, _, run = await known_run(self._threads, request)
        saved = await self._index.get(thread_id)
        return json_response(self._view(thread_id, run, asked_in(saved)))

    def _view(self, thread_id: str, run: Run, asked: Asked) -> dict[str, Any]:
        return run_view(thread_id, run, asked, run.graph or self._agents.default)

    # --- ended ---------------------------------------------------------------------------------------

    async def cancel(self, request: Request) -> Response:
        """Stop a run; what it has found is kept."""
        query = request.query_params
        action = _action(query)
        # First of all: some clients ask for the state without waiting for the answer to this. The state waits
        # for the stop, so as to show what it has left; a stop that takes longer is shown as over.
        self._leaving.show_as_ended(thread_id_of(request), request.path_params["run_id"])
        with self._stopping.of(thread_id_of(request)):
            thread_id, _, run = await known_run(self._threads, request)
            await self._stop(thread_id, run, action)
        return await self._cancelled(thread_id, run, waits=truth(query, "wait"))

    async def cancel_several(self, request: Request) -> Response:
        """Stop the runs of a thread that are named, or of a status."""
        body = await body_of(request)
        action = _action(request.query_params)
        thread_id, run_ids, status = text(body, "thread_id"), names(body, "run_ids"), text(body, "status")
        if thread_id is None:
            raise BadInput("thread_id: name the thread of the runs.")
        if status not in {None, "pending", "running", "all"}:
            raise BadInput("status: it should be one of: pending, running, all.")
        await self._services.access.check(thread_id, Act.END)
        state = await self._threads.state(thread_id)
        active = [] if state is None else [each for each in state.runs.values() if not each.ended]
        for run in reversed(active):
            if (run_ids is None or run.run_id in run_ids) and status in {None, "all", run.status}:
                await self._stop(thread_id, run, action)
        return Response(status_code=204)

    async def delete(self, request: Request) -> Response:
        """Let a run that has ended be shown no more; what was said stays in the history."""
        thread_id, _, run = await known_run(self._threads, request)
        await self._stop(thread_id, run, "rollback")
        return Response(status_code=204)

    async def _stop(self, thread_id: str, run: Run, action: str) -> None:
        if action == "rollback":
            await self._starting.roll_back(thread_id, run)
        await self._threads.stop(thread_id, run)

    async def _cancelled(self, thread_id: str, run: Run, *, waits: bool) -> Response:
        if run.ended:
            return Response(status_code=204)
        if not waits:
            return Response(status_code=202)
        reader = await self._threads.reader(thread_id)
        try:
            await self._follower.outcome(reader, thread_id, Following(run.run_id), {})
        except SubscriptionEnded:
            return Response(status_code=202)
        return Response(status_code=204)


def _action(query: Mapping[str, str]) -> Literal["interrupt", "rollback"]:
    action = query.get("action") or "interrupt"
    if action == "interrupt":
        return "interrupt"
    if action == "rollback":
        return "rollback"
    raise BadInput("action: it should be one of: interrupt, rollback.")


def run_router(runs: Runs) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    of_thread, one = "/threads/{thread_id}/runs", "/threads/{thread_id}/runs/{run_id}"
    add_route(router, of_thread, runs.listed, "GET")
    add_route(router, "/runs/cancel", runs.cancel_several, "POST")
    add_route(router, one, runs.get, "GET")
    add_route(router, one, runs.delete, "DELETE")
    add_route(router, f"{one}/cancel", runs.cancel, "POST")
    crons = not_implemented("runs at set times")
    add_route(router, "/runs/crons", crons, "POST", "GET")
    add_route(router, "/runs/crons/{rest:path}", crons, "POST", "GET", "PATCH", "DELETE")
    add_route(router, f"{of_thread}/crons", crons, "POST")
    add_route(router, "/runs/batch", not_implemented("batches of runs"), "POST")
    return router
