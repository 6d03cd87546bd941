"""Runs that clients follow: the stream of a run or its outcome, when it begins and when a client joins it."""

from collections.abc import Callable, Sequence
from contextlib import aclosing
from functools import partial
from urllib.parse import urlencode

from fastapi import APIRouter, Request, Response

from ...serving.event_stream import EventStream, Pieces
from ...serving.services import Services
from ..following import Followers, Following
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
