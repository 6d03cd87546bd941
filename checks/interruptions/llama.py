"""llama.cpp's server as a process, and a recorder between it and its clients.

The recorder notes each request, the text that was sent, and when the client closed; the process's log says
when its one slot began an answer.
"""

import asyncio
import contextlib
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import httpx2
import orjson

from tests.fakes.http_server import Exchange, HttpServer

START_S = 60.0
SERVER = Path(__file__).with_name("llama_server.py")
BEGINS = "| processing task"


class Llama:
    """The process, and what its log told."""

    def __init__(self, process: Process) -> None:
        self.address = ""
        self.log: list[str] = []
        self._begun: list[float] = []
        self._process = process
        self._changed = asyncio.Event()

    async def begins(self, after: float) -> float:
        """Wait until the slot has begun an answer after a time, and return when."""
        while True:
            if found := [each for each in self._begun if each >= after]:
                return found[0]
            self._changed.clear()
            await self._changed.wait()

    async def read(self) -> None:
        """Read the log until the process ends."""
        assert self._process.stderr is not None
        async for raw in self._process.stderr:
            line = raw.decode("utf-8", "replace").rstrip()
            self.log = [*self.log[-40:], line]
            if BEGINS in line:
                self._begun.append(asyncio.get_running_loop().time())
                self._changed.set()


@contextlib.asynccontextmanager
async def serve_llama(python: Path) -> AsyncGenerator[Llama, None]:
    """Start the server with the interpreter of its environment, and end it when left.

    Raises `TimeoutError` or `RuntimeError`, with its log, if it does not serve.
    """
    process = await asyncio.create_subprocess_exec(python, SERVER, stdout=PIPE, stderr=PIPE)
    llama = Llama(process)
    reading = asyncio.get_running_loop().create_task(llama.read())
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            llama.address = (await process.stdout.readline()).decode().strip()
        if not llama.address:
            await asyncio.wait([reading])
            raise RuntimeError("llama.cpp did not start:\n" + "\n".join(llama.log))
        yield llama
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        await asyncio.wait([reading])


class Request:
    """A request to the model: its `messages`, the pieces of text that were sent, each with its time.

    `done_at` is when the model had said all; None if it never has.
    """

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.messages: list[dict[str, Any]] = exchange.body["messages"]
        self.at = asyncio.get_running_loop().time()
        self.sent: list[tuple[float, str]] = []
        self.done_at: float | None = None

    def text(self, before: float = float("inf")) -> str:
        """Return the text that had been sent by a time."""
        return "".join(piece for at, piece in self.sent if at <= before)

    def note(self, line: str) -> None:
        """Note a line of the answer's stream."""
        if line.startswith("data: {"):
            choices = orjson.loads(line[6:]).get("choices") or [{}]
            if piece := choices[0].get("delta", {}).get("content"):
                self.sent.append((asyncio.get_running_loop().time(), piece))


class Recorder:
    """Stands between the server of agents and llama.cpp. `requests` are all that came, in order."""

    def __init__(self, upstream: str) -> None:
        self.requests: list[Request] = []
        self._upstream = upstream
        self._changed = asyncio.Event()
        self._http = HttpServer(self._pass_on)
        self._client = httpx2.AsyncClient(timeout=None, trust_env=False)

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self._http.port}"

    async def asked(self, wanted: str) -> Request:
        """Wait for a request whose last message holds a text, and return it."""
        while True:
            for request in reversed(self.requests):
                if wanted in str(request.messages[-1].get("content")):
                    return request
            self._changed.clear()
            await self._changed.wait()

    async def __aenter__(self) -> "Recorder":
        """Start to serve."""
        await self._http.__aenter__()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close every connection."""
        await self._http.__aexit__(*error)
        await self._client.aclose()

    async def _pass_on(self, exchange: Exchange) -> None:
        # A client that closes has this cancelled, which closes the connection to llama.cpp in turn.
        request = Request(exchange)
        self.requests.append(request)
        self._changed.set()
        url = f"{self._upstream}{exchange.path}"
        async with self._client.stream("POST", url, json=exchange.body) as answer:
            if not exchange.body.get("stream"):
                exchange.answer(answer.status_code, orjson.loads(await answer.aread()))
                return
            exchange.start(content_type=answer.headers["content-type"])
            async for line in answer.aiter_lines():
                request.note(line)
                exchange.send(f"{line}\n".encode())
            request.done_at = asyncio.get_running_loop().time()
            exchange.end()
