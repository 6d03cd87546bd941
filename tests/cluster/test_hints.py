"""A replica hears hints in its way, whichever way the one that tells them hears its own."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, cast

import asyncpg
import pytest

from backend.domain.errors import StoreUnavailable
from backend.replicas.leases import WATCH_EVERY_S, Membership
from backend.replicas.postgres import Hint, PostgresRegistry
from backend.store.postgres.database import Connection, Database
from backend.tasks.task_owner import TaskOwner
from tests.cluster.conftest import BOUND_S, bury, sql
from tests.fakes.waiting import until
from tests.postgres import as_owner

pytestmark = [pytest.mark.postgres, pytest.mark.requirement("REPLICAS-ARE-ONE")]

Join = Callable[..., Awaitable["Listening"]]
LOCKED = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"


class Listening(PostgresRegistry):
    """A registry that notes what it hears, and how often it had to look at everything."""

    def __init__(self, address: str, owner: TaskOwner, *, polls: bool) -> None:
        super().__init__(Database(address, pooled=polls).connect_directly, owner.spawn, polls=polls)
        self.noted: list[Hint] = []
        self.gaps = 0
        self.hints.heard = self.noted.append
        self.hints.reread = self._note_gap

    def _note_gap(self) -> None:
        self.gaps += 1


@pytest.fixture
async def join(address: str) -> AsyncIterator[Join]:
    """Have replicas join, each by its name."""
    owner, joined = TaskOwner(), list[Listening]()

    async def join(replica: str, *, polls: bool, lease_s: float = 60) -> Listening:
        registry = Listening(address, owner, polls=polls)
        registry.open()
        joined.append(registry)
        await registry.join(replica, lease_s=lease_s)
        return registry

    yield join
    for each in joined:
        await each.close()
    await owner.finish(grace_s=5)


class FailsFirst:
    """Fails for the first hint, with an error that parsing raises too, and hands on the others."""

    def __init__(self, heard: Callable[[Hint], None]) -> None:
        self._heard = heard
        self._failed = False

    def __call__(self, hint: Hint) -> None:
        if not self._failed:
            self._failed = True
            raise ValueError(hint)
        self._heard(hint)

    async def has_failed(self) -> bool:
        return self._failed


async def _itself(connection: Connection) -> Connection:
    return connection


async def heard(registry: Listening) -> list[Hint]:
    async def read() -> Any:
        return registry.noted

    return await until(read)


@pytest.mark.parametrize("polls", [False, True], ids=["listens", "polls"])
@pytest.mark.parametrize("teller_polls", [False, True], ids=["told by one that listens", "by one that polls"])
async def test_hint_reaches_its_replica(join: Join, address: str, polls: bool, teller_polls: bool) -> None:
    hears, tells = await join("hears", polls=polls), await join("tells", polls=teller_polls)
    hint = Hint("reply", "ann\0", "c1")
    tells.tell("hears", hint)
    assert await heard(hears) == [hint]
    assert tells.noted == []
    assert await sql(address, "SELECT count(*) FROM detour.hints WHERE payload <> ''") == 0


async def test_polling_replica_has_no_session_and_is_alive_by_its_lease(join: Join, address: str) -> None:
    polling = await join("polls", polls=True)
    await polling.note_sessions()
    locks = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = detour.lock_class()::oid"
    listening = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    )
    assert await sql(address, locks) == await sql(address, listening) == 0
    assert await polling.replicas() == ["polls"]
    await polling.close()
    watching = await join("watches", polls=False)
    await watching.note_sessions()
    assert await watching.replicas() == ["polls", "watches"], "whoever is gone without a word"
    await bury(address, "polls")
    assert await watching.replicas() == ["watches"]


async def test_hints_are_not_stored_for_dead_replicas(join: Join, address: str) -> None:
    gone, tells = await join("gone", polls=True), await join("tells", polls=True)
    await gone.close()
    tells.tell("gone", Hint("neglected"))
    await until(
        lambda: sql(address, "SELECT count(*) = 1 FROM detour.hints WHERE payload <> ''"), every_s=0.01
    )
    await bury(address, "gone")
    tells.tell("gone", Hint("neglected"))
    tells.tell("tells", Hint("neglected"))
    await heard(tells)
    assert await sql(address, "SELECT count(*) FROM detour.hints WHERE payload <> ''") == 1
    await join("new", polls=True)
    assert await sql(address, "SELECT count(*) FROM detour.hints WHERE payload <> ''") == 0


async def test_unsent_hints_do_not_block_later_ones(
    join: Join, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hears, tells = await join("hears", polls=False), await join("tells", polls=False)
    connection = await tells._ask(_itself)

    async def refuses() -> Any:
        raise ConnectionRefusedError

    with monkeypatch.context() as away:
        away.setattr(tells._lane, "_connect", refuses)
        connection.terminate()
        for _ in range(100):
            tells.tell("hears", Hint("neglected"))
        with pytest.raises(StoreUnavailable):
            await tells.replicas()
    assert tells.hints._waiting == [], "kept for ever, if the database stays away"
    tells.tell("hears", Hint("event", "ann"))
    assert await heard(hears) == [Hint("event", "ann")]


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_lease_is_renewed_while_a_claim_waits_for_a_lock(join: Join, address: str) -> None:
    here = await join("here", polls=False)
    await sql(address, "INSERT INTO detour.users (user_id) VALUES ('ann')")
    owner = await asyncpg.connect(as_owner(address))
    async with owner.transaction():
        await owner.execute("SELECT FROM detour.users WHERE user_id = 'ann' FOR UPDATE")
        claiming = asyncio.gather(here.acquire("ann", "here"))
        await until(lambda: sql(address, f"SELECT count(*) > 0 {LOCKED}"), every_s=0.01)
        assert await here.renew("here", lease_s=60)
        await here.note_sessions()
        assert not claiming.done()
    await owner.close()
    assert (await claiming)[0].lease.user_id == "ann"


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_unanswered_renewal_leaves_time_for_others(join: Join, address: str) -> None:
    here = await join("here", polls=False, lease_s=2.0)
    owner = await asyncpg.connect(as_owner(address))
    async with owner.transaction():
        await owner.execute("SELECT FROM detour.replicas FOR UPDATE")
        with pytest.raises(StoreUnavailable):
            await here.renew("here", lease_s=2.0)
    assert await here.renew("here", lease_s=2.0), "the lease was over before it was given up"
    await owner.close()


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_note_sessions_returns_when_a_replica_will_count_as_dead(join: Join, address: str) -> None:
    gone, here = await join("gone", polls=False), await join("here", polls=False)
    assert await here.note_sessions() is None
    await gone.hints.stop()
    dies_in_s = await until(here.note_sessions)
    assert 0 < dies_in_s <= 1
    assert await here.replicas() == ["gone", "here"]
    await sql(address, "UPDATE detour.replicas SET lost_at = lost_at - interval '1 second'")
    assert await here.note_sessions() is None
    assert await here.replicas() == ["here"]


@pytest.mark.virtual_time
@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_death_is_reported_when_it_is_due() -> None:
    loop = asyncio.get_running_loop()
    told: asyncio.Future[float] = loop.create_future()

    class Dying:
        async def note_sessions(self) -> float | None:
            return 0.3 if loop.time() < begun + 1.0 else None

    begun = loop.time()
    membership = Membership(cast("PostgresRegistry", Dying()), lease_s=60)
    membership.on_death = lambda: told.done() or told.set_result(loop.time() - begun)
    keeping = asyncio.gather(membership.keep())
    assert await told == pytest.approx(WATCH_EVERY_S + 0.3)
    keeping.cancel()


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_replica_renews_its_lease_though_it_cannot_look_for_dead_ones(
    join: Join, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry = await join("of nobody", polls=False)
    membership = Membership(registry, lease_s=0.2)
    await membership.join()

    async def fails() -> None:
        raise StoreUnavailable("not now")

    renewed = asyncio.Event()

    async def renew(replica: str, *, lease_s: float) -> bool:
        renewed.set()
        return True

    monkeypatch.setattr(registry, "note_sessions", fails)
    monkeypatch.setattr(registry, "renew", renew)
    keeping = asyncio.gather(membership.keep())
    async with asyncio.timeout(BOUND_S):
        await renewed.wait()
    keeping.cancel()


@pytest.mark.requirement("A-DEAD-REPLICA-IS-TAKEN-OVER")
async def test_lease_is_renewed_after_any_error(join: Join, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = await join("of nobody", polls=False)
    membership = Membership(registry, lease_s=0.2)
    await membership.join()
    renewals, twice = [], asyncio.Event()

    async def fails_first(replica: str, *, lease_s: float) -> bool:
        renewals.append(replica)
        if len(renewals) == 1:
            raise LookupError(replica)
        twice.set()
        return True

    monkeypatch.setattr(registry, "renew", fails_first)
    keeping = asyncio.gather(membership.keep())
    async with asyncio.timeout(BOUND_S):
        await twice.wait()
    keeping.cancel()


@pytest.mark.parametrize("polls", [False, True], ids=["listens", "polls"])
async def test_hint_whose_handler_fails_is_logged_and_the_next_one_received(
    join: Join, capsys: pytest.CaptureFixture[str], polls: bool
) -> None:
    hears = await join("hears", polls=polls)
    hears.hints.heard = fails_first = FailsFirst(hears.hints.heard)
    hears.tell("hears", Hint("event", "ann"))
    await until(fails_first.has_failed)
    hears.tell("hears", Hint("event", "bob"))
    assert await heard(hears) == [Hint("event", "bob")]
    assert "a hint could not be followed" in capsys.readouterr().out


async def test_leaving_replica_deletes_its_hints(join: Join, address: str) -> None:
    leaves = await join("leaves", polls=True)
    await leaves.hints.stop()
    leaves.tell("leaves", Hint("neglected"))
    await until(
        lambda: sql(address, "SELECT count(*) = 1 FROM detour.hints WHERE payload <> ''"), every_s=0.01
    )
    await leaves.leave("leaves")
    assert await sql(address, "SELECT count(*) FROM detour.hints WHERE payload <> ''") == 0


async def test_polling_replica_rereads_after_each_gap(join: Join, address: str) -> None:
    polling = await join("polls", polls=True)

    async def has_looked(times: int) -> bool:
        return polling.gaps >= times

    await until(lambda: has_looked(1))
    await sql(address, "TRUNCATE detour.hints")  # as a crash of the database does
    await until(lambda: has_looked(2))
    owner = await asyncpg.connect(as_owner(address))
    async with owner.transaction():
        await owner.execute("LOCK TABLE detour.hints")
        await until(lambda: sql(address, f"SELECT count(*) > 0 {LOCKED}"), every_s=0.01)
        # What it asked for may have been dropped, and it does not know what that was.
        await owner.execute(f"SELECT pg_terminate_backend(pid) {LOCKED}")
    await owner.close()
    await until(lambda: has_looked(3))
