"""What only the store over PostgreSQL has to stand: fences, lost connections, a lost server."""

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import asyncpg
import pytest

from backend.domain.errors import NotOpen, StoreUnavailable
from backend.domain.partials import PartialBatch
from backend.domain.task import AgentProgress
from backend.store.ownership import Lease, LeaseEnded
from backend.store.postgres import writing
from backend.store.postgres.database import Connection, Lane
from backend.store.postgres.rows import WRITE, from_key, key
from backend.store.postgres.store import PostgresStateStore
from backend.store.reads import Read, one
from backend.store.records import MustBeOpen, NewUser, SavedPartial, SavedProgress
from backend.tasks.task_owner import TaskOwner
from tests.contract.conftest import Heard, seqs
from tests.fakes.waiting import until
from tests.postgres import Server, as_owner, serving
from tests.records import ANN, BOB, a_task, an_event, an_input

AGAIN = Lease("ann", 7)


@pytest.fixture
async def owner() -> AsyncIterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    await owner.finish(grace_s=5)


@pytest.fixture
async def store(address: str, owner: TaskOwner, listener, ended) -> AsyncIterator[PostgresStateStore]:
    store = PostgresStateStore(address, owner.spawn)
    await store.open(listener, ended.append)
    yield store
    await store.close()


@pytest.fixture
def ended() -> list[Lease]:
    return []


async def sql(address: str, statement: str, *values: Any) -> Any:
    connection = await asyncpg.connect(as_owner(address))
    try:
        return await connection.fetchval(statement, *values)
    finally:
        await connection.close()


# --- fences ---------------------------------------------------------------------------------------------


async def test_a_write_of_a_lease_that_has_ended_is_refused_and_nothing_of_it_is_stored(
    store, address, ended, heard: Heard
) -> None:
    await store.commit(ANN, NewUser("e1"), an_event())
    await sql(address, "UPDATE detour.users SET fence = 7 WHERE user_id = 'ann'")
    commits = [store.commit(ANN, a_task(), an_event()), store.commit(BOB, NewUser("e2"), an_event())]
    store.record(ANN, an_event())
    refused, kept = await asyncio.gather(*commits, return_exceptions=True)
    assert isinstance(refused, LeaseEnded)
    assert kept == 1
    assert set(ended) == {ANN}
    assert await seqs(store) == [1]
    assert await store.get_task_metadata("ann", "ann-1") is None
    assert heard == [("ann", 1), ("bob", 1)]
    assert await store.commit(AGAIN, an_event()) == 2


async def test_a_deletion_of_a_lease_that_has_ended_is_refused(store, address) -> None:
    await store.commit(ANN, NewUser("e1"), an_event())
    await sql(address, "UPDATE detour.users SET fence = 7 WHERE user_id = 'ann'")
    with pytest.raises(LeaseEnded):
        await store.delete_user(ANN)
    assert await seqs(store) == [1]
    await store.delete_user(AGAIN)
    assert await store.position("ann") is None
    with pytest.raises(LeaseEnded):
        await store.commit(ANN, an_event())
    assert await store.commit(AGAIN, NewUser(await store.new_epoch("ann")), an_event()) == 1


async def test_who_was_deleted_has_an_epoch_that_was_never_used(store) -> None:
    epochs = [await store.new_epoch("ann")]
    for _ in range(3):
        await store.commit(ANN, NewUser(epochs[-1]), an_event())
        assert (await store.position("ann")).epoch == epochs[-1]
        await store.delete_user(ANN)
        epochs.append(await store.new_epoch("ann"))
    assert len(set(epochs)) == 4


async def test_after_a_failover_every_log_begins_anew(store, address) -> None:
    promised = await store.new_epoch("bob")
    await store.commit(ANN, NewUser("e1"), an_event())
    store.database.timeline = "00000002"
    assert (await store.position("ann")).epoch == "e1-00000002"
    assert await store.new_epoch("bob") != promised


# --- connections ----------------------------------------------------------------------------------------


def losing_answers(
    monkeypatch: pytest.MonkeyPatch, *, before: bool, after_groups: int = 0, lost: list[Any] | None = None
) -> Callable[[], None]:
    """Have a coming write's connection lost, before the database has it or before its answer comes.

    `lost` takes the values of those that the database did not have.
    """
    due: list[int] = []
    do = Lane._do

    async def lossy(lane: Lane, job: Any) -> Any:
        async def with_loss(connection: Any) -> Any:
            return await job(Losing(connection))

        return await do(lane, with_loss)

    class Losing:
        def __init__(self, connection: Any) -> None:
            self._connection = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self._connection, name)

        async def fetch(self, query: str, *values: Any) -> Any:
            if query == WRITE and due:
                due[0] -= 1
            if query != WRITE or not due or due[0] >= 0:
                return await self._connection.fetch(query, *values)
            due.clear()
            if not before:
                await self._connection.fetch(query, *values)
            elif lost is not None:
                lost.append(values)
            raise ConnectionResetError("the network was cut")

    monkeypatch.setattr(Lane, "_do", lossy)
    return lambda: due.append(after_groups)


async def texts(store) -> list[str]:
    events = (await store.events_after("ann", 0, limit=1000)).events
    return [each.frame.partition(b'"text":"')[2].partition(b'"')[0].decode() for each in events]


@pytest.mark.parametrize("before", [True, False], ids=["not stored", "stored"])
async def test_a_write_whose_answer_is_lost_is_stored_once_and_confirmed(
    store, heard: Heard, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    cut = losing_answers(monkeypatch, before=before)
    await store.commit(ANN, NewUser("e1"), an_event("first"))
    cut()
    store.record(ANN, an_event("recorded"), SavedPartial(1, 0, text="recorded"))
    assert await store.commit(ANN, an_event("committed")) == 3
    assert await store.commit(ANN, an_event("after")) == 4
    assert await texts(store) == ["first", "recorded", "committed", "after"]
    assert [seq for _, seq in heard] == [1, 2, 3, 4]
    assert [each.text for each in await store.get_partials("ann", 1)] == ["recorded"]


@pytest.mark.parametrize("before", [True, False], ids=["not stored", "stored"])
async def test_what_is_known_to_be_stored_of_a_group_is_not_sent_again_with_the_rest(
    store, heard: Heard, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    """A write with a condition is a part of its group by itself: here the connection is lost in that part."""
    await store.commit(ANN, NewUser("e1"), a_task(), an_input())
    cut = losing_answers(monkeypatch, before=before, after_groups=1)
    cut()
    store.record(ANN, an_event("recorded"))
    answered = await store.commit(
        ANN, MustBeOpen("ann-1-q1"), an_input(resolution="answered"), an_event("answered")
    )
    assert answered == 2
    with pytest.raises(NotOpen):
        await store.commit(ANN, MustBeOpen("ann-1-q1"), an_event("again"))
    assert await texts(store) == ["recorded", "answered"]
    assert [seq for _, seq in heard] == [1, 2]


async def test_whoever_waits_is_refused_where_nobody_can_tell_for_long(
    store, heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "DOUBT_WITHIN_S", 0.0)
    cut = losing_answers(monkeypatch, before=False)
    await store.commit(ANN, NewUser("e1"))
    cut()
    store.record(ANN, an_event("recorded"))
    with pytest.raises(StoreUnavailable):
        await store.commit(ANN, an_event("committed"))
    await store.commit(ANN, an_event("after"))
    assert await texts(store) == ["recorded", "committed", "after"], "it was stored, and is not sent again"
    assert [seq for _, seq in heard] == [1, 2, 3]


async def test_users_of_what_was_refused_and_yet_stored_are_let_go_though_nobody_writes(
    store, address, ended: list[Lease], heard: Heard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their owner has decided without it: a message that was accepted after all would never be run."""
    monkeypatch.setattr(writing, "DOUBT_WITHIN_S", 0.0)
    monkeypatch.setattr(writing, "FIND_OUT_AFTER_S", 0.0)
    cut = losing_answers(monkeypatch, before=False)
    await store.commit(ANN, NewUser("e1"))
    await sql(address, "UPDATE detour.users SET owner = 'me', fence = 7 WHERE user_id = 'ann'")
    await store.commit(AGAIN)
    cut()
    with pytest.raises(StoreUnavailable):
        await store.commit(AGAIN, an_event("committed"))
    await until(lambda: AGAIN in ended)
    assert await sql(address, "SELECT owner IS NULL AND occupied AND fence > 7 FROM detour.users")
    assert await texts(store) == ["committed"]
    assert [seq for _, seq in heard] == [1]
    with pytest.raises(LeaseEnded):
        await store.commit(AGAIN, an_event("too late"))


async def test_what_reaches_the_database_after_it_was_given_up_changes_nothing(store, address) -> None:
    await store.commit(ANN, NewUser("e1"))
    writes = await sql(address, "SELECT writes FROM detour.users WHERE user_id = 'ann'")
    assert not await sql(address, "SELECT detour.was_stored('ann', 0, $1)", writes)
    late = "SELECT count(*) FROM detour.users WHERE user_id = 'ann' AND writes = $1"
    assert await sql(address, late, writes) == 0
    assert not await sql(address, "SELECT detour.was_stored('ann', 0, $1)", writes), "asked once more"
    assert await store.commit(ANN, an_event()) == 1


async def test_write_that_reaches_the_database_after_it_was_sent_again_is_refused(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost: list[Any] = []
    cut = losing_answers(monkeypatch, before=True, lost=lost)
    await store.commit(ANN, NewUser("e1"))
    cut()
    assert await store.commit(ANN, an_event("committed")) == 1
    with pytest.raises(asyncpg.PostgresError) as refused:
        await store._writer_of("ann").lane._do(lambda connection: connection.fetch(WRITE, *lost[0]))
    assert refused.value.sqlstate == "DT003"
    assert await texts(store) == ["committed"]


async def test_what_is_in_doubt_is_looked_after_once_however_much_fails_meanwhile(
    store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "DOUBT_WITHIN_S", 0.0)
    monkeypatch.setattr(writing, "FIND_OUT_AFTER_S", 0.0)
    cut = losing_answers(monkeypatch, before=False)
    await store.commit(ANN, NewUser("e1"))
    cut()
    lane, looks = store._writer_of("ann"), []

    async def refuses() -> Any:
        raise ConnectionRefusedError

    with monkeypatch.context() as away:
        away.setattr(lane, "_find_out_soon", lambda: looks.append(lane))
        away.setattr(lane.lane, "_connect", refuses)
        for number in range(5):
            with pytest.raises(StoreUnavailable):
                await store.commit(ANN, an_event(f"{number}"))
        await asyncio.sleep(0)
    assert looks == [lane]
    lane._find_out_soon()  # the one look, which was kept back
    await lane.caught_up()
    assert lane._in_doubt is None
    assert await texts(store) == ["0"]


async def test_connections_that_are_terminated_lose_and_double_nothing(store, address, heard: Heard) -> None:
    await store.commit(ANN, NewUser("e1"))
    kept: list[str] = []
    for number in range(60):
        if number % 7 == 3:
            await sql(
                address,
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                "WHERE application_name = 'detour' AND datname = current_database()",
            )
        store.record(ANN, an_event(f"recorded {number}"))
        try:
            await store.commit(ANN, an_event(f"committed {number}"))
            kept.append(f"committed {number}")
        except StoreUnavailable:
            pass
    await store.commit(ANN)
    events = (await store.events_after("ann", 0, limit=1000)).events
    texts = [each.frame.partition(b'"text":"')[2].partition(b'"')[0].decode() for each in events]
    assert len(set(texts)) == len(texts)
    assert set(kept) <= set(texts)
    assert {f"recorded {number}" for number in range(60)} <= set(texts)
    assert [seq for _, seq in heard] == list(range(1, len(events) + 1))


async def test_a_read_takes_another_connection_where_its_own_was_lost(store, address) -> None:
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.position("ann")
    await sql(
        address,
        "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE application_name = 'detour' AND datname = current_database()",
    )
    assert (await store.position("ann")).seq == 1


async def test_a_caller_who_is_cancelled_takes_nothing_back(store, owner: TaskOwner) -> None:
    await store.commit(ANN, NewUser("e1"))
    for steps in range(8):
        waiting = owner.spawn(_commit(store), name="commit")
        for _ in range(steps):
            await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
    await store.commit(ANN)
    assert len(await seqs(store)) >= 7


async def _commit(store: PostgresStateStore) -> int:
    return await store.commit(ANN, an_event())


async def test_while_the_database_is_away_writes_are_refused_and_what_was_recorded_comes_after(
    owner: TaskOwner, listener
) -> None:
    with serving(durable=True) as server:
        store = PostgresStateStore(server.new_database(), owner.spawn)
        await store.open(listener)
        await store.commit(ANN, NewUser("e1"), an_event("before"))
        server.kill()
        store.record(ANN, an_event("meanwhile"))
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, an_event("refused"))
        with pytest.raises(StoreUnavailable):
            await store.position("ann")
        server.start()
        while True:
            try:
                await store.commit(ANN, an_event("after"))
                break
            except StoreUnavailable:
                continue
        events = (await store.events_after("ann", 0, limit=100)).events
        texts = [each.frame.partition(b'"text":"')[2].partition(b'"')[0].decode() for each in events]
        assert sorted(texts) == ["after", "before", "meanwhile"]
        await store.close()


# --- opening --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://someone:S3CRET@127.0.0.1:1/nothing",
        "postgresql://someone:S3CRET@/nothing?host=/nowhere",
        "nonsense S3CRET",
    ],
)
async def test_an_address_where_no_database_answers_is_refused_without_its_password(
    owner: TaskOwner, address: str, postgres: Server
) -> None:
    store = PostgresStateStore(address, owner.spawn)
    with pytest.raises(StoreUnavailable, match="DETOUR_POSTGRES") as refused:
        await store.open(lambda _user_id, _events: None)
    assert "S3CRET" not in str(refused.value)


# --- what PostgreSQL's text has not ----------------------------------------------------------------------


def test_a_key_is_read_as_it_was_kept() -> None:
    for text in ("ann", "a\0b", "\\", "\\0", "\0\\0\\\\", "a\\\0"):
        assert from_key(key(text)) == text
        assert "\0" not in key(text)
    assert len({key(text) for text in ("\0", "\\0", "\\\\0", "0")}) == 4


async def test_names_and_texts_may_hold_any_character(store) -> None:
    odd = "a\0\\0 ü"
    lease = Lease(odd)
    found = PartialBatch.of(odd, [odd], source=odd)
    await store.commit(
        lease,
        NewUser("e1"),
        a_task(odd, message=odd),
        SavedPartial(1, 0, found, odd),
        SavedProgress(1, odd, AgentProgress(state="working", detail=odd)),
        an_event(odd),
    )
    assert await store.unfinished_users() == {odd}
    assert (await store.resumable(odd))[0].message == odd
    assert (await store.get_partials(odd, 1))[0].found == found
    assert (await store.get_progress(odd, 1))[odd].detail == odd
    assert await seqs(store, odd) == [1]


async def test_statements_of_one_read_see_the_state_of_one_instant(
    address: str, store: PostgresStateStore
) -> None:
    await store.commit(ANN, NewUser("e"), a_task())
    count = "SELECT count(*) FROM detour.tasks WHERE user_id = $1"

    def twice() -> Read[list[int]]:
        before = one((yield count, ("ann",)))
        with ThreadPoolExecutor() as elsewhere:
            elsewhere.submit(asyncio.run, sql(address, "DELETE FROM detour.tasks")).result()
        return [before, one((yield count, ("ann",)))]

    assert await store.run_read("ann", twice, at_one_instant=True) == [1, 1]
    assert await store.get_task_metadata("ann", a_task().task_id) is None


# --- jobs that take turns on a connection --------------------------------------------------------------


async def answer(connection: Connection) -> int:
    return await connection.fetchval("SELECT 1")


@pytest.mark.postgres
async def test_what_comes_while_it_is_being_closed_is_refused(address: str, owner: TaskOwner) -> None:
    async def connect() -> Connection:
        return await asyncpg.connect(address)

    lane = Lane(connect, owner.spawn, name="lane")
    assert await lane.post(answer) == 1
    before = lane.post(answer)
    closing = asyncio.gather(lane.close())
    await asyncio.sleep(0)
    with pytest.raises(StoreUnavailable):
        async with asyncio.timeout(20):
            await lane.post(answer)
    await closing
    assert await before == 1
