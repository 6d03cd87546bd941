"""The calls of MCP's streamable HTTP: `POST /mcp` takes messages, `GET /mcp` goes on with a cut stream."""

import contextlib
from collections import OrderedDict
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

import mcp_types as types
import orjson
from fastapi import Request, Response
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from ... import __version__
from ...domain.encoding import encode
from ...domain.errors import BadInput, Conflict, DetourError, NotFound, NotOpen, StoreUnavailable
from ...domain.task import Policy
from ...http.edge.refusals import note_input
from ...http.event_stream import EventStream, Pieces
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ...http.wire.requests import policy_in
from ...store.event_bus import Ended, SubscriptionEnded
from ...store.records import Acceptance
from ..answers import Answer, arguments, naming_fields
from ..bodies import naming, object_in
from ..following import BEGINNING, Followers, Place, run_pieces
from ..thread.state import Frame, Run, ThreadState
from ..threads import Leaving, Threads, client_id_of, user_of
from .rendering import AskedCall, CallRenderer, read_elicitation_id
from .tools import INSTRUCTIONS, Arguments, Tools
from .wire import (
    LAST_EVENT,
    REFUSED,
    SESSION,
    Caller,
    Json,
    ProtocolFault,
    StreamedCall,
    error_body,
    failure,
    json_answer,
    negotiated,
    new_conversation,
    new_session,
    params_of,
    read_event_id,
    read_message,
    refusal,
    response,
    result_of,
    unknown_method,
)

_MCP = "/mcp"

MOST_EARLY = 10_000
"""Cancellations that came before their calls and are remembered; the oldest are forgotten first."""

_TO_THE_TOOL = (BadInput, NotFound, Conflict)
"""Refusals that are a tool's result, by which a model corrects its next call."""

_SHUT_DOWN = "The server shuts down. It goes on with this when it is back."
_DELETED = "This conversation was deleted."


@contextlib.contextmanager
def _naming_arguments() -> Generator[None]:
    """Have errors name what a call has: its id, the message, and the fields of the graph's input."""
    names = {"content": "message", "client_id": "id"}
    try:
        with naming(lambda field: names.get(field, field)):
            yield
    except BadInput as error:
        if not error.message.startswith("input."):
            raise
        raise BadInput(error.message.removeprefix("input."), code=error.to_json()["error"]["code"]) from None


class _Form(NamedTuple):
    """What a client says to a question, sent in `field`."""

    asked: Frame
    result: Json
    field: str

    @property
    def answer(self) -> Answer | None:
        """The answer, None if there is none: whoever is asked for a permission may still deny it."""
        if self.result.get("action") == "accept":
            return Answer(self.asked, self.result.get("content"), self.field, takes_defaults=True)
        is_denied = self.asked["kind"] == "permission" and self.result.get("action") == "decline"
        return Answer(self.asked, "deny", self.field) if is_denied else None


class Mcp:
    """The endpoints; each takes a request and returns the response."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._tools = Tools(services)
        self._leaving = Leaving(services)
        self._followers = Followers()
        self._early: OrderedDict[tuple[str | None, str], None] = OrderedDict()
        """Calls that were cancelled before they had come, by person: the two may be sent at once."""

    async def post(self, request: Request) -> Response:
        """Take a message of a client: a request, a notification, or the answer to a question."""
        try:
            message, caller = await read_message(request)
        except ProtocolFault as fault:
            return _faulted(None, fault)
        match message:
            case types.JSONRPCNotification():
                return await self._notified(message, caller)
            case types.JSONRPCResponse() | types.JSONRPCError():
                return await self._answered(message)
            case types.JSONRPCRequest():
                try:
                    return await self._requested(message, caller, request)
                except ProtocolFault as fault:
                    # Up to 2025-11-25 another status says something about the session.
                    return _faulted(message.id, fault, status=fault.status if caller.is_modern else 200)

    async def resume(self, request: Request) -> Response:
        """Go on with a stream after its last event, in `Last-Event-ID`."""
        try:
            last = request.headers.get(LAST_EVENT)
            if last is None:
                # Nothing but answers to its own calls is sent to a client.
                fault = ProtocolFault(types.INVALID_REQUEST, f"{LAST_EVENT}: it is missing.", status=405)
                return _faulted(None, fault, headers={"Allow": "POST"})
            call, place = read_event_id(last)
            user_id = user_of(call.user_id)
            await self._services.access.check(user_id, Act.READ)
            state = await self._threads.state(user_id)
            if state is None or (call.run_id not in state.runs and call.message_id is None):
                raise NotFound("The call is not known any more.", code="unknown_task")
            return await self._stream(call, after=place)
        except ProtocolFault as fault:
            return _faulted(None, fault)

    async def end(self, _request: Request) -> Response:
        """Refuse to end a session: there is nothing to end."""
        fault = ProtocolFault(types.INVALID_REQUEST, "A session needs no end.", status=405)
        return _faulted(None, fault, headers={"Allow": "POST, GET"})

    # --- requests ------------------------------------------------------------------------------------

    async def _requested(self, message: types.JSONRPCRequest, caller: Caller, request: Request) -> Response:
        if message.method not in _SERVED:
            raise unknown_method(message.method)
        params = params_of(message, caller.version)
        match message.method:
            case "initialize":
                return self._initialized(message.id, params)
            case "ping":
                return json_answer(response(message.id, {}))
            case "server/discover":
                about = {"supportedVersions": [*MODERN_PROTOCOL_VERSIONS], **_ABOUT, **_CACHED}
                return _result(message, caller, about)
            case "tools/list":
                return _result(message, caller, {"tools": self._tools.listed(), **_CACHED})
            case _:
                return await self._called(message.id, params, caller, request)

    def _initialized(self, request_id: types.RequestId, params: Json) -> Response:
        version = negotiated(params["protocolVersion"])
        about = {"protocolVersion": version, "serverInfo": _SERVER, **_ABOUT}
        session = new_session(object_in(params["capabilities"]))
        return json_answer(response(request_id, about), headers={SESSION: session})

    async def _called(
        self, request_id: types.RequestId, params: Json, caller: Caller, request: Request
    ) -> Response:
        agent = self._tools.agent_of(params["name"])
        if agent is None:
            raise ProtocolFault(types.INVALID_PARAMS, f"Unknown tool: {params['name']}")
        try:
            call = await self._taken(request_id, agent, params, caller, request)
            return await self._stream(call)
        except _TO_THE_TOOL as error:
            note_input(error)
            refused = {
                "content": [{"type": "text", "text": error.message}],
                "isError": True,
                "resultType": "complete",
                # Structured content would have to fit the tool's schema of results.
                "_meta": {"detour/error": error.to_json()["error"]},
            }
            return json_answer(response(request_id, result_of("tools/call", caller.version, refused)))
        except DetourError as error:
            return refusal(error, request_id)

    async def _taken(
        self, request_id: types.RequestId, agent: str, params: Json, caller: Caller, request: Request
    ) -> StreamedCall:
        """Take a call: a message, the answer to a question, or the forms that its client has asked."""
        said = self._tools.read(agent, object_in(params.get("arguments")))
        asked = params.get("requestState")
        named = asked if isinstance(asked, str) else said.thread_id or caller.session
        user_id = user_of(named or new_conversation())
        is_new = not (isinstance(asked, str) or said.has_answer)
        await self._services.access.check(user_id, Act.SPEAK if is_new else Act.CHANGE)
        self._services.check_streams(user_id)
        call = StreamedCall(
            user_id=user_id,
            run_id="",
            message_id=None,
            request_id=request_id,
            token=object_in(params.get("_meta")).get("progressToken"),
            version=caller.version,
            elicits=caller.elicits,
            tells_thread=caller.session is None,
        )
        if is_new:
            policy = policy_in(request.headers)
            run, message_id = await self._sent(request_id, user_id, said, caller.session, policy)
            return call._replace(run_id=run.run_id, message_id=message_id)
        if said.has_answer:
            return call._replace(run_id=(await self._with_answer(user_id, said.answer)).run_id)
        run, has_withdrawn = await self._with_forms(user_id, object_in(params.get("inputResponses")))
        return call._replace(run_id=run.run_id, has_withdrawn=has_withdrawn)

    async def _sent(
        self,
        request_id: types.RequestId,
        user_id: str,
        said: Arguments,
        session: str | None,
        policy: Policy | None,
    ) -> tuple[Run, str | None]:
        """Take the message of a call; return its run, and the message itself if it steers."""
        client_id = None if session is None else _client_id(session, request_id)
        if session is not None and client_id is not None and user_id != user_of(session):
            await self._keep_thread(session, client_id, user_id)
        with _naming_arguments():
            sent = await self._threads.send(
                user_id,
                said.text or "",
                client_id=client_id,
                policy=policy or await self._policy(user_id),
                given=said.given or None,
            )
        if client_id is not None and self._early.pop(self._early_key(client_id), _MISSING) is not _MISSING:
            self._stop(user_id, sent.run)
        return sent.run, sent.steers

    async def _policy(self, user_id: str) -> Policy:
        """Return what a call does that names no policy: it waits for the one at work.

        A client that makes several calls at once wants all results, and cancels what it does not want. A task
        that only waits for its user would be waited for in vain: a message answers it, or interrupts it.
        """
        state = await self._threads.state(user_id)
        asked = next(iter(state.requests.values()), None) if state is not None else None
        run = state.run_of(asked["task_id"]) if state is not None and asked is not None else None
        return "interrupt" if run is not None and run.ended else "enqueue"

    # --- answers to questions ------------------------------------------------------------------------

    async def _with_answer(self, user_id: str, value: Any) -> Run:
        """Take the answer to the oldest open question; return the run that it begins."""
        state = await self._threads.state(user_id)
        asked = next(iter(state.requests.values()), None) if state is not None else None
        if asked is None:
            raise Conflict("answer: nothing is asked in this conversation.", code="not_open")
        return await self._answer(user_id, [Answer(asked, value, "answer", takes_defaults=True)])

    async def _with_forms(self, user_id: str, forms: Json) -> tuple[Run, bool]:
        """Take the forms that a client has shown; return their run, and whether they have ended it."""
        state = await self._threads.state(user_id)
        requests = state.requests if state is not None else {}
        filled_in: list[_Form] = []
        for request_id, form in forms.items():
            field = f"inputResponses.{request_id}"
            if request_id not in requests:
                raise Conflict(f"{field}: this question is not open.", code="not_open")
            filled_in.append(_Form(requests[request_id], object_in(form), f"{field}.content"))
        if not filled_in:
            raise BadInput.of_fields(("inputResponses", "there is no answer"))
        return await self._take_forms(user_id, filled_in)

    async def _answered(self, message: types.JSONRPCResponse | types.JSONRPCError) -> Response:
        """Take the answer to an elicitation; the stream that has asked goes on, on whatever replica."""
        of = read_elicitation_id(message.id)
        if of is None:
            return Response(status_code=202)  # to a ping, say
        user_id, request_id = user_of(of[0]), of[1]
        await self._services.access.check(user_id, Act.CHANGE)
        state = await self._threads.state(user_id)
        asked = state.requests.get(request_id) if state is not None else None
        if asked is None:
            raise Conflict("This question is not open.", code="not_open")
        result = message.result if isinstance(message, types.JSONRPCResponse) else {}
        await self._take_forms(user_id, [_Form(asked, result, "result.content")])
        return Response(status_code=202)

    async def _take_forms(self, user_id: str, forms: Sequence[_Form]) -> tuple[Run, bool]:
        """Take all forms of a task, or none. One without an answer stops it. Return as `_with_forms`."""
        answers = [answer for each in forms if (answer := each.answer) is not None]
        if len(answers) == len(forms):
            return await self._answer(user_id, answers), False
        task_id = forms[0].asked["task_id"]
        await self._services.conversations.stop(user_id, task_id)
        state = await self._threads.state(user_id)
        run = state.run_of(task_id) if state is not None else None
        if run is None:
            raise NotFound(f"The task {task_id!r} is not known any more.", code="unknown_task")
        return run, True

    async def _answer(self, user_id: str, answers: Sequence[Answer]) -> Run:
        # All at first: once one is taken, it cannot be taken back.
        taken = [await arguments(self._services, user_id, each, checks=True) for each in answers]
        run: Run | None = None
        for answer, given in zip(answers, taken, strict=True):
            try:
                with naming_fields(answer):
                    run = await self._threads.answer(user_id, answer.request["request_id"], **given)
            except (NotFound, NotOpen):
                if run is None:
                    raise
                # An answer before it has resolved this question as well.
        if run is None:
            raise BadInput.of_fields(("answer", "there is none"))
        return run

    # --- cancellation --------------------------------------------------------------------------------

    async def _notified(self, message: types.JSONRPCNotification, caller: Caller) -> Response:
        request_id = object_in(message.params).get("requestId")
        is_cancelled = message.method == "notifications/cancelled" and caller.session is not None
        if is_cancelled and isinstance(request_id, int | str):
            await self._cancel(caller.session or "", request_id)
        return Response(status_code=202)

    async def _cancel(self, session: str, request_id: types.RequestId) -> None:
        """Stop the run of a call; one that has ended stays as it is."""
        client_id = _client_id(session, request_id)
        user_id = await self._thread_of(session, client_id)
        try:
            await self._services.access.check(user_id, Act.END)
            state = await self._threads.state(user_id)
        except NotFound:
            state = None  # the call that makes it its person's may be on its way
        run = _run_of(client_id, state) if state is not None else None
        if run is not None:
            self._stop(user_id, run)
            return
        self._early[self._early_key(client_id)] = None
        while len(self._early) > MOST_EARLY:
            self._early.popitem(last=False)

    def _early_key(self, client_id: str) -> tuple[str | None, str]:
        return self._services.access.person, client_id

    def _stop(self, user_id: str, run: Run) -> None:
        # A write that has begun may take a while, and no client waits for the answer to a notification.
        self._services.owner.spawn_detached(self._threads.stop(user_id, run), name=f"stop {run.run_id}")

    async def _keep_thread(self, session: str, client_id: str, user_id: str) -> None:
        """Store in which conversation a call is, for its cancellation, which names the session alone."""
        own = user_of(session)
        await self._services.access.check(own, Act.SPEAK)
        await self._services.conversations.keep(own, Acceptance(_IN_THREAD + client_id, user_id.encode()))

    async def _thread_of(self, session: str, client_id: str) -> str:
        kept = await self._services.store.get_acceptance(user_of(session), _IN_THREAD + client_id)
        return kept[1].decode() if kept is not None else user_of(session)

    # --- streams -------------------------------------------------------------------------------------

    async def _stream(self, call: StreamedCall, *, after: Place = BEGINNING) -> Response:
        following = AskedCall(call)
        pieces = _with_end(call, self._followed(call, following, after))
        on_leave = None if call.is_resumable else self._on_leave(call, following)
        return EventStream(self._services, call.user_id, pieces, on_leave=on_leave)

    async def _followed(
        self, call: StreamedCall, following: AskedCall, after: Place
    ) -> AsyncGenerator[bytes, None]:
        with self._followers.counting(call.user_id, following):
            reader = await self._threads.reader(call.user_id)
            renderer = CallRenderer(call, following)
            opening = call.opening() if after == BEGINNING else b""
            pieces = run_pieces(reader, following, renderer, after=after, encode=call.event, opening=opening)
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece

    def _on_leave(self, call: StreamedCall, following: AskedCall) -> Callable[[], None]:
        def leave() -> None:
            run_id = following.run_id or call.run_id
            self._leaving.leave(
                call.user_id, run_id, unless=lambda: self._followers.follow(call.user_id, run_id)
            )

        return leave


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    mcp = Mcp(services)
    calls: Sequence[tuple[str, Callable[[Request], Awaitable[Response]], str]] = [
        ("POST", mcp.post, "Send a message of the Model Context Protocol"),
        ("GET", mcp.resume, "Go on with a stream that was cut"),
        ("DELETE", mcp.end, "End a session, which needs no end"),
    ]
    return [
        Group(
            "MCP",
            "What clients of the Model Context Protocol call. Each agent is a tool.",
            [Call(method, _MCP, endpoint, title, BY_ROUTE) for method, endpoint, title in calls],
            {},
            refusal=refusal,
            error_form=error_body,
            own_paths=[_MCP],
            large_bodies=[_MCP],
        )
    ]


# --- the server ----------------------------------------------------------------------------------------


_SERVED = {"initialize", "ping", "server/discover", "tools/list", "tools/call"}
_SERVER: Mapping[str, Any] = {"name": "detour", "title": "Detour", "version": __version__}
_ABOUT: Mapping[str, Any] = {"capabilities": {"tools": {}}, "instructions": INSTRUCTIONS}
_CACHED: Mapping[str, Any] = {"ttlMs": 60_000, "cacheScope": "private"}


def _result(message: types.JSONRPCRequest, caller: Caller, result: Json) -> Response:
    about = {"_meta": {types.SERVER_INFO_META_KEY: _SERVER}} if caller.is_modern else {}
    told = result_of(message.method, caller.version, {"resultType": "complete", **about, **result})
    return json_answer(response(message.id, told))


def _faulted(
    request_id: types.RequestId | None,
    fault: ProtocolFault,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    body = failure(request_id, fault.code, fault.message, fault.data)
    return json_answer(body, status=status or fault.status, headers=headers)


# --- the ids of calls ----------------------------------------------------------------------------------


_IN_THREAD = "mcp-thread "
_MISSING = object()


def _key(request_id: types.RequestId) -> str:
    """Return an id as a key: 1 and "1" are two."""
    return orjson.dumps(request_id).decode()


def _client_id(session: str, request_id: types.RequestId) -> str:
    """Return the id of the message of a call: sent again in its session, it starts nothing."""
    return client_id_of(f"{session} {_key(request_id)}")


def _run_of(client_id: str, state: ThreadState) -> Run | None:
    for message in (*state.pending.values(), *state.messages.values()):
        if message.get("client_id") == client_id:
            return state.run_of(message["task_id"])
    return None


async def _with_end(call: StreamedCall, pieces: Pieces) -> AsyncGenerator[bytes, None]:
    """Yield the pieces of a stream; where it ends before its call, tell a client that cannot resume it."""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except SubscriptionEnded as ended:
        if call.is_resumable and ended.reason is not Ended.RESET:
            return
        words = _DELETED if ended.reason is Ended.RESET else _SHUT_DOWN
    except StoreUnavailable as error:
        if call.is_resumable:
            return
        words = error.message
    else:
        return
    yield b"event: message\ndata: %b\n\n" % encode(failure(call.request_id, REFUSED, words))
