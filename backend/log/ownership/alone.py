"""Ownership where no other process writes: everybody is owned from the start, for ever."""

from collections.abc import Callable

from ..state_store.base import StateStore
from .base import Claimed, Tenure


class Alone:
    """Owns everybody; `neglected` are those whom the process before has left, so ask once, at the start."""

    shared = False

    def __init__(self, store: StateStore) -> None:
        self._store = store

    async def claim(self, user_id: str) -> Claimed:
        """Return the tenure of a user, which never ends."""
        return Claimed(Tenure(user_id))

    async def give_up(self, tenure: Tenure) -> None:
        """Do nothing: nobody else is there."""

    async def neglected(self, is_here: Callable[[str], bool]) -> frozenset[str]:
        """Return the users who have something unfinished; `is_here` tells nothing at the start."""
        return await self._store.unfinished_users()
