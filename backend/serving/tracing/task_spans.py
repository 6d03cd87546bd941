"""Folds the records that are written into spans.

A task's span lasts from its acceptance until its ending is durable. Whatever raises in here is logged and
costs a span: the log, which tells it of each record, must not fail for it.
"""

from collections import OrderedDict
from collections.abc import Generator, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import orjson
import structlog
from opentelemetry.context import Context
from opentelemetry.trace import Link, NonRecordingSpan, SpanContext, set_span_in_context

from ...domain.clock import Clock
from ...domain.events import Event
from ...domain.inputs import InputRequest
from ...domain.task import InterruptReason, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from ...domain.usage import UsageMeter
from ...log.state_store.records import Record
from . import names
from .live_task import LiveTask, used
from .opening import RecentSpans, SpanOpener
from .part_spans import PartSpans
from .span_ids import caller_of, task_context
from .words import message_words

MOST_LIVE = 10_000
"""Tasks whose spans are open at most. What another process has taken over never ends here, and goes first."""

Users = Literal["hashed", "plain", "none"]

_NO_FAULT = frozenset({InterruptReason.SUPERSEDED, InterruptReason.STOPPED, InterruptReason.SHUTDOWN})

_log = structlog.get_logger(__name__)


class _Related(NamedTuple):
    """What a new task is to another task, in a word; `back` is what that is to the new one, "" if unsaid."""

    kind: str
    back: str
    other: str
    target: SpanContext


class TaskSpans:
    """The spans of all tasks of one server; observes every record that its log writes.

    `workflow` names what is served, `words` says whether spans tell what users and agents say.
    """

    def __init__(self, opener: SpanOpener, *, clock: Clock, workflow: str, users: Users, words: bool) -> None:
        self._opener = opener
        self._parts = PartSpans(opener, clock=clock, words=words)
        self._clock = clock
        self._workflow = workflow
        self._users: Users = users
        self._words = words
        self._live: OrderedDict[str, LiveTask] = OrderedDict()
        self._ended = RecentSpans()

    def written(self, records: Sequence[Record], *, seconds: float | None = None) -> None:
        """Fold records that are or soon will be durable."""
        try:
            tasks = [record for record in records if isinstance(record, Task)]
            # First: a task that ends with these records can then still be linked to what takes its place.
            for task in tasks:
                self._begin(task, tasks)
            for record in records:
                self._fold(record)
        except Exception:  # noqa: BLE001 - whatever is wrong with a span, the record is written
            _log.exception("a span could not be made")

    def let_go(self, user_id: str) -> None:
        """Change nothing: the span of a task that another process goes on with is sent by that one."""

    def live(self, task_id: str) -> LiveTask | None:
        """Return the spans of a task that has not ended."""
        return self._live.get(task_id)

    def follow_models(self, live: LiveTask, meter: UsageMeter) -> None:
        """Make a span for each call of a model that the meter of a task is told of."""
        self._parts.follow_models(live, meter)

    def _begin(self, task: Task, together: Sequence[Task]) -> None:
        """Begin the span of a task that is new here; `together` are the tasks that were written with it."""
        if task.task_id in self._live or task.task_id in self._ended or task.status.terminal:
            return
        own = task_context(task.task_id, task.traceparent)
        links: list[Link] = []
        for related in self._related(task, together):
            links.append(Link(related.target, {names.LINK: related.kind}))
            if related.back and related.other in self._live:
                self._live[related.other].link(related.back, own)
        caller = caller_of(task.traceparent)
        workflow = task.graph or self._workflow
        span = self._opener.open(
            f"{names.INVOKE_WORKFLOW} {workflow}",
            task.created_at,
            Context() if caller is None else set_span_in_context(NonRecordingSpan(caller), Context()),
            self._attributes(task, workflow),
            ids=(own.trace_id, own.span_id),
            links=links,
        )
        self._live[task.task_id] = LiveTask(task, span, continues=task.updated_at != task.created_at)
        if len(self._live) > MOST_LIVE:
            self._live.popitem(last=False)

    def _related(self, task: Task, together: Sequence[Task]) -> Generator[_Related]:
        previous = task.previous_task_id
        if task.asked_in is not None and previous is not None:
            # The same message, so the same caller.
            target = task_context(previous, task.traceparent)
            yield _Related(names.RETRIES, names.RETRIED_BY, previous, target)
        else:
            for other in together:
                if other.task_id != task.task_id and other.reason is not None:
                    target = task_context(other.task_id, other.traceparent)
                    yield _Related(names.INTERRUPTS, names.INTERRUPTED_BY, other.task_id, target)
        resumed = self._seen(task.resumed_task_id)
        if task.resumed_task_id is not None and resumed is not None:
            yield _Related(names.RESUMES, "", task.resumed_task_id, resumed)

    def _attributes(self, task: Task, workflow: str) -> dict[str, Any]:
        attributes: dict[str, Any] = {
            names.OPERATION: names.INVOKE_WORKFLOW,
            names.WORKFLOW_NAME: workflow,
            names.TASK_ID: task.task_id,
            names.TASK_TURN: task.turn,
            names.TASK_POLICY: task.policy,
            names.TASK_ASIDE: task.aside,
        }
        if task.relation is not None:
            attributes[names.TASK_RELATION] = task.relation
        if self._users == "plain":
            attributes |= {names.USER_ID: task.user_id, names.CONVERSATION_ID: task.user_id}
        elif self._users == "hashed":
            user = blake2b(task.user_id.encode(), digest_size=8).hexdigest()
            attributes |= {names.USER_HASH: user, names.CONVERSATION_ID: user}
        if self._words:
            attributes |= message_words(names.INPUT_MESSAGES, "user", task.message)
        return attributes

    def _fold(self, record: Record) -> None:
        live = self._live.get(getattr(record, "task_id", ""))
        if live is None:
            return
        match record:
            case Event():
                self._see_event(live, record)
            case Task():
                self._see_task(live, record)
            case ToolCall(is_step=False):
                self._parts.see_call(live, record)
            case InputRequest():
                self._see_input(live, record)
            case Message(role="assistant"):
                live.reply = record.text
            case _:
                pass

    def _see_event(self, live: LiveTask, event: Event) -> None:
        # Decoded, since the records beside these events do not say of which task they are.
        if event.type == "agent_update":
            self._parts.see_agent(live, orjson.loads(event.body))
        elif event.type == "context_transfer":
            told = orjson.loads(event.body)
            at, before = datetime.fromisoformat(told["at"]), told["from_task_id"]
            live.event(names.TRANSFER_EVENT, at, {names.FROM_TASK: before, names.ADOPTED: told["adopted"]})
            target = self._seen(before)
            if target is not None:
                live.link(names.TAKES_OVER, target)

    def _see_input(self, live: LiveTask, request: InputRequest) -> None:
        about = {names.REQUEST_ID: request.request_id, names.REQUEST_KIND: request.kind}
        if request.resolution is None:
            live.event(names.ASKED_EVENT, request.asked_at, about)
        else:
            about[names.REQUEST_RESOLUTION] = request.resolution
            live.event(names.RESOLVED_EVENT, self._clock(), about)

    def _see_task(self, live: LiveTask, task: Task) -> None:
        before, live.task = live.task, task
        if task.reason is not None and before.reason is None:
            at = task.interrupt_requested_at or task.updated_at
            live.event(names.INTERRUPTION_EVENT, at, {names.TASK_REASON: task.reason.value})
        if task.status.terminal:
            self._end(live)

    def _end(self, live: LiveTask) -> None:
        task = live.task
        live.end_parts(task.updated_at)
        attributes: dict[str, Any] = {names.TASK_STATUS: task.status.value, names.TASK_ATTEMPT: task.attempt}
        error = names.OTHER_ERROR if task.status is TaskStatus.FAILED else ""
        if task.status is TaskStatus.INTERRUPTED and task.reason is not None:
            attributes[names.TASK_REASON] = task.reason.value
            error = "" if task.reason in _NO_FAULT else task.reason.value
        if live.meter is not None and (total := live.meter.total()).calls:
            attributes |= used(total)
        if self._words and live.reply:
            attributes |= message_words(names.OUTPUT_MESSAGES, "assistant", live.reply)
        live.own.end(task.updated_at, attributes, error=error)
        del self._live[task.task_id]
        self._ended.add(task.task_id, live.context)

    def _seen(self, task_id: str | None) -> SpanContext | None:
        """Return the ids of the span of a task, if it was seen here."""
        live = self._live.get(task_id or "")
        return live.context if live is not None else self._ended.get(task_id or "")
