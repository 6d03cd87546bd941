"""The calls of other clients' protocols: each folder lists its own; here they become routes and documents.

Only the protocols that a server speaks are imported.
"""

import importlib
import inspect
import re
from collections.abc import Awaitable, Callable, Container, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.types import Message, Receive, Scope, Send

from ..domain.errors import DetourError
from ..http.application import ProtocolRoutes
from ..http.edge.refusals import ErrorForm
from ..http.identity.access import Act, Rules
from ..http.services import Services
from ..http.wire.document import ListedCalls
from .threads import user_of

Endpoint = Callable[[Request], Awaitable[Response]]


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
    act: Act | Literal["by method"] | None = "by method"


class Group(NamedTuple):
    """The calls of a protocol, and what the OpenAPI document says of all of them.

    `refusal` renders an error of a call, by default the server does. Bodies may be large where a path begins
    with one of `large_bodies`. `error_form` renders errors on the paths of `own_paths` that no call answers.
    """

    name: str
    about: str
    calls: Sequence[Call]
    refusal: Callable[[DetourError], Response] | None = None
    large_bodies: Sequence[str] = ()
    error_form: ErrorForm | None = None
    own_paths: Sequence[str] = ()


class ProtocolRoute(APIRoute):
    """Hands a request to its endpoint as it is, and renders errors in the protocol's form."""

    def __init__(self, call: Call, refusal: Callable[[DetourError], Response] | None) -> None:
        super().__init__(call.path, call.endpoint, methods=[call.method], include_in_schema=False)
        self._refusal = refusal

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of the right method; the framework refuses any other."""
        if scope["method"] not in self.methods:
            await super().handle(scope, receive, send)
            return
        began = False

        async def noting_send(message: Message) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            answer = await self.endpoint(Request(scope, receive))
            await answer(scope, receive, noting_send)
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
    "namespace": "child",
    "run_id": "01910f44-2a3d-7b6c-8e5f-6f1d3c2b1a09",
    "thread_id": "ada",
}


def listed_calls(groups: Iterable[Group]) -> ListedCalls:
    """Return the calls that have a title, for the document."""
    paths: dict[str, dict[str, Any]] = {}
    for group in groups:
        for call in group.calls:
            if call.title:
                path = call.path.replace(":path}", "}")
                paths.setdefault(path, {})[call.method.lower()] = _operation(call, path, group.name)
    return ListedCalls(paths, {group.name: group.about for group in groups})


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


# --- routes --------------------------------------------------------------------------------------------


_PROTOCOL_FOLDERS = {"langgraph": "langgraph", "ai-sdk": "ai_sdk", "ag-ui": "ag_ui"}


def protocol_routes(services: Services, protocols: Container[str]) -> ProtocolRoutes:
    """Return the routes of these protocols."""
    groups = groups_of(services, protocols)
    routers = [APIRouter(routes=[ProtocolRoute(each, of.refusal) for each in of.calls]) for of in groups]
    calls = [each for group in groups for each in group.calls]
    acts = {(each.method, each.path): each.act for each in calls if not isinstance(each.act, str)}
    return ProtocolRoutes(
        routers,
        [prefix for group in groups for prefix in group.large_bodies],
        listed_calls(groups),
        {path: of.error_form for of in groups if of.error_form is not None for path in of.own_paths},
        Rules(acts, {"thread_id": user_of, "chat_id": user_of}),
    )


def groups_of(services: Services, protocols: Container[str]) -> Sequence[Group]:
    """Return the calls of these protocols."""
    folders = [folder for name, folder in _PROTOCOL_FOLDERS.items() if name in protocols]
    modules = [importlib.import_module(f".{folder}.routes", __package__) for folder in folders]
    return [group for module in modules for group in module.groups(services)]
