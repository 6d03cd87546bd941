"""What PostgreSQL costs beside SQLite, and what it costs to reach a user at another replica than the owner's.

Three replicas share one database; beside them one server has a file. A replica at a time is loaded as in
`throughput`. Then a user changes their mind as in `supersede`, at four places: with the file; at the replica
that owns the user; by messages to another one; and while a third one is listened to. The owner has a core to
itself; the other two replicas share the generator's.
"""

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import psutil

from checks.bench.detour import DETOUR
from checks.bench.figures import Figure, percentile
from checks.bench.goals import ELSEWHERE, OWNER, POSTGRES, SQLITE, THIRD
from checks.bench.growth import seconds
from checks.bench.servers import GENERATOR_CORE, SERVER_CORE, Server, ServerKind, on_every_core, running
from checks.bench.supersede import PERCENTS, SPANS, Ends, FickleUser
from checks.bench.throughput import USERS, WARM_UP_MESSAGES, one_round
from checks.cluster.postgres import serving

FILE = replace(DETOUR, name=SQLITE)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a user's first message goes, which begins the lease; where the rest go; where they listen."""

    name: str
    begins_at: Server
    posts_to: Server
    listens_at: Server


async def load(sqlite: Server, replica: Server, database: psutil.Process, *, short: bool) -> list[Figure]:
    """Load both in turn."""
    rounds, messages = (2, 10) if short else (7, 16)
    rate = Figure("replicas", "replicas: completed tasks a second", "/s")
    cpu = Figure("replicas", "replicas: CPU of a task: server", "ms")
    cpu_below = Figure("replicas", "replicas: CPU of a task: database", "ms")
    for nth in range(rounds):
        for server in (sqlite, replica):
            before = seconds(database)
            ended = await one_round(server, messages, nth=nth)
            rate.add(server.kind.name, ended.per_second)
            cpu.add(server.kind.name, ended.server_ms)
            if server is replica:
                # Of the warm-up, too, which is a part of the round as the tasks are.
                tasks = USERS * (WARM_UP_MESSAGES + messages)
                cpu_below.add(POSTGRES, (seconds(database) - before) / tasks * 1000)
    return [rate, cpu, cpu_below]


async def change_minds(places: Sequence[Place], ends: Ends, *, short: bool) -> list[Figure]:
    """Blocks that alternate between the places; each gives one sample of every percentile."""
    blocks, times = (2, 60) if short else (5, 200)
    figures = {
        (span, percent): Figure("replicas", f"replicas: POST to {span}, p{percent}", "ms")
        for span in SPANS
        for percent in PERCENTS
    }
    for _ in range(blocks):
        for place in places:
            user = FickleUser(
                place.posts_to,
                ends,
                name=place.name.replace(" ", "-"),
                begins_at=place.begins_at,
                listens_at=place.listens_at,
            )
            await user.connect()
            await user.change_mind(times=times)
            user.close()
            for (span, percent), figure in figures.items():
                figure.add(place.name, percentile(user.spans[span], percent))
    return list(figures.values())


async def measure(_kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    """Measure all of it. Raises `RuntimeError` where there is no PostgreSQL."""
    transport, ends = await asyncio.get_running_loop().create_datagram_endpoint(
        Ends, local_addr=("127.0.0.1", 0)
    )
    environment = {"BENCH_ENDED_AT": f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"}
    async with contextlib.AsyncExitStack() as stack:
        with on_every_core():  # else the database would share the generator's core
            database = stack.enter_context(serving(durable=True))
        figures = await _loaded(database.new_database(), psutil.Process(database.pid), short=short)
        address = database.new_database()
        sqlite = await stack.enter_async_context(_started(FILE, "waiting", environment))
        # On the owner's core, the others would wait for as long as its new graph computes.
        own, other, third = [
            await stack.enter_async_context(_started(_over(address), "waiting", environment, core=core))
            for core in (SERVER_CORE, GENERATOR_CORE, GENERATOR_CORE)
        ]
        places = [
            Place(SQLITE, sqlite, sqlite, sqlite),
            Place(OWNER, own, own, own),
            Place(ELSEWHERE, own, other, own),
            Place(THIRD, own, own, third),
        ]
        figures += await change_minds(places, ends, short=short)
    transport.close()
    return figures


async def _loaded(address: str, database: psutil.Process, *, short: bool) -> list[Figure]:
    async with _started(FILE, "quick") as sqlite, _started(_over(address), "quick") as replica:
        return await load(sqlite, replica, database, short=short)


def _over(address: str) -> ServerKind:
    return replace(DETOUR, name=POSTGRES, settings={**DETOUR.settings, "postgres": address})


def _started(
    kind: ServerKind, graph: str, environment: Mapping[str, str] | None = None, core: int = SERVER_CORE
) -> contextlib.AbstractAsyncContextManager[Server]:
    return running(kind, graph=graph, environment=environment, core=core)
