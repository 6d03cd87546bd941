"""Runs: begun, streamed, joined, listed, stopped, removed."""

import asyncio
import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from typing import Any, Literal, cast
from urllib.parse import urlencode

from fastapi import Request, Response

from ...domain.encoding import encode
from ...domain.errors import BadInput, DetourError, StoreUnavailable
from ...http.event_stream import EventStream, Pieces
from ...http.identity.access import Act
from ...http.wire.bodies import json_response
from ...http.wire.requests import policy_in
from ...store.event_bus import SubscriptionEnded
from ..bodies import naming, read_json
from ..following import BEGINNING, Followers, Following, Place, run_pieces
from ..thread.reading import ThreadReader
from ..thread.state import Run, ThreadState
from .api import Api
from .checkpoints import rest_of
from .rendering import HEARTBEAT_S, LAST, RunRenderer, encoded, place_of
from .runs_stream import JOINED_MODES
from .starting import Begun, Starting
from .views import Options, failure_of, options_in, run_view, selected, values_of, with_questions
from .webhooks import Webhook, Webhooks
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

MESSAGE = "detour_message"
"""In the query of a stream or a join: the message that steers, until whose answer it goes on."""

FORGET_AFTER_S = 30.0
"""Seconds for which the thread of a run without one outlives the run: a client may repair its line."""

MOST_AT_ONCE = 50
"""Runs that one request begins; threads whose runs are stopped at the same time."""

_JSON = {"content-type": "application/json"}


class RunRoutes:
    """Answers the calls of runs."""

    def __init__(self, api: Api, starting: Starting) -> None:
        self._api = api
        self._services = api.services
        self._starting = starting
        self._steering = Followers()
        self.webhooks = Webhooks(api.services, self._told)
        self._heartbeat_s = min(api.services.heartbeat_s, HEARTBEAT_S)

    # --- begin ---------------------------------------------------------------------------------------

    async def create(self, request: Request) -> Response:
        """Begin a run."""
        thread_id, _, begun = await self._begun(request)
        view = self._view(thread_id, begun.run, begun.options, steering=begun.steering)
        return json_response(view, headers={"Content-Location": _path_of(thread_id, begun.run)})

    async def stream(self, request: Request) -> Response:
        """Begin a run, and stream it."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._stream(thread_id, begun, stops_on_leave=wanted.cancels_on_disconnect)

    async def wait(self, request: Request) -> Response:
        """Begin a run, and return its values once it has ended."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._wait(thread_id, begun, stops_on_leave=wanted.cancels_on_disconnect)

    async def batch(self, request: Request) -> Response:
        """Begin several runs, each on a thread of its own; if one cannot begin, none of them goes on."""
        bodies = await read_json(request)
        if not isinstance(bodies, list) or not 0 < len(cast("list[Any]", bodies)) <= MOST_AT_ONCE:
            raise BadInput(f"The body: it should be a list of 1 to {MOST_AT_ONCE} runs.")
        policy = policy_in(request.headers)
        wanted: list[RunRequest] = []
        for place, body in enumerate(cast("list[Any]", bodies)):
            if not isinstance(body, dict):
                raise BadInput(f"[{place}]: it should be an object.")
            with naming(partial(f"[{place}].{{}}".format)):
                named = _snake_case(cast("dict[str, Any]", body))
                wanted.append(_of_own_thread(run_request(named, policy)))
        begun: list[tuple[str, Begun]] = []
        try:
            for each in wanted:
                begun.append(await self._begin(None, each))
        except DetourError:
            for thread_id, _ in begun:
                await self._deleted(thread_id)
            raise
        return json_response([self._view(thread_id, each.run, each.options) for thread_id, each in begun])

    async def _begun(self, request: Request, *, streams: bool = False) -> tuple[str, RunRequest, Begun]:
        wanted = run_request(await body_of(request), policy_in(request.headers))
        has_thread = "thread_id" in request.path_params
        thread_id, begun = await self._begin(
            thread_id_of(request) if has_thread else None,
            wanted if has_thread else _of_own_thread(wanted),
            streams=streams,
        )
        return thread_id, wanted, begun

    async def _begin(
        self, named: str | None, wanted: RunRequest, *, streams: bool = False
    ) -> tuple[str, Begun]:
        """Begin a run on the thread that is named, else on one of its own; return its thread, too."""
        thread_id = named or str(uuid.uuid4())
        creates = wanted.creates_thread or named is None
        self.webhooks.check(wanted.webhook)
        await self._services.access.check(thread_id, Act.SPEAK if creates else Act.CHANGE)
        if streams:
            self._services.check_streams(thread_id)
        begun = await self._starting.begin(thread_id, wanted, creates_thread=creates)
        if wanted.webhook is not None:
            await self.webhooks.add(Webhook(thread_id, begun.run.run_id, wanted.webhook))
        if named is None and not wanted.keeps_thread:
            forget = self._forget(thread_id, begun)
            self._services.owner.spawn_detached(forget, name=f"forget {begun.run.run_id}")
        return thread_id, begun

    async def _forget(self, thread_id: str, begun: Begun) -> None:
        """Forget the thread of a run without one once the run has ended."""
        try:
            reader = await self._api.threads.reader(thread_id)
            await self._outcome(reader, thread_id, Following(begun.run.run_id), begun.options)
        except (SubscriptionEnded, StoreUnavailable):
            return  # the server ends, or the store is down: the thread stays
        self._api.index.hidden.add(thread_id)
        # No task that sleeps: the end of the server would wait for it.
        asyncio.get_running_loop().call_later(FORGET_AFTER_S, self._delete, thread_id)

    def _delete(self, thread_id: str) -> None:
        self._services.owner.spawn_detached(self._deleted(thread_id), name=f"forget {thread_id}")

    async def _deleted(self, thread_id: str) -> None:
        await self._services.conversations.delete_user(thread_id)
        self._api.index.hidden.discard(thread_id)

    # --- join ----------------------------------------------------------------------------------------

    async def join_stream(self, request: Request) -> Response:
        """Stream a run: from after the last event that a client has seen, or from now on."""
        thread_id, state, run = await self._known(request)
        options = await self._api.options(thread_id)
        modes = stream_modes([each for each in request.query_params.getlist("stream_mode") if each])
        own: Sequence[str] = options.get(run.run_id, {}).get("modes") or JOINED_MODES
        seen = request.headers.get("last-event-id", "").strip()
        message_id = _message_in(request, state)
        # Both SDKs repair a line that was cut before its first frame by the bare path of `Location`, and so
        # without a last id; those that join by them ask for `cancel_on_disconnect`, be it false.
        repairs = message_id is not None or not request.url.query
        from_now_on = not (seen or run.ended or repairs)
        after = Place(state.seq, LAST) if from_now_on else place_of(seen) or BEGINNING
        if after.seq > state.seq:
            after = BEGINNING  # of another thread, or of this one before it was deleted
        return await self._stream(
            thread_id,
            Begun(run, options, modes or own, message_id),
            after=after,
            stops_on_leave=truth(request.query_params, "cancel_on_disconnect"),
            named=modes,
            opens=from_now_on,
        )

    async def join(self, request: Request) -> Response:
        """Return the values of a run once it has ended."""
        thread_id, state, run = await self._known(request)
        joined = Begun(run, await self._api.options(thread_id), (), _message_in(request, state))
        stops = truth(request.query_params, "cancel_on_disconnect")
        return await self._wait(thread_id, joined, stops_on_leave=stops)

    # --- follow --------------------------------------------------------------------------------------

    async def _stream(
        self,
        thread_id: str,
        begun: Begun,
        *,
        after: Place = BEGINNING,
        stops_on_leave: bool,
        named: Sequence[str] = (),
        opens: bool = False,
    ) -> Response:
        """Return the stream of a run after a place; `named` are the modes that a repaired line is to keep.

        With `opens` it begins with a frame that has the place's id. For a message that steers the run it
        begins there, and goes on until that message is answered.
        """
        run, options, modes, message_id, _ = begun
        following = _following(run, message_id)
        run_id = following.run_id or ""
        subgraphs = bool(options.get(run_id, {}).get("subgraphs"))
        renderer = RunRenderer(thread_id, run_id, modes, options, message_id=message_id, subgraphs=subgraphs)

        async def read_rest(ended: Run) -> None:
            renderer.rest = await self._rest(thread_id, ended)

        frames = run_pieces(
            await self._api.threads.reader(thread_id),
            following,
            renderer,
            after=after,
            encode=encoded,
            # The SDKs repair a line by the last id that they have read. A line that was cut before the run
            # had anything to show would be repaired from then on, without what had come in between.
            opening=encoded(after, renderer.metadata()) if opens else b"",
            before_end=read_rest,
        )
        return EventStream(
            self._services,
            thread_id,
            self._counted(thread_id, following, frames),
            headers=_locations(thread_id, run, "stream", named, message_id),
            heartbeat_s=self._heartbeat_s,
            on_leave=self._on_leave(thread_id, run, following) if stops_on_leave else None,
        )

    async def _wait(self, thread_id: str, begun: Begun, *, stops_on_leave: bool) -> Response:
        """Return the values of a run as a response that waits until it has ended.

        For a message that steers it, of the run that has answered that.
        """
        run, options, _, message_id, _ = begun
        following = _following(run, message_id)
        reader = await self._api.threads.reader(thread_id)

        async def values() -> Pieces:
            yield b""
            yield encode(await self._outcome(reader, thread_id, following, options))

        return EventStream(
            self._services,
            thread_id,
            self._counted(thread_id, following, values()),
            headers={**_locations(thread_id, run, "join", (), message_id), **_JSON},
            heartbeat_s=self._heartbeat_s,
            heartbeat=b"\n",
            on_leave=self._on_leave(thread_id, run, following) if stops_on_leave else None,
        )

    async def _outcome(
        self, reader: ThreadReader, thread_id: str, following: Following, options: Options
    ) -> dict[str, Any] | None:
        """Return the values of a run once it has ended, None if the thread is deleted before.

        With the questions that are open then, or with its error. Raises `SubscriptionEnded`.
        """
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                state = reader.state
                for step in steps:
                    following.take(step, state)
                    if following.over(state):
                        break
                run = following.look(state)
                if run is None or not following.over(state):
                    continue
                values = values_of(state, run, options)
                questions = state.questions_of(run)
                failure = {"__error__": failure_of(state, run)} if run.status == "error" else {}
                # Only now: while this reads, the state that others fold on would change under it.
                rest = await self._rest(thread_id, run)
                return {**with_questions({**rest, **values}, questions), **failure}
        return None

    async def _told(self, thread_id: str, run_id: str) -> Mapping[str, Any] | None:
        """Return what a webhook is told of a run once that has ended, None if there is no such run any more.

        Raises `SubscriptionEnded` and `StoreUnavailable`.
        """
        state = await self._api.threads.state(thread_id)
        if state is None or run_id not in state.runs:
            return None
        reader, options = await self._api.threads.reader(thread_id), await self._api.options(thread_id)
        values = await self._outcome(reader, thread_id, Following(run_id), options)
        run = reader.state.runs.get(run_id)
        if values is None or run is None:
            return None
        failure = values.pop("__error__", None)
        times = {"run_started_at": run.created_at, "run_ended_at": run.updated_at}
        told = {**self._view(thread_id, run, options), **times, "values": values}
        return {**told, "error": failure} if failure is not None else told

    async def _rest(self, thread_id: str, run: Run) -> Mapping[str, Any]:
        return rest_of(await self._api.checkpoints.last_step(thread_id, run))

    def _on_leave(self, thread_id: str, run: Run, following: Following) -> Callable[[], None]:
        def leave() -> None:
            run_id = following.run_id or run.run_id
            unless = partial(self._steering.follow, thread_id, run_id)
            self._api.leaving.leave(thread_id, run_id, unless=unless)

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

    # --- read ----------------------------------------------------------------------------------------

    async def listed(self, request: Request) -> Response:
        """Return the runs of a thread, newest first."""
        thread_id = thread_id_of(request)
        query = request.query_params
        async with self._services.long_read(thread_id):
            state, saved = await self._api.threads.state(thread_id), await self._api.index.get(thread_id)
        if state is None and saved is None:
            raise unknown_thread(thread_id)
        runs = [] if state is None else [*reversed(state.runs.values())]
        status = query.get("status")
        runs = [each for each in runs if not each.writes_state and (not status or each.status == status)]
        first = number(query, "offset", 0, most=FURTHEST)
        page = runs[first : first + number(query, "limit", 10)]
        views = [self._view(thread_id, each, options_in(saved)) for each in page]
        return json_response([selected(each, query.getlist("select")) for each in views])

    async def get(self, request: Request) -> Response:
        """Return a run."""
        async with self._services.long_read(thread_id_of(request)):
            thread_id, _, run = await self._known(request)
        saved = await self._api.index.get(thread_id)
        return json_response(self._view(thread_id, run, options_in(saved)))

    async def _known(self, request: Request) -> tuple[str, ThreadState, Run]:
        """Return the thread and the run that a path names, and the thread's state. Raises `NotFound`."""
        thread_id, run_id = thread_id_of(request), request.path_params["run_id"]
        state = await self._api.threads.state(thread_id)
        run = state.runs.get(run_id) if state is not None else None
        if state is None or run is None:
            raise unknown_run(run_id)
        return thread_id, state, run

    def _view(
        self, thread_id: str, run: Run, options: Options, *, steering: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        return run_view(thread_id, run, options, run.graph or self._api.agents.default, steering=steering)

    # --- end -----------------------------------------------------------------------------------------

    async def cancel(self, request: Request) -> Response:
        """Stop a run; what it has found is kept."""
        query = request.query_params
        action = _action(query)
        # First of all: some clients read the state without waiting for the answer to this. The state waits
        # for the stop, so as to show what it has left; a stop that takes longer is shown as over.
        self._api.leaving.show_as_ended(thread_id_of(request), request.path_params["run_id"])
        with self._api.stopping.of(thread_id_of(request)):
            thread_id, _, run = await self._known(request)
            await self._stop(thread_id, run, action)
        if run.ended:
            return Response(status_code=204)
        if not truth(query, "wait"):
            return Response(status_code=202)
        reader = await self._api.threads.reader(thread_id)
        try:
            await self._outcome(reader, thread_id, Following(run.run_id), {})
        except SubscriptionEnded:
            return Response(status_code=202)
        return Response(status_code=204)

    async def cancel_several(self, request: Request) -> Response:
        """Stop the runs of a thread that are named, or of a status; without a thread those of all threads."""
        body = await body_of(request)
        action = _action(request.query_params)
        thread_id, run_ids, status = text(body, "thread_id"), names(body, "run_ids"), text(body, "status")
        if status not in {None, "pending", "running", "all"}:
            raise BadInput("status: it should be one of: pending, running, all.")
        if thread_id is not None:
            await self._services.access.check(thread_id, Act.END)
            await self._stop_those(thread_id, run_ids, status, action)
            return Response(status_code=204)
        if status is None or run_ids is not None:
            raise BadInput("thread_id: name the thread of the runs.")
        self._services.access.check_scope(Act.END)
        at_work = [each for each in await self._services.store.unfinished_users() if await self._is_own(each)]
        for first in range(0, len(at_work), MOST_AT_ONCE):
            several = at_work[first : first + MOST_AT_ONCE]
            await asyncio.gather(*(self._stop_those(each, None, status, action) for each in several))
        return Response(status_code=204)

    async def _is_own(self, thread_id: str) -> bool:
        access = self._services.access
        return not access.knows_persons or (
            access.person is not None and await self._services.store.person_of(thread_id) == access.person
        )

    async def _stop_those(
        self, thread_id: str, run_ids: Sequence[str] | None, status: str | None, action: str
    ) -> None:
        """Stop the runs of a thread, the last first: none of them begins as the one before it ends."""
        state = await self._api.threads.state(thread_id)
        active = [] if state is None else [each for each in state.runs.values() if not each.ended]
        for run in reversed(active):
            if (run_ids is None or run.run_id in run_ids) and status in {None, "all", run.status}:
                await self._stop(thread_id, run, action)

    async def delete(self, request: Request) -> Response:
        """Hide a run that has ended; what was said stays in the history."""
        thread_id, _, run = await self._known(request)
        await self._stop(thread_id, run, "rollback")
        return Response(status_code=204)

    async def _stop(self, thread_id: str, run: Run, action: str) -> None:
        if action == "rollback":
            await self._starting.roll_back(thread_id, run)
        await self._api.threads.stop(thread_id, run)


def _snake_case(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a run's fields by the API's names: in a batch the JavaScript `Client` sends its own, too."""
    return {re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name): each for name, each in body.items()}


def _of_own_thread(wanted: RunRequest) -> RunRequest:
    """Return the request for a run without a thread. Raises `BadInput` for one that needs a thread."""
    if wanted.resume is not None or wanted.names_checkpoint:
        raise BadInput("command: a run without a thread has nothing to resume, and no checkpoint.")
    return wanted


def _path_of(thread_id: str, run: Run) -> str:
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
    path = _path_of(thread_id, run)
    # A client that reconnects there repeats nothing of its request.
    kept = [("stream_mode", each) for each in modes]
    kept += [(MESSAGE, message_id)] if message_id is not None else []
    query = f"?{urlencode(kept)}" if kept else ""
    return {"Content-Location": path, "Location": f"{path}/{follow}{query}"}


def _action(query: Mapping[str, str]) -> Literal["interrupt", "rollback"]:
    match query.get("action") or "interrupt":
        case "interrupt" | "rollback" as action:
            return action
        case _:
            raise BadInput("action: it should be one of: interrupt, rollback.")
