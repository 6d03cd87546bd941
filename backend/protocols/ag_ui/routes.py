"""AG-UI's one route: a post begins a run, and answers with its events."""

from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.datastructures import Headers

from ...domain.encoding import encode
from ...domain.errors import BadInput, DetourError, NotFound
from ...http.edge.refusals import note_input
from .runs import DEFAULT_AGENT, AgentRuns, refusal
from .wire import object_in, read_json


def agui_router(runs: AgentRuns) -> APIRouter:
    """Return the routes: leaving one stops its run, for the client has no other word for that."""
    router = APIRouter(include_in_schema=False)

    async def run(request: Request) -> Response:
        try:
            body = await read_json(request)
        except BadInput as error:
            return refusal(None, error)
        agent = request.path_params.get("agent")
        return await runs.run(agent, body, headers=request.headers, leaving_stops=True)

    for path in ("/agui", "/agui/", "/agui/{agent}"):
        router.add_api_route(path, run, methods=["POST"])
    return router


# --- copilotkit ----------------------------------------------------------------------------------------
# The HTTP of CopilotKit's runtime, so that its page needs no runtime of its own.
#
# That HTTP is CopilotKit's own affair, and may change with any version of it: `tests/protocols` pins it.


VERSION = "1.75.0"
"""The version of CopilotKit's runtime whose HTTP this is."""

_NOT_OFFERED = {"list": False, "inspect": False, "mutations": False, "realtimeMetadata": False}


def copilotkit_router(runs: AgentRuns) -> APIRouter:
    """Return the routes: each call has its own, and `/copilotkit` alone takes all of them."""
    router = APIRouter(include_in_schema=False)
    runtime = _Runtime(runs)
    router.add_api_route("/copilotkit/info", runtime.info, methods=["GET"])
    for path, call in {
        "/copilotkit/agent/{agent}/run": runtime.run,
        "/copilotkit/agent/{agent}/connect": runtime.connect,
        "/copilotkit/agent/{agent}/stop/{thread_id:path}": runtime.stop,
        "/copilotkit": runtime.any_call,
        "/copilotkit/": runtime.any_call,
    }.items():
        router.add_api_route(path, call, methods=["POST"])
    return router


class _Runtime:
    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    async def info(self) -> Response:
        return _json(self._info())

    async def run(self, agent: str, request: Request) -> Response:
        """Begin a run: leaving its stream stops nothing, since this client has a call for that."""
        try:
            body = await read_json(request)
            return await self._runs.run(agent, body, headers=request.headers, leaving_stops=False)
        except BadInput as error:
            return refusal(None, error)

    async def connect(self, agent: str, request: Request) -> Response:
        try:
            return await self._runs.connect(agent, await read_json(request))
        except BadInput as error:
            return refusal(None, error)

    async def stop(self, agent: str, thread_id: str, request: Request) -> Response:
        try:
            return await self._stop(thread_id, await read_json(request))
        except DetourError as error:
            return _failed(error)

    async def any_call(self, request: Request) -> Response:
        """Take any of these calls, as `{method, params, body}`."""
        try:
            called = object_in(await read_json(request))
            params, body = object_in(called.get("params")), called.get("body")
            return await self._call(called.get("method"), params, body, request.headers)
        except DetourError as error:
            return _failed(error)

    async def _call(self, method: Any, params: Mapping[str, Any], body: Any, headers: Headers) -> Response:
        agent, thread_id = params.get("agentId"), params.get("threadId")
        if agent is not None and not isinstance(agent, str):
            raise BadInput.of_fields(("params.agentId", "should be text"))
        match method:
            case "info":
                return _json(self._info())
            case "agent/run":
                return await self._runs.run(agent, body, headers=headers, leaving_stops=False)
            case "agent/connect":
                return await self._runs.connect(agent, body)
            case "agent/stop" if isinstance(thread_id, str):
                return await self._stop(thread_id, body)
            case "agent/stop":
                raise BadInput.of_fields(("params.threadId", "should be text"))
            case unknown:
                raise NotFound(f"There is no method {unknown!r}.")

    async def _stop(self, thread_id: str, body: Any) -> Response:
        theirs = object_in(body).get("runId")
        if theirs is not None and not isinstance(theirs, str):
            raise BadInput.of_fields(("runId", "should be text"))
        if await self._runs.stop(thread_id, theirs):
            return _json({"stopped": True})
        return _json({"stopped": False, "message": "Nothing is running there."})

    def _info(self) -> dict[str, Any]:
        agents = {
            name: {"name": name, "description": f"Detour's {name}", "className": "HttpAgent"}
            # Pages that name no agent ask for this one, and show nothing where it is not offered.
            for name in dict.fromkeys((*self._runs.agents.names, DEFAULT_AGENT))
        }
        return {
            "version": VERSION,
            "mode": "sse",
            "agents": agents,
            "audioFileTranscriptionEnabled": False,
            "threadEndpoints": _NOT_OFFERED,
            "suggestions": False,
            "a2uiEnabled": False,
            "openGenerativeUIEnabled": False,
            "telemetryDisabled": True,
        }


def _json(body: Mapping[str, Any], status: int = 200) -> Response:
    return Response(
        encode(body), status, media_type="application/json", headers={"Cache-Control": "no-store"}
    )


def _failed(error: DetourError) -> Response:
    """Return a refusal of a call that answers no stream, as CopilotKit's runtime has it."""
    note_input(error)
    body = error.to_json()["error"]
    return _json({"error": body["code"], "message": body["message"]}, error.status_code)
