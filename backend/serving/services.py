"""The parts that the routes use; built once by the composition root."""

import time
from dataclasses import dataclass, field
from typing import Literal

from ..conversation.agent_manager import AgentManager
from ..domain.clock import Clock
from ..errors import StoreUnavailable, TooManyRequests
from ..log.event_log import EventLog
from ..log.state_store.base import StateStore
from ..tasks.task_owner import TaskOwner
from .edge.identity.access import Access
from .edge.identity.authentication import Authentication
from .edge.identity.principal import CALLER
from .edge.limits import RateLimiter
from .edge.refusals import RefusalLog
from .metrics import Metrics
from .plugin import ServedGraphs

Phase = Literal["recovering", "serving", "draining"]
"""What a server is about: taking up what an earlier process left, everything, or ending."""

LOOK_AGAIN_S = 30.0
"""Seconds after which a stream is ended whose session was."""


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts that routes call, and the limits that they enforce."""

    runner: AgentManager
    clock: Clock
    store: StateStore
    log: EventLog
    owner: TaskOwner
    limiter: RateLimiter
    metrics: Metrics
    sockets_per_user: int
    heartbeat_s: float
    access: Access
    authentication: Authentication | None = None
    graphs: ServedGraphs | None = None
    open_streams: dict[str, int] = field(default_factory=dict[str, int])
    refusals: RefusalLog = field(default_factory=lambda: RefusalLog(time.monotonic))
    phase: Phase = "recovering"

    def look_again_in_s(self) -> float | None:
        """Return after how many seconds to ask `signed_out` of the caller, None for never."""
        principal = CALLER.get().principal
        if principal.expires_at is None:
            return None if principal.session is None else LOOK_AGAIN_S
        left_s = max(0.0, (principal.expires_at - self.clock()).total_seconds())
        # Less than a day at once: what a timer may wait is bounded.
        return min(left_s, LOOK_AGAIN_S if principal.session is not None else 3600.0)

    async def signed_out(self) -> bool:
        """Return whether the caller may do nothing any more: it has expired, or its session has ended."""
        if self.authentication is None:
            return False
        try:
            return await self.authentication.sessions.is_over(CALLER.get().principal)
        except StoreUnavailable:
            return False  # asked again soon

    def check_streams(self, user_id: str) -> None:
        """Raise `TooManyRequests` if a user may open no stream: before what it would show is accepted."""
        if self.open_streams.get(user_id, 0) >= self.sockets_per_user:
            raise self._too_many_streams(user_id)

    def open_stream(self, user_id: str) -> bool:
        """Count one more socket or event stream of a user; return whether it is allowed."""
        streams = self.open_streams.get(user_id, 0)
        if streams >= self.sockets_per_user:
            self._too_many_streams(user_id)
            return False
        self.open_streams[user_id] = streams + 1
        return True

    def close_stream(self, user_id: str) -> None:
        """Count one socket or event stream less."""
        self.open_streams[user_id] -= 1
        if not self.open_streams[user_id]:
            del self.open_streams[user_id]

    def _too_many_streams(self, user_id: str) -> TooManyRequests:
        error = TooManyRequests("This user has too many sockets and event streams open.")
        self.refusals.note(error, user_id=user_id, limit=str(self.sockets_per_user))
        return error
