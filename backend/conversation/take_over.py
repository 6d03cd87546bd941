"""Takes over users whose last owner has left something unfinished: an earlier process, or one that has died.

A user's writes are reconciled first: the retry of a message must find out what its lost task has booked.
Then `recovery` recovers the tasks. Meanwhile every request of the user waits.
"""

import asyncio
from collections.abc import Iterable

import structlog

from ..domain.task import Task
from ..interruption_manager import InterruptionManager
from ..log.event_log import EventLog
from ..log.ownership.base import OwnedElsewhere, TenureEnded
from ..log.retry import until_available
from ..log.state_store.base import StateStore
from ..tasks.ledger.ledger import Ledger
from .conversations import Conversations
from .recovery import in_recovery_order, recover
from .starting import start_next_soon

RECOVERED_AT_ONCE = 32
"""Users whose unfinished tasks are recovered at once; one by one, 2,000 tasks took 24 s (measured)."""

RECOVER_WITHIN_S = 3.0
"""Seconds for which the providers of unsettled writes are waited for before a user's tasks are recovered."""

_log = structlog.get_logger(__name__)


class TakeOver:
    """Recovers users side by side, and has their requests wait until they are recovered."""

    def __init__(
        self,
        conversations: Conversations,
        *,
        store: StateStore,
        log: EventLog,
        ledger: Ledger,
        interruptions: InterruptionManager,
    ) -> None:
        self._conversations = conversations
        self._store = store
        self._event_log = log
        self._ledger = ledger
        self._interruptions = interruptions
        self._turns = asyncio.Semaphore(RECOVERED_AT_ONCE)
        self._unrecovered: dict[str, asyncio.Event] = {}
        self._begun: set[str] = set()

    def begin(self, user_ids: Iterable[str]) -> None:
        """Have every request of these users wait, until `recover_all` has recovered them."""
        for user_id in user_ids:
            self._unrecovered.setdefault(user_id, asyncio.Event())
            self._conversations.recovering.add(user_id)

    async def done(self, user_id: str) -> None:
        """Wait until a user is recovered; return at once if there is nothing to recover."""
        recovered = self._unrecovered.get(user_id)
        if recovered is not None:
            await recovered.wait()

    async def recover_all(self) -> None:
        """Recover the users whom nobody recovers yet; retries while the store is down."""
        users = [user_id for user_id in self._unrecovered if user_id not in self._begun]
        self._begun.update(users)
        async with asyncio.TaskGroup() as group:
            recovering = [
                group.create_task(self._recover_user(user_id), name=f"recover {user_id}") for user_id in users
            ]
        if users:
            tasks = sum(each.result() for each in recovering)
            _log.info("unfinished tasks were recovered", users=len(users), tasks=tasks)

    async def _recover_user(self, user_id: str) -> int:
        """Recover one user; return how many tasks were unfinished."""
        left: list[Task] = []
        count = 0

        async def recover_writes() -> None:
            left[:] = in_recovery_order(await self._store.resumable(user_id))
            await self._tell(left)
            # Not `held`, which loads the conversation: its calls must be loaded as they have been settled.
            tenure = await self._conversations.tenure(user_id)
            await self._ledger.recover(tenure, within_s=RECOVER_WITHIN_S if left else 0)

        async def recover_tasks() -> None:
            while left and not self._interruptions.closing:
                # `held`, since the requests of the user wait for this very recovery.
                async with self._conversations.held(user_id) as conversation:
                    await recover(conversation, left[0])
                del left[0]
            # The queue only now: until all tasks are recovered, the active one may not be known.
            async with self._conversations.held(user_id) as conversation:
                start_next_soon(conversation)

        try:
            await until_available(recover_writes, user_id=user_id)
            count = len(left)
            async with self._turns:
                await until_available(recover_tasks, user_id=user_id)
        except (OwnedElsewhere, TenureEnded):
            _log.info("a user is recovered by another process", user_id=user_id)
        except Exception:  # noqa: BLE001 - one user's damaged records must not keep the others waiting
            _log.exception("a user could not be recovered", user_id=user_id)
        finally:
            self._begun.discard(user_id)
            self._conversations.recovering.discard(user_id)
            self._unrecovered.pop(user_id).set()
        return count

    async def _tell(self, unfinished: Iterable[Task]) -> None:
        """Tell whoever observes the log what another process has written of these tasks."""
        for task in unfinished:
            if not task.status.terminal:
                asked = await self._store.get_inputs(task.user_id, task.turn)
                self._event_log.tell([task, *(each for each in asked if each.open)])
