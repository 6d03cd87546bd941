"""Storms: replicas are killed, frozen, ended, their database too, while users write and follow.

`make chaos`; `ARGS="--seconds 300"` makes each storm longer, `ARGS="kill freeze"` picks some, and with
`ARGS=--haproxy` users reach the replicas through haproxy. With `ARGS=--pooler` the replicas reach their
database through pgbouncer, and with `--hints poll` they have no other way to it. `ARGS="mixed --other REF"`
runs the code of another commit beside this one's. Prints what must hold after each, and ends with 1 if
something did not.
"""

import argparse
import asyncio
import itertools
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import httpx

from checks.cluster import pooler
from checks.cluster.balancer import Balancer, on_this_machine
from checks.cluster.invariants import broken, until_quiet
from checks.cluster.load import User, follow, storm
from checks.cluster.postgres import Server, as_owner, serving
from checks.cluster.releases import THIS, unpack
from checks.cluster.replicas import Replica, free_port

LEASE_S = 3.0
"""Shorter than by default, so that a storm sees more of them end."""

FOLLOWED = 10
"""Users whose events are followed."""

MOST_TOLD = 50
"""Faults of one storm that are told one by one: at once, for a later storm may end the program."""


class Cluster:
    """PostgreSQL and some replicas."""

    def __init__(
        self,
        server: Server,
        folder: Path,
        count: int,
        *,
        hints: str = "listen",
        pooled: bool = False,
        other: Path | None = None,
    ) -> None:
        """With `pooled` the replicas reach the database through a pooler, which must run by then.

        `other` is the folder of another release. An earlier one may do what only the owner of the tables may,
        so all are the owner then.
        """
        self.server = server
        self.other = other
        self.database = as_owner(server.new_database()) if other is not None else server.new_database()
        settings = {
            "DETOUR_POSTGRES": pooler.through(self.database) if pooled else self.database,
            "DETOUR_MIGRATE": "no",
            "DETOUR_LEASE_S": str(LEASE_S),
            "DETOUR_GRAPH": "checks.cluster.trip:graph",
            "DETOUR_DATA_DIR": str(folder / "data"),
            "DETOUR_MESSAGES_PER_MINUTE": "6000",
            # All users come from one address, which replicas count together.
            "DETOUR_ADDRESS_MESSAGES_PER_MINUTE": "0",
            "DETOUR_ADDRESS_REQUESTS_PER_MINUTE": "0",
            "DETOUR_LOG_LEVEL": "warning",
        }
        # Only where it is meant: an earlier release refuses a setting that it does not know.
        if hints != "listen":
            settings["DETOUR_HINTS"] = hints
        if pooled and hints == "listen":
            settings["DETOUR_POSTGRES_DIRECT"] = self.database
        self.replicas = [Replica(f"r{number}", folder, settings) for number in range(1, count + 1)]
        self.shuffle = 0
        self.balancer = ""

    def start(self) -> None:
        """Start all replicas."""
        for replica in self.replicas:
            replica.start()

    def end(self) -> None:
        """End all replicas."""
        for replica in self.replicas:
            replica.wake()
            replica.end()
        for replica in self.replicas:
            replica.wait()

    def pick(self, user: User) -> str:
        """Return where a balancer that hashes sends a user, or a real one."""
        if self.balancer:
            return self.balancer
        alive = [each for each in self.replicas if each.alive] or self.replicas
        if user.refused and random.random() < 0.5:
            return random.choice(alive).address
        return alive[(hash(user.name) + self.shuffle) % len(alive)].address


Storm = Callable[[Cluster, float], Awaitable[None]]


async def calm(_cluster: Cluster, seconds: float) -> None:
    """Do nothing."""
    await asyncio.sleep(seconds)


def rounds(seconds: float, round_s: float) -> Iterator[int]:
    """Yield rounds while there is time for one more; the start of a replica may make one longer."""
    ends_at = time.monotonic() + seconds
    for number in itertools.count():
        yield number
        if time.monotonic() + round_s > ends_at:
            return


async def kill(cluster: Cluster, seconds: float) -> None:
    """Kill one after the other, and start it again."""
    for round_ in rounds(seconds, 8):
        replica = cluster.replicas[round_ % len(cluster.replicas)]
        await asyncio.sleep(2)
        replica.kill()
        await asyncio.sleep(4)
        await asyncio.to_thread(replica.start)
        await asyncio.sleep(2)


async def freeze(cluster: Cluster, seconds: float) -> None:
    """Freeze one beyond its lease, and wake it."""
    for round_ in rounds(seconds, 12):
        replica = cluster.replicas[round_ % len(cluster.replicas)]
        await asyncio.sleep(2)
        replica.freeze()
        await asyncio.sleep(LEASE_S * 2.5)
        replica.wake()
        await asyncio.sleep(2.5)


async def rolling(cluster: Cluster, seconds: float) -> None:
    """End one after the other in good order, and start it again."""
    for round_ in rounds(seconds, 8):
        await _replace(cluster.replicas[round_ % len(cluster.replicas)])


async def mixed(cluster: Cluster, seconds: float) -> None:
    """Replace one after the other by another release, and one after the other by this one again."""
    if cluster.other is None:
        raise ValueError("There is no other release.")
    for _ in rounds(seconds, 16 * len(cluster.replicas)):
        for code in (cluster.other, THIS):
            for replica in cluster.replicas:
                replica.code = code
                await _replace(replica)


async def _replace(replica: Replica) -> None:
    await asyncio.sleep(2)
    replica.end()
    await asyncio.to_thread(replica.wait)
    await asyncio.to_thread(replica.start)
    await asyncio.sleep(2)


async def database(cluster: Cluster, seconds: float) -> None:
    """Kill the database, and start it again after longer than a lease."""
    for _ in rounds(seconds, 14):
        await asyncio.sleep(4)
        cluster.server.kill()
        await asyncio.sleep(LEASE_S * 1.5)
        await asyncio.to_thread(cluster.server.start)
        await asyncio.sleep(5)


async def connections(cluster: Cluster, seconds: float) -> None:
    """Terminate all connections, again and again."""
    statement = """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE application_name = 'detour'"""
    for _ in rounds(seconds, 3):
        await asyncio.sleep(3)
        await asyncio.to_thread(cluster.server.sql, statement)


async def reshuffle(cluster: Cluster, seconds: float) -> None:
    """Have the balancer send everybody elsewhere, often."""
    for _ in rounds(seconds, 0.5):
        await asyncio.sleep(0.5)
        cluster.shuffle += 1


STORMS: Mapping[str, Storm] = {
    "calm": calm,
    "kill": kill,
    "freeze": freeze,
    "rolling": rolling,
    "mixed": mixed,
    "database": database,
    "connections": connections,
    "reshuffle": reshuffle,
}


async def run(
    cluster: Cluster, names: list[str], *, seconds: float, users: int, per_second: float
) -> list[str]:
    """Run storms one after the other; return what did not hold, and print the rest."""
    everyone = [User(f"user{number:03}") for number in range(users)]
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=50)
    faults: list[str] = []
    async with httpx.AsyncClient(
        timeout=httpx.Timeout(30, read=40), limits=limits, trust_env=False
    ) as client:
        followers = [
            asyncio.get_running_loop().create_task(follow(client, user, cluster.pick))
            for user in everyone[:FOLLOWED]
        ]
        try:
            for name in names:
                before = sum(len(user.accepted) for user in everyone)
                for user in everyone:
                    user.slowest_s = 0.0
                    user.refused.clear()
                async with asyncio.TaskGroup() as group:
                    writing = storm(
                        client, everyone, cluster.pick, per_second=per_second, seconds=seconds, label=name
                    )
                    group.create_task(writing)
                    group.create_task(STORMS[name](cluster, seconds))
                quiet = await until_quiet(cluster.database)
                found = await broken(cluster.database, everyone) + ([] if quiet else ["tasks never ended"])
                faults += [f"{name}: {fault}" for fault in found]
                accepted = sum(len(user.accepted) for user in everyone) - before
                refused = sum((user.refused for user in everyone), Counter[str]())
                slowest = max(user.slowest_s for user in everyone)
                again = refused.total()
                print(
                    f"{name:12} {accepted:6} accepted  {again:5} tried again  slowest {slowest:5.2f} s  "
                    f"{sum(user.resets for user in everyone):3} resets  {len(found)} faults",
                    flush=True,
                )
                if refused:
                    reasons = ", ".join(f"{count} {reason}" for reason, count in refused.most_common())
                    print(f"  tried again: {reasons}", flush=True)
                for fault in found[:MOST_TOLD]:
                    print(f"  {fault}", flush=True)
        finally:
            for each in followers:
                each.cancel()
            await asyncio.gather(*followers, return_exceptions=True)
    return faults


def main() -> None:
    """Run the storms that the command line picks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("storms", nargs="*", choices=[*STORMS, []], help="which, in order; all by default")
    parser.add_argument("--seconds", type=float, default=25.0, help="how long each lasts")
    parser.add_argument("--replicas", type=int, default=3)
    parser.add_argument("--users", type=int, default=40)
    parser.add_argument("--rate", type=float, default=30.0, help="messages a second in all")
    parser.add_argument("--keep-logs", type=Path, default=None, help="a folder for the replicas' logs")
    parser.add_argument("--haproxy", action="store_true", help="reach the replicas through haproxy")
    parser.add_argument("--hints", choices=["listen", "poll"], default="listen", help="DETOUR_HINTS")
    parser.add_argument("--pooler", action="store_true", help="reach the database through pgbouncer")
    parser.add_argument("--other", default="", help="a commit of another release, for the storm `mixed`")
    given = parser.parse_args()
    storms = given.storms or [name for name in STORMS if name != "mixed" or given.other]
    if "mixed" in storms and not given.other:
        parser.error("mixed needs --other")
    with tempfile.TemporaryDirectory() as scratch, serving(durable=True) as server, ExitStack() as life:
        folder = given.keep_logs or Path(scratch)
        if given.pooler:
            life.enter_context(pooler.pooling(server))
        other = unpack(given.other, Path(scratch) / "other") if given.other else None
        cluster = Cluster(server, folder, given.replicas, hints=given.hints, pooled=given.pooler, other=other)
        cluster.start()
        port = free_port()
        balancer = Balancer(on_this_machine(port, [each.port for each in cluster.replicas]), folder)
        try:
            if given.haproxy:
                life.enter_context(balancer.serving())
                cluster.balancer = f"http://127.0.0.1:{port}"
            faults = asyncio.run(
                run(
                    cluster,
                    storms,
                    seconds=given.seconds,
                    users=given.users,
                    per_second=given.rate,
                )
            )
        finally:
            cluster.end()
    print("Everything held." if not faults else f"{len(faults)} things did not hold.")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
