"""The parts that routes use, built once by the composition root, and the limits that they enforce."""

import contextlib
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Collection
from dataclasses import dataclass, field
from typing import Literal

from ..conversation.agent_manager import AgentManager
from ..domain.encoding import Clock
from ..domain.errors import QuotaExceeded, StoreUnavailable, TooManyRequests
from ..domain.task import Policy
from ..store.base import StateStore
from ..store.event_log import EventLog
from ..tasks.task_owner import TaskOwner
from .edge import headers as client_address
from .edge.limits import Limits
from .edge.refusals import RefusalLog
from .edge.shares import AddressTurns, Quota, answers, renderings
from .identity.access import Access, Act
from .identity.authentication import Authentication
from .identity.principal import CALLER
from .metrics import Metrics
from .plugin import ServedGraphs

Phase = Literal["recovering", "serving", "draining"]
"""Whether a server resumes what an earlier process left, serves everything, or ends."""

LOOK_AGAIN_S = 30.0
"""Seconds after which a stream ends whose session has ended."""


class Counts(Counter[str]):
    """How many there are of each key; a key of which there is none takes no memory."""

    def less(self, key: str) -> None:
        """Count one less of a key."""
        self[key] -= 1
        if not self[key]:
            del self[key]


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts that routes call, and the limits that they enforce."""

    conversations: AgentManager
    clock: Clock
    store: StateStore
    log: EventLog
    owner: TaskOwner
    limits: Limits
    metrics: Metrics
    quota: Quota
    sockets_per_user: int
    streams_per_address: int = 0
    policy: Policy = "interrupt"
    webhook_hosts: Collection[str] = ()
    heartbeat_s: float
    access: Access
    authentication: Authentication | None = None
    graphs: ServedGraphs | None = None
    open_streams: Counts = field(default_factory=lambda: Counts())
    streams_by_address: Counts = field(default_factory=lambda: Counts())
    refusals: RefusalLog = field(default_factory=lambda: RefusalLog(time.monotonic))
    answers: AddressTurns = field(default_factory=answers)
    renderings: AddressTurns = field(default_factory=renderings)
    in_cluster: Callable[[], bool] = lambda: True
    phase: Phase = "recovering"

    @property
    def serving(self) -> bool:
        """Whether messages are accepted; a replica without a lease refuses them."""
        return self.phase == "serving" and self.in_cluster()

    def look_again_in_s(self) -> float | None:
        """Return after how many seconds to ask `signed_out` of the caller, None for never."""
        principal = CALLER.get().principal
        if principal.expires_at is None:
            return None if principal.session is None else LOOK_AGAIN_S
        left_s = max(0.0, (principal.expires_at - self.clock()).total_seconds())
        # At most an hour: a timer's wait is bounded.
        return min(left_s, LOOK_AGAIN_S if principal.session is not None else 3600.0)

    async def signed_out(self) -> bool:
        """Return whether the caller may do nothing any more: it has expired, or its session has ended."""
        if self.authentication is None:
            return False
        try:
            return await self.authentication.sessions.is_over(CALLER.get().principal)
        except StoreUnavailable:
            return False  # asked again soon

    async def admit_message(self, user_id: str, client_id: str | None = None) -> None:
        """Count a message before it is accepted; one that was accepted before only asks for its answer.

        Raises `TooManyRequests`, `QuotaExceeded` and `StoreUnavailable`.
        """
        address = client_address.of_request.get()
        try:
            await self.limits.take_message(user_id, address)
            await self.quota.check(user_id)
        except (TooManyRequests, QuotaExceeded):
            if client_id is None or await self.store.get_acceptance(user_id, client_id) is None:
                raise
            return
        if self.conversations.conversations.get(user_id) is None:
            await self._admit_conversation(user_id, address)

    async def admit_conversation(self, user_id: str) -> None:
        """Count a conversation that begins. Raises `TooManyRequests`, `StoreUnavailable`."""
        await self._admit_conversation(user_id, client_address.of_request.get())

    async def _admit_conversation(self, user_id: str, address: str) -> None:
        if self.access.knows_persons:
            return  # it was counted when it became somebody's
        try:
            await self.limits.take_conversation(address)
        except TooManyRequests:
            # Only now: else each conversation that is not in memory would be looked up in the store.
            if await self.store.position(user_id) is None:
                raise

    async def admit_answer(self, user_id: str) -> None:
        """Count an answer to a question as a message. Raises `TooManyRequests`."""
        await self.limits.take_message(user_id, client_address.of_request.get())

    def admit_command(self) -> None:
        """Count what came over a socket as a request. Raises `TooManyRequests`."""
        self.limits.take_request(client_address.of_request.get())

    @contextlib.asynccontextmanager
    async def long_read(self, user_id: str | None = None) -> AsyncGenerator[None]:
        """Wait for the turn of a read whose answer may be long; render the answer within it.

        Raises `TooManyRequests` if too many of the address wait, and `NotFound` if the conversation is
        somebody else's by then. Cancelling the wait passes the turn on.
        """
        async with self._turn(self.answers):
            if user_id is not None:
                await self.access.check_again(user_id, Act.READ)
            yield

    @contextlib.asynccontextmanager
    async def rendering(self) -> AsyncGenerator[None]:
        """Wait for the turn to render texts in a thread. Raises and may be cancelled as `long_read`."""
        async with self._turn(self.renderings):
            yield

    @contextlib.asynccontextmanager
    async def _turn(self, turns: AddressTurns) -> AsyncGenerator[None]:
        address = client_address.of_request.get()
        try:
            turns.check_waiting(address)
        except TooManyRequests as error:
            self.refusals.note(error, address=address)
            raise
        async with turns.turn(address):
            yield

    def check_streams(self, user_id: str) -> None:
        """Raise `TooManyRequests` if there may be no more streams, before the message of one is accepted."""
        if self.open_streams[user_id] >= self.sockets_per_user:
            raise self._too_many_streams(
                "This user has too many sockets and event streams open.",
                user_id=user_id,
                limit=str(self.sockets_per_user),
            )
        address = client_address.of_request.get()
        if self.streams_per_address and self.streams_by_address[address] >= self.streams_per_address:
            raise self._too_many_streams(
                "Too many sockets and event streams are open from one address.",
                address=address,
                limit=str(self.streams_per_address),
            )

    def open_stream(self, user_id: str) -> None:
        """Count one more socket or event stream. Raises `TooManyRequests`; then none was counted."""
        self.check_streams(user_id)
        self.open_streams[user_id] += 1
        self.streams_by_address[client_address.of_request.get()] += 1

    def close_stream(self, user_id: str) -> None:
        """Count one socket or event stream less."""
        self.open_streams.less(user_id)
        self.streams_by_address.less(client_address.of_request.get())

    def _too_many_streams(self, sentence: str, **about: str) -> TooManyRequests:
        error = TooManyRequests(sentence)
        self.refusals.note(error, **about)
        return error
