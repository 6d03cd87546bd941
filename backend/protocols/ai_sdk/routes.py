"""The routes that `DefaultChatTransport` calls with `api` set to `/ai-sdk/chat`, and two that pages call."""

from collections import OrderedDict
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse

from ...domain.errors import DetourError, StoreUnavailable
from ...domain.task import Policy
from ...http.edge.refusals import note_input, reply_headers
from ...http.event_stream import EventStream, Pieces
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ...http.wire.bodies import json_response
from ...http.wire.requests import policy_in
from ...store.event_bus import Ended, SubscriptionEnded
from ..bodies import naming_message
from ..following import Following, run_pieces
from ..page_tools import page_of, take_results
from ..thread.reading import ThreadReader
from ..thread.state import Run, ThreadState
from ..threads import Agents, Sent, Threads, client_id_of, user_of
from .rendering import DONE, RunFrames, encoded, last_taken_in, run_id_in, ui_messages
from .wire import ChatBody, read_chat, read_stop

_CHAT = "/ai-sdk/chat"
_OF_CHAT = _CHAT + "/{chat_id:path}"  # an id may have a slash
_HEADERS = {"x-vercel-ai-ui-message-stream": "v1"}

MOST_STEERING = 10_000
"""Messages that steer whose answers are known to have a stream; the oldest are forgotten first."""

_SHUT_DOWN = "The server shuts down. It goes on with this when it is back: resume the stream."
_DELETED = "This conversation was deleted."


class Chats:
    """The endpoints; each takes a request and returns the response."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._agents = Agents(services)
        self._steering: OrderedDict[tuple[str, str], None] = OrderedDict()
        """Messages that pages have sent to steer, by user: their answers are in streams of their own."""

    async def send(self, request: Request) -> Response:
        """Take a message, or the answer to a question; stream the run that it begins."""
        body = await read_chat(request)
        user_id = user_of(body.id)
        await self._services.access.check(user_id, Act.SPEAK if body.answer is None else Act.CHANGE)
        if body.answer is not None:
            given = body.answer
            run = await self._threads.answer(
                user_id, given.request_id, answer=given.answer, decision=given.decision, note=given.note
            )
            return await self._stream(user_id, Following(run.run_id))
        page = page_of(body.tools, None) if self._services.graphs is not None else {}
        results = body.results if body.trigger != "regenerate-message" else ()
        if results:
            self._services.check_streams(user_id)
            run = await take_results(self._threads, user_id, results, page)
            if run is not None and results[-1].is_new:
                return await self._stream(user_id, Following(run.run_id), continues=body.continued)
        sent = await self._take(user_id, body, page, policy_in(request.headers))
        return await self._stream(user_id, sent.following(), after=sent.steers)

    async def resume(self, request: Request) -> Response:
        """Stream a run that is under way, or waits for its user, from its beginning; 204 if there is none."""
        user_id = user_of(request.path_params["chat_id"])
        state = await self._threads.state(user_id)
        run = _to_resume(state) if state is not None else None
        if state is None or run is None:
            return Response(status_code=204)
        # The page has what waits at its end: only what comes behind that can be streamed.
        waiting = next(reversed(state.pending), None)
        if waiting is not None:
            return await self._stream(user_id, Following(message_id=waiting), after=waiting)
        return await self._stream(user_id, Following(run.run_id), after=last_taken_in(run, state))

    async def stop(self, request: Request) -> Response:
        """Stop the run that the page means, unless it has ended. 204 once it has settled."""
        user_id = user_of(request.path_params["chat_id"])
        body = await read_stop(request)
        state = await self._threads.state(user_id)
        wanted = body.activeStreamId or body.shown
        run = state.runs.get(run_id_in(wanted)) if state is not None and wanted is not None else None
        if state is None or (run is None and body.activeStreamId is not None):
            return Response(status_code=204)
        if run is None:
            await self._services.conversations.stop(user_id)
        elif run is state.last_run_of(run.task_id) or _goes_on(run, state):
            await self._services.conversations.stop(user_id, await self._threads.task_at_work(user_id, run))
        return Response(status_code=204)

    async def messages(self, request: Request) -> Response:
        """Return the conversation as a page takes it: `useChat({messages})`."""
        user_id = user_of(request.path_params["chat_id"])
        async with self._services.long_read(user_id):
            return json_response(await ui_messages(await self._threads.reader(user_id)))

    async def _take(
        self, user_id: str, body: ChatBody, page: Mapping[str, Any], header: Policy | None
    ) -> Sent:
        self._services.check_streams(user_id)
        message = body.new_message
        client_id = None if message.message_id is None else client_id_of(message.message_id)
        if body.runs_again(message) and await self._knows(user_id, client_id):
            client_id = None  # with the same id it would be a retry, which starts nothing
        policy = body.named_policy or header
        if body.runs_again(message) and (policy or self._services.policy) == "steer":
            policy = "interrupt"  # the running task has read it already
        if (policy or self._services.policy) == "steer" and client_id is not None:
            # Before it is accepted: the stream of the run gets its event at once.
            self._steering[user_id, client_id] = None
            while len(self._steering) > MOST_STEERING:
                self._steering.popitem(last=False)
        graph = None if body.graph is None else self._agents.named(body.graph)
        given = {**self._agents.given_for(graph), **message.content, **page} or None
        with naming_message(f"{message.field}.id", f"{message.field}.parts"):
            return await self._threads.send(
                user_id, message.text, client_id=client_id, policy=policy, given=given
            )

    async def _knows(self, user_id: str, client_id: str | None) -> bool:
        state = await self._threads.state(user_id)
        known = (*state.messages.values(), *state.pending.values()) if state is not None else ()
        return any(each["client_id"] == client_id for each in known)

    async def _stream(
        self,
        user_id: str,
        following: Following,
        *,
        after: str | None = None,
        continues: str | None = None,
    ) -> Response:
        # From the beginning always: on `start` a resumed message is rebuilt. And leaving stops nothing: the
        # hook closes the line for a reload as well, and has a route for a stop.
        reader = await self._threads.reader(user_id)
        frames = RunFrames(
            following,
            after=after,
            continues=continues,
            shows_own=lambda message: (user_id, message["client_id"]) in self._steering,
        )
        pieces = run_pieces(reader, following, frames)
        pieces = self._as_own(user_id, reader, after, with_end(pieces))
        return EventStream(self._services, user_id, pieces, headers=_HEADERS)

    async def _as_own(self, user_id: str, reader: ThreadReader, after: str | None, pieces: Pieces) -> Pieces:
        """Pass a stream on; if it ends while its message waits, the next stream of its run shows the rest."""
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    yield piece
        finally:
            waits = reader.state.pending.get(after or "")
            if waits is not None:
                self._steering.pop((user_id, waits["client_id"]), None)


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    chats = Chats(services)
    return [
        Group(
            "AI SDK",
            "What `useChat` calls. A chat is a user, and its id the user's.",
            [
                Call("POST", _CHAT, chats.send, "Send a message, and stream the answer", BY_ROUTE),
                Call("GET", f"{_OF_CHAT}/stream", chats.resume, "Join the answer that is being streamed"),
                Call("POST", f"{_OF_CHAT}/stop", chats.stop, "Stop the answer", Act.END),
                Call("GET", f"{_OF_CHAT}/messages", chats.messages, "Get the conversation"),
            ],
            {"chat_id": user_of},
            refusal=_refusal,
            large_bodies=["/ai-sdk/"],
        )
    ]


def _goes_on(run: Run, state: ThreadState) -> bool:
    """Return whether later runs of a task are shown in the message of this one: with results of its page."""
    task = state.task_of(run)
    return task is not None and bool(task.for_page)


def _refusal(error: DetourError) -> Response:
    """Return a refusal as the AI SDK shows it: the body of a failed response is the error's message."""
    note_input(error)
    return PlainTextResponse(error.message, status_code=error.status_code, headers=reply_headers(error))


def _to_resume(state: ThreadState) -> Run | None:
    """Return the newest run under way, or else the one that has asked its user and waits."""
    waiting = (each for each in reversed(state.runs.values()) if each.ended_waiting)
    return state.active_run() or next((each for each in waiting if state.questions_of(each)), None)


async def with_end(pieces: Pieces) -> AsyncGenerator[bytes, None]:
    """Yield pieces, then the end of the stream; an error in words where it ends before the run does."""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except SubscriptionEnded as ended:
        words = _DELETED if ended.reason is Ended.RESET else _SHUT_DOWN
        yield encoded({"type": "error", "errorText": words})
    except StoreUnavailable as error:
        yield encoded({"type": "error", "errorText": error.message})
    yield DONE
