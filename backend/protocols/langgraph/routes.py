"""All routes of the LangGraph API."""

from collections.abc import Sequence

from fastapi import APIRouter

from ...serving.services import Services
from ..agents import Agents
from ..leaving import Leaving
from ..threads import Threads
from .assistant_routes import assistant_router
from .checkpoints import Checkpoints
from .index import Index
from .replies import error_body
from .run_begin_routes import BegunRuns, begin_router
from .run_follow_routes import FollowedRuns, follow_router
from .run_routes import Runs, run_router
from .starting import Starting
from .state_routes import StateRoutes, state_routes
from .stopping import Stopping
from .streams import Follower
from .thread_routes import ThreadRoutes, thread_routes
from .thread_stream_routes import ThreadStreams, thread_stream_router

LARGE_BODIES = ("/threads", "/runs")
"""Begin the paths of what takes a whole conversation with each message."""

ERROR_FORMS = dict.fromkeys(("/threads", "/runs", "/assistants", "/store", "/info", "/ok"), error_body)
"""The form of errors on the API's paths, where none of its routes has rendered them."""


def langgraph_routers(services: Services) -> Sequence[APIRouter]:
    """Return the routes."""
    threads, agents, leaving = Threads(services), Agents(services), Leaving(services)
    index, checkpoints = Index(services.store, services.runner.keep, services.clock), Checkpoints(services)
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
