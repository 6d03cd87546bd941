"""What all that decides about a conversation, and carries it out, is built over."""

from collections.abc import Callable
from dataclasses import dataclass

from ..domain.clock import Clock
from ..interruption_manager import InterruptionManager
from ..log.event_log import EventLog
from ..log.state_store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from ..tasks.task_owner import TaskOwner
from ..tasks.workflow import Advise, Workflow
from .conversation import Conversations


@dataclass(frozen=True, slots=True, kw_only=True)
class CoreParts:
    """The parts of one process; made once by the composition root.

    `advise` reads what the workflow by itself makes nothing of, if there is anyone to ask.
    """

    store: StateStore
    log: EventLog
    interruptions: InterruptionManager
    conversations: Conversations
    workflow: Workflow
    ledger: Ledger
    owner: TaskOwner
    clock: Clock
    new_task_id: Callable[[], str]
    advise: Advise | None = None
