"""Plays a cell: brings a task to its phase, lets the event happen, and observes the outcome.

Nothing here waits for time to pass: only for the server's events, and for its work to come to gates.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field

from checks.conformance.phases import Phase
from checks.conformance.server import ENDED, Account, Event, Server
from checks.conformance.table import Outcome
from checks.conformance.world import World

SETTLES_S = 2.0
"""How long work may still be at a gate after the end of its task."""

FILLED_IN = {"city": "Rome", "nights": 3}


class NotSeenError(Exception):
    """Something did not happen; the message names it."""


@dataclass(slots=True, kw_only=True)
class Cell:
    """One cell, played once, by a user of its own. Its coroutines raise `NotSeenError`.

    `patience_s` is how long anything is waited for. Of a stop and a message at the same instant, the stop is
    sent first where `stop_first` says so; which one arrives first is another matter.
    """

    server: Server
    world: World
    phase: Phase
    event: str
    expected: Sequence[Outcome]
    patience_s: float
    stop_first: bool = False
    _old: str = ""
    _new: str = ""
    _steered: str = ""
    _runs_on: tuple[str, ...] = ()
    _accounts: list[Account] = field(default_factory=list[Account])

    @property
    def user(self) -> str:
        """Whose cell it is."""
        name = f"{self.phase.slug}.{self.event.replace(' ', '-')}{'.stop' * self.stop_first}"
        return self.server.user(name)

    @property
    def _reports_calls(self) -> bool:
        """Whether the end of a call can be waited for; where not, its gate alone says how far it is."""
        return "calls" not in self.server.unreported

    async def reach(self) -> None:
        """Bring a task to the phase."""
        phase = self.phase
        if phase.behind:
            await self.server.send(self.user, phase.behind)
            await self._at_gates((phase.behind,))
        self._old = await self.server.send(self.user, phase.message, wait_its_turn=bool(phase.behind))
        if phase.allowed:
            await self.server.allow(self.user, await self._asked())
        elif phase.asks:
            await self._asked()
        await self._at_gates(phase.gates)
        if phase.says:
            await self._events_until("its text", lambda told: any(each.kind == "text" for each in told))
        if phase.finds:
            await self._events_until(
                f"{phase.finds} items", lambda told: sum(each.count for each in told) >= phase.finds
            )
        if phase.ends and self._reports_calls:
            await self._events_until(
                f"the end of {phase.ends}", lambda told: _has_completed(phase.ends, told)
            )
        if phase.over:
            await self._ended(self._old)

    async def happen(self) -> Outcome:
        """Let the event happen to the task while its server lives, and return the outcome."""
        if self.event == "steered":
            return await self._steer()
        async with asyncio.TaskGroup() as stops:
            if self.event != "superseded":
                stops.create_task(self._stop())
            if self.event == "twice":
                stops.create_task(self._stop())
            if self.stop_first:
                await asyncio.sleep(0)  # the stop is on its way
            if self.event in ("superseded", "both at once"):
                self._new = await self.server.send(self.user, self.phase.again)
            await self._settle()
        if self.event == "twice":
            await self._stop()
        return await self._seen()

    async def _steer(self) -> Outcome:
        """Send a message that the task is to take in, and have the task go on to its end."""
        self._new = await self.server.steer(self.user, self.phase.again)
        self._steered = "own_task" if self._new else ""
        self.world.open(self.user)
        await self._answer()
        if not self._new:
            told = await self._events_until(
                "what became of the message", lambda told: bool(_steered_outcomes(told))
            )
            [fate] = _steered_outcomes(told)
            self._steered, self._new = fate.word, fate.task if fate.word == "own_task" else ""
        await self._ended(self._old)
        if self._new:
            await self._ended(self._new)
        return await self._seen()

    async def lose_its_server(self) -> None:
        """Note the work that is still at gates after the death of the server's process, and let it on."""
        await self._note_running_work()
        self.world.open(self.user)

    async def go_on(self) -> Outcome:
        """Return the outcome of the process's end, now that the server has started again."""
        await self._answer()
        if await self._ended(self._old) == "interrupted":
            self._new = await self.server.latest(self.user)
            await self._ended(self._new)
        return await self._seen()

    async def _answer(self) -> None:
        """Answer what the old task has asked, if it has."""
        if self.phase.asks == "question":
            await self.server.fill_in(self.user, await self._asked(), FILLED_IN)
        elif self.phase.asks == "permission":
            await self.server.allow(self.user, await self._asked())

    async def _settle(self) -> None:
        """Wait for both tasks to end, and open the gates when the old one has ended all that it can.

        An old task whose write is under way must not hold up the new one.
        """
        told = await self._events_until(
            "its end", lambda told: _status(self._old, told) in {*ENDED, "cancelling"}
        )
        if _status(self._old, told) in ENDED:
            await self._note_running_work()
            if self.phase.outlives:
                await self._ended(self._old)
                self._accounts.append(await self.server.account(self.user, self._old))
        elif self._new:
            await self._ended(self._new)
        self.world.open(self.user)
        await self._ended(self._old)
        if self._new:
            await self._ended(self._new)
        if not self._reports_calls:
            return
        for each in self.phase.outlives:
            await self._events_until(
                f"the late end of {each}", lambda told, each=each: _has_ended_late(each, told)
            )

    async def _note_running_work(self) -> None:
        """Give work the time to be gone from the world that should be."""
        allowed = [each.runs_on for each in self.expected]
        try:
            async with asyncio.timeout(SETTLES_S):
                await self.world.until(lambda: self.world.at_gates(self.user) in allowed)
        except TimeoutError:
            pass  # it will be reported as a difference
        self._runs_on = self.world.at_gates(self.user)

    async def _seen(self) -> Outcome:
        """Return the outcome of the two tasks now that they have ended."""
        account = await self.server.account(self.user, self._old)
        accounts = [*self._accounts, account]
        left = await self.server.kept_of(self.user, self._old)
        tasks = [self._old, self._new] if self._new else [self._old]
        told = await self._events_until(
            "both ends", lambda told: all(_has_ended(task, told) for task in tasks)
        )
        taken_over = {call for each in told if each.task == self._new for call in each.calls}
        adopted = tuple(call.tool for call in account.calls if call.call_id in taken_over)
        goes_on = any(call.outcome == "adopted" for call in account.calls)
        counted = (account.found, account.text_kept) == (left.found, len(left.text))
        if self._steered == "own_task":
            counted = True  # results of a completed task can be looked up until the next one begins
        came = {gate: times for (user, gate), times in self.world.came.items() if user == self.user}
        return Outcome(
            old=_ending(self._old, told),
            new=_ending(self._new, told) if self._new else "",
            calls=_outcomes(account),
            kept=left.found,
            text=left.text,
            input_request=account.input_request,
            adopted=adopted,
            steer=self._steered,
            came=came,
            writes=self.world.orders_of(self.user),
            runs_on=self._runs_on,
            history=tuple(
                entry.role + " (cut short)" * entry.cut_short
                for entry in await self.server.history(self.user)
            ),
            meanwhile=_outcomes(self._accounts[0]) if self.phase.outlives and self._accounts else {},
            accounts=sum(each not in accounts[:place] for place, each in enumerate(accounts)),
            agrees=counted and account.adopted_by == (self._new if goes_on else ""),
        )

    async def _stop(self) -> None:
        account = await self.server.stop(self.user, self._old)
        if account is not None:
            self._accounts.append(account)

    async def _asked(self) -> str:
        """Return the id of the old task's question or permission."""
        told = await self._events_until(
            "what it asks", lambda told: any(each.kind == "asked" for each in told)
        )
        return next(each.word for each in told if each.kind == "asked")

    async def _ended(self, task: str) -> str:
        """Return the status with which a task has ended, once all its events are here."""
        which = "the old" if task == self._old else "the new"
        told = await self._events_until(f"the end of {which} task", lambda told: _has_ended(task, told))
        return _status(task, told)

    async def _at_gates(self, gates: Sequence[str]) -> None:
        async with self._bounded(f"work at {', '.join(gates)}"):
            await self.world.until(lambda: set(gates) <= set(self.world.at_gates(self.user)))

    async def _events_until(self, what: str, enough: Callable[[list[Event]], bool]) -> list[Event]:
        """Return all events of the user's tasks from the first on, as soon as they are enough."""
        told: list[Event] = []
        async with self._bounded(what), aclosing(self.server.events(self.user)) as events:
            async for event in events:
                told.append(event)
                if enough(told):
                    return told
        raise NotSeenError(f"the events ended before {what}")

    @asynccontextmanager
    async def _bounded(self, what: str) -> AsyncGenerator[None, None]:
        try:
            async with asyncio.timeout(self.patience_s):
                yield
        except TimeoutError:
            raise NotSeenError(f"{what} was not seen within {self.patience_s:g} s") from None


def _status(task: str, told: Sequence[Event]) -> str:
    """Return the last status of a task."""
    return next((each.word for each in reversed(told) if each.kind == "status" and each.task == task), "")


def _has_ended(task: str, told: Sequence[Event]) -> bool:
    """Return whether all events of a task are here: an interrupted one has an account after its status."""
    status = _status(task, told)
    settled = any(each.kind == "settled" and each.task == task for each in told)
    return settled if status == "interrupted" else status in ENDED


def _steered_outcomes(told: Sequence[Event]) -> list[Event]:
    """Return the outcomes of steering messages that do not wait any more."""
    return [each for each in told if each.kind == "steered" and each.word != "pending"]


def _has_completed(tool: str, told: Sequence[Event]) -> bool:
    return any(each.kind == "tool" and (each.word, each.why) == (tool, "completed") for each in told)


def _has_ended_late(call: str, told: Sequence[Event]) -> bool:
    late = ("completed_after_interrupt", "failed")
    return any(each.kind == "tool" and each.word == call and each.why in late for each in told)


def _outcomes(account: Account) -> dict[str, str]:
    return {call.tool: call.outcome for call in account.calls}


def _ending(task: str, told: Sequence[Event]) -> str:
    """Return how a task ended: `completed`, or `interrupted (stopped)`."""
    last = next(each for each in reversed(told) if each.kind == "status" and each.task == task)
    return f"{last.word} ({last.why})" if last.why else last.word
