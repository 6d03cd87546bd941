"""Chooses the store that the settings name, and what makes a replica where several servers share a database.

Each is imported when it is asked for: most servers keep a SQLite file, and need no driver of PostgreSQL.
"""

import importlib
from typing import TYPE_CHECKING, Any

from .conversation.agent_manager import AgentManager
from .log.state_store.base import StateStore
from .serving.data_folder import data_file
from .serving.plugin import Database
from .serving.settings import Settings
from .tasks.task_owner import TaskOwner

if TYPE_CHECKING:
    from .replica import Replica


def store_of(settings: Settings, owner: TaskOwner) -> StateStore:
    """Return the store that the settings name, not open yet; `owner` holds its asyncio tasks."""
    if settings.postgres is not None:
        return _module("replica").postgres_store(settings, settings.postgres.get_secret_value(), owner)
    if settings.store == "memory":
        return _module("log.state_store.memory").MemoryStateStore(keep_events=settings.events_kept)
    path = data_file(settings.data_dir)
    return _module("log.state_store.sqlite").SqliteStateStore(path, keep_events=settings.events_kept)


def replica_of(settings: Settings, store: Any, owner: TaskOwner) -> "Replica | None":
    """Return what makes the server with this store a replica; None for one that has a store of its own."""
    if settings.postgres is None:
        return None
    polls = settings.hints == "poll"
    return _module("replica").Replica(
        store, owner, name=settings.replica, lease_s=settings.lease_s, polls=polls
    )


def manager_class(settings: Settings) -> Any:
    """Return the class of the entry to the core: `AgentManager`, or that of a replica, which is one."""
    return AgentManager if settings.postgres is None else _module("conversation.forwarding").ForwardingManager


def database_of(settings: Settings, store: Any) -> Database | None:
    """Return the database that a plugin may use beside the store; None where the store is none."""
    return store if settings.postgres is not None else None


def _module(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)
