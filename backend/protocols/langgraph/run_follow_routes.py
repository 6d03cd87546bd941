"""Runs that clients follow: the stream of a run or its outcome, when it begins and when a client joins it."""

from collections.abc import Callable, Sequence
from functools import partial

from fastapi import APIRouter, Request, Response

from ...serving.event_stream import EventStream
from ...serving.services import Services
from ..leaving import Leaving
from ..run_stream import BEGINNING, Place
from ..thread.state import Run, ThreadState
from ..threads import Threads
from .branches import Asked
from .checkpoints import Checkpoints
from .index import Index
from .rendering import LAST, RunRenderer, encoded, place_of
from .replies import add_route
from .streams import HEARTBEAT_S, Follower
from .wire import stream_modes, thread_id_of, truth, unknown_run

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
        self._heartbeat_s = min(services.heartbeat_s, HEARTBEAT_S)

    async def join_stream(self, request: Request) -> Response:
        """Stream a run: what comes after the last event that a client has seen, or from now on."""
        thread_id, state, run = await known_run(self._threads, request)
        saved = await self._index.get(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        modes = stream_modes([each for each in request.query_params.getlist("stream_mode") if each])
        own: Sequence[str] = asked.get(run.run_id, {}).get("modes") or _JOINED_MODES
        seen = request.headers.get("last-event-id", "").strip()
        # Both SDKs repair a line that was cut before its first frame by the bare path of `Location`, and so
        # without a last id; who joins by them asks for `cancel_on_disconnect`, be it false.
        repairs = not request.url.query
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
            stops_on_leave=truth(request.query_params, "cancel_on_disconnect"),
            named=modes,
            opens=from_now_on,
        )

    async def join(self, request: Request) -> Response:
        """Return the values of a run once it has ended."""
        thread_id, _, run = await known_run(self._threads, request)
        saved = await self._index.get(thread_id)
        asked = await self._checkpoints.asked(thread_id, saved)
        leaves = truth(request.query_params, "cancel_on_disconnect")
        return await self.outcome(thread_id, run, asked, stops_on_leave=leaves)

    async def stream(
        self,
        thread_id: str,
        run: Run,
        asked: Asked,
        modes: Sequence[str],
        *,
        after: Place = BEGINNING,
        stops_on_leave: bool,
        named: Sequence[str] = (),
        opens: bool = False,
    ) -> Response:
        """Return the stream of a run after a place; `named` are the modes that a repaired line is to keep.

        With `opens` it begins with a frame that has the place's id.
        """
        on_leave = await self._on_leave(thread_id, run) if stops_on_leave else None
        reader = await self._threads.reader(thread_id)
        renderer = RunRenderer(thread_id, run.run_id, modes, asked)
        # The SDKs repair a line by the last id that they have read. A line that was cut before the run had
        # anything to show would be repaired from then on, without what had come in between.
        opening = encoded(after, renderer.metadata()) if opens else b""
        frames = self._follower.frames(reader, thread_id, run.run_id, renderer, after, opening=opening)
        return EventStream(
            self._services,
            thread_id,
            frames,
            headers=_locations(thread_id, run, "stream", named),
            heartbeat_s=self._heartbeat_s,
            on_leave=on_leave,
        )

    async def outcome(self, thread_id: str, run: Run, asked: Asked, *, stops_on_leave: bool) -> Response:
        """Return the values of a run as a response that waits until it has ended."""
        on_leave = await self._on_leave(thread_id, run) if stops_on_leave else None
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


def _locations(thread_id: str, run: Run, follow: str, modes: Sequence[str] = ()) -> dict[str, str]:
    path = path_of(thread_id, run)
    # A client that reconnects there sends nothing of what it had asked for.
    query = "?" + "&".join(f"stream_mode={each}" for each in modes) if modes else ""
    return {"Content-Location": path, "Location": f"{path}/{follow}{query}"}


def follow_router(runs: FollowedRuns) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    one = "/threads/{thread_id}/runs/{run_id}"
    add_route(router, f"{one}/stream", runs.join_stream, "GET")
    add_route(router, f"{one}/join", runs.join, "GET")
    return router
