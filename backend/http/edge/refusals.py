"""Refusals: their form over HTTP, and their log lines, which are few whatever arrives.

A line names the rule, the limit and the sender, and nothing of a request's body or query.
"""

import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import orjson
import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ...domain.errors import BadInput, DetourError, QuotaExceeded, ShuttingDown, Unauthorized
from .headers import counted_address

ErrorForm = Callable[[DetourError], Mapping[str, Any]]
"""Returns the JSON of an error."""


class ErrorForms:
    """The forms of errors by path: `by_prefix` has those of other protocols, by the path's first segments.

    The guard, unknown paths and faults use them; routes render their own.
    """

    def __init__(self, by_prefix: Mapping[str, ErrorForm] | None = None) -> None:
        self._by_prefix = dict(by_prefix or {})

    def body(self, path: str, error: DetourError) -> Mapping[str, Any]:
        """Return the JSON of an error at a path, in the contract's form unless it is another protocol's."""
        for prefix, form in self._by_prefix.items():
            if path == prefix or path.startswith(f"{prefix}/"):
                return form(error)
        return error.to_json()


CONTRACT_ALONE = ErrorForms()


def reply_headers(error: DetourError) -> dict[str, str]:
    """Return an answer's further headers: `Retry-After` in seconds, the challenge of a 401."""
    headers: dict[str, str] = {}
    if error.retry_after_s is not None:
        headers["Retry-After"] = str(error.retry_after_s)
    if isinstance(error, Unauthorized):
        headers["WWW-Authenticate"] = "Bearer"
    return headers


async def send_error(send: Send, error: DetourError, content: Mapping[str, Any]) -> None:
    """Send a whole response for `error`. Cancelled, it may have sent the head without the body."""
    body = orjson.dumps(content)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers += [(name.lower().encode(), value.encode()) for name, value in reply_headers(error).items()]
    await send({"type": "http.response.start", "status": error.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": body})


# --- refusals ------------------------------------------------------------------------------------------


MOST_LINES = 10
"""Lines for one kind of refusal of one address within `WITHIN_S`; the kind's next line counts the others."""

MOST_LINES_IN_ALL = 200
"""Lines for one kind of refusal within `WITHIN_S`, whatever the number of addresses."""

MOST_REMEMBERED = 4096
"""Addresses, each with a kind of refusal, whose lines are counted; the oldest is forgotten first."""

WITHIN_S = 60.0

LONGEST_PATH = 100

MOST_FIELDS = 5

_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_.\[\]-]{0,59}")
"""The form of a field's name; another may hold what a user wrote."""

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Lines:
    """Lines since a time, and refusals without a line."""

    most: int
    since_s: float
    lines: int = 0
    unlogged: int = 0

    def has_room(self, now: float) -> bool:
        """Return whether there may be another line."""
        if now - self.since_s >= WITHIN_S:
            self.since_s, self.lines = now, 0
        return self.lines < self.most


class RefusalLog:
    """Writes the lines; `monotonic` returns seconds that never go back."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kinds: dict[str, _Lines] = {}
        self._of_addresses: dict[tuple[str, str], _Lines] = {}

    def note(self, error: DetourError, *, reason: str | None = None, **about: str) -> None:
        """Log a refusal, unless there were too many of its kind; `about` describes it.

        Those without an `address` count as one address's. The reason is by default the error's own sentence.
        """
        code, now = error.to_json()["error"]["code"], self._monotonic()
        kind = self._kinds.setdefault(code, _Lines(MOST_LINES_IN_ALL, now))
        own = self._of_address(code, counted_address(about.get("address", "")), now)
        # Both must notice that their time is over.
        rooms = (kind.has_room(now), own.has_room(now))
        if not all(rooms):
            kind.unlogged += 1
            return
        kind.lines += 1
        own.lines += 1
        unlogged, kind.unlogged = kind.unlogged, 0
        further = {"unlogged_before": unlogged} if unlogged else {}
        _log.info("a request was refused", code=code, reason=reason or error.message, **about, **further)

    def _of_address(self, code: str, address: str, now: float) -> _Lines:
        found = self._of_addresses.get((code, address))
        if found is None:
            if len(self._of_addresses) >= MOST_REMEMBERED:
                del self._of_addresses[next(iter(self._of_addresses))]
            found = self._of_addresses[code, address] = _Lines(MOST_LINES, now)
        return found

    def note_request(
        self, error: DetourError, scope: Scope, *, reason: str | None = None, **about: str
    ) -> None:
        """Log the refusal of a request, or of a WebSocket."""
        address, _ = scope.get("client") or ("", 0)
        # Escaped: a path may hold line breaks, which would be lines of their own.
        path = scope["path"][:LONGEST_PATH].encode("unicode_escape").decode("ascii")
        method = scope.get("method", "WEBSOCKET")
        self.note(error, reason=reason, address=address, method=method, path=path, **about)

    def let_in(self, scope: Scope) -> None:
        """Keep the request that routes serve, for `note_input`."""
        _LET_IN.set((self, scope))


_LET_IN: ContextVar[tuple[RefusalLog, Scope] | None] = ContextVar("let in", default=None)


def note_input(error: DetourError) -> None:
    """Log that a route refused its input, by the names of the fields: the error's sentence may quote it.

    Other errors have no line.
    """
    given = _LET_IN.get()
    if given is not None and isinstance(error, BadInput):
        log, scope = given
        fields = ", ".join(dict.fromkeys(_fields(error)))
        reason = error.message if isinstance(error, QuotaExceeded) else "A route refused its input."
        log.note_request(error, scope, reason=reason, **({"fields": fields} if fields else {}))


def _fields(error: BadInput) -> Iterator[str]:
    details: Any = error.details
    named: list[str] = [each["field"] for each in details or ()] or [error.message.partition(": ")[0]]
    return (each for each in named[:MOST_FIELDS] if _FIELD.fullmatch(each))


_CUT_OFF = "The server went down before this was answered, and it may have been done; please try again."


class AnswersWhatIsCutOff:
    """ASGI application around another one: refuses a request that is cancelled before its answer began.

    The web server cancels requests that outlast the grace, and would answer them as faults.
    """

    def __init__(self, app: ASGIApp, error_forms: ErrorForms) -> None:
        self._app = app
        self._error_forms = error_forms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection. Cancelling it cancels the inner application's."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_begun = has_ended = False

        def noted(message: Message) -> Awaitable[None]:
            nonlocal has_begun
            has_begun = True
            return send(message)

        try:
            await self._app(scope, receive, noted)
            has_ended = True
        except Exception:
            has_ended = True
            raise
        finally:
            if not (has_begun or has_ended):
                error = ShuttingDown(_CUT_OFF)
                await send_error(send, error, self._error_forms.body(scope["path"], error))
