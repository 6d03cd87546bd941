"""Streamlit itself, serving the page in a process of its own, as `make streamlit` starts it."""

import asyncio
import socket
import sys
from pathlib import Path

from backend.clients.server import environment_without_settings
from tests.conventions import ROOT

START_BOUND_S = 60.0


class StreamlitProcess:
    """`python -m streamlit run` in front of the server at a port, for `async with`. Its log is in `log`."""

    def __init__(self, folder: Path, *, api_port: int) -> None:
        self.log = folder / "streamlit.log"
        self.port = 0
        self._api_port = api_port
        self._process: asyncio.subprocess.Process | None = None

    async def __aenter__(self) -> "StreamlitProcess":
        """Start it, and return once it serves."""
        self.port = free_port()
        with self.log.open("wb") as log:
            self._process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "streamlit", "run", "backend/clients/streamlit/app.py"),
                *("--server.port", str(self.port)),
                cwd=ROOT,
                env={**environment_without_settings(), "DETOUR_API": f"http://127.0.0.1:{self._api_port}"},
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
            )
        async with asyncio.timeout(START_BOUND_S):
            while b"URL: " not in (line := await self._process.stdout.readline()):
                assert line or self._process.returncode is None, self.log.read_text()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End it."""
        if self._process.returncode is None:
            self._process.terminate()
        async with asyncio.timeout(START_BOUND_S):
            await self._process.communicate()

    @property
    def complaints(self) -> list[str]:
        """Lines of the log that tell of something that should not be."""
        signs = ("ScriptRunContext", "Traceback", "Error", "Exception", "WARNING")
        return [
            line for line in self.log.read_text("utf-8").splitlines() if any(one in line for one in signs)
        ]


def free_port() -> int:
    """Return a port that nothing listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
