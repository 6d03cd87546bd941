"""All routes of the LangGraph API."""

from collections.abc import Sequence

from fastapi import APIRouter

from ...http.services import Services
from ..threads import Agents, Leaving, Threads
from .assistant_routes import assistant_router
from .checkpoints import Checkpoints, Index
from .rendering import Follower
from .run_routes import BegunRuns, FollowedRuns, Runs, begin_router, follow_router, run_router
from .starting import Starting, Stopping
from .thread_routes import StateRoutes, ThreadRoutes, state_routes, thread_routes
from .thread_stream import ThreadStreams, thread_stream_router
from .wire import error_body

LARGE_BODIES = ("/threads", "/runs")
"""Begin the paths of what takes a whole conversation with each message."""

ERROR_FORMS = dict.fromkeys(("/threads", "/runs", "/assistants", "/store", "/info", "/ok"), error_body)
"""The form of errors on the API's paths, where none of its routes has rendered them."""


def langgraph_routers(services: Services) -> Sequence[APIRouter]:
    """Return the routes."""
    threads, agents, leaving = Threads(services), Agents(services), Leaving(services)
    index, checkpoints = (
        Index(services.store, services.conversations.keep, services.clock),
        Checkpoints(services),
    )
    stopping = Stopping()
    starting = Starting(services, threads, agents, index, checkpoints)
    streams = ThreadStreams(services, threads, agents, index, checkpoints, starting)
    follower = Follower(checkpoints)
    followed = FollowedRuns(services, threads, index, leaving, follower, checkpoints)
    begun = BegunRuns(services, threads, agents, index, starting, follower, followed)
    runs = Runs(services, threads, agents, index, leaving, starting, stopping, follower)
    return (
        assistant_router(services, agents),
        begin_router(begun),
        follow_router(followed),
        run_router(runs),
        thread_routes(ThreadRoutes(services, threads, agents, index, checkpoints)),
        state_routes(StateRoutes(services, threads, index, checkpoints, leaving, stopping)),
        thread_stream_router(streams),
    )
