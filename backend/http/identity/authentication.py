"""Finds the caller of a request: by a proxy's header, a token, a ticket or a session, in this order.

A WebSocket brings its ticket as one of the protocols that it offers, beside the one that it is answered with:
`Sec-WebSocket-Protocol: detour, ticket.…`. In the address it counts, too, for an `EventSource`.
"""

import importlib
import re
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

from starlette.types import Scope as AsgiScope

from ...domain.encoding import Clock
from ...domain.errors import Unauthorized
from ...store.persons import Grants
from ..settings import Settings
from .access import SignIns
from .principal import OneToken, Principal, Tokens
from .proxies import NO_PROXIES, Proxies, ProxySignIn
from .sessions import Sessions

COOKIE_NAME = "detour_session"
_SECURE_COOKIE = f"__Host-{COOKIE_NAME}"
_TICKET = re.compile(rb"(?:^|&)ticket=")

SUBPROTOCOL = "detour"
"""The answer to a WebSocket that offers protocols: browsers drop one that is answered with none."""

_TICKET_PROTOCOL = "ticket."


class Authentication:
    """How this server signs people in: by `tokens`, or by a `proxy` that names everybody.

    With `secure`, browsers reach the server by https alone, and so send the session's cookie.
    """

    def __init__(
        self,
        sessions: Sessions,
        *,
        tokens: Tokens | None = None,
        proxy: ProxySignIn | None = None,
        secure: bool = False,
    ) -> None:
        self.sessions = sessions
        self.tokens = tokens
        self._proxy = proxy
        self._secure = secure
        self._cookie_name = _SECURE_COOKIE if secure else COOKIE_NAME
        self._cookie_prefix = self._cookie_name.encode() + b"="
        self._sign_ins = SignIns(time.monotonic)

    @property
    def knows_persons(self) -> bool:
        """Whether people are told apart."""
        return self._proxy is not None or (self.tokens is not None and self.tokens.knows_persons)

    @property
    def headers(self) -> frozenset[bytes]:
        """The headers, beside a token's and a cookie, that `principal` reads."""
        return frozenset() if self._proxy is None else self._proxy.header_names

    async def principal(
        self, scope: AsgiScope, headers: Mapping[bytes, bytes], *, peer: str, cookie: bytes | None
    ) -> Principal:
        """Return the sender of a request from the address `peer`, with these headers and cookies.

        Raises `Unauthorized`, `KeysUnavailable` and `StoreUnavailable`.
        """
        address = scope["client"][0] if scope.get("client") else ""
        if self._proxy is not None:
            principal = self._proxy.principal(peer, headers)
            self._sign_ins.note(principal, address, "proxy", b"")
            return principal
        if (token := sent_token(headers)) is not None and self.tokens is not None:
            principal = await self.tokens.principal(token)
            self._sign_ins.note(principal, address, "token", token)
            return principal
        if (ticket := _ticket(scope)) is not None:
            return await self.sessions.take_ticket(ticket)
        for secret in self.secrets(cookie):
            return await self.sessions.principal(secret)
        raise Unauthorized("Sign in first: send a token of this server's as `Authorization: Bearer`.")

    async def close(self) -> None:
        """Close what was opened to check tokens."""
        if self.tokens is not None:
            await self.tokens.close()

    def secrets(self, cookie: bytes | None) -> list[bytes]:
        """Return the session that a `Cookie` header holds, if it holds one."""
        pairs = [] if cookie is None else [each.strip() for each in cookie.split(b";")]
        prefix = self._cookie_prefix
        return [each[len(prefix) :] for each in pairs if each.startswith(prefix)][:1]

    def set_cookie(self, secret: str, lasts_s: int) -> str:
        """Return the value of the `Set-Cookie` header that gives a browser a session, or with "" takes it."""
        attributes = f"; Path=/; Max-Age={lasts_s}; HttpOnly; SameSite=Strict"
        return f"{self._cookie_name}={secret}{attributes}{'; Secure' if self._secure else ''}"


def sent_token(headers: Mapping[bytes, bytes]) -> bytes | None:
    """Return the token that a request sends, None if it sends none. Empty: it is none that counts."""
    authorization = headers.get(b"authorization")
    if authorization is None:
        api_key = headers.get(b"x-api-key")
        return None if api_key is None else api_key.strip()
    scheme, _, token = authorization.partition(b" ")
    return token.strip() if scheme.lower() == b"bearer" else b""


def subprotocol_of(scope: AsgiScope) -> str | None:
    """Return the protocol that a WebSocket is answered with, None if it offers none that is known."""
    return SUBPROTOCOL if SUBPROTOCOL in scope.get("subprotocols", ()) else None


def _ticket(scope: AsgiScope) -> str | None:
    """Return the ticket that a WebSocket offers as a protocol, or that is in the address of a stream."""
    for offered in scope.get("subprotocols", ()):
        if offered.startswith(_TICKET_PROTOCOL):
            return offered.removeprefix(_TICKET_PROTOCOL)
    query: bytes = scope.get("query_string", b"")
    if _TICKET.search(query) is None or scope.get("method", "GET") != "GET":
        return None
    found = parse_qs(query.decode("latin-1")).get("ticket", [])
    return found[0] if len(found) == 1 else ""


# --- building ------------------------------------------------------------------------------------------


class Identity(NamedTuple):
    """How a server identifies callers: `authentication` is None where nobody signs in."""

    authentication: Authentication | None = None
    proxies: Proxies = NO_PROXIES
    https_alone: bool = False
    public_hosts: tuple[str, ...] = ()

    @property
    def knows_persons(self) -> bool:
        """Whether people are told apart."""
        return self.authentication is not None and self.authentication.knows_persons


NOBODY_SIGNS_IN = Identity()


def identity_of(
    settings: Settings, grants: Grants, clock: Clock, spawn_detached: Callable[..., Any]
) -> Identity:
    """Return how the settings identify callers. Raises `KeyNotReadError`."""
    return Identity(
        _authentication_of(settings, grants, clock, spawn_detached),
        Proxies(settings.proxy_addresses),
        settings.public_url.startswith("https://"),
        (urlsplit(settings.public_url).netloc,) if settings.public_url else (),
    )


def _authentication_of(
    settings: Settings, grants: Grants, clock: Clock, spawn_detached: Callable[..., Any]
) -> Authentication | None:
    tokens: Tokens | None = None
    proxy: ProxySignIn | None = None
    if settings.auth == "jwt":
        # Imported only here: what checks signatures takes 9 MiB.
        issued: Any = importlib.import_module(".token_keys", __package__)
        tokens = issued.tokens_of(settings, spawn_detached)
    elif settings.auth == "proxy":
        proxy = ProxySignIn(
            Proxies(settings.proxy_addresses),
            header=settings.proxy_header.lower().encode(),
            scopes_header=settings.proxy_scopes_header.lower().encode(),
            default_scopes=frozenset(settings.default_scopes),
        )
    elif settings.token is not None:
        tokens = OneToken(settings.token.get_secret_value())
    else:
        return None
    issuer = tokens.issuer if tokens is not None else "proxy"
    sessions = Sessions(
        grants,
        clock,
        issuer=issuer,
        lasts_s=settings.session_hours * 3600,
        idle_s=settings.session_idle_hours * 3600,
    )
    return Authentication(
        sessions, tokens=tokens, proxy=proxy, secure=settings.public_url.startswith("https://")
    )
