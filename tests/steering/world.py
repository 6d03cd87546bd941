"""A server with a graph and its users, who steer it, and to whom anything may happen in any order."""

import asyncio
import itertools
from collections.abc import Callable
from random import Random
from typing import Any

from backend.conversation.accepted import Accepted
from backend.conversation.steering import Change, PendingAnswer
from backend.graphs.graph_options import GraphOptions
from backend.graphs.hosted_graph import HostedGraph
from backend.graphs.support import GraphInterface
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_owner import TaskOwner
from tests.interruption.disk import DiskStore
from tests.interruption.lives import USERS, Lives
from tests.interruption.parts import Parts
from tests.steering.count import check_fates, check_pending, count
from tests.steering.desk import GRAPHS, Desk, within

TIMES = {"task_timeout_s": 30, "answer_within_s": 60, "allow_within_s": 20}
RETRIED = (object,)
"""What the disk writes again after a failure: all that nobody waits for, as SQLite does."""


def interface_of(graph: Callable[[Desk], Any], desk: Desk) -> GraphInterface:
    """Compile a graph and look at it, which takes longer than all else; for any number of servers."""
    return GraphInterface(graph(desk), GraphOptions())


class World(Lives):
    """Drives one server at a time over one store, and knows what its users were told of their messages."""

    def __init__(
        self,
        desk: Desk,
        graph: Callable[[Desk], Any] = GRAPHS[0],
        *,
        interface: GraphInterface | None = None,
        parts_type: type[Parts] = Parts,
    ) -> None:
        self.desk = desk
        self.accepted: list[Accepted] = []
        self.changed: list[tuple[str, PendingAnswer]] = []
        self.sent: list[tuple[str, str, str]] = []
        self._names = itertools.count(1)
        self._parts_type = parts_type
        self._graph = graph
        self._interface = interface or interface_of(graph, desk)
        super().__init__(DiskStore(retries=RETRIED))

    async def start(self) -> "World":
        """Start the first server."""
        await self._open()
        return self

    def new_parts(self, new_id: Callable[[], str] | None) -> Parts:
        """Return another server of the same graph."""

        def host(ledger: Ledger, owner: TaskOwner) -> HostedGraph:
            hosted = HostedGraph(ledger=ledger, owner=owner)
            hosted.serve(self._interface)
            return hosted

        return self._parts_type(self.store, workflow=host, new_id=new_id, **TIMES)

    def cut_off(self) -> None:
        """Forget nothing: what runs is the server's alone."""

    # --- moves ---------------------------------------------------------------------------------------

    def post(self, user: str, policy: str, *, task_id: str | None = None) -> str:
        """Have a client send a message; return its name."""
        name = f"m{next(self._names)}"
        client_id = f"client {name}"
        if policy == "steer":
            self.sent.append((user, name, client_id))
        self._send(user, name, policy=policy, client_id=client_id, task_id=task_id)
        return name

    def post_again(self, user: str) -> None:
        """Have a client send again what it has sent to steer, as one does that got no answer."""
        sent = [each for each in self.sent if each[0] == user]
        if sent:
            _, name, client_id = self.desk.random.choice(sent[-5:])
            self._send(user, name, policy="steer", client_id=client_id)

    def change(self, user: str, how: Change) -> None:
        """Have a client do something with one of the last messages that it has sent to steer."""
        ids = [each.message_id for each in self.accepted if each.user_id == user and each.message_id]
        if ids:
            message_id = self.desk.random.choice(ids[-3:])
            self.clients.spawn_detached(self._change(user, message_id, how), name=f"{how} {message_id}")

    def stop(self, user: str, *, withdraws: bool) -> None:
        """Have a client stop what runs."""
        self._call(lambda: self.parts.runner.stop(user, withdraws=withdraws))

    def answer(self, user: str) -> None:
        """Have a client answer the first open question, by its form or by a message that is to steer."""
        self.clients.spawn_detached(self._answer(user), name=f"answer {user}")

    # --- checks --------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Check what must hold at any moment."""
        assert self.surprises == []
        assert self.desk.wrong == []
        for user in USERS if self.has_stored() else ():
            await check_pending(self.store.kept, user)

    async def finish(self) -> dict[str, int]:
        """Let everything come to its end, and check all; return how many messages had which fate."""
        await self.close(answer_within_s=TIMES["answer_within_s"])
        await self.check()
        fates: dict[str, int] = {}
        for user in USERS:
            counted = await check_fates(
                self.store.kept,
                user,
                self.accepted,
                self.changed,
                self.desk.prompts,
                is_kept_at_once=self._graph is not within,
            )
            for each in counted.steered:
                fates[each.fates[-1][0]] = fates.get(each.fates[-1][0], 0) + 1
        return fates

    async def waiting(self, user: str) -> list[str]:
        """Return what waits to be taken in, as the events tell."""
        counted = await count(self.store.kept, user)
        return [each.name for each in counted.steered if not each.ended]

    def _send(self, user: str, text: str, **how: Any) -> None:
        self.clients.spawn_detached(self._post(user, text, **how), name=f"post {text}")

    async def _post(self, user: str, text: str, **how: Any) -> None:
        accepted = await self._carefully(lambda: self.parts.runner.handle_user_message(user, text, **how))
        if accepted is not None:
            self.accepted.append(accepted)

    async def _change(self, user: str, message_id: str, how: Change) -> None:
        more: dict[str, Any] = {}
        if how == "edit":
            counted = await count(self.store.kept, user)
            told = counted.messages.get(message_id)
            if told is None:
                return
            more = {"revision": told.revision, "text": f"{told.text} more"}
        call = self.parts.runner.change_pending
        answer = await self._carefully(lambda: call(user, message_id, how, **more))
        if answer is not None:
            self.changed.append((how, answer))

    async def _answer(self, user: str) -> None:
        asked = await self._carefully(lambda: self.asked(user))
        if not asked:
            return
        [question, *_] = asked
        if question.permission is not None or self.desk.random.random() < 0.5:
            allow: dict[str, Any] = {"decision": self.desk.random.choice(["allow", "allow", "deny"])}
            seat: dict[str, Any] = {"answer": {"seat": "aisle"}}
            given = allow if question.permission is not None else seat
            call = self.parts.runner.answer
            await self._carefully(lambda: call(user, question.request_id, **given))
        else:
            await self._post(user, "aisle", policy="steer")


async def play(seed: int, *, moves: int = 30, parts_type: type[Parts] = Parts) -> dict[str, int]:
    """Make random moves, drawn from the seed; check all at the end, and return how many had which fate."""
    random = Random(seed)
    world = World(Desk(random), random.choice(GRAPHS), parts_type=parts_type)
    await world.start()
    for number in range(moves):
        await _move(random, world)
        if number % 3 == 0:
            await world.check()
    return await world.finish()


SPEAKING = {
    "steer": 32, "interrupt": 8, "enqueue": 6, "again": 4, "meant": 2, "stop": 3, "withdraw all": 3,
    "answer": 10, "edit": 4, "withdraw": 3, "now": 3, "later": 3, "burst": 4,
}  # fmt: skip
"""How often users do what, of all that they do."""


async def _move(random: Random, world: World) -> None:
    [move] = random.choices([_speak, _wait, _disturb], weights=[50, 40, 8])
    await move(random, world, random.choice(["ann", "ann", "bob"]))


async def _speak(random: Random, world: World, user: str) -> None:
    [how] = random.choices([*SPEAKING], [*SPEAKING.values()])
    match how:
        case "again":
            world.post_again(user)
        case "meant":
            ids = [each.task_id for each in world.accepted if each.user_id == user]
            world.post(user, "steer", task_id=random.choice(ids[-3:] or ["nothing"]))
        case "stop" | "withdraw all":
            world.stop(user, withdraws=how == "withdraw all")
        case "answer":
            world.answer(user)
        case "edit" | "withdraw" | "now" | "later":
            world.change(user, how)
        case "burst":
            for _ in range(random.randrange(2, 6)):
                world.post(user, random.choice(["steer", "steer", "steer", "interrupt", "enqueue"]))
        case _:
            world.post(user, how)


async def _wait(random: Random, world: World, _user: str) -> None:
    [how] = random.choices(["time", "steps", "sweep"], weights=[24, 15, 1])
    if how == "sweep":
        await asyncio.sleep(random.choice([30, 61]))
        world.sweep()
    elif how == "time":
        await asyncio.sleep(random.choice([0.001, 0.004, 0.006, 0.05, 0.2, 0.5, 1, 2.5]))
    else:
        await world.pass_steps(random.randrange(1, 40))


async def _disturb(random: Random, world: World, user: str) -> None:
    lives = [None, None, None, 0.004, 0.009, 0.021, 0.3]
    await world.disturb(random, user, weights=[5, 2, 1, 9, 3], next_lives_s=lives)
