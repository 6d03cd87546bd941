"""Log lines that say why a request was refused, for whoever runs the server: few, whatever arrives.

A line tells the rule, the limit and who it was. It tells nothing of a request's body or query.
"""

from collections.abc import Callable
from dataclasses import dataclass

import structlog
from starlette.types import Scope

from ...errors import DetourError

MOST_LINES = 10
"""Lines for one kind of refusal within `WITHIN_S`; those beyond are counted, and told with the next line."""

WITHIN_S = 60.0

LONGEST_PATH = 100

_log = structlog.get_logger(__name__)


@dataclass(slots=True)
class _Kind:
    """Refusals of one kind: since when they are counted, how many lines there were, and how many had none."""

    since_s: float
    lines: int = 0
    unlogged: int = 0


class RefusalLog:
    """Writes the lines; `monotonic` returns seconds that never go back."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._kinds: dict[str, _Kind] = {}

    def note(self, error: DetourError, **about: str) -> None:
        """Tell of a refusal, unless there were too many of its kind; `about` says whose and what it was."""
        code, now = error.to_json()["error"]["code"], self._monotonic()
        kind = self._kinds.setdefault(code, _Kind(now))
        if now - kind.since_s >= WITHIN_S:
            kind.since_s, kind.lines = now, 0
        if kind.lines >= MOST_LINES:
            kind.unlogged += 1
            return
        kind.lines += 1
        unlogged, kind.unlogged = kind.unlogged, 0
        further = {"unlogged_before": unlogged} if unlogged else {}
        _log.info("a request was refused", code=code, reason=error.message, **about, **further)

    def note_request(self, error: DetourError, scope: Scope) -> None:
        """Tell of the refusal of a request, or of a WebSocket."""
        address, _ = scope.get("client") or ("", 0)
        # Escaped: a path may hold line breaks, which would be lines of their own.
        path = scope["path"][:LONGEST_PATH].encode("unicode_escape").decode("ascii")
        self.note(error, address=address, method=scope.get("method", "WEBSOCKET"), path=path)
