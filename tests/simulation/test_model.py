"""The model of the database does what the database does: the same steps on both, and the same is seen.

Steps are those of which a cluster's rules are made: leases and sessions, claims and what ends them, commands,
followers, fenced writes. Time is a step, too: the model's clock goes on, and in the real tables every time is
set back. What is seen is what `PostgresRegistry` and `PostgresStateStore` return, or raise, over either.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any

import asyncpg
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from backend.domain.errors import DetourError, StoreUnavailable
from backend.replicas.postgres import Command
from backend.store.ownership import Lease, LeaseEnded, OwnedElsewhere
from backend.store.records import InUse, NewUser, Record
from backend.tasks.task_owner import TaskOwner
from tests.records import a_message, a_task, an_event
from tests.simulation.sides import TTL, Modelled, Real, Side

QUICK = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    database=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
NAMES = ("a", "b", "c")
USERS = ("ann", "bob")
names = st.sampled_from(NAMES)
users = st.sampled_from(USERS)
COMMAND = {"kind": "stop", "body": b"{}"}
WANTED_S = 1000.0


Do = Callable[[Side, int], Awaitable[Any]]
"""Does something on a side, of which there are two: 0 is the real one."""


class Both(RuleBasedStateMachine):
    """Takes each step on both sides."""

    real: Real
    run: Callable[[Coroutine[Any, Any, Any]], Any]

    def __init__(self) -> None:
        super().__init__()
        self.model = self.run(self._begin())
        self.locks: dict[str, tuple[int, int]] = {}
        self.held: set[str] = set()
        self.leases: list[tuple[Lease, Lease]] = []
        self.fences: dict[int, int] = {0: 0}
        self.turns = 0
        self.left = 0

    async def _begin(self) -> Modelled:
        model = Modelled(self.real.owner)
        await model.open()
        self.real.heard.clear()
        return model

    def teardown(self) -> None:
        self.look_at_what_is_stored()
        self.run(self._end())

    async def _end(self) -> None:
        await self.real.restart([self.locks[name][0] for name in self.held])
        await self.real.forget_all()
        await self.model.close()

    def both(self, do: Do) -> Any:
        """Do something on both sides; what is seen must be the same."""
        real, model = self.run(self._both(do))
        assert real == model
        return model

    async def _both(self, do: Do) -> tuple[Any, Any]:
        seen: list[Any] = []
        for which, side in enumerate((self.real, self.model)):
            try:
                found = await do(side, which)
            except (DetourError, OwnedElsewhere, LeaseEnded) as error:
                found = type(error).__name__, getattr(error, "owner", None)
            await side.settle(self.model.now, self.model.database.started_at)
            seen.append(found)
        return seen[0], seen[1]

    def _fence_is(self, real: int, model: int) -> None:
        assert self.fences.setdefault(real, model) == model
        assert sorted(self.fences) == [
            fence for fence, _ in sorted(self.fences.items(), key=lambda it: it[1])
        ]

    @initialize()
    def two_join(self) -> None:
        self.join("a")
        self.join("b")

    # --- replicas and time ---------------------------------------------------------------------------

    @rule(name=names)
    def join(self, name: str) -> None:
        if name in self.locks:
            return
        query = "SELECT detour.join($1, make_interval(secs => $2), $3, $4, $5)"
        lock_ids = self.run(self._both(lambda side, _: side.ask(query, name, TTL, 1, "", False)))
        self.locks[name] = lock_ids

    @rule(name=names)
    def renew(self, name: str) -> None:
        self.both(lambda side, _: side.registry.renew(name, lease_s=TTL))

    @rule(name=names)
    def hold_a_session(self, name: str) -> None:
        if name in self.locks and name not in self.held:
            query, lock_ids = "SELECT pg_advisory_lock(detour.lock_class(), $1)", self.locks[name]
            self.both(lambda side, which: side.ask(query, lock_ids[which]))
            self.held.add(name)

    @rule(name=names)
    def lose_a_session(self, name: str) -> None:
        if name in self.held:
            query, lock_ids = "SELECT pg_advisory_unlock(detour.lock_class(), $1)", self.locks[name]
            self.both(lambda side, which: side.ask(query, lock_ids[which]))
            self.held.remove(name)

    @rule()
    def note_sessions(self) -> None:
        async def is_somebody_about_to_die(side: Side) -> bool:
            return await side.registry.note_sessions() is not None

        self.both(lambda side, _: is_somebody_about_to_die(side))

    @rule(seconds=st.sampled_from([343.0, 343.0, 686.0, 1607.0]))
    def pass_time(self, seconds: float) -> None:
        self.both(lambda side, _: side.pass_time(seconds))

    @rule()
    def restart(self) -> None:
        self.both(lambda side, which: side.restart([self.locks[name][which] for name in self.held]))
        self.held.clear()

    @rule(name=names, seconds=st.sampled_from([0.0, 343.0]))
    def lose_a_session_for_a_while(self, name: str, seconds: float) -> None:
        self.hold_a_session(name)
        self.note_sessions()
        self.lose_a_session(name)
        self.note_sessions()
        self.pass_time(seconds)

    @rule(seconds=st.sampled_from([343.0, 1607.0]))
    def restart_after_a_while(self, seconds: float) -> None:
        self.pass_time(seconds)
        self.restart()

    @rule(name=names, wanted=st.booleans())
    def drain(self, name: str, wanted: bool) -> None:
        self.both(lambda side, _: side.registry.drain(name, wanted=wanted))

    @rule(name=names)
    def leave(self, name: str) -> None:
        self.both(lambda side, _: side.registry.leave(name))

    @invariant()
    def the_same_are_alive(self) -> None:
        self.both(lambda side, _: side.registry.replicas())

    # --- leases -------------------------------------------------------------------------------------

    @rule(user=users, name=names)
    def acquire(self, user: str, name: str) -> None:
        real, model = self.run(self._both(lambda side, _: side.registry.acquire(user, name)))
        if isinstance(real, tuple) or isinstance(model, tuple):
            assert real == model
            return
        assert real.unfinished == model.unfinished
        self._fence_is(real.lease.fence, model.lease.fence)
        self.leases.append((real.lease, model.lease))

    @rule(name=names, most=st.integers(1, 2), draining=st.sampled_from([None, True, False]))
    def take(self, name: str, most: int, draining: bool | None) -> None:
        if draining is not None:
            self.drain(name, draining)

        async def take(side: Side, _which: int) -> Any:
            return sorted(await side.registry.reclaim(name, most=most))

        for user in self.both(take):
            self.acquire(user, name)  # as whoever takes a user does

    @rule(name=names)
    def owned(self, name: str) -> None:
        self.both(lambda side, _: side.registry.owned(USERS, name))

    @rule(which=st.integers(0, 9))
    def give_up(self, which: int) -> None:
        leases = self._lease(which)
        self.both(lambda side, at: side.registry.give_up(leases[at]))

    @rule(which=st.integers(0, 9))
    def let_go(self, which: int) -> None:
        leases = self._lease(which)
        self.both(
            lambda side, at: side.ask("SELECT detour.let_go($1, $2)", leases[at].user_id, leases[at].fence)
        )

    def _lease(self, which: int) -> tuple[Lease, Lease]:
        return self.leases[-1 - which % len(self.leases)] if self.leases else (Lease("ann"), Lease("ann"))

    # --- writes --------------------------------------------------------------------------------------

    @rule(which=st.integers(0, 9), events=st.integers(0, 3), in_use=st.sampled_from([None, True, False]))
    def write(self, which: int, events: int, in_use: bool | None) -> None:
        leases = self._lease(which)
        user = leases[0].user_id
        self.turns += 1
        records: list[Record] = [NewUser(f"e{user}"), a_task(user, self.turns), a_message(user, self.turns)]
        records += [an_event(str(number)) for number in range(events)]
        records += [] if in_use is None else [InUse(in_use)]
        self.both(lambda side, at: side.store.commit(leases[at], *records))
        self.both(_heard)

    @rule(which=st.integers(0, 9), records=st.integers(1, 3))
    def write_side_by_side(self, which: int, records: int) -> None:
        """Several of one user in one group, and of another one who may be fenced."""

        async def write(side: Side, at: int) -> Any:
            written = [
                side.store.commit(lease[at], an_event(str(number)))
                for number in range(records)
                for lease in (self._lease(which), self._lease(which + 1))
            ]
            await asyncio.wait(written)
            return [type(each.exception()) if each.exception() else each.result() for each in written]

        self.both(write)
        self.both(_heard)

    @rule(which=st.integers(0, 9), behind=st.integers(-2, 2))
    def ask_what_was_stored(self, which: int, behind: int) -> None:
        leases = self._lease(which)

        async def ask(side: Side, at: int) -> Any:
            row = await side.registry._ask(
                lambda connection: connection.fetch(
                    "SELECT user_id, seq, writes FROM detour.users WHERE user_id = ANY ($1)",
                    [leases[at].user_id],
                )
            )
            writes = (row[0][2] if row else 0) + behind
            user, fence = leases[at].user_id, leases[at].fence
            query = "SELECT detour.was_stored($1, $2, $3)"
            return [await side.ask(query, user, fence, writes) for _ in range(2)]

        self.both(ask)

    @rule(which=st.integers(0, 9))
    def delete(self, which: int) -> None:
        leases = self._lease(which)
        query = "SELECT detour.delete_user($1, $2, $3)"
        user = leases[0].user_id
        self.run(self._deleted_by_the_same_call(query, user, leases))

    async def _deleted_by_the_same_call(self, query: str, user: str, leases: tuple[Lease, Lease]) -> None:
        seen: list[Any] = []
        for at, side in enumerate((self.real, self.model)):
            try:
                seen.append(await side.ask(query, user, leases[at].fence, f"new{self.turns}"))
            except asyncpg.PostgresError as error:
                seen.append(error.sqlstate)
            for lane in side.store._writers:
                lane.forget(user)
        assert seen[0] == seen[1]

    @rule()
    def look_at_what_is_stored(self) -> None:
        async def look(side: Side, _which: int) -> Any:
            found: list[Any] = []
            for user in USERS:
                position = await side.store.position(user)
                page = await side.store.events_after(user, 0, limit=100)
                tasks = await side.store.recent_tasks(user, limit=100)
                frames = [each.frame for each in page.events]
                found.append((position, frames, page.complete, [each.turn for each in tasks]))
            return found

        self.both(look)

    # --- commands and followers ----------------------------------------------------------------------

    @rule(user=users, again=st.booleans())
    def leave_a_command(self, user: str, again: bool) -> None:
        self.left += not again
        command = Command(user, f"c{self.left}", sender="a", **COMMAND)
        self.both(lambda side, _: side.registry.leave_command(command, "a", within_s=WANTED_S))

    @rule(user=users, which=st.integers(0, 4), name=names, releases=st.booleans())
    def begin_a_command(self, user: str, which: int, name: str, releases: bool) -> None:
        command = Command(user, f"c{which}", sender="a", **COMMAND)

        async def begin(side: Side, _which: int) -> Any:
            registry = side.registry
            return await (registry.release_command if releases else registry.begin_command)(command, name)

        self.both(begin)

    @rule(user=users, which=st.integers(0, 4))
    def withdraw_a_command(self, user: str, which: int) -> None:
        command = Command(user, f"c{which}", sender="a", **COMMAND)
        self.both(lambda side, _: side.registry.withdraw_command(command))

    @rule(user=users, which=st.integers(0, 9))
    def answer_a_command(self, user: str, which: int) -> None:
        command = Command(user, f"c{which}", sender="a", **COMMAND)
        self.both(lambda side, _: side.registry.answer_command(command, b"done"))

    @rule(name=names)
    def look_for_commands(self, name: str) -> None:
        async def look(side: Side, _which: int) -> Any:
            replies = [
                await side.registry.reply_to(user, f"c{number}") for user in USERS for number in range(4)
            ]
            commands = [await side.registry.commands_of(user) for user in USERS]
            return sorted(await side.registry.waiting_commands(name)), commands, replies

        self.both(look)

    @rule(user=users, name=names, wanted=st.booleans())
    def follow(self, user: str, name: str, wanted: bool) -> None:
        async def follow(side: Side, _which: int) -> None:
            registry = side.registry
            await (registry.follow if wanted else registry.unfollow)(user, name)

        self.both(follow)


async def _heard(side: Side, _which: int) -> Any:
    heard, side.heard = sorted(side.heard), []
    return heard


@pytest.fixture
def run() -> Iterator[Callable[[Coroutine[Any, Any, Any]], Any]]:
    with asyncio.Runner() as runner:
        yield runner.run


def test_model_agrees_with_the_database(postgres, run):
    owner = TaskOwner()

    async def opened() -> Real:
        real = Real(postgres.new_database(), owner)
        await real.open()
        return real

    real = run(opened())
    machine = type("Same", (Both,), {"real": real, "run": staticmethod(run)})
    run_state_machine_as_test(machine, settings=QUICK)
    run(real.close())


def test_session_lost_in_the_instant_of_a_restart_counts_as_lost_before(postgres, run):
    owner = TaskOwner()

    async def opened() -> Real:
        real = Real(postgres.new_database(), owner)
        await real.open()
        return real

    real = run(opened())
    both = type("Same", (Both,), {"real": real, "run": staticmethod(run)})()
    both.two_join()
    both.lose_a_session_for_a_while(name="b", seconds=0.0)
    both.restart()
    both.lose_a_session_for_a_while(name="a", seconds=343.0)
    both.the_same_are_alive()
    both.teardown()
    run(real.close())


def test_model_refuses_an_unknown_statement(run):
    async def ask() -> None:
        owner = TaskOwner()
        model = Modelled(owner)
        await model.open()
        with pytest.raises(AssertionError, match="does not know: SELECT 2"):
            await model.ask("SELECT 2")
        with pytest.raises(StoreUnavailable):
            await model.registry.acquire("ann", "nobody")
        await model.close()

    run(ask())
