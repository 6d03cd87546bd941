"""Liveness and readiness."""

from fastapi import APIRouter, Response

from backend.api import schemas
from backend.api.output import json_response
from backend.api.services import Services
from backend.errors import DetourError


def health_router(services: Services) -> APIRouter:
    """Return the routes."""
    router = APIRouter()

    @router.get("/health", response_model=schemas.HealthAnswer)
    async def health() -> Response:
        """Tell that the process serves."""
        return json_response({"status": "ok"})

    @router.get(
        "/ready",
        response_model=schemas.ReadyAnswer,
        responses={503: {"model": schemas.ReadyAnswer, "description": "Something needed does not answer"}},
    )
    async def ready() -> Response:
        """Tell whether messages would be accepted now, with each dependency."""
        try:
            await services.store.position("readiness")
            store = "ok"
        except DetourError as error:
            store = error.message
        ok = services.ready and store == "ok"
        body = {"status": "ok" if ok else "unavailable", "store": store, "serving": services.ready}
        return json_response(body, status=200 if ok else 503, headers={} if ok else {"Retry-After": "2"})

    return router
