"""Whose conversation is whose, and what a server has given browsers in the place of a token.

A conversation that began while a server knew no persons is nobody's, and never becomes anybody's.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from datetime import datetime

from ..domain.task import Message


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


class Persons(ABC):
    """What a store tells of persons; all of it raises `StoreUnavailable`."""

    @abstractmethod
    async def give_to(self, person: str, user_id: str, at: datetime) -> str | None:
        """Make a conversation a person's if nothing is known of it; return whose it is now.

        None: it is nobody's. It is durable when this returns. Of several persons at once one gets it.
        Deleting the user ends it.
        """

    @abstractmethod
    async def person_of(self, user_id: str) -> str | None:
        """Return whose a conversation is; None for nobody's, and for one of which nothing is known."""

    @abstractmethod
    async def conversations_of(
        self, person: str, *, limit: int, before: str | None = None
    ) -> tuple[OwnConversation, ...]:
        """Return the conversations that a person has begun, the newest first, or those before one of them.

        There are none before a conversation that is not the person's.
        """


class Grants(ABC):
    """What a store keeps of secrets that were given out; all of it raises `StoreUnavailable`."""

    @abstractmethod
    async def put_grant(self, grant: Grant, now: datetime) -> None:
        """Keep a grant; it is durable when this returns. Those that have expired are dropped."""

    @abstractmethod
    async def get_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant, None if there is none or it has expired."""

    @abstractmethod
    async def replace_grant(self, grant: Grant, now: datetime) -> None:
        """Put a grant in the place of the one with its digest; where there is none any more, do nothing."""

    @abstractmethod
    async def find_grants(self, part: bytes, now: datetime) -> tuple[Grant, ...]:
        """Return the grants, in no order, whose body has these bytes in it and that have not expired.

        It looks at each grant: it is for what is asked seldom.
        """

    @abstractmethod
    async def take_grant(self, digest: bytes, now: datetime) -> Grant | None:
        """Return a grant and drop it: of all who take one, only one gets it."""
