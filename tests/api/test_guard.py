"""The guard: every rule with what it refuses and what it lets pass."""

import pytest
from fastapi import FastAPI
from hypothesis import given
from hypothesis import strategies as st

from backend.http.edge.guard import Guard
from backend.http.edge.limits import NO_LIMITS
from backend.http.identity.authentication import COOKIE_NAME
from backend.http.identity.principal import OneToken
from backend.http.routes.session import session_router
from tests.api.asgi_client import HERE, JSON, OWN_HOST, Feed, RecordingApp, chunks, connect, request
from tests.api.signing import cookie_of, one_token

OWN_ORIGIN = (b"origin", b"http://127.0.0.1:8000")
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
def inner():
    return RecordingApp()


@pytest.fixture
def guard(inner):
    return Guard(inner, hosts=["trips.lan:9000"])


@pytest.fixture
def signing():
    return one_token()


@pytest.fixture
def locked(inner, signing):
    return Guard(inner, authentication=signing)


@pytest.mark.requirement("STRANGERS-STAY-OUT")
class TestHost:
    @pytest.mark.parametrize(
        "host", [b"127.0.0.1:8000", b"localhost:8000", b"LocalHost:8000", b"[::1]:8000", b"trips.lan:9000"]
    )
    async def test_own_and_configured_names_are_answered(self, guard, host):
        assert (await request(guard, headers=[(b"host", host)])).status == 200

    @pytest.mark.parametrize("host", [b"127.0.0.1:8001", b"localhost:9", b"[::1]:49152", b"127.0.0.1"])
    async def test_a_relay_on_this_machine_is_answered_at_its_own_port(self, guard, host):
        assert (await request(guard, headers=[(b"host", host)])).status == 200

    @pytest.mark.parametrize("host", FOREIGN_HOSTS)
    async def test_any_other_name_is_refused_as_a_contract_error(self, guard, inner, host):
        answer = await request(guard, headers=[(b"host", host)])
        assert (answer.status, answer.error["code"]) == (403, "host_not_allowed")
        assert answer.error["retryable"] is False
        assert inner.bodies == []

    async def test_a_request_without_a_host_is_refused(self, guard):
        assert (await request(guard, headers=[])).status == 403

    async def test_two_hosts_are_refused_even_if_one_is_ours(self, guard, inner):
        answer = await request(guard, headers=[(b"host", b"evil.example"), OWN_HOST])
        assert (answer.status, inner.bodies) == (422, [])

    @pytest.mark.parametrize("host", FOREIGN_HOSTS)
    async def test_a_websocket_to_another_name_is_refused_in_the_handshake(self, guard, inner, host):
        (message,) = await connect(guard, headers=[(b"host", host)])
        assert (message["type"], message["code"]) == ("websocket.close", 4403)
        assert inner.sockets == 0

    async def test_on_port_80_the_port_may_be_left_out(self, guard):
        answer = await request(guard, headers=[(b"host", b"localhost")], server=("127.0.0.1", 80))
        assert answer.status == 200


@pytest.mark.requirement("STRANGERS-STAY-OUT")
class TestOrigin:
    async def test_a_page_that_this_server_served_may_post(self, guard, inner):
        answer = await request(
            guard, "POST", "/chat", headers=[OWN_HOST, OWN_ORIGIN, JSON], feed=chunks(b"{}")
        )
        assert (answer.status, inner.bodies) == (200, [b"{}"])

    async def test_a_page_that_came_through_a_relay_may_post_through_it_and_through_nothing_else(self, guard):
        relay, page = (b"host", b"localhost:9000"), (b"origin", b"http://localhost:9000")
        through = await request(guard, "POST", "/chat", headers=[relay, page, JSON], feed=chunks(b"{}"))
        assert through.status == 200
        beside = await request(guard, "POST", "/chat", headers=[OWN_HOST, page, JSON], feed=chunks(b"{}"))
        assert (beside.status, beside.error["code"]) == (403, "origin_not_allowed")

    async def test_a_program_sends_no_origin_and_is_answered(self, guard):
        assert (await request(guard)).status == 200

    @pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
    async def test_a_foreign_page_is_refused_whatever_it_calls(self, guard, inner, origin, method):
        answer = await request(guard, method, headers=[OWN_HOST, (b"origin", origin)])
        assert (answer.status, answer.error["code"]) == (403, "origin_not_allowed")
        assert "access-control-allow-origin" not in answer.headers
        assert inner.bodies == []

    @pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
    async def test_a_foreign_page_gets_no_websocket(self, guard, inner, origin):
        (message,) = await connect(guard, headers=[OWN_HOST, (b"origin", origin)])
        assert (message["type"], message["code"], inner.sockets) == ("websocket.close", 4403, 0)

    async def test_the_own_page_and_programs_get_a_websocket(self, guard, inner):
        await connect(guard, headers=[OWN_HOST, OWN_ORIGIN])
        await connect(guard)
        assert inner.sockets == 2

    @pytest.mark.parametrize("site", [b"cross-site", b"same-site"])
    async def test_what_a_foreign_page_embeds_is_refused_though_it_has_no_origin(self, guard, site):
        headers = [OWN_HOST, (b"sec-fetch-site", site), (b"sec-fetch-mode", b"no-cors")]
        assert (await request(guard, headers=headers)).status == 403

    async def test_a_link_on_a_foreign_page_may_be_followed(self, guard):
        headers = [OWN_HOST, (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate")]
        assert (await request(guard, path="/", headers=headers)).status == 200

    @pytest.mark.parametrize("method", ["POST", "DELETE"])
    async def test_form_that_a_foreign_page_sends_is_refused_though_it_navigates(self, guard, inner, method):
        headers = [OWN_HOST, (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"navigate")]
        headers += [(b"content-type", b"application/json")]
        answer = await request(guard, method, "/chat", headers, chunks(b"{}"))
        assert (answer.status, answer.error["code"]) == (403, "origin_not_allowed")
        assert inner.bodies == []

    async def test_a_link_typed_by_the_user_or_on_the_own_page_works(self, guard):
        for site in (b"none", b"same-origin"):
            assert (await request(guard, headers=[OWN_HOST, (b"sec-fetch-site", site)])).status == 200


class TestBody:
    @pytest.mark.parametrize("kind", [b"application/json", b"Application/JSON ; charset=utf-8"])
    async def test_json_is_taken_however_it_is_spelled(self, guard, inner, kind):
        headers = [OWN_HOST, (b"content-type", kind)]
        answer = await request(guard, "POST", "/chat", headers, chunks(b'{"a":', b"1}"))
        assert (answer.status, inner.bodies) == (200, [b'{"a":1}'])

    @pytest.mark.parametrize(
        "kind",
        [b"text/plain", b"application/x-www-form-urlencoded", b"multipart/form-data; boundary=x", b"", None],
    )
    @pytest.mark.parametrize("method", ["POST", "DELETE", "GET"])
    async def test_what_a_plain_form_can_send_is_refused_with_a_hint(self, guard, inner, kind, method):
        headers = [OWN_HOST, (b"content-length", b"2")]
        headers += [] if kind is None else [(b"content-type", kind)]
        answer = await request(guard, method, "/chat", headers, chunks(b"{}"))
        assert (answer.status, answer.error["code"]) == (415, "unsupported_media_type")
        assert "application/json" in answer.error["message"]
        assert inner.bodies == []

    async def test_a_post_without_a_body_needs_no_content_type(self, guard, inner):
        assert (await request(guard, "POST", "/stop/ann")).status == 200
        assert inner.bodies == [b""]

    async def test_a_body_of_exactly_the_limit_passes(self, guard, inner):
        body = b"x" * 131_072
        headers = [OWN_HOST, JSON, (b"content-length", b"131072")]
        assert (await request(guard, "POST", "/chat", headers, chunks(body))).status == 200
        assert inner.bodies == [body]

    @pytest.mark.parametrize("length", [b"131073", b"52428800", b"9" * 5_000])
    async def test_a_declared_length_over_the_limit_is_refused_unread(self, guard, length):
        feed = chunks(b"x")
        answer = await request(guard, "POST", "/chat", [OWN_HOST, JSON, (b"content-length", length)], feed)
        assert (answer.status, answer.error["code"], feed.taken) == (413, "too_large", 0)

    @pytest.mark.parametrize("length", [b"-1", b"1e3", b"", b"0x10", b"\xb2"])
    async def test_a_length_that_is_no_number_is_refused(self, guard, length):
        assert (await request(guard, "POST", "/chat", [OWN_HOST, (b"content-length", length)])).status == 422

    async def test_chunks_are_counted_and_reading_ends_at_the_limit(self, guard, inner):
        feed = chunks(*[b"x" * 1_024] * 50_000)
        headers = [OWN_HOST, JSON, (b"transfer-encoding", b"chunked")]
        answer = await request(guard, "POST", "/chat", headers, feed)
        assert (answer.status, feed.taken, inner.bodies) == (413, 129, [])

    async def test_a_chunked_body_on_a_get_is_counted_too(self, guard):
        headers = [OWN_HOST, JSON, (b"transfer-encoding", b"chunked")]
        assert (await request(guard, "GET", headers=headers, feed=chunks(b"x" * 131_073))).status == 413

    async def test_a_body_that_lies_about_its_length_is_counted(self, guard):
        headers = [OWN_HOST, JSON, (b"content-length", b"5")]
        assert (await request(guard, "POST", "/chat", headers, chunks(b"x" * 131_073))).status == 413

    async def test_a_client_that_leaves_while_sending_starts_nothing(self, guard, inner):
        feed = Feed({"type": "http.request", "body": b'{"a"', "more_body": True}, {"type": "http.disconnect"})
        answer = await request(guard, "POST", "/chat", [OWN_HOST, JSON], feed)
        assert (answer, inner.bodies) == (None, [])

    async def test_after_the_body_the_application_hears_that_the_client_left(self):
        heard = []

        async def app(_scope, receive, _send):
            heard.extend([await receive(), await receive()])

        await request(Guard(app), "POST", feed=chunks(b""))
        assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


class TestToken:
    BEARER = (b"authorization", b"Bearer s3cret")

    @pytest.mark.parametrize("path", ["/", "/docs", "/static/app.js", "/health", "/ready", "/session"])
    async def test_the_pages_liveness_and_signing_in_are_open(self, locked, path):
        assert (await request(locked, path=path)).status == 200

    @pytest.mark.parametrize(
        "path",
        ["/chat", "/status/ann", "/metrics", "/openapi.json", "/docs/", "/healthy", "//", "/static", ""],
    )
    async def test_everything_else_needs_the_token(self, locked, inner, path):
        answer = await request(locked, path=path)
        assert (answer.status, answer.error["code"]) == (401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
        assert inner.bodies == []

    @pytest.mark.parametrize("value", [b"Bearer s3cret", b"bearer s3cret", b"BEARER   s3cret "])
    async def test_the_token_signs_a_program_in(self, locked, value):
        assert (await request(locked, headers=[OWN_HOST, (b"authorization", value)])).status == 200

    @pytest.mark.parametrize(
        "value",
        [b"Bearer wrong", b"Bearer", b"Bearer ", b"s3cret", b"Basic s3cret", b"Bearer s3cret x", b"\xff"],
    )
    async def test_a_wrong_token_is_refused(self, locked, value):
        assert (await request(locked, headers=[OWN_HOST, (b"authorization", value)])).status == 401

    async def test_the_token_in_a_query_string_counts_for_nothing(self, locked):
        sent = []

        async def send(message):
            sent.append(message)

        scope = {
            "type": "http",
            "method": "GET",
            "path": "/status/ann",
            "headers": [OWN_HOST],
            "server": HERE,
        }
        await locked({**scope, "query_string": b"token=s3cret"}, chunks(b""), send)
        assert sent[0]["status"] == 401

    async def test_the_token_does_not_let_a_foreign_page_in(self, locked):
        answer = await request(locked, headers=[OWN_HOST, self.BEARER, (b"origin", b"null")])
        assert answer.status == 403

    async def test_a_websocket_without_it_is_closed_with_4401_where_a_browser_sees_it(self, locked, inner):
        accept, close = await connect(locked)
        assert (accept["type"], close["type"], close["code"]) == (
            "websocket.accept",
            "websocket.close",
            4401,
        )
        assert inner.sockets == 0

    async def test_a_websocket_with_the_header_or_the_cookie_is_let_in(self, locked, inner, signing):
        cookie = await cookie_of(signing)
        await connect(locked, headers=[OWN_HOST, self.BEARER])
        await connect(locked, headers=[OWN_HOST, (b"cookie", b"a=b; " + cookie + b"; c=d")])
        await connect(locked, headers=[OWN_HOST, (b"cookie", b"a=b"), (b"cookie", cookie)])
        assert inner.sockets == 3

    @pytest.mark.parametrize("cookie", ["", "{name}=", "{name}=s3cret", "x{name}={value}", "{name}={value}x"])
    async def test_another_cookie_is_refused(self, locked, signing, cookie):
        value = (await cookie_of(signing)).decode().partition("=")[2]
        sent = cookie.format(name=COOKIE_NAME, value=value).encode()
        assert (await request(locked, headers=[OWN_HOST, (b"cookie", sent)])).status == 401

    async def test_a_page_trades_the_token_for_a_cookie_that_scripts_and_other_sites_cannot_use(
        self, signing
    ):
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

    async def test_over_https_the_cookie_is_secure_and_no_other_host_can_set_it(self):
        cookie = one_token(secure=True).set_cookie("secret", 60)
        assert cookie.startswith(f"__Host-{COOKIE_NAME}=secret; Path=/;")
        assert cookie.endswith("; Secure")

    def test_an_empty_token_is_not_taken_for_a_token(self):
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
    async def test_any_headers_are_answered_and_only_a_signed_in_own_request_gets_through(
        self, headers, bodies, method
    ):
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
    async def test_any_handshake_gets_an_end(self, headers):
        inner = RecordingApp()
        guard = Guard(inner, authentication=one_token())
        sent = await connect(guard, headers=headers)
        assert inner.sockets == 1 or sent[-1]["type"] == "websocket.close"

    @given(text=st.text(alphabet="abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=12), upper=st.data())
    async def test_hosts_and_media_types_ignore_case(self, text, upper):
        flips = upper.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
        mixed = "".join(c.upper() if flip else c for c, flip in zip(text, flips, strict=True))
        guard = Guard(RecordingApp(), hosts=[f"{text}:1"])
        headers = [(b"host", f"{mixed}:1".encode()), (b"content-type", b"APPLICATION/json")]
        assert (await request(guard, "POST", "/chat", headers, chunks(b"{}"))).status == 200


async def test_the_lifespan_passes_through():
    seen = []

    async def app(scope, _receive, _send):
        seen.append(scope["type"])

    await Guard(app)({"type": "lifespan"}, Feed(), None)
    assert seen == ["lifespan"]
