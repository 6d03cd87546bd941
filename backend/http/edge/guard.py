"""Admission: checks every request and WebSocket before any route sees it, and bounds its body.

Every page that a user's browser has open can reach a server on localhost. Programs on this machine are
trusted; pages are not, unless this server served them. So, in this order:

- Headers of a proxy count if it is trusted (`identity.proxies`). Where nobody signs in, a request that a
  proxy forwarded from another machine is refused, and a connection must have come to a loopback address.
- `Host` must name this server: a page whose domain was re-pointed at 127.0.0.1 names its own. This machine's
  names count with any port, since a relay is called at its own.
- `Origin`, which browsers send with every post and WebSocket, must be one of this server's, or one that
  `DETOUR_ALLOWED_ORIGINS` names. Without one, `Sec-Fetch-Site` keeps out what a foreign page embeds or
  sends; a link there may be followed.
- Where people sign in, everything but pages, liveness and signing in needs a principal
  (`identity.authentication`); `identity.access` decides what it may do.
- Requests and wrong tokens of an address are limited (`limits`).
- A body is JSON, which a foreign form can't claim, of at most `body_limit` bytes, counted as they arrive;
  protocols that send whole conversations may have `LARGE_BODY_LIMIT_BYTES`.

A refused WebSocket handshake is a bare 403; without a sign-in it is accepted and closed with 4401, because
browsers hide the status of a failed handshake. Pure ASGI and outermost, because middleware that wraps
responses in tasks hides disconnects. Header names are lower-case, as ASGI requires.
"""

import functools
import re
import time
from collections.abc import Callable, Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.errors import (
    BadInput,
    BodyTooLarge,
    DetourError,
    Forbidden,
    KeysUnavailable,
    StoreUnavailable,
    TokenExpired,
    TooManyRequests,
    Unauthorized,
    UnsupportedMediaType,
)
from ...tasks.workflow import CALLER_TRACE
from ..identity.authentication import Authentication, sent_token, subprotocol_of
from ..identity.principal import CALLER, ONE_PARTY, Caller
from ..identity.proxies import NO_PROXIES, Proxies, check_not_forwarded, is_loopback
from .headers import (
    CrossOrigin,
    client_address,
    of_request,
    security_headers,
    with_headers,
    with_security_headers,
)
from .limits import NO_LIMITS, Limits
from .refusals import CONTRACT_ALONE, ErrorForms, RefusalLog, send_error
from .shares import Bodies

VERSION = "/v1"
"""`/v1/chat` is `/chat`, for every path; clients that are older than the version call paths without it."""

_PREFIX = f"{VERSION}/"
_RAW_VERSION = VERSION.encode()


def without_version(scope: Scope) -> Scope:
    """Return the scope of an HTTP request or a WebSocket with the version taken from its path."""
    # Before anything else reads the path, so that both spellings are open to the same callers.
    if not scope["path"].startswith(_PREFIX):
        return scope
    return {
        **scope,
        "path": scope["path"].removeprefix(VERSION),
        "raw_path": scope.get("raw_path", b"").removeprefix(_RAW_VERSION),
    }


# --- traces of callers ---------------------------------------------------------------------------------


_IDS = rb"-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}"
# A later version than 00 may have more fields; ff is none.
_TRACEPARENT = re.compile(rb"00" + _IDS + rb"|(?!00|ff)[0-9a-f]{2}" + _IDS + rb"(-.*)?")


class TracedCallers:
    """ASGI application around another one: keeps a request's valid `traceparent` for its tasks."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        token = CALLER_TRACE.set(_traceparent(scope) if scope["type"] == "http" else None)
        try:
            await self._app(scope, receive, send)
        finally:
            CALLER_TRACE.reset(token)


def _traceparent(scope: Scope) -> str | None:
    found = [value for name, value in scope["headers"] if name == b"traceparent"]
    if len(found) != 1 or _TRACEPARENT.fullmatch(found[0]) is None:
        return None
    # Of a later version only these fields are known.
    return found[0][:55].decode()


# --- guard ---------------------------------------------------------------------------------------------


BODY_LIMIT_BYTES = 128 * 1024
"""The longest body, and the longest frame of a socket. A message of 8,000 characters may have 96,000 bytes:
an emoji may be written as two of JSON's escapes."""

LARGE_BODY_LIMIT_BYTES = 4 * 1024 * 1024

_STATIC_PREFIX = "/static/"
_PAGES = frozenset({"/", "/docs", "/operate"})
OPEN_TO_ALL = _PAGES | {"/health", "/ready", "/session", "/ok", "/info"}

_READ_HEADERS = frozenset(
    {
        b"host",
        b"origin",
        b"sec-fetch-site",
        b"sec-fetch-mode",
        b"authorization",
        b"x-api-key",
        b"cookie",
        b"access-control-request-method",
        b"content-type",
        b"content-length",
        b"transfer-encoding",
    }
)

CLOSE_NOT_SIGNED_IN = 4401
CLOSE_FORBIDDEN = 4403
_CLOSE_TRY_AGAIN = 1013

_SAFE_METHODS = frozenset({"GET", "HEAD"})

_BODY_ENDS_S = 20
"""Seconds after which a slow body has arrived, or was given up (`transports.BODY_S`)."""


_OF_THIS_MACHINE = re.compile(rb"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]{1,5})?")


@functools.lru_cache(maxsize=256)
def own_hosts(address: str, port: int, name: str = "") -> frozenset[bytes]:
    """Return the valid `Host` values of a connection to an address, and to a name of the server."""
    names = {"127.0.0.1", "localhost", "[::1]", f"[{address}]" if ":" in address else address}
    names |= {name.lower()} if name else set()
    hosts = {f"{each}:{port}" for each in names}
    return frozenset(host.encode() for host in (hosts | names if port == 80 else hosts))


class Guard:
    """ASGI application around another one; the module says what it admits.

    `lifespan` is the application that is started and ended, by default `app`. `name` is a name of the server
    besides its addresses, `hosts` are further exact `Host` values; their pages are own origins, over http and
    https. With `authentication` None nobody needs to sign in. With `https_alone`, browsers must come by
    https. Paths that begin with one of `large_bodies` take bodies of `LARGE_BODY_LIMIT_BYTES`. Cancelling a
    call cancels the inner application's.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        lifespan: ASGIApp | None = None,
        name: str = "",
        hosts: Iterable[str] = (),
        authentication: Authentication | None = None,
        proxies: Proxies = NO_PROXIES,
        https_alone: bool = False,
        cross_origin: CrossOrigin | None = None,
        body_limit: int = BODY_LIMIT_BYTES,
        large_bodies: Iterable[str] = (),
        error_forms: ErrorForms = CONTRACT_ALONE,
        refusals: RefusalLog | None = None,
        limits: Limits = NO_LIMITS,
    ) -> None:
        self._app = app
        self._lifespan = lifespan or app
        self._name = name
        self._further_hosts = frozenset(host.lower().encode() for host in hosts)
        self._authentication = authentication
        self._proxies = proxies
        self._security_headers = security_headers(https_alone=https_alone)
        self._read = _READ_HEADERS | (authentication.headers if authentication is not None else frozenset())
        self._cross_origin = cross_origin or CrossOrigin()
        self._body_limit = body_limit
        self._large_bodies = tuple(large_bodies)
        self._error_forms = error_forms
        self._limits = limits
        self._bodies = Bodies()
        self._refusals = refusals or RefusalLog(time.monotonic)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let one connection through, or refuse it."""
        if scope["type"] == "http":
            await self._http(without_version(scope), receive, send)
        elif scope["type"] == "websocket":
            await self._websocket(without_version(scope), receive, send)
        else:
            await self._lifespan(scope, receive, send)

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        send = with_security_headers(send, self._security_headers, page=_is_page(scope["path"]))
        peer = _address(scope)
        try:
            scope = self._proxies.seen_through(scope)
            of_request.set(client_address(scope))
            headers = self._read_headers(scope)
            origin = headers.get(b"origin")
            if allowed := self._cross_origin.headers(origin):
                send = with_headers(allowed, send)
            self._check_sender(scope, headers)
            self._limits.take_request(of_request.get())
            if self._cross_origin.is_preflight(scope["method"], headers):
                preflight = self._cross_origin.preflight_headers()
                await send({"type": "http.response.start", "status": 204, "headers": preflight})
                await send({"type": "http.response.body", "body": b""})
                return
            await self._check_signed_in(scope, headers, peer)
            body = await self._read_body(scope, headers, receive)
            self._refusals.let_in(scope)
        except DetourError as error:
            self._refusals.note_request(error, scope)
            await send_error(send, error, self._error_forms.body(scope["path"], error))
            return
        if body is None:
            await self._app(scope, receive, send)
        elif body["type"] == "http.request":
            await self._app(scope, _after(body, receive), send)

    async def _websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = _address(scope)
        try:
            scope = self._proxies.seen_through(scope)
            of_request.set(client_address(scope))
            headers = self._read_headers(scope)
            self._check_sender(scope, headers)
            self._limits.take_request(of_request.get())
        except DetourError as error:
            self._refusals.note_request(error, scope)
            await receive()
            await send({"type": "websocket.close", "code": CLOSE_FORBIDDEN, "reason": error.message})
            return
        try:
            await self._check_signed_in(scope, headers, peer)
        except (Unauthorized, KeysUnavailable, StoreUnavailable, TooManyRequests) as error:
            self._refusals.note_request(error, scope)
            await receive()
            await send({"type": "websocket.accept", "subprotocol": subprotocol_of(scope)})
            code = CLOSE_NOT_SIGNED_IN if isinstance(error, Unauthorized) else _CLOSE_TRY_AGAIN
            await send({"type": "websocket.close", "code": code, "reason": error.message})
            return
        self._refusals.let_in(scope)
        await self._app(scope, receive, send)

    def _read_headers(self, scope: Scope) -> dict[bytes, bytes]:
        """Return the headers that the guard reads. Raises `BadInput` if one came twice."""
        headers: dict[bytes, bytes] = {}
        for name, value in scope["headers"]:
            if name in self._read:
                if name not in headers:
                    headers[name] = value
                elif name == b"cookie":
                    headers[name] += b"; " + value
                else:
                    raise BadInput(f"The header {name.decode()} was sent twice.")
        return headers

    def _check_sender(self, scope: Scope, headers: dict[bytes, bytes]) -> None:
        """Raise Forbidden unless the request is for this server, and from one of its pages or a program."""
        address, _ = _local_address(scope)
        if self._authentication is None:
            if not is_loopback(address):
                raise Forbidden(
                    "Without DETOUR_TOKEN this server answers its own machine only.", code="no_token"
                )
            check_not_forwarded(scope["headers"])
        host = _host(scope)
        if not self._answers_under(host, scope):
            raise Forbidden("This server does not answer under that host name.", code="host_not_allowed")
        origin = headers.get(b"origin")
        if origin is not None:
            foreign = not self._is_own_page(origin, scope) and not self._cross_origin.allows(origin)
        else:
            site = headers.get(b"sec-fetch-site")
            foreign = (
                site is not None
                and site not in (b"same-origin", b"none")
                # A link that is followed; a form that is sent is no link, though it navigates as well.
                and not (
                    headers.get(b"sec-fetch-mode") == b"navigate" and scope.get("method") in _SAFE_METHODS
                )
            )
        if foreign:
            raise Forbidden("Pages of another origin may not use this server.", code="origin_not_allowed")

    def _is_own(self, host: bytes, address: str, port: int) -> bool:
        return host in own_hosts(address, port, self._name) or host in self._further_hosts

    def _answers_under(self, host: bytes, scope: Scope) -> bool:
        # This machine at any port: a relay (an SSH tunnel, a published port of a container) has its own. A
        # page cannot choose its `Host`: a name that was re-pointed here is sent as it is, and refused.
        return _OF_THIS_MACHINE.fullmatch(host) is not None or self._is_own(host, *_local_address(scope))

    def _is_own_page(self, origin: bytes, scope: Scope) -> bool:
        """Return whether this server served the pages of an origin, directly or through a relay."""
        scheme, _, host = origin.partition(b"://")
        # Under the very `Host` that the page calls: at another port of this machine is another program.
        is_relayed = _OF_THIS_MACHINE.fullmatch(host) is not None and host == _host(scope)
        is_own = is_relayed or self._is_own(host, *_local_address(scope))
        return scheme in (b"http", b"https") and is_own

    async def _check_signed_in(self, scope: Scope, headers: dict[bytes, bytes], peer: str) -> None:
        """Set the caller, for all that serves the request; `peer` is the address of the connection.

        Raises `Unauthorized`, `KeysUnavailable`, `StoreUnavailable` and `TooManyRequests`.
        """
        principal = ONE_PARTY
        if self._authentication is not None and not is_open_to_all(scope["path"]):
            sends_token = sent_token(headers) is not None
            if sends_token:
                await self._limits.check_guesses(of_request.get())
            try:
                principal = await self._authentication.principal(
                    scope, headers, peer=peer, cookie=self._cookie(scope, headers)
                )
            except Unauthorized as error:
                # Without a token nothing is guessed, nor with a session or a token that has expired.
                if sends_token and not isinstance(error, TokenExpired):
                    await self._limits.count_wrong_token(of_request.get())
                raise
        CALLER.set(Caller(principal, _address(scope)))

    def _cookie(self, scope: Scope, headers: dict[bytes, bytes]) -> bytes | None:
        """Return the cookies of a request, none of a page that is let in only because every origin is."""
        origin = headers.get(b"origin")
        ignored = (
            origin is not None
            and self._cross_origin.only_as_any(origin)
            and not self._is_own_page(origin, scope)
        )
        return None if ignored else headers.get(b"cookie")

    async def _read_body(self, scope: Scope, headers: dict[bytes, bytes], receive: Receive) -> Message | None:
        """Read the body and return it as one ASGI message; None if there is nothing to read.

        The message is of type `http.disconnect` if the client left meanwhile. Raises `BodyTooLarge` before
        more than the limit is held, `UnsupportedMediaType` for anything but JSON, `BadInput` for a wrong
        length.
        """
        method, path = scope["method"], scope["path"]
        most = LARGE_BODY_LIMIT_BYTES if path.startswith(self._large_bodies) else self._body_limit
        declared = headers.get(b"content-length")
        if declared is not None:
            if not declared.isdigit():
                raise BadInput("The Content-Length header is not a number.")
            if len(declared) > 18 or int(declared) > most:
                raise _too_large(most)
        elif method in ("GET", "HEAD") and b"transfer-encoding" not in headers:
            return None
        message = await receive()
        if message.get("more_body", False):
            with self._bodies.unfinished(of_request.get(), retry_after_s=_BODY_ENDS_S) as count:
                message = await _read_chunks(message, receive, most, count)
        body = message.get("body", b"")
        if len(body) > most:
            raise _too_large(most)
        if body:
            media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
            if media_type != b"application/json":
                raise UnsupportedMediaType("Send JSON, with the header `Content-Type: application/json`.")
        return message


def _host(scope: Scope) -> bytes:
    return next((value.lower() for name, value in scope["headers"] if name == b"host"), b"")


def _is_page(path: str) -> bool:
    return path in _PAGES or path.startswith(_STATIC_PREFIX)


def is_open_to_all(path: str) -> bool:
    """Return whether a path needs no sign-in."""
    return path in OPEN_TO_ALL or path.startswith(_STATIC_PREFIX)


def _address(scope: Scope) -> str:
    """Return the address that a request came from."""
    client = scope.get("client")
    return client[0] if client else ""


def _local_address(scope: Scope) -> tuple[str, int]:
    """Return the address and port that a connection came to."""
    address, port = scope.get("server") or ("", 0)
    return ("127.0.0.1", 80) if port is None else (address, port)  # None: a socket in the file system


async def _read_chunks(
    message: Message, receive: Receive, most: int, count: Callable[[int], None]
) -> Message:
    body = bytearray(message.get("body", b""))
    count(len(body))
    while message["type"] == "http.request" and message.get("more_body", False):
        if len(body) > most:
            raise _too_large(most)
        message = await receive()
        body += message.get("body", b"")
        count(len(message.get("body", b"")))
    return {**message, "body": bytes(body)} if message["type"] == "http.request" else message


def _too_large(most: int) -> BodyTooLarge:
    return BodyTooLarge(f"A request's body may have at most {most} bytes.")


def _after(body: Message, receive: Receive) -> Receive:
    """Return a `receive` that gives `body` first and then whatever else arrives."""
    pending = [body]

    async def receive_body_first() -> Message:
        return pending.pop() if pending else await receive()

    return receive_body_first
