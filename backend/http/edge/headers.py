"""The address that a request counts for, and the headers of answers: for pages of other origins, and for all.

An IPv6 customer gets a network of 2^64 addresses or more, which counts as one address. Without a trusted
proxy (`identity.proxies`) the address is the connection's; no header of the request has a say in it.
"""

import functools
import ipaddress
from collections.abc import Awaitable, Iterable, Mapping
from contextvars import ContextVar

from starlette.types import Message, Scope, Send

UNKNOWN = "unknown"
"""The address of clients without one, as over a socket in the file system."""

_NETWORK_BITS = 64

of_request: ContextVar[str] = ContextVar("client_address", default=UNKNOWN)
"""The address that the present request counts for; set by the guard."""


def client_address(scope: Scope) -> str:
    """Return the address under which a request's client is counted."""
    client = scope.get("client")
    return counted_address(client[0]) if client else UNKNOWN


@functools.lru_cache(maxsize=4096)
def counted_address(address: str) -> str:
    """Return what an address counts as: itself, or its IPv6 network."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return UNKNOWN
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _NETWORK_BITS), strict=False))


# --- cross origin --------------------------------------------------------------------------------------
# An origin is named exactly, or all are by `*`. A browser then lets a page of that origin read answers, and
# asks first (a *preflight*) before it sends JSON. Cookies are taken from named origins only: with `*` any
# page would act as the user who is signed in.


Headers = list[tuple[bytes, bytes]]

ANY = b"*"

_METHODS = b"GET, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS = (
    b"content-type, authorization, x-api-key, x-auth-scheme, last-event-id, accept, cache-control, "
    b"idempotency-key, detour-policy, detour-thread, if-none-match, openai-organization, openai-project, "
    b"mcp-session-id, mcp-protocol-version, mcp-method, mcp-name, "
    # OpenAI's client describes itself with each request.
    b"x-stainless-arch, x-stainless-helper-method, x-stainless-lang, x-stainless-os, "
    b"x-stainless-package-version, x-stainless-poll-helper, x-stainless-retry-count, x-stainless-runtime, "
    b"x-stainless-runtime-version, x-stainless-timeout"
)
# A page learns the id of its run from `Content-Location`; without it, it can neither stop nor rejoin it.
_EXPOSED = b"Content-Location, Location, ETag, Retry-After, X-Vercel-AI-UI-Message-Stream, Mcp-Session-Id"
_PREFLIGHT_S = b"600"


class CrossOrigin:
    """The origins whose pages may use this server beside its own."""

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.lower().rstrip("/").encode() for origin in origins)

    def allows(self, origin: bytes) -> bool:
        """Return whether pages of an origin may use this server."""
        return ANY in self._origins or origin.lower() in self._origins

    def is_preflight(self, method: str, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether this is the preflight of an allowed page."""
        origin = headers.get(b"origin")
        asks = method == "OPTIONS" and b"access-control-request-method" in headers
        return asks and origin is not None and self.allows(origin)

    def only_as_any(self, origin: bytes) -> bool:
        """Return whether an origin is allowed by `*` alone."""
        return ANY in self._origins and origin.lower() not in self._origins

    def preflight_headers(self) -> Headers:
        """Return the headers of the answer to a preflight, beside `headers`."""
        return [
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _REQUEST_HEADERS),
            (b"access-control-max-age", _PREFLIGHT_S),
        ]

    def headers(self, origin: bytes | None) -> Headers:
        """Return the headers of every response to a page of that origin, none if it is not allowed."""
        if origin is None or not self.allows(origin):
            return []
        headers = [
            (b"access-control-allow-origin", origin),
            (b"access-control-expose-headers", _EXPOSED),
            (b"vary", b"Origin"),
        ]
        if origin.lower() in self._origins:
            headers.append((b"access-control-allow-credentials", b"true"))
        return headers


# --- security headers ----------------------------------------------------------------------------------


CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'none'"
)

_SECURITY_HEADERS = [
    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
]
_HTTPS_ALONE = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")
_NEVER_STORED = (b"cache-control", b"no-store")
_REVALIDATED = (b"cache-control", b"no-cache")


def security_headers(*, https_alone: bool) -> Headers:
    """Return the headers of every answer; with `https_alone`, browsers come by https from then on."""
    return [*_SECURITY_HEADERS, *([_HTTPS_ALONE] if https_alone else [])]


def with_security_headers(send: Send, security: Headers, *, page: bool) -> Send:
    """Return `send` with security headers on every response; the application's own Cache-Control stays.

    Browsers may keep a `page`, and revalidate it.
    """
    caching = _REVALIDATED if page else _NEVER_STORED

    def send_with_headers(message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            headers = [*message.get("headers", ()), *security]
            if not any(name == b"cache-control" for name, _ in headers):
                headers.append(caching)
            message = {**message, "headers": headers}
        return send(message)

    return send_with_headers


def with_headers(further: Headers, send: Send) -> Send:
    """Return `send` with further headers on the response."""

    def send_with_headers(message: Message) -> Awaitable[None]:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), *further]}
        return send(message)

    return send_with_headers
