"""`GET /conversations`: those that the person who asks has begun."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from ...domain.clock import to_wire
from ...errors import NotFound
from ...log.state_store.persons import OwnConversation
from ..services import Services
from ..wire.answers import ConversationsAnswer, ConversationView
from ..wire.output import errors_for, json_response
from ..wire.schemas import USER_ID_PATTERN

LONGEST_TITLE = 80

_LISTED = 50
_MOST_LISTED = 200


def conversations_router(services: Services) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["Reading"])

    @router.get(
        "/conversations",
        summary="List one's own conversations",
        response_model=ConversationsAnswer,
        responses=errors_for(404, 422, 503),
    )
    async def conversations(
        limit: Annotated[int, Query(ge=1, le=_MOST_LISTED)] = _LISTED,
        before: Annotated[
            str | None, Query(pattern=USER_ID_PATTERN, description="A `user_id`: return those before it")
        ] = None,
    ) -> Response:
        """Return the conversations of the person who asks, the newest first.

        A 404 `no_persons` says that this server does not tell people apart: everybody has them all.
        """
        person = services.access.person
        if person is None:
            raise NotFound("This server does not tell people apart (DETOUR_AUTH).", code="no_persons")
        found = await services.store.conversations_of(person, limit=limit, before=before)
        return json_response(ConversationsAnswer(conversations=[_view(each) for each in found]))

    return router


def _view(of: OwnConversation) -> ConversationView:
    title = "" if of.first is None else " ".join(of.first.text.split())
    return ConversationView(
        user_id=of.user_id,
        begun_at=to_wire(of.begun_at),
        last_at=to_wire(of.begun_at if of.last is None else of.last.at),
        title=title if len(title) <= LONGEST_TITLE else title[: LONGEST_TITLE - 1].rstrip() + "…",
    )
