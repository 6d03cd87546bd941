"""A data file gets the migrations that it lacks, one after the other, each whole or not at all."""

from pathlib import Path

import apsw
import pytest

from backend.store.migration_files import Migration
from backend.store.sqlite.file import MIGRATIONS, SCHEMA_VERSION, create_schema
from tests.contract.test_old_data_files import DATA_FILES, restore

pytestmark = pytest.mark.requirement("MIGRATIONS-WHOLE")

NEXT, ONE_MORE = SCHEMA_VERSION + 1, SCHEMA_VERSION + 2
LIKED = Migration(NEXT, "liked", "CREATE TABLE liked (user_id TEXT);")
HALF = Migration(ONE_MORE, "half", "CREATE TABLE half (user_id TEXT); CREATE TABLE liked (user_id TEXT);")


def shape(connection: apsw.Connection) -> set[object]:
    """What the tables look like, but for how their statements are written."""
    query = "SELECT m.name, c.name, c.type, c.pk FROM sqlite_schema m JOIN pragma_table_info(m.name) c"
    indices = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql NOT NULL")
    return {row for row in connection.execute(query) if row[0] != "identity"} | {*indices}


def applied(connection: apsw.Connection) -> list[object]:
    return [*connection.execute("SELECT number, name FROM migrations ORDER BY number")]


@pytest.mark.parametrize("data_file", DATA_FILES, ids=lambda path: path.stem)
def test_a_file_of_every_version_becomes_what_a_new_one_is(data_file: Path, tmp_path: Path) -> None:
    restore(data_file, tmp_path / "old.sqlite")
    old, new = apsw.Connection(str(tmp_path / "old.sqlite")), apsw.Connection(str(tmp_path / "new.sqlite"))
    for connection in (old, new):
        create_schema(connection)
    assert shape(old) == shape(new)
    assert applied(old) == applied(new) == [(each.number, each.name) for each in MIGRATIONS]


def test_numbers_follow_each_other() -> None:
    numbers = [each.number for each in MIGRATIONS]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))


def test_only_what_is_missing_is_applied(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    create_schema(connection, (*MIGRATIONS, LIKED))
    create_schema(connection, (*MIGRATIONS, LIKED))  # once more would fail: the table is there
    assert applied(connection)[-1] == (NEXT, "liked")
    assert connection.pragma("user_version") == NEXT


def test_a_migration_that_fails_leaves_nothing_of_itself(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    with pytest.raises(apsw.SQLError, match="already exists"):
        create_schema(connection, (*MIGRATIONS, LIKED, HALF))
    assert connection.pragma("user_version") == NEXT
    assert applied(connection)[-1] == (NEXT, "liked")
    assert not connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get
    with pytest.raises(apsw.SchemaChangeError, match=f"has version {NEXT}, this program reads 2 to"):
        create_schema(connection)


def test_a_start_without_anything_new_writes_nothing(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    before = connection.pragma("data_version"), connection.total_changes()
    log = (tmp_path / "detour.sqlite-wal").stat().st_size
    create_schema(connection)
    assert (connection.pragma("data_version"), connection.total_changes()) == before
    assert (tmp_path / "detour.sqlite-wal").stat().st_size == log
