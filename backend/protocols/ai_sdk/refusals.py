"""Refusals as the AI SDK shows them: it takes the body of a failed response for the message of the error."""

from collections.abc import Awaitable, Callable

from fastapi import Request, Response
from fastapi.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from ...errors import DetourError
from ...serving.edge.refusals import note_input
from ...serving.wire.error_reply import reply_headers

Endpoint = Callable[[Request], Awaitable[Response]]


def told_in_words(endpoint: Endpoint) -> Endpoint:
    """Return an endpoint that answers with an error's sentence and status, also where its response fails."""

    async def answer(request: Request) -> Response:
        try:
            return _Guarded(await endpoint(request))
        except DetourError as error:
            return _refusal(error)

    return answer


class _Guarded(Response):
    """A response that may be refused when it begins: a user can have only so many streams."""

    def __init__(self, response: Response) -> None:
        self._response = response

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._response(scope, receive, send)
        except DetourError as error:
            await _refusal(error)(scope, receive, send)


def _refusal(error: DetourError) -> Response:
    note_input(error)
    return PlainTextResponse(error.message, status_code=error.status_code, headers=reply_headers(error))
