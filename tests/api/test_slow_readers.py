"""A client that never reads is cut off, and slows nobody."""

import asyncio
import contextlib
import json
import socket as sockets
import tracemalloc

import pytest

from backend.http import event_stream
from backend.http.edge import transports
from backend.http.routes import websocket
from backend.store import event_log
from backend.store.sqlite import writing
from tests.api.frames import ends, receive, receive_until
from tests.api.live import BOUND_S, serving
from tests.fakes.waiting import until

BIG = ", ".join(["big 60000"] * 10)
"""Less than a subscriber may have waiting, so that who reads keeps up; what is too much comes in turns."""

UNLIMITED = 1_000_000
"""Messages a minute: how many fit into what the system keeps for a reader depends on the machine."""

pytestmark = pytest.mark.uvloop


@pytest.fixture
def short_bounds(monkeypatch):
    """Bounds that who never reads comes to soon, and who reads does not, however busy the machine is."""
    monkeypatch.setattr(websocket, "SEND_TIMEOUT_S", 1)
    monkeypatch.setattr(event_stream, "SEND_TIMEOUT_S", 1)
    monkeypatch.setattr(transports, "STUCK_S", 1.5)


async def connected(live, request: str) -> sockets.socket:
    """Send a request and return its connection, from which nothing is ever read."""
    connection = sockets.socket()
    connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    connection.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_connect(connection, ("127.0.0.1", live.port))
    head = f"{request}\r\nHost: 127.0.0.1:{live.port}\r\n"
    if "/ws/" in request:
        head += "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        head += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    await loop.sock_sendall(connection, f"{head}\r\n".encode())
    await until(lambda: live.detour.open_streams)
    return connection


async def until_nobody_is_connected(live) -> None:
    """Wait until the server holds no connection any more, not even one that it wants to close."""
    await until(lambda: not live.server.server_state.connections and not live.server.server_state.tasks)


@pytest.mark.requirement("A-SLOW-READER-SLOWS-NOBODY")
@pytest.mark.parametrize("request_line", ["GET /ws/ada HTTP/1.1", "GET /events/ada HTTP/1.1"])
async def test_client_that_never_reads_is_aborted_and_slows_nobody(
    tmp_path, request_line, short_bounds, caplog
):
    async with serving(tmp_path, messages_per_minute=UNLIMITED) as live:
        connection = await connected(live, request_line)
        async with live.socket("ada", "?since=0") as reader:
            seen = [await receive(reader)]
            async with asyncio.timeout(BOUND_S):
                while live.detour.open_streams > 1:
                    accepted = await live.chat("ada", BIG)
                    seen += await receive_until(reader, ends(accepted["task_id"]))
            assert [event["seq"] for event in seen[1:]] == list(range(1, len(seen)))
        await live.http.aclose()
        await until_nobody_is_connected(live)
        assert [record for record in caplog.records if record.levelname == "ERROR"] == []
        connection.close()


@pytest.mark.requirement("A-SLOW-READER-SLOWS-NOBODY")
async def test_slow_client_is_closed_with_1013_and_resumes(tmp_path, monkeypatch):
    # The faster the machine, the more is stored until it is told: more than is kept and replayed otherwise.
    monkeypatch.setattr(writing, "EVENT_BYTES_KEPT", 2**40)
    monkeypatch.setattr(event_log, "REPLAY_BYTES", 2**40)
    async with serving(tmp_path, messages_per_minute=UNLIMITED, events_kept=UNLIMITED) as live:
        connection = await connected(live, "GET /ws/ada?since=0 HTTP/1.1")
        with monkeypatch.context() as impatient:
            impatient.setattr(websocket, "SEND_TIMEOUT_S", 0.2)
            async with asyncio.timeout(BOUND_S):
                while live.detour.open_streams:
                    await live.chat_to_end("ada", BIG)
        received = bytearray()
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(BOUND_S):
            while not received.endswith((1013).to_bytes(2) + b"too slow"):
                chunk = await loop.sock_recv(connection, 1 << 20)
                assert chunk, "the connection ended without its close code"
                received += chunk
        connection.close()
        # The batch that took too long is received all the same, and may have been the last one of all.
        accepted = await live.chat("ada", BIG)
        last = max(event["seq"] for event in frames_in(bytes(received)) if event["type"] != "hello")
        async with live.socket("ada", f"?since={last}") as again:
            await receive(again)
            rest = await receive_until(again, ends(accepted["task_id"]))
        assert [event["seq"] for event in rest] == list(range(last + 1, last + 1 + len(rest)))


def frames_in(received: bytes) -> list[dict]:
    """Return the JSON frames of what a server sent over a WebSocket, its handshake left out."""
    data = received.partition(b"\r\n\r\n")[2]
    frames: list[dict] = []
    while data:
        length, start = data[1], 2
        if length >= 126:
            size = 2 if length == 126 else 8
            length, start = int.from_bytes(data[2 : 2 + size]), 2 + size
        payload, data = data[start : start + length], data[start + length :]
        with contextlib.suppress(ValueError):
            frames.append(json.loads(payload))
    return frames


async def test_client_that_sends_and_never_reads_is_aborted(tmp_path, short_bounds):
    async with serving(tmp_path, messages_per_minute=UNLIMITED) as live:
        connection = await connected(live, "GET /ws/ada HTTP/1.1")
        ping = json.dumps({"type": "ping", "ref": "x" * 100}).encode()
        frame = bytes([0x81, 0xFE]) + len(ping).to_bytes(2) + bytes(4) + ping
        loop = asyncio.get_running_loop()
        with contextlib.suppress(ConnectionError):
            async with asyncio.timeout(BOUND_S):
                while True:
                    await loop.sock_sendall(connection, frame * 100)
        await until_nobody_is_connected(live)
        connection.close()


async def test_client_that_answers_no_ping_is_aborted(tmp_path):
    async with serving(tmp_path, heartbeat_s=0.05) as live:
        connection = await connected(live, "GET /ws/ada HTTP/1.1")
        await live.chat("ada", "hold")
        await live.until_all_have_left()
        assert (await live.status("ada"))["status"] == "running"
        connection.close()


@pytest.mark.requirement("SHUTDOWN-IN-GOOD-ORDER")
@pytest.mark.parametrize("request_line", ["GET /ws/ada HTTP/1.1", "GET /events/ada HTTP/1.1"])
async def test_shutdown_does_not_wait_for_a_client_that_never_reads(tmp_path, request_line, monkeypatch):
    monkeypatch.setattr(transports, "STUCK_AT_THE_END_S", 0.1)
    async with contextlib.AsyncExitStack() as stack:
        live = await stack.enter_async_context(
            serving(tmp_path, shutdown_grace_s=60, messages_per_minute=UNLIMITED)
        )
        connection = await connected(live, request_line)
        stuck = live.server.server_state.connections
        async with asyncio.timeout(BOUND_S):
            while not any(each.transport.get_write_buffer_size() > 65536 for each in stuck):
                await live.chat_to_end("ada", BIG)
            await stack.aclose()
        connection.close()


@pytest.mark.parametrize("path", ["/ws/ada", "/ws/ada?since=0", "/events/ada", "/events/ada?since=0"])
async def test_idle_subscriber_holds_nothing(tmp_path, path):
    """Caught a snapshot, and a page of events that was replayed, held by whoever had been sent it."""
    size, count, loop = 1 << 20, 10, asyncio.get_running_loop()
    async with (
        serving(tmp_path, store="sqlite", sockets_per_user=count) as live,
        contextlib.AsyncExitStack() as at_the_end,
    ):
        await live.chat_to_end("ada", f"big {size}")
        tracemalloc.start()
        at_the_end.callback(tracemalloc.stop)
        for _ in range(count):
            connection = await connected(live, f"GET {path} HTTP/1.1")
            at_the_end.callback(connection.close)
            async with asyncio.timeout(BOUND_S):
                received = 0
                while received < size:
                    received += len(await loop.sock_recv(connection, 1 << 16))
        await until(lambda: tracemalloc.get_traced_memory()[0] <= size * count / 2)
