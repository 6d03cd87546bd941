"""The stream of a thread over all its runs, which `threads.join_stream` follows: each as its own stream is.

A run has the frames of its own stream, and after them `metadata` with the status `run_done`. What a client
writes to the state is a `state_update`. All are functions of the thread's events.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from fastapi import Request, Response

from ...domain.errors import BadInput
from ...http.event_stream import EventStream
from ..following import BEGINNING, Place
from ..thread.fold import FoldedEvent
from ..thread.reading import ThreadReader
from ..thread.state import Run
from .api import Api
from .checkpoints import Rests, rest_of
from .rendering import HEARTBEAT_S, LAST, RunRenderer, encoded, frame_of, place_of
from .views import Options, branch_of, state_view
from .wire import thread_id_of, unknown_thread

MODES = ("run_modes", "lifecycle", "state_update")

JOINED_MODES = ("values", "messages-tuple", "updates", "custom")
"""Of a run that was not begun by the client which reads it."""

_METADATA = b"event: metadata\n"
_STATE_UPDATE = b"event: state_update\n"


class RunsStreams:
    """Answers the call that streams a thread over its runs."""

    def __init__(self, api: Api) -> None:
        self._api = api
        self._services = api.services

    async def join(self, request: Request) -> Response:
        """Stream a thread from after the last event that its client has seen, or from now on."""
        thread_id = thread_id_of(request)
        modes = _modes(request)
        if not await self._api.knows(thread_id):
            raise unknown_thread(thread_id)
        self._services.check_streams(thread_id)
        seen = request.headers.get("last-event-id", "").strip()
        position = await self._services.store.position(thread_id)
        seq = position.seq if position is not None else 0
        after = place_of(seen) or (BEGINNING if seen else Place(seq, LAST))
        if after.seq > seq:
            after = BEGINNING  # of another thread, or of this one before it was deleted
        reader = await self._api.threads.reader(thread_id)
        return EventStream(
            self._services,
            thread_id,
            self._pieces(reader, _Rendering(self._api, thread_id, seq), after, modes),
            heartbeat_s=min(self._services.heartbeat_s, HEARTBEAT_S),
        )

    async def _pieces(
        self, reader: ThreadReader, rendering: "_Rendering", after: Place, modes: Sequence[str]
    ) -> AsyncGenerator[bytes, None]:
        yield b""
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                out: list[bytes] = []
                is_read_anew = True
                for step in steps:
                    is_read_anew = False
                    frames = await rendering.step(step, reader)
                    out += _after(after, step.seq, frames, modes)
                if is_read_anew and (run := reader.state.active_run()) is not None:
                    frames = await rendering.present(run, reader)
                    out += _after(after, reader.state.seq, frames, modes)
                if out:
                    yield b"".join(out)


class _Rendering:
    """Renders one run after another, and what clients write to the state; `seq` is the last event by now."""

    def __init__(self, api: Api, thread_id: str, seq: int) -> None:
        self._api = api
        self._thread_id = thread_id
        self._seq = seq
        self._options: Options | None = None
        self._rests = Rests(api.checkpoints, thread_id, seq)
        self._runs: dict[str, RunRenderer] = {}

    async def step(self, step: FoldedEvent, reader: ThreadReader) -> list[bytes | None]:
        """Render an event."""
        found: list[bytes | None] = []
        run, ended = step.run, step.ended
        if run is not None and step.began:
            await self._begin(run)
        if ended is not None and (run is None or ended.run_id != run.run_id):
            found += await self._of_run(ended, step, reader)
        if run is not None:
            found += await self._of_run(run, step, reader)
        return found

    async def present(self, run: Run, reader: ThreadReader) -> list[bytes | None]:
        """Render a run some of whose events are not stored any more, and follow it from then on."""
        renderer = await self._begin(run)
        return [*renderer.present(run, reader.state)]

    async def _begin(self, run: Run) -> RunRenderer:
        # Those of all runs until now are read once.
        if self._options is None or run.began_seq > self._seq:
            self._options = await self._api.options(self._thread_id)
        renderer = RunRenderer(self._thread_id, run.run_id, JOINED_MODES, self._options)
        self._runs[run.run_id] = renderer
        return renderer

    async def _of_run(self, run: Run, step: FoldedEvent, reader: ThreadReader) -> Sequence[bytes | None]:
        is_over = step.ended is not None and step.ended.run_id == run.run_id
        if run.writes_state:
            return [await self._written(run, reader)] if is_over else []
        renderer = self._runs.get(run.run_id)
        if renderer is None:
            return []
        if is_over:
            del self._runs[run.run_id]
            renderer.rest = await self._rests.at_end_of(run)
        frames = renderer.step(step, reader.state)
        done = {"status": "run_done", "run_id": run.run_id}
        return [*frames, frame_of("metadata", done)] if is_over else frames

    async def _written(self, run: Run, reader: ThreadReader) -> bytes:
        step = await self._api.checkpoints.last_step(self._thread_id, run)
        options = self._options or {}
        number = len(branch_of(run, reader.state, options))
        view = state_view(
            self._thread_id, reader.state, run, options, step=step, rest=rest_of(step), number=number
        )
        return frame_of("state_update", {"state": view, "thread_id": self._thread_id})


def _modes(request: Request) -> Sequence[str]:
    # The SDK calls them `stream_mode`, the published document `stream_modes`.
    given = [
        mode
        for name in ("stream_mode", "stream_modes")
        for each in request.query_params.getlist(name)
        for mode in each.split(",")
        if mode
    ]
    for mode in given:
        if mode not in MODES:
            raise BadInput(f"stream_mode: there is no mode {mode!r}; there are: {', '.join(MODES)}.")
    return given or ("run_modes",)


def _after(after: Place, seq: int, frames: Sequence[bytes | None], modes: Sequence[str]) -> list[bytes]:
    places = ((Place(seq, number), frame) for number, frame in enumerate(frames, start=1))
    return [
        encoded(place, frame)
        for place, frame in places
        if frame is not None and place > after and _is_asked_for(frame, modes)
    ]


def _is_asked_for(frame: bytes, modes: Sequence[str]) -> bool:
    if frame.startswith(_STATE_UPDATE):
        return "state_update" in modes
    return "run_modes" in modes or ("lifecycle" in modes and frame.startswith(_METADATA))
