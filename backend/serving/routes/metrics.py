"""The figures of this server, for Prometheus."""

from fastapi import APIRouter, Response

from ..metrics import CONTENT_TYPE
from ..services import Services
from ..wire import recorded_examples


def metrics_router(services: Services) -> APIRouter:
    """Return the route."""
    router = APIRouter(tags=["Operating"])

    @router.get(
        "/metrics",
        summary="Get the figures for Prometheus",
        response_class=Response,
        responses={200: {"content": {"text/plain": {"example": recorded_examples.METRICS_ANSWER}}}},
    )
    async def metrics() -> Response:
        """Tell how much there is, how it ended and how long it took, in Prometheus' text format."""
        return Response(services.metrics.as_text(), headers={"content-type": CONTENT_TYPE})

    return router
