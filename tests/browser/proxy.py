"""The line between a page and its server, which a test can cut, close, or keep WebSockets out of."""

import asyncio
from typing import Any


class Proxy:
    """Passes bytes on to the server at `target`, for as long as it is entered."""

    def __init__(self) -> None:
        self.port = 0
        self.target = 0
        self.closed = False
        self.keeps_sockets_out = False
        self._open: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[Any]] = set()
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> "Proxy":
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Cut every connection, and listen no more."""
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def cut(self) -> None:
        """Break all connections that there are, as a network does that changes."""
        for writer in self._open:
            writer.transport.abort()

    def close(self) -> None:
        """Break all connections, and let none in until `open`."""
        self.closed = True
        self.cut()

    def open(self) -> None:
        """Let connections in again."""
        self.closed = False

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        opened = [writer]
        self._open.add(writer)
        try:
            if self.closed:
                return
            head = await reader.readuntil(b"\r\n\r\n")
            if self.keeps_sockets_out and b"\r\nupgrade: websocket" in head.lower():
                writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                await writer.drain()
                return
            from_server, to_server = await asyncio.open_connection("127.0.0.1", self.target)
            opened.append(to_server)
            self._open.add(to_server)
            to_server.write(head)
            async with asyncio.TaskGroup() as group:
                group.create_task(_pass_on(reader, to_server))
                group.create_task(_pass_on(from_server, writer))
        except (OSError, asyncio.IncompleteReadError, ExceptionGroup):
            pass
        finally:
            for each in opened:
                self._open.discard(each)
                each.transport.abort()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    raise ConnectionError  # one side has closed, so the other one is closed as well
