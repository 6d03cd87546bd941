"""Stops and supersedes agents at random moments while scripted providers stream to them, and counts.

`python -m checks.interruptions.scripted`. An interruption is lost if the provider's stream runs to its end or
closes later than a second after the POST. Ends with 1 if one was lost or the goals for the times are missed.
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import platform
import random
import sys
import tempfile
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import httpx2
import orjson

from backend.clients.api import Api, User
from backend.clients.server import ServerProcess, environment_without_settings
from checks.interruptions.figures import Closing, in_ms, lost, markdown, percentile_ms, percentiles
from checks.interruptions.providers import message

CLIENTS = {"openai": "ChatOpenAI", "anthropic": "ChatAnthropic", "ollama": "ChatOllama"}
KINDS = ("stop", "supersede")
PACES = (10, 25, 50, 100, 330)
"""Tokens a second."""
MOMENT_S = 1.0
"""An interruption comes within so many seconds of the first token."""
LOST_S = 1.0
STREAM_S = 3
"""Longer than the last moment and `LOST_S` together: a lost interruption cannot look like a slow one."""
BOUND_S = 30.0
"""How long a stream may take to begin or to end."""
P50_MS, P99_MS = 30.0, 250.0
"""The goals."""
GRAPHS = {"graphs": {name: f"checks.interruptions.agents:{name}" for name in CLIENTS}}
SETTINGS = {
    "graph": "langgraph.json",
    "messages_per_minute": 0,
    "address_messages_per_minute": 0,
    "address_requests_per_minute": 0,
}


class Streams:
    """The providers' process, and what it tells of its streams."""

    def __init__(self, process: Process) -> None:
        self.port = 0
        self.refused: list[list[str]] = []
        self._process = process
        self._told: dict[tuple[str, str], asyncio.Future[dict[str, Any]]] = {}

    async def began(self, name: str) -> None:
        """Wait until a stream has begun. Raises `TimeoutError`."""
        await self._wait("began", name)

    async def ended(self, name: str) -> dict[str, Any]:
        """Wait until a stream has ended, and return what was told of it. Raises `TimeoutError`."""
        return await self._wait("ended", name)

    async def read(self) -> None:
        """Read what the process tells, until it ends."""
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            told = orjson.loads(line)
            if "refused" in told:
                self.refused.append(told["refused"])
            for what in ("began", "ended"):
                if what in told:
                    self._future(what, told[what]).set_result(told)

    def _future(self, what: str, name: str) -> asyncio.Future[dict[str, Any]]:
        return self._told.setdefault((what, name), asyncio.get_running_loop().create_future())

    async def _wait(self, what: str, name: str) -> dict[str, Any]:
        try:
            async with asyncio.timeout(BOUND_S):
                return await self._future(what, name)
        except TimeoutError:
            raise TimeoutError(f"the stream {name} never {what}; refused: {self.refused[-3:]}") from None


@contextlib.asynccontextmanager
async def providers() -> AsyncGenerator[Streams, None]:
    """Start the providers, and end them when left."""
    command = (sys.executable, "-m", "checks.interruptions.providers")
    process = await asyncio.create_subprocess_exec(*command, stdout=PIPE, env=environment_without_settings())
    try:
        assert process.stdout is not None
        streams = Streams(process)
        streams.port = orjson.loads(await process.stdout.readline())["port"]
        reading = asyncio.get_running_loop().create_task(streams.read())
        yield streams
        reading.cancel()
    finally:
        process.kill()
        await process.communicate()


async def interrupt(
    streams: Streams, api: Api, *, client: str, pace: int, kind: str, times: int, chance: random.Random
) -> list[Closing]:
    """Interrupt one user's tasks one after the other, each at a random moment of its stream."""
    closings: list[Closing] = []

    async def speak(number: int) -> None:
        await api.send(message(pace, STREAM_S, f"{api.user.user_id}-{number}"), graph=client)

    await speak(0)
    for number in range(times):
        name = f"{api.user.user_id}-{number}"
        await streams.began(name)
        await asyncio.sleep(chance.uniform(0, MOMENT_S))
        posted_at = asyncio.get_running_loop().time()
        if kind == "stop":
            await api.stop()
        else:
            await speak(number + 1)
        ended = await streams.ended(name)
        closings.append(None if ended["whole"] else ended["at"] - posted_at)
        if kind == "stop":
            await speak(number + 1)
    await api.stop()
    return closings


@contextlib.asynccontextmanager
async def served(streams: Streams) -> AsyncGenerator[Callable[[str], Api], None]:
    """Start a Detour server of the agents; yields what makes the calls of a user. Ends it when left."""
    async with contextlib.AsyncExitStack() as stack:
        directory = tempfile.TemporaryDirectory(prefix="interruptions-", ignore_cleanup_errors=True)
        folder = Path(stack.enter_context(directory))
        (folder / "langgraph.json").write_text(json.dumps({"dependencies": ["."], **GRAPHS}), "utf-8")
        environment = {"INTERRUPTIONS_PROVIDERS": f"http://127.0.0.1:{streams.port}"}
        server = ServerProcess(folder, settings=SETTINGS, environment=environment, log=folder / "log")
        await stack.enter_async_context(server)
        # Shorter than the 5 s of the server, which could otherwise close a connection as it is used again.
        limits = httpx2.Limits(keepalive_expiry=1.0)
        http = httpx2.AsyncClient(timeout=BOUND_S, limits=limits, trust_env=False)
        await stack.enter_async_context(http)
        yield lambda user: Api(User(url=server.url, user_id=user), http)


async def measure(
    clients: Sequence[str], paces: Sequence[int], *, times: int, at_once: int, seed: int
) -> dict[tuple[str, int, str], list[Closing]]:
    """Interrupt agents of each client at each pace in each way; return what came of it by these three."""
    found: dict[tuple[str, int, str], list[Closing]] = {}
    async with providers() as streams, served(streams) as calls_of:
        for client, pace, kind in itertools.product(clients, paces, KINDS):
            async with asyncio.TaskGroup() as group:
                users = [f"{client}-{pace}-{kind}-{number}" for number in range(at_once)]
                tasks = [
                    group.create_task(
                        interrupt(
                            streams,
                            calls_of(user),
                            client=client,
                            pace=pace,
                            kind=kind,
                            times=-(-times // at_once),
                            chance=random.Random(f"{seed}-{user}"),
                        )
                    )
                    for user in users
                ]
            closings = [each for task in tasks for each in task.result()]
            found[client, pace, kind] = closings
            print("\t".join([client, str(pace), kind, *cells(closings)]), file=sys.stderr, flush=True)
    return found


def cells(closings: Sequence[Closing]) -> list[str]:
    """Return the cells of a row: lost, p50, p99."""
    return [f"{lost(closings, after_s=LOST_S)} of {len(closings)}", *percentiles(closings)]


def table(found: dict[tuple[str, int, str], list[Closing]]) -> str:
    """Return the table in Markdown: a row for each client and pace, and one for all."""
    rows: list[list[str]] = []
    for client, pace in dict.fromkeys((client, pace) for client, pace, _ in found):
        each = [cells(found[client, pace, kind]) for kind in KINDS]
        rows.append([CLIENTS[client], str(pace), *each[0], *each[1]])
    for kind in KINDS:
        closings = [one for key, several in found.items() if key[2] == kind for one in several]
        blank = [""] * 3
        row = [*cells(closings), *blank] if kind == "stop" else [*blank, *cells(closings)]
        rows.append([f"all {kind}s", "", *row])
    head = ["client", "tokens/s", "stops lost", "p50 ms", "p99 ms", "supersedes lost", "p50 ms", "p99 ms"]
    return markdown(head, rows)


def main() -> int:
    """Print the table; return 0 where nothing was lost and the goals are met, else 1."""
    parser = argparse.ArgumentParser(prog="python -m checks.interruptions.scripted", description=__doc__)
    parser.add_argument("--client", action="append", choices=list(CLIENTS), help="all by default")
    parser.add_argument("--pace", action="append", type=int, help="tokens a second; by default 10 to 330")
    parser.add_argument("--times", type=int, default=20, help="stops, and supersedes, of each row")
    parser.add_argument("--at-once", type=int, default=2, help="users at a time")
    parser.add_argument("--seed", type=int, default=1, help="decides the moments")
    given = parser.parse_args()
    clients, paces = given.client or list(CLIENTS), given.pace or list(PACES)
    found = asyncio.run(measure(clients, paces, times=given.times, at_once=given.at_once, seed=given.seed))
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores\n\n{table(found)}")
    closings = [each for several in found.values() for each in several]
    p50, p99 = (percentile_ms(closings, percent) for percent in (50, 99))
    count = lost(closings, after_s=LOST_S)
    print(f"\nAll: {count} of {len(closings)} lost; p50 {in_ms(p50)} ms, p99 {in_ms(p99)} ms.")
    return 0 if not count and p50 and p99 and p50 <= P50_MS and p99 <= P99_MS else 1


if __name__ == "__main__":
    sys.exit(main())
