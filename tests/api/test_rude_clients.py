"""Clients that take, hold or send more than their share: each is let go, whatever the bounds are.

The bounds are shortened where a test would have to wait for one; what is proven is that they end it.
"""

import asyncio
import contextlib
import socket as sockets

import pytest

from backend.api import transports
from tests.api.live import BOUND_S, serving

pytestmark = pytest.mark.uvloop

HEALTH = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"


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
    async with asyncio.timeout(BOUND_S):
        while len(live.server.server_state.connections) != count:  # noqa: ASYNC110
            await asyncio.sleep(0)


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


async def test_a_reader_that_is_slow_but_steady_is_not_cut_off(tmp_path, monkeypatch):
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


async def test_what_waits_at_the_end_of_a_connection_does_not_wait_for_ever(tmp_path, monkeypatch):
    monkeypatch.setattr(transports, "STUCK_S", 0.1)
    async with serving(tmp_path) as live, unread_answers(live, 1) as connection:
        connection.shutdown(sockets.SHUT_WR)
        await until_it_holds(live, 0)
