"""Security headers on every answer."""

import asyncio

import pytest
from fastapi import FastAPI

from backend.http.edge.guard import Guard
from backend.http.edge.headers import CONTENT_SECURITY_POLICY
from backend.http.edge.transports import HEAD_BYTES
from tests.api.asgi_client import HERE, OWN_HOST, chunks, request
from tests.api.live import BOUND_S, serving


@pytest.fixture
def guard(inner):
    return Guard(inner)


class TestResponseHeaders:
    async def test_security_headers_are_on_every_answer(self, guard):
        for headers in ([OWN_HOST], [(b"host", b"evil.example")]):
            answer = await request(guard, headers=headers)
            assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert answer.headers["referrer-policy"] == "no-referrer"

    async def test_content_security_policy_allows_nothing_foreign(self):
        assert "unsafe" not in CONTENT_SECURITY_POLICY
        assert "http" not in CONTENT_SECURITY_POLICY
        assert CONTENT_SECURITY_POLICY.startswith("default-src 'none';")

    async def test_answers_are_not_stored_and_files_are_revalidated(self, guard):
        assert (await request(guard)).headers["cache-control"] == "no-store"
        assert (await request(guard, path="/static/app.js")).headers["cache-control"] == "no-cache"

    async def test_cache_control_of_the_application_stays(self, guard, inner):
        inner.headers = [(b"cache-control", b"private, max-age=5"), (b"etag", b'"1"')]
        answer = await request(guard)
        assert (answer.headers["cache-control"], answer.headers["etag"]) == ("private, max-age=5", '"1"')

    async def test_framework_error_page_has_security_headers(self):
        app = FastAPI()

        @app.get("/broken")
        async def broken():
            raise RuntimeError("broken")

        guard = Guard(app)
        sent = []

        async def send(message):
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/broken", "headers": [OWN_HOST], "server": HERE}
        with pytest.raises(RuntimeError, match="broken"):
            await guard({**scope, "query_string": b""}, chunks(b""), send)
        assert sent[0]["status"] == 500
        assert (b"x-content-type-options", b"nosniff") in sent[0]["headers"]

    async def test_public_address_implies_https_only(self, inner, guard):
        told = (await request(Guard(inner, https_alone=True))).headers["strict-transport-security"]
        assert told.startswith("max-age=31536000")
        assert "strict-transport-security" not in (await request(guard)).headers


HANDSHAKE = (
    b"GET /ws/ann HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)

REFUSED_BY_THE_PARSER = {
    "no HTTP": (b"GET / HTTP/9.9\r\n\r\n", b"400 Bad Request"),
    "too long a head": (b"GET / HTTP/1.1\r\na: " + b"b" * HEAD_BYTES, b"431 Request Header Fields Too Large"),
    "a foreign page's socket": (HANDSHAKE % b"evil.example" + b"\r\n", b"403 Forbidden"),
    "a socket with too many headers": (
        HANDSHAKE % b"127.0.0.1" + b"a: b\r\n" * 200 + b"\r\n",
        b"431 Request Header Fields Too Large",
    ),
}


async def test_refusals_of_the_parser_have_security_headers(tmp_path):
    async with serving(tmp_path, public_url="https://trips.example.com") as live:
        answers = {}
        for name, (sent, _) in REFUSED_BY_THE_PARSER.items():
            reader, writer = await asyncio.open_connection("127.0.0.1", live.port)
            writer.write(sent)
            async with asyncio.timeout(BOUND_S):
                answers[name] = await reader.read()
            writer.close()
    for name, (_, status) in REFUSED_BY_THE_PARSER.items():
        head, _, body = answers[name].partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 " + status + b"\r\n"), name
        told = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        assert int(told[b"content-length"]) == len(body)
        assert told[b"content-type"] == b"text/plain; charset=utf-8"
        assert told[b"x-content-type-options"] == b"nosniff", name
        assert told[b"content-security-policy"] == CONTENT_SECURITY_POLICY.lower().encode(), name
        assert told[b"strict-transport-security"].startswith(b"max-age="), name
