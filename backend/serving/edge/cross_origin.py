"""Which pages of another origin may use this server, and the headers that tell their browser so (CORS).

An origin is named exactly, or all are by `*`. A browser then lets a page of that origin read answers, and
asks first (a *preflight*) before it sends JSON. Cookies are taken from named origins only: with `*` any page
would act as whoever is signed in.
"""

from collections.abc import Iterable, Mapping

Headers = list[tuple[bytes, bytes]]

ANY = b"*"

_METHODS = b"GET, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS = (
    b"content-type, authorization, x-api-key, x-auth-scheme, last-event-id, accept, cache-control, "
    b"idempotency-key, detour-policy, if-none-match"
)
# A page learns the id of its run from `Content-Location`; without it, it can neither stop nor rejoin it.
_EXPOSED = b"Content-Location, Location, ETag, Retry-After, X-Vercel-AI-UI-Message-Stream"
_PREFLIGHT_S = b"600"


class CrossOrigin:
    """The origins whose pages may use this server beside its own."""

    def __init__(self, origins: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.lower().rstrip("/").encode() for origin in origins)

    def allows(self, origin: bytes) -> bool:
        """Return whether pages of an origin may use this server."""
        return ANY in self._origins or origin.lower() in self._origins

    def is_preflight(self, method: str, headers: Mapping[bytes, bytes]) -> bool:
        """Return whether a browser asks for an allowed page what it may send."""
        origin = headers.get(b"origin")
        asks = method == "OPTIONS" and b"access-control-request-method" in headers
        return asks and origin is not None and self.allows(origin)

    def only_as_any(self, origin: bytes) -> bool:
        """Return whether an origin is allowed by `*` alone."""
        return ANY in self._origins and origin.lower() not in self._origins

    def preflight_headers(self) -> Headers:
        """Return what the answer to a preflight says beside `headers`."""
        return [
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _REQUEST_HEADERS),
            (b"access-control-max-age", _PREFLIGHT_S),
        ]

    def headers(self, origin: bytes | None) -> Headers:
        """Return what every response to a page of that origin says, nothing for one that is not allowed."""
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
