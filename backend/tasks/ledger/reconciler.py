"""Asks providers for the outcome of writes that did not report one, instead of sending them again.

A write is *unsettled* while its provider may have done it without saying so: no answer came in time, or the
process died after the intent was stored. Its provider is asked about the call's id until it knows; then each
task that has an entry of the call gets the outcome. Meanwhile a write for just the same is refused
(`is_unsettled`).
"""

import asyncio
from asyncio import Task as AsyncioTask
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import structlog

from ...domain.encoding import Clock
from ...domain.errors import DetourError
from ...domain.tool_call import ToolCall
from ...store.ownership import Lease
from ...store.retry import RETRY_S, retry_pauses
from ..task_context import TaskContext
from ..task_owner import TaskOwner
from .amending import Amending
from .base import NobodyToAskError, ToolResult, WriteTool, can_be_kept

ASK_PROVIDER_AGAIN_S = (*RETRY_S, 2.0, 5.0, 10.0, 30.0)
"""Seconds between two questions to a provider about a call; the last pause repeats."""

NEVER_DONE = "nothing was done"

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a provider has of a call; no result: it was not done, and will not be."""

    result: ToolResult | None


class Reconciler:
    """Knows the tools that write, by name, and asks for the outcomes of their calls."""

    def __init__(self, owner: TaskOwner, *, amending: Amending, clock: Clock) -> None:
        self._owner = owner
        self._amending = amending
        self._clock = clock
        self._tools: dict[str, WriteTool[Any]] = {}
        self._unsettled: dict[str, ToolCall] = {}
        self._asking: dict[str, AsyncioTask[_Answer | None]] = {}

    def __len__(self) -> int:
        """Return how many calls are unsettled."""
        return len(self._unsettled)

    def register(self, tool: WriteTool[Any]) -> None:
        """Know a tool by its name, for calls of an earlier process, too. The first of a name stays."""
        self._tools.setdefault(tool.name, tool)

    def is_unsettled(self, user_id: str, key: str) -> bool:
        """Return whether a call of the user for just that is unsettled."""
        return any((each.user_id, each.key) == (user_id, key) for each in self._unsettled.values())

    def is_asking(self, user_id: str) -> bool:
        """Return whether some call of the user is unsettled, and its provider is asked."""
        return any(self._unsettled[call_id].user_id == user_id for call_id in self._asking)

    def reconcile(
        self, lease: Lease, call: ToolCall, context: TaskContext | None = None
    ) -> "AsyncioTask[None]":
        """Find out the outcome of a call, however long that takes, and update the entry of its task.

        The returned asyncio task is done once the entry is durable; the receipt of a task that has ended is
        amended after that.
        """
        return self._owner.spawn_detached(
            self._reconcile(lease, call, context), name=f"reconcile {call.call_id}"
        )

    async def ask(self, call: ToolCall, *, within_s: float) -> ToolCall | None:
        """Return a call as it is settled, as an entry of its task; None if nobody knows by then.

        Cancelling the wait changes nothing.
        """
        asking = self._ask(call)
        await asyncio.wait({asking}, timeout=within_s)
        return self._settled(call, asking) if asking.done() else None

    async def recover(self, lease: Lease, left: Sequence[ToolCall], *, within_s: float) -> None:
        """Reconcile what an earlier process left of a user; wait so long for it at most.

        Does not wait for calls that nobody can be asked about.
        """
        # Nobody can be asked about the others: `ObservedCalls.recover` says so.
        reconciling = [self.reconcile(lease, call) for call in left if call.unsettled]
        if reconciling:
            _log.info("calls of an earlier process are unsettled", calls=len(reconciling))
            await asyncio.wait(reconciling, timeout=within_s)

    def forget(self, user_id: str) -> None:
        """Ask no more about the calls of a deleted user."""
        for call in [each for each in self._unsettled.values() if each.user_id == user_id]:
            del self._unsettled[call.call_id]
            asking = self._asking.get(call.call_id)
            if asking is not None:
                asking.cancel()

    def _ask(self, call: ToolCall) -> "AsyncioTask[_Answer | None]":
        asking = self._asking.get(call.call_id)
        if asking is None:
            self._unsettled[call.call_id] = call
            asking = self._owner.spawn(self._ask_until_known(call), name=f"ask {call.call_id}")
            asking.add_done_callback(lambda asking: self._asked(call.call_id, asking))
            self._asking[call.call_id] = asking
        return asking

    def _asked(self, call_id: str, asking: "AsyncioTask[_Answer | None]") -> None:
        del self._asking[call_id]
        if asking.cancelled() or asking.result() is not None:
            self._unsettled.pop(call_id, None)

    async def _ask_until_known(self, call: ToolCall) -> _Answer | None:
        """Return what the provider has of a call; None if there is nobody to ask, so it stays unsettled."""
        tool = self._tools.get(call.tool)
        if tool is None:
            _log.error("a tool that has written is not registered", tool=call.tool, call_id=call.call_id)
            return None
        pauses = retry_pauses(ASK_PROVIDER_AGAIN_S)
        while True:
            try:
                return _Answer(await tool.outcome_of(call.user_id, call.call_id))
            except NobodyToAskError as error:
                _log.warning("a call stays unsettled", call_id=call.call_id, reason=str(error))
                return None
            except DetourError as error:
                _log.info("a call is unsettled still", call_id=call.call_id, reason=error.message)
            except Exception:  # noqa: BLE001 - whatever a provider raises, it is asked again
                _log.exception("a call could not be asked about", call_id=call.call_id)
            await asyncio.sleep(next(pauses))

    async def _reconcile(self, lease: Lease, call: ToolCall, context: TaskContext | None) -> None:
        asking = self._ask(call)
        await asyncio.wait({asking})
        settled = self._settled(call, asking)
        if settled is None:
            return
        if context is not None and not context.task.status.terminal:
            context.tool_update(settled)
            return
        # An entry without a context is of an earlier process: its task, if it has not ended, is about to be
        # taken up, and reads the entry from the store, so that is updated before anything else. Otherwise
        # the entry is stored together with the amended receipt, below: a kill in between would leave a
        # receipt that nobody amends any more.
        if context is None and await self._amending.update(lease, settled):
            return
        self._amending.amend(lease, settled)

    def _settled(self, call: ToolCall, asking: "AsyncioTask[_Answer | None]") -> ToolCall | None:
        answer = None if asking.cancelled() else asking.result()
        if answer is None:
            return None
        result, now = answer.result, self._clock()
        if result is None:
            # If it has no outcome, the process died: nobody knows whether the call was ever sent.
            outcome = "failed" if call.outcome == "unknown" else "not_started"
            return call.ended(outcome, now, summary=NEVER_DONE)
        if not can_be_kept(result):
            return call.ended("completed_after_interrupt", now, summary="it went through")
        return call.ended("completed_after_interrupt", now, summary=result.summary, result=result.value)


def inherited(call: ToolCall, context: TaskContext) -> ToolCall:
    """Return a call of an earlier attempt at a message as the entry of the task that takes it up again."""
    return replace(call, task_id=context.task_id, turn=context.task.turn)
