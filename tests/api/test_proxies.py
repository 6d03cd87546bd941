"""Headers of proxies: the client of a request, and the person who is signed in."""

import ipaddress

import pytest

from backend.http.edge.guard import Guard
from backend.http.edge.headers import client_address
from backend.http.identity.authentication import Authentication
from backend.http.identity.principal import CALLER
from backend.http.identity.proxies import Proxies, ProxySignIn
from backend.http.identity.sessions import Sessions
from tests.api.asgi_client import OWN_HOST, RecordingApp, chunks
from tests.api.signing import one_token

pytestmark = pytest.mark.requirement("NOBODY-REACHES-OTHERS")

PROXY, STRANGER = "10.0.0.2", "203.0.113.9"
NETWORKS = (ipaddress.ip_network("10.0.0.0/8"), ipaddress.ip_network("fd00::/8"))
TRUSTED = Proxies(NETWORKS)
PERSON = (b"x-forwarded-user", b"ann")


class Noting(RecordingApp):
    """Notes who called, and what the request looked like to the application."""

    async def __call__(self, scope, receive, send) -> None:
        self.seen = scope
        self.caller = CALLER.get()
        await super().__call__(scope, receive, send)


async def asked(guard: Guard, headers, *, peer: str = PROXY, path: str = "/status/ann") -> int:
    sent = []

    async def send(message) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "query_string": b"",
        "scheme": "http",
        "server": ("127.0.0.1", 8000),
        "client": (peer, 1234),
        "headers": [OWN_HOST, *headers],
    }
    await guard(scope, chunks(b""), send)
    return sent[0]["status"]


@pytest.fixture
def inner() -> Noting:
    return Noting()


def signed_in_by(proxies: Proxies) -> Authentication:
    sign_in = ProxySignIn(
        proxies, header=b"x-forwarded-user", scopes_header=b"x-scopes", default_scopes=frozenset({"read"})
    )
    sessions: Sessions = one_token().sessions
    return Authentication(sessions, proxy=sign_in)


class TestForwarded:
    @pytest.fixture
    def guard(self, inner) -> Guard:
        return Guard(inner, proxies=TRUSTED, hosts=["trips.example"], authentication=signed_in_by(TRUSTED))

    async def test_trusted_proxy_names_client_scheme_and_host(self, guard, inner):
        headers = [
            (b"x-forwarded-for", b"198.51.100.1, 203.0.113.9, 10.0.0.7"),
            (b"x-forwarded-proto", b"https"),
            (b"x-forwarded-host", b"trips.example"),
            PERSON,
        ]
        assert await asked(guard, headers) == 200
        # What the client itself has put there comes before: it is not believed.
        assert inner.seen["client"][0] == STRANGER == inner.caller.address
        assert inner.seen["scheme"] == "https"
        assert (b"host", b"trips.example") in inner.seen["headers"]

    @pytest.mark.parametrize(
        ("hop", "client", "counted"),
        [
            (b"203.0.113.9:4711", STRANGER, STRANGER),
            (b"[2001:db8::1]:443", "2001:db8::1", "2001:db8::/64"),
            (b"[2001:db8::1]", "2001:db8::1", "2001:db8::/64"),
            (b"::ffff:203.0.113.9", STRANGER, STRANGER),
            (b"10.0.0.7:80", "10.0.0.7", "10.0.0.7"),
        ],
    )
    async def test_client_counts_without_its_port(self, guard, inner, hop, client, counted):
        assert await asked(guard, [(b"x-forwarded-for", hop), PERSON]) == 200
        assert (inner.seen["client"][0], client_address(inner.seen)) == (client, counted)

    async def test_other_senders_are_not_believed(self, guard, inner):
        headers = [(b"x-forwarded-for", b"127.0.0.1"), (b"x-forwarded-host", b"trips.example")]
        await asked(guard, headers, peer=STRANGER, path="/health")
        assert inner.seen["client"][0] == STRANGER
        assert (b"host", b"trips.example") not in inner.seen["headers"]

    async def test_forwarded_nonsense_is_refused(self, guard):
        assert await asked(guard, [(b"x-forwarded-for", b"not-an-address"), PERSON]) == 422

    @pytest.mark.parametrize(
        ("headers", "status"),
        [
            ([], 200),
            ([(b"x-forwarded-for", b"127.0.0.1")], 200),
            ([(b"x-forwarded-for", b"203.0.113.9")], 403),
            ([(b"x-forwarded-for", b"127.0.0.1, 203.0.113.9")], 403),
            ([(b"x-real-ip", b"203.0.113.9")], 403),
            ([(b"forwarded", b"for=127.0.0.1")], 403),
            ([(b"x-forwarded-host", b"trips.example")], 403),
        ],
    )
    async def test_forwarded_request_without_a_sign_in_is_refused(self, inner, headers, status):
        """A9: behind a proxy every stranger seems to come from this machine."""
        assert await asked(Guard(inner), headers, peer="127.0.0.1") == status


class TestProxySignIn:
    @pytest.fixture
    def guard(self, inner) -> Guard:
        return Guard(inner, proxies=TRUSTED, authentication=signed_in_by(TRUSTED))

    async def test_header_names_the_person(self, guard, inner):
        assert await asked(guard, [PERSON]) == 200
        assert (inner.caller.principal.person, inner.caller.principal.scopes) == ("ann", {"read"})

    async def test_header_names_the_scopes(self, guard, inner):
        assert await asked(guard, [PERSON, (b"x-scopes", b"chat, operate, root")]) == 200
        assert inner.caller.principal.scopes == {"chat", "operate"}

    @pytest.mark.parametrize("peer", [STRANGER, "127.0.0.1", "", "fe80::1%eth0"])
    async def test_header_of_anybody_else_is_refused(self, guard, inner, peer):
        assert await asked(guard, [PERSON], peer=peer) == 401
        assert inner.bodies == []

    async def test_stranger_does_not_become_the_proxy_by_saying_so(self, guard):
        assert await asked(guard, [PERSON, (b"x-forwarded-for", b"10.0.0.2")], peer=STRANGER) == 401

    @pytest.mark.parametrize("named", [b"", b"\xff\xfe", b"a\tb", b"a" * 256])
    async def test_invalid_name_signs_nobody_in(self, guard, named):
        assert await asked(guard, [(b"x-forwarded-user", named)]) == 401

    async def test_two_names_are_refused(self, guard):
        assert await asked(guard, [PERSON, (b"x-forwarded-user", b"eve")]) == 422
