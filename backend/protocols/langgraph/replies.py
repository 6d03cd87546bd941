"""Routes whose errors have the LangGraph API's form: `{"detail": a sentence}`."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute
from starlette.types import Message, Receive, Scope, Send

from ...errors import DetourError
from ...serving.edge.refusals import note_input
from ...serving.wire.error_reply import reply_headers
from ...serving.wire.output import json_response

Endpoint = Callable[[Request], Awaitable[Response]]


class NotImplementedHere(DetourError):
    """The LangGraph API has it, and this server does not."""

    code = "not_implemented"
    status_code = 501


class LangGraphRoute(APIRoute):
    """A route that hands the request to its endpoint as it is, and renders errors in the protocol's form."""

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
            if began:
                raise
            await error_response(error)(scope, receive, send)


def error_body(error: DetourError) -> Mapping[str, Any]:
    """Return an error as LangGraph's clients read it, and in the contract's form beside that."""
    return {"detail": error.message, **error.to_json()}


def error_response(error: DetourError) -> Response:
    """Return the response for an error."""
    note_input(error)
    return json_response(error_body(error), status=error.status_code, headers=reply_headers(error))


def add_route(router: APIRouter, path: str, endpoint: Endpoint, *methods: str) -> None:
    """Add a route that the server's own OpenAPI document leaves out."""
    router.add_api_route(
        path,
        endpoint,
        methods=list(methods),
        route_class_override=LangGraphRoute,
        include_in_schema=False,
    )


def not_implemented(what: str) -> Endpoint:
    """Return an endpoint that says that there is no such thing here."""

    async def endpoint(_request: Request) -> Response:
        raise NotImplementedHere(f"This server has no {what}.")

    return endpoint
