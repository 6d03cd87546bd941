"""Sessions and tickets: random secrets that browsers show in the place of a token.

A page cannot put a header on a WebSocket. One of this server's own trades its token for a *session*, a
cookie; one of another origin, whose cookies do not come here, gets a *ticket* for each connection, which goes
into the address, is good for half a minute and is taken once. Both are random, stored as their hash, with
whom they stand for and until when; so they hold over restarts and in every replica, and a sign-out ends a
session everywhere.
"""

import hashlib
import secrets
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from ....domain.clock import Clock
from ....domain.encoding import encode
from ....errors import Unauthorized
from ....log.state_store.persons import Grant, Grants
from .principal import SCOPES, Principal

TICKET_LASTS_S = 30

LOOKED_UP_AGAIN_S = 5.0
"""Seconds for which a session counts as found: so soon a sign-out holds in every replica."""

MOST_LOOKED_UP = 10_000

_SECRET_BYTES = 32
_LONGEST_SECRET = 100


class Sessions:
    """Gives sessions and tickets out, and tells whose they are; `issuer` is whose tokens begin them."""

    def __init__(self, grants: Grants, clock: Clock, *, issuer: str, lasts_s: float) -> None:
        self._grants = grants
        self._clock = clock
        self._issuer = issuer
        self._lasts_s = lasts_s
        self._found: dict[bytes, tuple[datetime, Principal]] = {}

    # --- sessions --------------------------------------------------------------------------------------

    async def begin(self, principal: Principal) -> tuple[str, int]:
        """Begin a session; return its secret and how many seconds it lasts, no longer than the principal.

        Raises `StoreUnavailable`.
        """
        return await self._give("session", principal, self._lasts_s)

    async def principal(self, secret: bytes) -> Principal:
        """Return who has a session. Raises `Unauthorized` and `StoreUnavailable`."""
        digest, now = _digest(secret), self._clock()
        found = self._found.get(digest)
        if found is not None and now - found[0] < timedelta(seconds=LOOKED_UP_AGAIN_S):
            principal = found[1]
        else:
            self._found.pop(digest, None)
            principal = self._read(await self._grants.get_grant(digest, now), "session")
            principal = replace(principal, session=digest)
            if len(self._found) >= MOST_LOOKED_UP:
                del self._found[next(iter(self._found))]
            self._found[digest] = (now, principal)
        if principal.expires_at is not None and principal.expires_at <= now:
            raise _over()
        return principal

    async def end(self, secret: bytes) -> Principal | None:
        """End a session; return whose it was, None if it was over already. Raises `StoreUnavailable`."""
        digest = _digest(secret)
        self._found.pop(digest, None)
        grant = await self._grants.take_grant(digest, self._clock())
        # Once more: whoever asked meanwhile may have found it.
        self._found.pop(digest, None)
        return None if grant is None else self._read(grant, "session")

    async def is_over(self, principal: Principal) -> bool:
        """Return whether a principal may no longer do what it could. Raises `StoreUnavailable`."""
        now = self._clock()
        if principal.expires_at is not None and principal.expires_at <= now:
            return True
        return principal.session is not None and await self._grants.get_grant(principal.session, now) is None

    # --- tickets ---------------------------------------------------------------------------------------

    async def give_ticket(self, principal: Principal) -> tuple[str, int]:
        """Return a ticket and how many seconds it lasts. Raises `StoreUnavailable`."""
        return await self._give("ticket", principal, TICKET_LASTS_S)

    async def take_ticket(self, ticket: str) -> Principal:
        """Return whose a ticket is, once. Raises `Unauthorized` and `StoreUnavailable`."""
        grant = await self._grants.take_grant(_digest(ticket.encode()), self._clock())
        return self._read(grant, "ticket")

    # --- both ------------------------------------------------------------------------------------------

    async def _give(self, kind: str, principal: Principal, lasts_s: float) -> tuple[str, int]:
        now = self._clock()
        expires_at = now + timedelta(seconds=lasts_s)
        if kind == "session" and principal.expires_at is not None:
            expires_at = min(expires_at, principal.expires_at)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        about: dict[str, Any] = {
            "kind": kind,
            "issuer": self._issuer,
            "person": principal.person,
            "scopes": sorted(principal.scopes),
            # Of a ticket the connection lasts as long as whoever asked for it might have kept one.
            "until": principal.expires_at.timestamp() if principal.expires_at is not None else None,
        }
        if kind == "session":
            about["until"] = expires_at.timestamp()
        elif principal.session is not None:
            about["session"] = principal.session.hex()
        await self._grants.put_grant(
            Grant(digest=_digest(secret.encode()), body=encode(about), expires_at=expires_at), now
        )
        return secret, max(0, int((expires_at - now).total_seconds()))

    def _read(self, grant: Grant | None, kind: str) -> Principal:
        about: dict[str, Any] = {} if grant is None else orjson.loads(grant.body)
        if about.get("kind") != kind or about["issuer"] != self._issuer:
            raise _over() if kind == "session" else Unauthorized("That ticket is unknown, used or too old.")
        until = about["until"]
        return Principal(
            person=about["person"],
            scopes=frozenset(each for each in SCOPES if each in about["scopes"]),
            expires_at=None if until is None else datetime.fromtimestamp(until, UTC),
            session=bytes.fromhex(about["session"]) if "session" in about else None,
        )


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret[:_LONGEST_SECRET]).digest()


def _over() -> Unauthorized:
    return Unauthorized("Your session is over: sign in again.")
