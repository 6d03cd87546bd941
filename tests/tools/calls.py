"""A ledger over a store in memory, tasks to make calls for, and scripted tools."""

import asyncio
from datetime import timedelta
from typing import Any

import orjson

from backend.domain.errors import OutcomeUnknown, ProviderError, QuoteChanged
from backend.domain.questions import InputRequest, Permission
from backend.domain.task import InterruptReason
from backend.domain.task_life import Transition
from backend.domain.tool_call import ToolCall, call_key
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog
from backend.store.ownership import Lease
from backend.store.records import NewUser
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.base import Quote, ToolResult
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.settlement import Ending, ending_records
from backend.tasks.task_context import SavedTask, TaskContext, TaskRuntime
from backend.tasks.task_owner import TaskOwner
from tests.fakes import Gate
from tests.records import AT, a_question, a_task

REASONS = {reason.value: reason for reason in InterruptReason}


class Read:
    """A read that finds one thing before its gate and one behind it."""

    effect = "read"

    def __init__(self, name: str = "search", *, fresh_s: float = 300.0, whole: bool = True) -> None:
        self.name = name
        self.fresh_s = fresh_s
        self.whole = whole
        self.gate = Gate()
        self.runs = 0

    async def run(self, arguments: Any, report: Any) -> ToolResult:
        self.runs += 1
        report.found([{**arguments, "n": 1}], source="one")
        report.progress("1 of 2", done=1, total=2)
        await self.gate.wait()
        report.found([{**arguments, "n": 2}], source="two")
        return ToolResult("2 found", {"count": 2}, whole=self.whole)


class Provider:
    """A provider that books: what was booked, by call id, and how it answers.

    `answers` is "yes", "never" (it is done, but nobody hears of it), "lost" (it neither heard of it nor
    answers), "no" (a refusal), "changed", or "broken". While `silent`, it gives no outcomes.
    """

    def __init__(self) -> None:
        self.booked: list[str] = []
        self.answers = "yes"
        self.silent = False
        self.price = 100
        self.gate = Gate()
        self.gate.open()

    @classmethod
    def silent_after(cls, answers: str) -> "Provider":
        """Return one that answers so, and gives no outcomes."""
        provider = cls()
        provider.answers, provider.silent = answers, True
        return provider

    async def book(self, call_id: str, price: int) -> str:
        await self.gate.wait()
        if self.answers == "no":
            raise ProviderError("The card was declined.")
        if self.answers == "changed" or price != self.price:
            raise QuoteChanged("It costs more now.")
        if self.answers == "broken":
            raise ZeroDivisionError
        if self.answers != "lost" and call_id not in self.booked:
            self.booked.append(call_id)
        if self.answers in ("never", "lost"):
            raise OutcomeUnknown("No answer came.")
        return f"DEMO-{len(self.booked)}"


class Book:
    """A write over such a provider."""

    name = "book"

    def __init__(self, provider: Provider) -> None:
        self.provider = provider

    async def quote(self, _user_id: str, arguments: Any) -> Quote:
        if arguments == "nothing":
            raise ProviderError("There is nothing to book.")
        price = self.provider.price
        return Quote({"what": arguments, "price": price}, f"Book {arguments} for {price}?", {"Total": price})

    async def run(self, arguments: Any, report: Any) -> ToolResult:
        reference = await self.provider.book(report.call_id, arguments["price"])
        return ToolResult(f"{reference} is booked", {"reference": reference})

    async def outcome_of(self, _user_id: str, call_id: str) -> ToolResult | None:
        if self.provider.silent:
            raise ProviderError("It does not answer.")
        if call_id not in self.provider.booked:
            return None
        return ToolResult("DEMO-1 is booked", {"reference": "DEMO-1"})


class Bench:
    """One process."""

    def __init__(
        self,
        store: Any = None,
        *,
        observer: Any = None,
        ledger_type: type[Ledger] = Ledger,
        **options: Any,
    ) -> None:
        self.owner = TaskOwner()
        self.store = store or MemoryStateStore()
        self.log = EventLog(self.store, EventBus(), observer=observer)
        self.clock = lambda: AT + timedelta(seconds=asyncio.get_running_loop().time())
        self._runtime = TaskRuntime(
            store=self.store,
            log=self.log,
            clock=self.clock,
            answer_within=timedelta(days=1),
            allow_within=timedelta(minutes=15),
        )
        self._ids = (f"c{number}" for number in range(1, 100))
        self.ledger = ledger_type(
            self.owner,
            store=self.store,
            log=self.log,
            clock=self.clock,
            new_id=lambda: next(self._ids),
            **options,
        )

    async def open(self) -> "Bench":
        await self.log.open()
        return self

    async def context(self, turn: int = 1, user_id: str = "ann", **fields: Any) -> TaskContext:
        """A task that runs."""
        before = f"{user_id}-{turn - 1}" if turn > 1 else None
        task = a_task(user_id, turn, previous_task_id=before, **fields)
        await self.log.commit(Lease(user_id), *([NewUser("e")] if turn == 1 else []), task)

        saved = SavedTask(tool_calls=await self.store.get_tool_calls(user_id, turn))
        context = TaskContext(task, self._runtime, saved=saved)
        context.step(Transition.RUN)
        return context

    def call(self, context: TaskContext, tool: Any, arguments: Any = "Rome") -> "asyncio.Task[ToolCall]":
        """Have a node of a task make a call, and await it."""
        arguments = arguments if isinstance(arguments, dict) else {"of": arguments}
        return self.owner.spawn(self.ledger.call(context, "flight", tool, arguments), name="node")

    async def interrupt(self, context: TaskContext, reason: str, *nodes: Any) -> None:
        """Interrupt a task as the manager does: the ledger first, then the nodes."""
        context.request_interruption(REASONS[reason])
        self.ledger.interrupt_calls(context)
        for node in nodes:
            node.cancel()
        if nodes:
            await asyncio.wait(nodes)

    async def interrupted(self, tool: Any, reason: str) -> TaskContext:
        """Return a task whose call stands at the gate of its tool when it is interrupted."""
        context = await self.context()
        node = self.call(context, tool)
        await tool.gate.arrived(1)
        await self.interrupt(context, reason, node)
        return context

    async def end(self, context: TaskContext, *, step: Transition | None = None) -> list[tuple[str, str]]:
        """Settle a task and store its ending; return tool and outcome of each call in its receipt."""
        await self.ledger.settle(context, patience_s=5)
        calls = self.ledger.account(context)
        step = step or (Transition.SETTLE if context.reason else Transition.COMPLETE)
        records = ending_records(context, Ending(step=step, text="done"), calls, now=self.clock())
        await self.log.commit_until_durable(context.lease, *(records or ()))
        return await self.receipt(context)

    async def receipt(self, context: TaskContext) -> list[tuple[str, str]]:
        """Tool and outcome of each call in the stored receipt."""
        body = await self.store.get_receipt(context.user_id, context.task_id)
        return [
            (call["tool"], call["outcome"])
            for call in orjson.loads(body or b'{"tool_calls":[]}')["tool_calls"]
        ]

    async def proposed(self, context: TaskContext, tool: Any, what: str = "Rome") -> ToolCall:
        """A write that waits for its permission."""
        quote = await tool.quote(context.user_id, what)
        return self.ledger.writes.propose(context, "booking", tool, quote, purpose=call_key(tool.name, what))

    def decide(self, context: TaskContext, call: ToolCall, decision: str = "allow", **changed: Any) -> None:
        """Have the user decide about a call."""
        asked_for = {"call_id": call.call_id, "tool": call.tool, "key": call.key, **changed}
        now = self.clock()
        request = InputRequest(
            request_id=f"{context.task_id}-q{len(context.inputs) + 1}",
            user_id=context.user_id,
            task_id=context.task_id,
            turn=context.task.turn,
            number=1,
            question=a_question("booking"),
            pause_id=f"pause {len(context.inputs)}",
            branch="only",
            asked_at=now,
            expires_at=now + context.allow_within,
            kind="permission",
            permission=Permission(**asked_for),
        )
        context.inputs.put(request.answered({"decision": decision}))

    async def quiet(self) -> None:
        """Wait until nothing is at work."""
        while self.owner._tasks:
            await asyncio.wait(self.owner._tasks)


async def allowed(
    bench: Bench, context: TaskContext, tool: Any, what: str = "Rome"
) -> "asyncio.Task[ToolCall]":
    """A write that is allowed and on its way."""
    call = await bench.proposed(context, tool, what)
    bench.decide(context, call)
    return bench.owner.spawn(bench.ledger.writes.carry_out(context, call, tool), name="node")


def standing(bench: Bench) -> dict[str, int]:
    """Return the ledger's figures that are not 0."""
    return {state: number for state, number in bench.ledger.standing().items() if number}
