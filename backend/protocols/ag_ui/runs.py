"""Takes runs of AG-UI's clients and streams them. A refusal is a stream as well: `RUN_ERROR` ends it."""

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from hashlib import sha256, sha512
from typing import Any, NamedTuple

import orjson
from fastapi import Response
from starlette.datastructures import Headers

from ...domain.errors import BadInput, Conflict, DetourError, NotFound, NotOpen
from ...http.edge.refusals import note_input
from ...http.event_stream import EventStream
from ...http.identity.access import Act
from ...http.services import Services
from ...http.wire.requests import policy_in
from ...store.base import Keep, StateStore
from ...store.records import Acceptance
from ..answers import Answer, arguments, naming_fields
from ..bodies import naming_message
from ..following import Followers, Following, run_pieces
from ..page_tools import call_of, take_results
from ..thread.reading import ThreadReader
from ..thread.state import Frame, Run, ThreadState
from ..threads import Agents, Leaving, Threads, user_of
from .rendering import ClientRun, RunRenderer, run_error, run_started
from .wire import Resumed, RunInput, client_run_in, read_client_run, read_run

# --- run ids -------------------------------------------------------------------------------------------
# The ids that clients give their runs, and our runs that they stand for.


MOST_IDS = 10_000
"""Ids that are remembered in memory; the oldest are forgotten first. A run's id is of use while it runs."""

ACCEPTED_WITHIN_S = 5.0
"""Seconds that a stop waits for a run which is just being accepted."""


class StandsFor(NamedTuple):
    """The run that a client's id stands for, or that its message was sent to steer."""

    run_id: str
    message_id: str | None = None


@dataclass(slots=True)
class _Known:
    stands_for: StandsFor | None = None
    decided: asyncio.Event = field(default_factory=asyncio.Event)


class RunIds:
    """Which run each client's id stands for.

    The store keeps that for as long as the user, for answers that are sent again, and stops, after a restart.
    """

    def __init__(self, store: StateStore, keep: Keep) -> None:
        self._store = store
        self._keep = keep
        self._known: OrderedDict[tuple[str, str], _Known] = OrderedDict()
        self._stopped: OrderedDict[tuple[str, str], None] = OrderedDict()

    def announce(self, user_id: str, client_run_id: str) -> bool:
        """Remember that a run of this id is just being accepted; return whether its stop came first."""
        self._known[user_id, client_run_id] = _Known()
        while len(self._known) > MOST_IDS:
            self._known.popitem(last=False)
        is_stopped = (user_id, client_run_id) in self._stopped
        self._stopped.pop((user_id, client_run_id), None)
        return is_stopped

    def stop_early(self, user_id: str, client_run_id: str) -> None:
        """Remember a stop that came before its run: a run brings the whole conversation, a stop nothing."""
        self._stopped[user_id, client_run_id] = None
        while len(self._stopped) > MOST_IDS:
            self._stopped.popitem(last=False)

    def decide(self, user_id: str, client_run_id: str, stands_for: StandsFor | None) -> None:
        """Remember which run an id stands for; None if it was not accepted."""
        known = self._known.get((user_id, client_run_id))
        if known is not None:
            known.stands_for = stands_for
            known.decided.set()

    async def keep(
        self, user_id: str, client_run_id: str, stands_for: StandsFor, resumed: Sequence[Resumed]
    ) -> None:
        """Store which run an id stands for, and its answers to questions. Raises `StoreUnavailable`."""
        body = orjson.dumps({**stands_for._asdict(), "resumed": _digest(resumed)})
        await self._keep(user_id, Acceptance(_key(client_run_id), body))

    async def run_that_resumed(
        self, user_id: str, client_run_id: str, resumed: Sequence[Resumed]
    ) -> str | None:
        """Return the run that the first sending of these answers with this id has begun, if any."""
        kept = await self._kept(user_id, client_run_id)
        return kept["run_id"] if kept is not None and kept["resumed"] == _digest(resumed) else None

    def knows(self, user_id: str, client_run_id: str) -> bool:
        """Return whether a run of this id has come since the server started."""
        return (user_id, client_run_id) in self._known

    async def stands_for(self, user_id: str, client_run_id: str) -> StandsFor | None:
        """Return the run that an id stands for, if any; waits for one that is just being accepted."""
        known = self._known.get((user_id, client_run_id))
        if known is None:
            kept = await self._kept(user_id, client_run_id)
            return StandsFor(kept["run_id"], kept.get("message_id")) if kept is not None else None
        try:
            async with asyncio.timeout(ACCEPTED_WITHIN_S):
                await known.decided.wait()
        except TimeoutError:
            return None
        return known.stands_for

    async def _kept(self, user_id: str, client_run_id: str) -> dict[str, Any] | None:
        found = await self._store.get_acceptance(user_id, _key(client_run_id))
        return orjson.loads(found[1]) if found is not None else None


def _key(client_run_id: str) -> str:
    """Return an id's key in the store: longer than any message's `client_id`, so it is never one."""
    return f"ag-ui {sha512(client_run_id.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _digest(resumed: Sequence[Resumed]) -> str:
    said = [[each.interrupt_id, each.cancelled, each.payload] for each in resumed]
    return sha256(orjson.dumps(said, option=orjson.OPT_SORT_KEYS)).hexdigest()


# --- resuming ------------------------------------------------------------------------------------------
# Answers and withdraws open questions, as a client's `resume` says.


class NoSuchInterrupt(Conflict):
    """The question is not known, or is not open any more."""

    code = "no_such_interrupt"


class Resuming(NamedTuple):
    """The run that a resume began, None if the task of the questions was stopped."""

    run: Run | None
    task_id: str


async def resume(services: Services, threads: Threads, user_id: str, resumed: Sequence[Resumed]) -> Resuming:
    """Answer and withdraw all open questions of a task. Raises as `Threads.answer`, and `NoSuchInterrupt`.

    Where an answer does not fit, nothing is answered and nothing withdrawn.
    """
    state = await threads.state(user_id)
    requests = state.requests if state is not None else {}
    asked = _asked(requests, resumed)
    task_id = asked[0]["task_id"]
    answers = [
        Answer(requests[each.interrupt_id], each.payload, f"{each.field}.payload", takes_defaults=True)
        for each in resumed
        if not each.cancelled
    ]
    # All at first: once one is taken, it cannot be taken back.
    taken = [await arguments(services, user_id, each, checks=True) for each in answers]
    answered = [each.request["request_id"] for each in answers]
    withdrawn = [each for each in asked if each["request_id"] not in answered]
    run: Run | None = None
    if withdrawn and not answers and not _works(state, task_id):
        await services.conversations.stop(user_id, task_id)
        return Resuming(None, task_id)
    try:
        for request in withdrawn:
            await services.conversations.stop_agent(user_id, request["agent"], task_id)
    except Conflict:
        # Its node expects an answer and nothing else, so the whole task ends.
        await services.conversations.stop(user_id, task_id)
        return Resuming(None, task_id)
    for answer, given in zip(answers, taken, strict=True):
        try:
            with naming_fields(answer):
                run = await threads.answer(user_id, answer.request["request_id"], **given)
        except (NotFound, NotOpen) as error:
            if run is None:
                raise NoSuchInterrupt(error.message) from None
            # An answer before it has resolved this question as well.
    if run is None:
        after = await threads.state(user_id)
        run = after.last_run_of(task_id) if after is not None else None
    return Resuming(run, task_id)


def _asked(requests: Mapping[str, Frame], resumed: Sequence[Resumed]) -> list[Frame]:
    """Return the open questions that are resumed: all of one task, without calls that wait for the page."""
    requests = {name: each for name, each in requests.items() if call_of(each) is None}
    for each in resumed:
        if each.interrupt_id not in requests:
            raise NoSuchInterrupt(f"There is no open question {each.interrupt_id!r}.")
    task_id = requests[resumed[0].interrupt_id]["task_id"]
    asked = [each for each in requests.values() if each["task_id"] == task_id]
    given = {each.interrupt_id for each in resumed}
    missing = [each["request_id"] for each in asked if each["request_id"] not in given]
    if missing:
        raise BadInput.of_fields(("resume", f"it must say what becomes of {', '.join(missing)}, too"))
    return asked


def _works(state: ThreadState | None, task_id: str) -> bool:
    """Return whether something else of a task still runs."""
    run = state.run_of(task_id) if state is not None else None
    return run is not None and not run.ended


# --- runs ----------------------------------------------------------------------------------------------


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
        self._ids = RunIds(services.store, services.conversations.keep)
        self._followers = Followers()

    # --- calls -------------------------------------------------------------------------------------------

    async def run(self, agent: str | None, body: Any, *, headers: Headers, leaving_stops: bool) -> Response:
        """Take a message or answers, and stream the run that it begins, or that its first sending began."""
        client = client_run_in(body)
        try:
            wanted = read_run(body, policy_in(headers))
            return await self._accepted(self._given_for(agent), wanted, leaving_stops=leaving_stops)
        except DetourError as error:
            return refusal(client, error)

    async def connect(self, agent: str | None, body: Any) -> Response:
        """Stream a thread so far, and on until its run ends; leaving stops nothing."""
        client = client_run_in(body)
        try:
            client = read_client_run(body)
            self._given_for(agent)
            user_id = user_of(client.thread_id)
            await self._services.access.check(user_id, Act.FOLLOW)
            self._services.check_streams(user_id)
            known = await self._threads.state(user_id) is not None
            pieces = _connected(await self._threads.reader(user_id), client) if known else _nothing()
            return EventStream(self._services, user_id, pieces)
        except DetourError as error:
            return refusal(client, error)

    async def stop(self, thread_id: str, client_run_id: str | None) -> bool:
        """Stop the run of a client's id, or else all runs of a thread; return whether one was under way.

        Raises `StoreUnavailable` and `ShuttingDown`.
        """
        user_id = user_of(thread_id)
        await self._services.access.check(user_id, Act.END)
        ours = await self._ids.stands_for(user_id, client_run_id) if client_run_id is not None else None
        state = await self._threads.state(user_id)
        runs = [each for each in state.runs.values() if not each.ended] if state is not None else []
        if client_run_id is not None:
            shown = _shown_for(ours, state)
            runs = [each for each in runs if each.run_id in {shown, client_run_id}]
            if not runs and ours is None and not self._ids.knows(user_id, client_run_id):
                self._ids.stop_early(user_id, client_run_id)
        # The newest first: a queued one must not start because the one before it ends.
        for run in reversed(runs):
            await self._threads.stop(user_id, run)
        return bool(runs)

    # --- runs -------------------------------------------------------------------------------------------

    async def _accepted(self, given: dict[str, str], wanted: RunInput, *, leaving_stops: bool) -> Response:
        client, user_id = wanted.client, user_of(wanted.client.thread_id)
        await self._services.access.check(user_id, Act.SPEAK)
        self._services.check_streams(user_id)
        resumed = wanted.resume
        again = await self._ids.run_that_resumed(user_id, client.run_id, resumed) if resumed else None
        is_stopped = self._ids.announce(user_id, client.run_id)
        run: Run | None = None
        following = Following()
        try:
            run, following, task_id = await self._take(user_id, wanted, given, again)
        finally:
            stands_for = StandsFor(run.run_id, following.message_id) if run is not None else None
            self._ids.decide(user_id, client.run_id, stands_for)
        if run is None or stands_for is None:
            return await self._withdrawn(user_id, client, task_id)
        await self._ids.keep(user_id, client.run_id, stands_for, resumed)
        if is_stopped:
            stop = self._threads.stop(user_id, run)
            self._services.owner.spawn_detached(stop, name=f"stop {run.run_id}")
        stops = leaving_stops and wanted.leaving_stops
        on_leave = self._on_leave(user_id, run, following) if stops else None
        pieces = self._followed(user_id, following, client)
        return EventStream(self._services, user_id, pieces, on_leave=on_leave)

    async def _take(
        self, user_id: str, wanted: RunInput, given: dict[str, str], again: str | None
    ) -> tuple[Run | None, Following, str]:
        """Take a message or answers; return the run, if one begins, how it is followed, and the task.

        `again` is the run that the same answers have begun already.
        """
        state = await self._threads.state(user_id) if again is not None else None
        if again is not None and state is not None and (begun := state.runs.get(again)) is not None:
            return begun, Following(begun.run_id), begun.task_id
        if wanted.resume:
            run, task_id = await resume(self._services, self._threads, user_id, wanted.resume)
            return run, Following(run.run_id if run is not None else None), task_id
        if wanted.results:
            run = await take_results(self._threads, user_id, wanted.results, wanted.page)
            if run is not None and wanted.goes_on:
                return run, Following(run.run_id), run.task_id
        if wanted.text is None:
            raise BadInput.of_fields(("messages", "there is no message of the user"))
        page: Mapping[str, Any] = wanted.page if self._services.graphs is not None else {}
        with naming_message(f"{wanted.field}.id", f"{wanted.field}.content"):
            given = {**given, **wanted.content, **page}
            sent = await self._threads.send(
                user_id, wanted.text, client_id=wanted.client_id, policy=wanted.policy, given=given
            )
        return sent.run, sent.following(), sent.run.task_id

    async def _followed(
        self, user_id: str, following: Following, client: ClientRun
    ) -> AsyncGenerator[bytes, None]:
        with self._followers.counting(user_id, following):
            reader = await self._threads.reader(user_id)
            renderer = RunRenderer(following.run_id or "", client, message_id=following.message_id)
            pieces = run_pieces(reader, following, renderer)
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece

    def _on_leave(self, user_id: str, run: Run, following: Following) -> Callable[[], None]:
        def leave() -> None:
            run_id = following.run_id or run.run_id
            self._leaving.leave(user_id, run_id, unless=lambda: self._followers.follow(user_id, run_id))

        return leave

    async def _withdrawn(self, user_id: str, client: ClientRun, task_id: str) -> Response:
        """Answer a resume that has withdrawn all questions, and so has stopped their task."""
        reader = await self._threads.reader(user_id)
        renderer = RunRenderer("", client)
        await _see_all(reader, renderer)
        run = reader.state.run_of(task_id)
        if run is None:
            raise NotFound(f"The task {task_id!r} is not known any more.", code="unknown_task")
        return stream(renderer.as_it_is(run, reader.state))

    def _given_for(self, agent: str | None) -> dict[str, str]:
        """Return what a message brings to reach this agent. Raises `NotFound`."""
        if agent is None or (agent in ANY_AGENT and agent not in self.agents.names):
            return {}
        return self.agents.given_for(self.agents.named(agent))


def refusal(client: ClientRun | None, error: DetourError) -> Response:
    """Return the stream of a run that was not accepted."""
    note_input(error)
    body = error.to_json()["error"]
    started = [run_started(client)] if client is not None else []
    return stream([*started, run_error(body["message"], body["code"])])


def stream(frames: list[bytes]) -> Response:
    """Return a stream that is complete."""
    return Response(b"".join(frames), media_type="text/event-stream", headers={"Cache-Control": "no-store"})


async def _nothing() -> AsyncGenerator[bytes, None]:
    yield b""


async def _connected(reader: ThreadReader, client: ClientRun) -> AsyncGenerator[bytes, None]:
    """Yield a thread so far, then the rest of its run."""
    yield b""
    renderer = RunRenderer("", client)
    await _see_all(reader, renderer)
    run = _to_show(reader.state)
    if run is None:
        return
    renderer.follow(run.run_id, ClientRun(client.thread_id, run.run_id, client.versioned))
    yield b"".join(renderer.as_it_is(run, reader.state, was_told=True))
    if not run.ended:
        following = Following(run.run_id)
        pieces = run_pieces(reader, following, renderer, begun=True)
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece


async def _see_all(reader: ThreadReader, renderer: RunRenderer) -> None:
    """Show a renderer all stored events."""
    async with aclosing(reader.stored()) as batches:
        async for steps in batches:
            is_read_anew = True
            for step in steps:
                is_read_anew = False
                renderer.see(step, reader.state)
            if is_read_anew:
                renderer.begin_with(reader.state)


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
