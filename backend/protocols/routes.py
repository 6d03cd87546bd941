"""The routes of the other protocols that a server speaks."""

from collections.abc import Container

from fastapi import APIRouter

from ..serving.application import ProtocolRoutes
from ..serving.services import Services
from ..serving.wire.error_reply import ErrorForm
from .ag_ui.copilotkit import copilotkit_router
from .ag_ui.routes import agui_router
from .ag_ui.runs import AgentRuns
from .ai_sdk.routes import PREFIX as AI_SDK_PREFIX
from .ai_sdk.routes import ai_sdk_router
from .documented import listed_calls
from .langgraph.routes import ERROR_FORMS, LARGE_BODIES, langgraph_routers


def protocol_routes(services: Services, protocols: Container[str]) -> ProtocolRoutes:
    """Return the routes of these protocols."""
    routers: list[APIRouter] = []
    large_bodies: list[str] = []
    error_forms: dict[str, ErrorForm] = {}
    if "langgraph" in protocols:
        routers += langgraph_routers(services)
        large_bodies += LARGE_BODIES
        error_forms |= ERROR_FORMS
    if "ai-sdk" in protocols:
        routers.append(ai_sdk_router(services))
        large_bodies.append(AI_SDK_PREFIX)
    if "ag-ui" in protocols:
        runs = AgentRuns(services)
        routers += [agui_router(runs), copilotkit_router(runs)]
        large_bodies += ["/agui", "/copilotkit"]
    return ProtocolRoutes(routers, large_bodies, listed_calls(routers), error_forms)
