"""How long users of a replica that ends, or is killed, wait until their tasks are at work elsewhere.

`python -m checks.cluster.takeover`. All users have a task at work on one of three replicas, which is told to
end or is killed; the tasks of their messages tell when they begin again. The clock runs from the signal, and
so from the moment at which the replica begins to give its users up: it does not drain here.
"""

import argparse
import asyncio
import socket
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import httpx

from checks.cluster.postgres import serving
from checks.cluster.replicas import Replica
from checks.cluster.waiting import TOLD_TO

WITHIN_S = 60.0
"""How long anything may take before the measurement is given up."""

Begun = tuple[int, float]
"""The process in which a task has begun, and when."""


class Beginnings:
    """What the graphs tell, by the message."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**20)
        self._socket.setblocking(False)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._told: dict[str, list[Begun]] = {}

    async def of(self, messages: list[str], *, elsewhere_than: int | None = None) -> Mapping[str, Begun]:
        """Return each message's last beginning, once there is one in another process than told."""
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(WITHIN_S):
            while True:
                last = {each: self._told[each][-1] for each in messages if each in self._told}
                if len(last) == len(messages) and all(pid != elsewhere_than for pid, _ in last.values()):
                    return last
                pid, at, message = (await loop.sock_recv(self._socket, 1000)).decode().split(" ", 2)
                self._told.setdefault(message, []).append((int(pid), float(at)))


async def one_round(
    client: httpx.AsyncClient,
    replicas: list[Replica],
    beginnings: Beginnings,
    *,
    victim: Replica,
    killed: bool,
    users: list[str],
    label: str,
) -> list[float]:
    """Return for each user how many seconds their task was nowhere at work."""
    messages = [f"{label} of {user}" for user in users]
    for user, message in zip(users, messages, strict=True):
        body = {"user_id": user, "message": message}
        (await client.post(f"{victim.address}/chat", json=body)).raise_for_status()
    begun = await beginnings.of(messages)
    assert {pid for pid, _ in begun.values()} == {victim.pid}
    signalled = time.monotonic()
    (victim.send_kill if killed else victim.end)()
    begun = await beginnings.of(messages, elsewhere_than=victim.pid)
    await asyncio.to_thread(victim.wait)
    other = next(each for each in replicas if each is not victim)
    for user in users:
        (await client.post(f"{other.address}/stop/{user}", json={})).raise_for_status()
    await asyncio.to_thread(victim.start)
    return [at - signalled for _, at in begun.values()]


async def measure(replicas: list[Replica], beginnings: Beginnings, *, rounds: int, count: int) -> None:
    """Print how long it took in several rounds, of each kind of ending."""
    users = [f"user{number:03}" for number in range(count)]
    async with httpx.AsyncClient(timeout=WITHIN_S, trust_env=False) as client:
        for killed, name in ((False, "given up on SIGTERM"), (True, "killed")):
            took: list[float] = []
            for number in range(rounds):
                victim = replicas[number % len(replicas)]
                label = f"{name} {number}"
                took += await one_round(
                    client, replicas, beginnings, victim=victim, killed=killed, users=users, label=label
                )
            took.sort()
            p50, p99 = (took[int(part * (len(took) - 1))] for part in (0.5, 0.99))
            print(
                f"{name:20} {len(took)} users  p50 {p50:.2f} s  p99 {p99:.2f} s  worst {took[-1]:.2f} s",
                flush=True,
            )


def main() -> None:
    """Measure with replicas and a database of one's own."""
    parser = argparse.ArgumentParser(prog="python -m checks.cluster.takeover", description=__doc__)
    parser.add_argument("--rounds", type=int, default=6, help="of each kind")
    parser.add_argument(
        "--users", type=int, default=60, help="whose tasks are at work in the replica that ends"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, serving(durable=True) as server:
        folder = Path(scratch)
        beginnings = Beginnings()
        settings = {
            "DETOUR_POSTGRES": server.new_database(),
            "DETOUR_GRAPH": "checks.cluster.waiting:graph",
            "DETOUR_DATA_DIR": str(folder / "data"),
            "DETOUR_MESSAGES_PER_MINUTE": "0",
            "DETOUR_DRAIN_S": "0",
            "DETOUR_LOG_LEVEL": "warning",
            TOLD_TO: str(beginnings.port),
        }
        replicas = [Replica(f"r{number}", folder, settings) for number in range(1, 4)]
        try:
            for replica in replicas:
                replica.start()
            asyncio.run(measure(replicas, beginnings, rounds=given.rounds, count=given.users))
        finally:
            for replica in replicas:
                replica.end()
            for replica in replicas:
                replica.wait()


if __name__ == "__main__":
    main()
