"""AG-UI's one route: a post begins a run, and answers with its events."""

from fastapi import APIRouter, Request, Response

from ...errors import BadInput
from .runs import AgentRuns, refusal
from .wire import read_json


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
