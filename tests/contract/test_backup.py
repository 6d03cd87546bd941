"""A copy of the data file is of one instant, while messages go on being stored, and can be put back."""

import asyncio
import os
import shutil
import stat
import threading
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.records import NewUser
from backend.store.sqlite.file import back_up
from backend.store.sqlite.store import SqliteStateStore
from tests.records import ANN, BOB, a_message, an_event

pytestmark = pytest.mark.requirement("BACKUP-WHILE-SERVING")

WRITTEN_MEANWHILE = 50
BOUND_S = 30
AN_OLDER_COPY = "an older copy"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "detour.sqlite"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return tmp_path / "copy.sqlite"


async def opened(path: Path) -> SqliteStateStore:
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    return store


async def say(store: SqliteStateStore, position: int) -> None:
    """Store a message and an event together: whoever reads one of both reads the other."""
    await store.commit(ANN, a_message(position=position, text="x" * 500), an_event())


async def with_messages(path: Path, count: int) -> SqliteStateStore:
    store = await opened(path)
    await store.commit(ANN, NewUser(await store.new_epoch("ann")))
    for position in range(count):
        await say(store, position)
    return store


async def counted(store: SqliteStateStore) -> tuple[int, int]:
    """Return how many messages there are, and the number of the last event."""
    position = await store.position("ann")
    return len(await store.get_messages("ann", limit=10_000)), position.seq if position else 0


def put_back(copy: Path, path: Path) -> None:
    """Put a copy in the place of the data file, as docs/data.md tells."""
    for each in path.parent.glob(f"{path.name}*"):
        each.unlink()
    shutil.copyfile(copy, path)


def damage(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * (path.stat().st_size - 4096))


def an_older(copy: Path) -> None:
    copy.write_text(AN_OLDER_COPY)


def content(copy: Path) -> str:
    return copy.read_bytes().decode("latin-1")


def alone(copy: Path) -> bool:
    """Whether nothing was left beside the copy."""
    return [each.name for each in copy.parent.iterdir() if each.is_file()] == [copy.name]


@contextmanager
def paused_once() -> Generator[tuple[threading.Event, threading.Event]]:
    """Stop the next reader of a file as it reads: the first event tells so, the second lets it go on."""
    reads, may_go_on = threading.Event(), threading.Event()

    def pause() -> bool:
        reads.set()
        return not may_go_on.wait(BOUND_S)

    def hook(connection: apsw.Connection) -> None:
        if connection.open_flags & apsw.SQLITE_OPEN_READONLY:
            connection.set_progress_handler(pause, 2000)

    apsw.connection_hooks.append(hook)
    try:
        yield reads, may_go_on
    finally:
        may_go_on.set()
        apsw.connection_hooks.remove(hook)


async def test_messages_are_stored_while_a_copy_of_one_instant_is_made(path: Path, copy: Path) -> None:
    store = await with_messages(path, 400)
    await counted(store)  # a read puts everything into the tables, which the copy then reads through
    with paused_once() as (reads, may_go_on):
        copying = asyncio.get_running_loop().run_in_executor(None, back_up, path, copy)
        assert await asyncio.get_running_loop().run_in_executor(None, reads.wait, BOUND_S)
        for position in range(400, 400 + WRITTEN_MEANWHILE):
            await say(store, position)
        assert await counted(store) == (450, 450)
        may_go_on.set()
        await copying
    await store.close()
    restored = await opened(copy)
    assert await counted(restored) == (400, 400)
    await restored.close()


async def test_what_is_in_the_journal_alone_is_copied(path: Path, copy: Path) -> None:
    store = await with_messages(path, 3)
    back_up(path, copy)
    await store.close()
    restored = await opened(copy)
    assert await counted(restored) == (3, 3)
    await restored.close()


async def test_a_copy_that_is_put_back_begins_new_epochs(path: Path, copy: Path) -> None:
    store = await with_messages(path, 3)
    before = await store.position("ann")
    back_up(path, copy)
    await say(store, 3)
    await store.close()
    put_back(copy, path)
    restored = await opened(path)
    after = await restored.position("ann")
    assert before is not None
    assert after is not None
    assert (after.seq, after.epoch == before.epoch) == (3, False)
    await say(restored, 3)
    assert await counted(restored) == (4, 4)
    await restored.close()


async def test_a_server_that_was_killed_is_copied_too(path: Path, copy: Path, tmp_path: Path) -> None:
    store = await with_messages(path, 3)
    killed = tmp_path / "killed"
    killed.mkdir()
    for suffix in ("", "-wal"):
        shutil.copyfile(f"{path}{suffix}", killed / f"detour.sqlite{suffix}")
    await store.close()
    back_up(killed / "detour.sqlite", copy)
    restored = await opened(copy)
    assert await counted(restored) == (3, 3)
    await restored.close()


async def test_what_was_deleted_is_not_in_the_copy(path: Path, copy: Path) -> None:
    store = await opened(path)
    for lease, word in ((ANN, "nightingale"), (BOB, "woodpecker")):
        await store.commit(lease, NewUser("e"), a_message(lease.user_id, text=word))
    await store.delete_user(ANN)
    back_up(path, copy)
    await store.close()
    assert "nightingale" not in content(copy)
    assert "woodpecker" in content(copy)


async def test_a_copy_is_private_and_replaces_the_one_before(path: Path, copy: Path) -> None:
    an_older(copy)
    store = await with_messages(path, 1)
    back_up(path, copy)
    await store.close()
    assert stat.S_IMODE(os.stat(copy).st_mode) == 0o600
    assert content(copy).startswith("SQLite format 3")
    assert alone(copy)


async def test_a_copy_that_fails_leaves_the_one_before(path: Path, copy: Path) -> None:
    store = await with_messages(path, 200)
    await store.close()
    damage(path)
    an_older(copy)
    with pytest.raises(StoreUnavailable, match=r"detour\.sqlite cannot be copied to .*: .*malformed"):
        back_up(path, copy)
    assert content(copy) == AN_OLDER_COPY
    assert alone(copy)


async def test_what_cannot_be_copied_is_said(path: Path, copy: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="There is no data file"):
        back_up(path, copy)
    store = await with_messages(path, 1)
    await store.close()
    with pytest.raises(StoreUnavailable, match="is the data file itself"):
        back_up(path, path)
    with pytest.raises(StoreUnavailable, match="cannot be written: No such file or directory"):
        back_up(path, tmp_path / "nowhere" / "copy.sqlite")
