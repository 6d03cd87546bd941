"""A server and its users, to whom anything may happen in any order: the moves that random tests draw from."""

import asyncio
import itertools
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from backend.conversation.accepted import Accepted
from backend.conversation.answering import AnsweredAnswer
from backend.conversation.stopping import StoppedAgentAnswer
from backend.domain.task import TaskStatus
from tests.interruption.accounts import check_calls_any_time, check_calls_at_the_end
from tests.interruption.disk import DiskStore
from tests.interruption.invariants import check_any_time, check_at_the_end
from tests.interruption.lives import USERS, Lives
from tests.interruption.office import Office
from tests.interruption.parts import Parts
from tests.interruption.script import Script
from tests.virtual_time import sweep_steps

POLICIES = ("interrupt", "interrupt", "interrupt", "enqueue", "reject")
PROGRAMS = (
    "find", "find wait find", "find say wait say", "wait search find", "gate find", "find fail",
    "say break", "find cancelled", "find slow", "find late", "find deaf", "say raises", "search abandon",
    "deafsearch", "hello", "hello wait say", "hello gate", "stop", "stop wait",
    "find ask find", "asking wait find", "ask ask say", "find asking ask search", "reply find", "reply ask",
    "back find", "back find ask",
)  # fmt: skip
CALLING = (
    "lookup find", "find lookup", "unsure lookup", "lookup oslo", "plain lookup", "plain",
    "quick plain quick", "gaps", "lookup gaps wait", "deafsearch lookup", "search lookup", "oslo fail",
    "hello", "stop", "book", "lookup book find", "book booktoo", "bookslow", "booknever find", "booklate",
    "booklost book", "bookno", "bookdear", "bookbroken", "bookodd", "booknothing", "ask book",
    "book ask lookup", "reply find", "refuse find",
)  # fmt: skip
"""Programs that make calls; some of these come again in another task, and some change something."""

SPEAKING = {"post": 30, "burst": 4, "answer": 12, "stop": 5, "stop one": 4}
"""How often users do what, of all that they say."""

ALLOWING = {"post": 20, "burst": 1, "answer": 8, "allow": 60, "stop": 2, "stop one": 2}
"""The same of users who mostly allow what they are asked for."""

TIMES = {"task_timeout_s": 30, "answer_within_s": 60, "allow_within_s": 20}


class World(Lives):
    """Drives one server at a time over one store, and knows what its users were told."""

    def __init__(
        self,
        parts_type: type[Parts] = Parts,
        *,
        programs: Sequence[str] = PROGRAMS,
        speaking: Mapping[str, int] = SPEAKING,
    ) -> None:
        self.programs = programs
        self.speaking = speaking
        store = DiskStore()
        self.office = Office(store.kept)
        self.script = Script(self.office)
        self.accepted: list[Accepted] = []
        self.answered: list[tuple[str, AnsweredAnswer]] = []
        self.stopped_agents: list[StoppedAgentAnswer] = []
        self._parts_type = parts_type
        super().__init__(store)

    async def start(self) -> "World":
        """Start the first server."""
        await self._open()
        return self

    def new_parts(self, new_id: Callable[[], str] | None) -> Parts:
        """Return another server of the same script."""
        return self._parts_type(self.store, workflow=self.script.wire, new_id=new_id, **TIMES)

    def cut_off(self) -> None:
        """Forget what a server that has ended was working on."""
        self.office.cut_off.clear()
        self.script.contexts.clear()

    # --- moves ---------------------------------------------------------------------------------------

    def post(self, user: str, message: str, **more: Any) -> None:
        """Have a client post a message."""
        self.clients.spawn_detached(self._post(user, message, **more), name=f"post {message}")

    def stop(self, user: str, task_id: str | None = None) -> None:
        """Have a client stop a task."""
        self._call(lambda: self.parts.runner.stop(user, task_id))

    def stop_agent(self, user: str, agent: str, task_id: str | None = None) -> None:
        """Have a client stop one agent of a task."""
        self.clients.spawn_detached(self._stop_agent(user, agent, task_id), name=f"stop {agent}")

    def answer(self, user: str, word: str, request_id: str | None = None) -> None:
        """Have a client answer what was asked: the question named, or the first that is open in the store.

        What is to be allowed is allowed by "word", and denied by "other".
        """
        self.clients.spawn_detached(self._answer(user, word, request_id), name=f"answer {word}")

    def open_a_gate(self, message: str) -> None:
        """Let a message's tasks go on."""
        self.script.gates[message].open()

    # --- checks --------------------------------------------------------------------------------------

    async def check(self) -> None:
        """Check what must hold at any moment."""
        assert self.script.wrong == []
        assert self.surprises == []
        assert self.office.wrong == []
        for user, request_id, given in self.script.answers:
            stored = await self.store.kept.get_input(user, request_id)
            assert stored is None or stored.answer == {"answer": given}, "acted on what is not durable"
        settled = self._works() - set(self.parts.interruptions.running_tasks())
        for user, task_id in itertools.product(USERS, settled):
            task = await self.store.kept.get_task_metadata(user, task_id)
            assert task is None or "deaf" in task.message, f"{task_id} was ended while its work went on"
        if not self.has_stored():
            return
        made: dict[str, str] = {}
        for user in USERS:
            followed = await check_any_time(self.store.kept, user, lost=self.store.lost)
            for row in await check_calls_any_time(self.store.kept, user, followed):
                assert made.setdefault(row.call_id, user) == user, f"another user's: {row}"

    async def finish(self) -> None:
        """Let everything come to its end, and check all; no write was cut off while its process lived."""
        self.script.open_gates()
        await self.close(answer_within_s=TIMES["answer_within_s"])
        assert self.office.cut_off == set()
        await self.check()
        for user in USERS:
            await check_at_the_end(self.store.kept, user, self.accepted, self.answered)
            await check_calls_at_the_end(self.store.kept, user, self.office)

    def _works(self) -> set[str]:
        names = (each.get_name().split() for each in self.parts.owner.tasks() if not each.done())
        return {name[1] for name in names if name[0] == "work"}

    async def _post(self, user: str, message: str, **more: Any) -> None:
        accepted = await self._carefully(lambda: self.parts.runner.handle_user_message(user, message, **more))
        if accepted is None:
            return
        self.accepted.append(accepted)
        answers = (TaskStatus.INPUT_REQUIRED,) if accepted.relation == "answer" else ()
        assert accepted.duplicate or accepted.status in (TaskStatus.RUNNING, TaskStatus.QUEUED, *answers)

    async def _answer(self, user: str, word: str, request_id: str | None) -> None:
        if request_id is None:
            open_now = await self._carefully(lambda: self.asked(user))
            request_id = open_now[0].request_id if open_now else "nothing"
        asked = await self._carefully(lambda: self.store.get_input(user, request_id))
        to_allow = asked is not None and asked.kind == "permission"
        given: dict[str, Any] = {"answer": {"answer": word}}
        if to_allow:
            given = {"decision": {"word": "allow", "other": "deny"}.get(word)}
        call = self.parts.runner.answer
        answered = await self._carefully(lambda: call(user, request_id, **given))
        if answered is not None:
            self.answered.append((word, answered))

    async def _stop_agent(self, user: str, agent: str, task_id: str | None) -> None:
        stopped = await self._carefully(lambda: self.parts.runner.stop_agent(user, agent, task_id))
        if stopped is not None:
            self.stopped_agents.append(stopped)


async def play(
    seed: int,
    *,
    moves: int = 25,
    parts_type: type[Parts] = Parts,
    programs: Sequence[str] = PROGRAMS,
    speaking: Mapping[str, int] = SPEAKING,
) -> World:
    """Make random moves, drawn from the seed, and check all at the end."""
    random, world = Random(seed), await World(parts_type, programs=programs, speaking=speaking).start()
    for _ in range(moves):
        await _move(random, world)
        await world.check()
    await world.finish()
    return world


async def _move(random: Random, world: World) -> None:
    moves = {_speak: 43, _wait: 39, _disturb: 18}
    [move] = random.choices(list(moves), weights=list(moves.values()))
    await move(random, world, random.choice(USERS))


async def _speak(random: Random, world: World, user: str) -> None:
    [how] = random.choices(list(world.speaking), weights=list(world.speaking.values()))
    if how == "answer":
        for _ in range(random.choice([1, 1, 2])):
            world.answer(user, random.choice(["word", "other", "nonsense"]))
    elif how == "allow":
        for each in USERS:
            world.answer(each, "word")
    elif how == "stop":
        world.stop(user)
    elif how == "stop agent":
        world.stop_agent(user, random.choice(["flight", "hotel", "hotel", "booking", "nobody"]))
    elif how == "stop one":
        world.stop(user, random.choice([each.task_id for each in world.accepted] or ["nothing"]))
    else:
        for _ in range(1 if how == "post" else random.randrange(2, 6)):
            manner = {
                "policy": random.choice(POLICIES),
                "priority": random.choice([5, 5, 5, 1, 9]),
                "client_id": random.choice([None, None, None, "one", "two"]),
            }
            world.post(user, random.choice(world.programs), **manner)


async def _wait(random: Random, world: World, _user: str) -> None:
    [how] = random.choices(["time", "steps", "gate", "sweep"], weights=[20, 15, 4, 2])
    if how == "sweep":
        await asyncio.sleep(random.choice([0, 30, 61]))
        world.sweep()
    elif how == "time":
        await asyncio.sleep(random.choice([0.001, 0.004, 0.006, 0.5, 1, 2.5, 7]))
    elif how == "steps":
        await world.pass_steps(random.randrange(1, 12))
    else:
        world.open_a_gate(random.choice([message for message in PROGRAMS if "gate" in message]))


async def _disturb(random: Random, world: World, user: str) -> None:
    lives = [None, None, 0.004, 0.009, 0.014, 0.021]
    await world.disturb(random, user, weights=[8, 2, 2, 3, 2], next_lives_s=lives)


# --- stories -------------------------------------------------------------------------------------------


class Story:
    """A message of ann's, and what she does then; anything else may come at any step of it."""

    message = "find"

    def __init__(self, message: str | None = None, *, parts_type: type[Parts] = Parts) -> None:
        self.world = World(parts_type)
        self.message = message or self.message
        self._ready = asyncio.Event()

    async def run(self) -> None:
        """Play the story to its end."""
        await self.world.start()
        self._ready.set()
        self.world.post("ann", self.message)
        await self.goes_on()
        await self.world.quiet()

    async def goes_on(self) -> None:
        """Do what ann does after her message."""

    async def ready(self) -> World:
        """Return the world once things may come."""
        await self._ready.wait()
        return self.world

    async def check(self) -> None:
        """Check all that must hold at the end."""
        await self.world.finish()


Coming = Callable[[World], Any]
"""What comes at a step of a story."""


def sweep(make: Callable[[], Story], coming: Coming, *, seed: int | None = None) -> int:
    """Let something come at each step of a story; return how many steps it has."""

    async def come(story: Story) -> None:
        await coming(await story.ready())

    return sweep_steps(make, come, seed=seed)


async def stop(world: World) -> None:
    world.stop("ann")


async def say_stop(world: World) -> None:
    world.post("ann", "stop")


async def answer(world: World) -> None:
    world.answer("ann", "word")


async def delete(world: World) -> None:
    world.delete("ann")


async def kill(world: World) -> None:
    await world.kill()


async def shut_down(world: World) -> None:
    await world.shut_down()
