"""Replicas as processes of this machine: started, killed, frozen, ended."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from checks.cluster.releases import THIS

START_WITHIN_S = 60


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def is_taken(port: int) -> bool:
    """Return whether the port cannot be listened on here; 0, which takes any, can be."""
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError:
        return True
    return False


class Replica:
    """One process, always on the same port; its output goes to a file of its own.

    `code` is the folder of the program that its next start runs.
    """

    def __init__(self, name: str, folder: Path, settings: Mapping[str, str]) -> None:
        self.name = name
        self.port = free_port()
        self.code = THIS
        self.log = folder / f"{name}.log"
        self._settings = {
            **settings,
            "DETOUR_REPLICA": name,
            "DETOUR_PORT": str(self.port),
            "DETOUR_LOG_FORMAT": "json",
        }
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of its process. Raises `LookupError` before the first start."""
        if self._process is None:
            raise LookupError(self.name)
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether its process runs."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Start it; returns once it has said where it is. Raises `RuntimeError` with what it said instead."""
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "backend.main"],
                cwd=self.code,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, **self._settings},
            )
        output = self._process.stdout
        line = output.readline().decode() if output is not None else ""
        if not line.startswith("Detour is at"):
            self._process.wait(START_WITHIN_S)
            raise RuntimeError(f"{self.name}: {line} {self.log.read_text()[-2000:]}")

    def send_kill(self) -> None:
        """Kill it; `wait` waits for that."""
        self._send(signal.SIGKILL)

    def kill(self) -> None:
        """Kill it, as a machine that fails does."""
        self.send_kill()
        self.wait()

    def end(self) -> None:
        """Ask it to end; `wait` waits for that."""
        self._send(signal.SIGTERM)

    def freeze(self) -> None:
        """Stop it in the middle of what it does."""
        self._send(signal.SIGSTOP)

    def wake(self) -> None:
        """Let it go on."""
        self._send(signal.SIGCONT)

    def wait(self) -> None:
        """Wait until its process has ended."""
        if self._process is not None:
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()

    def _send(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)
