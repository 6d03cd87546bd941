"""What the demo needs to be a user: a server of its own, HTTP, and a WebSocket whose every frame is timed.

Nothing here knows the server's code; it starts it as a person would and talks to it over the network.
"""

import asyncio
import contextlib
import os
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import orjson
from websockets.asyncio.client import ClientConnection, connect

START_S = 30.0
"""How long the server may take to start."""

END_S = 10.0
"""How long it may take to end before it is killed."""

PATIENCE_S = 10.0
"""How long an event is waited for."""

_HOST = "127.0.0.1"
_NAME = (__package__ or "").partition(".")[0]
_ROOT = Path(__file__).resolve().parents[3]


class SurpriseError(Exception):
    """The server did not do what it should have; the message says what."""


# --- the server --------------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def own_server(*, pace: float) -> AsyncGenerator[int, None]:
    """Start a server on a free port, with a data folder of its own, and end it whatever happens.

    Yields the port once it serves. `pace` is the seconds between batches of a simulated source.
    Raises `SurpriseError` where it does not start.
    """
    with tempfile.TemporaryDirectory(prefix="detour-demo-", ignore_cleanup_errors=True) as folder:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
        settings = {
            "DETOUR_HOST": _HOST,
            "DETOUR_PORT": "0",
            "DETOUR_DATA_DIR": folder,
            "DETOUR_DEMO_PACE": str(pace),
            "DETOUR_LOG_LEVEL": "warning",
            "PYTHONPATH": os.pathsep.join(filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])),
        }
        # Another folder than the project's, so that nobody's `.env` decides what the demo shows.
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", f"{_NAME}.main", cwd=folder, env=inherited | settings, stdout=PIPE
        )
        try:
            yield await _port_once_started(process)
        finally:
            await _end(process)


async def _port_once_started(process: Process) -> int:
    if process.stdout is None:
        raise TypeError("the server's output is not read")
    try:
        async with asyncio.timeout(START_S):
            line = await process.stdout.readline()
    except TimeoutError:
        raise SurpriseError(f"the server did not start within {START_S:.0f} s") from None
    if not line:
        raise SurpriseError("the server did not start; it said why above")
    port = urlsplit(line.decode().split()[-1]).port
    if port is None:
        raise SurpriseError("the server did not say where it is")
    return port


async def _end(process: Process) -> None:
    if process.returncode is not None:
        return
    process.terminate()
    try:
        async with asyncio.timeout(END_S):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()


# --- HTTP --------------------------------------------------------------------------------------------


class Http:
    """One HTTP/1.1 connection that stays open; requests go one after the other, and are JSON."""

    def __init__(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._host = f"{_HOST}:{port}"
        self._reader = reader
        self._writer = writer

    async def request(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return its answer's status and JSON. Raises `SurpriseError` without one."""
        sent = b"" if body is None else orjson.dumps(body)
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
        )
        self._writer.write(head.encode() + sent)
        try:
            async with asyncio.timeout(PATIENCE_S):
                status_line, *headers = (await self._reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
                fields = dict(line.lower().split(": ", 1) for line in headers if line)
                answer = await self._reader.readexactly(int(fields["content-length"]))
        except (TimeoutError, asyncio.IncompleteReadError):
            raise SurpriseError(f"{method} {path} was not answered") from None
        return int(status_line.split()[1]), orjson.loads(answer)


# --- a user ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Heard:
    """A frame of the WebSocket, and when it came: seconds of `time.perf_counter`."""

    at_s: float
    frame: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Posted:
    """A message that was accepted: when it was sent, when the 202 came, and what it says."""

    at_s: float
    accepted_s: float
    task_id: str
    answer: dict[str, Any]


class User:
    """One user: posts over HTTP, and hears everything over a WebSocket."""

    def __init__(self, user_id: str, http: Http) -> None:
        self.user_id = user_id
        self.heard: list[Heard] = []
        self._http = http
        self._news = asyncio.Event()

    async def post(self, message: str) -> Posted:
        """Send a message. Raises `SurpriseError` where it is not accepted."""
        at_s = time.perf_counter()
        body = {"user_id": self.user_id, "message": message}
        status, answer = await self._http.request("POST", "/chat", body)
        if status != 202:
            raise SurpriseError(f"POST /chat answered {status}: {answer}")
        return Posted(at_s, time.perf_counter(), answer["task_id"], answer)

    async def stop(self) -> dict[str, Any]:
        """Stop what is at work and return the receipt."""
        status, receipt = await self._http.request("POST", f"/stop/{self.user_id}")
        if status != 200:
            raise SurpriseError(f"POST /stop answered {status}: {receipt}")
        return receipt

    async def decide(self, request_id: str, decision: str) -> float:
        """Allow or deny what a task asks to be allowed; return when that was sent.

        Raises `SurpriseError` where it is not accepted.
        """
        at_s = time.perf_counter()
        body = {"request_id": request_id, "decision": decision}
        status, answer = await self._http.request("POST", f"/answer/{self.user_id}", body)
        if status != 202:
            raise SurpriseError(f"POST /answer answered {status}: {answer}")
        return at_s

    async def get(self, what: str) -> dict[str, Any]:
        """Return `GET /{what}/{user_id}`."""
        status, answer = await self._http.request("GET", f"/{what}/{self.user_id}")
        if status != 200:
            raise SurpriseError(f"GET /{what} answered {status}: {answer}")
        return answer

    async def until(self, kind: str, task_id: str, *, times: int = 1, **fields: str) -> Heard:
        """Wait until events of this type and task, with these fields, were heard so many times.

        Returns the last of them. Raises `SurpriseError` after `PATIENCE_S`.
        """
        try:
            async with asyncio.timeout(PATIENCE_S):
                while len(found := self.events(kind, task_id, **fields)) < times:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            wanted = ", ".join([kind, *(f"{name}={value}" for name, value in fields.items())])
            raise SurpriseError(f"waited {PATIENCE_S:.0f} s in vain for {wanted}") from None
        return found[times - 1]

    def events(self, kind: str, task_id: str, **fields: str) -> list[Heard]:
        """Return the events heard of this type and task, with these fields."""
        wanted = {"type": kind, "task_id": task_id, **fields}
        return [heard for heard in self.heard if wanted.items() <= _plain(heard.frame).items()]

    def found(self, task_id: str) -> dict[str, int]:
        """Return how many partial results of a task were heard, by agent."""
        counts: dict[str, int] = {}
        for heard in self.events("partial_result", task_id):
            agent = heard.frame["agent"]
            counts[agent] = counts.get(agent, 0) + len(heard.frame["items"])
        return counts

    async def listen(self, socket: ClientConnection) -> None:
        """Hear everything the socket says, until it is closed."""
        async for text in socket:
            self.heard.append(Heard(time.perf_counter(), orjson.loads(text)))
            self._news.set()


def _plain(frame: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that can be compared as items of a view: text and numbers."""
    return {name: value for name, value in frame.items() if isinstance(value, str | int)}


@contextlib.asynccontextmanager
async def connected(port: int, user_id: str) -> AsyncGenerator[User, None]:
    """Yield a user whose WebSocket is open and has had its snapshot."""
    reader, writer = await asyncio.open_connection(_HOST, port)
    try:
        async with connect(f"ws://{_HOST}:{port}/ws/{user_id}", max_size=None) as socket:
            user = User(user_id, Http(port, reader, writer))
            await socket.recv()  # hello
            await socket.recv()  # snapshot
            async with asyncio.TaskGroup() as group:
                listening = group.create_task(user.listen(socket), name="listener")
                try:
                    yield user
                finally:
                    listening.cancel()
    finally:
        writer.close()
