"""The calls of A2A's clients over JSON-RPC, and the card by which they find the agent."""

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from datetime import datetime
from itertools import groupby
from typing import Any, NamedTuple

from fastapi import Request, Response

from ... import __version__
from ...domain.encoding import embedded, encode
from ...domain.errors import (
    BadInput,
    DetourError,
    NotFound,
    ShuttingDown,
    StoreUnavailable,
    TooManyRequests,
)
from ...http.edge.refusals import note_input, reply_headers
from ...http.event_stream import EventStream, Pieces
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call as Route
from ...http.routes.calls import Group
from ...http.services import Services
from ...http.wire.bodies import MalformedJson, json_response
from ...store.event_bus import Ended, SubscriptionEnded
from ...store.reads import HISTORY_BYTES
from ..answers import Answer, arguments, naming_fields
from ..bodies import naming_message, object_in, read_json
from ..following import Following, run_pieces, see_stored
from ..thread.state import Run, ThreadState
from ..threads import Agents, Threads, user_of
from .rendering import ENDED, Body, Form, TaskFrames, error_of, parts_of, state_of, task_id_of
from .wire import (
    Call,
    Listing,
    Message,
    Rejected,
    id_in,
    read_call,
    read_length,
    read_listing,
    read_message,
    read_task_id,
)

_CARD = "/.well-known/agent-card.json"
_DELETED = "This conversation was deleted."
_JSON = {"content-type": "application/json"}

_AT_ONCE = 100
"""Conversations that are read at once for a list."""

_NO_TASK = -32001
_NOT_CANCELABLE = -32002
_UNSUPPORTED = -32004
_BAD_PARAMS = -32602
_INTERNAL = -32603
_NO_JSON = -32700


class Tasks:
    """The endpoints; each takes a request and returns the response."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._agents = Agents(services)

    async def card(self, request: Request) -> Response:
        """Return the card of an agent, by default with all agents as its skills."""
        named = request.path_params.get("agent")
        names = self._agents.names if named is None else [self._agents.named(named)]
        served = self._services.graphs
        about = {each["name"]: each["description"] for each in served.views()} if served is not None else {}
        skills = [
            {"id": each, "name": each, "description": about.get(self._agents.graph_of(each)) or each}
            for each in names
        ]
        return json_response(_card(str(request.base_url).rstrip("/"), named, skills))

    async def call(self, request: Request) -> Response:
        """Take a message, or list, return, stream or cancel tasks; leaving a stream stops nothing."""
        body: Any = None
        try:
            body = await read_json(request)
            return await self._answered(request, read_call(body))
        except Rejected as error:
            return json_response(error_of(id_in(body), error.code, error.message))
        except DetourError as error:
            return _refusal(error, id_in(body))

    async def _answered(self, request: Request, call: Call) -> Response:
        if call.does in ("send", "stream"):
            message = read_message(call.params, request.headers)
            return await self._send(call, message, request.path_params.get("agent"))
        if call.does == "list":
            return await self._listed(call, read_listing(call.params), request.path_params.get("agent"))
        task_id, length = read_task_id(call.params), read_length(call.params)
        act = Act.END if call.does == "cancel" else Act.READ
        user_id, run, state = await self._known(task_id, act)
        form = Form(user_id, is_old=call.is_old)
        if call.does == "subscribe":
            if state_of(run, state) in ENDED:
                raise Rejected(_UNSUPPORTED, "The task has ended; get it.")
            return await self._joined(call, form, user_id, run)
        if call.does == "cancel":
            if state_of(run, state) in ENDED:
                raise Rejected(_NOT_CANCELABLE, "The task has ended.")
            await self._services.conversations.stop(user_id, await self._threads.task_at_work(user_id, run))
            user_id, run, state = await self._known(task_id, Act.READ)
        return json_response(_result(call, form.task(run, state, history=length)))

    async def _known(self, task_id: str, act: Act) -> tuple[str, Run, ThreadState]:
        """Return whose a task is, its last run, and the state of the thread. Raises `NotFound`."""
        own, user_id = parts_of(task_id)
        await self._services.access.check(user_id, act)
        state = await self._threads.state(user_id)
        run = state.last_run_of(own) if state is not None else None
        if state is None or run is None:
            raise NotFound("There is no such task.")
        return user_id, run, state

    # --- lists ---------------------------------------------------------------------------------------

    async def _listed(self, call: Call, wanted: Listing, agent: str | None) -> Response:
        """Return a page of the caller's tasks, the last to change first.

        Two passes, with one thread at a time: all states of a person's threads together may be gigabytes.
        """
        graph = None if agent is None else self._agents.given_for(self._agents.named(agent)).get("graph")
        self._services.access.check_scope(Act.READ)
        async with self._services.long_read():
            found: list[_Listed] = []
            async for user_id in self._contexts(wanted.context_id):
                state = await self._threads.state(user_id)
                if state is not None:
                    found += (
                        _Listed((run.updated_at, task_id_of(run, user_id)), user_id, run.run_id)
                        for run in _last_runs(state)
                        if wanted.state in (None, state_of(run, state))
                        and (wanted.since is None or datetime.fromisoformat(run.updated_at) >= wanted.since)
                        and graph in (None, run.graph or self._agents.default)
                    )
                await asyncio.sleep(0)  # others run in between
            left = sorted(each for each in found if wanted.after is None or each.place < wanted.after)[::-1]
            tasks, count = await self._rendered(left[: wanted.page_size], wanted)
        page = {
            "tasks": tasks,
            "nextPageToken": "_".join(left[count - 1].place) if count < len(left) else "",
            "pageSize": wanted.page_size,
            "totalSize": len(found),
        }
        return json_response(_result(call, page))

    async def _contexts(self, named: str | None) -> AsyncGenerator[str]:
        """Yield the caller's conversations, or the one that is named if the caller may read it."""
        access, person = self._services.access, self._services.access.person
        if named is not None:
            with contextlib.suppress(NotFound):
                await access.check(user_of(named), Act.READ)
                yield user_of(named)
        elif person is None:
            fault = "name a context: this server does not tell people apart, so nobody has tasks of their own"
            raise BadInput.of_fields(("contextId", fault))
        else:
            last: str | None = None
            while own := await self._services.store.conversations_of(person, limit=_AT_ONCE, before=last):
                for each in own:
                    yield each.user_id
                last = own[-1].user_id

    async def _rendered(self, page: Sequence["_Listed"], wanted: Listing) -> tuple[list[Any], int]:
        """Return tasks, each ready to be encoded, and the number of those of the page that were looked at.

        They have `HISTORY_BYTES` at most, but there is at least one.
        """
        tasks: list[Any] = []
        count = size = 0
        for user_id, several in groupby(page, key=lambda each: each.user_id):
            state = await self._threads.state(user_id) or ThreadState("")
            for run in (state.runs.get(each.run_id) for each in several):
                if run is not None:  # else its conversation was deleted meanwhile
                    task = Form(user_id, is_old=False).task(run, state, history=wanted.history)
                    if not wanted.has_artifacts:
                        del task["artifacts"]
                    body = encode(task)
                    size += len(body)
                    if tasks and size > HISTORY_BYTES:
                        return tasks, count
                    tasks.append(embedded(body))
                count += 1
        return tasks, count

    # --- messages ------------------------------------------------------------------------------------

    async def _send(self, call: Call, message: Message, agent: str | None) -> Response:
        name = None if agent is None else self._agents.named(agent)
        configuration = object_in(call.params.get("configuration"))
        length = read_length(configuration, "configuration.historyLength")
        user_id, run = await self._taken(call, message, name)
        form = Form(user_id, is_old=call.is_old)
        if call.does == "stream":
            pieces = self._pieces(user_id, TaskFrames(run.run_id, form, call.call_id), run.run_id)
            return EventStream(self._services, user_id, _with_end(pieces, call))
        if not message.waits:
            state = await self._threads.state(user_id)
            if state is None:
                raise NotFound(_DELETED)
            sent = form.task(state.runs[run.run_id], state, history=length)
            return json_response(_result(call, form.sent(sent)))

        async def answer() -> Pieces:
            yield b""
            reader = await self._threads.reader(user_id)
            try:
                async for _ in run_pieces(reader, Following(run.run_id), TaskFrames(run.run_id, form, None)):
                    pass
            except (SubscriptionEnded, StoreUnavailable) as error:
                yield encode(_error_in(call, error))
                return
            ended = reader.state.runs[run.run_id]
            yield encode(_result(call, form.sent(form.task(ended, reader.state, history=length))))

        # A comment would be no JSON, and a proxy ends what stays silent.
        return EventStream(self._services, user_id, answer(), headers=_JSON, heartbeat=b"\n")

    async def _taken(self, call: Call, message: Message, agent: str | None) -> tuple[str, Run]:
        """Take a message, or an answer; return whose it is, and the run that it begins."""
        user_id = user_of(message.context_id) if message.context_id is not None else str(uuid.uuid4())
        state: ThreadState | None = None
        if message.task_id is not None:
            of_task, run, state = await self._known(message.task_id, Act.CHANGE)
            if message.context_id is not None and of_task != user_id:
                raise BadInput.of_fields(("message.contextId", "the task is of another one"))
            if state_of(run, state) in ENDED:
                raise Rejected(_UNSUPPORTED, "The task has ended: send the message with its contextId alone.")
            user_id = of_task
        else:
            await self._services.access.check(user_id, Act.SPEAK)
        if call.does == "stream" or message.waits:
            self._services.check_streams(user_id)
        if message.request_id is not None:
            return user_id, await self._answer(user_id, message, state)
        default = self._services.policy
        with naming_message("message.messageId", "message.parts"):
            sent = await self._threads.send(
                user_id,
                message.text,
                client_id=message.client_id,
                policy=message.policy or ("interrupt" if default == "steer" else default),
                given={**self._agents.given_for(agent), **message.content} or None,
            )
        return user_id, sent.run

    async def _answer(self, user_id: str, message: Message, state: ThreadState | None) -> Run:
        state = state or await self._threads.state(user_id)
        asked = state.requests.get(message.request_id or "") if state is not None else None
        if asked is None:
            raise BadInput.of_fields(("message.parts", "there is no open question of this request_id"))
        answer = Answer(asked, message.answer, "message.parts")
        taken = await arguments(self._services, user_id, answer, checks=True)
        with naming_fields(answer):
            return await self._threads.answer(user_id, asked["request_id"], **taken)

    # --- streams -------------------------------------------------------------------------------------

    async def _joined(self, call: Call, form: Form, user_id: str, run: Run) -> Response:
        self._services.check_streams(user_id)
        frames = TaskFrames(run.run_id, form, call.call_id)
        pieces = self._pieces(user_id, frames, run.run_id, joins=True)
        return EventStream(self._services, user_id, _with_end(pieces, call))

    async def _pieces(self, user_id: str, frames: TaskFrames, run_id: str, *, joins: bool = False) -> Pieces:
        """Yield the updates of a run: all of them, or the task as it is and what comes from now on."""
        reader = await self._threads.reader(user_id)
        if joins:
            await see_stored(reader, frames, run_id)
            run = reader.state.runs[run_id]
            yield frames.whole(run, reader.state)
            if run.ended:  # it asks, or has just ended
                return
        async with aclosing(run_pieces(reader, Following(run_id), frames, begun=joins)) as pieces:
            async for piece in pieces:
                yield piece


class _Listed(NamedTuple):
    """A task in a list, in its place: by when it changed, and its id."""

    place: tuple[str, str]
    user_id: str
    run_id: str


def _last_runs(state: ThreadState) -> Iterable[Run]:
    """Return the last run of each message's task."""
    runs = {each.task_id: each for each in state.runs.values() if not each.writes_state}
    return runs.values()


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    tasks = Tasks(services)
    return [
        Group(
            "A2A",
            "What A2A's clients call, in versions 1.0 and 0.3. A context is a user, and its id the user's.",
            [
                Route("GET", _CARD, tasks.card, "Get the agent card", BY_ROUTE),
                Route("GET", "/a2a/{agent}" + _CARD, tasks.card, "Get the card of one agent", BY_ROUTE),
                Route(
                    "POST",
                    "/a2a",
                    tasks.call,
                    "Send a message, or list or change tasks",
                    BY_ROUTE,
                ),
                Route("POST", "/a2a/{agent}", tasks.call, "Do the same with one agent", BY_ROUTE),
            ],
            {},
            large_bodies=["/a2a"],
        )
    ]


def _card(server: str, agent: str | None, skills: Sequence[Body]) -> Body:
    url = f"{server}/a2a" if agent is None else f"{server}/a2a/{agent}"
    versions = ("1.0", "0.3")
    return {
        "name": agent or "Detour",
        "description": "An agent whose users may change their mind: a message interrupts the task at work.",
        "version": __version__,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": each} for each in versions
        ],
        # What version 0.3 has in its place.
        "url": url,
        "preferredTransport": "JSONRPC",
        "protocolVersion": "0.3.0",
        "capabilities": {"streaming": True, "pushNotifications": False},
        "defaultInputModes": ["text/plain"],
        "defaultOutputModes": ["text/plain", "application/json"],
        "skills": [{**each, "tags": ["conversation"]} for each in skills],
    }


# --- answers -------------------------------------------------------------------------------------------


def _result(call: Call, result: Body) -> Body:
    return {"jsonrpc": "2.0", "id": call.call_id, "result": result}


def _error_in(call: Call, error: SubscriptionEnded | StoreUnavailable) -> Body:
    """Return the answer to a call whose task cannot be followed any more."""
    if isinstance(error, StoreUnavailable):
        return error_of(call.call_id, _INTERNAL, error.message)
    if error.reason is Ended.RESET:
        return error_of(call.call_id, _NO_TASK, _DELETED)
    going_on = ShuttingDown("The server shuts down. It goes on with this when it is back: subscribe again.")
    return error_of(call.call_id, _INTERNAL, going_on.message)


def _refusal(error: DetourError, call_id: Any) -> Response:
    """Return a refusal: in the answer, and as a status where the client is to wait."""
    note_input(error)
    codes = {NotFound: _NO_TASK, MalformedJson: _NO_JSON, BadInput: _BAD_PARAMS}
    code = next((code for kind, code in codes.items() if isinstance(error, kind)), _INTERNAL)
    told = error_of(call_id, code, error.message, {"code": error.to_json()["error"]["code"]})
    waits = isinstance(error, TooManyRequests) or error.status_code == 503
    return json_response(told, status=error.status_code if waits else 200, headers=reply_headers(error))


async def _with_end(pieces: Pieces, call: Call) -> AsyncGenerator[bytes, None]:
    """Yield pieces, and an error in words where they end before the task does."""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except (SubscriptionEnded, StoreUnavailable) as error:
        yield b"data: %b\n\n" % encode(_error_in(call, error))
