"""LangGraph's own development server, `langgraph dev`, as a process on a folder of its own.

It keeps its data in memory, and reads the folder `.langgraph_api` when it starts. It writes its threads and
runs there every ten seconds, and its checkpoints when it ends in order (seen with langgraph-api 0.16.7). So a
kill loses what came after the last write. `kill` waits for one: without it, whole threads would be unknown.
"""

import asyncio
import contextlib
import json
import signal
import socket
import tempfile
from asyncio.subprocess import STDOUT, Process
from collections.abc import Mapping
from pathlib import Path

import httpx2

from backend.clients.server import NotStarted, environment_without_settings, send_signal
from checks.conformance.gates import CONFORMANCE_WORLD

START_S = 60.0
WRITTEN_S = 30.0
"""How long a write may be waited for; it comes every ten seconds."""
LOOKS_S = 0.1
PLAIN_GRAPH = "checks.conformance.plain_graph:graph"
RUNS = ".langgraph_api/.langgraph_ops.pckl"

JOBS = 250
"""Runs at once. The default is ten, and each cell has a run or two."""


class LangGraphDev:
    """`langgraph dev` with its documented defaults, except for the number of jobs and no reloading."""

    name = "langgraph dev, langgraph-api {version}"
    steers = False

    def __init__(
        self,
        command: str,
        *,
        graphs: Mapping[str, str] | None = None,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._command = command
        self._environment = environment or {}
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        self._path = Path(self._folder.name)
        config = {"dependencies": ["."], "graphs": dict(graphs or {"conformance": PLAIN_GRAPH})}
        (self._path / "langgraph.json").write_text(json.dumps(config), "utf-8")
        self._port = 0
        self._process: Process | None = None

    @property
    def url(self) -> str:
        """Where it serves."""
        return f"http://127.0.0.1:{self._port}"

    async def start(self, world: str = "") -> None:
        """Start it on its folder, and return once it serves. Raises `NotStarted` with its log."""
        self._port = self._port or _free_port()
        options = ["--no-browser", "--no-reload", "--port", str(self._port), "--n-jobs-per-worker", str(JOBS)]
        environment = {
            **environment_without_settings(),
            CONFORMANCE_WORLD: world,
            "LANGSMITH_TRACING": "false",
            **self._environment,
        }
        with (self._path / "log").open("ab") as log:
            self._process = await asyncio.create_subprocess_exec(
                self._command,
                "dev",
                *options,
                cwd=self._path,
                env=environment,
                stdout=log,
                stderr=STDOUT,
            )
        try:
            async with asyncio.timeout(START_S), httpx2.AsyncClient(trust_env=False) as http:
                while True:
                    if await self._serves(http):
                        return
                    await asyncio.sleep(LOOKS_S)
        except TimeoutError:
            raise NotStarted((self._path / "log").read_text("utf-8", "replace")[-3000:]) from None

    async def kill(self) -> None:
        """Wait until all that it holds has been written, then end it by SIGKILL."""
        before = self._version_written()
        async with asyncio.timeout(WRITTEN_S):
            while True:
                if self._version_written() != before:
                    break
                await asyncio.sleep(LOOKS_S)
        await self._end()

    async def close(self) -> None:
        """End it, and remove its folder."""
        await self._end()
        self._folder.cleanup()

    async def _serves(self, http: httpx2.AsyncClient) -> bool:
        assert self._process is not None
        if self._process.returncode is not None:
            raise NotStarted((self._path / "log").read_text("utf-8", "replace")[-3000:])
        try:
            return (await http.get(f"{self.url}/ok")).is_success
        except httpx2.TransportError:
            return False

    def _version_written(self) -> int:
        """Return when its runs were last written; each write replaces the file."""
        with contextlib.suppress(FileNotFoundError):
            return (self._path / RUNS).stat().st_mtime_ns
        return 0

    async def _end(self) -> None:
        if self._process is not None:
            send_signal(self._process, signal.SIGKILL)
            await self._process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
