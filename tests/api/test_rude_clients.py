"""Clients that hold or send more than their share are cut off.

The bounds are shortened where a test would have to wait for one.
"""

import asyncio
import contextlib
import re
import socket as sockets

import pytest

from backend.http.edge import transports
from tests.api.frames import receive_until
from tests.api.live import BOUND_S, serving
from tests.fakes.waiting import until

pytestmark = pytest.mark.uvloop

SOCKET = (
    b"GET /ws/ada HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)


@contextlib.asynccontextmanager
async def connected(live, *, receive_buffer: int = 0):
    """Yield a connection that nothing has been sent over."""
    with sockets.socket() as connection:
        if receive_buffer:
            connection.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, receive_buffer)
        connection.setblocking(False)
        await asyncio.get_running_loop().sock_connect(connection, ("127.0.0.1", live.port))
        yield connection


async def send(connection: sockets.socket, data: bytes) -> None:
    async with asyncio.timeout(BOUND_S):
        await asyncio.get_running_loop().sock_sendall(connection, data)


async def read_to_the_end(connection: sockets.socket) -> bytes:
    """Return what comes until the server closes the connection, in whatever way."""
    received, loop = bytearray(), asyncio.get_running_loop()
    async with asyncio.timeout(BOUND_S):
        with contextlib.suppress(ConnectionError):
            while chunk := await loop.sock_recv(connection, 1 << 20):
                received += chunk
    return bytes(received)


async def until_it_holds(live, count: int) -> None:
    """Wait until the server has exactly so many connections."""
    await until(lambda: len(live.server.server_state.connections) == count)


def only_connection(live):
    """Return the server's side of its only connection."""
    (protocol,) = live.server.server_state.connections
    return protocol


@contextlib.asynccontextmanager
async def unread_answers(live, at_least: int):
    """Yield a connection over which long answers wait: so many bytes, and no buffer counts as full."""
    async with connected(live, receive_buffer=4096) as connection:
        await until_it_holds(live, 1)
        transport = only_connection(live).transport
        transport.set_write_buffer_limits(high=1 << 30)
        async with asyncio.timeout(BOUND_S):
            while transport.get_write_buffer_size() < at_least:
                await send(
                    connection, b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % live.port
                )
                await asyncio.sleep(0)
        yield connection


async def test_slow_but_steady_reader_is_not_cut_off(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "STUCK_S", 0.3)
    async with serving(tmp_path) as live, unread_answers(live, 1 << 21) as connection:
        server, loop = only_connection(live), asyncio.get_running_loop()
        server.pause_writing()  # as for a buffer that never falls below its low water mark
        async with asyncio.timeout(BOUND_S):
            for _ in range(3):
                waits, timer = server.transport.get_write_buffer_size(), server._stuck_timer
                while server.transport.get_write_buffer_size() >= waits:
                    assert await loop.sock_recv(connection, 4096)
                while server._stuck_timer is timer:  # noqa: ASYNC110
                    await asyncio.sleep(0)
        assert server in live.server.server_state.connections


async def test_closing_connection_does_not_wait_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "STUCK_S", 0.1)
    async with serving(tmp_path) as live, unread_answers(live, 1) as connection:
        connection.shutdown(sockets.SHUT_WR)
        await until_it_holds(live, 0)


TOO_LARGE = b"HTTP/1.1 431 "
CHUNKED = b"POST /chat HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("begins", "goes_on"),
    [
        (b"GET / HTTP/1.1\r\n", b"a:b\r\n"),
        (b"GET / HTTP/1.1\r\na: ", b"b"),
        (b"GET /", b"a"),
        (b"GET / HTTP/1.1\r\n", b"a"),
        (CHUNKED + b"1\r\na\r\n0\r\n", b"a:b\r\n"),
        (b"", b"\r\n"),
    ],
    ids=["many headers", "a long value", "a long address", "a long name", "many trailers", "empty lines"],
)
async def test_head_without_end_is_refused(tmp_path, begins, goes_on):
    piece = goes_on * (1000 // len(goes_on))
    async with serving(tmp_path) as live, connected(live) as connection:
        await send(connection, begins)
        with contextlib.suppress(ConnectionError):
            for _ in range(16 * transports.HEAD_BYTES // len(piece)):
                await send(connection, piece)
        await until_it_holds(live, 0)


async def test_long_head_returns_431(tmp_path):
    async with serving(tmp_path) as live, connected(live) as connection:
        await send(connection, b"GET / HTTP/1.1\r\na: " + b"b" * transports.HEAD_BYTES)
        assert (await read_to_the_end(connection)).startswith(TOO_LARGE)


async def test_socket_with_too_many_headers_is_refused(tmp_path):
    async with serving(tmp_path) as live, connected(live) as connection:
        await send(connection, SOCKET % live.port + b"a: b\r\n" * 200 + b"\r\n")
        assert (await read_to_the_end(connection)).startswith(TOO_LARGE)


@pytest.mark.parametrize(
    "begins",
    [b"", b"\r\n", b"GET / HT", SOCKET % 1, CHUNKED, CHUNKED + b"1\r\na\r\n"],
    ids=["nothing", "an empty line", "half a line", "half a head", "no body", "half a body"],
)
async def test_request_that_does_not_arrive_is_aborted(tmp_path, monkeypatch, begins):
    monkeypatch.setattr(transports, "HEAD_S", 0.1)
    monkeypatch.setattr(transports, "BODY_S", 0.1)
    async with serving(tmp_path) as live, connected(live) as connection:
        await until_it_holds(live, 1)
        await send(connection, begins)
        await until_it_holds(live, 0)


async def test_incomplete_bytes_give_no_more_time(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "HEAD_S", 0.1)
    async with serving(tmp_path) as live, connected(live) as connection:
        await until_it_holds(live, 1)
        (server,) = live.server.server_state.connections
        async with asyncio.timeout(BOUND_S):
            with contextlib.suppress(ConnectionError):
                await send(connection, b"GET / HTTP/1.1\r\n")
                while live.server.server_state.connections:
                    before = server._unread_bytes
                    await send(connection, b"a")
                    while server._unread_bytes == before and live.server.server_state.connections:  # noqa: ASYNC110
                        await asyncio.sleep(0)


async def test_second_request_has_its_own_deadline(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "HEAD_S", 0.1)
    async with serving(tmp_path) as live, connected(live) as connection:
        await send(connection, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\nGET" % live.port)
        assert (await read_to_the_end(connection)).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("head", [b"GET /health", b"POST /chat"], ids=["no body", "a body"])
async def test_pipelined_requests_are_bounded(tmp_path, head):
    """A whole read of the loop holds thousands of them; read on after each answer, they filled the memory."""
    request = head + b" HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
    if head.startswith(b"POST"):
        request += b"Content-Length: 1\r\n"
    count, longest, received = 1000, 0, bytearray()
    async with serving(tmp_path) as live, connected(live) as connection:
        await until_it_holds(live, 1)
        server, loop = only_connection(live), asyncio.get_running_loop()
        body = b"{" if head.startswith(b"POST") else b""
        sending = loop.create_task(send(connection, (request % live.port + b"\r\n" + body) * count))
        async with asyncio.timeout(BOUND_S):
            while received.count(b"HTTP/1.1 ") < count:
                with contextlib.suppress(BlockingIOError):
                    received += connection.recv(1 << 16)
                longest = max(longest, len(server.pipeline))
                await asyncio.sleep(0)
        await sending
    assert 0 < longest <= transports.PARSED_AT_ONCE_BYTES // len(request) + 1


async def test_pipelined_requests_are_answered_in_order(tmp_path):
    async with serving(tmp_path) as live, connected(live) as connection:
        request = b"GET /status/user%d HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n"
        await send(connection, b"".join(request % (each, live.port) for each in range(500)))
        received = b""
        async with asyncio.timeout(BOUND_S):
            while b"'user499'" not in received:
                received += await asyncio.get_running_loop().sock_recv(connection, 1 << 16)
        assert [int(each) for each in re.findall(rb"'user(\d+)'", received)] == list(range(500))


async def test_client_that_has_sent_its_request_may_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "HEAD_S", 0.1)
    monkeypatch.setattr(transports, "BODY_S", 0.1)
    async with serving(tmp_path) as live, live.socket("ada") as socket, connected(live) as stream:
        await send(stream, b"GET /events/ada HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % live.port)
        await until_it_holds(live, 2)
        async with connected(live) as late:
            assert await read_to_the_end(late) == b""
        await until_it_holds(live, 2)
        await socket.send('{"type": "ping"}')
        await receive_until(socket, lambda frame: frame["type"] == "pong")
        assert live.detour.open_streams == 2


async def test_connections_beyond_the_most_are_closed(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "CONNECTIONS", 1)
    async with serving(tmp_path) as live, connected(live) as first:
        await until_it_holds(live, 1)
        async with connected(live) as second:
            assert await read_to_the_end(second) == b""
        await send(
            first, b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n" % live.port
        )
        assert (await read_to_the_end(first)).startswith(b"HTTP/1.1 200 ")


PING, TEXT, CONTINUATION = 0x89, 0x01, 0x00
TOO_MANY = (1008).to_bytes(2) + b"too many "


def frame(kind: int, payload: bytes = b"") -> bytes:
    """Return a frame as clients send them, with a mask of zeros."""
    return bytes([kind, 0x80 + len(payload)]) + bytes(4) + payload


@contextlib.asynccontextmanager
async def socket_of_ada(live, **options: int):
    """Yield the connection of a WebSocket that is open."""
    async with connected(live, **options) as connection:
        await send(connection, SOCKET % live.port + b"\r\n")
        await until(lambda: live.detour.open_streams)
        yield connection


@pytest.mark.parametrize(
    "flood",
    [frame(PING) * 4000, (frame(TEXT) + frame(CONTINUATION | 0x80)) * 2000, frame(TEXT | 0x80, b"{}") * 4000],
    ids=["pings", "fragments", "messages"],
)
async def test_flood_of_frames_is_closed_with_1008(tmp_path, flood):
    async with serving(tmp_path) as live, socket_of_ada(live) as connection:
        await send(connection, flood)
        assert TOO_MANY + b"frames" in await read_to_the_end(connection)
        await live.until_all_have_left()


async def test_message_of_too_many_fragments_is_closed_with_1008(tmp_path):
    async with serving(tmp_path) as live, socket_of_ada(live) as connection:
        await send(connection, frame(TEXT) + frame(CONTINUATION) * transports.FRAGMENTS)
        assert TOO_MANY + b"fragments" in await read_to_the_end(connection)
        await live.until_all_have_left()


@pytest.mark.parametrize(
    "message",
    [frame(TEXT | 0x80, b"\xff"), frame(TEXT, b"\xe2") + frame(CONTINUATION | 0x80, b"\x82")],
    ids=["one frame", "fragments"],
)
async def test_text_that_is_not_utf8_is_closed_with_1007_and_not_logged(tmp_path, caplog, message):
    async with serving(tmp_path) as live, socket_of_ada(live) as connection:
        await send(connection, message)
        assert (1007).to_bytes(2) + b"text that is not UTF-8" in await read_to_the_end(connection)
        await live.until_all_have_left()
    assert [each for each in caplog.records if each.levelname == "ERROR"] == []


async def test_message_of_many_fragments_is_understood(tmp_path):
    pieces = [frame(CONTINUATION, bytes([each])) for each in b'{"type": "ping"}'.ljust(1000)]
    async with serving(tmp_path) as live, socket_of_ada(live) as connection:
        await send(connection, frame(TEXT) + b"".join(pieces) + frame(CONTINUATION | 0x80))
        received = b""
        async with asyncio.timeout(BOUND_S):
            while b'"type":"pong"' not in received:
                chunk = await asyncio.get_running_loop().sock_recv(connection, 1 << 16)
                assert chunk, received
                received += chunk


async def test_client_that_pings_and_does_not_read_is_paused(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "FRAMES_AT_ONCE", 1 << 40)
    async with serving(tmp_path) as live, socket_of_ada(live, receive_buffer=4096) as connection:
        server = only_connection(live)
        pings = frame(PING, b"x" * 125) * 500
        async with asyncio.timeout(BOUND_S):
            while server.transport.is_reading():
                with contextlib.suppress(BlockingIOError):
                    connection.send(pings)
                await asyncio.sleep(0)
        assert server.transport.get_write_buffer_size() < 1 << 20
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(BOUND_S):
            while not server.transport.is_reading():
                await loop.sock_recv(connection, 1 << 16)


@pytest.mark.parametrize(
    ("target", "status"),
    [
        (b"http://other/ready", b"403"),
        (b"HTTP://other:80/ready?x", b"403"),
        (b"http://127.0.0.1:%d@other/ready", b"403"),
        (b"http://127.0.0.1:%d/ready", b"200"),
        (b"/ready?of=http://other/", b"200"),
    ],
)
async def test_absolute_target_replaces_the_host_header(tmp_path, target, status):
    async with serving(tmp_path) as live, connected(live) as connection:
        target = target.replace(b"%d", b"%d" % live.port)
        head = b"GET %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n"
        await send(connection, head % (target, live.port))
        assert (await read_to_the_end(connection)).startswith(b"HTTP/1.1 %s " % status)


async def test_absolute_target_of_a_websocket_replaces_the_host(tmp_path):
    async with serving(tmp_path) as live, connected(live) as connection:
        await send(connection, SOCKET.replace(b"/ws/", b"http://other/ws/") % live.port + b"\r\n")
        assert (await read_to_the_end(connection)).startswith(b"HTTP/1.1 403 ")
