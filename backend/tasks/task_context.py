"""All that an agent may do outside itself: show what it found, tell how far it is, say text.

One `TaskContext` belongs to one task, and it is the task's memory while the task is alive. What agents do
through it is shown and stored in the order in which they did it, and none of it waits. What an agent finds
item by item within one step of the event loop is told as one event. From the instant of an interruption
nothing more is taken: what comes later was not found in time, and would be told twice if the successor finds
it again.
"""

import asyncio
from collections.abc import Callable, Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import orjson
import structlog

from ..domain import events
from ..domain.clock import Clock
from ..domain.context import InterruptedContext
from ..domain.encoding import encode
from ..domain.inputs import InputRequest, TaskInputs
from ..domain.model_trace import ModelTrace
from ..domain.partials import PartialBatch, PartialResults, Repeats
from ..domain.task import (
    ENDED_AGENT_STATES,
    AgentProgress,
    AgentState,
    InterruptReason,
    Message,
    Role,
    Step,
    Task,
    advance,
)
from ..domain.tool_call import ToolCall
from ..errors import DetourError, StoreUnavailable
from ..log.event_log import EventLog
from ..log.state_store.base import Checkpoint, Record, SavedPartial, SavedProgress

MOST_SHOWN = 4 * 1024 * 1024
"""Bytes of partial results and text that a task may show, unless set otherwise: about 10,000 offers."""

_BESIDE = 100
"""Bytes that each batch and each piece of text count for beside what is in them."""

STOPPED = "stopped by the user"
"""What is told of an agent that its user has stopped, and of what it had under way."""

History = Callable[[int], Coroutine[Any, Any, tuple[Message, ...]]]
"""Returns the last so many messages of the conversation, oldest first, this task's own included."""

StoredCheckpoint = Callable[[], Coroutine[Any, Any, Checkpoint | None]]
"""Returns where the task's graph stands, as it was last stored."""

_log = structlog.get_logger(__name__)


class TooMuchShownError(DetourError):
    """A task showed more than a task may; it fails, and what it had shown until then is kept."""

    code = "too_much_shown"


class TaskContext:
    """What a running task knows and may do.

    `task` is its record as it stands, `agents` how far each agent is; `previous` what the interrupted task
    before it left behind; `unsaved` what the store could not take yet, and gets with the next write. `inputs`
    is what it has asked; `answer_within` is how long a question stays open, `allow_within` a permission.
    `tool_calls` are the calls it has made, in order; `adopted_by` is the task that took over one of them.
    `trace` is what language models have done for it.
    `failure` is set where it showed more than `most_shown` bytes: it then fails, whatever its work returns.
    `cancel_event` is set before the work is cancelled, for code that looks at it between two steps.
    """

    def __init__(
        self,
        task: Task,
        *,
        log: EventLog,
        clock: Clock,
        history: History,
        checkpoint: StoredCheckpoint,
        answer_within: timedelta,
        allow_within: timedelta,
        previous: InterruptedContext | None = None,
        partials: Sequence[SavedPartial] = (),
        agents: Mapping[str, AgentProgress] | None = None,
        inputs: Iterable[InputRequest] = (),
        tool_calls: Iterable[ToolCall] = (),
        most_shown: int = MOST_SHOWN,
        trace: ModelTrace | None = None,
    ) -> None:
        self.task = task
        self.trace = trace or ModelTrace()
        self.previous = previous
        self.history = history
        self.checkpoint = checkpoint
        self.inputs = TaskInputs(inputs)
        self.suspended = False
        self.cancel_event = asyncio.Event()
        self.partial_results = PartialResults()
        self.agents: dict[str, AgentProgress] = dict(agents or {})
        self.tool_calls: dict[str, ToolCall] = {each.call_id: each for each in tool_calls}
        self.adopted_by: str | None = None
        self.reason: InterruptReason | None = None
        self.failure: TooMuchShownError | None = None
        self._log = log
        self._clock = clock
        self.answer_within = answer_within
        self.allow_within = allow_within
        self._saved = 0
        self._untold: PartialBatch | None = None
        self._repeats = Repeats()
        self._shown = 0
        self._most_shown = most_shown
        self.unsaved: list[Record] = []
        for saved in partials:
            self._saved = saved.position + 1
            if saved.found is not None:
                self.partial_results.add(saved.found)
                self._shown += _BESIDE + len(saved.found.items)
            if saved.text:
                self.partial_results.say(saved.text)
                self._shown += _BESIDE + len(saved.text.encode())

    @property
    def task_id(self) -> str:
        """The task's id."""
        return self.task.task_id

    @property
    def user_id(self) -> str:
        """The user whose task it is."""
        return self.task.user_id

    @property
    def told_to_end(self) -> bool:
        """Whether the task was told to end, or has ended."""
        return self.reason is not None or self.task.status.terminal

    @property
    def interrupted(self) -> bool:
        """Whether nothing more is taken of the task: it was told to end or to pause, or has ended."""
        return self.suspended or self.told_to_end

    def is_stopped(self, agent: str) -> bool:
        """Whether the user has stopped this agent: nothing more is taken of it, and it is to do no more.

        That is what its state says, so it holds after a restart as well.
        """
        now = self.agents.get(agent)
        return now is not None and now.state == "interrupted"

    # --- for agents ----------------------------------------------------------------------------------

    def publish(self, agent: str, items: Sequence[Any], *, source: str | None = None) -> None:
        """Show new partial results: JSON-ready values, dataclasses and decimals included.

        Raises `TypeError` for what has no JSON form, and `TooMuchShownError`.
        """
        if items and not self.interrupted:
            # Encoded first: what has no JSON form must not be kept, or the task's ending could not be told.
            encode((agent, source))
            self.show(PartialBatch.of(agent, items, source=source))

    def show(self, found: PartialBatch) -> None:
        """Show partial results that are encoded already. Raises `TooMuchShownError`.

        An agent that runs again after an answer may show again what it had shown; that is passed over.
        """
        dropped = self.interrupted or self.is_stopped(found.agent)
        batch = None if dropped else self._repeats.new_in(found)
        if batch is None:
            return
        self._take_room(len(batch.items))
        if self._untold is not None and not self._untold.may_be_followed_by(batch):
            self.tell_found()
        self.partial_results.add(batch)
        if self._untold is None:
            self._untold = batch
            asyncio.get_running_loop().call_soon(self.tell_found)
        else:
            self._untold = self._untold.followed_by(batch)

    def say(self, text: str) -> None:
        """Send a piece of the reply.

        Raises `TypeError` for what has no JSON form, and `TooMuchShownError`.
        """
        if self.interrupted or not text:
            return
        self.tell_found()
        offset = len(self.partial_results.text)
        event = events.text_delta(self.task_id, text, offset=offset, at=self._clock())
        self._take_room(len(text.encode()))
        self.partial_results.say(text)
        self._record(SavedPartial(self.task.turn, self._next_saved(), text=text), event)

    def progress(
        self, agent: str, state: AgentState, *, detail: str = "", done: int = 0, total: int = 0
    ) -> None:
        """Tell how far an agent is: in words, and in `done` of `total` steps."""
        if not (self.interrupted or self.is_stopped(agent)):
            self._record(*self.progress_records(agent, state, detail=detail, done=done, total=total))

    def declare(self, agent: str, request: Mapping[str, Any]) -> None:
        """Name an agent that is to work, and what it is asked to do: JSON-ready, told once, for people.

        One that goes on with what was taken over, or works already, goes on. An agent that is declared can be
        stopped at any moment: whoever declares it does no more of it once it `is_stopped`. Raises `TypeError`
        for what has no JSON form.
        """
        now, plain = self.agents.get(agent), orjson.loads(encode(request))
        if self.interrupted or (now is not None and now.request == plain):
            return
        progress = replace(now or AgentProgress(state="waiting"), request=plain)
        self._record(*self._agent_records(agent, progress, with_request=True))

    def tool_update(self, call: ToolCall) -> None:
        """Keep how far a tool call is, and tell it."""
        self.tool_calls[call.call_id] = call
        if not self.task.status.terminal:
            self._record(call, events.tool_update(self.task_id, call.as_update(), at=self._clock()))

    def fits(self, size: int) -> bool:
        """Take so many bytes of what the task may show; where they are too many, set its failure."""
        self._shown += size
        if self._shown > self._most_shown and self.failure is None:
            most = f"{self._most_shown / 2**20:.3g} MiB"
            self.failure = TooMuchShownError(
                f"This came to more than {most}, the most that is kept for one message. "
                "What was found until then is kept."
            )
        return self.failure is None

    # --- for those who run the task ------------------------------------------------------------------

    def now(self) -> datetime:
        """Return the time."""
        return self._clock()

    def tell(self, *records: Record) -> None:
        """Store records, and then show the events among them; does not wait."""
        self._record(*records)

    def tell_found(self) -> None:
        """Tell what was found and not told yet; done before anything else is told, and at the step's end."""
        batch, self._untold = self._untold, None
        if batch is not None:
            count = self.partial_results.count(batch.agent)
            event = events.partial_result(self.task_id, batch, count=count, at=self._clock())
            self._record(SavedPartial(self.task.turn, self._next_saved(), batch), event)

    def begin_again(self, *, after_rest: bool) -> None:
        """Get ready to go on after a pause: what had not ended begins anew.

        Where the task did not come to rest, what had ended begins anew, too: where the graph stands was
        stored before that.
        """
        self.suspended = False
        self.cancel_event = asyncio.Event()
        ended = {
            agent for agent, now in self.agents.items() if now.state in ENDED_AGENT_STATES and after_rest
        }
        self._repeats = Repeats.of(self.partial_results, but=ended)

    def status_records(self, step: Step, at: datetime) -> list[Record]:
        """Take a step, and return the records that tell of it: no event where the status stays as it is."""
        status = advance(self.task.status, step) or self.task.status
        before, self.task = self.task, replace(self.task, status=status, updated_at=at)
        if status is before.status:
            return [self.task]
        return [self.task, events.status_update(self.task, self.partial_results, self.agents)]

    def suspend(self) -> None:
        """Pause a task that can go on from its checkpoint, for the process that comes after this one."""
        self.tell_found()
        self.suspended = True
        self.cancel_event.set()
        self.task = replace(self.task, reason=InterruptReason.SHUTDOWN)
        self.save()

    def note_request(self, reason: InterruptReason, at: datetime) -> None:
        """Write into the record that an interruption is about to be requested."""
        self.task = replace(self.task, reason=reason, interrupt_requested_at=at)

    def forget_request(self) -> None:
        """Take `note_request` back, also where the record was stored meanwhile: it was not accepted."""
        if not self.told_to_end:
            reason = InterruptReason.SHUTDOWN if self.suspended else None
            self.task = replace(self.task, reason=reason, interrupt_requested_at=None)
            self.save()

    def save(self) -> None:
        """Store the record as it stands, soon."""
        self._record(self.task)

    def save_the_rest(self) -> bool:
        """Try to store what could not be stored yet; return whether nothing is left of it."""
        if self.unsaved:
            self._record()
        return not self.unsaved

    def request_interruption(self, reason: InterruptReason) -> bool:
        """Set the reason and the cancel event; return whether this was the first to do so."""
        if self.told_to_end:
            return False
        self.tell_found()
        self.reason = reason
        self.cancel_event.set()
        return True

    def progress_records(
        self, agent: str, state: AgentState, *, detail: str = "", done: int = 0, total: int = 0
    ) -> list[Record]:
        """Change an agent's progress, and return the records that tell of it."""
        before = self.agents.get(agent) or AgentProgress(state="waiting")
        count = self.partial_results.count(agent)
        progress = before.then(state, at=self._clock(), detail=detail, done=done, total=total, count=count)
        return self._agent_records(agent, progress, with_request=False)

    def stop(self, agent: str) -> None:
        """End an agent where it stands; what it has shown is kept."""
        self.tell_found()
        now = self.agents[agent]
        detail = f"{STOPPED}: {now.detail}" if now.state == "working" and now.detail else STOPPED
        told = self.progress_records(agent, "interrupted", detail=detail, done=now.done, total=now.total)
        self._record(*told)

    def end_agents(self, state: AgentState, detail: str) -> list[Record]:
        """Give every agent that has not ended a last state, and return the records that tell of it."""
        return [
            record
            for agent, now in list(self.agents.items())
            if now.state not in ENDED_AGENT_STATES
            for record in self.progress_records(agent, state, detail=detail, done=now.done, total=now.total)
        ]

    def message_records(
        self, role: Role, text: str, *, interrupted: bool = False, client_id: str | None = None
    ) -> list[Record]:
        """Return the records of a message that this task adds to the conversation.

        The task's own record counts them: store it behind them.
        """
        task = self.task
        message = Message(
            user_id=task.user_id,
            task_id=task.task_id,
            turn=task.spoken_turn or task.turn,
            position=task.messages,
            role=role,
            text=text,
            at=self._clock(),
            interrupted=interrupted,
            client_id=client_id,
        )
        self.task = replace(task, messages=task.messages + 1)
        return [message, events.message(message)]

    def _agent_records(self, agent: str, progress: AgentProgress, *, with_request: bool) -> list[Record]:
        event = events.agent_update(
            self.task_id, agent, progress, with_request=with_request, at=self._clock()
        )
        self.agents[agent] = progress
        return [SavedProgress(self.task.turn, agent, progress), event]

    def _take_room(self, size: int) -> None:
        if not self.fits(_BESIDE + size) and self.failure is not None:
            raise self.failure

    def _next_saved(self) -> int:
        self._saved += 1
        return self._saved - 1

    def _record(self, *records: Record) -> None:
        if self._untold is not None:
            self.tell_found()
        try:
            self._log.record(self.user_id, *self.unsaved, *records)
        except StoreUnavailable as error:
            _log.warning("something could not be stored yet", task_id=self.task_id, reason=error.message)
            self.unsaved += records
        else:
            self.unsaved.clear()
