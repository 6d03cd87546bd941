"""The routes of the other protocols that a server speaks; only those protocols are imported."""

import importlib
import inspect
import re
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any, cast

from fastapi import APIRouter
from fastapi.routing import APIRoute

from ..domain.errors import BadInput
from ..http.application import ProtocolRoutes
from ..http.edge.refusals import ErrorForm
from ..http.identity.access import BY_ROUTE, Act, Rules
from ..http.services import Services
from ..http.wire.document import ListedCalls
from .threads import user_of

# --- field names ---------------------------------------------------------------------------------------
# Names the fields of an error as another protocol's client has sent them.


def renamed(error: BadInput, theirs: Callable[[str], str]) -> BadInput:
    """Return an error that names its fields as the client has them."""
    body = error.to_json()["error"]
    details = cast("list[dict[str, str]]", body.get("details") or [])
    if details:
        return BadInput.of_fields(*((theirs(each["field"]), each["message"]) for each in details))
    field, colon, message = body["message"].partition(": ")
    named = f"{theirs(field)}: {message}" if colon and field.isidentifier() else body["message"]
    return BadInput(named, code=body["code"])


def naming_message_id(error: BadInput, theirs: str) -> BadInput:
    """Return an error of a message that names its `client_id` as the client has it."""
    return renamed(error, lambda field: theirs if field == "client_id" else field)


# --- documented ----------------------------------------------------------------------------------------
# What the OpenAPI document lists of other people's protocols: a group for each, and a title for each call.
#
# Their forms are not repeated there: each protocol documents its own.


GROUPS: Mapping[str, str] = {
    "LangGraph API": "What `useStream` and LangGraph's SDKs call. A thread is a user, and its id the user's.",
    "AI SDK": "What `useChat` calls. A chat is a user, and its id the user's.",
    "AG-UI": "What AG-UI's `HttpAgent` calls. The `threadId` of the body names the user.",
    "CopilotKit": "What CopilotKit's pages call, in place of its runtime.",
}

TITLES: Mapping[str, Mapping[str, str]] = {
    "LangGraph API": {
        "GET /ok": "See whether the server serves",
        "GET /info": "Get the version of the API",
        "POST /assistants/search": "Search the assistants",
        "POST /assistants/count": "Count the assistants",
        "GET /assistants/{assistant_id}": "Get an assistant",
        "GET /assistants/{assistant_id}/graph": "Get the graph of an assistant",
        "GET /assistants/{assistant_id}/schemas": "Get what an assistant takes",
        "GET /assistants/{assistant_id}/subgraphs": "List the subgraphs of an assistant",
        "GET /assistants/{assistant_id}/subgraphs/{namespace}": "Get a subgraph of an assistant",
        "POST /threads/{thread_id}/runs/stream": "Begin a run, and stream it",
        "POST /threads/{thread_id}/runs/wait": "Begin a run, and wait for its end",
        "POST /threads/{thread_id}/runs": "Begin a run",
        "GET /threads/{thread_id}/runs": "List the runs of a thread",
        "POST /runs/stream": "Begin a run on a thread of its own, and stream it",
        "POST /runs/wait": "Begin a run on a thread of its own, and wait for its end",
        "POST /runs": "Begin a run on a thread of its own",
        "POST /runs/cancel": "Stop several runs",
        "GET /threads/{thread_id}/runs/{run_id}": "Get a run",
        "DELETE /threads/{thread_id}/runs/{run_id}": "Remove a run that has ended",
        "GET /threads/{thread_id}/runs/{run_id}/stream": "Join the stream of a run",
        "GET /threads/{thread_id}/runs/{run_id}/join": "Wait for the end of a run",
        "POST /threads/{thread_id}/runs/{run_id}/cancel": "Stop a run",
        "POST /threads": "Create a thread",
        "POST /threads/search": "Search the threads",
        "POST /threads/count": "Count the threads",
        "GET /threads/{thread_id}": "Get a thread",
        "PATCH /threads/{thread_id}": "Change the metadata of a thread",
        "DELETE /threads/{thread_id}": "Forget a thread",
        "GET /threads/{thread_id}/state": "Get the newest state of a thread",
        "POST /threads/{thread_id}/state/checkpoint": "Get a state by the checkpoint in the body",
        "GET /threads/{thread_id}/state/{checkpoint_id}": "Get a state by its checkpoint",
        "POST /threads/{thread_id}/history": "List the states of a thread",
        "POST /threads/{thread_id}/commands": "Carry out a command on a thread",
        "POST /threads/{thread_id}/stream/events": "Stream the events of a thread over its runs",
    },
    "AI SDK": {
        "POST /ai-sdk/chat": "Send a message, and stream the answer",
        "GET /ai-sdk/chat/{chat_id}/stream": "Join the answer that is being streamed",
        "POST /ai-sdk/chat/{chat_id}/stop": "Stop the answer",
        "GET /ai-sdk/chat/{chat_id}/messages": "Get the conversation",
    },
    "AG-UI": {
        "POST /agui": "Run the default agent, and stream its events",
        "POST /agui/{agent}": "Run an agent, and stream its events",
    },
    "CopilotKit": {
        "GET /copilotkit/info": "List the agents",
        "POST /copilotkit": "Make any of the other calls",
        "POST /copilotkit/agent/{agent}/run": "Run an agent, and stream its events",
        "POST /copilotkit/agent/{agent}/connect": "Get a conversation, and join its run",
        "POST /copilotkit/agent/{agent}/stop/{thread_id}": "Stop the run of a conversation",
    },
}
"""A call that has no title is not listed: it answers 501, or is another's twin with a slash at its end."""

_EXAMPLES = {
    "agent": "agent",
    "assistant_id": "agent",
    "chat_id": "ada",
    "checkpoint_id": "1efa5a1e-7a4b-6d30-8000-3f2b8f2f3c11",
    "namespace": "child",
    "run_id": "01910f44-2a3d-7b6c-8e5f-6f1d3c2b1a09",
    "thread_id": "ada",
}


def call_name(method: str, path: str) -> str:
    """Return how a call is named in `TITLES`: without what its parameters match."""
    return f"{method} {re.sub(r':path}', '}', path)}"


def listed_calls(routers: Iterable[APIRouter]) -> ListedCalls:
    """Return the calls of these routes that have a title, for the document."""
    titles = {name: (group, title) for group, of_group in TITLES.items() for name, title in of_group.items()}
    paths: dict[str, dict[str, Any]] = {}
    groups: set[str] = set()
    for route in (each for router in routers for each in router.routes if isinstance(each, APIRoute)):
        for method in sorted(route.methods or ()):
            name = call_name(method, route.path)
            if name in titles:
                group, title = titles[name]
                groups.add(group)
                operation = _operation(name, group, title, inspect.getdoc(route.endpoint) or "")
                paths.setdefault(name.partition(" ")[2], {})[method.lower()] = operation
    return ListedCalls(paths, {name: about for name, about in GROUPS.items() if name in groups})


def _operation(name: str, group: str, title: str, description: str) -> Mapping[str, Any]:
    method, _, path = name.partition(" ")
    body = {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}}
    return {
        "tags": [group],
        "summary": title,
        "description": description,
        "operationId": re.sub(r"\W+", "_", name).strip("_").lower(),
        "parameters": [
            {
                "name": parameter,
                "in": "path",
                "required": True,
                "schema": {"type": "string", "examples": [_EXAMPLES[parameter]]},
            }
            for parameter in re.findall(r"{(\w+)}", path)
        ],
        **({"requestBody": body} if method in {"PATCH", "POST"} else {}),
        "responses": {"default": {"description": "As the protocol's own documentation has it"}},
    }


# --- routes --------------------------------------------------------------------------------------------


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
        routers.append(_module("ag_ui.routes").copilotkit_router(runs))
        large_bodies += ["/agui", "/copilotkit"]
    return ProtocolRoutes(routers, large_bodies, listed_calls(routers), error_forms, RULES)


def _module(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)
