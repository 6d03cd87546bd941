"""The routes of the other protocols that a server speaks."""

from collections.abc import Iterable

from ..serving.application import ProtocolRoutes
from ..serving.services import Services


def protocol_routes(services: Services, protocols: Iterable[str]) -> ProtocolRoutes:
    """Return the routes of these protocols."""
    return ProtocolRoutes()
