"""What the routes are built over; made once by the composition root."""

from dataclasses import dataclass, field

from backend.api.limits import RateLimiter
from backend.domain.clock import Clock
from backend.event_log import EventLog
from backend.metrics import Metrics
from backend.providers.base import BookingProvider, FareCalendar
from backend.runner import AgentManager
from backend.state_store.base import StateStore
from backend.task_owner import TaskOwner


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts that routes call, and the limits that they keep."""

    runner: AgentManager
    clock: Clock
    store: StateStore
    log: EventLog
    owner: TaskOwner
    limiter: RateLimiter
    metrics: Metrics
    sockets_per_user: int
    heartbeat_s: float
    fares: FareCalendar | None = None
    bookings: BookingProvider | None = None
    open_streams: dict[str, int] = field(default_factory=dict[str, int])
    ready: bool = False

    def open_stream(self, user_id: str) -> bool:
        """Count one more socket or event stream of a user; return whether it is allowed."""
        streams = self.open_streams.get(user_id, 0)
        if streams >= self.sockets_per_user:
            return False
        self.open_streams[user_id] = streams + 1
        return True

    def close_stream(self, user_id: str) -> None:
        """Count one socket or event stream less."""
        self.open_streams[user_id] -= 1
        if not self.open_streams[user_id]:
            del self.open_streams[user_id]
