"""Takes runs of AG-UI's clients and streams them. A refusal is a stream as well: `RUN_ERROR` ends it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

from fastapi import Response
from starlette.datastructures import Headers

from ...errors import BadInput, DetourError, NotFound
from ...serving.edge.identity.access import Act
from ...serving.edge.refusals import note_input
from ...serving.event_stream import EventStream
from ...serving.services import Services
from ...serving.wire.policy import policy_in
from ..agents import Agents
from ..field_names import naming_message_id
from ..following import Followers, Following
from ..ids import user_of
from ..leaving import Leaving
from ..run_stream import BEGINNING, Place, run_pieces
from ..thread.reading import ThreadReader
from ..thread.state import Run, ThreadState
from ..threads import Threads
from .events import refused
from .rendering import Asked, RunRenderer, run_started
from .resuming import resume
from .run_ids import RunIds, StandsFor
from .wire import RunInput, asked_in, read_ids, read_run

DEFAULT_AGENT = "default"
"""What CopilotKit's page calls the agent of a page that names none."""

ANY_AGENT = frozenset({DEFAULT_AGENT, "agent"})
"""Names that a page gives its agent where it does not care: those of the default one."""


class AgentRuns:
    """The runs of all threads, as AG-UI's clients ask for them."""

    def __init__(self, services: Services) -> None:
        self.agents = Agents(services)
        self._services = services
        self._threads = Threads(services)
        self._leaving = Leaving(services)
        self._ids = RunIds(services.store, services.runner.keep)
        self._followers = Followers()

    # --- what clients ask for ----------------------------------------------------------------------------

    async def run(self, agent: str | None, body: Any, *, headers: Headers, leaving_stops: bool) -> Response:
        """Take a message or answers, and stream the run that it begins, or that its first sending began."""
        asked = asked_in(body)
        try:
            wanted = read_run(body, policy_in(headers))
            return await self._accepted(self._given_for(agent), wanted, leaving_stops=leaving_stops)
        except DetourError as error:
            return refusal(asked, error)

    async def connect(self, agent: str | None, body: Any) -> Response:
        """Stream what there is of a thread, and what comes until its run ends; leaving stops nothing."""
        asked = asked_in(body)
        try:
            asked = read_ids(body)
            self._given_for(agent)
            user_id = user_of(asked.thread_id)
            await self._services.access.check(user_id, Act.FOLLOW)
            self._services.check_streams(user_id)
            known = await self._threads.state(user_id) is not None
            pieces = _connected(await self._threads.reader(user_id), asked) if known else _nothing()
            return EventStream(self._services, user_id, pieces)
        except DetourError as error:
            return refusal(asked, error)

    async def stop(self, thread_id: str, theirs: str | None) -> bool:
        """Stop the run of a client's id, or else all runs of a thread; return whether one was under way.

        Raises `StoreUnavailable` and `ShuttingDown`.
        """
        user_id = user_of(thread_id)
        await self._services.access.check(user_id, Act.END)
        ours = await self._ids.stands_for(user_id, theirs) if theirs is not None else None
        state = await self._threads.state(user_id)
        runs = [each for each in state.runs.values() if not each.ended] if state is not None else []
        if theirs is not None:
            shown = _shown_for(ours, state)
            runs = [each for each in runs if each.run_id in {shown, theirs}]
            if not runs and ours is None and not self._ids.knows(user_id, theirs):
                self._ids.stop_early(user_id, theirs)
        # The newest first: a queued one must not start because the one before it ends.
        for run in reversed(runs):
            await self._threads.stop(user_id, run)
        return bool(runs)

    # --- runs -------------------------------------------------------------------------------------------

    async def _accepted(self, given: dict[str, str], wanted: RunInput, *, leaving_stops: bool) -> Response:
        asked, user_id = wanted.asked, user_of(wanted.asked.thread_id)
        await self._services.access.check(user_id, Act.SPEAK)
        self._services.check_streams(user_id)
        resumed = wanted.resume
        again = await self._ids.run_that_resumed(user_id, asked.run_id, resumed) if resumed else None
        is_stopped = self._ids.announce(user_id, asked.run_id)
        run: Run | None = None
        following = Following()
        try:
            run, following, task_id = await self._take(user_id, wanted, given, again)
        finally:
            stands_for = StandsFor(run.run_id, following.message_id) if run is not None else None
            self._ids.decide(user_id, asked.run_id, stands_for)
        if run is None or stands_for is None:
            return await self._withdrawn(user_id, asked, task_id)
        await self._ids.keep(user_id, asked.run_id, stands_for, resumed)
        if is_stopped:
            stop = self._threads.stop(user_id, run)
            self._services.owner.spawn_detached(stop, name=f"stop {run.run_id}")
        stops = leaving_stops and wanted.leaving_stops
        on_leave = self._on_leave(user_id, run, following) if stops else None
        pieces = self._followed(user_id, following, asked)
        return EventStream(self._services, user_id, pieces, on_leave=on_leave)

    async def _take(
        self, user_id: str, wanted: RunInput, given: dict[str, str], again: str | None
    ) -> tuple[Run | None, Following, str]:
        """Take a message or answers; return the run, if one comes of them, how it is followed, and the task.

        `again` is the run that the same answers have begun already.
        """
        state = await self._threads.state(user_id) if again is not None else None
        if again is not None and state is not None and (begun := state.runs.get(again)) is not None:
            return begun, Following(begun.run_id), begun.task_id
        if wanted.text is None:
            run, task_id = await resume(self._services, self._threads, user_id, wanted.resume)
            return run, Following(run.run_id if run is not None else None), task_id
        try:
            sent = await self._threads.send(
                user_id, wanted.text, client_id=wanted.client_id, policy=wanted.policy, given=given
            )
        except BadInput as error:
            raise naming_message_id(error, f"{wanted.field}.id") from None
        return sent.run, sent.following(), sent.run.task_id

    async def _followed(
        self, user_id: str, following: Following, asked: Asked
    ) -> AsyncGenerator[bytes, None]:
        with self._followers.counting(user_id, following):
            reader = await self._threads.reader(user_id)
            renderer = RunRenderer(following.run_id or "", asked, message_id=following.message_id)
            pieces = run_pieces(reader, following, renderer, after=BEGINNING, encode=_as_it_is)
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece

    def _on_leave(self, user_id: str, run: Run, following: Following) -> Callable[[], None]:
        def leave() -> None:
            run_id = following.run_id or run.run_id
            self._leaving.leave(user_id, run_id, unless=lambda: self._followers.follow(user_id, run_id))

        return leave

    async def _withdrawn(self, user_id: str, asked: Asked, task_id: str) -> Response:
        """Answer a resume that has withdrawn all questions: their task is stopped, so nothing comes of it."""
        reader = await self._threads.reader(user_id)
        renderer = RunRenderer("", asked)
        await _see_all(reader, renderer)
        task = reader.state.tasks.get(task_id)
        run = reader.state.last_run_of(task.first_task_id if task is not None else task_id)
        if run is None:
            raise NotFound(f"The task {task_id!r} is not known any more.", code="unknown_task")
        return stream(renderer.as_it_is(run, reader.state))

    # --- what is checked --------------------------------------------------------------------------------

    def _given_for(self, agent: str | None) -> dict[str, str]:
        """Return what a message brings so that this agent gets it. Raises `NotFound`."""
        if agent is None or (agent in ANY_AGENT and agent not in self.agents.names):
            return {}
        return self.agents.given_for(self.agents.named(agent))


def refusal(asked: Asked | None, error: DetourError) -> Response:
    """Return the stream of a run that was not accepted."""
    note_input(error)
    body = error.to_json()["error"]
    started = [run_started(asked)] if asked is not None else []
    return stream([*started, refused(body["message"], body["code"])])


def stream(frames: list[bytes]) -> Response:
    """Return a stream that is complete."""
    return Response(b"".join(frames), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


def _as_it_is(_: Place, frame: bytes) -> bytes:
    return frame


async def _nothing() -> AsyncGenerator[bytes, None]:
    yield b""


async def _connected(reader: ThreadReader, asked: Asked) -> AsyncGenerator[bytes, None]:
    """Yield what there is of a thread, then what comes until its run ends."""
    yield b""
    renderer = RunRenderer("", asked)
    await _see_all(reader, renderer)
    run = _to_show(reader.state)
    if run is None:
        return
    renderer.follow(run.run_id, Asked(asked.thread_id, run.run_id, asked.versioned))
    yield b"".join(renderer.as_it_is(run, reader.state, was_told=True))
    if not run.ended:
        following = Following(run.run_id)
        pieces = run_pieces(reader, following, renderer, after=BEGINNING, encode=_as_it_is, begun=True)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece


async def _see_all(reader: ThreadReader, renderer: RunRenderer) -> None:
    """Show a renderer all stored events."""
    async with aclosing(reader.stored()) as batches:
        async for steps in batches:
            anew = True
            for step in steps:
                anew = False
                renderer.see(step, reader.state)
            if anew:
                renderer.see_anew(reader.state)


def _shown_for(ours: StandsFor | None, state: ThreadState | None) -> str | None:
    """Return the run that a client's id stands for by now: that of its message, if that was to steer one."""
    if ours is None or ours.message_id is None or state is None:
        return ours.run_id if ours is not None else None
    following = Following(ours.run_id, message_id=ours.message_id)
    following.look(state)
    return following.run_id


def _to_show(state: ThreadState) -> Run | None:
    """Return the run that a page shows: one under way, or that waits for the user, or the last one."""
    waiting = {state.tasks[each["task_id"]].first_task_id for each in state.requests.values()}
    last = [each for each in reversed(state.runs.values()) if each.task_id in waiting]
    return state.active_run() or next(iter(last), None) or next(reversed(state.runs.values()), None)
