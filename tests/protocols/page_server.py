"""A server of one static page, on a port of its own: a page of another origin than Detour's."""

import asyncio


class PageServer:
    """Answers everything with one page, for `async with`."""

    def __init__(self, page: str) -> None:
        body = page.encode()
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\nConnection: close"
        )
        self._answer = head.encode() + b"\r\n\r\n" + body
        self.port = 0

    @property
    def origin(self) -> str:
        """The origin of its page."""
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> "PageServer":
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(self._answer)
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass  # a browser opens connections that it does not use
        finally:
            writer.close()
