"""Runs that have begun: read, cancelled, deleted."""

import asyncio
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from ...domain.errors import BadInput, StoreUnavailable
from ...http.event_stream import EventStream, Pieces
from ...http.identity.access import Act
from ...http.services import Services
from ...http.wire.bodies import json_response
from ...http.wire.requests import policy_in
from ...store.event_bus import SubscriptionEnded
from ..following import BEGINNING, Followers, Following, Place
from ..thread.state import Run, ThreadState
from ..threads import Agents, Leaving, Threads
from .checkpoints import Checkpoints, Index
from .rendering import HEARTBEAT_S, LAST, Follower, RunRenderer, encoded, place_of
from .starting import Begun, Starting, Stopping
from .views import Asked, asked_in, run_view, selected
from .wire import (
    FURTHEST,
    RunRequest,
    add_route,
    body_of,
    names,
    not_implemented,
    number,
    run_request,
    stream_modes,
    text,
    thread_id_of,
    truth,
    unknown_run,
    unknown_thread,
)

# --- run follow routes ---------------------------------------------------------------------------------
# Runs that clients follow: the stream of a run or its outcome, when it begins and when a client joins it.


MESSAGE = "detour_message"
"""In the query of a stream or a join: the message that steers, until whose answer it goes on."""

_JSON = {"content-type": "application/json"}
_JOINED_MODES = ("values", "messages-tuple", "updates", "custom")
"""Of a run that no client of this protocol began."""


class FollowedRuns:
    """Answers with the stream of a run, or with its outcome; the client may stop the run by leaving."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        index: Index,
        leaving: Leaving,
        follower: Follower,
        checkpoints: Checkpoints,
    ) -> None:
        self._services = services
        self._threads = threads
        self._index = index
        self._leaving = leaving
        self._follower = follower
        self._checkpoints = checkpoints
        self._steering = Followers()
        self._heartbeat_s = min(services.heartbeat_s, HEARTBEAT_S)

    async def join_stream(self, request: Request) -> Response:
        """Stream a run: what comes after the last event that a client has seen, or from now on."""
        thread_id, state, run = await known_run(self._threads, request)
        saved = await self._index.get(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        modes = stream_modes([each for each in request.query_params.getlist("stream_mode") if each])
        own: Sequence[str] = asked.get(run.run_id, {}).get("modes") or _JOINED_MODES
        seen = request.headers.get("last-event-id", "").strip()
        message_id = _message_in(request, state)
        # Both SDKs repair a line that was cut before its first frame by the bare path of `Location`, and so
        # without a last id; who joins by them asks for `cancel_on_disconnect`, be it false.
        repairs = message_id is not None or not request.url.query
        from_now_on = not (seen or run.ended or repairs)
        after = Place(state.seq, LAST) if from_now_on else place_of(seen) or BEGINNING
        if after.seq > state.seq:
            after = BEGINNING  # of another thread, or of this one before it was deleted
        return await self.stream(
            thread_id,
            run,
            asked,
            modes or own,
            after=after,
            message_id=message_id,
            stops_on_leave=truth(request.query_params, "cancel_on_disconnect"),
            named=modes,
            opens=from_now_on,
        )

    async def join(self, request: Request) -> Response:
        """Return the values of a run once it has ended."""
        thread_id, state, run = await known_run(self._threads, request)
        saved = await self._index.get(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        leaves = truth(request.query_params, "cancel_on_disconnect")
        message_id = _message_in(request, state)
        return await self.outcome(thread_id, run, asked, message_id=message_id, stops_on_leave=leaves)

    async def stream(
        self,
        thread_id: str,
        run: Run,
        asked: Asked,
        modes: Sequence[str],
        *,
        after: Place = BEGINNING,
        message_id: str | None = None,
        stops_on_leave: bool,
        named: Sequence[str] = (),
        opens: bool = False,
    ) -> Response:
        """Return the stream of a run after a place; `named` are the modes that a repaired line is to keep.

        With `opens` it begins with a frame that has the place's id. With the `message_id` of a message that
        steers the run it begins there, and goes on until that message is answered.
        """
        following = _following(run, message_id)
        on_leave = self._on_leave(thread_id, run, following) if stops_on_leave else None
        reader = await self._threads.reader(thread_id)
        renderer = RunRenderer(thread_id, following.run_id or "", modes, asked, message_id=message_id)
        # The SDKs repair a line by the last id that they have read. A line that was cut before the run had
        # anything to show would be repaired from then on, without what had come in between.
        opening = encoded(after, renderer.metadata()) if opens else b""
        frames = self._follower.frames(reader, thread_id, following, renderer, after, opening=opening)
        return EventStream(
            self._services,
            thread_id,
            self._counted(thread_id, following, frames),
            headers=_locations(thread_id, run, "stream", named, message_id),
            heartbeat_s=self._heartbeat_s,
            on_leave=on_leave,
        )

    async def outcome(
        self,
        thread_id: str,
        run: Run,
        asked: Asked,
        *,
        message_id: str | None = None,
        stops_on_leave: bool,
    ) -> Response:
        """Return the values of a run as a response that waits until it has ended.

        Or, with the `message_id` of a message that steers it, of the run that has answered that.
        """
        following = _following(run, message_id)
        on_leave = self._on_leave(thread_id, run, following) if stops_on_leave else None
        reader = await self._threads.reader(thread_id)
        found = self._follower.outcome_as_json(reader, thread_id, following, asked)
        return EventStream(
            self._services,
            thread_id,
            self._counted(thread_id, following, found),
            headers={**_locations(thread_id, run, "join", (), message_id), **_JSON},
            heartbeat_s=self._heartbeat_s,
            heartbeat=b"\n",
            on_leave=on_leave,
        )

    def _on_leave(self, thread_id: str, run: Run, following: Following) -> Callable[[], None]:
        def leave() -> None:
            run_id = following.run_id or run.run_id
            unless = partial(self._steering.follow, thread_id, run_id)
            self._leaving.leave(thread_id, run_id, unless=unless)

        return leave

    async def _counted(self, thread_id: str, following: Following, pieces: Pieces) -> Pieces:
        """Pass a stream on; one for a message that steers keeps its run from ending with another stream.

        A page closes the line of a run just before it sends the message that steers it.
        """
        async with aclosing(pieces):
            if following.message_id is None:
                async for piece in pieces:
                    yield piece
                return
            with self._steering.counting(thread_id, following):
                async for piece in pieces:
                    yield piece


async def known_run(threads: Threads, request: Request) -> tuple[str, ThreadState, Run]:
    """Return the thread and the run that a path names, and the thread's state. Raises `NotFound`."""
    thread_id, run_id = thread_id_of(request), request.path_params["run_id"]
    state = await threads.state(thread_id)
    run = state.runs.get(run_id) if state is not None else None
    if state is None or run is None:
        raise unknown_run(run_id)
    return thread_id, state, run


def path_of(thread_id: str, run: Run) -> str:
    """Return the path of a run."""
    return f"/threads/{thread_id}/runs/{run.run_id}"


def _message_in(request: Request, state: ThreadState) -> str | None:
    """Return the message that a query names, None for one that is not in the thread, or not any more."""
    message_id = request.query_params.get(MESSAGE, "")
    return message_id if message_id in state.messages or message_id in state.pending else None


def _following(run: Run, message_id: str | None) -> Following:
    return Following(run.run_id if message_id is None else None, message_id=message_id)


def _locations(
    thread_id: str, run: Run, follow: str, modes: Sequence[str], message_id: str | None
) -> dict[str, str]:
    path = path_of(thread_id, run)
    # A client that reconnects there sends nothing of what it had asked for.
    kept = [("stream_mode", each) for each in modes]
    kept += [(MESSAGE, message_id)] if message_id is not None else []
    query = f"?{urlencode(kept)}" if kept else ""
    return {"Content-Location": path, "Location": f"{path}/{follow}{query}"}


def follow_router(runs: FollowedRuns) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    one = "/threads/{thread_id}/runs/{run_id}"
    add_route(router, f"{one}/stream", runs.join_stream, "GET")
    add_route(router, f"{one}/join", runs.join, "GET")
    return router


# --- run begin routes ----------------------------------------------------------------------------------
# Runs that clients begin, in a thread or without one.


FORGET_AFTER_S = 30.0
"""Seconds for which the thread of a run without one outlives the run: a client may repair its line."""


class BegunRuns:
    """Begins runs, and answers with the run, its stream or its outcome."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        agents: Agents,
        index: Index,
        starting: Starting,
        follower: Follower,
        followed: FollowedRuns,
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._starting = starting
        self._follower = follower
        self._followed = followed

    async def create(self, request: Request) -> Response:
        """Begin a run."""
        thread_id, _, begun = await self._begun(request)
        agent = begun.run.graph or self._agents.default
        view = run_view(thread_id, begun.run, begun.asked, agent, steering=begun.steering)
        return json_response(view, headers={"Content-Location": path_of(thread_id, begun.run)})

    async def stream(self, request: Request) -> Response:
        """Begin a run, and stream it."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._followed.stream(
            thread_id,
            begun.run,
            begun.asked,
            begun.modes,
            message_id=begun.message_id,
            stops_on_leave=wanted.cancels_on_disconnect,
        )

    async def wait(self, request: Request) -> Response:
        """Begin a run, and return its values once it has ended."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._followed.outcome(
            thread_id,
            begun.run,
            begun.asked,
            message_id=begun.message_id,
            stops_on_leave=wanted.cancels_on_disconnect,
        )

    async def _begun(self, request: Request, *, streams: bool = False) -> tuple[str, RunRequest, Begun]:
        wanted = run_request(await body_of(request), policy_in(request.headers))
        has_thread = "thread_id" in request.path_params
        if has_thread:
            thread_id = thread_id_of(request)
        else:
            thread_id = str(uuid.uuid4())
            wanted = _for_a_new_thread(wanted)
        begins = not has_thread or wanted.creates_thread
        await self._services.access.check(thread_id, Act.SPEAK if begins else Act.CHANGE)
        if streams:
            self._services.check_streams(thread_id)
        begun = await self._starting.begin(thread_id, wanted)
        if not has_thread and not wanted.keeps_thread:
            forget = self._forget(thread_id, begun)
            self._services.owner.spawn_detached(forget, name=f"forget {begun.run.run_id}")
        return thread_id, wanted, begun

    async def _forget(self, thread_id: str, begun: Begun) -> None:
        """Forget the thread of a run without one once the run has ended."""
        try:
            reader = await self._threads.reader(thread_id)
            await self._follower.outcome(reader, thread_id, Following(begun.run.run_id), begun.asked)
        except (SubscriptionEnded, StoreUnavailable):
            return  # the server ends, or the store is down: the thread stays
        self._index.hidden.add(thread_id)
        # No task that sleeps: the end of the server would wait for it.
        asyncio.get_running_loop().call_later(FORGET_AFTER_S, self._delete, thread_id)

    def _delete(self, thread_id: str) -> None:
        self._services.owner.spawn_detached(self._deleted(thread_id), name=f"forget {thread_id}")

    async def _deleted(self, thread_id: str) -> None:
        await self._services.conversations.delete_user(thread_id)
        self._index.hidden.discard(thread_id)


def _for_a_new_thread(wanted: RunRequest) -> RunRequest:
    if wanted.resume is not None or wanted.names_checkpoint:
        raise BadInput("command: a run without a thread has nothing to resume, and no checkpoint.")
    return wanted.in_new_thread()


def begin_router(runs: BegunRuns) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    for path in ("/threads/{thread_id}/runs", "/runs"):
        add_route(router, path, runs.create, "POST")
        add_route(router, f"{path}/stream", runs.stream, "POST")
        add_route(router, f"{path}/wait", runs.wait, "POST")
    return router


# --- run routes ----------------------------------------------------------------------------------------


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
