"""5,000 idle WebSockets, each of a user of its own: memory per socket, connecting, and CPU while idle."""

import asyncio
import resource
import time
from collections.abc import Sequence

from checks.bench.alive import quiet
from checks.bench.figures import Figure
from checks.bench.load import Subscriber
from checks.bench.servers import BARE_SOCKET, Server, ServerKind, running

SOCKETS, WARM_UP_SOCKETS = 5000, 200
CONNECTING_AT_ONCE = 50
DESCRIPTORS_TO_SPARE = 200
KIB = 1024


def raise_descriptor_limit(needed: int) -> None:
    """Raise the soft limit, which servers started later inherit; RuntimeError if the hard one is too low."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise RuntimeError(
            f"{needed} open files are needed, and the limit is {hard}: raise it with ulimit -Hn"
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))


def ignore(frame: bytes) -> None:
    """Nothing is done with what an idle socket receives."""


async def connect(server: Server, *, count: int, prefix: str) -> list[Subscriber]:
    subscribers: list[Subscriber] = []

    async def some(numbers: range) -> None:
        for nth in numbers:
            path = f"/ws/{prefix}{nth}"
            subscribers.append(await Subscriber.connect(port=server.port, path=path, on_frame=ignore))

    await asyncio.gather(
        *(some(range(first, count, CONNECTING_AT_ONCE)) for first in range(CONNECTING_AT_ONCE))
    )
    return subscribers


async def measure(kinds: Sequence[ServerKind], *, short: bool) -> list[Figure]:
    # uvicorn's heartbeat, and Detour's, is one ping every 20 s: over 20 s each socket gets exactly one.
    idle_s = 5.0 if short else 20.0
    raise_descriptor_limit(SOCKETS + WARM_UP_SOCKETS + DESCRIPTORS_TO_SPARE)
    per_socket = Figure("sockets", "memory per idle socket", "KiB")
    rate = Figure("sockets", "sockets connected a second", "/s")
    share = Figure("sockets", f"CPU share with {SOCKETS} idle sockets", "% of a core")
    pings = Figure("sockets", f"pings per socket in {idle_s:.0f} s", "")
    closed = Figure("sockets", "sockets the server closed", "")
    for kind in (BARE_SOCKET, *kinds):
        async with running(kind, graph="quick") as server:
            subscribers = await connect(server, count=WARM_UP_SOCKETS, prefix="warm")
            await quiet(server)
            before = server.resident_bytes()
            started = time.perf_counter()
            subscribers += await connect(server, count=SOCKETS, prefix="user")
            rate.add(kind.name, SOCKETS / (time.perf_counter() - started))
            await quiet(server)
            per_socket.add(kind.name, (server.resident_bytes() - before) / SOCKETS / KIB)
            cpu, pinged = server.cpu_seconds(), sum(each.pings for each in subscribers)
            await asyncio.sleep(idle_s)
            share.add(kind.name, (server.cpu_seconds() - cpu) / idle_s * 100)
            pings.add(kind.name, (sum(each.pings for each in subscribers) - pinged) / len(subscribers))
            closed.add(kind.name, sum(each.closed_with is not None for each in subscribers))
            for each in subscribers:
                each.close()
    return [per_socket, rate, share, pings, closed]
