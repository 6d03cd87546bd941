"""`GET /graphs`: the graphs that a message may be for, and what it may bring for each."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from ...graphs.graph_view import GraphsAnswer
from ..edge.identity.access import Act
from ..plugin import ServedGraphs
from ..services import Services
from ..wire.output import errors_for, json_response
from ..wire.schemas import USER_ID_PATTERN


def graphs_router(services: Services, served: ServedGraphs) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["Reading"])

    @router.get(
        "/graphs",
        summary="List the graphs that are served",
        response_model=GraphsAnswer,
        responses=errors_for(404, 422, 429, 503),
    )
    async def graphs(
        user_id: Annotated[
            str | None,
            Query(pattern=USER_ID_PATTERN, description="Whose `graph` to name; by default nobody's"),
        ] = None,
    ) -> Response:
        """Return the graphs, and which one a message of the user goes to if it names none."""
        if user_id is not None:
            await services.access.check(user_id, Act.FOLLOW)
        request = await services.runner.last_request(user_id) if user_id is not None else None
        answer = GraphsAnswer(graphs=served.views(), default=served.default, graph=served.of(request))
        return json_response(answer)

    return router
