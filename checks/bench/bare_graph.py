"""The floor of a run and of an alive task: a graph in a process of its own, without any server.

`python -m checks.bench.bare_graph throughput|astream SECONDS USERS` prints runs a second, and a second of
CPU; `python -m checks.bench.bare_graph memory TASKS WARM_UP` prints bytes of resident memory per alive run.
"""

import asyncio
import subprocess
import sys
import time
from contextlib import aclosing

import psutil
import uvloop

from checks.bench import graph as graphs
from checks.bench.servers import ROOT, SERVER_CORE, pinned

WARM_UP_S = 0.5
SETTLE_S = 0.5


async def runs_per_second(*, seconds: float, users: int, streamed: bool) -> list[float]:
    """Run the quick graph for as many users at once, each again and again."""
    graph = graphs.quick()

    async def one_run(user_id: str) -> None:
        given = {"user_id": user_id, "message": "trip"}
        if not streamed:
            await graph.ainvoke(given)
            return
        async with aclosing(graph.astream(given, stream_mode=["custom", "updates"])) as chunks:
            async for _ in chunks:
                pass

    async def user(user_id: str, until: float) -> int:
        runs = 0
        while time.perf_counter() < until:
            await one_run(user_id)
            runs += 1
        return runs

    async def all_users(duration: float) -> list[float]:
        started, cpu = time.perf_counter(), time.process_time()
        counts = await asyncio.gather(*(user(f"user{nth}", started + duration) for nth in range(users)))
        spent = time.perf_counter() - started, time.process_time() - cpu
        return [sum(counts) / each for each in spent]

    await all_users(WARM_UP_S)
    return await all_users(seconds)


async def bytes_per_alive_run(*, tasks: int, warm_up: int) -> list[float]:
    """Resident memory added by `tasks` runs of the waiting graph, after `warm_up` others."""
    graph = graphs.waiting()
    process = psutil.Process()
    alive: list[asyncio.Task[object]] = []

    async def start(count: int) -> int:
        for nth in range(count):
            given = {"user_id": f"user{nth}", "message": "trip"}
            alive.append(asyncio.create_task(graph.ainvoke(given)))
            await asyncio.sleep(0)
        await asyncio.sleep(SETTLE_S)
        return process.memory_info().rss

    before = await start(warm_up)
    after = await start(tasks)
    for task in alive:
        task.cancel()
    await asyncio.gather(*alive, return_exceptions=True)
    return [(after - before) / tasks]


def in_fresh_process(*arguments: str) -> list[float]:
    """Run this module with the arguments on the servers' core; the figures it prints."""
    command = [*pinned(SERVER_CORE), sys.executable, "-m", "checks.bench.bare_graph", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return [float(figure) for figure in ended.stdout.split()]


def main(what: str, first: str, second: str) -> None:
    if what == "memory":
        figures = uvloop.run(bytes_per_alive_run(tasks=int(first), warm_up=int(second)))
    else:
        streamed = what == "astream"
        figures = uvloop.run(runs_per_second(seconds=float(first), users=int(second), streamed=streamed))
    print(*figures)


if __name__ == "__main__":
    main(*sys.argv[1:])
