"""Server processes that are forked rather than started anew, so that a test need not wait for the imports."""

import asyncio
import atexit
import functools
import json
import os
import resource
import socket
import subprocess
import sys
from collections.abc import Mapping
from io import FileIO
from pathlib import Path
from typing import IO

from backend.clients import server
from tests.conventions import ROOT
from tests.forking.fork_server import LIMITS

IMPORTED = (
    server.MODULE,
    "backend.travel.plugin",
    "backend.travel.understanding.places.gazetteer:load_gazetteer",
    "backend.travel.understanding.languages.glosses:load_glosses",
)
"""What is the same in every server: its program, the travel assistant, and what takes that long to build."""
BOUND_S = 60.0
READ_AT_THE_START = ("DETOUR_", "PYTEST_")
"""How variables begin that a program reads when it starts, and no import does."""


class ForkedProcess:
    """What `ServerProcess` uses of asyncio's `Process`, for one whose parent is the fork server."""

    def __init__(self, pid: int, stdout: asyncio.StreamReader, answer: socket.socket) -> None:
        self.pid = pid
        self.stdout = stdout
        self.returncode: int | None = None
        self._answer = answer
        self._ended = asyncio.Event()
        asyncio.get_running_loop().add_reader(answer, self._end)

    async def communicate(self) -> tuple[bytes, None]:
        """Return what is left of its output, once it has ended."""
        said = await self.stdout.read()
        await self._ended.wait()
        return said, None

    def _end(self) -> None:
        code = self._answer.recv(16)
        asyncio.get_running_loop().remove_reader(self._answer)
        self._answer.close()
        self.returncode = int(code or 255)  # as asyncio has it of a process that somebody else has waited for
        self._ended.set()


class ForkServer:
    """The process that forks. It has the variables of this one, without those that configure a server."""

    def __init__(self) -> None:
        self.environment = read_by_imports(server.environment_without_settings())
        self._requests, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._requests.settimeout(BOUND_S)
        program = Path(__file__).with_name("fork_server.py")
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, program, str(theirs.fileno()), *IMPORTED],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,  # no terminal, as the pipe of a server: Python would buffer less
                pass_fds=[theirs.fileno()],
            )
        atexit.register(self.close)
        if not self._requests.recv(16):
            raise RuntimeError("the fork server did not start, and said why on standard error")

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    async def fork(
        self, program: str, *, folder: Path, environment: Mapping[str, str], log: IO[bytes] | None
    ) -> ForkedProcess:
        """Fork what runs this module in `folder`; its standard error is `log`, or this process's own."""
        stdout = asyncio.StreamReader()
        reading, writing = os.pipe()
        answer, theirs = socket.socketpair()
        with FileIO(writing, "w") as output, theirs:
            # Nothing is awaited after the fork: a cancellation there would leave a process behind.
            await asyncio.get_running_loop().connect_read_pipe(
                lambda: asyncio.StreamReaderProtocol(stdout), FileIO(reading)
            )
            request = {
                "program": program,
                "folder": str(folder),
                "environment": dict(environment),
                "limits": [resource.getrlimit(each) for each in LIMITS],
            }
            errors = sys.__stderr__ if log is None else log
            files = [each.fileno() for each in (output, errors, theirs)]
            socket.send_fds(self._requests, [json.dumps(request).encode()], files)
        answer.settimeout(BOUND_S)
        with answer.makefile("rb", buffering=0) as line:
            pid = int(line.readline())
        answer.setblocking(False)
        return ForkedProcess(pid, stdout, answer)

    def close(self) -> None:
        """End it; what it has forked lives on."""
        self._requests.close()
        self._process.wait()


@functools.cache
def fork_server() -> ForkServer:
    """Return the fork server of this process, started at the first call."""
    return ForkServer()


def read_by_imports(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables in which a server must agree with its fork server: libraries read them early."""
    return {name: value for name, value in environment.items() if not name.startswith(READ_AT_THE_START)}


class ForkedServer(server.ServerProcess):
    """A server process that is forked wherever a new one would be the same, and else is a new one."""

    async def spawn(self, log: IO[bytes] | None):
        """Fork it if the system can, and its command and the variables of its imports are those of a fork."""
        environment = self.environment
        if (
            hasattr(os, "pidfd_open")
            and self.command == (sys.executable, "-m", server.MODULE)
            and read_by_imports(environment) == fork_server().environment
        ):
            return await fork_server().fork(
                server.MODULE, folder=self.folder, environment=environment, log=log
            )
        return await super().spawn(log)
