"""The seam between the server and what it serves: the travel assistant, or any LangGraph graph."""

import contextlib
from asyncio import Future
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from fastapi import APIRouter

from ..conversation.conversation import UseItems
from ..domain.encoding import Clock
from ..graphs.several_graphs import GraphView
from ..graphs.state.user_stores import UserStores
from ..store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Workflow

T = TypeVar("T")


class Lane(Protocol):
    """One connection to a database, and the jobs that take turns on it."""

    def post(self, job: Callable[[Any], Awaitable[T]]) -> "Future[T]":
        """Have a job done with the connection, after those before it. Cancelling the future cancels no job.

        The future fails with what the job raises, or with `StoreUnavailable`: then its effect may be
        unknown.
        """
        ...

    async def close(self) -> None:
        """Do the jobs that were posted, then close the connection."""
        ...


class Database(Protocol):
    """The database of `DETOUR_POSTGRES`, with the tables of `Settings.schemas` up to date."""

    def lane(self, name: str) -> Lane:
        """Return a new connection, which is made with its first job. Needs a running event loop."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The parts of the server that a plugin is built over.

    `database` is None where the store is none; it may be used once the store is open.
    """

    ledger: Ledger
    owner: TaskOwner
    store: StateStore
    clock: Clock
    database: Database | None = None


class StateReader(Protocol):
    """Reads what a graph keeps of a user."""

    async def states(self, user_id: str, *, limit: int, before: str | None = None) -> Sequence[Any]:
        """Return the newest states, or the newest before one, newest first, each ready to be encoded.

        At most `limit`, and of `HISTORY_BYTES`, but at least one unless there is none. Raises `NotFound` if
        there is no state of the id `before`, and `StoreUnavailable`.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedGraphs:
    """The graphs by name.

    `views` describes each once they are loaded, `of` returns the one that a request is for, and `states`
    reads the threads of each. `drawn` returns the nodes and edges of one, JSON-ready, and `schemas` the JSON
    Schemas of its input, output, state and context, each None if it has none. `module` is the last part of
    the name of the only graph's module, "" for graphs of a project.
    """

    names: Sequence[str]
    default: str
    views: Callable[[], Sequence[GraphView]]
    of: Callable[[Mapping[str, Any] | None], str]
    states: Mapping[str, StateReader]
    drawn: Callable[[str], Mapping[str, Any]]
    schemas: Callable[[str], Mapping[str, Mapping[str, Any] | None]]
    module: str = ""


@contextlib.asynccontextmanager
async def _nothing_to_open() -> AsyncGenerator[None]:
    yield


KeptBeside = Mapping[str, Callable[[str], Awaitable[Any]]]
"""By name in an export, reads what is kept of a user outside the store, JSON-ready."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a server serves: the `workflow` that runs tasks, and the `routers` it adds to the server's own.

    `graphs` are those that clients may choose from, None for the travel assistant. `examples` has one of each
    answer of these routes, by the name of its type, for the OpenAPI document. Exports have `kept_beside`,
    too. `advise` reads a message that the workflow's own reading does not understand, `use_items` carries out
    what clients do with the items that graphs keep of a user. `life` is entered
    before the store is opened and tasks are recovered, and exited after the store was closed, in the same
    asyncio task.
    """

    workflow: Workflow
    graphs: ServedGraphs | None = None
    advise: Advise | None = None
    routers: Sequence[APIRouter] = ()
    examples: Mapping[str, Any] = field(default_factory=dict[str, Any])
    kept_beside: KeptBeside = field(default_factory=dict[str, Any])
    use_items: UseItems = field(default_factory=lambda: UserStores().use)
    life: Callable[[], AbstractAsyncContextManager[None]] = _nothing_to_open
