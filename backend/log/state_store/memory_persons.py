"""Persons and grants of the store in memory."""

from datetime import datetime

from .persons import Grant


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

    def forget(self, user_id: str) -> bool:
        """Forget whose a conversation was; return whether it was anybody's."""
        return self._given.pop(user_id, None) is not None


class MemoryGrants:
    """The grants."""

    def __init__(self) -> None:
        self._by_digest: dict[bytes, Grant] = {}

    def put(self, grant: Grant, now: datetime) -> None:
        """Keep a grant."""
        self._by_digest = {key: each for key, each in self._by_digest.items() if each.expires_at > now}
        self._by_digest[grant.digest] = grant

    def get(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant that has not expired."""
        grant = self._by_digest.get(digest)
        return grant if grant is not None and grant.expires_at > now else None

    def take(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant that has not expired, and drop it."""
        grant = self.get(digest, now)
        self._by_digest.pop(digest, None)
        return grant
