"""Signing pages in and out, tickets, and the sessions that people and operators see and end."""

from typing import Annotated

from fastapi import Path, Request, Response

from ...domain.encoding import to_wire
from ...domain.errors import NotFound, TokenExpired, Unauthorized
from ..edge.headers import of_request
from ..edge.limits import Limits
from ..identity import access as audit
from ..identity.access import Act
from ..identity.authentication import Authentication
from ..identity.principal import CALLER
from ..identity.sessions import OwnSession, id_of
from ..wire import requests as schemas
from ..wire.answers import SessionsAnswer, SessionView, SignedOutAnswer, TicketAnswer
from ..wire.bodies import json_response
from .calls import CallRouter

_SESSION_ID = "1f0c9d6a4be2473d8a5b6c7d8e9fa0b1"


def session_router(authentication: Authentication | None, limits: Limits) -> CallRouter:
    """Return the routes; `limits` bounds the wrong tokens of an address.

    With `authentication` None they accept any token and set nothing, and nobody has a session.
    """
    router = CallRouter("Operating")

    @router.call(
        "POST /session", "Sign a page in", None, (400, 401, 413, 415, 422, 429, 503), status_code=204
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

    @router.call("DELETE /session", "Sign a page out", None, (503,), status_code=204)
    async def sign_out(request: Request) -> Response:
        """End the session of the cookie, if there is one, and take the cookie back. Its streams end soon.

        Where people are told apart, the browser must clear the storage of this server's pages.
        """
        response = Response(status_code=204)
        if authentication is not None:
            await _end(authentication, request)
            response.headers["Set-Cookie"] = authentication.set_cookie("", 0)
            if authentication.knows_persons:
                response.headers["Clear-Site-Data"] = '"storage"'
        return response

    @router.call(
        "POST /tickets",
        "Get a ticket for a WebSocket or an event stream",
        TicketAnswer,
        (401, 403, 503),
        act=Act.READ,
    )
    async def ticket() -> Response:
        """Return a ticket, which counts in the place of a token for one WebSocket or event stream.

        A WebSocket offers it as a protocol, `new WebSocket(url, ["detour", "ticket." + ticket])`. `?ticket=`
        in the address counts, too, for an `EventSource`. It works once, for any holder. A server
        without a sign-in gives one, too, and needs none.
        """
        if authentication is None:
            return json_response(TicketAnswer(ticket="none-needed", expires_in=0))
        secret, lasts_s = await authentication.sessions.give_ticket(CALLER.get().principal)
        return json_response(TicketAnswer(ticket=secret, expires_in=lasts_s))

    _add_own_sessions(router, authentication)
    return router


def _add_own_sessions(router: CallRouter, authentication: Authentication | None) -> None:
    @router.call("GET /sessions", "See where one is signed in", SessionsAnswer, (401, 403, 503))
    async def sessions() -> Response:
        """Return the sessions of the person who asks, or of all holders of the server's one token.

        A sign-in by a proxy, or with a token in each call, is no session.
        """
        principal = CALLER.get().principal
        found = [] if authentication is None else await authentication.sessions.of_person(principal.person)
        current = None if principal.session is None else id_of(principal.session)
        return json_response(SessionsAnswer(sessions=[_view(each, current) for each in found]))

    @router.call(
        "DELETE /sessions/{session_id}",
        "End one of one's sessions",
        None,
        (401, 403, 404, 422, 503),
        act=Act.READ,
        status_code=204,
    )
    async def end_session(session_id: Annotated[str, Path(examples=[_SESSION_ID])]) -> Response:
        """End a session that `GET /sessions` lists. Its streams end soon."""
        person = CALLER.get().principal.person
        if authentication is None or not await authentication.sessions.end_one(person, session_id):
            raise NotFound("There is no such session, or not any more.", code="unknown_session")
        audit.note("signed out", session=session_id)
        return Response(status_code=204)

    @router.call(
        "POST /operate/sign-out",
        "End all sessions of a person",
        SignedOutAnswer,
        (400, 401, 403, 404, 413, 415, 422, 503),
        act=Act.OPERATE,
    )
    async def sign_out_person(body: schemas.SignOutRequest) -> Response:
        """End the sessions and tickets of a person, as when an account is closed. Their streams end soon.

        A token that the identity provider gave the person counts until it expires: have the provider give no
        more first. A 404 `no_persons` says that this server does not tell people apart.
        """
        if authentication is None or not authentication.knows_persons:
            raise NotFound("This server does not tell people apart (DETOUR_AUTH).", code="no_persons")
        ended = await authentication.sessions.end_all(body.person)
        audit.note("an operator ended sessions", whose=body.person, ended=str(ended))
        return json_response(SignedOutAnswer(person=body.person, ended=ended))


async def _end(authentication: Authentication, request: Request) -> None:
    cookie = request.headers.get("cookie")
    for secret in authentication.secrets(None if cookie is None else cookie.encode("latin-1")):
        principal = await authentication.sessions.end(secret)
        if principal is not None:
            audit.note("signed out", principal=principal)


def _view(of: OwnSession, current: str | None) -> SessionView:
    return SessionView(
        id=of.id,
        begun_at=to_wire(of.begun_at),
        used_at=to_wire(of.used_at),
        expires_at=to_wire(of.expires_at),
        address=of.address,
        browser=of.browser,
        current=of.id == current,
    )
