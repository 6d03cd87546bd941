"""The headers that keep a page from running or embedding what it should not, on every answer."""

from collections.abc import Awaitable

from starlette.types import Message, Send

from .cross_origin import Headers

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

    Browsers may keep a `page` if they ask whether it has changed.
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
