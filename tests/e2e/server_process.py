"""One server process at a time on the same port and data, as an operator would start and kill it."""

import asyncio
import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import httpx2

from tests.api.live import Client, base_url, open_socket
from tests.conventions import ROOT

START_BOUND_S = 60.0


class ServerProcess(Client):
    """`python -m backend.main` in `folder`, which is its data and where it looks for graphs.

    The first start takes any free port, which later ones keep. What it logs is in `log`.
    """

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(http=httpx2.AsyncClient())
        self.folder = folder
        self.log = folder / "server.log"
        self.process: asyncio.subprocess.Process | None = None
        self.port = 0
        self.settings = {"data_dir": folder / "data", "demo_pace": 0, **settings}

    async def start(self) -> None:
        """Start it, and return once it serves."""
        with self.log.open("ab") as log:
            self.process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "backend.main"),
                cwd=self.folder,
                env=self._environment(),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        async with asyncio.timeout(START_BOUND_S):
            said = (await self.process.stdout.readline()).decode()
        link = re.search(r"http://[^/]*:(\d+)/", said)
        assert link, self.log.read_text()
        self.port = int(link[1])
        self.http = httpx2.AsyncClient(base_url=base_url(self.port), timeout=START_BOUND_S)

    async def run_until_it_gives_up(self) -> tuple[int, str]:
        """Start it where it cannot start; return its exit code and what it says."""
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "backend.main"),
            cwd=self.folder,
            env=self._environment(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        async with asyncio.timeout(START_BOUND_S):
            said, _ = await process.communicate()
        return process.returncode, said.decode()

    async def kill(self) -> None:
        """End it as a power cut would."""
        await self.end(signal.SIGKILL)

    async def terminate(self) -> int:
        """Ask it to end, and return its exit code once it has."""
        return await self.end(signal.SIGTERM)

    async def end(self, with_signal: signal.Signals) -> int:
        """Send it a signal that ends it, and return its exit code once it has."""
        self.process.send_signal(with_signal)
        async with asyncio.timeout(START_BOUND_S):
            code = await self.process.wait()
        await self.http.aclose()
        # What is left on its pipe must be read, or the transport stays open.
        await self.process.stdout.read()
        return code

    async def close(self) -> None:
        if self.process is not None and self.process.returncode is None:
            await self.kill()
        await self.http.aclose()

    def socket(self, user_id: str, query: str = "", **options: Any):
        """Return an unopened WebSocket, for `async with`."""
        return open_socket(self.port, user_id, query, **options)

    def _environment(self) -> dict[str, str]:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
        settings = {f"DETOUR_{name.upper()}": str(value) for name, value in self.settings.items()}
        return {**inherited, "PYTHONPATH": str(ROOT), "DETOUR_PORT": str(self.port), **settings}
