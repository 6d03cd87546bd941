"""Files that were deleted, damaged, restored or locked, and a disk without room."""

import os
import resource
import shutil
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import apsw
import pytest
from structlog.testing import capture_logs

from backend.domain.encoding import system_clock
from backend.domain.errors import StoreUnavailable
from backend.store.ownership import Lease
from backend.store.records import NewUser, UserPosition
from backend.store.sqlite import file as sqlite_opening
from backend.store.sqlite.erasure import INDEX_LEAF, TABLE_LEAF
from backend.store.sqlite.store import SqliteStateStore
from tests.api.live import running
from tests.contract.reading import as_if_never_copied
from tests.fakes.waiting import until
from tests.records import ANN, AT, a_message, a_task, a_thread, a_tool_call, an_event, an_input

PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "data" / "detour.sqlite"


async def opened(path: Path) -> SqliteStateStore:
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    return store


async def with_messages(path: Path, messages: int) -> SqliteStateStore:
    store = await opened(path)
    await store.commit(ANN, NewUser(await store.new_epoch("ann")), an_event())
    for position in range(messages):
        await store.commit(ANN, a_message(position=position, text="x" * 900), an_event())
    return store


async def where(store: SqliteStateStore) -> UserPosition:
    position = await store.position("ann")
    assert position is not None
    return position


async def killed(path: Path, messages: int) -> Path:
    """Return a folder as a kill leaves it: the log is not in the file yet."""
    store = await with_messages(path, messages)
    # The mark is written after the caller is told.
    await until(lambda: int(path.with_suffix(".mark").read_text().split()[1]) >= messages + 1)
    left = path.parent.parent / "left"
    shutil.copytree(path.parent, left)
    await store.close()
    as_if_never_copied(left / "detour.mark")
    return left / path.name


# --- a file that is gone ---------------------------------------------------------------------------------


@pytest.mark.requirement("A-503-ACCEPTED-NOTHING")
@pytest.mark.parametrize("replaced", [False, True])
async def test_nothing_is_accepted_into_a_file_that_was_deleted_or_replaced(
    path: Path, replaced: bool
) -> None:
    store = await with_messages(path, 1)
    remove(path, replace=replaced)
    for _ in range(2):
        with pytest.raises(
            StoreUnavailable, match=r"detour\.sqlite was deleted or replaced .* restart it\.$"
        ):
            await store.commit(ANN, a_message(position=2))
        with pytest.raises(StoreUnavailable, match="was deleted or replaced"):
            await store.check()
    assert len(await store.get_messages("ann", limit=10)) == 1
    await store.close()


async def test_deleting_every_other_file_lets_no_second_server_in(path: Path) -> None:
    store = await with_messages(path, 1)
    for file in path.parent.iterdir():
        if file != path and file.suffix not in (".sqlite-wal", ".sqlite-shm"):
            file.unlink()
    with pytest.raises(StoreUnavailable, match="Another server has"):
        await opened(path)
    await store.close()
    await (await opened(path)).close()


def remove(path: Path, *, replace: bool) -> None:
    path.unlink()
    if replace:
        path.touch()


# --- damage ----------------------------------------------------------------------------------------------


def overwritten(at: int, size: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(b"\xa5" * size)

    return damage


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def swapped(path: Path) -> None:
    """Put a page of a table and one of an index in each other's place; which ones depends on the tables."""
    data = path.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    kinds = [page[0] for page in pages[1:]]
    first, second = kinds.index(TABLE_LEAF) + 1, kinds.index(INDEX_LEAF) + 1
    pages[first], pages[second] = pages[second], pages[first]
    path.write_bytes(b"".join(pages))


def header_of_each_page(path: Path) -> None:
    data = bytearray(path.read_bytes())
    for at in range(PAGE, len(data), PAGE):
        data[at : at + 8] = bytes(8)
    path.write_bytes(data)


def content(path: Path) -> bytes:
    return path.read_bytes()


DAMAGE = {
    "the header": overwritten(0, 16),
    "the schema": overwritten(100, 300),
    "a page in the middle": overwritten(20 * PAGE, PAGE),
    "part of a page": overwritten(20 * PAGE, 64),
    "half of the file": cut(20 * PAGE),
    "part of a page is missing": cut(20 * PAGE + 100),
    "two pages": swapped,
    "the header of each page": header_of_each_page,
}


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
@pytest.mark.parametrize("kind", DAMAGE)
async def test_a_damaged_file_is_refused_in_a_sentence_and_left_as_it_is(path: Path, kind: str) -> None:
    await (await with_messages(path, 100)).close()
    assert len(content(path)) > 40 * PAGE
    DAMAGE[kind](path)
    damaged = content(path)
    for _ in range(2):
        with pytest.raises(StoreUnavailable) as refused:
            await opened(path)
        assert str(refused.value).startswith(str(path))
        assert str(refused.value).endswith(".")
        assert "\n" not in str(refused.value)
    assert content(path) == damaged


@pytest.mark.requirement("PLAIN-REFUSAL-TO-START")
async def test_an_empty_file_with_a_log_is_refused_and_the_log_is_kept(path: Path) -> None:
    left = await killed(path, 10)
    os.truncate(left, 0)
    log = left.with_name("detour.sqlite-wal").read_bytes()
    with pytest.raises(StoreUnavailable, match=r"is damaged: it is empty, but detour\.sqlite-wal is not"):
        await opened(left)
    assert left.with_name("detour.sqlite-wal").read_bytes() == log


async def test_a_file_that_takes_long_to_check_is_opened_all_the_same(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await (await with_messages(path, 300)).close()
    monkeypatch.setattr(sqlite_opening, "CHECK_S", -1)
    monkeypatch.setattr(sqlite_opening, "_CHECKS_OF_THE_TIME", 1)
    with capture_logs() as logs:
        store = await opened(path)
    assert [each["event"] for each in logs] == [
        "the data file is too large to be checked for damage at the start"
    ]
    assert len(await store.get_messages("ann", limit=1000)) == 300
    await store.close()


# --- an older state in its place ---------------------------------------------------------------------------


async def test_after_a_kill_a_file_keeps_its_epochs_also_those_that_are_only_promised(path: Path) -> None:
    left = await killed(path, 10)
    store = await opened(path)
    epoch, promised = (await where(store)).epoch, await store.new_epoch("bob")
    await store.close()
    for _ in range(2):
        with capture_logs() as logs:
            store = await opened(left)
        assert logs == []
        assert (await where(store)).epoch == epoch
        assert await store.new_epoch("bob") == promised
        await store.close()


async def test_a_log_that_was_cut_is_said_and_begins_new_epochs(path: Path) -> None:
    left = await killed(path, 10)
    log = left.with_name("detour.sqlite-wal")
    os.truncate(log, log.stat().st_size - PAGE)
    await begins_anew(left, "it lacks the last 1 of the writes that were acknowledged")


async def begins_anew(path: Path, reason: str) -> None:
    with capture_logs() as logs:
        store = await opened(path)
    assert [each["reason"] for each in logs] == [reason.format(path.with_suffix(".mark"))]
    epochs = {(await where(store)).epoch, await store.new_epoch("ann")}
    await store.close()
    with capture_logs() as logs:
        store = await opened(path)
    assert logs == []
    assert {(await where(store)).epoch, await store.new_epoch("ann")} == epochs
    await store.close()


@pytest.mark.requirement("NUMBERS-HAVE-NO-HOLES")
@pytest.mark.parametrize("how", ["file alone", "file elsewhere", "folder", "folder without times"])
async def test_a_backup_that_was_restored_begins_new_epochs(path: Path, how: str) -> None:
    # A plain copy is known by the time that the mark holds, here one long ago.
    store = SqliteStateStore(path, clock=(lambda: AT) if how == "folder without times" else system_clock)
    await store.open(lambda _user_id, _events: None)
    await store.commit(ANN, NewUser("e1"), an_event())
    await store.close()
    backup = path.parent.parent / "backup"
    shutil.copytree(path.parent, backup)
    store = await with_messages(path, 3)
    before = {(await where(store)).epoch, await store.new_epoch("ann")}
    await store.close()
    mark = path.with_suffix(".mark")
    match how:
        case "file alone":
            shutil.copy(backup / path.name, path)
            reason = "it lacks the last 4 of the writes that were acknowledged"
        case "file elsewhere":
            path = path.parent.parent / "elsewhere" / path.name
            path.parent.mkdir()
            shutil.copy(backup / "detour.sqlite", path)
            reason = "there is no mark of it in {}"
        case "folder":
            shutil.copytree(backup, path.parent, dirs_exist_ok=True)
            hours_ago = mark.stat().st_mtime - 7200
            mark.write_text(f"{' '.join(mark.read_text().split()[:2])} {hours_ago:.3f}\n")
            os.utime(mark, (hours_ago, hours_ago))
            reason = "{} was copied or restored"
        case _:
            shutil.copytree(backup, path.parent, dirs_exist_ok=True, copy_function=shutil.copyfile)
            reason = "{} was copied or restored"
    await begins_anew(path, reason)
    store = await opened(path)
    assert not before & {(await where(store)).epoch, await store.new_epoch("ann")}
    await store.close()


async def test_who_comes_back_after_a_deletion_has_an_epoch_that_was_never_used(path: Path) -> None:
    store = await opened(path)
    epochs = [await store.new_epoch("ann")]
    for _ in range(3):
        await store.commit(ANN, NewUser(epochs[-1]), an_event())
        await store.delete_user(ANN)
        epochs.append(await store.new_epoch("ann"))
    await store.close()
    store = await opened(path)
    assert await store.new_epoch("ann") == epochs[-1]
    assert len(set(epochs)) == 4
    await store.close()


# --- no room ---------------------------------------------------------------------------------------------


@contextmanager
def no_file_grows(limit: int) -> Generator[None, None, None]:
    """Let no file of this process grow beyond a size, which is a full disk to SQLite."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.requirement("A-FULL-DISK-IS-SURVIVED")
async def test_on_a_full_disk_all_that_was_accepted_can_be_read(path: Path) -> None:
    store = await opened(path)
    await store.commit(ANN, NewUser("e1"), a_message(text="first"), an_event())
    log = path.with_name("detour.sqlite-wal")
    with no_file_grows(log.stat().st_size):
        for _ in range(3):
            assert [each.text for each in await store.get_messages("ann", limit=10)] == ["first"]
            assert (await where(store)).seq == 1
        with pytest.raises(StoreUnavailable):
            await store.commit(ANN, a_message(position=2, text="x" * 500_000))
    assert len(await store.get_messages("ann", limit=10)) == 1
    await store.commit(ANN, a_message(position=2))
    assert len(await store.get_messages("ann", limit=10)) == 2
    await store.close()


@pytest.mark.requirement("A-FULL-DISK-IS-SURVIVED", "PLAIN-REFUSAL-TO-START")
async def test_a_start_on_a_full_disk_says_so(path: Path) -> None:
    left = await killed(path, 10)
    room = no_file_grows(left.with_name("detour.sqlite-wal").stat().st_size)
    with room, pytest.raises(StoreUnavailable) as refused:
        await opened(left)
    assert str(refused.value) == f"The disk is full: {left} cannot be opened until there is room on it."
    store = await opened(left)
    assert len(await store.get_messages("ann", limit=100)) == 10
    await store.close()


# --- a record that is damaged, or of a later version ---------------------------------------------------


DAMAGED = [b"{", b"\xff", b"[]", b'{"user_id": "ann"}', b""]
LATER = AT + timedelta(days=30)


def damage(path: Path, table: str, document: bytes) -> None:
    connection = apsw.Connection(str(path))
    connection.execute(f"UPDATE {table} SET document = ? WHERE user_id = 'ann'", (document,))
    assert connection.changes() == 1
    connection.close()


async def reopened(folder: Path, table: str, document: bytes) -> SqliteStateStore:
    """Return a store of two users with a record of each kind, of which one of Ann's is damaged."""
    path = folder / "detour.sqlite"
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    for user_id in ("ann", "bob"):
        records: list[Any] = [
            a_task(user_id),
            an_event(),
            an_input(user_id),
            a_tool_call(user_id, effect="write", state="running"),
            a_thread(user_id),
        ]
        await store.commit(Lease(user_id), NewUser("e1"), *records)
    await store.close()
    damage(path, table, document)
    store = SqliteStateStore(path)
    await store.open(lambda _user_id, _events: None)
    return store


async def of_both(read: Callable[[str], Any]) -> list[Any]:
    return [*await read("ann"), *await read("bob")]


@pytest.mark.parametrize("document", DAMAGED)
@pytest.mark.parametrize(
    ("table", "read"),
    [
        ("tasks", lambda store: of_both(store.resumable)),
        ("inputs", lambda store: store.inputs_due(LATER)),
        ("tool_calls", lambda store: of_both(store.unsettled_tool_calls)),
        ("threads", lambda store: store.find_threads(limit=10)),
    ],
)
async def test_a_damaged_record_is_left_out_of_what_is_read_when_a_server_starts(
    tmp_path: Path, table: str, read: Callable[[SqliteStateStore], Any], document: bytes
) -> None:
    store = await reopened(tmp_path, table, document)
    assert [each.user_id for each in await read(store)] == ["bob"]
    await store.close()


async def test_a_damaged_thread_of_the_index_is_none_and_may_be_written_anew(tmp_path: Path) -> None:
    store = await reopened(tmp_path, "threads", b"{")
    assert await store.get_saved_thread("ann") is None
    await store.commit(ANN, a_thread("ann", 3))
    assert await store.get_saved_thread("ann") == a_thread("ann", 3)
    await store.close()


async def test_a_server_starts_without_what_is_damaged_and_serves_the_other_users(tmp_path: Path) -> None:
    async with running(tmp_path, store="sqlite") as api:
        assert (await api.call("POST", "/threads", json={"thread_id": "ann"})).status_code == 200
        await api.chat("ann", "hold")
        await api.chat_to_end("bob", "find 1")
    path = tmp_path / "detour.sqlite"
    for table in ("tasks", "threads"):
        damage(path, table, b"{")
    async with running(tmp_path, store="sqlite") as api:
        assert (await api.status("bob"))["status"] == "completed"
        await api.chat_to_end("bob", "find 1")
        assert (await api.call("POST", "/threads/search", json={})).json() == []
