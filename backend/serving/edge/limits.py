"""Limits how much may happen in a minute: of one user, from one address, and in all.

Each limit is a token bucket for each key: it holds a minute's worth and refills evenly, so a burst is allowed
and the sustained rate is bounded. What is over a limit changes nothing, costs nothing of the other limits,
and is told when it would be let through.

Replicas share the buckets (`shared_limits`). A message, a conversation and a wrong token are counted in all
replicas before anything else happens; requests are told to the others in portions. A process that is alone
waits for nothing here.
"""

import time
from collections.abc import Callable
from typing import Protocol

from ...errors import TooManyRequests, Unauthorized
from .rate_limit import RateLimit
from .refusals import RefusalLog
from .shared_limits import Asked, SharedLevels, Sharing

IN_ALL = ""
"""The one key of a limit of all together."""


class PerMinute(Protocol):
    """What each limit lets through in a minute, as the settings name it; 0 turns one off."""

    messages_per_minute: int
    address_messages_per_minute: int
    total_messages_per_minute: int
    address_requests_per_minute: int
    address_conversations_per_minute: int
    address_guesses_per_minute: int


class Limits:
    """All limits of how much may happen in a minute. What refuses a message notes it in the log.

    `shared` are the levels that replicas share; None for a process that is alone. If they cannot be asked,
    this process counts alone.
    """

    def __init__(
        self,
        most: PerMinute,
        monotonic: Callable[[], float] = time.monotonic,
        *,
        shared: SharedLevels | None = None,
    ) -> None:
        def limit(kind: str, per_minute: int, what: str) -> RateLimit:
            return RateLimit(per_minute, what, monotonic, kind=kind)

        address = "a minute from one address"
        self._user = limit("user", most.messages_per_minute, "messages a minute")
        self._address = limit("address", most.address_messages_per_minute, f"messages {address}")
        self._all = limit("all", most.total_messages_per_minute, "messages a minute of all users together")
        self._requests = limit("requests", most.address_requests_per_minute, f"requests {address}")
        self._conversations = limit(
            "conversations", most.address_conversations_per_minute, f"new conversations {address}"
        )
        self._guesses = limit("guesses", most.address_guesses_per_minute, f"wrong tokens {address}")
        self._sharing = Sharing(shared, monotonic) if shared is not None else None
        self._refusals = RefusalLog(monotonic)

    def take_request(self, address: str) -> None:
        """Count a request, of whatever kind. Raises `TooManyRequests`; whoever catches it notes it."""
        self._requests.take(address)
        if self._sharing is not None:
            self._sharing.count_later(self._requests, address)

    async def take_message(self, user_id: str, address: str) -> None:
        """Count a message or an answer. Raises `TooManyRequests`; then nothing was counted."""
        try:
            await self._take((self._user, user_id), (self._address, address), (self._all, IN_ALL))
        except TooManyRequests as error:
            self._refusals.note(error, user_id=user_id, address=address)
            raise

    async def take_conversation(self, address: str) -> None:
        """Count a conversation that begins. Raises `TooManyRequests`."""
        try:
            await self._take((self._conversations, address))
        except TooManyRequests as error:
            self._refusals.note(error, address=address)
            raise

    async def check_guesses(self, address: str) -> None:
        """Raise `TooManyRequests` if an address has sent too many wrong tokens to be believed now."""
        if self._sharing is not None:
            # One guess at a time: whether there may be another is known once the last one is counted.
            await self._sharing.caught_up(self._guesses, address)
        self._guesses.check(address)

    async def count_wrong_token(self, address: str) -> None:
        """Count a token that was wrong; whoever refuses it notes it.

        Raises `TooManyRequests` if the address had used up its wrong tokens at other replicas.
        """
        self._guesses.count(address)
        if self._sharing is not None:
            await self._sharing.take((self._guesses, address), owed=True)

    def note_wrong_token(self, address: str) -> None:
        """Note a token that was wrong in the log."""
        self._refusals.note(Unauthorized("A wrong token was sent."), address=address)

    async def _take(self, *asked: Asked) -> None:
        for limit, key in asked:
            limit.check(key)
        if self._sharing is not None:
            if await self._sharing.take(*asked):
                return
            for limit, key in asked:  # others were counted meanwhile
                limit.check(key)
        for limit, key in asked:
            limit.count(key)


class _Nothing:
    messages_per_minute = 0
    address_messages_per_minute = 0
    total_messages_per_minute = 0
    address_requests_per_minute = 0
    address_conversations_per_minute = 0
    address_guesses_per_minute = 0


NO_LIMITS = Limits(_Nothing())
