"""Read-only HTTP calls about what a graph keeps of a user: the state after each step of its thread."""

from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from ...errors import NotFound
from ...graphs.graph_view import unknown_graph
from ..services import Services
from ..wire import answers
from ..wire.input import UserIdInPath
from ..wire.output import errors_for, json_response
from ..wire.schemas import CheckpointId
from .lookups import known

GraphOfThread = Annotated[
    str | None, Query(description="The thread with this graph; by default the one last spoken to")
]

_STATES = 10
_MOST_STATES = 1000


def thread_router(services: Services) -> APIRouter:
    """Return the routes."""
    router = APIRouter(tags=["Reading"])

    async def states(
        user_id: str, graph: str | None, *, limit: int, before: str | None = None
    ) -> Sequence[Any]:
        known(await services.store.position(user_id), user_id)
        served = services.graphs
        if served is None:  # the travel assistant keeps no thread
            return ()
        if graph is not None and graph not in served.names:
            raise unknown_graph(graph, served.names)
        name = graph or served.of(await services.runner.last_request(user_id))
        return await served.states[name].states(user_id, limit=limit, before=before)

    @router.get(
        "/threads/{user_id}/history",
        summary="Get the states of a thread, step by step",
        response_model=answers.StateHistoryAnswer,
        responses=errors_for(404, 422, 503),
    )
    async def history(
        user_id: UserIdInPath,
        graph: GraphOfThread = None,
        limit: Annotated[int, Query(ge=1, le=_MOST_STATES)] = _STATES,
        before: Annotated[
            CheckpointId | None, Query(description="A `checkpoint_id`: return those before it")
        ] = None,
    ) -> Response:
        """Return the states after the last steps of the thread, or the last before one, newest first.

        A message with a `checkpoint_id` of these begins from that step.
        """
        found = await states(user_id, graph, limit=limit, before=before)
        return json_response({"user_id": user_id, "states": found})

    @router.get(
        "/threads/{user_id}/state",
        summary="Get the newest state of a thread",
        response_model=answers.StateView,
        responses=errors_for(404, 422, 503),
    )
    async def state(user_id: UserIdInPath, graph: GraphOfThread = None) -> Response:
        """Return the state after the newest step of the thread."""
        found = await states(user_id, graph, limit=1)
        if not found:
            raise NotFound(f"Nothing is kept of a thread of {user_id!r}.", code="unknown_thread")
        return json_response(found[0])

    return router
