"""Who may write for a user: one process at a time, for as long as its tenure lasts.

Whoever decides anything about a user has claimed the user first, and names the tenure in every write. What
belongs to a tenure, a conversation and its tasks, holds the tenure itself and never looks it up again: what
was decided before a loss must not be written under a later claim.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Tenure:
    """The time for which one process owns a user; `fence` tells it from every other, and is used once.

    Where one process owns everybody for ever, all have the fence 0.
    """

    user_id: str
    fence: int = 0


class TenureEnded(Exception):
    """This process does not own the user any more: another does, or soon will. Nothing was stored."""

    def __init__(self, tenure: Tenure) -> None:
        super().__init__(f"the tenure {tenure.fence} of {tenure.user_id!r} has ended")
        self.tenure = tenure


class OwnedElsewhere(Exception):
    """Another process that is alive is at work for the user, and has to be asked: `owner` is its name."""

    def __init__(self, user_id: str, owner: str) -> None:
        super().__init__(f"{user_id!r} is owned by {owner}")
        self.user_id = user_id
        self.owner = owner


OnTenureEnded = Callable[[Tenure], None]
"""Called when a write was refused because its tenure had ended."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """A tenure that lasts, or has just begun.

    `unfinished` is true if something of the user is undone. Unless it is at work in this very process, the
    last owner has left it, and the user must be taken over first.
    """

    tenure: Tenure
    unfinished: bool = False


class Ownership(Protocol):
    """Gives this process the users whose tasks it is to run.

    `shared` is true if other processes may own users, too: then the store keeps who is `Occupied`.
    """

    @property
    def shared(self) -> bool:
        """Whether other processes may own users."""
        ...

    async def claim(self, user_id: str) -> Claimed:
        """Return this process's tenure of a user, which begins now if it has none.

        Raises `OwnedElsewhere` and `StoreUnavailable`; after that, and after a cancelled wait, it may have
        begun all the same: the next call tells, and so does `neglected`.
        """
        ...

    async def give_up(self, tenure: Tenure) -> None:
        """End a tenure, so that another process may begin the next one at once. Raises `StoreUnavailable`."""
        ...

    async def neglected(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return the users who have something unfinished and whom nobody looks after.

        Nobody owns them, or this process does without knowing it: `is_here` tells whom it knows. Raises
        `StoreUnavailable`.
        """
        ...


class Alone:
    """The ownership of a process that shares its store with no other: it owns every user for ever.

    `neglected` returns what the process before left unfinished, so it is called once, at the start.
    """

    shared = False

    def __init__(self, unfinished_users: Callable[[], Awaitable[frozenset[str]]]) -> None:
        self._unfinished_users = unfinished_users

    async def claim(self, user_id: str) -> Claimed:
        """Return the tenure of a user, which never ends."""
        return Claimed(Tenure(user_id))

    async def give_up(self, tenure: Tenure) -> None:
        """Do nothing: there is no other process."""

    async def neglected(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return the users who have something unfinished."""
        return await self._unfinished_users()
