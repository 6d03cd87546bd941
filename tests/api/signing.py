"""How a guard of a test signs people in: with one token, or with those of an issuer that the test plays."""

from datetime import UTC, datetime, timedelta

from backend.domain.encoding import system_clock
from backend.http.identity.authentication import Authentication
from backend.http.identity.principal import ONE_PARTY, OneToken
from backend.http.identity.sessions import Sessions
from backend.store.memory import MemoryStateStore


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
