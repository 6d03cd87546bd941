"""The frames a subscriber of a user gets, over a WebSocket or as server-sent events.

First a hello; then every event after the subscriber's position `(epoch, since)`, a snapshot if it has none,
or a reset and a snapshot if its position is no longer valid; then live events.
"""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from ...domain.encoding import encode, to_wire
from ...domain.events import StoredEvent
from ...store.event_bus import Ended, SubscriptionEnded
from ...store.event_log import EventsForgottenError
from ...store.records import UserPosition
from ..edge.headers import of_request
from ..identity.access import Act
from ..services import Services
from .answers import snapshot_frame

SNAPSHOT_HISTORY = 50


@dataclass(frozen=True, slots=True)
class Start:
    """A subscriber's position: after event `since` of log `epoch`; None means from now on.

    `garbled` is true if `since` was sent and is not a number.
    """

    since: int | None = None
    epoch: str | None = None
    garbled: bool = False

    @classmethod
    def of(cls, since: str | None, epoch: str | None) -> "Start":
        """Parse what a client sent."""
        if since is None:
            return cls()
        if since.isascii() and since.isdecimal() and len(since) < 16:
            return cls(int(since), epoch)
        return cls(0, epoch, garbled=True)


async def feed(services: Services, user_id: str, start: Start) -> AsyncGenerator[Sequence[StoredEvent], None]:
    """Yield frames in batches, for ever; each has the `seq` to resume from after it.

    Raises `SubscriptionEnded` (too slow, or the server is shutting down), and what `Access.check` does where
    the conversation was deleted: `NotFound` if it is somebody else's by now. Close it to unsubscribe.
    """
    position = await _position(services, user_id)
    yield [_hello(services, user_id, start, position)]
    since, reset = start.since, _why_reset(start, position)
    while True:
        if since is None or reset is not None:
            position, frames = await _snapshot_frames(services, user_id, reset)
            yield frames
            del frames  # else an idle subscriber would keep its last snapshot or page in memory
            since, reset = position.seq, None
        try:
            async with aclosing(services.log.follow(user_id, since, epoch=position.epoch)) as events:
                async for batch in events:
                    yield batch
                    since = batch[-1].seq
                    del batch
        except EventsForgottenError:
            reset = "the events since then are no longer kept"
        except SubscriptionEnded as ended:
            if ended.reason is not Ended.RESET:
                raise
            # The first to come owns the conversation now, perhaps another person.
            await services.access.check(user_id, Act.FOLLOW)
            reset = "everything about this user was deleted"


def _hello(services: Services, user_id: str, start: Start, position: UserPosition) -> StoredEvent:
    hello: dict[str, Any] = {
        "type": "hello",
        "user_id": user_id,
        "epoch": position.epoch,
        "seq": position.seq,
        "at": to_wire(services.clock()),
        "heartbeat_s": services.heartbeat_s,
    }
    if services.graphs is not None and len(services.graphs.names) > 1:
        hello["graphs"] = services.graphs.names
    if services.policy != "interrupt":
        hello["policy"] = services.policy
    return StoredEvent(min(start.since or 0, position.seq), encode(hello))


async def _snapshot_frames(
    services: Services, user_id: str, reset: str | None
) -> tuple[UserPosition, Sequence[StoredEvent]]:
    """Return a user's position and snapshot frame; a reset frame precedes it if `reset` gives a reason."""
    async with services.answers.turn(of_request.get()):  # streams are bounded, so none is refused
        await services.access.check_again(user_id, Act.FOLLOW)
        snapshot = await services.store.snapshot(user_id, history=SNAPSHOT_HISTORY)
        position = snapshot.position if snapshot else await _beginning(services, user_id)
        frames = [{"type": "reset", "reason": reset}] if reset else []
        frames.append(snapshot_frame(position, snapshot, services.conversations.still_running(user_id)))
        return position, [StoredEvent(position.seq, encode(frame)) for frame in frames]


async def _position(services: Services, user_id: str) -> UserPosition:
    return await services.store.position(user_id) or await _beginning(services, user_id)


async def _beginning(services: Services, user_id: str) -> UserPosition:
    """Return the start of the log of a user whom the store does not know yet."""
    return UserPosition(epoch=await services.conversations.epoch(user_id), seq=0, turn=0)


def _why_reset(start: Start, position: UserPosition) -> str | None:
    if start.since is None:
        return None
    if start.garbled:
        return "that is no number"
    if start.epoch is not None and start.epoch != position.epoch:
        return "the event log began anew"
    if start.since > position.seq:
        return "there is no such number yet"
    return None
