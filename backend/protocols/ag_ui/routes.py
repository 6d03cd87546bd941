"""The call of AG-UI, and the HTTP of CopilotKit's runtime, which its pages then do not need.

CopilotKit may change that HTTP with any version: `tests/protocols` pins it.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from fastapi import Request, Response
from starlette.datastructures import Headers

from ...domain.encoding import encode
from ...domain.errors import BadInput, DetourError, NotFound
from ...http.edge.refusals import note_input
from ...http.identity.access import BY_ROUTE, Act
from ...http.routes.calls import Call, Group
from ...http.services import Services
from ..bodies import object_in, read_json
from ..threads import user_of
from .runs import DEFAULT_AGENT, AgentRuns, refusal

VERSION = "1.75.0"
"""The version of CopilotKit's runtime whose HTTP this is."""

_NOT_OFFERED = {"list": False, "inspect": False, "mutations": False, "realtimeMetadata": False}


def groups(services: Services) -> Sequence[Group]:
    """Return the calls."""
    runs = AgentRuns(services)
    copilotkit = _CopilotKit(runs)

    async def run(request: Request) -> Response:
        """Leaving the stream stops the run, for the client has no other way to stop it."""
        return await _streamed(
            request, lambda agent, body: runs.run(agent, body, headers=request.headers, leaving_stops=True)
        )

    return (
        Group(
            "AG-UI",
            "What AG-UI's `HttpAgent` calls. The `threadId` of the body names the user.",
            [
                Call("POST", "/agui", run, "Run the default agent, and stream its events", BY_ROUTE),
                Call("POST", "/agui/", run, act=BY_ROUTE),
                Call("POST", "/agui/{agent}", run, "Run an agent, and stream its events", BY_ROUTE),
            ],
            {},
            large_bodies=["/agui"],
        ),
        Group(
            "CopilotKit",
            "What CopilotKit's pages call, in place of its runtime.",
            copilotkit.calls(),
            {"thread_id": user_of},
            refusal=_failed,
            large_bodies=["/copilotkit"],
        ),
    )


async def _streamed(request: Request, answer: Callable[[str | None, Any], Awaitable[Response]]) -> Response:
    """Answer a call whose refusals are streams, too."""
    try:
        body = await read_json(request)
    except BadInput as error:
        return refusal(None, error)
    return await answer(request.path_params.get("agent"), body)


class _CopilotKit:
    def __init__(self, runs: AgentRuns) -> None:
        self._runs = runs

    def calls(self) -> Sequence[Call]:
        one = "/copilotkit/agent/{agent}"
        stop = f"{one}/stop/{{thread_id:path}}"
        return [
            Call("GET", "/copilotkit/info", self.info, "List the agents"),
            Call("POST", f"{one}/run", self.run, "Run an agent, and stream its events", BY_ROUTE),
            Call("POST", f"{one}/connect", self.connect, "Get a conversation, and join its run", BY_ROUTE),
            Call("POST", stop, self.stop, "Stop the run of a conversation", Act.END),
            Call("POST", "/copilotkit", self.any_call, "Make any of the other calls", BY_ROUTE),
            Call("POST", "/copilotkit/", self.any_call, act=BY_ROUTE),
        ]

    async def info(self, _request: Request) -> Response:
        return _json(self._info())

    async def run(self, request: Request) -> Response:
        """Leaving the stream stops nothing, for the client has a call for that."""
        return await _streamed(
            request,
            lambda agent, body: self._runs.run(agent, body, headers=request.headers, leaving_stops=False),
        )

    async def connect(self, request: Request) -> Response:
        return await _streamed(request, self._runs.connect)

    async def stop(self, request: Request) -> Response:
        return await self._stop(request.path_params["thread_id"], await read_json(request))

    async def any_call(self, request: Request) -> Response:
        """Take any of these calls, as `{method, params, body}`."""
        called = object_in(await read_json(request))
        params, body = object_in(called.get("params")), called.get("body")
        return await self._call(called.get("method"), params, body, request.headers)

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
        client_run_id = object_in(body).get("runId")
        if client_run_id is not None and not isinstance(client_run_id, str):
            raise BadInput.of_fields(("runId", "should be text"))
        if await self._runs.stop(thread_id, client_run_id):
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
