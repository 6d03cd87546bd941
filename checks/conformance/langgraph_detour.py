"""Detour as a server that speaks the LangGraph API, with the graph that any such server is given."""

import tempfile
from pathlib import Path

from backend import __version__
from backend.clients.server import ServerProcess
from checks.conformance.gates import CONFORMANCE_WORLD
from checks.conformance.langgraph_dev import PLAIN_GRAPH


class DetourProcess:
    """A process of Detour's server on a folder of its own."""

    name = f"Detour {__version__}, by its LangGraph routes"
    steers = True

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        self._world: dict[str, str] = {}
        self._process = ServerProcess(
            folder,
            settings={"graph": PLAIN_GRAPH, "protocols": "langgraph"},
            environment=self._world,
            log=folder / "log",
        )

    @property
    def url(self) -> str:
        """Where it serves."""
        return self._process.url

    async def start(self, world: str) -> None:
        """Start it with the data that it had. Raises `NotStarted` with its log."""
        self._world[CONFORMANCE_WORLD] = world
        await self._process.start()

    async def kill(self) -> None:
        """End its process."""
        await self._process.kill()

    async def close(self) -> None:
        """End its process, and remove its folder."""
        await self._process.kill()
        self._folder.cleanup()
