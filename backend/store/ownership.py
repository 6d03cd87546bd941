"""Who may write for a user: one process at a time, for as long as its lease lasts.

A decision about a user needs the user's lease, which every write names. A conversation and its tasks hold
their lease and never look it up again: a decision from before a loss must not be written under a later lease.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Lease:
    """The right of one process to write for a user; its `fence` is a number that is used once.

    A process that owns all users for ever uses the fence 0.
    """

    user_id: str
    fence: int = 0


class LeaseEnded(Exception):
    """This process no longer owns the user: another does, or soon will. Nothing was stored."""

    def __init__(self, lease: Lease) -> None:
        super().__init__(f"the lease {lease.fence} of {lease.user_id!r} has ended")
        self.lease = lease


class OwnedElsewhere(Exception):
    """Another process that is alive is at work for the user, and has to be asked: `owner` is its name."""

    def __init__(self, user_id: str, owner: str) -> None:
        super().__init__(f"{user_id!r} is owned by {owner}")
        self.user_id = user_id
        self.owner = owner


OnLeaseEnded = Callable[[Lease], None]
"""Called when a write was refused because its lease had ended."""


@dataclass(frozen=True, slots=True)
class Acquired:
    """A lease that lasts, or has just begun.

    `unfinished` is true if the user has unfinished work. Unless it runs in this process, the last owner has
    left it, and the user must be recovered first.
    """

    lease: Lease
    unfinished: bool = False


class Ownership(Protocol):
    """Gives this process the users whose tasks it is to run.

    `shared` is true if other processes may own users, too: then the store keeps who is `InUse`.
    """

    @property
    def shared(self) -> bool:
        """Whether other processes may own users."""
        ...

    async def acquire(self, user_id: str) -> Acquired:
        """Return this process's lease of a user, which begins now if it has none.

        Raises `OwnedElsewhere` and `StoreUnavailable`; after that, and after a cancelled wait, it may have
        begun all the same: the next call returns it, and so does `reclaim`.
        """
        ...

    async def give_up(self, lease: Lease) -> None:
        """End a lease, so that another process may begin the next one at once. Raises `StoreUnavailable`."""
        ...

    async def reclaim(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Lease users who have unfinished work and no owner, and return them.

        Also those whom this process owns without knowing it: `is_here` returns whether it knows a user.
        Raises `StoreUnavailable`.
        """
        ...


class Alone:
    """The ownership of a process that shares its store with no other: it owns every user for ever.

    `reclaim` returns the users whom the process before left unfinished; it is called once, at the start.
    """

    shared = False

    def __init__(self, unfinished_users: Callable[[], Awaitable[frozenset[str]]]) -> None:
        self._unfinished_users = unfinished_users

    async def acquire(self, user_id: str) -> Acquired:
        """Return the lease of a user, which never ends."""
        return Acquired(Lease(user_id))

    async def give_up(self, lease: Lease) -> None:
        """Do nothing: there is no other process."""

    async def reclaim(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return the users who have something unfinished."""
        return await self._unfinished_users()
