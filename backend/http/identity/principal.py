"""Who asks, and what they may do: found once by the guard, and asked by whatever serves the request."""

import hashlib
import hmac
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol, get_args

from ...domain.errors import Forbidden, Unauthorized

Scope = Literal["read", "chat", "operate"]
SCOPES: tuple[Scope, ...] = get_args(Scope)

LONGEST_PERSON = 255
"""Characters of a person's id; OpenID Connect bounds a subject by as many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """Somebody who may use this server, `person` None for the one party of a server that knows no persons.

    `expires_at` is None where nothing expires. `session` is the digest of the session that says so, if one
    does: it may be revoked before.
    """

    person: str | None
    scopes: frozenset[Scope]
    expires_at: datetime | None = None
    session: bytes | None = None

    def may(self, scope: Scope) -> bool:
        """Return whether that is allowed; whoever may do anything may read, too."""
        return scope in self.scopes or (scope == "read" and bool(self.scopes))

    def need(self, scope: Scope) -> None:
        """Raise `Forbidden` unless that is allowed."""
        if not self.may(scope):
            raise Forbidden(
                f"This needs the scope `{scope}`, which you were not given.", code="scope_missing"
            )


ONE_PARTY = Principal(person=None, scopes=frozenset(SCOPES))
"""Everybody who may use a server that knows no persons."""


@dataclass(frozen=True, slots=True)
class Caller:
    """A principal, and the address that its request came from."""

    principal: Principal
    address: str


_NOBODY_SIGNED_IN = Caller(ONE_PARTY, "")

CALLER: ContextVar[Caller] = ContextVar("caller", default=_NOBODY_SIGNED_IN)
"""Whoever sent the request that is served. The guard sets it; tasks that serve the request inherit it."""


def is_person(text: str) -> bool:
    """Return whether a text can be a person's id."""
    return 0 < len(text) <= LONGEST_PERSON and text.isprintable()


# --- tokens --------------------------------------------------------------------------------------------
# What signs a program in: the server's one token here, and JSON Web Tokens in `token_keys`.


SHORTEST_TOKEN = 22
"""Characters of `DETOUR_TOKEN`: so many random ones, of 64 kinds, have 128 bits or more."""

TokenType = Literal["at+jwt", "JWT", "none"]
TOKEN_TYPES: tuple[TokenType, ...] = get_args(TokenType)
"""What the header `typ` of a JSON Web Token may be; `none` is one without."""

LEAST_RSA_BITS = 2048

MOST_RSA_BITS = 8192
"""Longer keys of an issuer cost more with each token than anybody gains by them."""

STRONG_RSA_BITS = 3072
"""From here on a key is as hard to find as one of 128 bits."""


class Tokens(Protocol):
    """Tells whose a token is.

    Sessions that were begun with the token of another `issuer` are over.
    """

    @property
    def issuer(self) -> str:
        """Who gives the tokens out."""
        ...

    @property
    def knows_persons(self) -> bool:
        """Whether tokens tell people apart."""
        ...

    async def principal(self, token: bytes) -> Principal:
        """Return whose a token is. Raises `Unauthorized`; `KeysUnavailable` if that cannot be told now."""
        ...

    async def close(self) -> None:
        """Let go of what was opened."""
        ...


class OneToken:
    """The one token of a server: all its holders are one party."""

    knows_persons = False

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("an empty token would let anyone in")
        self._token = token.encode()

    @property
    def issuer(self) -> str:
        """Return a text that another token has not, and that does not tell this one."""
        return "token " + hmac.new(self._token, b"detour issuer", hashlib.sha256).hexdigest()

    async def principal(self, token: bytes) -> Principal:
        """Return the one party. Takes the same time for every wrong token. Raises `Unauthorized`."""
        if not hmac.compare_digest(token, self._token):
            raise Unauthorized("That is not this server's token.")
        return ONE_PARTY

    async def close(self) -> None:
        """Do nothing."""
