"""One server process at a time on the same port and data, as an operator would start and kill it."""

import asyncio
import signal
from pathlib import Path
from typing import Any

import httpx2

from tests.api.live import Client, open_socket
from tests.forking.forked import ForkedServer
from tests.inventory import lend_inventory

BOUND_S = 60.0


class ServerProcess(ForkedServer, Client):
    """`python -m backend.main` in `folder`, with the calls of the tests' client."""

    looks_every_s = 0.01

    def __init__(self, folder: Path, **settings: Any) -> None:
        super().__init__(folder, settings={"demo_pace": 0, **settings}, log=folder / "server.log")
        self.http = httpx2.AsyncClient()

    async def start(self) -> None:
        if not self.settings.get("graph"):
            lend_inventory(Path(self.settings["data_dir"]))
        await super().start()
        self.http = httpx2.AsyncClient(base_url=self.url, timeout=BOUND_S)

    async def run_until_it_gives_up(self) -> tuple[int, str]:
        """Start it where it cannot start; return its exit code and what it says."""
        errors = self.folder / "last_words.log"
        with errors.open("wb") as log:
            process = await self.spawn(log)
        async with asyncio.timeout(BOUND_S):
            said, _ = await process.communicate()
        assert process.returncode is not None
        return process.returncode, said.decode() + errors.read_text()

    async def kill(self) -> None:
        await super().kill()
        await self.http.aclose()

    async def terminate(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        async with asyncio.timeout(BOUND_S):
            code = await super().terminate(with_signal)
        await self.http.aclose()
        return code

    def socket(self, user_id: str, query: str = "", **options: Any):
        """Return an unopened WebSocket, for `async with`."""
        return open_socket(self.port, user_id, query, **options)
