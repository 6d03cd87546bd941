"""CORS: what browsers learn about pages of other origins."""

import pytest

from backend.http.edge.guard import BODY_LIMIT_BYTES, LARGE_BODY_LIMIT_BYTES, Guard
from backend.http.edge.headers import CrossOrigin
from tests.api.asgi_client import JSON, OWN_HOST, chunks, connect, request
from tests.api.signing import cookie_of

APP = (b"origin", b"https://app.example.com")
OTHER = (b"origin", b"https://evil.example")
OWN = (b"origin", b"http://127.0.0.1:8000")
TOKEN = (b"authorization", b"Bearer s3cret")

pytestmark = pytest.mark.requirement("STRANGERS-STAY-OUT")


@pytest.fixture
def named(inner):
    """Admits the pages of one origin."""
    return Guard(inner, cross_origin=CrossOrigin(["https://App.Example.com/", "http://localhost:3000"]))


@pytest.fixture
async def cookie(signing):
    return b"cookie", await cookie_of(signing)


@pytest.fixture
def locked(inner, signing):
    """Admits the pages of one origin, with a token."""
    origins = CrossOrigin(["https://app.example.com"])
    return Guard(inner, cross_origin=origins, authentication=signing)


@pytest.fixture
def anybody(inner, signing):
    """Admits the pages of all origins, with a token."""
    return Guard(inner, cross_origin=CrossOrigin(["*"]), authentication=signing)


def asking(origin, *, method=b"POST"):
    """Return the headers of a preflight."""
    return [OWN_HOST, origin, (b"access-control-request-method", method)]


def listed(answer, name: str) -> set[str]:
    return {each.strip().lower() for each in answer.headers[name].split(",")}


OF_OPENAIS_CLIENT = {
    f"x-stainless-{each}"
    for each in (
        *("arch", "helper-method", "lang", "os", "package-version", "poll-helper", "retry-count"),
        *("runtime", "runtime-version", "timeout"),
    )
}


class TestPreflight:
    async def test_preflight_of_an_allowed_page_is_answered_without_a_route(self, named, inner):
        answer = await request(named, "OPTIONS", "/ai-sdk/chat", asking(APP))
        assert (answer.status, answer.body, inner.bodies) == (204, b"", [])
        assert answer.headers["access-control-allow-origin"] == "https://app.example.com"
        assert listed(answer, "access-control-allow-methods") == {"get", "post", "put", "patch", "delete"}
        assert int(answer.headers["access-control-max-age"]) > 0

    async def test_preflight_allows_the_headers_that_clients_send(self, named):
        answer = await request(named, "OPTIONS", "/chat", asking(APP))
        sent = {"content-type", "authorization", "x-api-key", "x-auth-scheme", "last-event-id", "accept"}
        sent |= {"cache-control", "idempotency-key", "detour-policy", "detour-thread", "if-none-match"}
        sent |= {"mcp-session-id", "mcp-protocol-version", "mcp-method", "mcp-name"}
        sent |= {"openai-organization", "openai-project", *OF_OPENAIS_CLIENT}
        assert listed(answer, "access-control-allow-headers") == sent

    async def test_preflight_needs_no_token(self, locked, anybody):
        for guard in (locked, anybody):
            assert (await request(guard, "OPTIONS", "/chat", asking(APP))).status == 204

    async def test_preflight_of_another_page_is_refused(self, named, locked, inner):
        for guard in (named, locked, Guard(inner)):
            answer = await request(guard, "OPTIONS", "/chat", asking(OTHER))
            assert (answer.status, answer.error["code"]) == (403, "origin_not_allowed")
            assert not [each for each in answer.headers if each.startswith("access-control-")]

    async def test_other_options_requests_reach_the_routes(self, named, inner):
        for headers in ([OWN_HOST, APP], [OWN_HOST, asking(APP)[-1]], asking(OWN)):
            assert (await request(named, "OPTIONS", "/chat", headers)).status == 200
        assert (await request(named, "GET", "/chat", asking(APP))).status == 200
        assert len(inner.bodies) == 4


class TestAnswers:
    async def test_answer_to_an_allowed_page_is_readable_with_its_headers(self, named, inner):
        answer = await request(named, "POST", "/chat", [OWN_HOST, APP, JSON], chunks(b"{}"))
        assert (answer.status, inner.bodies) == (200, [b"{}"])
        assert answer.headers["access-control-allow-origin"] == "https://app.example.com"
        exposed = {"content-location", "location", "etag", "retry-after", "x-vercel-ai-ui-message-stream"}
        exposed |= {"mcp-session-id"}
        assert listed(answer, "access-control-expose-headers") == exposed

    async def test_answer_varies_by_origin(self, named):
        assert (await request(named, headers=[OWN_HOST, APP])).headers["vary"] == "Origin"

    async def test_refusal_is_readable_too(self, locked):
        answer = await request(locked, headers=[OWN_HOST, APP])
        assert (answer.status, answer.error["code"]) == (401, "unauthorized")
        assert answer.headers["access-control-allow-origin"] == "https://app.example.com"

    async def test_origins_match_exactly_but_for_case(self, named):
        for origin in (b"HTTPS://APP.example.COM", b"http://localhost:3000"):
            answer = await request(named, headers=[OWN_HOST, (b"origin", origin)])
            assert answer.headers["access-control-allow-origin"] == origin.decode()
        for origin in (
            b"http://app.example.com",
            b"https://app.example.com:8443",
            b"https://app.example.com.evil.example",
            b"https://sub.app.example.com",
            b"null",
            b"*",
            b"",
        ):
            answer = await request(named, headers=[OWN_HOST, (b"origin", origin)])
            assert (answer.status, answer.error["code"]) == (403, "origin_not_allowed")

    async def test_embedded_request_of_an_allowed_page_is_refused(self, named):
        headers = [OWN_HOST, (b"sec-fetch-site", b"cross-site"), (b"sec-fetch-mode", b"no-cors")]
        assert (await request(named, headers=headers)).status == 403


class TestCredentials:
    async def test_page_of_a_named_origin_uses_the_cookie(self, locked, cookie):
        answer = await request(locked, headers=[OWN_HOST, APP, cookie])
        assert (answer.status, answer.headers["access-control-allow-credentials"]) == (200, "true")

    async def test_any_origin_ignores_the_cookie(self, anybody, cookie):
        answer = await request(anybody, headers=[OWN_HOST, APP, cookie])
        assert (answer.status, answer.error["code"]) == (401, "unauthorized")

    async def test_any_origin_never_allows_credentials(self, anybody):
        for headers in ([OWN_HOST, APP, TOKEN], asking(APP)):
            answer = await request(anybody, "OPTIONS", headers=headers)
            assert answer.headers["access-control-allow-origin"] == "https://app.example.com"
            assert "access-control-allow-credentials" not in answer.headers

    async def test_origin_named_beside_all_keeps_its_cookie(self, inner, signing, cookie):
        origins = CrossOrigin(["*", "https://app.example.com"])
        guard = Guard(inner, cross_origin=origins, authentication=signing)
        assert (await request(guard, headers=[OWN_HOST, APP, cookie])).status == 200
        assert (await request(guard, headers=[OWN_HOST, OTHER, cookie])).status == 401

    async def test_own_page_keeps_its_cookie_with_any_origin(self, anybody, inner, cookie):
        headers = [OWN_HOST, OWN, cookie, JSON]
        assert (await request(anybody, "POST", "/chat", headers, chunks(b"{}"))).status == 200
        await connect(anybody, headers=headers)
        assert inner.sockets == 1

    @pytest.mark.parametrize("origin", [APP, OTHER, (b"origin", b"null")])
    async def test_token_signs_any_page_in_with_any_origin(self, anybody, origin):
        for token in (TOKEN, (b"x-api-key", b"s3cret")):
            assert (await request(anybody, headers=[OWN_HOST, origin, token])).status == 200

    async def test_api_key_counts_like_a_token_and_a_token_decides(self, locked, cookie):
        for headers, status in (
            ([(b"x-api-key", b" s3cret ")], 200),
            ([(b"x-api-key", b"wrong")], 401),
            ([(b"x-api-key", b"wrong"), cookie], 401),
            ([(b"x-api-key", b"s3cret"), (b"authorization", b"Bearer wrong")], 401),
            ([(b"x-api-key", b"wrong"), TOKEN], 200),
            ([(b"x-api-key", b"s3cret"), (b"x-api-key", b"s3cret")], 422),
        ):
            assert (await request(locked, headers=[OWN_HOST, *headers])).status == status, headers


class TestSockets:
    async def test_socket_is_open_to_an_allowed_page_alone(self, named, inner):
        await connect(named, headers=[OWN_HOST, APP])
        assert inner.sockets == 1
        (refused,) = await connect(named, headers=[OWN_HOST, OTHER])
        assert (refused["code"], inner.sockets) == (4403, 1)

    async def test_socket_of_another_page_ignores_the_cookie(self, anybody, inner, cookie):
        refused = await connect(anybody, headers=[OWN_HOST, OTHER, cookie])
        assert (refused[-1]["code"], inner.sockets) == (4401, 0)


class TestLargeBodies:
    @pytest.fixture
    def guard(self, inner):
        return Guard(inner, large_bodies=["/ai-sdk/", "/agui"])

    async def post(self, guard, path: str, size: int) -> int:
        return (await request(guard, "POST", path, [OWN_HOST, JSON], chunks(b"x" * size, b""))).status

    async def test_large_body_fits_on_paths_of_protocols(self, guard):
        for path in ("/ai-sdk/chat", "/agui", "/agui/travel"):
            assert await self.post(guard, path, LARGE_BODY_LIMIT_BYTES) == 200
            assert await self.post(guard, path, LARGE_BODY_LIMIT_BYTES + 1) == 413

    async def test_large_body_fits_nowhere_else(self, guard, inner):
        for path in ("/chat", "/ai-sdk", "/", "/x/ai-sdk/chat", "/AI-SDK/chat"):
            assert await self.post(guard, path, BODY_LIMIT_BYTES) == 200
            assert await self.post(guard, path, BODY_LIMIT_BYTES + 1) == 413
