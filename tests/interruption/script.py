"""A workflow that does what a message's words say, so that a test decides how a task goes."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.domain.errors import BadInput, ProviderError
from backend.domain.questions import DECISION_SCHEMA, Permission, Question
from backend.domain.task import Policy
from backend.domain.tool_call import call_key
from backend.graphs.hosted_tools import allowed_write, waits_for_its_user
from backend.tasks.asking import ask, rest
from backend.tasks.ledger.base import ToolResult
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import TaskContext
from backend.tasks.task_owner import TaskOwner
from backend.tasks.workflow import Manner, Reading, Situation
from tests.fakes import Gate
from tests.interruption import office
from tests.interruption.office import Book, Office
from tests.virtual_time import START_OF_VIRTUAL_TIME

ANY_WORD = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}

MANNERS: Mapping[str, Manner] = {"hello": "beside", "stop": "stop"}


class Search:
    """A read that finds one thing a second, three in all; `deaf` goes on for ever once it is cancelled."""

    effect = "read"
    fresh_s = 0.0

    def __init__(self, name: str = "search", *, deaf: bool = False) -> None:
        self.name = name
        self._deaf = deaf

    async def run(self, arguments: Any, report: Any) -> ToolResult:
        finished = False
        try:
            for number in range(3):
                await asyncio.sleep(1)
                report.found([{**arguments, "n": number}], source="scripted")
            finished = True
        finally:
            report.found([{"too_late": True}] if report.context.reason is not None else [], source="scripted")
            if self._deaf and not finished:
                await asyncio.Event().wait()
        return ToolResult("3 found")


@dataclass(frozen=True, slots=True)
class Shared:
    """A read that asks for the same in whichever task: `of` something, in so many steps of a second.

    What it gives tells of what, by which run and when, so that it can be told whether it may be given.
    """

    of: str
    steps: int
    fresh_s: float
    whole: bool = True
    lingers_s: float = 0.0
    effect = "read"
    name = "shared"

    async def run(self, arguments: Any, report: Any) -> ToolResult:
        number = 0
        try:
            while number < self.steps:
                await asyncio.sleep(1)
                report.found([{**arguments, "n": number}], source="scripted")
                number += 1
                report.progress("looking", done=number, total=self.steps)
        finally:
            if number < self.steps and self.lingers_s:
                await asyncio.sleep(self.lingers_s)  # it is not rid of at once
        given = {**arguments, "at_s": asyncio.get_running_loop().time()}
        return ToolResult(f"{self.steps} found", given, whole=self.whole)


SHARED = {
    "lookup": Shared("Rome", 3, 300.0),
    "oslo": Shared("Oslo", 3, 300.0),
    "plain": Shared("Bonn", 2, 0.0),
    "quick": Shared("Lima", 0, 8.0),
    "gaps": Shared("Kyiv", 2, 300.0, whole=False),
    "cling": Shared("Baku", 3, 300.0, lingers_s=0.5),
}


class Script:
    """A workflow whose messages are programs: each word of a message is a step, unknown words are none.

    "hello ..." is small talk, "stop ..." a stop, "reply ..." an answer if something was asked, and leave if
    that was asked for; "refuse ..." is none. Once its agents are declared ("declare"), each does no more when
    its user has stopped it. Which of the shared reads a message makes is known before,
    unless it is "unsure ..."; what it books is in `office.MANNERS`.
    `gates` hold the step `gate`, one for each message.
    Whatever is published as `too_late` was published after the task's interruption, and must not be shown.
    """

    def __init__(self, office: Office | None = None) -> None:
        self._office = office
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
        if self._office is not None:
            self._book = Book(self._office)
            ledger.register(self._book)
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
        if word in ("reply", "refuse") and asked:
            decision = {"decision": "allow" if word == "reply" else "deny"}
            given = {"answer": message} if asked[0].permission is None else decision
            return Reading(
                relation="answer", manner="answer", request=request, answers={asked[0].request_id: given}
            )
        return Reading(
            relation={"hello": "other", "stop": "stop"}.get(word, "refine" if previous else "new"),
            manner=MANNERS.get(word, "interrupt"),
            request=request,
            carried=("wanted",) if previous else (),
            subject=message,
        )

    def result_sorter(self, found_for: Any, request: Any) -> None:
        """Tell nothing."""

    def steer_policy(self, request: Any) -> Policy:
        return "enqueue"

    def result_filter(self, request: Any) -> None:
        """Show everything."""

    def read_keys(self, request: Any) -> Sequence[str] | None:
        words = request["wanted"].split() if request else ()
        if "unsure" in words or any("search" in word for word in words):
            return None
        return [call_key(Shared.name, {"of": SHARED[word].of}) for word in words if word in SHARED]

    def read_answer(self, answer: Any, question: Any, previous: Any, *, asked: Any) -> Reading:
        if answer["answer"] == "nonsense":
            raise BadInput("answer: that makes no sense.")
        return Reading(answers={question.request_id: answer})

    async def forget(self, user_id: str, *, aged: bool = False) -> None:
        """There is nothing to forget."""

    async def run(self, context: TaskContext) -> str | None:
        at_work = [
            other.task_id
            for other in self.contexts
            if other.user_id == context.user_id
            and other.task_id != context.task_id
            and not other.closed
            and not other.task.aside
        ]
        if at_work and not context.task.aside and not context.closed:
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
            stored = await context.stored.checkpoint(context.task.turn)
            first = int(stored.body)
            context.inputs.take_answers()
        context.progress("flight", "working")
        for number, word in enumerate(words[first:], first):
            if word in ("ask", "asking"):
                if await self._asks(word, number, context):
                    return None
            elif word in (*office.MANNERS, "booknothing"):
                if await self._books(word, number, context):
                    return None
            elif word in SHARED:
                await self._looks_up(SHARED[word], context)
            elif word == "declare":
                for agent in ("flight", "hotel", "booking"):
                    context.declare(agent, {"wanted": context.task.message})
            elif word == "both":
                async with asyncio.TaskGroup() as group:
                    for agent, tool in (("hotel", SHARED["cling"]), ("flight", SHARED["oslo"])):
                        group.create_task(self._looks_up(tool, context, agent=agent))
            else:
                await self._step(word, number, context)
        return f"answered {context.task.message}"

    async def _asks(self, word: str, number: int, context: TaskContext) -> bool:
        """Ask, unless that was answered; tell whether to wait now. `asking` works on for a second before."""
        pause, here = f"pause {number}", str(number).encode()
        asked = context.inputs.of_pause(pause)
        if context.is_stopped("flight"):
            return False
        if asked is not None and asked.resolution == "answered":
            self.answers.append((context.user_id, asked.request_id, asked.graph_value))
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

    async def _books(self, word: str, number: int, context: TaskContext) -> bool:
        """Book, once that is allowed; tell whether to wait for that now."""
        context.progress("booking", "working")
        call = await allowed_write(context, self._ledger.writes, "booking", self._book, {"what": word})
        if not waits_for_its_user(call):
            if call.outcome is None or call.task_id != context.task_id:
                self.wrong.append(f"{context.task_id} was given what has not ended: {call}")
            context.progress("booking", "done" if call.done else "failed", detail=call.summary)
            return False
        pause, here = f"pause {number} {call.call_id}", str(number).encode()
        ask(
            context,
            Question(agent="booking", prompt=call.asks["prompt"], schema=DECISION_SCHEMA),
            pause_id=pause,
            branch="only",
            checkpoint=lambda: here,
            permission=Permission(
                call_id=call.call_id, tool=call.tool, key=call.key, facts=call.asks["facts"]
            ),
        )
        rest(context, {pause}, here)
        return True

    async def _looks_up(self, tool: Shared, context: TaskContext, *, agent: str = "hotel") -> None:
        """Make a shared read, and see whether what it gives is what was asked for, and fresh."""
        asked_for = {"of": tool.of}
        context.progress(agent, "working")
        call = await self._ledger.call(context, agent, tool, asked_for)
        now_s = asyncio.get_running_loop().time()
        if (call.task_id, call.key) != (context.task_id, call_key(tool.name, asked_for)):
            self.wrong.append(f"{context.task_id} was given another call: {call}")
        if call.outcome == "completed":
            fresh_s = tool.fresh_s if tool.whole else 0.0
            # What was taken over as the task began may have ended before it was asked for.
            began_s = (context.task.started_at - START_OF_VIRTUAL_TIME).total_seconds()
            at_s = call.result["at_s"]
            if call.result["of"] != tool.of or (now_s - at_s > fresh_s and at_s < began_s):
                self.wrong.append(f"{context.task_id} was given {call.result} for {asked_for}")
        elif call.outcome == "cancelled" and not (context.closed or context.is_stopped(agent)):
            self.wrong.append(f"{context.task_id} was given what nobody has cut short: {call}")
        elif call.outcome is None:
            self.wrong.append(f"{context.task_id} was given what has not ended: {call}")
        context.progress(agent, "done" if call.outcome == "completed" else "failed")

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
                call = await self._ledger.call(context, "hotel", tool, {"of": context.task_id})
                context.progress("hotel", "done" if call.outcome == "completed" else "failed")
            case "abandon":
                call = self._ledger.call(context, "hotel", Search(), {"of": context.task_id})
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
