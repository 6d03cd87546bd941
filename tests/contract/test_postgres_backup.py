"""A database is dumped while it is written to, and restored as another one."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from backend.log.state_store.postgres.store import PostgresStateStore
from backend.log.state_store.records import NewUser
from backend.tasks.task_owner import TaskOwner
from tests.postgres import Server, as_owner
from tests.records import ANN, a_message, an_event


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
async def owner() -> AsyncIterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    await owner.finish(grace_s=5)


@pytest.mark.requirement("BACKUP-WHILE-SERVING")
async def test_a_dump_is_of_one_instant_and_begins_new_epochs_where_it_is_restored(
    postgres: Server, address: str, owner: TaskOwner, listener
) -> None:
    store = PostgresStateStore(address, owner.spawn)
    await store.open(listener)
    await store.commit(ANN, NewUser(await store.new_epoch("ann")))
    before, promised = await store.position("ann"), await store.new_epoch("bob")
    dump, restored_address = str(postgres.folder / "detour.dump"), postgres.empty_database()
    # As docs/data.md tells.
    command = ("pg_dump", "--format=custom", "--schema=detour", f"--file={dump}", as_owner(address))
    dumping = asyncio.get_running_loop().run_in_executor(None, postgres.run, *command)
    written = 0
    while not dumping.done():
        # Together: whoever reads one of both reads the other.
        written = await store.commit(ANN, a_message(position=written), an_event())
    await dumping
    postgres.run("pg_restore", "--exit-on-error", f"--dbname={restored_address}", dump)
    await store.close()
    restored = PostgresStateStore(restored_address, owner.spawn)
    await restored.open(listener)
    after = await restored.position("ann")
    assert after.epoch != before.epoch
    assert after.seq <= written
    assert await restored.new_epoch("bob") != promised
    dumped = tuple(a_message(position=position) for position in range(after.seq))
    assert await restored.get_messages("ann", limit=written) == dumped
    assert await restored.commit(ANN, an_event()) == after.seq + 1
    assert (await restored.position("ann")).epoch == after.epoch
    await restored.close()


async def test_an_epoch_stays_as_long_as_the_tables_do(address, owner: TaskOwner, listener) -> None:
    epochs: set[str] = set()
    for _ in range(2):
        store = PostgresStateStore(address, owner.spawn)
        await store.open(listener)
        epoch = await store.new_epoch("ann")
        await store.commit(ANN, NewUser(epoch), an_event())
        epochs |= {epoch, (await store.position("ann")).epoch}
        await store.close()
    assert len(epochs) == 1
