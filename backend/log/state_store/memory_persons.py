"""Persons and grants of the store in memory."""

from abc import abstractmethod
from datetime import datetime

from .persons import Grant, Grants


class MemoryPersons:
    """Whose each conversation is."""

    def __init__(self) -> None:
        self._given: dict[str, tuple[str, datetime]] = {}

    def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is."""
        return self._given.get(user_id, (None,))[0]

    def give_to(self, person: str, user_id: str, at: datetime, *, is_known: bool) -> str | None:
        """Make a conversation a person's unless something is known of it; return whose it is now."""
        if not is_known:
            self._given.setdefault(user_id, (person, at))
        return self.person_of(user_id)

    def newest_of(self, person: str, *, limit: int, before: str | None) -> list[tuple[str, datetime]]:
        """Return a person's conversations and when they began."""
        own = ((at, user_id) for user_id, (whose, at) in self._given.items() if whose == person)
        in_order = sorted(own, reverse=True)
        if before is not None:
            ids = [user_id for _, user_id in in_order]
            in_order = in_order[ids.index(before) + 1 :] if before in ids else []
        return [(user_id, at) for at, user_id in in_order[:limit]]

    def rows_of(self, user_id: str) -> list[tuple[str, float]]:
        """Return whose a conversation is and when it began, as other stores keep it."""
        given = self._given.get(user_id)
        return [(given[0], given[1].timestamp())] if given else []

    def begun_at(self, user_id: str) -> datetime | None:
        """Return when a person has begun a conversation."""
        return self._given.get(user_id, ("", None))[1]

    def begun(self) -> list[tuple[str, float]]:
        """Return all conversations that persons have begun, and when."""
        return [(user_id, at.timestamp()) for user_id, (_, at) in self._given.items()]

    def forget(self, user_id: str) -> bool:
        """Forget whose a conversation was; return whether it was anybody's."""
        return self._given.pop(user_id, None) is not None


class GrantsInMemory(Grants):
    """Implements `Grants` for a store that is open or not."""

    def __init__(self) -> None:
        self._grants: dict[bytes, Grant] = {}

    @abstractmethod
    def _check_open(self) -> None:
        """Raise `StoreUnavailable` if the store is closed."""

    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; those that have expired are dropped."""
        self._check_open()
        self._grants = {key: each for key, each in self._grants.items() if each.expires_at > now}
        self._grants[grant.digest] = grant

    async def get_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant, None if there is none or it has expired."""
        self._check_open()
        grant = self._grants.get(digest)
        return grant if grant is not None and grant.expires_at > now else None

    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest, if there is one."""
        if await self.get_grant(grant.digest, now) is not None:
            self._grants[grant.digest] = grant

    async def find_grants(self, part: bytes, now: datetime) -> tuple[Grant, ...]:
        """Return the grants whose body has these bytes in it."""
        self._check_open()
        return tuple(each for each in self._grants.values() if part in each.body and each.expires_at > now)

    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it."""
        grant = await self.get_grant(digest, now)
        self._grants.pop(digest, None)
        return grant
