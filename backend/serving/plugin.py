"""The seam between the server and what it serves: the travel assistant, or any LangGraph graph."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fastapi import APIRouter

from ..domain.clock import Clock
from ..log.state_store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Workflow


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """The parts of the server that a plugin is built over."""

    ledger: Ledger
    owner: TaskOwner
    store: StateStore
    clock: Clock


async def _nothing_to_close() -> None:
    return


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a server serves: the `workflow` that runs tasks, and the `routers` it adds to the server's own.

    `examples` has one of each answer of these routes, by its type, for the OpenAPI document.
    `advise` reads a message that the workflow's own reading makes nothing of. `close` is called once, after
    the store was closed.
    """

    workflow: Workflow
    advise: Advise | None = None
    routers: Sequence[APIRouter] = ()
    examples: Mapping[type, Mapping[str, Any]] = field(default_factory=dict[type, Any])
    close: Callable[[], Awaitable[None]] = _nothing_to_close
