"""The core wired over a store as `main` wires it, and a workflow that does what a message's words say.

`Parts` is one process: it dies with `die`, and another over the same store recovers what it left.
"""

import asyncio
import contextlib
import gc
import itertools
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

import orjson

from backend.asking import ask, rest
from backend.conversation import Conversations
from backend.core_parts import CoreParts
from backend.domain.events import StoredEvent
from backend.domain.inputs import Question
from backend.errors import BadInput, ProviderError
from backend.event_bus.memory import MemoryEventBus
from backend.event_log import EventLog
from backend.interruption_manager import InterruptionManager
from backend.recovery import Recovery
from backend.runner import AgentManager
from backend.state_store.base import StateStore
from backend.state_store.memory import MemoryStateStore
from backend.task_context import MOST_SHOWN, TaskContext
from backend.task_owner import TaskOwner
from backend.tools.base import ToolResult
from backend.tools.ledger import Ledger
from backend.workflow import Manner, Reading, Situation, Workflow
from tests.fakes import Gate, RecordingLog
from tests.virtual_time import virtual_clock

EVERYTHING = 1_000_000
"""More events or messages than any test makes."""

ANY_WORD = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}

MANNERS: Mapping[str, Manner] = {"hello": "beside", "stop": "stop"}


class Search:
    """A read that finds one thing a second, three in all; `deaf` goes on for ever once it is cancelled."""

    effect = "read"
    fresh_s = 0.0

    def __init__(self, name: str = "search", *, deaf: bool = False) -> None:
        self.name = name
        self._deaf = deaf

    async def run(self, arguments: str, report: Any) -> ToolResult:
        finished = False
        try:
            for number in range(3):
                await asyncio.sleep(1)
                report.found([{"of": arguments, "n": number}], source="scripted")
            finished = True
        finally:
            report.found([{"too_late": True}] if report.context.reason is not None else [], source="scripted")
            if self._deaf and not finished:
                await asyncio.Event().wait()
        return ToolResult("3 found")


class Script:
    """A workflow whose messages are programs: each word of a message is a step, unknown words are none.

    "hello ..." is small talk, "stop ..." a stop, "reply ..." an answer if something was asked.
    `gates` hold the step `gate`, one for each message.
    Whatever is published as `too_late` was published after the task's interruption, and must not be shown.
    """

    def __init__(self) -> None:
        self.gates: dict[str, Gate] = defaultdict(Gate)
        self.contexts: list[TaskContext] = []
        self.wrong: list[str] = []
        self.answers: list[tuple[str, str, Any]] = []
        self.running: set[str] = set()
        self.gates_open = False

    def wire(self, ledger: Ledger, owner: TaskOwner) -> "Script":
        """Serve in a process."""
        self._ledger = ledger
        self._owner = owner
        return self

    def open_gates(self) -> None:
        """Let everyone pass, those to come included."""
        self.gates_open = True
        for gate in self.gates.values():
            gate.open()

    def read(self, message: str, situation: Situation) -> Reading:
        previous, recent, asked = situation.previous, situation.recent, situation.asked
        request = {"wanted": message, "unfinished": situation.unfinished}
        word = message.split()[0]
        if word == "back" and recent:
            return Reading(relation="refine", request=recent[-1], resumes=len(recent) - 1, subject="earlier")
        if word == "reply" and asked:
            return Reading(
                relation="answer",
                manner="answer",
                request=request,
                answers={asked[0].request_id: {"answer": message}},
            )
        return Reading(
            relation={"hello": "other", "stop": "stop"}.get(word, "refine" if previous else "new"),
            manner=MANNERS.get(word, "interrupt"),
            request=request,
            carried=("wanted",) if previous else (),
            subject=message,
        )

    def still_valid(self, found_for: Any, request: Any) -> Callable[[str], bool]:
        return lambda _agent: True

    def reads(self, request: Any) -> Sequence[str] | None:
        return () if request is None or "search" not in request["wanted"] else None

    def take(self, answer: Any, question: Any, previous: Any, *, asked: Any) -> Reading:
        if answer["answer"] == "nonsense":
            raise BadInput("answer: that makes no sense.")
        return Reading(answers={question.request_id: answer})

    async def forget(self, user_id: str) -> None:
        """There is nothing to forget."""

    async def run(self, context: TaskContext) -> str | None:
        at_work = [
            other.task_id
            for other in self.contexts
            if other.user_id == context.user_id
            and other.task_id != context.task_id
            and not other.interrupted
            and not other.task.aside
        ]
        if at_work and not context.task.aside and not context.interrupted:
            self.wrong.append(f"{context.task_id} runs beside {at_work}")
        if context.task_id in self.running:
            self.wrong.append(f"{context.task_id} runs twice at once")
        self.running.add(context.task_id)
        try:
            return await self._run(context)
        finally:
            self.running.discard(context.task_id)

    async def _run(self, context: TaskContext) -> str | None:
        self.contexts.append(context)
        words, first = context.task.message.split(), 0
        if len(context.inputs):
            stored = await context.checkpoint()
            first = int(stored.body)
            context.inputs.hand_over()
        context.progress("flight", "working")
        for number, word in enumerate(words[first:], first):
            if word in ("ask", "asking"):
                if await self._asks(word, number, context):
                    return None
            else:
                await self._step(word, number, context)
        return f"answered {context.task.message}"

    async def _asks(self, word: str, number: int, context: TaskContext) -> bool:
        """Ask, unless that was answered; tell whether to wait now. `asking` works on for a second before."""
        pause, here = f"pause {number}", str(number).encode()
        asked = context.inputs.of_pause(pause)
        if asked is not None and asked.resolution == "answered":
            self.answers.append((context.user_id, asked.request_id, asked.given))
            return False
        question = Question(agent="flight", prompt=f"what is {number}?", schema=ANY_WORD, bare=True)
        ask(context, question, pause_id=pause, branch="only", checkpoint=lambda: here)
        if word == "asking":
            context.publish("hotel", [{"of": context.task_id, "n": number}], source="scripted")
            await asyncio.sleep(1)
            context.publish("hotel", [{"of": context.task_id, "n": number + 100}], source="scripted")
            context.progress("hotel", "done")
            await asyncio.sleep(0.2)
        rest(context, {pause}, here)
        return True

    async def _step(self, word: str, number: int, context: TaskContext) -> None:
        match word:
            case "find":
                context.publish("flight", [{"of": context.task_id, "n": number}], source="scripted")
            case "say":
                context.say(f"word {number} ")
            case "wait":
                await asyncio.sleep(1)
            case "gate":
                if self.gates_open:
                    self.gates[context.task.message].open()
                await self.gates[context.task.message].wait()
            case "search" | "deafsearch":
                tool = Search(word, deaf=word == "deafsearch")
                call = await self._ledger.call(context, "hotel", tool, context.task_id)
                context.progress("hotel", "done" if call.outcome == "completed" else "failed")
            case "abandon":
                call = self._ledger.call(context, "hotel", Search(), context.task_id)
                self._owner.spawn_detached(call, name="abandoned")
                await asyncio.sleep(0.5)
                raise ProviderError("The other branch failed.")
            case "fail":
                raise ProviderError("The source is closed.")
            case "break":
                raise RuntimeError("a fault in the workflow")
            case "cancelled":
                raise asyncio.CancelledError
            case "late" | "slow" | "deaf" | "raises":
                await _cancelled_badly(word, context)


async def _cancelled_badly(how: str, context: TaskContext) -> None:
    """Take a second; where that is cut short, go on to do what must not matter."""
    try:
        await asyncio.sleep(1)
    finally:
        if context.reason is not None:
            context.publish("flight", [{"too_late": True}])
            context.say("too_late")
            context.progress("flight", "working", detail="too_late")
            if how == "slow":
                await asyncio.sleep(3)
            elif how == "deaf":
                await asyncio.Event().wait()
            elif how == "raises":
                raise RuntimeError("cancelling it went wrong")


class RecordingBus(MemoryEventBus):
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
    conversations_type = Conversations
    recovery_type = Recovery

    def __init__(
        self,
        store: StateStore | None = None,
        *,
        workflow: Callable[[Ledger, TaskOwner], Workflow] | None = None,
        new_id: Callable[[], str] | None = None,
        task_timeout_s: float = 600.0,
        most_shown: int = MOST_SHOWN,
        answer_within_s: float = 86400.0,
        allow_within_s: float = 900.0,
    ) -> None:
        self.store = store or MemoryStateStore(keep_events=EVERYTHING)
        self.new_id = new_id or (f"t{number:04}" for number in itertools.count(1)).__next__
        self.clock = virtual_clock()
        self.bus = RecordingBus()
        self.owner = SeenOwner()
        self.log = EventLog(self.store, self.bus)
        self.ledger = Ledger(self.owner, store=self.store, log=self.log, clock=self.clock, new_id=self.new_id)
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
        self.conversations = self.conversations_type(
            self.store,
            restore=self.interruptions.restore_task_context,
            new_epoch=lambda: f"epoch-{self.new_id()}",
        )
        core = CoreParts(
            store=self.store,
            log=self.log,
            interruptions=self.interruptions,
            conversations=self.conversations,
            workflow=self.workflow,
            ledger=self.ledger,
            owner=self.owner,
            clock=self.clock,
            new_task_id=self.new_id,
        )
        self.runner = self.runner_type(core)
        self.runner._recovery.__class__ = self.recovery_type

    async def open(self) -> None:
        """Start, and take care of what another process left."""
        await self.log.open()
        await self.runner.recover()

    async def close(self) -> None:
        """End in good order; the store stays open, to be looked at."""
        await self.runner.close(grace_s=20)
        await self.owner.finish(grace_s=20)

    async def die(self) -> None:
        """End as a killed process does; what its store had not kept by now is to be dropped before."""
        while len(self.owner):
            await self.owner.finish(grace_s=0.01)

    async def post(self, message: str, *, user: str = "ann", **more: Any) -> str:
        """Post a message and return its task's id."""
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
        """Read a task's record."""
        task = await self.store.get_task_metadata(task_id)
        assert task is not None
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
