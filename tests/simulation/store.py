"""The store of a replica over the model: its writing is the real one, and so is the order of its reads."""

from collections.abc import Callable
from typing import Any
from zlib import crc32

from backend.store.postgres.database import Connection, Database
from backend.store.postgres.store import PostgresStateStore
from backend.store.postgres.writing import WriteLane
from tests.simulation.links import Link

OF_ALL = ("inputs_due", "unfinished_users")
OF_A_USER = (
    "position", "standing", "history", "snapshot", "get_messages", "get_task_metadata",
    "recent_tasks", "get_partials", "get_progress", "get_receipt", "get_acceptance",
    "get_interrupted_contexts", "get_interrupted_context", "get_input", "get_inputs", "get_checkpoint",
    "get_tool_calls", "unsettled_tool_calls", "get_model_steps", "events_after", "news_after",
    "resumable",
    "get_thread_step", "get_thread_steps", "get_saved_thread",
)  # fmt: skip


class ModelDatabase(Database):
    """The database at the other end of a link."""

    def __init__(self, link: Link) -> None:
        super().__init__("")
        self.link = link

    async def _connect(self, _address: str, _statements_kept: int) -> Connection:
        connection = await self.link.connect()
        await self.learn_timeline(connection)
        return connection


class ModelStore(PostgresStateStore):
    """`PostgresStateStore`, but that its connections are a link's, and that it reads from the model."""

    database: ModelDatabase

    def __init__(self, link: Link, spawn: Any) -> None:
        super().__init__("", spawn, keep_events=1_000_000)
        self.database = ModelDatabase(link)

    def _writer_of(self, user_id: str) -> WriteLane:
        # The same in each run: a seed is to tell all.
        writers = self._open_writers()
        return writers[crc32(user_id.encode()) % len(writers)]


def _reads(name: str, *, of_all: bool) -> Callable[..., Any]:
    async def read(store: ModelStore, *values: Any, **named: Any) -> Any:
        documents = store.database.link.server.database.documents

        def look() -> Any:
            return _now(getattr(documents, name)(*values, **named))

        return await store._read(None if of_all else values[0], lambda at: at.read(look))

    return read


def _now(work: Any) -> Any:
    """Run a coroutine that waits for nothing."""
    try:
        work.send(None)
    except StopIteration as done:
        return done.value
    raise AssertionError("the model waits")


for _name in (*OF_ALL, *OF_A_USER):
    setattr(ModelStore, _name, _reads(_name, of_all=_name in OF_ALL))
