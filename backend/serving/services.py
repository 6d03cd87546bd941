"""The parts that the routes use; built once by the composition root."""

import time
from dataclasses import dataclass, field
from typing import Literal

from ..conversation.agent_manager import AgentManager
from ..domain.clock import Clock
from ..errors import TooManyRequests
from ..log.event_log import EventLog
from ..log.state_store.base import StateStore
from ..tasks.task_owner import TaskOwner
from .edge.limits import RateLimiter
from .edge.refusals import RefusalLog
from .metrics import Metrics
from .plugin import ServedGraphs

Phase = Literal["recovering", "serving", "draining"]
"""What a server is about: taking up what an earlier process left, everything, or ending."""


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
    graphs: ServedGraphs | None = None
    open_streams: dict[str, int] = field(default_factory=dict[str, int])
    refusals: RefusalLog = field(default_factory=lambda: RefusalLog(time.monotonic))
    phase: Phase = "recovering"

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
