"""A database is dumped while it is written to, and restored on another server, as docs/data.md tells."""

import asyncio
import re
import shlex
from collections.abc import AsyncIterator, Iterator

import pytest

from backend.migrate import migrate
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import NewUser
from backend.tasks.task_owner import TaskOwner
from backend.travel.providers.demo.migrations import BOOKINGS
from checks.cluster.postgres import OWNER
from tests.conventions import ROOT
from tests.postgres import SERVER_ROLE, Server, as_owner, serving
from tests.records import ANN, a_message, an_event


@pytest.fixture
def address(postgres: Server) -> str:
    return postgres.new_database()


@pytest.fixture
async def owner() -> AsyncIterator[TaskOwner]:
    owner = TaskOwner()
    yield owner
    await owner.finish(grace_s=5)


@pytest.fixture
def another() -> Iterator[Server]:
    """A server that knows no role but its owner, as a new one does."""
    with serving() as server:
        yield server


def documented() -> list[list[str]]:
    """Return the commands of docs/data.md that dump and restore a database, but for the address to dump."""
    page = (ROOT / "docs/data.md").read_text("utf-8")
    (fence,) = re.findall(r"^```\n(pg_dump .*?)^```", page, re.MULTILINE | re.DOTALL)
    commands = [shlex.split(line) for line in fence.splitlines()]
    assert commands[0].pop() == "postgresql://owner@host/database"
    assert commands.pop()[-4:] == ["-m", "backend.migrate", "--grant", "detour_server"]
    return commands


@pytest.mark.requirement("BACKUP-WHILE-SERVING")
async def test_a_dump_is_of_one_instant_and_begins_new_epochs_where_it_is_restored(
    postgres: Server, address: str, another: Server, owner: TaskOwner, listener
) -> None:
    store = PostgresStateStore(address, owner.spawn)
    await store.open(listener)
    await store.commit(ANN, NewUser(await store.new_epoch("ann")))
    before, promised = await store.position("ann"), await store.new_epoch("bob")
    dump, create, restore = documented()
    dumping = asyncio.get_running_loop().run_in_executor(None, postgres.run, *dump, as_owner(address))
    written = 0
    while not dumping.done():
        # Together: whoever reads one of both reads the other.
        written = await store.commit(ANN, a_message(position=written), an_event())
    await dumping
    await store.close()
    to = (f"--host={another.folder}", f"--username={OWNER}")
    (postgres.folder / "detour.dump").rename(another.folder / "detour.dump")
    another.run(*create, *to)
    another.run(*restore, *to)
    another.sql(f"CREATE ROLE {SERVER_ROLE} LOGIN")
    await migrate(another.address("restored"), [BOOKINGS], grant_to=SERVER_ROLE)
    restored = PostgresStateStore(another.address("restored", SERVER_ROLE), owner.spawn)
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
