"""How the writer uses the disk."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from backend.store.records import Checkpoint, ForgetCheckpoint, NewUser
from backend.store.sqlite.file import DataFile, create_schema
from backend.store.sqlite.writing import Writer
from tests.records import a_message

WAITS_FOR_THE_DISK = 2
"""What `PRAGMA synchronous` reads for FULL."""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[apsw.Connection]:
    connection = apsw.Connection(str(tmp_path / "detour.db"))
    create_schema(connection)
    yield connection
    connection.close()


@pytest.fixture
def writer(connection: apsw.Connection) -> Iterator[Writer]:
    file = DataFile(Path(connection.filename))
    writer = Writer(connection, file, keep_events=100)
    yield writer
    writer.identity.close()
    file.close()


def test_only_putting_rows_into_the_tables_does_not_wait_for_the_disk(
    connection: apsw.Connection, writer: Writer
) -> None:
    seen: list[tuple[str, int]] = []

    def note(cursor: apsw.Cursor, sql: str, bindings: object) -> bool:
        if sql.startswith(("INSERT", "DELETE")):
            seen.append((sql.split()[2], connection.pragma("synchronous")))
        return True

    connection.exec_trace = note
    writer.write([("ann", (NewUser("epoch"), a_message()))])
    writer.apply()
    writer.write([("ann", (a_message(),))])
    connection.exec_trace = None
    waited = {name for name, mode in seen if mode == WAITS_FOR_THE_DISK}
    assert waited == {"journal"}
    assert next(name for name, mode in seen if mode != WAITS_FOR_THE_DISK) == "journal"
    assert connection.pragma("synchronous") == WAITS_FOR_THE_DISK


def test_the_disk_is_waited_for_again_after_rows_could_not_be_put_into_the_tables(
    connection: apsw.Connection, writer: Writer
) -> None:
    writer.write([("ann", (NewUser("epoch"), a_message()))])
    connection.execute("ALTER TABLE messages RENAME TO elsewhere")
    with pytest.raises(apsw.SQLError):
        writer.apply()
    assert connection.pragma("synchronous") == WAITS_FOR_THE_DISK


def test_checkpoint_that_is_forgotten_before_it_is_in_the_tables_leaves_no_row(
    connection: apsw.Connection, writer: Writer
) -> None:
    writer.write([("ann", (NewUser("epoch"), Checkpoint(1, b"one"), Checkpoint(2, b"two")))])
    writer.write([("ann", (ForgetCheckpoint(1), ForgetCheckpoint(2), Checkpoint(2, b"anew")))])
    writer.apply()
    kept = [*connection.execute("SELECT turn FROM checkpoints")]
    assert kept == [(2,)]
