"""What became of writes that nobody has answered for: it is found out by asking, and told afterwards.

A write is *unsettled* while its provider may have done it without a word: it did not answer in time, or the
process died meanwhile. It is never sent again. The provider is asked what became of the call until it knows;
then it is told under each task that has an entry of the call.
"""

import asyncio
import itertools
from asyncio import Task as AsyncioTask
from dataclasses import dataclass, replace
from typing import Any

import structlog

from ...domain.clock import Clock
from ...domain.tool_call import ToolCall
from ...errors import DetourError
from ...log.event_log import RETRY_S, EventLog
from ...log.state_store.base import StateStore
from ..task_context import TaskContext
from ..task_owner import TaskOwner
from .amending import Amending
from .base import ToolResult, WriteTool, can_be_kept

ASK_AGAIN_S = (*RETRY_S, 2.0, 5.0, 10.0, 30.0)
"""Pauses between two times that a provider is asked what became of a call; the last one repeats."""

NEVER_DONE = "nothing was done"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Asking:
    """A call that is asked about."""

    call: ToolCall
    task: "AsyncioTask[ToolResult | None]"


class Settling:
    """Knows the tools that write, by name, and finds out about their calls."""

    def __init__(self, owner: TaskOwner, *, store: StateStore, log: EventLog, clock: Clock) -> None:
        self._owner = owner
        self._store = store
        self._clock = clock
        self._tools: dict[str, WriteTool[Any]] = {}
        self._asking: dict[str, _Asking] = {}
        self._finding: set[tuple[str, str]] = set()
        self.amending = Amending(store=store, log=log, clock=clock)

    def __len__(self) -> int:
        """Return how many calls it asks about."""
        return len(self._asking)

    def register(self, tool: WriteTool[Any]) -> None:
        """Know a tool: calls of it are found out about, those of an earlier process too.

        Of several with one name, the first is known.
        """
        self._tools.setdefault(tool.name, tool)

    def is_open(self, user_id: str, key: str) -> bool:
        """Tell whether a call of the user for just that is still unsettled."""
        return any((each.call.user_id, each.call.key) == (user_id, key) for each in self._asking.values())

    def find_out(self, call: ToolCall, context: TaskContext | None = None) -> "AsyncioTask[None]":
        """Find out about a call however long that takes, and tell it under the task it is an entry of.

        The asyncio task is done once that is durable; the receipt of a task that has ended comes after.
        """
        return self._owner.spawn_detached(self._find_out(call, context), name=f"find out {call.call_id}")

    async def answer(self, call: ToolCall, *, within_s: float) -> ToolCall | None:
        """Return a call as it is settled, for the task it is an entry of; None where that takes longer.

        Cancelling the wait changes nothing.
        """
        asking = self._ask(call)
        await asyncio.wait({asking}, timeout=within_s)
        return self._settled(call, asking.result()) if asking.done() else None

    async def recover(self, *, within_s: float) -> None:
        """Find out about all that an earlier process left unsettled; give it so long before anything else."""
        left = [self.find_out(call) for call in await self._store.unsettled_tool_calls()]
        if left:
            _log.info("calls of an earlier process are unsettled", calls=len(left))
            await asyncio.wait(left, timeout=within_s)

    def _ask(self, call: ToolCall) -> "AsyncioTask[ToolResult | None]":
        asking = self._asking.get(call.call_id)
        if asking is None:
            task = self._owner.spawn(self._ask_until_known(call), name=f"ask {call.call_id}")
            task.add_done_callback(lambda _: self._asking.pop(call.call_id))
            asking = self._asking[call.call_id] = _Asking(call, task)
        return asking.task

    async def _ask_until_known(self, call: ToolCall) -> ToolResult | None:
        tool = self._tools.get(call.tool)
        if tool is None:
            _log.error("nothing is known of a tool that has written", tool=call.tool, call_id=call.call_id)
            await asyncio.Event().wait()
        for pause in itertools.chain(ASK_AGAIN_S, itertools.repeat(ASK_AGAIN_S[-1])):
            try:
                return await self._tools[call.tool].outcome_of(call.user_id, call.call_id)
            except DetourError as error:
                _log.info("a call is unsettled still", call_id=call.call_id, reason=error.message)
            except Exception:  # noqa: BLE001 - whatever a provider raises, it is asked again
                _log.exception("a call could not be asked about", call_id=call.call_id)
            await asyncio.sleep(pause)
        raise AssertionError("it is asked for ever")

    async def _find_out(self, call: ToolCall, context: TaskContext | None) -> None:
        entry = (call.task_id, call.call_id)
        if entry in self._finding:
            return
        self._finding.add(entry)
        try:
            asking = self._ask(call)
            await asyncio.wait({asking})
            settled = self._settled(call, asking.result())
            if context is not None and not context.task.status.terminal:
                context.tool_update(settled)
                return
            # Where the task ends by itself, it is told together with the amendment of its account.
            told = context is None and await self.amending.tell(settled)
        finally:
            self._finding.discard(entry)
        if not told:
            self._owner.spawn_detached(self.amending.amend(settled), name=f"amend {call.call_id}")

    def _settled(self, call: ToolCall, result: ToolResult | None) -> ToolCall:
        now = self._clock()
        if result is None:
            # Of one that has no outcome nobody knows whether it was sent before the process died.
            outcome = "failed" if call.outcome == "unknown" else "not_started"
            return call.ended(outcome, now, summary=NEVER_DONE)
        if not can_be_kept(result):
            return call.ended("completed_after_interrupt", now, summary="it went through")
        return call.ended("completed_after_interrupt", now, summary=result.summary, result=result.value)


def inherited(call: ToolCall, context: TaskContext) -> ToolCall:
    """Return a call of an earlier attempt at a message as the entry of the task that takes it up again."""
    return replace(call, task_id=context.task_id, turn=context.task.turn)
