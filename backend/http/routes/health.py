"""Liveness, readiness, and the figures for Prometheus."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from fastapi import Response

from ...domain.errors import DetourError
from ...store.base import StateStore
from ..identity.access import Act
from ..metrics import CONTENT_TYPE
from ..services import Services
from ..wire.answers import HealthAnswer, ReadyAnswer
from ..wire.bodies import json_response
from ..wire.examples import RECORDED
from .calls import CallRouter

WRITE_EVERY_S = 1.0
"""Seconds between two test writes, whatever the number of probes."""

PATIENCE_S = 2.0
"""Seconds that such a write may take."""


class StoreCheck:
    """Finds out whether the store reads and writes: a full disk can still be read."""

    def __init__(self, store: StateStore, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._monotonic = monotonic
        self._lock = asyncio.Lock()
        self._written = "ok"
        self._next_write = monotonic()

    async def outcome(self) -> str:
        """Return "ok", or the fault. Concurrent callers share one write."""
        async with self._lock:
            if self._monotonic() >= self._next_write:
                self._written = await self._try(self._store.check())
                self._next_write = self._monotonic() + WRITE_EVERY_S
        return self._written if self._written != "ok" else await self._try(self._store.position("check"))

    async def _try(self, call: Awaitable[object]) -> str:
        try:
            async with asyncio.timeout(PATIENCE_S):
                await call
        except DetourError as error:
            return error.message
        except TimeoutError:
            return f"The store did not answer within {PATIENCE_S:g} s."
        return "ok"


def health_router(services: Services) -> CallRouter:
    """Return the routes."""
    router = CallRouter("Operating")
    check = StoreCheck(services.store)

    @router.call("GET /health", "See whether the process serves", HealthAnswer)
    async def health() -> Response:
        """Report that the process serves."""
        return json_response(HealthAnswer(status="ok"))

    @router.call(
        "GET /ready",
        "See whether messages would be accepted",
        ReadyAnswer,
        responses={503: {"model": ReadyAnswer, "description": "Something needed does not answer"}},
    )
    async def ready() -> Response:
        """Report whether messages would be accepted now, with each dependency; writes to the store."""
        store = await check.outcome()
        serving = services.serving
        ok = serving and store == "ok"
        # Apart from "unavailable": a server that ends in good order is no alarm.
        status = "draining" if services.phase == "draining" else "ok" if ok else "unavailable"
        body = ReadyAnswer(status=status, store=store, serving=serving)
        return json_response(body, status=200 if ok else 503, headers={} if ok else {"Retry-After": "2"})

    @router.call(
        "GET /metrics",
        "Get the figures for Prometheus",
        responses={200: {"content": {"text/plain": {"example": RECORDED["METRICS_ANSWER"]}}}},
        act=Act.OPERATE,
        response_class=Response,
    )
    async def metrics() -> Response:
        """Return the figures, in Prometheus' text format."""
        return Response(services.metrics.as_text(), headers={"content-type": CONTENT_TYPE})

    return router
