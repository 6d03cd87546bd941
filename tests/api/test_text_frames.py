"""Many texts in one write: the bytes, errors and bounds are those of one message each."""

import asyncio
import contextlib
import re

import pytest
import websockets
from hypothesis import given
from hypothesis import strategies as st
from starlette.websockets import WebSocket, WebSocketDisconnect
from uvicorn.protocols.utils import ClientDisconnected
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode

from backend.http.edge import transports
from backend.http.edge.transports import TEXTS, in_frames
from tests.api.live import BOUND_S, serving
from tests.api.test_rude_clients import (
    SOCKET,
    connected,
    only_connection,
    send,
    until_it_holds,
)
from tests.api.test_websocket import closed_with

LENGTHS = (0, 1, 125, 126, 127, 65535, 65536, 65537)
ACCEPT, CLOSE = {"type": "websocket.accept"}, {"type": "websocket.close", "code": 1013, "reason": "too slow"}
TOO_SLOW = b"\x88\x0a" + (1013).to_bytes(2) + b"too slow"
ONE, MANY = {"type": "websocket.send", "text": "a"}, {"type": "websocket.send", "texts": [b"b", b"c"]}


def by_the_library(text: bytes) -> bytes:
    return Frame(Opcode.TEXT, text).serialize(mask=False, extensions=[])


# --- the bytes -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", LENGTHS)
def test_text_of_any_length_is_framed_as_by_the_library(length):
    text = b"x" * length
    assert b"".join(in_frames([text], piece_bytes=1)) == by_the_library(text)


TEXT = st.sampled_from(LENGTHS).map(bytes) | st.binary(max_size=300)


@given(texts=st.lists(TEXT, max_size=12), piece_bytes=st.sampled_from((1, 200, 1000, 1 << 16)))
def test_texts_come_in_order_in_whole_frames(texts, piece_bytes):
    frames = [by_the_library(text) for text in texts]
    pieces = list(in_frames(texts, piece_bytes=piece_bytes))
    assert b"".join(pieces) == b"".join(frames)
    for piece in pieces:
        of_it: list = []
        while sum(map(len, of_it)) < len(piece):
            of_it.append(frames.pop(0))
        assert b"".join(of_it) == piece
        assert len(of_it) == 1 or len(piece) <= piece_bytes + 10 * len(of_it)


# --- over a connection ---------------------------------------------------------------------------------

uvloop = pytest.mark.uvloop


@contextlib.asynccontextmanager
async def serving_instead(folder, app):
    """Yield a real server with another application, which serves each socket."""
    async with serving(folder) as live:
        live.server.config.loaded_app = app
        yield live


HELLO_AT = re.compile(rb'(?<=,"at":")[^"]+(?=","heartbeat_s")')
"""When a connection was greeted: part of its first frame."""


def address(live) -> str:
    return f"ws://127.0.0.1:{live.port}/ws/ada"


@uvloop
async def test_server_without_the_extension_sends_the_same_bytes(tmp_path):
    async with serving(tmp_path) as live:
        last = (await live.chat_to_end("ada", "find 5, big 70000"))["seq"]
        received: list[bytes] = []
        for protocol in (live.server.config.ws_protocol_class, WebSocketsSansIOProtocol):
            live.server.config.ws_protocol_class = protocol
            async with connected(live) as connection:
                await send(connection, SOCKET.replace(b"ada", b"ada?since=0") % live.port + b"\r\n")
                received.append(await read_until(connection, b'{"seq":%d,' % last, b"}"))
                assert type(only_socket(live)) is protocol
            await live.until_all_have_left()
        first, second = (HELLO_AT.sub(b"", each) for each in received)
        assert first == second
        assert received[0].count(b'{"seq":') == last


async def read_until(connection, *marks: bytes) -> bytes:
    """Return what comes, until all marks were in it and it ends with the last one."""
    received = b""
    async with asyncio.timeout(BOUND_S):
        while not (all(mark in received for mark in marks) and received.endswith(marks[-1])):
            chunk = await asyncio.get_running_loop().sock_recv(connection, 1 << 20)
            assert chunk, received
            received += chunk
    return received


def only_socket(live):
    held = live.server.server_state.connections
    (protocol,) = [each for each in held if isinstance(each, WebSocketsSansIOProtocol)]
    return protocol


@uvloop
async def test_pings_and_the_close_work_among_texts_without_compression(tmp_path):
    async def app(scope, receive, send):
        assert TEXTS in scope["extensions"]
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        for _ in range(3):
            await socket.send(MANY)
            await socket.send({"type": "websocket.send", "texts": []})
            await socket.receive_text()
            await socket.send(ONE)
        await socket.close(1013, "too slow")

    async with (
        serving_instead(tmp_path, app) as live,
        websockets.connect(address(live), compression="deflate") as socket,
    ):
        assert "Sec-WebSocket-Extensions" in socket.request.headers
        assert "Sec-WebSocket-Extensions" not in socket.response.headers
        async with asyncio.timeout(BOUND_S):
            for _ in range(3):
                assert [await socket.recv(), await socket.recv()] == ["b", "c"]
                await (await socket.ping())
                only_socket(live).send_keepalive_ping()
                await socket.send("on")
                assert await socket.recv() == "a"
        assert await closed_with(socket) == 1013


async def before_it_is_accepted(receive, _send):
    await receive()


async def after_it_was_closed(receive, send):
    await before_it_is_accepted(receive, send)
    await send(ACCEPT)
    await send(CLOSE)


async def after_the_client_closed(receive, send):
    await before_it_is_accepted(receive, send)
    await send(ACCEPT)
    while (await receive())["type"] != "websocket.disconnect":
        pass


@uvloop
@pytest.mark.parametrize(
    ("moment", "client_closes", "error"),
    [
        (before_it_is_accepted, b"", RuntimeError),
        (after_it_was_closed, b"", RuntimeError),
        (after_the_client_closed, bytes([0x88, 0x80, 0, 0, 0, 0]), ClientDisconnected),
        (after_the_client_closed, None, ClientDisconnected),
    ],
    ids=["not accepted", "closed", "the client closed", "the client is gone"],
)
async def test_texts_raise_the_errors_of_one_text(tmp_path, moment, client_closes, error):
    refused: list[Exception] = []
    tried = asyncio.Event()

    async def app(_scope, receive, send):
        await moment(receive, send)
        for message in (MANY, ONE, MANY):
            try:
                await send(message)
            except (OSError, RuntimeError) as one:
                refused.append(one)
        tried.set()

    async with serving_instead(tmp_path, app) as live:
        async with connected(live) as connection, asyncio.timeout(BOUND_S):
            await send(connection, SOCKET % live.port + b"\r\n")
            if moment is not before_it_is_accepted:
                await asyncio.get_running_loop().sock_recv(connection, 1 << 16)
            if client_closes is None:
                connection.close()
            else:
                await send(connection, client_closes)
            await tried.wait()
        await until_it_holds(live, 0)
    assert [type(one) for one in refused] == [error] * 3


@uvloop
async def test_close_between_texts_is_a_disconnect_to_the_application(tmp_path):
    ended = asyncio.Event()

    async def app(scope, receive, send):
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        try:
            while True:
                await socket.send(MANY)
                await asyncio.sleep(0)
        except WebSocketDisconnect:
            ended.set()

    async with serving_instead(tmp_path, app) as live, asyncio.timeout(BOUND_S):
        async with websockets.connect(address(live)) as socket:
            await socket.recv()
        await ended.wait()


@uvloop
async def test_unread_texts_are_bounded_and_whole_frames(tmp_path):
    text, waiting = b"x" * 10_000, asyncio.get_running_loop().create_future()

    async def app(scope, receive, send):
        socket = WebSocket(scope, receive, send)
        await socket.accept()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(0.2):
                await socket.send({"type": "websocket.send", "texts": [text] * 1000})
        waiting.set_result(only_connection(live).transport.get_write_buffer_size())
        await socket.close(1013, "too slow")

    async with serving_instead(tmp_path, app) as live, connected(live, receive_buffer=4096) as connection:
        await send(connection, SOCKET % live.port + b"\r\n")
        async with asyncio.timeout(BOUND_S):
            assert 0 < await waiting <= 2 * transports.WRITE_BYTES + 100
        received = await read_until(connection, TOO_SLOW)
        frames = received.partition(b"\r\n\r\n")[2].split(by_the_library(text))
        assert len(frames) > 1
        assert set(frames[:-1]) == {b""}
        assert frames[-1] == TOO_SLOW


@uvloop
async def test_texts_are_written_at_once_only_without_a_wait(tmp_path):
    written: dict[str, bool] = {}
    tried = asyncio.Event()

    async def app(scope, receive, send):
        write = scope["extensions"][TEXTS]["write"]
        await receive()
        written["before it is accepted"] = write([b"early"])
        await send(ACCEPT)
        written["accepted"] = write([b"a", b"b"])
        written["too long"] = write([b"x" * transports.WRITE_BYTES, b"y"])
        write.__self__.writable.clear()
        written["the client reads slowly"] = write([b"full"])
        write.__self__.writable.set()
        written["it reads again"] = write([b"c"])
        await send(CLOSE)
        written["closed"] = write([b"late"])
        tried.set()

    async with (
        serving_instead(tmp_path, app) as live,
        asyncio.timeout(BOUND_S),
        websockets.connect(address(live)) as socket,
    ):
        assert [await socket.recv() for _ in range(3)] == ["a", "b", "c"]
        assert await closed_with(socket) == 1013
        await tried.wait()
    assert written == {
        "before it is accepted": False,
        "accepted": True,
        "too long": False,
        "the client reads slowly": False,
        "it reads again": True,
        "closed": False,
    }
