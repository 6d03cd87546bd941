"""Calls, the server's own and those of other protocols: each says once what it is, answers and does."""

import inspect
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple, TypeVar, cast

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from fastapi.utils import create_model_field
from pydantic import with_config
from starlette.types import Message, Receive, Scope, Send
from typing_extensions import is_typeddict

from ...domain.errors import DetourError
from ..edge.refusals import ErrorForm
from ..identity.access import BY_METHOD, WhichAct
from ..wire.bodies import errors_for

E = TypeVar("E", bound=Callable[..., Any])
Endpoint = Callable[[Request], Awaitable[Response]]


# --- the server's own ----------------------------------------------------------------------------------


class CallRoute(APIRoute):
    """A route with what its call does to the conversation in its path, for `OwnConversations`."""

    act: WhichAct = BY_METHOD

    def __init__(
        self,
        path: str,
        endpoint: Callable[..., Any],
        *,
        responses: Mapping[int | str, dict[str, Any]] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(path, endpoint, **more)
        # The framework would make a field for each code of each route, though they have a handful of types.
        # Building an application takes 38 ms instead of 47 (measured).
        self.responses = dict(responses or {})
        self.response_fields = {
            code: _field_of(each["model"]) for code, each in self.responses.items() if "model" in each
        }


@cache
def _field_of(model: Any) -> Any:
    return create_model_field(name="Answer", type_=model, mode="serialization")


class CallRouter(APIRouter):
    """Routes of the server, or of what it serves; `groups` are theirs in the OpenAPI document."""

    def __init__(self, *groups: str) -> None:
        super().__init__(tags=[*groups], route_class=CallRoute)

    def call(
        self,
        call: str,
        title: str,
        answer: Any = None,
        errors: Sequence[int] = (),
        *,
        act: WhichAct = BY_METHOD,
        responses: Mapping[int | str, dict[str, Any]] | None = None,
        **more: Any,
    ) -> Callable[[E], E]:
        """Return a decorator that adds a call, "GET /health", with its type of answers and codes of errors.

        The framework gets `responses` and `more` as they are.
        """

        method, _, path = call.partition(" ")
        more |= {"summary": title, "response_model": answer}
        more["responses"] = answers = errors_for(*errors) | dict(responses or {})
        for kind in (answer, *(each.get("model") for each in answers.values())):
            if kind is not None and is_typeddict(kind):
                # Else the framework would build a schema of it for each route, though only the API's document
                # needs one. Building an application takes 31 ms instead of 60 (measured).
                with_config(defer_build=True)(kind)

        def add(endpoint: E) -> E:
            self.add_api_route(path, endpoint, methods=[method], **more)
            cast(CallRoute, self.routes[-1]).act = act
            return endpoint

        return add


class DirectRoute(CallRoute):
    """A route like any other in the table and the document, whose endpoint reads the request by itself.

    The framework's own way to an endpoint takes some 50 us of CPU for each, and would resolve nothing.
    """

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the right method; the framework refuses any other."""
        if scope["method"] in self.methods:
            await self.answer(scope, receive, send)
        else:
            await super().handle(scope, receive, send)

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        answer = await self.endpoint(Request(scope, receive))
        await answer(scope, receive, send)


# --- other protocols -----------------------------------------------------------------------------------


class Call(NamedTuple):
    """A call of a protocol, and the function that answers it.

    The OpenAPI document lists calls with a title, and describes them by their endpoints' docstrings. `act` is
    what a call does to the conversation in its path; `BY_ROUTE` if its body names one, which the endpoint
    checks.
    """

    method: str
    path: str
    endpoint: Endpoint
    title: str = ""
    act: WhichAct = BY_METHOD


class Group(NamedTuple):
    """The calls of a protocol, and what the OpenAPI document says of all of them.

    `names` are the parameters of paths that name a conversation, each with what makes a user id of it.
    `refusal` renders an error of a call, by default the server does. Bodies may be large where a path begins
    with one of `large_bodies`. `error_form` renders errors on the paths of `own_paths` that no call answers.
    `begin` takes up, as the server starts, what an earlier process has left.
    """

    name: str
    about: str
    calls: Sequence[Call]
    names: Mapping[str, Callable[[str], str]]
    refusal: Callable[[DetourError], Response] | None = None
    large_bodies: Sequence[str] = ()
    error_form: ErrorForm | None = None
    own_paths: Sequence[str] = ()
    begin: Callable[[], Coroutine[Any, Any, None]] | None = None


class ProtocolRoute(DirectRoute):
    """Hands a request to its endpoint as it is, and renders errors in the protocol's form."""

    def __init__(self, call: Call, refusal: Callable[[DetourError], Response] | None) -> None:
        super().__init__(call.path, call.endpoint, methods=[call.method], include_in_schema=False)
        self.act = call.act
        self._refusal = refusal

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, also where it is refused."""
        began = False

        async def noting_send(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await super().answer(scope, receive, noting_send)
        except DetourError as error:
            if began or self._refusal is None:
                raise
            await self._refusal(error)(scope, receive, send)


# --- the OpenAPI document ------------------------------------------------------------------------------
# Bodies and answers are not repeated there: each protocol documents its own.


_EXAMPLES = {
    "agent": "agent",
    "assistant_id": "agent",
    "chat_id": "ada",
    "checkpoint_id": "1efa5a1e-7a4b-6d30-8000-3f2b8f2f3c11",
    "model": "travel",
    "namespace": "child",
    "response_id": "resp_01910f44-2a3d-7b6c-8e5f-6f1d3c2b1a09_ada",
    "run_id": "01910f44-2a3d-7b6c-8e5f-6f1d3c2b1a09",
    "thread_id": "ada",
}


def listed_paths(groups: Iterable[Group]) -> dict[str, dict[str, Any]]:
    """Return the calls that have a title, by path and method as in the document."""
    paths: dict[str, dict[str, Any]] = {}
    for group in groups:
        for call in group.calls:
            if call.title:
                path = call.path.replace(":path}", "}")
                paths.setdefault(path, {})[call.method.lower()] = _operation(call, path, group.name)
    return paths


def _operation(call: Call, path: str, group: str) -> Mapping[str, Any]:
    body = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    return {
        "tags": [group],
        "summary": call.title,
        "description": inspect.getdoc(call.endpoint) or "",
        "operationId": re.sub(r"\W+", "_", f"{call.method} {path}").strip("_").lower(),
        "parameters": [
            {
                "name": parameter,
                "in": "path",
                "required": True,
                "schema": {"type": "string", "examples": [_EXAMPLES[parameter]]},
            }
            for parameter in re.findall(r"{(\w+)}", path)
        ],
        **({"requestBody": body} if call.method in {"PATCH", "POST"} else {}),
        "responses": {"default": {"description": "As the protocol's own documentation has it"}},
    }
