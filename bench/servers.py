"""The servers under test: how each is started and stopped, and how its frames are read.

A server runs in a process of its own, pinned to the first core when there are two, while the load generator
keeps the second. All take `POST /chat` and `/ws/{user_id}`; what differs is in `ServerKind`.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import orjson
import psutil

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "bench" / "results"
START_TIMEOUT_S = 30.0
STOP_TIMEOUT_S = 8.0
SERVER_CORE, GENERATOR_CORE = 0, 1


class Ended(NamedTuple):
    """The terminal event of a task."""

    task_id: str
    completed: bool


def thin_ended(frame: bytes) -> Ended | None:
    if b'"type":"done"' not in frame:
        return None
    return Ended(orjson.loads(frame)["task_id"], completed=True)


def short_message(nth: int) -> str:
    return f"trip {nth}"


@dataclass(frozen=True, slots=True)
class ServerKind:
    """How to run one server and how to read its frames.

    `ended` finds the terminal event of a task in a frame. `partial_mark` is in every frame that carries
    partial results and in no other. `message` makes the nth message of the throughput load. The first
    `greeting` frames of a WebSocket tell where things stand, before any event.
    """

    name: str
    module: str
    ended: Callable[[bytes], Ended | None]
    partial_mark: bytes
    message: Callable[[int], str] = short_message
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    takes_graph: bool = True
    greeting: int = 0


THIN = ServerKind(name="thin", module="bench.thin_server", ended=thin_ended, partial_mark=b'"type":"custom"')
BARE_SOCKET = ServerKind(
    name="bare socket", module="bench.bare_socket", ended=thin_ended, partial_mark=b'"type":"custom"'
)


@dataclass(frozen=True, slots=True)
class Server:
    """A running server."""

    kind: ServerKind
    port: int
    process: psutil.Process

    def resident_bytes(self) -> int:
        return self.process.memory_info().rss

    def cpu_seconds(self) -> float:
        times = self.process.cpu_times()
        return times.user + times.system


def pinned(command: list[str], core: int) -> list[str]:
    """The command, held to one core where the machine has a second one and `taskset`."""
    if shutil.which("taskset") and (os.cpu_count() or 1) > 1:
        return ["taskset", "--cpu-list", str(core), *command]
    return command


def pin_generator() -> None:
    if hasattr(os, "sched_setaffinity") and (os.cpu_count() or 1) > 1:
        os.sched_setaffinity(0, {GENERATOR_CORE})


@contextlib.contextmanager
def on_every_core() -> Generator[None]:
    """Let this process, and what it starts meanwhile but servers, run on any core again."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(os.cpu_count() or 1))
    yield
    os.sched_setaffinity(0, before)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextlib.contextmanager
def running(
    kind: ServerKind, *, graph: str = "", environment: Mapping[str, str] | None = None
) -> Generator[Server]:
    """Start a server, wait until `/health` answers 200, and stop it at the end.

    `graph` is the name of a function of bench.graph. Raises RuntimeError with the server's last output if it
    does not come up.
    """
    RESULTS.mkdir(exist_ok=True)
    port = free_port()
    with contextlib.ExitStack() as stack:
        directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="server-", dir=RESULTS))
        log = stack.enter_context((Path(directory) / "log").open("w+"))
        settings = {
            "DETOUR_PORT": str(port),
            "DETOUR_DATA_DIR": str(Path(directory) / "data"),
            **kind.settings,
            **(environment or {}),
        }
        if kind.takes_graph and graph:
            settings["DETOUR_GRAPH"] = f"bench.graph:{graph}"
        popen = subprocess.Popen(
            pinned([sys.executable, "-m", kind.module], SERVER_CORE),
            cwd=ROOT,
            env=os.environ | settings,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            if not wait_until_healthy(popen, port):
                log.seek(0)
                raise RuntimeError(f"{kind.name} did not start:\n{log.read()[-3000:]}")
            yield Server(kind=kind, port=port, process=psutil.Process(popen.pid))
        finally:
            stop(popen)


def wait_until_healthy(popen: subprocess.Popen[bytes], port: int) -> bool:
    deadline = time.perf_counter() + START_TIMEOUT_S
    while time.perf_counter() < deadline and popen.poll() is None:
        with (
            contextlib.suppress(OSError),
            socket.create_connection(("127.0.0.1", port), timeout=1.0) as probe,
        ):
            probe.sendall(f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            if probe.recv(64).startswith(b"HTTP/1.1 200"):
                return True
        time.sleep(0.05)
    return False


def stop(popen: subprocess.Popen[bytes]) -> None:
    popen.terminate()
    try:
        popen.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        popen.kill()
        popen.wait()
