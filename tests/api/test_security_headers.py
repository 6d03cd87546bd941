"""The headers that every answer has, which keep a page from running or embedding what it should not."""

import pytest
from fastapi import FastAPI

from backend.serving.edge.guard import Guard
from backend.serving.edge.security_headers import CONTENT_SECURITY_POLICY
from tests.api.asgi_client import HERE, OWN_HOST, RecordingApp, chunks, request


@pytest.fixture
def inner():
    return RecordingApp()


@pytest.fixture
def guard(inner):
    return Guard(inner)


class TestResponseHeaders:
    async def test_every_answer_carries_them_refusals_included(self, guard):
        for headers in ([OWN_HOST], [(b"host", b"evil.example")]):
            answer = await request(guard, headers=headers)
            assert answer.headers["content-security-policy"] == CONTENT_SECURITY_POLICY
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert answer.headers["cross-origin-resource-policy"] == "same-origin"
            assert answer.headers["referrer-policy"] == "no-referrer"

    async def test_the_policy_allows_nothing_inline_and_no_other_origin(self):
        assert "unsafe" not in CONTENT_SECURITY_POLICY
        assert "http" not in CONTENT_SECURITY_POLICY
        assert CONTENT_SECURITY_POLICY.startswith("default-src 'none';")

    async def test_answers_are_never_stored_and_files_are_asked_for_again(self, guard):
        assert (await request(guard)).headers["cache-control"] == "no-store"
        assert (await request(guard, path="/static/app.js")).headers["cache-control"] == "no-cache"

    async def test_the_applications_own_cache_control_stays(self, guard, inner):
        inner.headers = [(b"cache-control", b"private, max-age=5"), (b"etag", b'"1"')]
        answer = await request(guard)
        assert (answer.headers["cache-control"], answer.headers["etag"]) == ("private, max-age=5", '"1"')

    async def test_an_error_page_of_the_framework_carries_them_when_the_guard_is_outermost(self):
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

    async def test_with_a_public_address_browsers_are_told_to_come_by_https_only(self, inner, guard):
        told = (await request(Guard(inner, https_alone=True))).headers["strict-transport-security"]
        assert told.startswith("max-age=31536000")
        assert "strict-transport-security" not in (await request(guard)).headers
