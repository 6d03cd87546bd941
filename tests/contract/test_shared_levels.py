"""The levels that replicas share: in PostgreSQL, and in memory as the tests of the limits have them.

In the database no time can be set, so time passes by making all its buckets older; tokens come back so slowly
that what a test takes does not show.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.domain.token_bucket import Take, Taken, TokenBucket
from backend.http.edge.limits import SharedLevels
from backend.store.postgres import levels
from backend.store.postgres.levels import PostgresLevels
from backend.tasks.task_owner import TaskOwner
from checks.cluster.postgres import as_owner
from tests.fakes.levels import MemoryLevels
from tests.fakes.waiting import until
from tests.postgres import Server

BOUND_S = 60.0
HOURLY = 1 / 3600
THREE = TokenBucket(3, HOURLY)
TEN = TokenBucket(10, HOURLY)

WAITING = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
WHO_WAITS = f"SELECT count(*) {WAITING}"
CUT_WHO_WAITS = f"SELECT count(pg_terminate_backend(pid)) {WAITING}"


class Shared(NamedTuple):
    levels: SharedLevels
    passes: Callable[[float], Awaitable[None]]


class Database:
    """A database, and the levels of some replicas in it."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.owner = TaskOwner()
        self._clock = 0.0
        self._opened: list[PostgresLevels] = []

    async def connect(self) -> Any:
        return await asyncpg.connect(self.address)

    async def connect_as_owner(self) -> Any:
        return await asyncpg.connect(as_owner(self.address))

    def replica(self) -> PostgresLevels:
        made = PostgresLevels(self.connect, self.owner.spawn, monotonic=lambda: self._clock)
        made.open()
        self._opened.append(made)
        return made

    async def passes(self, seconds: float) -> None:
        self._clock += seconds
        await self.sql(
            "UPDATE detour.buckets SET at = at - make_interval(secs => $1),"
            " full_at = full_at - make_interval(secs => $1)",
            seconds,
        )

    @asynccontextmanager
    async def held(self, statement: str) -> AsyncIterator[None]:
        """Hold the locks of a statement."""
        connection = await self.connect_as_owner()
        try:
            async with connection.transaction():
                await connection.execute(statement)
                yield
        finally:
            connection.terminate()

    async def until(self, statement: str, least: int) -> None:
        """Wait until a statement returns so much."""
        connection = await self.connect_as_owner()
        try:

            async def are_enough() -> bool:
                return await connection.fetchval(statement) >= least

            await until(are_enough)
        finally:
            connection.terminate()

    async def sql(self, statement: str, *values: Any) -> Any:
        connection = await self.connect_as_owner()
        try:
            return await connection.fetchval(statement, *values)
        finally:
            await connection.close()

    async def close(self) -> None:
        for each in self._opened:
            await each.close()
        await self.owner.finish(grace_s=5)


@pytest.fixture(scope="module")
def address(postgres: Server) -> str:
    """A database for all tests of this module, each of which leaves it without buckets."""
    return postgres.new_database()


@pytest.fixture(autouse=True)
def unhurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, nothing is given up."""
    monkeypatch.setattr(levels, "STATEMENT_WITHIN_S", 60.0)


@asynccontextmanager
async def database_at(address: str) -> AsyncIterator[Database]:
    made = Database(address)
    yield made
    await made.sql("TRUNCATE detour.buckets")
    await made.close()


@pytest.fixture
async def database(address: str) -> AsyncIterator[Database]:
    async with database_at(address) as made:
        yield made


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.postgres)])
def kept_at(request: pytest.FixtureRequest) -> str | None:
    """The address of the database that keeps the levels, None if it is memory."""
    return request.getfixturevalue("address") if request.param == "postgres" else None


@pytest.fixture
async def shared(kept_at: str | None) -> AsyncIterator[Shared]:
    if kept_at is not None:
        async with database_at(kept_at) as made:
            yield Shared(made.replica(), made.passes)
        return
    now = [0.0]

    async def passes(seconds: float) -> None:
        now[0] += seconds

    yield Shared(MemoryLevels(lambda: now[0]), passes)


def of(key: str, bucket: TokenBucket = THREE, *, kind: str = "user", tokens: float = 1) -> Take:
    return Take(kind, key, bucket, tokens)


def nearly(taken: Taken) -> tuple[bool, list[int]]:
    """What was taken, with the tokens in whole numbers: a moment gives back a thousandth of one."""
    return taken.enough, [round(each) for each in taken.tokens]


@pytest.mark.requirement("LIMITS-ARE-SHARED")
class TestLevels:
    async def test_a_bucket_is_full_at_first_and_gives_what_it_holds(self, shared):
        outcomes = [nearly(await shared.levels.take([of("ann")])) for _ in range(5)]
        assert outcomes == [(True, [2]), (True, [1]), (True, [0]), (False, [0]), (False, [0])]

    async def test_each_kind_and_each_key_has_a_bucket_of_its_own(self, shared):
        await shared.levels.take([of("ann", tokens=3)])
        assert nearly(await shared.levels.take([of("bob")])) == (True, [2])
        assert nearly(await shared.levels.take([of("ann", TEN, kind="address")])) == (True, [9])

    async def test_tokens_come_back_evenly_and_no_more_than_there_is_room_for(self, shared):
        await shared.levels.take([of("ann", tokens=3)])
        await shared.passes(2 * 3600)
        assert nearly(await shared.levels.take([of("ann")])) == (True, [1])
        await shared.passes(100 * 3600)
        assert nearly(await shared.levels.take([of("ann")])) == (True, [2])

    async def test_of_several_buckets_all_give_or_none(self, shared):
        await shared.levels.take([of("ann", tokens=3)])
        both = [of("1.1.1.1", TEN, kind="address"), of("ann")]
        assert nearly(await shared.levels.take(both)) == (False, [10, 0])
        assert nearly(await shared.levels.take([both[0]])) == (True, [9])

    async def test_what_is_told_is_in_the_order_of_what_was_asked(self, shared):
        takes = [of("z", TEN), of("a"), of("m", TEN, tokens=4)]
        assert nearly(await shared.levels.take(takes)) == (True, [9, 2, 6])

    async def test_what_is_owed_is_taken_although_there_is_too_little_and_comes_back_in_time(self, shared):
        assert nearly(await shared.levels.take([of("ann", tokens=5)], owed=True)) == (False, [-2])
        await shared.passes(2 * 3600)
        assert nearly(await shared.levels.take([of("ann")])) == (False, [0])
        await shared.passes(3600)
        assert nearly(await shared.levels.take([of("ann")])) == (True, [0])

    async def test_no_more_is_owed_than_a_bucket_can_hold(self, shared):
        assert nearly(await shared.levels.take([of("ann", tokens=100)], owed=True)) == (False, [-3])

    async def test_any_text_is_a_key(self, shared):
        for each in ("", "a\0b", "a\\0b", "☃" * 200):
            assert nearly(await shared.levels.take([of(each)])) == (True, [2])


@pytest.mark.postgres
@pytest.mark.requirement("LIMITS-ARE-SHARED")
class TestInPostgres:
    async def test_of_many_who_want_the_last_token_at_once_one_gets_it(self, database):
        replicas = [database.replica() for _ in range(4)]
        await replicas[0].take([of("ann", tokens=2)])
        async with database.held("SELECT FROM detour.buckets FOR UPDATE"):
            taking = [each.take([of("ann")]) for each in replicas for _ in range(3)]
            await database.until(WHO_WAITS, 4)
        assert [each.enough for each in await asyncio.gather(*taking)].count(True) == 1

    async def test_who_takes_from_the_same_buckets_in_another_order_waits_for_nobody_in_a_circle(
        self, database
    ):
        one, other = database.replica(), database.replica()
        plenty = TokenBucket(1000, HOURLY)
        keys = [of(str(number), plenty) for number in range(5)]
        await asyncio.gather(*[
            replica.take(keys if number % 2 else keys[::-1])
            for number in range(40)
            for replica in (one, other)
        ])  # fmt: skip
        assert nearly(await one.take(keys)) == (True, [919] * 5)

    async def test_where_the_databases_clock_is_set_back_tokens_come_back_from_then_on(self, database):
        replica = database.replica()
        await replica.take([of("ann", tokens=3)])
        await database.passes(-100 * 3600)
        assert nearly(await replica.take([of("ann")])) == (False, [0])
        await database.passes(3600)
        assert nearly(await replica.take([of("ann")])) == (True, [0])

    async def test_buckets_that_are_full_are_deleted_a_minute_later_and_no_others(self, database):
        replica = database.replica()
        for name in ("ann", "bob", "cem"):
            await replica.take([of(name)])
        await database.passes(1800)
        await replica.take([of("cem")])
        await database.passes(1800)  # half an hour is missing to cem
        await replica.take([of("dan")])
        # On the same connection, after the look for full buckets.
        await replica.take([of("dan")])
        remaining = await database.sql("SELECT array_agg(key ORDER BY key) FROM detour.buckets")
        assert remaining == ["cem", "dan"]
        assert nearly(await replica.take([of("ann")])) == (True, [2])

    async def test_only_so_many_are_deleted_at_once(self, database, monkeypatch):
        monkeypatch.setattr(levels, "MOST_FORGOTTEN", 2)
        replica = database.replica()
        await replica.take([of(str(number)) for number in range(5)])
        await database.passes(3 * 3600)
        await replica.take([of("ann")])
        await replica.take([of("ann")])
        assert await database.sql("SELECT count(*) FROM detour.buckets") == 4

    async def test_an_error_of_the_database_is_told_as_its_absence(self, database):
        replica = database.replica()
        await database.sql("ALTER FUNCTION detour.take_tokens RENAME TO another")
        with pytest.raises(StoreUnavailable):
            await replica.take([of("ann")])
        await database.sql("ALTER FUNCTION detour.another RENAME TO take_tokens")
        assert nearly(await replica.take([of("ann")])) == (True, [2])

    async def test_a_connection_that_is_cut_is_told_as_its_absence_and_made_anew(self, database):
        replica = database.replica()
        async with database.held("LOCK TABLE detour.buckets"):
            taking = replica.take([of("ann")])
            await database.until(CUT_WHO_WAITS, 1)
            with pytest.raises(StoreUnavailable):
                await taking
        assert nearly(await replica.take([of("ann")])) == (True, [2])

    async def test_a_statement_that_takes_too_long_is_given_up(self, database, monkeypatch):
        monkeypatch.setattr(levels, "STATEMENT_WITHIN_S", 0.05)
        replica = database.replica()
        async with database.held("LOCK TABLE detour.buckets"):
            with pytest.raises(StoreUnavailable):
                await replica.take([of("ann")])

    async def test_what_nobody_waits_for_any_more_is_not_taken(self, database):
        replica = database.replica()
        replica.take([of("ann", tokens=3)]).cancel()
        assert nearly(await replica.take([of("ann")])) == (True, [2])

    async def test_before_it_is_open_and_after_it_is_closed_nothing_is_taken(self, database):
        replica = PostgresLevels(database.connect, database.owner.spawn)
        with pytest.raises(StoreUnavailable):
            await replica.take([of("ann")])
        replica.open()
        await replica.take([of("ann")])
        await replica.close()
        with pytest.raises(StoreUnavailable):
            await replica.take([of("ann")])
