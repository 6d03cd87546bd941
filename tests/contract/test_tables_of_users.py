"""Every table with rows of users is deleted with them, and told of in docs/data.md."""

import re
from pathlib import Path

import apsw
import asyncpg
import pytest

from backend.store.postgres.store import PostgresStateStore
from backend.store.sqlite.file import TABLES_OF_USERS, create_schema
from backend.tasks.task_owner import TaskOwner
from tests.conventions import ROOT
from tests.postgres import Server

pytestmark = pytest.mark.requirement("DELETE-FORGETS")

KEPT_IN_POSTGRES = {"users", "commands"}
"""What docs/data.md says of them: a row of numbers, and what is gone in ten minutes."""

DELETED_IN_POSTGRES = re.compile(r"ARRAY\[((?:'\w+'[,\s]*)+)\]")


WITH_THE_USER = {"users", "threads", "conversations"}
"""What stays as long as anything of the user does."""

WITH_THEIR_TURN = {
    "tasks", "messages", "partials", "agents", "receipts", "acceptances", "contexts", "inputs",
    "checkpoints", "tool_calls", "model_steps",
}  # fmt: skip
BUT_FOR_THE_LAST = {"events", "thread_steps", "thread_pieces"}


@pytest.mark.requirement("AGED-TURNS-GO")
def test_of_each_table_it_is_told_when_its_rows_are_dropped_for_their_age() -> None:
    """`test_retention.py` holds every store to it."""
    page = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Retention")[0]
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| `")]
    when = {name: row[4].strip() for row in rows for name in re.findall(r"`(\w+)`", row[1])}
    assert {name for name, told in when.items() if told == "the user"} == WITH_THE_USER
    assert {name for name, told in when.items() if told.startswith("its turn")} == WITH_THEIR_TURN
    assert {name for name, told in when.items() if told.endswith("but for the last")} == BUT_FOR_THE_LAST
    assert set(TABLES_OF_USERS) == WITH_THE_USER | WITH_THEIR_TURN | BUT_FOR_THE_LAST


def told() -> set[str]:
    """The tables in the first table of docs/data.md."""
    page = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Deletion")[0]
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_each_table_of_a_data_file_is_deleted_and_told_of(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "detour.sqlite"))
    create_schema(connection)
    of_users = connection.execute(
        "SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND c.name = 'user_id'"
    )
    assert {name for (name,) in of_users} == set(TABLES_OF_USERS) == told()


async def test_each_table_of_a_database_is_deleted_or_told_of(postgres: Server) -> None:
    address, owner = postgres.new_database(), TaskOwner()
    store = PostgresStateStore(address, owner.spawn)
    await store.open(lambda _user_id, _events: None)
    await store.close()
    await owner.finish(grace_s=5)
    connection = await asyncpg.connect(address)
    try:
        tables = await connection.fetch(
            "SELECT c.table_name FROM information_schema.columns c JOIN information_schema.tables t"
            " USING (table_schema, table_name) WHERE table_schema = 'detour' AND table_type = 'BASE TABLE'"
            " AND c.column_name = 'user_id'"
        )
        deletion = await connection.fetchval("SELECT prosrc FROM pg_proc WHERE proname = 'delete_user'")
    finally:
        await connection.close()
    deleted = set(re.findall(r"'(\w+)'", DELETED_IN_POSTGRES.search(deletion)[1]))
    assert {row[0] for row in tables} == deleted | KEPT_IN_POSTGRES
    assert deleted | {"users"} == told()


def test_what_outlives_a_deletion_is_told_of() -> None:
    stays = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Deletion")[2].partition("\n## ")[0]
    assert {name for name in KEPT_IN_POSTGRES | {"buckets"} if f"`{name}`" not in stays} == set()
