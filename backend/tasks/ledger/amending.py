"""Amends the receipt of a task that has ended when the outcome of one of its calls becomes known only then.

The conversation gets a message with the outcome of a write. Amendments are made one at a time, since each
builds on the receipt that the one before it has left; and none while a user is being deleted, or rows of the
deleted user would be written anew.
"""

import asyncio
from contextlib import AbstractAsyncContextManager

import orjson

from ...domain import events
from ...domain.context import ReceiptAnswer
from ...domain.encoding import Clock, encode, to_wire
from ...domain.task import Message, Task
from ...domain.tool_call import ToolCall
from ...store.base import StateStore
from ...store.event_log import EventLog
from ...store.ownership import Lease
from ...store.records import Record, SavedReceipt
from ...store.retry import retry_pauses, until_available
from ..task_owner import TaskOwner


class Amending:
    """Stores outcomes that come after the end of their task, however long the store is down."""

    def __init__(self, owner: TaskOwner, *, store: StateStore, log: EventLog, clock: Clock) -> None:
        self._owner = owner
        self._store = store
        self._log = log
        self._clock = clock
        self._lock = asyncio.Lock()

    def paused(self) -> AbstractAsyncContextManager[None]:
        """Keep stored entries and receipts as they are while the context is held."""
        return self._lock

    async def update(self, lease: Lease, call: ToolCall) -> bool:
        """Store how a call has ended, and the amendment if its task has; return whether nothing is left."""
        return await self._insist(lease, call, even_before_its_end=True)

    async def amend_if_ended(self, lease: Lease, call: ToolCall) -> None:
        """Store how a call has ended together with the amendment, if its task has ended; else do nothing."""
        await self._insist(lease, call, even_before_its_end=False)

    def amend(self, lease: Lease, call: ToolCall) -> None:
        """Store how a call has ended as soon as its task has, and amend the receipt if that says otherwise.

        Never waits. Both become durable together: if the process dies before, the next one finds the call
        unsettled again.
        """
        self._owner.spawn_detached(self._amend(lease, call), name=f"amend {call.call_id}")

    async def _amend(self, lease: Lease, call: ToolCall) -> None:
        for pause in retry_pauses():
            if await self._insist(lease, call, even_before_its_end=False):
                return
            await asyncio.sleep(pause)  # the task's ending is on its way to the store, or far off

    async def _insist(self, lease: Lease, call: ToolCall, *, even_before_its_end: bool) -> bool:
        async def step() -> bool:
            async with self._lock:
                return await self._store_outcome(lease, call, even_before_its_end=even_before_its_end)

        # The lock is free between two tries: a deletion waits for one try at most while the store is down.
        return await until_available(step, user_id=call.user_id)

    async def _store_outcome(self, lease: Lease, call: ToolCall, *, even_before_its_end: bool) -> bool:
        """Store what is not stored yet; return whether nothing is left to do for this call."""
        task = await self._store.get_task_metadata(call.user_id, call.task_id)
        if task is None:
            return True  # its user was deleted
        if not task.status.terminal and not even_before_its_end:
            return False
        made = await self._store.get_tool_calls(call.user_id, call.turn)
        stored = next((each for each in made if each.call_id == call.call_id), None)
        if stored is not None and stored.effect == "write" and stored.outcome not in (None, "unknown"):
            call = stored  # a known outcome of a write was published, and does not change any more
        records: list[Record] = []
        if stored is None or stored.as_update() != call.as_update():
            records += [call, events.tool_update(call.task_id, call.as_update(), at=self._clock())]
        if task.status.terminal:
            body = await self._store.get_receipt(call.user_id, call.task_id)
            if body:
                records += self._amendment(task, orjson.loads(body), call)
        if records:
            await self._log.commit(lease, *records)
        return task.status.terminal

    def _amendment(self, task: Task, receipt: ReceiptAnswer, call: ToolCall) -> list[Record]:
        """Return the records of an amended receipt; none if it has the call's outcome, or not the call.

        A step may be entered only after the end of its task, and is added.
        """
        lines = [
            call.as_account() if each["call_id"] == call.call_id else each for each in receipt["tool_calls"]
        ]
        if call.is_step and all(each["call_id"] != call.call_id for each in lines):
            lines.append(call.as_account())
        if lines == receipt["tool_calls"]:
            return []
        now = self._clock()
        amendments = receipt.get("amendments", 0) + 1
        amended: ReceiptAnswer = {
            **receipt,
            "amended_at": to_wire(now),
            "amendments": amendments,
            "tool_calls": lines,
        }
        records: list[Record] = [
            SavedReceipt(task.turn, task.task_id, encode(amended)),
            events.receipt(task.task_id, amended, at=now),
        ]
        if call.effect == "write":
            message = Message(
                user_id=task.user_id,
                task_id=task.task_id,
                turn=task.spoken_turn or task.turn,
                # After the messages of the task itself, and after those of earlier amendments.
                position=task.messages + amendments - 1,
                role="system",
                text=_sentence(call),
                at=now,
            )
            records += [message, events.message(message)]
        return records


def _sentence(call: ToolCall) -> str:
    """Return what the conversation says of a write that has ended after its task."""
    if call.is_step:
        return f"{'Still' if call.outcome is None else 'No longer'} running: {call.tool}, {call.summary}."
    tool = call.tool.replace("_", " ")
    if call.observed and call.outcome == "unknown":
        return f"No longer running: {tool} {call.summary}."
    if call.observed and call.outcome == "cancelled":
        return f"No longer running: {tool} was {call.summary}."
    done = "went through after all" if call.done else "was not carried out"
    return f"What was unknown is known now: {tool} {done}. {call.summary}"
