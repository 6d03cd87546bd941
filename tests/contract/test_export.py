"""An export has everything that is stored of a user, of one instant, the same from every store."""

import asyncio
import re
from contextlib import aclosing
from dataclasses import fields
from datetime import timedelta

import apsw
import pytest
from structlog.testing import capture_logs

from backend.domain.context import InterruptedContext
from backend.domain.errors import StoreUnavailable
from backend.domain.model_usage import ModelStep
from backend.domain.questions import InputRequest
from backend.domain.task import AgentProgress, Message, Task
from backend.domain.tool_call import ToolCall
from backend.store.export import EXPORTED_TABLES
from backend.store.postgres.store import PostgresStateStore
from backend.store.records import Acceptance, Checkpoint, NewUser, SavedProgress, SavedReceipt
from backend.store.sqlite import export as sqlite_export
from backend.store.sqlite.file import TABLES_OF_USERS
from backend.store.sqlite.memory import MemoryStateStore
from backend.store.sqlite.store import SqliteStateStore
from backend.store.sqlite.writing import Writer
from backend.store.threads import SavedThread
from backend.tasks.task_owner import TaskOwner
from tests.cluster.conftest import sql
from tests.contract.reading import exported
from tests.conventions import ROOT
from tests.fakes.waiting import until
from tests.records import (
    ANN,
    AT,
    BOB,
    a_context,
    a_message,
    a_model_step,
    a_partial,
    a_task,
    a_thread_step,
    a_tool_call,
    an_event,
    an_input,
)

pytestmark = pytest.mark.requirement("EXPORT-HAS-EVERYTHING")

ONE_OF_EACH = (
    NewUser("an epoch"),
    a_task(),
    a_message(text="A\\B\0C"),
    a_message(position=1),
    an_event(),
    a_partial(1, 0, {"price": 1.5}),
    SavedProgress(1, "flight", AgentProgress(state="done", detail="", count=1, since=AT, request={"a": 1})),
    SavedReceipt(1, "ann-1", b'{"kept":[]}'),
    a_context(),
    Acceptance("a\\b\0c", b'{"task_id":"ann-1"}'),
    an_input(),
    Checkpoint(1, b"\xff\0", resting=True),
    a_tool_call(),
    a_model_step(),
    a_thread_step(1, b"\xffpiece"),
    SavedThread(user_id="ann", created_at=AT, updated_at=AT + timedelta(hours=1), metadata={"a": "b"}),
)


async def test_every_table_is_in_it(store):
    assert await store.give_to("a person", "ann", AT) == "a person"
    await store.commit(ANN, *ONE_OF_EACH)
    await store.commit(BOB, NewUser("another"), a_message("bob"))
    tables = [table for table, _ in await exported(store, "ann")]
    assert set(tables) == set(TABLES_OF_USERS) == set(EXPORTED_TABLES)
    assert tables == sorted(tables, key=EXPORTED_TABLES.index)


async def test_every_store_gives_the_same(store):
    memory = MemoryStateStore()
    for each in (store, memory):
        await each.give_to("a person", "ann", AT)
        await each.commit(ANN, *ONE_OF_EACH)
    assert await exported(store, "ann") == await exported(memory, "ann")


async def test_it_tells_what_was_stored(store):
    await store.commit(ANN, *ONE_OF_EACH)
    entries = dict(await exported(store, "ann"))
    assert entries["users"] == {"epoch": "an epoch", "seq": 1, "turn": 1}
    assert entries["events"]["seq"] == 1
    assert entries["partials"]["items"] == [{"price": 1.5}]
    assert entries["contexts"]["partial_results"] == {"flight": [{"price": 1.5}], "hotel": []}
    assert entries["receipts"] == {"task_id": "ann-1", "receipt": {"kept": []}}
    assert entries["acceptances"] == {"client_id": "a\\b\0c", "seq": 1, "answer": {"task_id": "ann-1"}}
    assert entries["checkpoints"] == {"turn": 1, "resting": True, "body": "/wA="}
    assert entries["agents"]["request"] == {"a": 1}
    assert entries["thread_pieces"]["body"] == "/3BpZWNl"
    assert entries["threads"]["metadata"] == {"a": "b"}


@pytest.mark.parametrize(
    ("table", "record"),
    [
        ("messages", Message),
        ("tasks", Task),
        ("tool_calls", ToolCall),
        ("inputs", InputRequest),
        ("model_steps", ModelStep),
        ("contexts", InterruptedContext),
        ("threads", SavedThread),
    ],
)
def test_each_field_of_a_record_is_told_of(table, record):
    page = (ROOT / "docs" / "data.md").read_text("utf-8").partition("## Export")[2]
    (row,) = (line for line in page.splitlines() if line.startswith(f"| `{table}` |"))
    assert set(re.findall(r"`(\w+)`", row)) == {table} | {each.name for each in fields(record)}


async def test_of_a_user_nobody_knows_it_is_empty(store):
    assert await exported(store, "ann") == []


async def test_a_thread_that_waits_for_its_first_message_is_in_it(store):
    await store.commit(ANN, SavedThread(user_id="ann", created_at=AT, updated_at=AT))
    assert [table for table, _ in await exported(store, "ann")] == ["threads"]


async def test_it_is_of_one_instant_though_messages_come_and_others_go(store, monkeypatch):
    monkeypatch.setattr(sqlite_export, "SLICE_BYTES", 1)
    await store.commit(ANN, NewUser("e"), *(a_message(position=each) for each in range(20)), a_task())
    async with aclosing(store.export("ann")) as entries:
        found = [await anext(entries)]
        await store.commit(ANN, a_message(position=20), a_task(message="changed"), an_event())
        await store.delete_user(BOB)
        found += [each async for each in entries]
    assert [each.table for each in found] == ["users", *["messages"] * 20, "tasks"]
    assert b"changed" not in found[-1].entry
    assert len(await exported(store, "ann")) == 24


async def test_the_file_is_let_go_whether_or_not_it_is_read_to_the_end(store):
    await store.commit(ANN, *ONE_OF_EACH)
    async with aclosing(store.export("ann")) as entries:
        await anext(entries)
    await store.delete_user(ANN)
    assert await exported(store, "ann") == []


async def test_a_store_that_is_closed_refuses(store):
    await store.close()
    with pytest.raises(StoreUnavailable):
        await exported(store, "ann")


async def test_nothing_is_left_out_on_a_full_disk_but_all_refused(tmp_path, listener, monkeypatch):
    """The last rows are then in the memory of one connection alone, and an export has another."""

    def full(_writer: Writer) -> None:
        raise apsw.FullError("database or disk is full")

    store = SqliteStateStore(tmp_path / "detour.db")
    await store.open(listener)
    with monkeypatch.context() as patched:
        patched.setattr(Writer, "apply", full)
        await store.commit(ANN, *ONE_OF_EACH)
        assert await store.get_messages("ann", limit=1)
        with pytest.raises(StoreUnavailable, match="while the disk is full"):
            await exported(store, "ann")
    await store.close()


DAMAGE = (
    ("messages", "document", b"{"),
    ("tasks", "document", b"\xff"),
    ("receipts", "body", b'{"kept":'),
    ("tool_calls", "document", b"[]"),
    ("acceptances", "body", b"}"),
    ("model_steps", "document", b""),
    ("contexts", "document", b'{"turn":1}\n{"flight":'),
    ("partials", "found", b"\xc1"),
    ("events", "bodies", b"\x91\xc4\x01{"),
    ("threads", "document", b"nothing"),
)


async def test_rows_that_are_damaged_have_no_entry_and_keep_nothing_else_back(tmp_path, listener):
    path = tmp_path / "detour.db"
    store = SqliteStateStore(path)
    await store.open(listener)
    await store.give_to("a person", "ann", AT)
    await store.commit(ANN, *ONE_OF_EACH)
    whole = await exported(store, "ann")
    await store.close()
    connection = apsw.Connection(str(path))
    for table, column, body in DAMAGE:
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE user_id = 'ann'", (body,))
    connection.execute("UPDATE conversations SET begun_at = 1e300")
    connection.close()
    await store.open(listener)
    with capture_logs() as logs:
        found = await exported(store, "ann")
    await store.close()
    damaged = {table for table, _, _ in DAMAGE} | {"conversations"}
    assert {table for table, entry in found if entry is None} == damaged
    assert [each for each in found if each[0] not in damaged] == [
        each for each in whole if each[0] not in damaged
    ]
    told = [each for each in logs if each["event"] == "a damaged record is left out"]
    assert {each["table"] for each in told} == damaged
    assert all(set(each) == {"event", "log_level", "table", "user_id", "reason"} for each in told)


@pytest.mark.postgres
async def test_a_database_has_no_transaction_left_of_a_reader_who_was_cancelled(address):
    owner = TaskOwner()
    store = PostgresStateStore(address, owner.spawn)
    await store.open(lambda _user_id, _events: None)
    await store.commit(ANN, *ONE_OF_EACH)
    begun = asyncio.Event()

    async def read() -> None:
        async with aclosing(store.export("ann")) as entries:
            async for _ in entries:
                begun.set()
                await asyncio.Event().wait()

    reader = owner.spawn(read(), name="reader")
    await begun.wait()
    reader.cancel()
    await asyncio.wait([reader])
    idle = """SELECT count(*) = 0 FROM pg_stat_activity
    WHERE datname = current_database() AND state = 'idle in transaction'"""
    await until(lambda: sql(address, idle))
    await store.close()
    await owner.finish(grace_s=5)
