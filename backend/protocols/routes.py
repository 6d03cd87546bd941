"""The routes of the other protocols that a server speaks; only those protocols are imported."""

import importlib
from collections.abc import Container
from typing import Any

from fastapi import APIRouter

from ..serving.application import ProtocolRoutes
from ..serving.edge.identity.access import BY_ROUTE, Act, Rules
from ..serving.services import Services
from ..serving.wire.error_reply import ErrorForm
from .documented import listed_calls
from .ids import user_of

_OF_THREADS = {"thread_id": user_of, "chat_id": user_of}

RULES = Rules(
    acts={
        ("POST", "/assistants/search"): Act.READ,
        ("POST", "/assistants/count"): Act.READ,
        # The body says whether a thread may be made.
        **{("POST", f"/threads/{{thread_id}}/runs{end}"): BY_ROUTE for end in ("", "/stream", "/wait")},
        **{("POST", f"/runs{end}"): BY_ROUTE for end in ("", "/stream", "/wait")},
        ("POST", "/runs/cancel"): BY_ROUTE,
        ("POST", "/threads/{thread_id}/runs/{run_id}/cancel"): Act.END,
        ("POST", "/threads"): BY_ROUTE,
        ("POST", "/threads/search"): Act.READ,
        ("POST", "/threads/count"): Act.READ,
        ("POST", "/threads/{thread_id}/history"): Act.READ,
        ("POST", "/threads/{thread_id}/state/checkpoint"): Act.READ,
        ("POST", "/threads/{thread_id}/commands"): Act.SPEAK,
        ("POST", "/threads/{thread_id}/stream/events"): Act.FOLLOW,
        ("POST", "/ai-sdk/chat"): BY_ROUTE,
        ("POST", "/ai-sdk/chat/{chat_id:path}/stop"): Act.END,
        **{("POST", path): BY_ROUTE for path in ("/agui", "/agui/", "/agui/{agent}")},
        **{("POST", f"/copilotkit{end}"): BY_ROUTE for end in ("", "/", "/agent/{agent}/run")},
        ("POST", "/copilotkit/agent/{agent}/connect"): BY_ROUTE,
        ("POST", "/copilotkit/agent/{agent}/stop/{thread_id:path}"): Act.END,
    },
    names=_OF_THREADS,
)
"""What calls do where their method does not say it; a body names the conversation of those by route."""


def protocol_routes(services: Services, protocols: Container[str]) -> ProtocolRoutes:
    """Return the routes of these protocols."""
    routers: list[APIRouter] = []
    large_bodies: list[str] = []
    error_forms: dict[str, ErrorForm] = {}
    if "langgraph" in protocols:
        langgraph = _module("langgraph.routes")
        routers += langgraph.langgraph_routers(services)
        large_bodies += langgraph.LARGE_BODIES
        error_forms |= langgraph.ERROR_FORMS
    if "ai-sdk" in protocols:
        ai_sdk = _module("ai_sdk.routes")
        routers.append(ai_sdk.ai_sdk_router(services))
        large_bodies.append(ai_sdk.PREFIX)
    if "ag-ui" in protocols:
        runs = _module("ag_ui.runs").AgentRuns(services)
        routers.append(_module("ag_ui.routes").agui_router(runs))
        routers.append(_module("ag_ui.copilotkit").copilotkit_router(runs))
        large_bodies += ["/agui", "/copilotkit"]
    return ProtocolRoutes(routers, large_bodies, listed_calls(routers), error_forms, RULES)


def _module(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)
