"""The guard: admitted and refused hosts, pages, bodies, tokens and addresses."""

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from backend.http.edge.guard import Guard
from backend.http.edge.limits import NO_LIMITS
from backend.http.identity.authentication import COOKIE_NAME
from backend.http.identity.principal import OneToken
from backend.http.routes.session import session_router
from tests.api.asgi_client import JSON, OWN_HOST, Feed, RecordingApp, chunks, connect, request
from tests.api.signing import cookie_of, one_token

OWN_NAMES = [
    *(b"127.0.0.1:8000", b"LocalHost:8000", b"[::1]:8000", b"trips.lan:9000"),
    *(b"127.0.0.1:8001", b"[::1]:49152", b"127.0.0.1"),  # of a relay on this machine
]
FOREIGN_ORIGINS = [
    b"https://evil.example",
    b"null",
    b"",
    b"http://127.0.0.1:8001",
    b"http://127.0.0.1",
    b"http://127.0.0.1:8000.evil.example",
    b"http://127.0.0.1:8000@evil.example",
    b"http://evil.example:8000",
    b"chrome-extension://127.0.0.1:8000",
]
FOREIGN_HOSTS = [
    b"evil.example:8000",
    b"192.168.1.7:8000",
    b"127.0.0.1.evil.example:8000",
    b"127.0.0.1:8001.evil.example",
    b"127.0.0.1:",
    b"127.0.0.1:8001:8000",
    b"localhost:8000.evil.example",
    b"localhost:8000@evil.example",
    b"127.0.0.1:8000, evil.example",
    b"",
]


@pytest.fixture
def guard(inner):
    return Guard(inner, hosts=["trips.lan:9000"])


@pytest.fixture
def locked(inner, signing):
    return Guard(inner, authentication=signing)


def host(name: bytes) -> list[tuple[bytes, bytes]]:
    return [(b"host", name)]


def origin(page: bytes, *, of: bytes = OWN_HOST[1]) -> list[tuple[bytes, bytes]]:
    return [(b"host", of), (b"origin", page)]


def fetched(site: bytes, mode: bytes = b"no-cors") -> list[tuple[bytes, bytes]]:
    return [OWN_HOST, (b"sec-fetch-site", site), (b"sec-fetch-mode", mode)]


OWN_PAGE = b"http://127.0.0.1:8000"
SENDERS = {
    **{("GET", each): (host(each), None) for each in OWN_NAMES},
    **{("GET", each): (host(each), "host_not_allowed") for each in FOREIGN_HOSTS},
    **{("GET", each): (origin(each), "origin_not_allowed") for each in FOREIGN_ORIGINS},
    **{("OPTIONS", each): (origin(each), "origin_not_allowed") for each in FOREIGN_ORIGINS},
    ("GET", "own page"): (origin(OWN_PAGE), None),
    ("POST", "own page"): (origin(OWN_PAGE), None),
    ("POST", "page of a relay"): (origin(b"http://localhost:9000", of=b"localhost:9000"), None),
    ("POST", "page of another port"): (origin(b"http://localhost:9000"), "origin_not_allowed"),
    ("GET", "two hosts"): ([*host(b"evil.example"), OWN_HOST], "bad_input"),
    ("GET", "embedded"): (fetched(b"cross-site"), "origin_not_allowed"),
    ("GET", "embedded by a sibling"): (fetched(b"same-site"), "origin_not_allowed"),
    ("GET", "embedded by the own page"): (fetched(b"same-origin"), None),
    ("GET", "a link"): (fetched(b"cross-site", b"navigate"), None),
    ("GET", "a typed address"): (fetched(b"none", b"navigate"), None),
    ("POST", "a form"): (fetched(b"cross-site", b"navigate"), "origin_not_allowed"),
    ("DELETE", "a form"): (fetched(b"cross-site", b"navigate"), "origin_not_allowed"),
}


@pytest.mark.requirement("STRANGERS-STAY-OUT")
class TestSenders:
    @pytest.mark.parametrize("sender", SENDERS, ids=str)
    async def test_sender_is_admitted_or_refused(self, guard, inner, sender):
        headers, code = SENDERS[sender]
        answer = await request(guard, sender[0], "/chat", [*headers, JSON], chunks(b"{}"))
        if code is None:
            assert (answer.status, inner.bodies) == (200, [b"{}"])
        else:
            assert (answer.status, answer.error["code"]) == (422 if code == "bad_input" else 403, code)
            assert "access-control-allow-origin" not in answer.headers
            assert inner.bodies == []

    @pytest.mark.parametrize("headers", [host(FOREIGN_HOSTS[0]), origin(FOREIGN_ORIGINS[0]), origin(b"null")])
    async def test_stranger_gets_no_websocket(self, guard, inner, headers):
        (message,) = await connect(guard, headers=headers)
        assert (message["type"], message["code"], inner.sockets) == ("websocket.close", 4403, 0)

    async def test_own_page_and_programs_get_a_websocket(self, guard, inner):
        await connect(guard, headers=origin(OWN_PAGE))
        await connect(guard)
        assert inner.sockets == 2


class TestBody:
    @pytest.mark.parametrize("kind", [b"application/json", b"Application/JSON ; charset=utf-8"])
    async def test_json_is_accepted_in_any_spelling(self, guard, inner, kind):
        headers = [OWN_HOST, (b"content-type", kind)]
        answer = await request(guard, "POST", "/chat", headers, chunks(b'{"a":', b"1}"))
        assert (answer.status, inner.bodies) == (200, [b'{"a":1}'])

    @pytest.mark.parametrize("kind", [b"text/plain", b"multipart/form-data; boundary=x", None])
    @pytest.mark.parametrize("method", ["POST", "GET"])
    async def test_body_of_a_plain_form_is_refused(self, guard, inner, kind, method):
        headers = [OWN_HOST, (b"content-length", b"2")]
        headers += [] if kind is None else [(b"content-type", kind)]
        answer = await request(guard, method, "/chat", headers, chunks(b"{}"))
        assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")
        assert "application/json" in answer.error["message"]
        assert inner.bodies == []

    async def test_post_without_a_body_needs_no_content_type(self, guard, inner):
        assert (await request(guard, "POST", "/stop/ann")).status == 200
        assert inner.bodies == [b""]

    async def test_body_of_exactly_the_limit_is_accepted(self, guard, inner):
        body = b"x" * 131_072
        headers = [OWN_HOST, JSON, (b"content-length", b"131072")]
        assert (await request(guard, "POST", "/chat", headers, chunks(body))).status == 200
        assert inner.bodies == [body]

    @pytest.mark.parametrize("length", [b"131073", b"52428800", b"9" * 5_000])
    async def test_declared_length_over_the_limit_is_refused_unread(self, guard, length):
        feed = chunks(b"x")
        answer = await request(guard, "POST", "/chat", [OWN_HOST, JSON, (b"content-length", length)], feed)
        assert (answer.status, answer.error["code"], feed.taken) == (413, "too_large", 0)

    @pytest.mark.parametrize("length", [b"-1", b"1e3", b"", b"0x10", b"\xb2"])
    async def test_length_that_is_no_number_is_refused(self, guard, length):
        assert (await request(guard, "POST", "/chat", [OWN_HOST, (b"content-length", length)])).status == 422

    async def test_chunked_body_is_counted_and_read_to_the_limit(self, guard, inner):
        feed = chunks(*[b"x" * 1_024] * 50_000)
        headers = [OWN_HOST, JSON, (b"transfer-encoding", b"chunked")]
        answer = await request(guard, "POST", "/chat", headers, feed)
        assert (answer.status, feed.taken, inner.bodies) == (413, 129, [])

    async def test_chunked_body_of_a_get_is_counted(self, guard):
        headers = [OWN_HOST, JSON, (b"transfer-encoding", b"chunked")]
        assert (await request(guard, "GET", headers=headers, feed=chunks(b"x" * 131_073))).status == 413

    async def test_body_longer_than_its_length_is_refused(self, guard):
        headers = [OWN_HOST, JSON, (b"content-length", b"5")]
        assert (await request(guard, "POST", "/chat", headers, chunks(b"x" * 131_073))).status == 413

    async def test_client_that_leaves_while_sending_starts_nothing(self, guard, inner):
        feed = Feed({"type": "http.request", "body": b'{"a"', "more_body": True}, {"type": "http.disconnect"})
        answer = await request(guard, "POST", "/chat", [OWN_HOST, JSON], feed)
        assert (answer, inner.bodies) == (None, [])

    async def test_disconnect_follows_the_body(self):
        heard = []

        async def app(_scope, receive, _send):
            heard.extend([await receive(), await receive()])

        await request(Guard(app), "POST", feed=chunks(b""))
        assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


BEARER = (b"authorization", b"Bearer s3cret")


class TestToken:
    @pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js", "/health", "/ready", "/session"])
    async def test_pages_liveness_and_signing_in_are_open(self, locked, path):
        assert (await request(locked, path=path)).status == 200

    @pytest.mark.parametrize(
        "path", ["/chat", "/metrics", "/openapi.json", "/docs/", "/healthy", "//", "/static", ""]
    )
    async def test_everything_else_needs_the_token(self, locked, inner, path):
        answer = await request(locked, path=path)
        assert (answer.status, answer.error["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert inner.bodies == []

    @pytest.mark.parametrize(
        ("value", "status"),
        [
            (b"Bearer s3cret", 200),
            (b"BEARER   s3cret ", 200),
            (b"Bearer wrong", 401),
            (b"Bearer", 401),
            (b"s3cret", 401),
            (b"Basic s3cret", 401),
            (b"Bearer s3cret x", 401),
            (b"\xff", 401),
        ],
    )
    async def test_token_signs_a_program_in(self, locked, value, status):
        assert (await request(locked, headers=[OWN_HOST, (b"authorization", value)])).status == status

    async def test_token_in_a_query_string_is_ignored(self, locked):
        assert (await request(locked, query_string=b"token=s3cret")).status == 401

    async def test_token_does_not_admit_a_foreign_page(self, locked):
        assert (await request(locked, headers=[*origin(b"null"), BEARER])).status == 403

    async def test_websocket_without_a_token_is_closed_with_4401(self, locked, inner):
        accept, close = await connect(locked)
        assert (accept["type"], close["type"]) == ("websocket.accept", "websocket.close")
        assert (close["code"], inner.sockets) == (4401, 0)

    async def test_websocket_with_header_or_cookie_is_admitted(self, locked, inner, signing):
        cookie = await cookie_of(signing)
        await connect(locked, headers=[OWN_HOST, BEARER])
        await connect(locked, headers=[OWN_HOST, (b"cookie", b"a=b; " + cookie + b"; c=d")])
        await connect(locked, headers=[OWN_HOST, (b"cookie", b"a=b"), (b"cookie", cookie)])
        assert inner.sockets == 3

    @pytest.mark.parametrize("cookie", ["", "{name}=", "{name}=s3cret", "x{name}={value}", "{name}={value}x"])
    async def test_other_cookie_is_refused(self, locked, signing, cookie):
        value = (await cookie_of(signing)).decode().partition("=")[2]
        sent = cookie.format(name=COOKIE_NAME, value=value).encode()
        assert (await request(locked, headers=[OWN_HOST, (b"cookie", sent)])).status == 401

    async def test_page_trades_the_token_for_an_http_only_cookie(self, signing):
        app = FastAPI()
        app.include_router(session_router(signing, NO_LIMITS))
        guard = Guard(app, authentication=signing)
        answer = await request(guard, "POST", "/session", [OWN_HOST, JSON], chunks(b'{"token":"s3cret"}'))
        cookie, *attributes = answer.headers["set-cookie"].split("; ")
        assert answer.status == 204
        assert set(attributes) == {"Path=/", "Max-Age=3600", "HttpOnly", "SameSite=Strict"}
        assert "s3cret" not in cookie
        signed_in = await request(guard, path="/nothing", headers=[OWN_HOST, (b"cookie", cookie.encode())])
        assert signed_in.status == 404

    async def test_cookie_over_https_is_secure_and_bound_to_the_host(self):
        cookie = one_token(secure=True).set_cookie("secret", 60)
        assert cookie.startswith(f"__Host-{COOKIE_NAME}=secret; Path=/;")
        assert cookie.endswith("; Secure")

    def test_empty_token_is_refused(self):
        with pytest.raises(ValueError, match="empty"):
            OneToken("")


class TestGarbage:
    NAMES = st.sampled_from(
        [b"host", b"origin", b"authorization", b"cookie", b"content-type", b"content-length", b"x-other"]
    )
    VALUES = st.one_of(
        st.binary(max_size=40),
        st.sampled_from([b"127.0.0.1:8000", b"http://127.0.0.1:8000", b"Bearer s3cret", b"null", b"5"]),
    )

    @given(
        headers=st.lists(st.tuples(NAMES, VALUES), max_size=8),
        bodies=st.lists(st.binary(max_size=20), min_size=1, max_size=4),
        method=st.sampled_from(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "X"]),
    )
    async def test_garbage_is_answered_and_admits_nobody(self, headers, bodies, method):
        inner = RecordingApp()
        guard = Guard(inner, authentication=one_token())
        answer = await request(guard, method, "/status/ann", headers, chunks(*bodies))
        assert answer.status in (200, 401, 403, 413, 415, 422)
        if inner.bodies:
            sent = dict(headers)
            assert sent[b"host"].lower() == b"127.0.0.1:8000"
            assert sent.get(b"origin", b"http://127.0.0.1:8000") == b"http://127.0.0.1:8000"
            assert sent[b"authorization"].split()[1] == b"s3cret"

    @given(headers=st.lists(st.tuples(NAMES, VALUES), max_size=8))
    async def test_garbage_handshake_is_ended(self, headers):
        inner = RecordingApp()
        guard = Guard(inner, authentication=one_token())
        sent = await connect(guard, headers=headers)
        assert inner.sockets == 1 or sent[-1]["type"] == "websocket.close"


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
async def test_server_is_known_by_the_address_it_was_reached_at(inner, server, host):
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
async def test_server_without_a_token_answers_this_machine_alone(inner, server, status):
    guard = Guard(inner)
    answer = await request(guard, server=server)
    assert answer.status == status
    assert status == 200 or answer.error["code"] == "no_token"
    await connect(guard, server=server)
    assert inner.sockets == (status == 200)
