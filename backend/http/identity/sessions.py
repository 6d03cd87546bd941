"""Sessions and tickets: random secrets that browsers send in the place of a token.

A page cannot put a header on a WebSocket. One of this server's own trades its token for a *session*, a
cookie; one of another origin, whose cookies do not come here, gets a *ticket* for each connection, which
lasts half a minute and works once. Both are stored as their hash, with principal and expiry; so they hold
over restarts and in every replica, and a sign-out ends a session everywhere.

A session ends after its longest time, and earlier if idle. Its last use is stored at most once a minute.
"""

import contextlib
import hashlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import orjson

from ...domain.encoding import Clock, encode
from ...domain.errors import StoreUnavailable, Unauthorized
from ...store.persons import Grant, Grants
from .principal import SCOPES, Principal

TICKET_LASTS_S = 30

LOOKED_UP_AGAIN_S = 5.0
"""Seconds for which a session that was found is not looked up again: so soon a sign-out holds everywhere."""

NOTED_EVERY_S = 60.0
"""Seconds between two writes of a session's last use: idleness may end it so much earlier."""

MOST_LOOKED_UP = 10_000

MOST_OF_A_PERSON = 100
"""Sessions that a person may have, and all holders of the one token together: a sign-in ends the oldest."""

MOST_TICKETS = 1000
"""Unused tickets of a person at one replica: all holders of one token may come back at once."""

LONGEST_BROWSER = 200
"""Characters of a browser's name that are kept."""

_SECRET_BYTES = 32
_LONGEST_SECRET = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnSession:
    """A session as its person may see it; `id` opens nothing, `used_at` may be a minute behind."""

    id: str
    begun_at: datetime
    used_at: datetime
    expires_at: datetime
    address: str
    browser: str


class Sessions:
    """Issues sessions and tickets, and finds their principals; `issuer` is that of their tokens.

    Sessions last `lasts_s` seconds, and end once they were not used for `idle_s`.
    """

    def __init__(
        self, grants: Grants, clock: Clock, *, issuer: str, lasts_s: float, idle_s: float = float("inf")
    ) -> None:
        self._grants = grants
        self._clock = clock
        self._issuer = issuer
        self._lasts_s = lasts_s
        self._idle_s = min(idle_s, lasts_s)
        self._noted_every_s = min(NOTED_EVERY_S, self._idle_s / 10)
        self._found: dict[bytes, tuple[datetime, Principal]] = {}
        self._tickets: dict[str | None, dict[bytes, datetime]] = {}

    # --- sessions --------------------------------------------------------------------------------------

    async def begin(self, principal: Principal, *, address: str = "", browser: str = "") -> tuple[str, int]:
        """Begin a session; return its secret and how many seconds it lasts, no longer than the principal.

        `address` and `browser` are where it is begun, for its person to see. Of more than `MOST_OF_A_PERSON`
        the oldest end. Raises `StoreUnavailable`.
        """
        now = self._clock()
        until = now + timedelta(seconds=self._lasts_s)
        if principal.expires_at is not None:
            until = min(until, principal.expires_at)
        about = {
            "until": until.timestamp(),
            "begun": now.timestamp(),
            "used": now.timestamp(),
            "address": address,
            "browser": "".join(filter(str.isprintable, browser))[:LONGEST_BROWSER],
        }
        secret = await self._give("session", principal, about, self._expires_at(until, now))
        await self._end_surplus(principal.person, but=_digest(secret.encode()))
        return secret, max(0, int((until - now).total_seconds()))

    async def principal(self, secret: bytes) -> Principal:
        """Return the principal of a session. Raises `Unauthorized` and `StoreUnavailable`."""
        digest, now = _digest(secret), self._clock()
        found = self._found.get(digest)
        if found is not None and now - found[0] < timedelta(seconds=LOOKED_UP_AGAIN_S):
            principal = found[1]
        else:
            self._found.pop(digest, None)
            grant = await self._grants.get_grant(digest, now)
            principal = replace(self._read(grant, "session"), session=digest)
            if len(self._found) >= MOST_LOOKED_UP:
                del self._found[next(iter(self._found))]
            self._found[digest] = (now, principal)
            if grant is not None:
                await self._note_use(grant, now)
        if principal.expires_at is not None and principal.expires_at <= now:
            raise _over()
        return principal

    async def end(self, secret: bytes) -> Principal | None:
        """End a session; return its principal, None if it was over. Raises `StoreUnavailable`."""
        grant = await self._take(_digest(secret))
        return None if grant is None else self._read(grant, "session")

    async def of_person(self, person: str | None) -> list[OwnSession]:
        """Return the sessions of a person, or of the one party, that used last first.

        Raises `StoreUnavailable`.
        """
        found = [_own_session(grant, about) async for grant, about in self._of(person, "session")]
        return sorted(found, key=lambda each: each.used_at, reverse=True)

    async def end_one(self, person: str | None, session_id: str) -> bool:
        """End that session of a person; return whether there was one. Raises `StoreUnavailable`."""
        ended = False
        async for grant, _ in self._of(person, "session"):
            if id_of(grant.digest) == session_id:
                ended = await self._take(grant.digest) is not None
        return ended

    async def end_all(self, person: str) -> int:
        """End a person's sessions and tickets; return how many sessions. Raises `StoreUnavailable`."""
        ended = 0
        async for grant, about in self._of(person, "session", "ticket"):
            taken = await self._take(grant.digest)
            ended += taken is not None and about["kind"] == "session"
        return ended

    async def is_over(self, principal: Principal) -> bool:
        """Return whether a principal has expired, or its session has ended. Raises `StoreUnavailable`."""
        now = self._clock()
        if principal.expires_at is not None and principal.expires_at <= now:
            return True
        return principal.session is not None and await self._grants.get_grant(principal.session, now) is None

    # --- tickets ---------------------------------------------------------------------------------------

    async def give_ticket(self, principal: Principal) -> tuple[str, int]:
        """Return a ticket and how many seconds it lasts. Raises `StoreUnavailable`.

        Of more than `MOST_TICKETS` of a person the oldest go.
        """
        # The connection lasts as long as one of the principal itself.
        about: dict[str, Any] = {"until": principal.expires_at and principal.expires_at.timestamp()}
        if principal.session is not None:
            about["session"] = principal.session.hex()
        expires_at = self._clock() + timedelta(seconds=TICKET_LASTS_S)
        secret = await self._give("ticket", principal, about, expires_at)
        for surplus in self._note_ticket(principal.person, _digest(secret.encode()), expires_at):
            await self._grants.take_grant(surplus, self._clock())
        return secret, TICKET_LASTS_S

    async def take_ticket(self, ticket: str) -> Principal:
        """Return the principal of a ticket, once, while the session lasts that it was given to.

        Raises `Unauthorized` and `StoreUnavailable`.
        """
        grant = await self._grants.take_grant(_digest(ticket.encode()), self._clock())
        principal = self._read(grant, "ticket")
        self._tickets.get(principal.person, {}).pop(_digest(ticket.encode()), None)
        # The store is asked, not `_found`: another replica may have ended the session a moment ago.
        if await self.is_over(principal):
            raise _over()
        return principal

    def _note_ticket(self, person: str | None, digest: bytes, expires_at: datetime) -> list[bytes]:
        """Note a ticket of a person; return those of theirs that are too many."""
        now = self._clock()
        own = self._tickets.pop(person, {})
        own = {each: until for each, until in own.items() if until > now} | {digest: expires_at}
        self._tickets[person] = own  # at the end: those who got none for longest come first
        for each in [*self._tickets]:
            if any(until > now for until in self._tickets[each].values()):
                break
            del self._tickets[each]
        surplus = [*own][: max(0, len(own) - MOST_TICKETS)]
        for each in surplus:
            del own[each]
        return surplus

    # --- both ------------------------------------------------------------------------------------------

    async def _give(
        self, kind: str, principal: Principal, about: dict[str, Any], expires_at: datetime
    ) -> str:
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        body = {
            "kind": kind,
            "issuer": self._issuer,
            "person": principal.person,
            "scopes": sorted(principal.scopes),
            **about,
        }
        grant = Grant(digest=_digest(secret.encode()), body=encode(body), expires_at=expires_at)
        await self._grants.put_grant(grant, self._clock())
        return secret

    async def _take(self, digest: bytes) -> Grant | None:
        self._found.pop(digest, None)
        grant = await self._grants.take_grant(digest, self._clock())
        # Once more: a request meanwhile may have found it.
        self._found.pop(digest, None)
        return grant

    async def _of(self, person: str | None, *kinds: str) -> AsyncIterator[tuple[Grant, dict[str, Any]]]:
        """Yield the grants of a person, decoded too."""
        part = encode({"person": person})[1:-1]
        for grant in await self._grants.find_grants(part, self._clock()):
            about: dict[str, Any] = orjson.loads(grant.body)
            if about["issuer"] == self._issuer and about["person"] == person and about["kind"] in kinds:
                yield grant, about

    async def _end_surplus(self, person: str | None, *, but: bytes) -> None:
        """End the oldest sessions of a person, of which there are too many, but never the one just begun."""
        # After it was begun: of several sign-ins at once, in whichever replicas, the last sees all of them.
        found = [
            (about.get("begun", 0.0), grant.digest) async for grant, about in self._of(person, "session")
        ]
        others = sorted(each for each in found if each[1] != but)
        for _, digest in others[: max(0, len(found) - MOST_OF_A_PERSON)]:
            await self._take(digest)

    async def _note_use(self, grant: Grant, now: datetime) -> None:
        """Store a session's use, unless that was done a moment ago."""
        about: dict[str, Any] = orjson.loads(grant.body)
        # One of an earlier version has no use, and lasts its whole time until it is used.
        if now.timestamp() - about.get("used", float("-inf")) < self._noted_every_s:
            return
        about["used"] = now.timestamp()
        expires_at = self._expires_at(datetime.fromtimestamp(about["until"], UTC), now)
        noted = replace(grant, body=encode(about), expires_at=expires_at)
        with contextlib.suppress(StoreUnavailable):  # the session was found: a later use will be noted
            await self._grants.replace_grant(noted, now)

    def _expires_at(self, until: datetime, used_at: datetime) -> datetime:
        return min(until, used_at + timedelta(seconds=self._idle_s))

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


def id_of(digest: bytes) -> str:
    """Return the public id of a session."""
    return digest[:16].hex()


def _own_session(grant: Grant, about: dict[str, Any]) -> OwnSession:
    begun, used = about.get("begun", 0.0), about.get("used", about.get("begun", 0.0))
    return OwnSession(
        id=id_of(grant.digest),
        begun_at=datetime.fromtimestamp(begun, UTC),
        used_at=datetime.fromtimestamp(used, UTC),
        expires_at=grant.expires_at,
        address=about.get("address", ""),
        browser=about.get("browser", ""),
    )


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret[:_LONGEST_SECRET]).digest()


def _over() -> Unauthorized:
    return Unauthorized("Your session is over: sign in again.")
