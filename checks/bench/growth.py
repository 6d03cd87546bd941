"""What a thousand tasks leave in a store, and what CPU they take, with SQLite and with PostgreSQL.

    python -m checks.bench.growth          # or one of: quick travel

Each server is one process: the `quick` graph of the benchmark, and the travel assistant whose sources do not
wait. Users send one message after the other, and follow their events. Bytes are those of files and of tables
with their indices, after the store has put things in order; they do not depend on the machine's pace. CPU
does, a little: it is that of the server, and of the database's processes that stay.
"""

import asyncio
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import httpx
import orjson
import psutil

from checks.bench.detour import TERMINAL, travel_message
from checks.cluster.postgres import Server, serving
from checks.cluster.replicas import Replica

USERS = 20

ROUNDS = 3
"""The first one warms up: its tables and indices are new, and its code is not compiled."""

GRAPHS: dict[str, tuple[dict[str, str], Callable[[int], str], int]] = {
    "quick": ({"DETOUR_GRAPH": "checks.bench.graph:quick"}, "message {}".format, 50),
    "travel": ({"DETOUR_DEMO_PACE": "0"}, travel_message, 10),
}
"""The settings, what is said, and how many messages each user says in a round."""


@dataclass(frozen=True, slots=True)
class Growth:
    """What a thousand tasks took, as one round tells."""

    kib: float
    server_ms: float
    database_ms: float
    """CPU a task."""


async def use(address: str, round_: int, message: Callable[[int], str], each: int) -> None:
    """Have all users send their messages of a round."""
    # Shorter than the server's, or a message may go into a connection that is being closed.
    limits = httpx.Limits(max_connections=None, keepalive_expiry=2)
    async with (
        httpx.AsyncClient(trust_env=False, timeout=120, limits=limits) as client,
        asyncio.TaskGroup() as group,
    ):
        for number in range(USERS):
            first = (round_ * USERS + number) * each
            texts = [message(first + nth) for nth in range(each)]
            group.create_task(one_user(client, address, f"user{number}", texts))


async def one_user(client: httpx.AsyncClient, address: str, user: str, texts: list[str]) -> None:
    """Send messages, each once the task before has ended. Raises `RuntimeError` if one fails."""
    async with client.stream("GET", f"{address}/events/{user}") as stream:
        events = (orjson.loads(line[5:]) async for line in stream.aiter_lines() if line[:5] == "data:")
        # What happens before the snapshot is told in it, and by no event.
        while (await anext(events))["type"] != "snapshot":
            pass
        for text in texts:
            told = await client.post(f"{address}/chat", json={"user_id": user, "message": text})
            if told.status_code != 202:
                raise RuntimeError(told.text)
            async for event in events:
                ended = event["type"] == "status_update" and event["status"] in TERMINAL
                if ended and event["task_id"] == told.json()["task_id"]:
                    if event["status"] != "completed":
                        raise RuntimeError(f"{text}: {event}")
                    break


def seconds(process: psutil.Process) -> float:
    """Return the CPU that a process has used, and those below it that still run."""
    every = [process, *process.children(recursive=True)]
    return sum(sum(each.cpu_times()[:2]) for each in every)


def in_file(folder: Path) -> int:
    """Return the bytes of a data file, its log put into it."""
    with sqlite3.connect(folder / "data" / "detour.sqlite", timeout=60) as store:
        store.execute("PRAGMA wal_checkpoint(PASSIVE)")
        pages, free, size = (
            store.execute(f"PRAGMA {each}").fetchone()[0]
            for each in ("page_count", "freelist_count", "page_size")
        )
    return (pages - free) * size


async def in_tables(address: str) -> int:
    """Return the bytes of all tables with their indices, once what is dead has been reclaimed."""
    connection = await asyncpg.connect(address)
    try:
        await connection.execute("VACUUM")
        return await connection.fetchval(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class "
            "WHERE relkind = 'r' AND relnamespace = 'detour'::regnamespace"
        )
    finally:
        await connection.close()


@contextmanager
def started(folder: Path, settings: dict[str, str]) -> Generator[Replica]:
    """Run a server."""
    limits = ("MESSAGES", "ADDRESS_MESSAGES", "TOTAL_MESSAGES", "ADDRESS_REQUESTS")
    common = {f"DETOUR_{each}_PER_MINUTE": "0" for each in limits} | {"DETOUR_DATA_DIR": str(folder / "data")}
    replica = Replica("r1", folder, {**common, "DETOUR_LOG_LEVEL": "warning", **settings})
    replica.start()
    try:
        yield replica
    finally:
        replica.end()
        replica.wait()


async def measure(graph: str, database: Server | None) -> list[Growth]:
    """Return what each round took."""
    settings, message, each = GRAPHS[graph]
    address = database.new_database() if database is not None else ""
    rounds: list[Growth] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with started(folder, settings | ({"DETOUR_POSTGRES": address} if address else {})) as replica:
            server, store = psutil.Process(replica.pid), psutil.Process(database.pid) if database else None

            async def now() -> tuple[float, float, float]:
                size = await in_tables(address) if address else in_file(folder)
                return size / 1024, seconds(server), seconds(store) if store else 0.0

            before = await now()
            for round_ in range(ROUNDS):
                await use(replica.address, round_, message, each)
                after = await now()
                kib, own, its = (
                    (later - earlier) * 1000 / (USERS * each)
                    for later, earlier in zip(after, before, strict=True)
                )
                # A thousand tasks: seconds for all are milliseconds for one.
                rounds.append(Growth(kib, own, its))
                before = after
    return rounds


async def main() -> None:
    """Measure and print."""
    print("| graph, store | KiB a 1,000 tasks | ms of CPU a task: server | database |")
    print("|---|---|---|---|")
    with serving(durable=True) as database:
        for graph in sys.argv[1:] or GRAPHS:
            for store, server in (("SQLite", None), ("PostgreSQL", database)):
                for each in (await measure(graph, server))[1:]:
                    figures = f"{each.kib:,.0f} | {each.server_ms:.2f} | {each.database_ms:.2f}"
                    print(f"| {graph}, {store} | {figures} |", flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
