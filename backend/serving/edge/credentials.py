"""The one token of a server that has one, and the cookie that a page gets for it.

A program sends the token as `Authorization: Bearer`, or as `X-Api-Key`, which is all that LangGraph's SDKs
send. A browser can't put a header on a WebSocket, so the
page trades the token, which the printed link carries in its fragment, for a cookie. The cookie holds a
value derived from the token: cookies are shared by all ports of a host, and another server on this
machine should not learn the token itself. The token is never read from a query string, which ends up in logs.
"""

import hashlib
import hmac

COOKIE_NAME = "detour_session"
_COOKIE_PREFIX = COOKIE_NAME.encode() + b"="


class Credentials:
    """Decides whether a request is signed in. All comparisons take the same time whatever is sent."""

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("an empty token would let anyone in")
        self._token = token.encode()
        self._cookie_value = hmac.new(self._token, COOKIE_NAME.encode(), hashlib.sha256).hexdigest().encode()

    def accept_token(self, token: bytes) -> bool:
        """Return whether `token` is the server's."""
        return hmac.compare_digest(token, self._token)

    def accept_headers(
        self, *, authorization: bytes | None, cookie: bytes | None, api_key: bytes | None = None
    ) -> bool:
        """Return whether these header values sign a request in; a token, if sent, decides alone."""
        if authorization is None and api_key is not None:
            return self.accept_token(api_key.strip())
        if authorization is not None:
            scheme, _, token = authorization.partition(b" ")
            return scheme.lower() == b"bearer" and self.accept_token(token.strip())
        if cookie is None:
            return False
        values = [
            pair.strip()[len(_COOKIE_PREFIX) :]
            for pair in cookie.split(b";")
            if pair.strip().startswith(_COOKIE_PREFIX)
        ]
        return any(hmac.compare_digest(value, self._cookie_value) for value in values)

    def set_cookie(self, *, secure: bool) -> str:
        """Return the value of the `Set-Cookie` header that signs a page in until the browser closes."""
        attributes = "; Path=/; HttpOnly; SameSite=Strict" + ("; Secure" if secure else "")
        return f"{COOKIE_NAME}={self._cookie_value.decode()}{attributes}"
