"""The servers under test: how each is started and stopped, and how its frames are read.

A server runs in a process of its own, pinned to the first core when there are two, while the load generator
keeps the second. All take `POST /chat` and `/ws/{user_id}`; what differs is in `ServerKind`.
"""

import contextlib
import os
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import orjson
import psutil

from backend.clients.server import ServerProcess

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "checks" / "bench" / "results"
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
    partial results and in no other, `text_mark` in every frame that carries a model's text. `message` makes
    the nth message of the throughput load. The first `greeting` frames of a WebSocket tell where things
    stand, before any event.
    """

    name: str
    module: str
    ended: Callable[[bytes], Ended | None]
    partial_mark: bytes
    text_mark: bytes = b'"type":"messages"'
    message: Callable[[int], str] = short_message
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    takes_graph: bool = True
    greeting: int = 0


THIN = ServerKind(
    name="thin", module="checks.bench.thin_server", ended=thin_ended, partial_mark=b'"type":"custom"'
)
THIN_WITH_SAVER = ServerKind(
    name="thin with saver",
    module="checks.bench.thin_server",
    ended=thin_ended,
    partial_mark=b'"type":"custom"',
    settings={"saver": "1"},
)
BARE_SOCKET = ServerKind(
    name="bare socket", module="checks.bench.bare_socket", ended=thin_ended, partial_mark=b'"type":"custom"'
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


def pinned(core: int) -> list[str]:
    """What to put before a command to hold it to one core; nothing without a second core or `taskset`."""
    if shutil.which("taskset") and (os.cpu_count() or 1) > 1:
        return ["taskset", "--cpu-list", str(core)]
    return []


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


@contextlib.asynccontextmanager
async def running(
    kind: ServerKind,
    *,
    graph: str = "",
    environment: Mapping[str, str] | None = None,
    core: int = SERVER_CORE,
) -> AsyncGenerator[Server]:
    """Start a server, wait until it serves, and stop it at the end.

    `graph` is the name of a function of checks.bench.graph. Raises NotStarted with the server's last output
    if it does not come up.
    """
    RESULTS.mkdir(exist_ok=True)
    settings = dict(kind.settings)
    if kind.takes_graph and graph:
        settings["graph"] = f"checks.bench.graph:{graph}"
    with tempfile.TemporaryDirectory(prefix="server-", dir=RESULTS) as directory:
        started = ServerProcess(
            Path(directory),
            settings=settings,
            environment=environment,
            module=kind.module,
            launcher=pinned(core),
            log=Path(directory) / "log",
        )
        async with started:
            assert started.process is not None
            yield Server(kind=kind, port=started.port, process=psutil.Process(started.process.pid))
