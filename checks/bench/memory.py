"""Resident memory that an alive task adds: 1,000 tasks that wait, each of a user of its own, no subscriber.

The difference is taken after some warm-up tasks, which stay alive, so that what a server sets up once is not
counted. The figure repeats to a tenth of a KiB, so one round is enough, short or not.
"""

import asyncio
from collections.abc import Sequence

from checks.bench.alive import start_tasks
from checks.bench.bare_graph import in_fresh_process
from checks.bench.figures import Figure
from checks.bench.servers import ServerKind, running

TASKS, WARM_UP_TASKS = 1000, 100
KIB = 1024


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    per_task = Figure("memory", "memory per alive task", "KiB")
    before_any = Figure("memory", "memory of the idle server", "MiB")
    (bare,) = await asyncio.to_thread(in_fresh_process, "memory", str(TASKS), str(WARM_UP_TASKS))
    per_task.add("bare", bare / KIB)
    for kind in kinds:
        async with running(kind, graph="waiting") as server:
            before_any.add(kind.name, server.resident_bytes() / KIB / KIB)
            await start_tasks(server, count=WARM_UP_TASKS, prefix="warm")
            before = server.resident_bytes()
            await start_tasks(server, count=TASKS, prefix="user")
            per_task.add(kind.name, (server.resident_bytes() - before) / TASKS / KIB)
    return [per_task, before_any]
