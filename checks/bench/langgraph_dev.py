"""LangGraph's own server among the measured ones: `langgraph dev`, in memory, in an environment of its own.

`BENCH_LANGGRAPH` names its command; without it, it is left out. `checks/bench/peers/README.md` says how to
install it.
"""

import asyncio
import contextlib
import os
import tempfile
import time
from collections.abc import AsyncGenerator, Callable, Mapping
from pathlib import Path
from typing import cast

import orjson
import psutil

from checks.bench.load import HttpClient
from checks.bench.servers import RESULTS, ROOT, SERVER_CORE, pinned

COMMAND = os.environ.get("BENCH_LANGGRAPH", "")
NAME = "langgraph dev"
START_S = 60.0
JOBS = 250
"""Runs at once; by default the server runs one at a time in each of its workers."""
MARK = b'"content":"'
"""In every event that carries a model's text."""


def request(port: int, path: str, body: Mapping[str, object]) -> bytes:
    encoded = orjson.dumps(body)
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(encoded)}\r\n\r\n"
    ).encode() + encoded


class Stream(asyncio.Protocol):
    """One run's events, line by line."""

    def __init__(self, on_line: Callable[[bytes], None]) -> None:
        self._on_line = on_line
        self._received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        *lines, self._received = (self._received + data).split(b"\n")
        for line in lines:
            self._on_line(line)

    def close(self) -> None:
        self.transport.close()


class LangGraphDev:
    """The running server, of which each child counts."""

    def __init__(self, process: psutil.Process, port: int) -> None:
        self._process = process
        self.port = port

    def cpu_seconds(self) -> float:
        times = [each.cpu_times() for each in (self._process, *self._process.children(recursive=True))]
        return sum(each.user + each.system for each in times)

    async def new_thread(self) -> str:
        client = await HttpClient.connect(self.port)
        answer = await client.send(request(self.port, "/threads", {}))
        client.close()
        return cast(str, orjson.loads(answer.body)["thread_id"])

    async def stream(self, thread: str, on_line: Callable[[bytes], None]) -> Stream:
        """Send a message to a thread, and follow what the model says."""
        _, stream = await asyncio.get_running_loop().create_connection(
            lambda: Stream(on_line), "127.0.0.1", self.port
        )
        given = {"messages": [{"role": "user", "content": "speak"}]}
        body = {"assistant_id": "talking", "input": given, "stream_mode": ["messages-tuple"]}
        stream.transport.write(request(self.port, f"/threads/{thread}/runs/stream", body))
        return stream


@contextlib.asynccontextmanager
async def running(environment: Mapping[str, str], *, port: int = 8123) -> AsyncGenerator[LangGraphDev]:
    """Start the server, wait until it serves, and stop it at the end. Raises `RuntimeError`."""
    RESULTS.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="langgraph-", dir=RESULTS) as directory:
        folder = Path(directory)
        graphs = {"talking": f"{ROOT}/checks/bench/graph.py:talking"}
        (folder / "langgraph.json").write_bytes(orjson.dumps({"dependencies": ["."], "graphs": graphs}))
        dev = ["dev", "--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", str(JOBS)]
        with (folder / "log").open("wb") as log:
            process = await asyncio.create_subprocess_exec(
                *pinned(SERVER_CORE),
                COMMAND,
                *dev,
                cwd=folder,
                env={**os.environ, **environment, "LANGSMITH_TRACING": "false"},
                stdout=log,
                stderr=log,
            )
        try:
            await _serves(port)
            yield LangGraphDev(psutil.Process(process.pid), port)
        finally:
            for each in psutil.Process(process.pid).children(recursive=True):
                each.kill()
            process.kill()
            await process.wait()


async def _serves(port: int) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with contextlib.suppress(OSError):
            client = await HttpClient.connect(port)
            client.close()
            return
        await asyncio.sleep(0.2)
    raise RuntimeError("langgraph dev did not start")
