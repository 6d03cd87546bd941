"""The routes that OpenAI's clients call; with `/v1` before them, as these clients have them."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable, Coroutine, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from hashlib import sha512
from typing import Any, NamedTuple

import orjson
from fastapi import Request, Response
from starlette.types import Receive, Scope, Send

from ...domain.encoding import encode
from ...domain.errors import (
    BadInput,
    DetourError,
    Forbidden,
    GraphFailedError,
    NotFound,
    ShuttingDown,
    StoreUnavailable,
    TooManyRequests,
    Unauthorized,
)
from ...http.edge.refusals import note_input, reply_headers
from ...http.event_stream import EventStream, Pieces, gone
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ...http.wire.bodies import json_response
from ...store.event_bus import Ended, SubscriptionEnded
from ...store.records import Acceptance
from ..bodies import naming_message, read_json
from ..following import Followers, Following, Renderer, run_pieces, see_stored
from ..thread.reading import ThreadReader
from ..thread.state import Run
from ..threads import Agents, Leaving, Threads, user_of
from .conversations import Conversations, Known, handed_on
from .rendering import DONE, Body, CompletionFrames, ResponseFrames, failed, input_items, parts_of
from .wire import PageWanted, Wanted, number_after, read_completion, read_page, read_response

_RESPONSE = "/responses/{response_id}"
_SINCE = 1_767_225_600
"""When models say that they were made: nobody knows."""

_SHUT_DOWN = "The server shuts down. It goes on with this when it is back."
_DELETED = "This conversation was deleted."
_NO_RESPONSE = "There is no such response."
_ENDS_NOTHING = {"x-should-retry": "false"}
"""Keeps the clients from sending a message again that was accepted: they repeat what fails with 5xx."""


class _Taken(NamedTuple):
    """A message that was accepted, and the run that answers it."""

    user_id: str
    run: Run
    model: str
    known: Known


class Answers:
    """The endpoints; each takes a request and returns the response."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._threads = Threads(services)
        self._agents = Agents(services)
        self._conversations = Conversations(services)
        self._leaving = Leaving(services)
        self._followers = Followers()

    # --- models --------------------------------------------------------------------------------------

    async def models(self, _request: Request) -> Response:
        """Return the agents as models."""
        return json_response({"object": "list", "data": [_model(each) for each in self._agents.names]})

    async def model(self, request: Request) -> Response:
        """Return a model."""
        return json_response(_model(self._named(request.path_params["model"])))

    def _named(self, model: str | None) -> str:
        try:
            return self._agents.named(model)
        except NotFound:
            known = ", ".join(self._agents.names)
            sentence = f"model: there is no model {model!r:.100}; there are: {known}."
            raise NotFound(sentence, code="model_not_found") from None

    # --- chat completions ----------------------------------------------------------------------------

    async def complete(self, request: Request) -> Response:
        """Take a message, and return or stream its answer; a client that leaves stops the run."""
        wanted = read_completion(await read_json(request), request.headers)
        taken = await self._take(wanted)
        user_id, run, model, known = taken
        frames = CompletionFrames(run.run_id, model, user_id, tells_usage=wanted.tells_usage, said=known.add)
        if wanted.streams:
            pieces = _with_end(self._pieces(user_id, run.run_id, frames), failed, DONE)
            return EventStream(self._services, user_id, pieces, on_leave=self._on_leave(user_id, run))

        async def completion() -> Body:
            await self._to_end(user_id, run.run_id, frames)
            if frames.failure is not None:
                raise GraphFailedError(frames.failure)
            return frames.completion()

        return self._waited(user_id, run, completion)

    # --- responses -----------------------------------------------------------------------------------

    async def respond(self, request: Request) -> Response:
        """Take a message, and return or stream its response.

        A client that leaves stops the run, unless it runs in the background.
        """
        wanted = read_response(await read_json(request), request.headers)
        wanted = await self._continued(wanted)
        user_id, run, model, known = await self._take(wanted)
        asked = await self._keep(user_id, run.run_id, wanted)
        frames = ResponseFrames(run.run_id, model, user_id, asked, said=known.add)
        on_leave = None if wanted.is_background else self._on_leave(user_id, run)
        if wanted.streams:
            pieces = _with_end(self._pieces(user_id, run.run_id, frames), frames.error)
            return EventStream(self._services, user_id, pieces, on_leave=on_leave)
        if wanted.is_background:
            return json_response(await self._as_it_is(user_id, run.run_id, frames))

        async def response() -> Body:
            await self._to_end(user_id, run.run_id, frames)
            return frames.response()

        return self._waited(user_id, run, response)

    async def retrieve(self, request: Request) -> Response:
        """Return a response as far as it is, or stream its events; leaving stops nothing."""
        user_id, run = await self._known(request)
        frames = await self._frames_of(user_id, run, after=number_after(request.query_params))
        if request.query_params.get("stream") == "true":
            self._services.check_streams(user_id)
            pieces = _with_end(self._pieces(user_id, run.run_id, frames), frames.error)
            return EventStream(self._services, user_id, pieces)
        async with self._services.long_read(user_id):
            return json_response(await self._as_it_is(user_id, run.run_id, frames))

    async def cancel(self, request: Request) -> Response:
        """Stop the run of a response, and return the response as it is then; what was found is kept."""
        user_id, run = await self._known(request)
        await self._threads.stop(user_id, run)
        frames = await self._frames_of(user_id, run)
        return json_response(await self._as_it_is(user_id, run.run_id, frames))

    async def delete(self, request: Request) -> Response:
        """Stop the run of a response, and forget the response; what was said stays in the conversation."""
        user_id, run = await self._known(request)
        await self._threads.stop(user_id, run)
        await self._services.conversations.keep(user_id, Acceptance(_deleted_key(run.run_id), b"{}"))
        name = request.path_params["response_id"]
        return json_response({"id": name, "object": "response", "deleted": True})

    async def input_items(self, request: Request) -> Response:
        """Return a page of the messages that a response was made from: its own and those before it."""
        wanted = read_page(request.query_params)
        user_id, run = await self._known(request)
        async with self._services.long_read(user_id):
            state = await self._threads.state(user_id)
            items = input_items(run, state) if state is not None else []
            return json_response(_page_of(items, wanted))

    async def _continued(self, wanted: Wanted) -> Wanted:
        """Return a request with the conversation of the response that it continues. Raises `BadInput`."""
        if wanted.previous_id is None:
            return wanted
        _, user_id = parts_of(wanted.previous_id)
        unknown = BadInput.of_fields(("previous_response_id", _NO_RESPONSE))
        if wanted.thread_id is not None and user_of(wanted.thread_id) != user_id:
            raise BadInput.of_fields(("previous_response_id", "it is of another conversation"))
        try:
            await self._services.access.check(user_id, Act.CHANGE)
            await self._named_by(wanted.previous_id)
        except NotFound:
            raise unknown from None
        return wanted.of_thread(user_id)

    async def _known(self, request: Request) -> tuple[str, Run]:
        return await self._named_by(request.path_params["response_id"])

    async def _named_by(self, response_id: str) -> tuple[str, Run]:
        """Return the user and the run of a response. Raises `NotFound`, also if it was deleted."""
        run_id, user_id = parts_of(response_id)
        state = await self._threads.state(user_id)
        run = state.runs.get(run_id) if state is not None else None
        if run is None or await self._services.store.get_acceptance(user_id, _deleted_key(run_id)):
            raise NotFound(_NO_RESPONSE)
        return user_id, run

    async def _frames_of(self, user_id: str, run: Run, *, after: int = -1) -> ResponseFrames:
        kept = await self._services.store.get_acceptance(user_id, _key(run.run_id))
        asked: Body = orjson.loads(kept[1]) if kept is not None else {}
        names = self._agents.names
        model = next((each for each in names if self._agents.graph_of(each) == run.graph), names[0])
        return ResponseFrames(run.run_id, model, user_id, asked, after=after)

    async def _keep(self, user_id: str, run_id: str, wanted: Wanted) -> Body:
        """Store what a response repeats of its request, if there is something to repeat; return it."""
        asked: Body = {
            "background": wanted.is_background,
            "metadata": dict(wanted.metadata),
            "previous_response_id": wanted.previous_id,
        }
        if any(asked.values()):
            await self._services.conversations.keep(user_id, Acceptance(_key(run_id), encode(asked)))
        return asked

    async def _as_it_is(self, user_id: str, run_id: str, frames: ResponseFrames) -> Body:
        """Return a response as far as its run is at this moment. Raises `NotFound`."""
        reader = await self._threads.reader(user_id)
        await see_stored(reader, frames, run_id)
        run = reader.state.runs.get(run_id)
        if run is None:
            raise NotFound(_NO_RESPONSE)
        if frames.run is None:  # all its events came before those that are still stored
            frames.present(run, reader.state)
        return frames.response()

    # --- both ----------------------------------------------------------------------------------------

    async def _take(self, wanted: Wanted) -> _Taken:
        """Take a message. Raises as `Threads.send` does; then it was not accepted."""
        model = self._named(wanted.model)
        known = await self._conversations.of(wanted, model)
        user_id = known or str(uuid.uuid4())
        await self._services.access.check(user_id, Act.SPEAK)
        if wanted.streams or not wanted.is_background:
            self._services.check_streams(user_id)
        default = self._services.policy
        given = {**self._agents.given_for(model), **wanted.content}
        if known is None and self._services.graphs is not None and (earlier := handed_on(wanted)):
            given["earlier"] = earlier
        with naming_message("Idempotency-Key", wanted.field):
            sent = await self._threads.send(
                user_id,
                wanted.text,
                client_id=wanted.client_id,
                policy=wanted.policy or ("interrupt" if default == "steer" else default),
                given=given or None,
            )
        return _Taken(user_id, sent.run, model, self._conversations.remember(wanted, model, user_id, sent))

    async def _pieces(self, user_id: str, run_id: str, frames: Renderer) -> Pieces:
        """Yield the frames of a run, and count the client among those who follow it."""
        following = Following(run_id)
        reader: ThreadReader = await self._threads.reader(user_id)
        with self._followers.counting(user_id, following):
            async with aclosing(run_pieces(reader, following, frames)) as pieces:
                async for piece in pieces:
                    yield piece

    async def _to_end(self, user_id: str, run_id: str, frames: Renderer) -> None:
        """Render a run to its end. Raises `NotFound` and `ShuttingDown` if it will not be told of here."""
        try:
            async for _ in self._pieces(user_id, run_id, frames):
                pass
        except SubscriptionEnded as ended:
            raise _unfinished(ended) from None

    def _on_leave(self, user_id: str, run: Run) -> Callable[[], None]:
        # Unless somebody has come back to it: the message was sent again, or the response is read.
        is_followed = partial(self._followers.follow, user_id, run.run_id)
        return partial(self._leaving.leave, user_id, run.run_id, unless=is_followed)

    def _waited(
        self, user_id: str, run: Run, body: Callable[[], Coroutine[Any, Any, Body]]
    ) -> "WaitedAnswer":
        return WaitedAnswer(self._services, user_id, body, self._on_leave(user_id, run))


class WaitedAnswer(Response):
    """A JSON response that is there once a run has ended; `on_leave` is called if its client leaves before.

    It counts among the open streams of its user. An error of the answer is refused with its own status.
    """

    def __init__(
        self,
        services: Services,
        user_id: str,
        body: Callable[[], Coroutine[Any, Any, Body]],
        on_leave: Callable[[], None],
    ) -> None:
        super().__init__()
        self._services = services
        self._user_id = user_id
        self._answer = body
        self._on_leave = on_leave

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one client. Cancelling it stops nothing."""
        services, user_id = self._services, self._user_id
        services.open_stream(user_id)
        try:
            answering = services.owner.spawn(self._answer(), name=f"answer {user_id}")
            watcher = services.owner.spawn(gone(receive), name=f"answer watcher {user_id}")
            both = {answering, watcher}
            try:
                while not answering.done() and not watcher.done():
                    look_again_s = services.look_again_in_s()
                    await asyncio.wait(both, timeout=look_again_s, return_when=asyncio.FIRST_COMPLETED)
                    if look_again_s is not None and not answering.done() and await services.signed_out():
                        raise Unauthorized("The sign-in is over.")
                left = not answering.done()
            finally:
                answering.cancel()
                watcher.cancel()
                await asyncio.wait(both)
        finally:
            services.close_stream(user_id)
        if left:
            self._on_leave()
            return
        try:
            response = json_response(answering.result())
        except DetourError as error:
            response = _refusal(error, accepted=True)
        await response(scope, receive, send)


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    answers = Answers(services)
    paths = ["/chat/completions", "/models", "/responses"]
    return [
        Group(
            "OpenAI",
            "What OpenAI's clients call, with `/v1` as the end of their base URL. A model is an agent.",
            [
                Call("GET", "/models", answers.models, "List the models", None),
                Call("GET", "/models/{model}", answers.model, "Get a model", None),
                Call("POST", "/chat/completions", answers.complete, "Complete a conversation", BY_ROUTE),
                Call("POST", "/responses", answers.respond, "Make a response", BY_ROUTE),
                Call("GET", _RESPONSE, answers.retrieve, "Get a response", Act.READ),
                Call("DELETE", _RESPONSE, answers.delete, "Delete a response", Act.END),
                Call("POST", f"{_RESPONSE}/cancel", answers.cancel, "Cancel a response", Act.END),
                Call("GET", f"{_RESPONSE}/input_items", answers.input_items, "List its messages", Act.READ),
            ],
            {"response_id": _user_of_response},
            refusal=_refusal,
            large_bodies=["/chat/completions", "/responses"],
            error_form=error_body,
            own_paths=paths,
        )
    ]


def _user_of_response(response_id: str) -> str:
    return parts_of(response_id)[1] or user_of(response_id)


def _model(name: str) -> Body:
    return {"id": name, "object": "model", "created": _SINCE, "owned_by": "detour"}


def _key(run_id: str) -> str:
    """Return the key in the store of what a response repeats: longer than any message's `client_id`."""
    return f"openai {sha512(run_id.encode()).hexdigest()}"


def _deleted_key(run_id: str) -> str:
    """Return the key in the store of the note that a response was deleted."""
    return _key(f"deleted {run_id}")


def _page_of(items: Sequence[Body], wanted: PageWanted) -> Body:
    """Return a page of a list. Raises `BadInput` if it has no item that the page comes after."""
    items = items if wanted.oldest_first else items[::-1]
    first = 0
    if wanted.after is not None:
        places = [number for number, each in enumerate(items) if each["id"] == wanted.after]
        if not places:
            raise BadInput.of_fields(("after", "there is no such item"))
        first = places[0] + 1
    page = items[first : first + wanted.limit]
    ends = {"first_id": page[0]["id"], "last_id": page[-1]["id"]} if page else {}
    has_more = first + len(page) < len(items)
    return {"object": "list", "data": page, "first_id": None, "last_id": None, **ends, "has_more": has_more}


# --- errors --------------------------------------------------------------------------------------------


def error_body(error: DetourError) -> Mapping[str, Any]:
    """Return an error in OpenAI's form."""
    body = error.to_json()["error"]
    details: Any = error.details
    field = details[0]["field"] if details else error.message.partition(": ")[0]
    names_field = error.message.startswith(f"{field}: ") and " " not in field
    code = {"unauthorized": "invalid_api_key", "too_many_requests": "rate_limit_exceeded"}.get(
        body["code"], body["code"]
    )
    param = field if names_field else None
    return {"error": {"message": error.message, "type": _type_of(error), "param": param, "code": code}}


def _type_of(error: DetourError) -> str:
    if isinstance(error, TooManyRequests):
        return "rate_limit_error"
    if isinstance(error, Unauthorized):
        return "authentication_error"
    if isinstance(error, Forbidden):
        return "permission_error"
    return "server_error" if error.status_code >= 500 else "invalid_request_error"


def _refusal(error: DetourError, *, accepted: bool = False) -> Response:
    """Return a refusal as OpenAI's clients know it; of a message that was `accepted` none sends it again."""
    note_input(error)
    headers = {**reply_headers(error), **(_ENDS_NOTHING if accepted else {})}
    status = 400 if error.status_code == 422 else error.status_code
    return json_response(error_body(error), status=status, headers=headers)


def _unfinished(ended: SubscriptionEnded) -> DetourError:
    """Return the error for a stream that ends before its run."""
    return NotFound(_DELETED) if ended.reason is Ended.RESET else ShuttingDown(_SHUT_DOWN)


async def _with_end(
    pieces: Pieces, error_frame: Callable[[str, str], bytes], last: bytes = b""
) -> AsyncGenerator[bytes, None]:
    """Yield pieces; where they end before the run does, an error in words, and the `last` frame."""
    try:
        async with aclosing(pieces):
            async for piece in pieces:
                yield piece
    except (SubscriptionEnded, StoreUnavailable) as error:
        told = _unfinished(error) if isinstance(error, SubscriptionEnded) else error
        yield error_frame(told.message, told.to_json()["error"]["code"]) + last
