"""The caller of a request, and what it may do: found once by the guard, asked by all that serves it."""

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
    """Somebody who may use this server; `person` is None for the one party of a server without persons.

    `expires_at` is None where nothing expires. `session` is the digest of the session, which may be revoked.
    """

    person: str | None
    scopes: frozenset[Scope]
    expires_at: datetime | None = None
    session: bytes | None = None

    def may(self, scope: Scope) -> bool:
        """Return whether that is allowed; any scope includes `read`."""
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


CALLER: ContextVar[Caller] = ContextVar("caller", default=Caller(ONE_PARTY, ""))  # noqa: B039 - frozen
"""The caller of the present request. The guard sets it; tasks that serve the request inherit it."""


def is_person(text: str) -> bool:
    """Return whether a text can be a person's id."""
    return 0 < len(text) <= LONGEST_PERSON and text.isprintable()


# --- tokens --------------------------------------------------------------------------------------------
# The server's one token; JSON Web Tokens are in `token_keys`.


SHORTEST_TOKEN = 22
"""Characters of `DETOUR_TOKEN`: so many random ones, of 64 kinds, have 128 bits or more."""

TokenType = Literal["at+jwt", "JWT", "none"]
TOKEN_TYPES: tuple[TokenType, ...] = get_args(TokenType)
"""What the header `typ` of a JSON Web Token may be; `none` is one without."""

LEAST_RSA_BITS = 2048

MOST_RSA_BITS = 8192
"""Longer keys cost more with each token than anybody gains by them."""

STRONG_RSA_BITS = 3072
"""Bits of an RSA key with 128 bits of security."""


class Tokens(Protocol):
    """Finds the principal of a token. Sessions begun with the token of another `issuer` are over.

    `knows_persons` is whether tokens tell people apart.
    """

    @property
    def issuer(self) -> str: ...  # noqa: D102
    @property
    def knows_persons(self) -> bool: ...  # noqa: D102

    async def principal(self, token: bytes) -> Principal:
        """Return the principal of a token. Raises `Unauthorized`, and `KeysUnavailable`."""
        ...

    async def close(self) -> None:
        """Close what was opened."""
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
        """Return a text that no other token has, and that does not reveal this one."""
        return "token " + hmac.new(self._token, b"detour issuer", hashlib.sha256).hexdigest()

    async def principal(self, token: bytes) -> Principal:
        """Return the one party. Takes the same time for every wrong token. Raises `Unauthorized`."""
        if not hmac.compare_digest(token, self._token):
            raise Unauthorized("That is not this server's token.")
        return ONE_PARTY

    async def close(self) -> None:
        """Do nothing."""
