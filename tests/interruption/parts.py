"""The core wired over a store as `main` wires it.

`Parts` is one process: it dies with `die`, and another over the same store recovers what it left.
"""

import asyncio
import contextlib
import gc
import itertools
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import orjson

from backend.conversation.agent_manager import AgentManager
from backend.conversation.conversation import Runtime
from backend.domain.encoding import Clock
from backend.domain.events import StoredEvent
from backend.graphs.state.user_stores import UserStores
from backend.interruption_manager import InterruptionManager
from backend.store.base import StateStore
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog, Observer
from backend.store.ownership import Alone
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import MOST_SHOWN
from backend.tasks.task_owner import TaskOwner
from backend.tasks.workflow import Workflow
from tests.fakes import RecordingLog
from tests.interruption.script import Script
from tests.virtual_time import virtual_clock

EVERYTHING = 1_000_000
"""More events or messages than any test makes."""


class RecordingBus(EventBus):
    """A bus that keeps every event that was published, decoded."""

    def __init__(self) -> None:
        super().__init__()
        self.published: RecordingLog[dict[str, Any]] = RecordingLog()

    def publish(self, user_id: str, events: Sequence[StoredEvent]) -> None:
        super().publish(user_id, events)
        for event in events:
            self.published({"user_id": user_id, **orjson.loads(event.frame)})


class SeenOwner(TaskOwner):
    """An owner that can be asked what it holds."""

    def tasks(self) -> set[asyncio.Task[Any]]:
        """Return the tasks that are alive."""
        return set(self._tasks)


class Parts:
    """One process."""

    manager_type = InterruptionManager
    runner_type = AgentManager
    ledger_type = Ledger
    observer: Observer | None = None

    def __init__(
        self,
        store: StateStore | None = None,
        *,
        workflow: Callable[[Ledger, TaskOwner], Workflow] | None = None,
        new_id: Callable[[], str] | None = None,
        clock: Clock | None = None,
        task_timeout_s: float = 600.0,
        most_shown: int = MOST_SHOWN,
        answer_within_s: float = 86400.0,
        allow_within_s: float = 900.0,
    ) -> None:
        self.store = store or MemoryStateStore(keep_events=EVERYTHING)
        self.new_id = new_id or (f"t{number:04}" for number in itertools.count(1)).__next__
        self.clock = clock or virtual_clock()
        self.bus = self.new_bus()
        self.owner = SeenOwner()
        self.ownership = self.new_ownership()
        self.users = {"ann", "bob"}
        self.log = EventLog(self.store, self.bus, observer=self.observer)
        self.ledger = self.ledger_type(
            self.owner, store=self.store, log=self.log, clock=self.clock, new_id=self.new_id
        )
        self.workflow: Any = (workflow or Script().wire)(self.ledger, self.owner)
        self.interruptions = self.manager_type(
            store=self.store,
            log=self.log,
            ledger=self.ledger,
            owner=self.owner,
            clock=self.clock,
            task_timeout_s=task_timeout_s,
            most_shown=most_shown,
            answer_within_s=answer_within_s,
            allow_within_s=allow_within_s,
        )
        self.runner = self.runner_type(
            Runtime(
                store=self.store,
                log=self.log,
                ownership=self.ownership,
                interruptions=self.interruptions,
                ledger=self.ledger,
                workflow=self.workflow,
                owner=self.owner,
                clock=self.clock,
                new_task_id=self.new_id,
                advise=self.workflow.advise if getattr(self.workflow, "_model", None) else None,
                use_items=UserStores().use,
            )
        )

    def new_bus(self) -> Any:
        return RecordingBus()

    def new_ownership(self) -> Any:
        return Alone(self.store.unfinished_users)

    async def open(self) -> None:
        """Start, and take care of what another process left."""
        await self.log.open()
        await self.runner.begin_recovery()
        await self.runner.recover_users()

    async def close(self) -> None:
        """End in good order; the store stays open, to be looked at."""
        await self.runner.close(grace_s=20)
        await self.owner.finish(grace_s=20)

    async def die(self) -> None:
        """End as a killed process does; what its store had not kept by now is to be dropped before."""
        while len(self.owner):
            await self.owner.finish(grace_s=0.01)
        for _ in range(20):
            await asyncio.sleep(0)  # what its runs have started ends, too, before another process begins

    async def post(self, message: str, *, user: str = "ann", **more: Any) -> str:
        """Post a message and return its task's id."""
        self.users.add(user)
        return (await self.runner.handle_user_message(user, message, **more)).task_id

    async def settled(self, *task_ids: str) -> None:
        """Wait until tasks have ended."""
        for task_id in task_ids:
            await self.interruptions.wait_settled(task_id)

    async def quiet(self) -> None:
        """Wait until nothing of this process is under way any more."""
        while tasks := self.owner.tasks():
            await asyncio.wait(tasks)

    async def task(self, task_id: str) -> Any:
        """Read a task's record, whoever's it is that has posted here."""
        found = [await self.store.get_task_metadata(user, task_id) for user in sorted(self.users)]
        (task,) = [each for each in found if each is not None]
        return task

    async def agents(self, task_id: str) -> Any:
        """Read how far a task's agents are."""
        return await self.store.get_progress("ann", (await self.task(task_id)).turn)

    async def receipt(self, task_id: str, user: str = "ann") -> dict[str, Any]:
        """Read a receipt."""
        return orjson.loads(await self.store.get_receipt(user, task_id) or b"null")

    async def history(self, user: str = "ann") -> list[tuple[str, str]]:
        """Read a conversation as (role, text)."""
        return [(each.role, each.text) for each in await self.store.get_messages(user, limit=EVERYTHING)]

    async def events(self, user: str = "ann") -> list[dict[str, Any]]:
        """Read all events of a user."""
        page = await self.store.events_after(user, 0, limit=EVERYTHING)
        return [orjson.loads(event.frame) for event in page.events]


@contextlib.asynccontextmanager
async def started(parts: Parts) -> AsyncIterator[Parts]:
    """Run a process while the test lasts; nothing of it may be left, or have failed unseen."""
    failures: RecordingLog[dict[str, Any]] = RecordingLog()
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: failures(context))
    await parts.open()
    yield parts
    await parts.close()
    gc.collect(1)  # an error that nobody has read is reported when its task is collected
    assert len(parts.owner) == 0
    assert failures.entries == []
