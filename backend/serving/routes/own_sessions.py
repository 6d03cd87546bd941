"""Where people are signed in: they see and end their sessions, and operators end those of a person."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from ...domain.clock import to_wire
from ...errors import NotFound
from ..edge.identity import audit
from ..edge.identity.authentication import Authentication
from ..edge.identity.principal import CALLER
from ..edge.identity.sessions import OwnSession, id_of
from ..wire import schemas
from ..wire.answers import SessionsAnswer, SessionView, SignedOutAnswer
from ..wire.output import errors_for, json_response

_SESSION_ID = "1f0c9d6a4be2473d8a5b6c7d8e9fa0b1"


def own_sessions_router(authentication: Authentication | None) -> APIRouter:
    """Return the routes. With `authentication` None nobody has a session."""
    router = APIRouter(tags=["Operating"])

    @router.get(
        "/sessions",
        summary="See where one is signed in",
        response_model=SessionsAnswer,
        responses=errors_for(401, 403, 503),
    )
    async def sessions() -> Response:
        """Return the sessions of the person who asks, or of all holders of the server's one token.

        Whoever signs in elsewhere, by a proxy or with a token in each call, has none.
        """
        principal = CALLER.get().principal
        found = [] if authentication is None else await authentication.sessions.of_person(principal.person)
        current = None if principal.session is None else id_of(principal.session)
        return json_response(SessionsAnswer(sessions=[_view(each, current) for each in found]))

    @router.delete(
        "/sessions/{session_id}",
        status_code=204,
        summary="End one of one's sessions",
        responses=errors_for(401, 403, 404, 422, 503),
    )
    async def end_session(session_id: Annotated[str, Path(examples=[_SESSION_ID])]) -> Response:
        """End a session that `GET /sessions` lists. Its streams end soon."""
        person = CALLER.get().principal.person
        if authentication is None or not await authentication.sessions.end_one(person, session_id):
            raise NotFound("There is no such session, or not any more.", code="unknown_session")
        audit.note("signed out", session=session_id)
        return Response(status_code=204)

    @router.post(
        "/operate/sign-out",
        summary="End all sessions of a person",
        response_model=SignedOutAnswer,
        responses=errors_for(400, 401, 403, 404, 413, 415, 422, 503),
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

    return router


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
