"""Who asks, and what they may do: found once by the guard, and asked by whatever serves the request."""

from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

from ....errors import Forbidden

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
