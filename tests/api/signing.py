"""Sign-ins, clocks and limits for tests."""

from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

from backend.domain.encoding import system_clock
from backend.http.edge.limits import PerMinute
from backend.http.identity.authentication import Authentication
from backend.http.identity.principal import ONE_PARTY, OneToken
from backend.http.identity.sessions import Sessions
from backend.store.sqlite.memory import MemoryStateStore


def one_token(token: str = "s3cret", *, secure: bool = False) -> Authentication:
    """Return how people sign in with one token."""
    tokens = OneToken(token)
    grants = MemoryStateStore(keep_events=100)
    sessions = Sessions(grants, system_clock, issuer=tokens.issuer, lasts_s=3600)
    return Authentication(sessions, tokens=tokens, secure=secure)


async def cookie_of(authentication: Authentication) -> bytes:
    """Begin a session, and return the pair of its cookie."""
    secret, lasts_s = await authentication.sessions.begin(ONE_PARTY)
    return authentication.set_cookie(secret, lasts_s).partition(";")[0].encode()


class Moving:
    """A clock that stands until it is told how much time has passed."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 5, 9, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self._now

    def pass_s(self, seconds: float) -> None:
        """Let time pass."""
        self._now += timedelta(seconds=seconds)


class Monotonic:
    """Seconds that stand until a test adds some."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def per_minute(**limits: int) -> Any:
    """Return what each limit lets through in a minute: nothing is limited but these."""
    most = {f"{name}_per_minute": count for name, count in limits.items()}
    return SimpleNamespace(**dict.fromkeys(PerMinute.__annotations__, 0) | most)
