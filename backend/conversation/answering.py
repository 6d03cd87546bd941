"""What becomes of a question: it is answered, by a form or by a message, or its time runs out.

Whoever decides it holds the user's conversation, and what was decided is stored before it is acted on, on
condition that the question is still open. So of two answers, or an answer and a new message, at the same
instant, one comes first, and the other is told.
"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import structlog

from ..domain import events
from ..domain.inputs import InputRequest, Resolution, in_words
from ..domain.task import InterruptReason, Step, Task, TaskStatus
from ..errors import BadInput, NotFound, NotOpen, ShuttingDown, StoreUnavailable
from ..log.state_store.base import MustBeOpen, Record
from ..tasks.input_schema import checked
from ..tasks.task_context import TaskContext
from ..tasks.workflow import Reading
from .conversation import Conversation
from .core_parts import CoreParts
from .execution import Execution

Decision = Literal["allow", "deny"]

SWEEP_EVERY_S = 5.0
"""How often it is looked for questions whose time is up."""

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The answer to an answer, in the contract's words: `status` is that of the task that goes on."""

    user_id: str
    task_id: str
    request_id: str
    outcome: Resolution
    status: TaskStatus
    seq: int
    epoch: str

    def to_wire(self) -> dict[str, Any]:
        """Return the contract's form."""
        return {
            "user_id": self.user_id,
            "task_id": self.task_id,
            "request_id": self.request_id,
            "outcome": self.outcome,
            "status": self.status,
            "seq": self.seq,
            "epoch": self.epoch,
        }


class Answering:
    """Resolves questions, and lets their tasks go on or end."""

    def __init__(self, parts: CoreParts, execution: Execution) -> None:
        self._store = parts.store
        self._log = parts.log
        self._interruptions = parts.interruptions
        self._conversations = parts.conversations
        self._workflow = parts.workflow
        self._execution = execution
        self._clock = parts.clock

    async def answer(
        self,
        user_id: str,
        request_id: str,
        *,
        answer: Mapping[str, Any] | None,
        decision: Decision | None,
        note: str | None = None,
    ) -> Answered:
        """Take the answer to a question, or the decision on a permission, and let the task go on with it.

        When this returns it is durable.

        Raises `NotFound`, `NotOpen` (answered, withdrawn or expired), `BadInput` where the answer does not
        fit, `StoreUnavailable` and `ShuttingDown`; then nothing was taken.
        """
        async with self._conversations.locked(user_id) as conversation:
            if self._execution.closing:
                raise ShuttingDown("The server is going down; please try again in a moment.")
            context, request = await self._open(conversation, request_id)
            if request.permission is not None:
                given = _decided(answer, decision, note)
                reading = Reading(answers={request_id: given})
            else:
                given = _fitting(request, answer, decision)
                reading = self._workflow.take(given, request, context.task.request, asked=context.inputs.open)
            said = in_words(request.question, given) or None
            seq = await self.resolve(conversation, context, reading, message=said)
            return Answered(
                user_id=user_id,
                task_id=context.task_id,
                request_id=request_id,
                outcome=request.answered(given).resolution or "answered",
                status=context.task.status,
                seq=seq,
                epoch=conversation.epoch,
            )

    async def resolve(
        self,
        conversation: Conversation,
        context: TaskContext,
        reading: Reading,
        *,
        message: str | None = None,
        client_id: str | None = None,
        also: Sequence[Record] = (),
    ) -> int:
        """Store answers to open questions, and what the task is to go on with; then let it go on.

        A `message` that answers, or a form in words, takes the next turn of the conversation; `client_id` is
        the one it was sent with. It and what is `also` to be kept become durable together with the
        answers. The caller holds the conversation. Returns the user's `seq`.
        """
        before = context.task
        turn = conversation.turn + 1 if message is not None else before.spoken_turn
        context.task = replace(before, spoken_turn=turn, request=reading.request or before.request)
        said = context.message_records("user", message, client_id=client_id) if message is not None else []
        closed = {
            each.request_id: each.answered(reading.answers[each.request_id])
            for each in context.inputs.open
            if each.request_id in reading.answers
        }
        seq = await self._close(context, closed, reading.answers, before=before, said=said, also=also)
        conversation.turn = max(conversation.turn, turn or 0)
        conversation.request = context.task.request
        self._execution.go_on(conversation)
        return seq

    async def waive(self, conversation: Conversation, context: TaskContext, agent: str) -> None:
        """Withdraw what a stopped agent asks, and let its task go on without it, if it waits for that.

        The caller holds the conversation. Raises `StoreUnavailable`; then it is asked still.
        """
        asked = [each for each in context.inputs.open if each.question.agent == agent]
        if asked:
            waived = {each.request_id: each.waived() for each in asked}
            await self._close(context, waived, waived, before=context.task)
            self._execution.go_on(conversation)

    async def _close(
        self,
        context: TaskContext,
        closed: Mapping[str, InputRequest],
        request_ids: Collection[str],
        *,
        before: Task,
        said: Sequence[Record] = (),
        also: Sequence[Record] = (),
    ) -> int:
        """Store what becomes of questions that must be open, behind what was `said`; then count on it.

        Where that fails, the task is what it was `before`, and they are open still.
        """
        records = self._closing_records(context, list(closed.values()), request_ids)
        unsaved = len(context.unsaved)
        records = [*context.unsaved, *said, *records, context.task, *also]
        try:
            seq = await self._log.commit(context.user_id, *records)
        except Exception:
            context.inputs.release(request_ids)
            context.task = replace(context.task, request=before.request, spoken_turn=before.spoken_turn)
            if not context.task.status.terminal:
                status = TaskStatus.INPUT_REQUIRED if context.inputs.open else context.task.status
                context.task = replace(context.task, status=status)
                context.save()
            raise
        del context.unsaved[:unsaved]
        for each in closed.values():
            context.inputs.put(each)
        return seq

    async def expire(self, due: InputRequest) -> None:
        """End the task whose question was not answered in time. Raises `StoreUnavailable`."""
        async with self._conversations.locked(due.user_id) as conversation:
            request = await self._store.get_input(due.user_id, due.request_id)
            if request is None or not request.open or self._execution.closing:
                return
            active = conversation.active
            if active is not None and active.task_id == due.task_id:
                self._interruptions.interrupt(active, InterruptReason.TIMED_OUT)
                return
            expired = request.resolved("expired")
            event = events.input_resolved(expired, at=self._clock())
            if self._interruptions.context_of(due.task_id) is None:
                await self._log.commit(due.user_id, MustBeOpen(due.request_id), expired, event)

    async def sweep(self) -> None:
        """Expire every question whose time is up. Raises `StoreUnavailable`."""
        for due in await self._store.inputs_due(self._clock()):
            await self.expire(due)

    async def sweep_for_ever(self) -> None:
        """Sweep again and again, until cancelled; between two sweeps nothing is under way."""
        while True:
            await asyncio.sleep(SWEEP_EVERY_S)
            try:
                await self.sweep()
            except StoreUnavailable as error:
                _log.warning("questions could not be looked through", reason=error.message)

    async def _open(self, conversation: Conversation, request_id: str) -> tuple[TaskContext, InputRequest]:
        """Return an open question and the task that asks it. Raises `NotFound` and `NotOpen`."""
        active = conversation.active
        request = active.inputs.get(request_id) if active is not None else None
        request = request or await self._store.get_input(conversation.user_id, request_id)
        if request is None:
            raise NotFound(f"There is no question {request_id!r}.", code="unknown_request")
        if request.resolution in ("answered", "allowed", "denied"):
            raise NotOpen("That question was answered already.", code="answered")
        if request.resolution == "expired" or (request.open and request.expires_at <= self._clock()):
            raise NotOpen("The time to answer that question is over.", code="expired")
        if not request.open or active is None or active.told_to_end or active.task_id != request.task_id:
            raise NotOpen("That question was withdrawn: something else came in between.")
        return active, request

    def _closing_records(
        self, context: TaskContext, resolved: Sequence[InputRequest], request_ids: Collection[str]
    ) -> list[Record]:
        """Close questions that must be open; return the records that tell of it, without the task's own."""
        now = self._clock()
        context.inputs.hold(request_ids)
        records: list[Record] = [*map(MustBeOpen, request_ids), *resolved]
        records += [events.input_resolved(each, at=now) for each in resolved]
        for each in resolved:
            if not context.is_stopped(each.question.agent):
                records += context.progress_records(each.question.agent, "waiting")
        if not context.inputs.open:
            records += context.status_records(Step.ANSWER, now)
        return records


def _fitting(
    request: InputRequest, answer: Mapping[str, Any] | None, decision: Decision | None
) -> dict[str, Any]:
    """Return the answer to a question. Raises `BadInput` where it does not fit."""
    if decision is not None:
        raise BadInput.of_fields(("decision", "this is a question, and not a permission; send `answer`"))
    if answer is None:
        raise BadInput.of_fields(("answer", "Field required"))
    return checked(request.question, answer)


def _decided(answer: Mapping[str, Any] | None, decision: Decision | None, note: str | None) -> dict[str, Any]:
    """Return the decision on a permission. Raises `BadInput` where there is none, or an answer beside it."""
    if decision is None:
        missing = "this is a permission, and not a question; send `decision`" if answer else "Field required"
        raise BadInput.of_fields(("decision", missing))
    if answer is not None:
        raise BadInput.of_fields(
            ("answer", "this is a permission, and not a question; send `decision` alone")
        )
    return {"decision": decision, "note": note.strip()} if note and note.strip() else {"decision": decision}
