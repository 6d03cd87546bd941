"""A simulated cluster whose users steer it: by any replica, while the owner of their work may die."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from backend.conversation.steering import Change
from backend.graphs.hosted_graph import HostedGraph
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_owner import TaskOwner
from tests.simulation.cluster import USERS, Cluster
from tests.simulation.play import disturb, run_on
from tests.simulation.replicas import SimulatedReplica
from tests.steering.count import Count, check_fates, check_pending, count
from tests.steering.desk import GRAPHS, Desk, Prompt
from tests.steering.world import interface_of

TOOLS = {"look": 12, "dig": 3, "fail": 1}
"""None that asks, or never ends: that is the business of the world of one server."""

MOVES = 24
CHANGES: Sequence[Change] = ("edit", "withdraw", "now", "later")


class SteeredCluster(Cluster):
    """Replicas that serve one graph; their clocks agree, so that prompts and events have one time."""

    def __init__(self, random: Random) -> None:
        self.desk = Desk(random, tools=TOOLS)
        self.fates: Counter[str] = Counter()
        self._interface = interface_of(random.choice(GRAPHS[:4]), self.desk)
        super().__init__(random)

    def _new_replica(self) -> SimulatedReplica:
        return self.replica_type(next(self._names), self.server, self.office, workflow=self._host)

    def _host(self, ledger: Ledger, owner: TaskOwner) -> HostedGraph:
        hosted = HostedGraph(ledger=ledger, owner=owner)
        hosted.serve(self._interface)
        return hosted

    def change(self, user: str, how: Change) -> None:
        """Have a client do something with one of the last messages that it has sent to steer."""
        sent = [each.accepted for each in self.accepted if each.accepted.user_id == user]
        ids = [each.message_id for each in sent if each.message_id is not None]
        if ids:
            change = self._change(user, self.random.choice(ids[-3:]), how)
            self.clients.spawn_detached(change, name=how)

    def stop_all(self, user: str) -> None:
        """Have a client stop what runs, and withdraw what waits."""
        stop = self._once(lambda at: at.runner.stop(user, withdraws=True))
        self.clients.spawn_detached(stop, name="stop all")

    async def _change(self, user: str, message_id: str, how: Change) -> None:
        more: dict[str, Any] = {}
        if how == "edit":
            told = (await count(self.database.documents, user)).messages.get(message_id)
            if told is None:
                return
            more = {"revision": told.revision, "text": f"{told.text} more"}
        await self._once(lambda at: at.runner.change_pending(user, message_id, how, **more))

    async def check(self) -> None:
        """Check what must hold at any moment."""
        wrong = [*self.surprises, *self.server.wrong, *self.database.wrong]
        wrong += [each for follower in self.followers for each in follower.wrong]
        assert not wrong, wrong
        for user in USERS:
            await check_pending(self.database.documents, user)

    async def check_the_end(self) -> None:
        """Check what has become of each message, note how many had which fate, and that all were told."""
        await self.check()
        for user in USERS:
            counted = await count(self.database.documents, user)
            accepted = [each.accepted for each in self.accepted if each.accepted.user_id == user]
            await check_fates(
                self.database.documents,
                user,
                accepted,
                (),
                [each for each in self.desk.prompts if not _is_late(each, counted)],
                is_kept_at_once=False,
            )
            self.fates.update(each.fates[-1][0] for each in counted.steered)
        for follower in self.followers:
            assert await follower.missing() is None


def _is_late(prompt: Prompt, counted: Count) -> bool:
    """Tell whether a replica asked that did not know yet that another one has its user."""
    ended = counted.ends.get(prompt.task_id)
    return ended is not None and prompt.at >= ended


async def live(cluster: SteeredCluster) -> None:
    """Make random moves, and check all at the end."""
    await cluster.start()
    random = cluster.random
    for number in range(MOVES):
        [how] = random.choices(["speak", "wait", "disturb"], weights=[46, 38, 14])
        if how == "speak":
            _speak(random, cluster)
        elif how == "wait":
            await asyncio.sleep(random.choice([0.001, 0.004, 0.01, 0.03, 0.1, 0.3, 0.5, 1, 2.5]))
        else:
            await disturb(random, cluster)
        if number % 4 == 0:
            await cluster.check()
    await cluster.quiet()
    await cluster.check_the_end()


def _speak(random: Random, cluster: SteeredCluster) -> None:
    user = random.choice(USERS)
    kinds = ["steer", "interrupt", "enqueue", "change", "stop", "stop all"]
    [how] = random.choices(kinds, weights=[55, 12, 8, 15, 4, 4])
    match how:
        case "change":
            cluster.change(user, random.choice(CHANGES))
        case "stop":
            cluster.stop(user)
        case "stop all":
            cluster.stop_all(user)
        case _:
            for _ in range(random.choice([1, 1, 2, 3])):
                cluster.post(user, f"m{random.getrandbits(40)}", policy=how)


def play_cluster(seed: int) -> Counter[str]:
    """Play one seed to its end; return how many messages had which fate. Raises what is wrong."""
    return run_on(seed, SteeredCluster, live).fates
