"""Kills a server at random moments while its users steer it, and counts what became of each message.

`make steering-kills`; `ARGS="--kills 30 --postgres"` has it store in PostgreSQL. What counts is read from the
store once no server has it any more, and from the prompts that the model has noted (`noting_agent`).
"""

import argparse
import asyncio
import contextlib
import itertools
import json
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx2

from backend.conversation.accepted import Accepted
from backend.domain.task import TERMINAL
from backend.http.settings import data_file
from backend.store.base import StateStore
from backend.store.postgres.store import PostgresStateStore
from backend.store.sqlite.store import SqliteStateStore
from backend.tasks.task_owner import TaskOwner
from checks.cluster.postgres import serving
from tests.e2e.server_process import ServerProcess
from tests.steering.count import check_fates
from tests.steering.desk import NAMED, Prompt
from tests.steering.noting_agent import PROMPTS

USERS = 4
QUIET_WITHIN_S = 120
LEASE_S = 2
SETTINGS = {
    "graph": "tests.steering.noting_agent:graph",
    "messages_per_minute": 100_000,
    "events_kept": 1_000_000,
    "log_level": "warning",
}


class Client:
    """One user's: sends, again until it is answered, and never more than one message at a time."""

    def __init__(self, servers: Sequence[ServerProcess], user: str, names: "itertools.count[int]") -> None:
        self._servers = servers
        self.user = user
        self.accepted: dict[str, dict[str, Any]] = {}
        self.ending = False
        self._names = names
        self._chance = random.Random(user)

    @property
    def _http(self) -> httpx2.AsyncClient:
        """The way to any of the servers, for one request."""
        return self._chance.choice(self._servers).http

    async def run(self) -> None:
        while not self.ending:
            policies, weights = ("steer", "interrupt", "enqueue", "stop", "withdraw"), (60, 12, 8, 3, 3)
            [policy] = self._chance.choices(policies, weights)
            if policy in ("stop", "withdraw"):
                await self._stop(withdraws=policy == "withdraw")
            else:
                await self._send(f"m{next(self._names)}", policy)
            await asyncio.sleep(self._chance.choice([0, 0.01, 0.05, 0.2]))

    async def _send(self, name: str, policy: str) -> None:
        body = {"user_id": self.user, "message": name, "policy": policy, "client_id": name}
        while name not in self.accepted:
            with contextlib.suppress(httpx2.TransportError, RuntimeError):
                answered = await self._http.post("/chat", json=body)
                if answered.status_code == 409:  # it has taken in as many as it may
                    return
                if answered.status_code == 202:
                    self.accepted[name] = answered.json()
            await asyncio.sleep(0.01)

    async def _stop(self, *, withdraws: bool) -> None:
        body = {"pending": "withdraw"} if withdraws else {}
        with contextlib.suppress(httpx2.TransportError, RuntimeError):
            await self._http.post(f"/stop/{self.user}", json=body)

    async def is_quiet(self) -> bool:
        """Whether nothing of the user is under way any more."""
        status = (await self._http.get(f"/status/{self.user}")).json()
        is_over = status["status"] in TERMINAL
        return is_over and not status["queued"] and not status.get("pending")


async def storm(servers: Sequence[ServerProcess], *, kills: int) -> list[Client]:
    """Kill and start servers so many times under load; return the users once nothing is under way."""
    names = itertools.count(1)
    clients = [Client(servers, f"user{number}", names) for number in range(USERS)]
    for server in servers:
        await server.start()
    async with asyncio.TaskGroup() as group:
        for each in clients:
            group.create_task(each.run())
        for number in range(kills):
            await asyncio.sleep(random.uniform(0.05, 1.2))
            server = servers[number % len(servers)]
            await server.kill()
            await server.start()
        await asyncio.sleep(0.5)
        for each in clients:
            each.ending = True
    async with asyncio.timeout(QUIET_WITHIN_S):
        while not all([await each.is_quiet() for each in clients]):  # noqa: ASYNC110
            await asyncio.sleep(0.05)
    for server in servers:
        await server.terminate()
    return clients


async def checked(store: StateStore, clients: Sequence[Client], files: Sequence[Path]) -> Counter[str]:
    """Check what became of each message; return how many had which fate."""
    lines = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    assert [each for each in lines if each["wrong"]] == []
    prompts = [
        Prompt(each["user"], each["task_id"], datetime.fromisoformat(each["at"]), each["said"])
        for each in lines
    ]
    fates: Counter[str] = Counter()
    await store.open(lambda *_: None)
    for client in clients:
        answers = [Accepted.read(each) for each in client.accepted.values()]
        counted = await check_fates(store, client.user, answers, (), prompts)
        there = Counter(name for each in counted.messages.values() for name in NAMED.findall(each.text))
        assert {name: there[name] for name in client.accepted} == dict.fromkeys(client.accepted, 1)
        fates.update(each.fates[-1][0] if each.fates else "a message" for each in counted.messages.values())
    await store.close()
    return fates


async def play(folder: Path, *, kills: int, postgres: str = "", replicas: int = 1) -> Counter[str]:
    """Play one storm in a folder; return how many messages had which fate."""
    stored = {"postgres": postgres, "migrate": "yes", "lease_s": LEASE_S} if postgres else {}
    folders = [folder / f"server{number}" for number in range(replicas)]
    for each in folders:
        each.mkdir()
    servers = [ServerProcess(each, **SETTINGS, **stored) for each in folders]
    try:
        clients = await storm(servers, kills=kills)
    finally:
        for server in servers:
            await server.kill()
    owner = TaskOwner()
    store = (
        PostgresStateStore(postgres, owner.spawn)
        if postgres
        else SqliteStateStore(data_file(folders[0] / "data"), keep_events=1_000_000)
    )
    fates = await checked(store, clients, [each / PROMPTS for each in folders])
    await owner.finish(grace_s=5)
    return fates


def main() -> int:
    """Kill as many times as the command line says."""
    parser = argparse.ArgumentParser(prog="make steering-kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=30, help="how many")
    parser.add_argument("--postgres", action="store_true", help="store in PostgreSQL")
    parser.add_argument("--replicas", type=int, default=1, help="how many serve at once, with PostgreSQL")
    chosen = parser.parse_args()
    with contextlib.ExitStack() as life:
        folder = Path(life.enter_context(tempfile.TemporaryDirectory()))
        address = life.enter_context(serving(durable=True)).new_database() if chosen.postgres else ""
        fates = asyncio.run(play(folder, kills=chosen.kills, postgres=address, replicas=chosen.replicas))
    told = ", ".join(f"{many} {fate}" for fate, many in sorted(fates.items()))
    sys.stdout.write(f"{chosen.kills} kills; {told}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
