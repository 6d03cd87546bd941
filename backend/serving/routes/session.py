"""Signing pages in and out: sessions for the server's own, tickets for the connections of others.

A page can't put a header on a WebSocket: see `edge.identity.sessions`.
"""

from fastapi import APIRouter, Request, Response

from ...errors import TokenExpired, Unauthorized
from ..edge.client_address import of_request
from ..edge.identity import audit
from ..edge.identity.authentication import Authentication
from ..edge.identity.principal import CALLER
from ..edge.limits import Limits
from ..wire import schemas
from ..wire.answers import TicketAnswer
from ..wire.output import errors_for, json_response


def session_router(authentication: Authentication | None, limits: Limits) -> APIRouter:
    """Return the routes, which believe an address as long as `limits` says.

    With `authentication` None they accept any token and set nothing: none is needed.
    """
    router = APIRouter(tags=["Operating"])

    @router.post(
        "/session",
        status_code=204,
        summary="Sign a page in",
        responses=errors_for(400, 401, 413, 415, 422, 429, 503),
    )
    async def sign_in(body: schemas.SessionRequest, request: Request) -> Response:
        """Begin a session, and set its cookie, if the token is right. A session before it ends."""
        response = Response(status_code=204)
        if authentication is not None:
            if authentication.tokens is None:
                raise Unauthorized("There are no tokens here: sign in through the proxy of this server.")
            await limits.check_guesses(of_request.get())
            try:
                principal = await authentication.tokens.principal(body.token.encode())
            except Unauthorized as error:
                if not isinstance(error, TokenExpired):
                    limits.note_wrong_token(of_request.get())
                    await limits.count_wrong_token(of_request.get())
                raise
            await _end(authentication, request)
            secret, lasts_s = await authentication.sessions.begin(
                principal,
                address=CALLER.get().address,
                browser=request.headers.get("user-agent", ""),
            )
            response.headers["Set-Cookie"] = authentication.set_cookie(secret, lasts_s)
            audit.note("signed in", principal=principal, by="session")
        return response

    @router.delete("/session", status_code=204, summary="Sign a page out", responses=errors_for(503))
    async def sign_out(request: Request) -> Response:
        """End the session of the cookie, if there is one, and take the cookie back. Its streams end soon.

        Where people are told apart, the browser is told to forget what pages of this server have stored.
        """
        response = Response(status_code=204)
        if authentication is not None:
            await _end(authentication, request)
            response.headers["Set-Cookie"] = authentication.set_cookie("", 0)
            if authentication.knows_persons:
                response.headers["Clear-Site-Data"] = '"storage"'
        return response

    @router.post(
        "/tickets",
        summary="Get a ticket for a WebSocket or an event stream",
        response_model=TicketAnswer,
        responses=errors_for(401, 403, 503),
    )
    async def ticket() -> Response:
        """Return a ticket, which counts in the place of a token for one WebSocket or event stream.

        A WebSocket offers it as a protocol, `new WebSocket(url, ["detour", "ticket." + ticket])`. `?ticket=`
        in the address counts, too, for an `EventSource`. It can be used once, by whoever has it. A server
        without a sign-in gives one, too, and asks for none.
        """
        if authentication is None:
            return json_response(TicketAnswer(ticket="none-needed", expires_in=0))
        secret, lasts_s = await authentication.sessions.give_ticket(CALLER.get().principal)
        return json_response(TicketAnswer(ticket=secret, expires_in=lasts_s))

    return router


async def _end(authentication: Authentication, request: Request) -> None:
    cookie = request.headers.get("cookie")
    for secret in authentication.secrets(None if cookie is None else cookie.encode("latin-1")):
        principal = await authentication.sessions.end(secret)
        if principal is not None:
            audit.note("signed out", principal=principal)
