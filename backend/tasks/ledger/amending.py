"""What becomes known of a call only when its task can no longer tell it: it is told all the same.

The receipt is amended, and the conversation told what became of a write, once the task has ended. Amendments
are made one at a time, since each builds on what the one before it has left, and none while a user is being
forgotten, or what was forgotten would be there again.
"""

import asyncio
import itertools
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import orjson
import structlog

from ...domain import events
from ...domain.clock import Clock, to_wire
from ...domain.encoding import encode
from ...domain.task import Message, Task
from ...domain.tool_call import ToolCall
from ...errors import StoreUnavailable
from ...log.event_log import RETRY_S, EventLog
from ...log.state_store.base import Record, SavedReceipt, StateStore

_log = structlog.get_logger(__name__)


class Amending:
    """Tells of calls behind the backs of their tasks, however long the store is down."""

    def __init__(self, *, store: StateStore, log: EventLog, clock: Clock) -> None:
        self._store = store
        self._log = log
        self._clock = clock
        self.lock = asyncio.Lock()
        """Held while something is told; whoever holds it keeps everything as it is."""

    async def tell(self, call: ToolCall) -> bool:
        """Tell how a call has ended; return whether nothing is left to do, as its task has ended as well."""
        return await self._insist(lambda: self._tell(call, at_once=True))

    async def amend(self, call: ToolCall) -> None:
        """Tell how a call has ended as soon as its task has, and amend the receipt that says otherwise.

        Both become durable together, so that whoever is killed meanwhile finds out about it once more. Not
        where the call was made after all before its task ended: that has been told then.
        """
        for pause in itertools.chain(RETRY_S, itertools.repeat(RETRY_S[-1])):
            if await self._insist(lambda: self._tell(call, at_once=False)):
                return
            await asyncio.sleep(pause)  # its ending is on its way to the store, or far off

    async def _insist(self, step: "Callable[[], Coroutine[Any, Any, bool]]") -> bool:
        for pause in itertools.chain(RETRY_S, itertools.repeat(RETRY_S[-1])):
            try:
                async with self.lock:
                    return await step()
            except StoreUnavailable as error:
                _log.warning("what became of a call could not be told yet", reason=error.message)
            await asyncio.sleep(pause)
        raise AssertionError("it is tried for ever")

    async def _tell(self, call: ToolCall, *, at_once: bool) -> bool:
        """Tell what is not told yet, if the task has ended or `at_once`; return whether nothing is left."""
        task = await self._store.get_task_metadata(call.task_id)
        if task is None or (not task.status.terminal and not at_once):
            return task is None
        made = await self._store.get_tool_calls(call.user_id, call.turn)
        stored = next((each for each in made if each.call_id == call.call_id), None)
        if stored is not None and _was_made_after(call, stored):
            return True
        if stored is not None and stored.effect == "write" and stored.outcome not in (None, "unknown"):
            call = stored  # what was told once stays as it was told
        records: list[Record] = []
        if stored is None or stored.as_update() != call.as_update():
            records += [call, events.tool_update(call.task_id, call.as_update(), at=self._clock())]
        if task.status.terminal:
            body = await self._store.get_receipt(call.user_id, call.task_id)
            account: Mapping[str, Any] = orjson.loads(body) if body else {}
            told = [each for each in account.get("tool_calls", ()) if each["call_id"] == call.call_id]
            if told and told[0] != call.as_account():
                records += self._amended(task, account, call)
        if records:
            await self._log.commit(call.user_id, *records)
        return task.status.terminal

    def _amended(self, task: Task, account: Mapping[str, Any], call: ToolCall) -> list[Record]:
        now = self._clock()
        amended: dict[str, Any] = {**account, "amended_at": to_wire(now)}
        amended["amendments"] = account.get("amendments", 0) + 1
        amended["tool_calls"] = [
            call.as_account() if each["call_id"] == call.call_id else each for each in account["tool_calls"]
        ]
        records: list[Record] = [
            SavedReceipt(task.turn, task.task_id, encode(amended)),
            events.receipt(task.task_id, amended, at=now),
        ]
        if call.effect == "write":
            done = "went through after all" if call.done else "was not carried out"
            message = Message(
                user_id=task.user_id,
                task_id=task.task_id,
                turn=task.spoken_turn or task.turn,
                position=task.messages + amended["amendments"] - 1,
                role="system",
                text=f"What was unknown is known now: {call.tool.replace('_', ' ')} {done}. {call.summary}",
                at=now,
            )
            records += [message, events.message(message)]
        return records


def _was_made_after(call: ToolCall, stored: ToolCall) -> bool:
    """Tell whether a call was begun once more after it had ended without a trace."""
    ended_at, started_at = call.ended_at, stored.started_at
    return ended_at is not None and started_at is not None and started_at > ended_at
