"""What the replicas of a cluster know of each other, and of whose users are whose: kept by the database.

Nothing here is remembered by a replica: each call asks, or changes, the one truth. Hints tell a replica where
to look; they may be lost, late or doubled, and nothing depends on one.
"""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from .base import Claimed, Tenure

HintKind = Literal["event", "command", "reply", "neglected"]


class Hint(NamedTuple):
    """Where to look: the user of whom there is something new, and the id of the command that was answered.

    - `event`: events of a user whom the replica follows; `command`: commands of a user whom it owns.
    - `reply`: the reply to a command that it has left; `neglected`: users whom nobody owns.

    `reply` is the reply itself if it is short, so that it need not be looked for.
    """

    kind: HintKind
    user_id: str = ""
    command_id: str = ""
    reply: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """What a user asked of another replica than the owner: `body` is JSON, by `kind`."""

    user_id: str
    command_id: str
    kind: str
    body: bytes
    sender: str


class Withdrawal(NamedTuple):
    """What came of a withdrawal. With neither, the command is being carried out: a reply will come."""

    withdrawn: bool
    reply: bytes | None


Heard = Callable[[Hint], None]


class Registry(Protocol):
    """All of it raises `StoreUnavailable`; cancelling a call changes nothing that was not changed by then."""

    async def join(self, replica: str, *, lease_s: float, facts: str) -> None:
        """Begin a replica's lease and its session."""
        ...

    async def renew(self, replica: str, *, lease_s: float) -> bool:
        """Renew a lease; False if it is over: then nothing that this replica owned is its own any more."""
        ...

    async def note_sessions(self) -> float | None:
        """Note which replicas have lost their session; return the seconds until the first counts as dead.

        Returns None if none is about to: all have their session, or what is lost was lost before.
        """
        ...

    async def leave(self, replica: str) -> None:
        """End a replica's lease and its session."""
        ...

    async def drain(self, replica: str, *, wanted: bool = True) -> None:
        """Have a replica take no more users, or take them again."""
        ...

    async def claim(self, user_id: str, replica: str) -> Claimed:
        """Begin a tenure, or return the one that lasts. Raises `OwnedElsewhere`."""
        ...

    async def take(self, replica: str, *, most: int) -> Sequence[str]:
        """Begin the tenures of some users whom nobody owns and who have something unfinished."""
        ...

    async def give_up(self, tenure: Tenure) -> Sequence[str]:
        """End a tenure, so that another replica may begin the next one; return which are alive."""
        ...

    async def leave_command(self, command: Command, owner: str, *, within_s: float) -> None:
        """Leave a command for its user's owner, and tell it; leaving it again only tells again.

        Nobody begins it once `within_s` seconds have passed.
        """
        ...

    async def withdraw_command(self, command: Command) -> Withdrawal:
        """Take a command back, unless a replica that is alive has begun it; return what there is instead."""
        ...

    async def commands_of(self, user_id: str) -> Sequence[Command]:
        """Return a user's commands that are wanted and unanswered, in the order in which they were left."""
        ...

    async def begin_command(self, command: Command, replica: str) -> bool:
        """Note that a replica carries a command out now; false if that is not wanted, or another one does."""
        ...

    async def release_command(self, command: Command, replica: str) -> None:
        """Note that a replica has done nothing of a command that it has begun."""
        ...

    async def waiting_commands(self, replica: str) -> Sequence[str]:
        """Return the users of a replica who have commands that are wanted and unanswered."""
        ...

    async def answer_command(self, command: Command, reply: bytes) -> None:
        """Keep the reply to a command, and tell its sender."""
        ...

    async def reply_to(self, user_id: str, command_id: str) -> bytes | None:
        """Return the reply to a command, None while there is none."""
        ...

    async def follow(self, user_id: str, replica: str) -> None:
        """Have a replica told of a user's events from now on."""
        ...

    async def unfollow(self, user_id: str, replica: str) -> None:
        """Have it told of them no more."""
        ...

    async def occupied(self, replica: str) -> Sequence[str]:
        """Return the users whom a replica owns and of whom something is unfinished."""
        ...

    async def owned(self, user_ids: Sequence[str], replica: str) -> Set[str]:
        """Return those of these users whom a replica owns."""
        ...

    async def writes_of(self, user_ids: Sequence[str]) -> Mapping[str, int]:
        """Return how many writes there were of each of these users, of those who are known."""
        ...

    async def replicas(self) -> Sequence[str]:
        """Return the replicas that are alive."""
        ...

    async def now(self) -> datetime:
        """Return the time by the database's clock."""
        ...

    def tell(self, replica: str, hint: Hint) -> None:
        """Send a hint to a replica, soon. Never waits, and never fails."""
        ...
