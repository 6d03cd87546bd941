"""Attacks on HTTP itself and on sessions: smuggled requests, TRACE, a session that outlives a sign-in."""

import asyncio
from pathlib import Path

import pytest

from tests.api.live import serving

TOKEN = "a-long-random-token-22"


@pytest.mark.parametrize(
    "lengths", [b"Content-Length: 5\r\nTransfer-Encoding: chunked", b"Content-Length: 5\r\nContent-Length: 6"]
)
async def test_request_with_two_lengths_is_refused_with_what_follows_it(
    tmp_path: Path, lengths: bytes
) -> None:
    async with serving(tmp_path) as server:
        host, port = server.http.base_url.host, server.http.base_url.port
        reader, writer = await asyncio.open_connection(host, port)
        head = f"Host: {host}:{port}\r\n".encode()
        smuggled = b"GET /health HTTP/1.1\r\n" + head + b"\r\n"
        writer.write(b"POST /chat HTTP/1.1\r\n" + head + lengths + b"\r\n\r\n0\r\n\r\n" + smuggled)
        answered = await reader.read()
        writer.close()
    assert answered.startswith(b"HTTP/1.1 400 ")
    assert answered.count(b"HTTP/1.1") == 1


async def test_trace_is_refused(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        for path in ("/", "/status/ann"):
            assert (await server.http.request("TRACE", path)).status_code == 405


async def test_new_sign_in_ends_the_session_before(tmp_path: Path) -> None:
    async with serving(tmp_path, token=TOKEN) as server:
        cookies: list[str] = []
        for _ in range(2):
            # The client sends the cookie of the first time with the second one.
            answer = await server.http.post("/session", json={"token": TOKEN})
            cookies.append(answer.headers["set-cookie"].partition(";")[0])
        server.http.cookies.clear()
        told = [
            (await server.http.get("/history/ann", headers={"Cookie": each})).status_code for each in cookies
        ]
    assert cookies[0] != cookies[1]
    assert told == [401, 404]  # signed in, there is nobody of that name
