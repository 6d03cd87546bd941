"""The attacked server, the connections of an attacker, and a user who behaves well beside them."""

import asyncio
import contextlib
import socket
import statistics
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import psutil

from backend.clients.server import ServerProcess

ATTACKER = "127.0.0.2"
"""Where attacks come from; well-behaved users come from 127.0.0.1."""

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 30.0
MOST_MEMORY_MIB = 1024
"""More than this, and a server of 2 GiB would soon be lost."""

MOST_P99_S = 1.5
"""The longest a well-behaved user may wait, on a machine that the attacker shares."""


@dataclass
class Report:
    """What an attack came to: the figures, and a sentence for each thing that did not hold."""

    figures: dict[str, str] = field(default_factory=dict[str, str])
    broken: list[str] = field(default_factory=list[str])

    def check(self, holds: bool, sentence: str) -> None:
        """Note what did not hold."""
        if not holds:
            self.broken.append(sentence)


class Target:
    """A server process, and how much memory it took at most."""

    def __init__(self, process: ServerProcess) -> None:
        self.process = process
        self.peak_mib = 0.0

    @property
    def port(self) -> int:
        """Where it listens."""
        return self.process.port

    @property
    def url(self) -> str:
        """Its address."""
        return self.process.url

    @property
    def lives(self) -> bool:
        """Whether the process has not ended."""
        return self.process.process is not None and self.process.process.returncode is None

    async def watch_memory(self) -> None:
        """Look at its memory for ever."""
        while True:
            with contextlib.suppress(psutil.Error):
                if self.process.process is not None:
                    resident = psutil.Process(self.process.process.pid).memory_info().rss
                    self.peak_mib = max(self.peak_mib, resident / 2**20)
            await asyncio.sleep(0.02)

    async def connection(self, address: str = ATTACKER) -> socket.socket:
        """Return a new connection from an address, whose client reads nothing by itself."""
        made = socket.socket()
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        made.setblocking(False)
        made.bind((address, 0))
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.get_running_loop().sock_connect(made, ("127.0.0.1", self.port))
        return made

    def client(self, address: str = "127.0.0.1", **options: Any) -> httpx.AsyncClient:
        """Return an HTTP client that comes from an address."""
        transport = httpx.AsyncHTTPTransport(local_address=address, limits=httpx.Limits(max_connections=None))
        return httpx.AsyncClient(
            base_url=self.url, transport=transport, timeout=PATIENCE_S, trust_env=False, **options
        )


@contextlib.asynccontextmanager
async def attacked(**settings: Any) -> AsyncGenerator[Target]:
    """Yield a server of its own, with the default limits unless these settings say otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        process = ServerProcess(
            Path(folder),
            settings={"port": 0, "graph": "checks.attack.graph:graph"} | settings,
            environment={"PYTHONPATH": str(ROOT)},
            log=Path(folder) / "log",
        )
        async with process:
            target = Target(process)
            async with asyncio.TaskGroup() as group:
                watching = group.create_task(target.watch_memory())
                yield target
                watching.cancel()


class WellBehaved:
    """A user who posts and reads a few times a second, and how long each of the calls took."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.took_s: list[float] = []
        self.refused: list[str] = []

    async def live(self) -> None:
        """Post and read until cancelled."""
        async with self.target.client() as client:
            while True:
                await self._timed(
                    lambda: client.post("/chat", json={"user_id": "behaved", "message": "find"})
                )
                await self._timed(lambda: client.get("/status/behaved"))
                await asyncio.sleep(1.1)

    async def _timed(self, call: Callable[[], Awaitable[httpx.Response]]) -> None:
        begun = asyncio.get_running_loop().time()
        try:
            answer = await call()
            if answer.status_code >= 400:
                self.refused.append(f"{answer.status_code} {answer.text[:100]}")
        except httpx.HTTPError as error:
            self.refused.append(repr(error))
        finally:  # a call that is cut off at the end counts with what it took until then
            self.took_s.append(asyncio.get_running_loop().time() - begun)

    def judge(self, report: Report) -> None:
        """Note how it went for this user, and whether the server held."""
        p99 = (
            statistics.quantiles(self.took_s, n=100, method="inclusive")[-1]
            if len(self.took_s) > 1
            else float("inf")
        )
        report.figures["p99 beside"] = f"{1000 * p99:.0f} ms"
        report.figures["memory"] = f"{self.target.peak_mib:.0f} MiB"
        report.check(not self.refused, f"a well-behaved user was refused: {self.refused[:3]}")
        report.check(p99 <= MOST_P99_S, f"a well-behaved user waited {p99:.1f} s")
        report.check(self.target.peak_mib <= MOST_MEMORY_MIB, f"it took {self.target.peak_mib:.0f} MiB")
        report.check(self.target.lives, "the server has ended")


@contextlib.asynccontextmanager
async def beside(target: Target, report: Report) -> AsyncGenerator[None]:
    """Have a well-behaved user live beside what is done here, and judge it at the end."""
    user = WellBehaved(target)
    async with asyncio.TaskGroup() as group:
        living = group.create_task(user.live())
        yield
        living.cancel()
    user.judge(report)
