"""Runs that clients begin, in a thread or without one."""

import asyncio
import uuid

from fastapi import APIRouter, Request, Response

from ...errors import BadInput, StoreUnavailable
from ...log.event_bus.base import SubscriptionEnded
from ...serving.edge.identity.access import Act
from ...serving.services import Services
from ...serving.wire.output import json_response
from ...serving.wire.policy import policy_in
from ..agents import Agents
from ..following import Following
from ..threads import Threads
from .index import Index
from .replies import add_route
from .run_follow_routes import FollowedRuns, path_of
from .starting import Begun, Starting
from .streams import Follower
from .views import run_view
from .wire import RunRequest, body_of, run_request, thread_id_of

FORGET_AFTER_S = 30.0
"""Seconds for which the thread of a run without one outlives the run: a client may repair its line."""


class BegunRuns:
    """Begins runs, and answers with the run, its stream or its outcome."""

    def __init__(
        self,
        services: Services,
        threads: Threads,
        agents: Agents,
        index: Index,
        starting: Starting,
        follower: Follower,
        followed: FollowedRuns,
    ) -> None:
        self._services = services
        self._threads = threads
        self._agents = agents
        self._index = index
        self._starting = starting
        self._follower = follower
        self._followed = followed

    async def create(self, request: Request) -> Response:
        """Begin a run."""
        thread_id, _, begun = await self._begun(request)
        agent = begun.run.graph or self._agents.default
        view = run_view(thread_id, begun.run, begun.asked, agent, steering=begun.steering)
        return json_response(view, headers={"Content-Location": path_of(thread_id, begun.run)})

    async def stream(self, request: Request) -> Response:
        """Begin a run, and stream it."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._followed.stream(
            thread_id,
            begun.run,
            begun.asked,
            begun.modes,
            message_id=begun.message_id,
            stops_on_leave=wanted.cancels_on_disconnect,
        )

    async def wait(self, request: Request) -> Response:
        """Begin a run, and return its values once it has ended."""
        thread_id, wanted, begun = await self._begun(request, streams=True)
        return await self._followed.outcome(
            thread_id,
            begun.run,
            begun.asked,
            message_id=begun.message_id,
            stops_on_leave=wanted.cancels_on_disconnect,
        )

    async def _begun(self, request: Request, *, streams: bool = False) -> tuple[str, RunRequest, Begun]:
        wanted = run_request(await body_of(request), policy_in(request.headers))
        has_thread = "thread_id" in request.path_params
        if has_thread:
            thread_id = thread_id_of(request)
        else:
            thread_id = str(uuid.uuid4())
            wanted = _for_a_new_thread(wanted)
        begins = not has_thread or wanted.creates_thread
        await self._services.access.check(thread_id, Act.SPEAK if begins else Act.CHANGE)
        if streams:
            self._services.check_streams(thread_id)
        begun = await self._starting.begin(thread_id, wanted)
        if not has_thread and not wanted.keeps_thread:
            forget = self._forget(thread_id, begun)
            self._services.owner.spawn_detached(forget, name=f"forget {begun.run.run_id}")
        return thread_id, wanted, begun

    async def _forget(self, thread_id: str, begun: Begun) -> None:
        """Forget the thread of a run without one once the run has ended."""
        try:
            reader = await self._threads.reader(thread_id)
            await self._follower.outcome(reader, thread_id, Following(begun.run.run_id), begun.asked)
        except (SubscriptionEnded, StoreUnavailable):
            return  # the server ends, or the store is down: the thread stays
        self._index.hidden.add(thread_id)
        # No task that sleeps: the end of the server would wait for it.
        asyncio.get_running_loop().call_later(FORGET_AFTER_S, self._delete, thread_id)

    def _delete(self, thread_id: str) -> None:
        self._services.owner.spawn_detached(self._deleted(thread_id), name=f"forget {thread_id}")

    async def _deleted(self, thread_id: str) -> None:
        await self._services.runner.delete_user(thread_id)
        self._index.hidden.discard(thread_id)


def _for_a_new_thread(wanted: RunRequest) -> RunRequest:
    if wanted.resume is not None or wanted.names_checkpoint:
        raise BadInput("command: a run without a thread has nothing to resume, and no checkpoint.")
    return wanted.in_new_thread()


def begin_router(runs: BegunRuns) -> APIRouter:
    """Return the routes."""
    router = APIRouter()
    for path in ("/threads/{thread_id}/runs", "/runs"):
        add_route(router, path, runs.create, "POST")
        add_route(router, f"{path}/stream", runs.stream, "POST")
        add_route(router, f"{path}/wait", runs.wait, "POST")
    return router
