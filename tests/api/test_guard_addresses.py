"""What the guard makes of the address and port that a connection came to, which the web server tells it."""

import pytest

from backend.http.edge.guard import Guard
from tests.api.asgi_client import RecordingApp, connect, request
from tests.api.signing import one_token


@pytest.fixture
def inner():
    return RecordingApp()


@pytest.mark.parametrize(
    ("server", "host"),
    [
        (("127.0.0.1", 8391), b"127.0.0.1:8391"),
        (("::1", 8391), b"[::1]:8391"),
        (("192.168.1.5", 8391), b"192.168.1.5:8391"),
        (("192.168.1.5", 8391), b"lisbon.lan:8391"),
        (("fe80::5", 8391), b"[fe80::5]:8391"),
        (("detour.socket", None), b"localhost"),
    ],
)
async def test_it_is_known_by_where_it_was_reached_and_by_no_other_port(inner, server, host):
    guard = Guard(inner, name="lisbon.lan", authentication=one_token())
    assert (await request(guard, path="/health", headers=[(b"host", host)], server=server)).status == 200
    page = (b"origin", b"http://" + host)
    headers = [(b"host", host), page]
    assert (await request(guard, path="/health", headers=headers, server=server)).status == 200
    for other in [b"192.168.1.5:8000", b"192.168.1.6:8391", b"evil.example:8391"]:
        headers = [(b"host", other)]
        assert (await request(guard, path="/health", headers=headers, server=server)).status == 403
    for other in [b"127.0.0.1:8000", b"192.168.1.6:8391", b"evil.example:8391"]:
        headers = [(b"host", host), (b"origin", b"http://" + other)]
        assert (await request(guard, path="/health", headers=headers, server=server)).status == 403


@pytest.mark.requirement("STRANGERS-STAY-OUT")
@pytest.mark.parametrize(
    ("server", "status"),
    [
        (("127.0.0.1", 8000), 200),
        (("127.8.8.8", 8000), 200),
        (("::1", 8000), 200),
        (("::ffff:127.0.0.1", 8000), 200),
        (("192.168.1.5", 8000), 403),
        (("::ffff:192.168.1.5", 8000), 403),
        (("somewhere", 8000), 403),
        (None, 403),
    ],
)
async def test_without_a_token_only_this_machine_is_answered_whatever_it_says(inner, server, status):
    guard = Guard(inner)
    answer = await request(guard, server=server)
    assert answer.status == status
    assert status == 200 or answer.error["code"] == "no_token"
    await connect(guard, server=server)
    assert inner.sockets == (status == 200)
