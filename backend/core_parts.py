"""What all that decides about a conversation, and carries it out, is built over."""

from collections.abc import Callable
from dataclasses import dataclass

from backend.conversation import Conversations
from backend.domain.clock import Clock
from backend.event_log import EventLog
from backend.interruption_manager import InterruptionManager
from backend.state_store.base import StateStore
from backend.task_owner import TaskOwner
from backend.tools.ledger import Ledger
from backend.workflow import Advise, Workflow


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
