"""Starts a Detour server in a process of its own, and reads the command lines of clients."""

import asyncio
import difflib
import os
import re
import signal
import sys
from argparse import ArgumentParser, Namespace
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

START_S = 60.0
"""How long the server may take until it serves."""
END_S = 10.0
"""How long the server may take to end before it is killed."""

# The package is `backend` in a checkout and `detour` once it is installed; the server is its module `main`.
MODULE = f"{(__package__ or '').partition('.')[0]}.main"
_IMPORTED_FROM = Path(__file__).resolve().parents[2]
_LINK = re.compile(r"http://[^/\s]+:(\d+)\S*")


class NotStarted(Exception):
    """The server ended, or took too long to start. The message has its log."""


class ServerProcess:
    """One server process at a time, always on the same port and the same data.

    `folder` is the working directory, where it looks for graphs and for an `.env` file; its data is in
    `folder / "data"`. The first start takes a free port, and later ones keep it. `settings` are the server's
    own, without their prefix: `{"demo_pace": 0.5}`; the next start applies changes.
    `environment` adds further variables, and `launcher` is a command that runs the command behind it.
    The log is appended to `log`; with None it goes to this process's standard error.
    """

    def __init__(
        self,
        folder: Path,
        *,
        settings: Mapping[str, Any] | None = None,
        environment: Mapping[str, str] | None = None,
        module: str = MODULE,
        launcher: Sequence[str] = (),
        log: Path | None,
    ) -> None:
        self.folder = folder
        self.log = log
        self.settings: dict[str, Any] = {"data_dir": folder / "data", **(settings or {})}
        self.process: Process | None = None
        self.link = ""
        self.port = 0
        self.command = (*launcher, sys.executable, "-m", module)
        self._environment = {} if environment is None else environment

    @property
    def url(self) -> str:
        """Where it serves, without the path and the token that `link` may have."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def environment(self) -> dict[str, str]:
        """The variables of the next start, without this process's own server settings."""
        settings = {"port": self.port, **self.settings}
        own = {f"DETOUR_{name.upper()}": str(value) for name, value in settings.items()}
        return {**environment_without_settings(), **own, **self._environment}

    async def __aenter__(self) -> "ServerProcess":
        """Start it."""
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        """End it."""
        await self.close()

    async def start(self) -> None:
        """Start it, and return once it serves. Raises `NotStarted`; no process is left then."""
        log = None if self.log is None else self.log.open("ab")
        try:
            self.process = await self.spawn(log)
        finally:
            if log is not None:
                log.close()
        serves = False
        try:
            async with asyncio.timeout(START_S):
                self.link, self.port = await _link_of(self.process)
            serves = True
        except (TimeoutError, EOFError):
            raise NotStarted(f"the server did not start; {self._last_words()}") from None
        finally:
            if not serves:  # also if cancelled: `async with` ends only a started server
                await self.kill()

    async def spawn(self, log: IO[bytes] | None) -> Process:
        """Return a new process whose standard output is a pipe, and its standard error `log`."""
        return await asyncio.create_subprocess_exec(
            *self.command, cwd=self.folder, env=self.environment, stdout=PIPE, stderr=log
        )

    async def kill(self) -> None:
        """End it as a power cut would; does nothing if it has ended."""
        if self.process is not None and self.process.returncode is None:
            send_signal(self.process, signal.SIGKILL)
        await self._wait()

    async def terminate(self, with_signal: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end, wait until it has, and return its exit code."""
        assert self.process is not None, "it was never started"
        send_signal(self.process, with_signal)
        await self._wait()
        return self.process.returncode or 0

    async def close(self) -> None:
        """Ask it to end, and kill it if it has not after `END_S` seconds. It can be started again."""
        if self.process is not None and self.process.returncode is None:
            try:
                async with asyncio.timeout(END_S):
                    await self.terminate()
            except TimeoutError:
                await self.kill()

    async def _wait(self) -> None:
        # Not `wait`: the pipe has to be read to its end, or its transport stays open.
        if self.process is not None:
            await self.process.communicate()

    def _last_words(self) -> str:
        if self.log is None:
            return "it said why above"
        return f"it logged:\n{self.log.read_text('utf-8', errors='replace')[-3000:]}"


def send_signal(process: Process, number: signal.Signals) -> None:
    """Send a signal, if the process still runs."""
    # Not `process.send_signal`: it polls first, and so takes the exit code of a process that has just ended
    # from asyncio's own thread, which then reports 255 (CPython 3.11).
    with suppress(ProcessLookupError):
        os.kill(process.pid, number)


def environment_without_settings() -> dict[str, str]:
    """Return this process's variables without those that configure a server; modules are found as here."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("DETOUR_")}
    paths = [str(_IMPORTED_FROM), *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**inherited, "PYTHONPATH": os.pathsep.join(paths)}


async def _link_of(process: Process) -> tuple[str, int]:
    """Return the link that a server prints once it serves, and its port. Raises `EOFError` without one."""
    assert process.stdout is not None, "it is a pipe"
    async for line in process.stdout:
        if found := _LINK.search(line.decode("utf-8", "replace")):
            return found[0], int(found[1])
    raise EOFError


# --- command line --------------------------------------------------------------------------------------
# Command lines of clients; an unknown flag is answered with the most similar one.


_FLAG = re.compile(r"--[\w-]+")


def read_command_line(parser: ArgumentParser, given: Sequence[str] | None) -> Namespace:
    """Return the options. Raises SystemExit after `--help`, and for an unknown flag."""
    options, unknown = parser.parse_known_args(given)
    if unknown:
        # The usage has the parser's flags, of which argparse has no public list.
        near = difflib.get_close_matches(unknown[0], _FLAG.findall(parser.format_usage()), n=1)
        parser.error(f"{unknown[0]} is no flag" + (f"; did you mean {near[0]}?" if near else ""))
    return options
