"""Runs: begun, streamed, waited for, listed, cancelled."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

from fastapi import APIRouter, Request, Response

from ...errors import BadInput, StoreUnavailable
from ...log.event_bus.base import SubscriptionEnded
from ...serving.event_stream import EventStream
from ...serving.services import Services
from ...serving.wire.output import json_response
from ..agents import Agents
from ..leaving import Leaving
from ..run_stream import BEGINNING, Place
from ..thread.state import Run, ThreadState
from ..threads import Threads
from .branches import Asked, asked_in
from .checkpoints import Checkpoints
from .index import Index
from .rendering import RunRenderer, place_of
from .replies import add_route, not_implemented
from .starting import Begun, Starting
from .stopping import Stopping
from .streams import Follower
from .views import run_view, selected
from .wire import (
    FURTHEST,
    RunRequest,
    body_of,
    names,
    number,
    run_request,
    stream_modes,
    text,
    thread_id_of,
    truth,
    unknown_run,
    unknown_thread,
)

HEARTBEAT_S = 10.0
"""Clients take a line for dead after three intervals between the first two comments, 6 to 30 s."""

FORGET_AFTER_S = 30.0
"""Seconds for which the thread of a run without one outlives the run: a client may repair its line."""

_NEVER = 10**18
_JSON = {"content-type": "application/json"}
_JOINED_MODES = ("values", "messages-tuple", "updates", "custom")
"""Of a run that no client of this protocol began."""


class Runs:
    """Answers what clients ask about runs."""

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
        checkpoints: Checkpoints,
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._leaving = leaving
        self._starting = starting
        self._stopping = stopping
        self._follower = follower
        self._checkpoints = checkpoints
        self._heartbeat_s = min(services.heartbeat_s, HEARTBEAT_S)

    # --- begun ---------------------------------------------------------------------------------------

    async def create(self, request: Request) -> Response:
        """Begin a run."""
        thread_id, wanted, begun = await self._begun(request)
        self._forget_later(request, thread_id, wanted, begun)
        view = self._view(thread_id, begun.run, begun.asked)
        return json_response(view, headers={"Content-Location": _path(thread_id, begun.run)})

    async def stream(self, request: Request) -> Response:
        """Begin a run, and stream it."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        self._forget_later(request, thread_id, wanted, begun)
        on_leave = await self._on_leave(thread_id, begun.run) if wanted.cancels_on_disconnect else None
        return await self._frames(thread_id, begun.run, begun.asked, begun.modes, BEGINNING, on_leave)

    async def wait(self, request: Request) -> Response:
        """Begin a run, and return its values once it has ended."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        self._forget_later(request, thread_id, wanted, begun)
        on_leave = await self._on_leave(thread_id, begun.run) if wanted.cancels_on_disconnect else None
        return await self._outcome(thread_id, begun.run, begun.asked, on_leave)

    async def _begun(self, request: Request, *, streams: bool = False) -> tuple[str, RunRequest, Begun]:
        wanted = run_request(await body_of(request))
        if "thread_id" in request.path_params:
            thread_id = thread_id_of(request)
        else:
            thread_id = str(uuid.uuid4())
            wanted = _for_a_new_thread(wanted)
        if streams:
            self._services.check_streams(thread_id)
        return thread_id, wanted, await self._starting.begin(thread_id, wanted)

    def _forget_later(self, request: Request, thread_id: str, wanted: RunRequest, begun: Begun) -> None:
        """Forget the thread of a run without one once the run has ended, unless it is to be kept."""
        if "thread_id" not in request.path_params and not wanted.keeps_thread:
            self._services.owner.spawn_detached(
                self._forget(thread_id, begun), name=f"forget {begun.run.run_id}"
            )

    async def _forget(self, thread_id: str, begun: Begun) -> None:
        try:
            reader = await self._threads.reader(thread_id)
            await self._follower.outcome(reader, thread_id, begun.run.run_id, begun.asked)
        except (SubscriptionEnded, StoreUnavailable):
            return  # the server ends, or the store is down: the thread stays
        self._index.hidden.add(thread_id)
        # No task that sleeps: the end of the server would wait for it.
        asyncio.get_running_loop().call_later(FORGET_AFTER_S, self._delete, thread_id)

    def _delete(self, thread_id: str) -> None:
        self._services.owner.spawn_detached(self._deleted(thread_id), name=f"forget {thread_id}")

    async def _deleted(self, thread_id: str) -> None:
        await self._services.runner.delete_user(thread_id)
        self._index.hidden.discard(thread_id)

    # --- followed ------------------------------------------------------------------------------------

    async def join_stream(self, request: Request) -> Response:
        """Stream a run: what comes after the last event that a client has seen, or from now on."""
        thread_id, state, run = await self._known(request)
        saved = await self._index.get(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        modes = stream_modes([each for each in request.query_params.getlist("stream_mode") if each])
        own: Sequence[str] = asked.get(run.run_id, {}).get("modes") or _JOINED_MODES
        seen = request.headers.get("last-event-id", "").strip()
        # Both SDKs repair a line that was cut before its first frame by the bare path of `Location`, and so
        # without a last id; who joins by them asks for `cancel_on_disconnect`, be it false.
        repairs = not request.url.query
        unseen = BEGINNING if run.ended or repairs else Place(state.seq, _NEVER)
        after = (place_of(seen) or BEGINNING) if seen else unseen
        if seen and after.seq > state.seq:
            after = BEGINNING  # of another thread, or of this one before it was deleted
        leaves = truth(request.query_params, "cancel_on_disconnect")
        on_leave = await self._on_leave(thread_id, run) if leaves else None
        return await self._frames(thread_id, run, asked, modes or own, after, on_leave, named=modes)

    async def join(self, request: Request) -> Response:
        """Return the values of a run once it has ended."""
        thread_id, _, run = await self._known(request)
        saved = await self._index.get(thread_id)
        leaves = truth(request.query_params, "cancel_on_disconnect")
        on_leave = await self._on_leave(thread_id, run) if leaves else None
        asked = await self._checkpoints.asked(thread_id, saved)
        return await self._outcome(thread_id, run, asked, on_leave)

    async def _frames(
        self,
        thread_id: str,
        run: Run,
        asked: Asked,
        modes: Sequence[str],
        after: Place,
        on_leave: Callable[[], None] | None,
        named: Sequence[str] = (),
    ) -> Response:
        reader = await self._threads.reader(thread_id)
        renderer = RunRenderer(thread_id, run.run_id, modes, asked)
        frames = self._follower.frames(reader, thread_id, run.run_id, renderer, after)
        return EventStream(
            self._services,
            thread_id,
            frames,
            headers=_locations(thread_id, run, "stream", named),
            heartbeat_s=self._heartbeat_s,
            on_leave=on_leave,
        )

    async def _outcome(
        self, thread_id: str, run: Run, asked: Asked, on_leave: Callable[[], None] | None
    ) -> Response:
        reader = await self._threads.reader(thread_id)
        return EventStream(
            self._services,
            thread_id,
            self._follower.outcome_as_json(reader, thread_id, run.run_id, asked),
            headers={**_locations(thread_id, run, "join"), **_JSON},
            heartbeat_s=self._heartbeat_s,
            heartbeat=b"\n",
            on_leave=on_leave,
        )

    async def _on_leave(self, thread_id: str, run: Run) -> Callable[[], None]:
        task_id = await self._threads.task_at_work(thread_id, run)
        return partial(self._leaving.leave, thread_id, run, task_id)

    # --- read ----------------------------------------------------------------------------------------

    async def listed(self, request: Request) -> Response:
        """Return the runs of a thread, newest first."""
        thread_id = thread_id_of(request)
        query = request.query_params
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
        thread_id, _, run = await self._known(request)
        saved = await self._index.get(thread_id)
        return json_response(self._view(thread_id, run, asked_in(saved)))

    def _view(self, thread_id: str, run: Run, asked: Asked) -> dict[str, Any]:
        return run_view(thread_id, run, asked, run.graph or self._agents.default)

    async def _known(self, request: Request) -> tuple[str, ThreadState, Run]:
        thread_id, run_id = thread_id_of(request), request.path_params["run_id"]
        state = await self._threads.state(thread_id)
        run = state.runs.get(run_id) if state is not None else None
        if state is None or run is None:
            raise unknown_run(run_id)
        return thread_id, state, run

    # --- ended ---------------------------------------------------------------------------------------

    async def cancel(self, request: Request) -> Response:
        """Stop a run; what it has found is kept."""
        query = request.query_params
        action = _action(query)
        # First of all: some clients ask for the state without waiting for the answer to this. The state waits
        # for the stop, so as to show what it has left; a stop that takes longer is shown as over.
        self._leaving.show_as_ended(thread_id_of(request), request.path_params["run_id"])
        with self._stopping.of(thread_id_of(request)):
            thread_id, _, run = await self._known(request)
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
        state = await self._threads.state(thread_id)
        active = [] if state is None else [each for each in state.runs.values() if not each.ended]
        for run in reversed(active):
            if (run_ids is None or run.run_id in run_ids) and status in {None, "all", run.status}:
                await self._stop(thread_id, run, action)
        return Response(status_code=204)

    async def delete(self, request: Request) -> Response:
        """Let a run that has ended be shown no more; what was said stays in the history."""
        thread_id, _, run = await self._known(request)
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
            await self._follower.outcome(reader, thread_id, run.run_id, {})
        except SubscriptionEnded:
            return Response(status_code=202)
        return Response(status_code=204)


def _for_a_new_thread(wanted: RunRequest) -> RunRequest:
    if wanted.resume is not None or wanted.names_checkpoint:
        raise BadInput("command: a run without a thread has nothing to resume, and no checkpoint.")
    return wanted.in_new_thread()


def _action(query: Mapping[str, str]) -> Literal["interrupt", "rollback"]:
    action = query.get("action") or "interrupt"
    if action == "interrupt":
        return "interrupt"
    if action == "rollback":
        return "rollback"
    raise BadInput("action: it should be one of: interrupt, rollback.")


def _path(thread_id: str, run: Run) -> str:
    return f"/threads/{thread_id}/runs/{run.run_id}"


def _locations(thread_id: str, run: Run, follow: str, modes: Sequence[str] = ()) -> dict[str, str]:
    path = _path(thread_id, run)
    # A client that reconnects there sends nothing of what it had asked for.
    query = "?" + "&".join(f"stream_mode={each}" for each in modes) if modes else ""
    return {"Content-Location": path, "Location": f"{path}/{follow}{query}"}


def run_router(runs: Runs) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    of_thread, one = "/threads/{thread_id}/runs", "/threads/{thread_id}/runs/{run_id}"
    for path in (of_thread, "/runs"):
        add_route(router, f"{path}/stream", runs.stream, "POST")
        add_route(router, f"{path}/wait", runs.wait, "POST")
    add_route(router, of_thread, runs.create, "POST")
    add_route(router, of_thread, runs.listed, "GET")
    add_route(router, "/runs", runs.create, "POST")
    add_route(router, "/runs/cancel", runs.cancel_several, "POST")
    add_route(router, one, runs.get, "GET")
    add_route(router, one, runs.delete, "DELETE")
    add_route(router, f"{one}/stream", runs.join_stream, "GET")
    add_route(router, f"{one}/join", runs.join, "GET")
    add_route(router, f"{one}/cancel", runs.cancel, "POST")
    crons = not_implemented("runs at set times")
    add_route(router, "/runs/crons", crons, "POST", "GET")
    add_route(router, "/runs/crons/{rest:path}", crons, "POST", "GET", "PATCH", "DELETE")
    add_route(router, f"{of_thread}/crons", crons, "POST")
    add_route(router, "/runs/batch", not_implemented("batches of runs"), "POST")
    return router
