"""Whose conversation is whose, and what a server has given browsers in the place of a token.

A conversation that began while a server knew no persons is nobody's, and never becomes anybody's.
"""

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import ClassVar

from ..domain.task import Message
from .codec import message_from_json
from .reads import Queryable, Read, Row, of_all, of_nobody, of_user, one

_FIRST = "SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn, position LIMIT 1"
_LAST = "SELECT document FROM detour.messages WHERE user_id = $1 ORDER BY turn DESC, position DESC LIMIT 1"


_OF_PERSON = "!"
"""No id of a user that a client can name begins so."""


def id_for(person: str | None) -> str:
    """Return the user id under which lies what is a person's and belongs to no conversation.

    None is the one party of a server that knows no persons.
    """
    return _OF_PERSON if person is None else _OF_PERSON + sha256(person.encode()).hexdigest()[:40]


def is_of_person(user_id: str) -> bool:
    """Return whether a user id is one of `id_for`."""
    return user_id.startswith(_OF_PERSON)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnConversation:
    """A conversation of a person, with its first message and its last, None while nothing was said."""

    user_id: str
    begun_at: datetime
    first: Message | None = None
    last: Message | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What a secret stands for: `digest` is the secret's hash, since a store holds no secrets."""

    digest: bytes
    body: bytes
    expires_at: datetime


class Persons(Queryable):
    """What a store tells of persons; all of it raises `StoreUnavailable`."""

    @abstractmethod
    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now.

        None: it is nobody's. It is durable when this returns. Of several persons at once one gets it.
        Deleting the user ends it.
        """

    @of_user
    def person_of(self, user_id: str) -> Read[str | None]:
        """Return whose a conversation is; None for nobody's, and for one of which nothing is known."""
        return (yield from self._person_of(user_id))

    def _person_of(self, user_id: str) -> Read[str | None]:
        return one((yield "SELECT person FROM detour.conversations WHERE user_id = $1", (user_id,)))

    @of_all
    def conversations_of(
        self, person: str, *, limit: int, before: str | None = None
    ) -> Read[tuple[OwnConversation, ...]]:
        """Return the conversations that a person has begun, the newest first, or those before one of them.

        There are none before a conversation that is not the person's.
        """
        earlier = """AND (begun_at, user_id) <
            (SELECT begun_at, user_id FROM detour.conversations WHERE user_id = $3 AND person = $1)"""
        query = f"""
        SELECT user_id, begun_at FROM detour.conversations
        WHERE person = $1 {"" if before is None else earlier}
        ORDER BY begun_at DESC, user_id DESC LIMIT $2"""
        given = (person, limit) if before is None else (person, limit, before)
        found: list[OwnConversation] = []
        for user_id, begun_at in list((yield query, given)):
            first, last = one((yield _FIRST, (user_id,))), one((yield _LAST, (user_id,)))
            found.append(
                OwnConversation(
                    user_id=user_id,
                    begun_at=datetime.fromtimestamp(begun_at, UTC),
                    first=None if first is None else message_from_json(first),
                    last=None if last is None else message_from_json(last),
                )
            )
        return tuple(found)


class Grants(Queryable):
    """What a store keeps of secrets that were given out; all of it raises `StoreUnavailable`."""

    PLACE_IN_BODY: ClassVar[str]
    """Where the bytes `$1` are in the body of a grant: 0 if they are not in it."""

    @abstractmethod
    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; it is durable when this returns. Those that have expired are dropped."""

    @of_nobody
    def get_grant(self, digest: bytes, now: datetime) -> Read[Grant | None]:
        """Return a grant, None if there is none or it has expired."""
        query = "SELECT digest, body, expires_at FROM detour.grants WHERE digest = $1 AND expires_at > $2"
        return next(grants_of((yield query, (digest, now.timestamp()))), None)

    @abstractmethod
    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest; where there is none any more, do nothing."""

    @of_nobody
    def find_grants(self, part: bytes, now: datetime) -> Read[tuple[Grant, ...]]:
        """Return the grants, in no order, whose body has these bytes in it and that have not expired.

        It looks at each grant: it is for what is asked seldom.
        """
        query = f"""
        SELECT digest, body, expires_at FROM detour.grants
        WHERE {self.PLACE_IN_BODY} > 0 AND expires_at > $2"""
        return tuple(grants_of((yield query, (part, now.timestamp()))))

    @abstractmethod
    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it: of all who take one, only one gets it."""


def grants_of(rows: Iterable[Row]) -> Iterator[Grant]:
    """Yield the grants of rows of a digest, a body and an end."""
    for digest, body, expires_at in rows:
        yield Grant(digest=digest, body=body, expires_at=datetime.fromtimestamp(expires_at, UTC))
