"""The spans of tasks: folds what the log writes into spans of OpenTelemetry's SDK.

A task's span lasts from its acceptance until its end is durable. Names that begin with `gen_ai` are the GenAI
semantic conventions'; they are spelled out, since the installed package deprecates its own, and a test
compares them with it.
"""

import threading
from collections import Counter, OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal

import orjson
import structlog
from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    StatusCode,
    TraceFlags,
    Tracer,
    set_span_in_context,
)

from ...domain.encoding import Clock, encode
from ...domain.events import Event
from ...domain.model_usage import MeteredCall, OnCallEnd, Usage, UsageMeter
from ...domain.questions import InputRequest
from ...domain.task import ENDED_AGENT_STATES, InterruptReason, Message, Task, TaskStatus
from ...domain.tool_call import ToolCall
from ...store.records import Record

INVOKE_WORKFLOW, INVOKE_AGENT, EXECUTE_TOOL, CHAT = "invoke_workflow", "invoke_agent", "execute_tool", "chat"
OPERATION = "gen_ai.operation.name"
TOOL_NAME, TOOL_CALL_ID = "gen_ai.tool.name", "gen_ai.tool.call.id"
TOOL_OUTCOME = "detour.tool.outcome"
TASK_REASON = "detour.task.reason"
CONVERSATION_ID = "gen_ai.conversation.id"
OTHER_ERROR = "_OTHER"

LINK = "detour.link"
"""The attribute of a link that names its kind."""

MOST_RECENT = 10_000
"""Ended tasks, and tool calls, that later spans can link to."""

MOST_LIVE = 10_000
"""Tasks whose spans are open. What another process has taken over never ends here, and goes first."""

Users = Literal["hashed", "plain", "none"]
Attributes = dict[str, Any]

_NO_FAULT = frozenset({InterruptReason.SUPERSEDED, InterruptReason.STOPPED, InterruptReason.SHUTDOWN})

_log = structlog.get_logger(__name__)


# --- ids -----------------------------------------------------------------------------------------------
# Derived from what a span is of: a process that recovers a task continues the span that another has begun,
# and the spans that the other had sent still have their parent.


_DERIVED: ContextVar[tuple[int, int] | None] = ContextVar("derived_span_ids", default=None)


class DerivedIds(RandomIdGenerator):
    """Gives a span the ids that were derived for it, and random ones to a graph's own spans."""

    def generate_trace_id(self) -> int:
        """Return the id for a new trace."""
        derived = _DERIVED.get()
        return super().generate_trace_id() if derived is None else derived[0]

    def generate_span_id(self) -> int:
        """Return the id for a new span."""
        derived = _DERIVED.get()
        return super().generate_span_id() if derived is None else derived[1]


def span_id(*parts: str) -> int:
    """Return the id of the span of a task, or of a part of it."""
    return _number("\x1f".join(parts), 8)


def caller_of(traceparent: str | None) -> SpanContext | None:
    """Return the span of the client that sent a message; None without a valid `traceparent`."""
    fields = (traceparent or "").split("-")
    if len(fields) < 4:
        return None
    try:
        trace_id, parent_id, flags = (int(field, 16) for field in fields[1:4])
    except ValueError:
        return None
    caller = SpanContext(trace_id, parent_id, is_remote=True, trace_flags=TraceFlags(flags))
    return caller if caller.is_valid else None


def task_context(task_id: str, traceparent: str | None) -> SpanContext:
    """Return the ids of a task's span: in its caller's trace, or in one of its own."""
    caller = caller_of(traceparent)
    trace_id = caller.trace_id if caller is not None else _number(task_id, 16)
    flags = caller.trace_flags if caller is not None else TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(trace_id, span_id(task_id), is_remote=True, trace_flags=flags)


def _number(text: str, size: int) -> int:
    digest = blake2b(text.encode(), digest_size=size, person=b"detour span").digest()
    return int.from_bytes(digest, "big") or 1  # 0 is no id


# --- open spans ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class OpenSpan:
    """A span that has not ended; an agent's has the time `since` when it works, once that is known."""

    span: Span
    began: datetime
    since: str | None = None

    @property
    def inside(self) -> Context:
        """The context of spans within it."""
        return set_span_in_context(self.span)

    @property
    def context(self) -> SpanContext:
        """Its ids."""
        return self.span.get_span_context()

    def end(self, at: datetime, attributes: Attributes, *, error: str = "") -> None:
        """End it, with an error of that type if there was one."""
        self.span.set_attributes(attributes)
        if error:
            self.span.set_attribute("error.type", error)
            self.span.set_status(StatusCode.ERROR)
        self.span.end(_nanoseconds(max(at, self.began)))


@dataclass(slots=True)
class LiveTask:
    """A task that has not ended, as last written, with its open spans; `meter` knows its models' usage.

    It `continues` if another process has worked on it. `stretches` counts how often each agent began to work.
    """

    task: Task
    own: OpenSpan
    continues: bool
    stretches: Counter[str] = field(default_factory=Counter[str])
    agents: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    calls: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    models: dict[int, tuple[OpenSpan, MeteredCall]] = field(default_factory=dict[int, Any])
    meter: UsageMeter | None = None
    reply: str = ""

    @property
    def context(self) -> SpanContext:
        """The ids of its span."""
        return self.own.context

    def event(self, name: str, at: datetime, attributes: Attributes) -> None:
        """Add an event to the task's span."""
        self.own.span.add_event(name, attributes, _nanoseconds(at))

    def link(self, kind: str, target: SpanContext | None) -> None:
        """Link the task's span to another, if its ids are known."""
        if target is not None:
            self.own.span.add_link(target, {LINK: kind})

    def end_parts(self, at: datetime) -> None:
        """End what is still open within the task."""
        for span, call in [*self.models.values()]:  # a plain node's thread adds and removes meanwhile
            span.end(at, _used(call.usage))
        for span in (*self.calls.values(), *self.agents.values()):
            span.end(at, {})
        for parts in (self.models, self.calls, self.agents):
            parts.clear()


class _Recent(OrderedDict[str, SpanContext]):
    """The ids of the latest spans, each by a name."""

    def __setitem__(self, name: str, span: SpanContext) -> None:
        super().__setitem__(name, span)
        self.move_to_end(name)
        if len(self) > MOST_RECENT:
            self.popitem(last=False)


def _nanoseconds(at: datetime) -> int:
    return int(at.timestamp() * 1_000_000) * 1000


def _used(usage: Usage) -> Attributes:
    """Return what models have used, as attributes."""
    of_parts = {
        "gen_ai.usage.cache_read.input_tokens": usage.cache_read,
        "gen_ai.usage.cache_creation.input_tokens": usage.cache_creation,
        "gen_ai.usage.reasoning.output_tokens": usage.reasoning,
    }
    return {
        "gen_ai.usage.input_tokens": usage.input_tokens,
        "gen_ai.usage.output_tokens": usage.output_tokens,
        "detour.model_calls": usage.calls,
        "detour.usage.estimated": usage.estimated,
    } | {name: tokens for name, tokens in of_parts.items() if tokens}


def _as_message(role: str, text: str) -> str:
    """Return one message, in the form of the conventions."""
    return orjson.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}]).decode()


# --- tasks ---------------------------------------------------------------------------------------------


class TaskSpans:
    """The spans of all tasks of one server; observes every record that its log writes.

    `workflow` names what is served, `words` is whether spans hold what users, agents and tools say. The
    tracer's provider must make its ids by `DerivedIds`.
    """

    def __init__(self, tracer: Tracer, *, clock: Clock, workflow: str, users: Users, words: bool) -> None:
        self._tracer = tracer
        self._clock = clock
        self._workflow = workflow
        self._users: Users = users
        self._words = words
        self._live: OrderedDict[str, LiveTask] = OrderedDict()
        self._ended = _Recent()
        self._calls = _Recent()
        self._beginning = threading.Lock()

    def written(self, records: Sequence[Record], *, seconds: float | None = None) -> None:
        """Fold records that are or soon will be durable. An exception costs a span, and is logged."""
        try:
            tasks = [record for record in records if isinstance(record, Task)]
            # First: a task that ends with these records can then still be linked to its successor.
            for task in tasks:
                self._begin(task, tasks)
            for record in records:
                live = self._live.get(getattr(record, "task_id", ""))
                if live is not None:
                    self._fold(live, record)
        except Exception:  # noqa: BLE001 - whatever is wrong with a span, the record is written
            _log.exception("a span could not be made")

    def let_go(self, user_id: str) -> None:
        """Change nothing: the process that takes a task over sends its span."""

    def live(self, task_id: str) -> LiveTask | None:
        """Return the spans of a task that has not ended."""
        return self._live.get(task_id)

    def _open(
        self,
        name: str,
        at: datetime,
        within: Context,
        attributes: Attributes,
        *,
        ids: tuple[int, int] | None = None,
        links: Sequence[Link] = (),
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> OpenSpan:
        """Open a span that began `at` a time; `ids` are its trace's and its own, random ones by default."""
        token = _DERIVED.set(ids)
        try:
            span = self._tracer.start_span(
                name, within, kind, attributes=attributes, links=links, start_time=_nanoseconds(at)
            )
        finally:
            _DERIVED.reset(token)
        return OpenSpan(span, at)

    def _begin(self, task: Task, together: Sequence[Task]) -> None:
        """Begin the span of a task that is new here; `together` are the tasks that were written with it."""
        if task.task_id in self._live or task.task_id in self._ended or task.status.terminal:
            return
        own = task_context(task.task_id, task.traceparent)
        caller = caller_of(task.traceparent)
        workflow = task.graph or self._workflow
        span = self._open(
            f"{INVOKE_WORKFLOW} {workflow}",
            task.created_at,
            Context() if caller is None else set_span_in_context(NonRecordingSpan(caller), Context()),
            self._attributes(task, workflow),
            ids=(own.trace_id, own.span_id),
            links=[*self._links(task, together, own)],
        )
        self._live[task.task_id] = LiveTask(task, span, continues=task.updated_at != task.created_at)
        if len(self._live) > MOST_LIVE:
            self._live.popitem(last=False)

    def _links(self, task: Task, together: Sequence[Task], own: SpanContext) -> Iterator[Link]:
        """Yield the links of a new task, and link the tasks that it retries or interrupts back to it."""
        previous = task.previous_task_id
        if task.asked_in is not None and previous is not None:
            # The same message, so the same caller.
            related = [(previous, task.traceparent)]
            kind, back = "retries", "retried_by"
        else:
            related = [
                (other.task_id, other.traceparent)
                for other in together
                if other.task_id != task.task_id and other.reason is not None
            ]
            kind, back = "interrupts", "interrupted_by"
        for task_id, traceparent in related:
            if task_id in self._live:
                self._live[task_id].link(back, own)
            yield Link(task_context(task_id, traceparent), {LINK: kind})
        resumed = self._seen(task.resumed_task_id)
        if resumed is not None:
            yield Link(resumed, {LINK: "resumes"})

    def _attributes(self, task: Task, workflow: str) -> Attributes:
        attributes: Attributes = {
            OPERATION: INVOKE_WORKFLOW,
            "gen_ai.workflow.name": workflow,
            "detour.task.id": task.task_id,
            "detour.task.turn": task.turn,
            "detour.task.policy": task.policy,
            "detour.task.aside": task.aside,
        }
        if task.relation is not None:
            attributes["detour.task.relation"] = task.relation
        if self._users == "plain":
            attributes |= {"user.id": task.user_id, CONVERSATION_ID: task.user_id}
        elif self._users == "hashed":
            user = blake2b(task.user_id.encode(), digest_size=8).hexdigest()
            attributes |= {"user.hash": user, CONVERSATION_ID: user}
        if self._words:
            attributes["gen_ai.input.messages"] = _as_message("user", task.message)
        return attributes

    def _fold(self, live: LiveTask, record: Record) -> None:
        match record:
            # Events are decoded, since the records beside these do not say of which task they are.
            case Event(type="agent_update"):
                self._fold_agent(live, orjson.loads(record.body))
            case Event(type="context_transfer"):
                transfer = orjson.loads(record.body)
                before = transfer["from_task_id"]
                about = {"detour.from_task.id": before, "detour.adopted_calls": transfer["adopted"]}
                live.event("detour.context_transfer", datetime.fromisoformat(transfer["at"]), about)
                live.link("takes_over", self._seen(before))
            case Task():
                self._fold_task(live, record)
            case ToolCall(is_step=False):
                self._fold_call(live, record)
            case InputRequest():
                about = {
                    "detour.input_request.id": record.request_id,
                    "detour.input_request.kind": record.kind,
                }
                if record.resolution is None:
                    live.event("detour.input_request", record.asked_at, about)
                else:
                    about["detour.input_request.resolution"] = record.resolution
                    live.event("detour.input_resolved", self._clock(), about)
            case Message(role="assistant"):
                live.reply = record.text
            case _:
                pass

    def _fold_task(self, live: LiveTask, task: Task) -> None:
        before, live.task = live.task, task
        if task.reason is not None and before.reason is None:
            at = task.interrupt_requested_at or task.updated_at
            live.event("detour.interruption", at, {TASK_REASON: task.reason.value})
        if not task.status.terminal:
            return
        live.end_parts(task.updated_at)
        attributes: Attributes = {
            "detour.task.status": task.status.value,
            "detour.task.attempt": task.attempt,
        }
        error = OTHER_ERROR if task.status is TaskStatus.FAILED else ""
        if task.status is TaskStatus.INTERRUPTED and task.reason is not None:
            attributes[TASK_REASON] = task.reason.value
            error = "" if task.reason in _NO_FAULT else task.reason.value
        if live.meter is not None and (total := live.meter.total()).calls:
            attributes |= _used(total)
        if self._words and live.reply:
            attributes["gen_ai.output.messages"] = _as_message("assistant", live.reply)
        live.own.end(task.updated_at, attributes, error=error)
        del self._live[task.task_id]
        self._ended[task.task_id] = live.context

    def _seen(self, task_id: str | None) -> SpanContext | None:
        """Return the ids of the span of a task, if it was seen here."""
        live = self._live.get(task_id or "")
        return live.context if live is not None else self._ended.get(task_id or "")

    # --- agents --------------------------------------------------------------------------------------

    def _fold_agent(self, live: LiveTask, update: Mapping[str, Any]) -> None:
        """Fold the fields of an `agent_update`."""
        agent, state, since = update["agent"], update["state"], update["since"]
        at = datetime.fromisoformat(update["until"] or update["at"])
        has_ended = state in ENDED_AGENT_STATES
        now = live.agents.get(agent)
        if now is not None and (has_ended or now.since not in (None, since)):
            self._end_agent(live, at, update)
        elif now is not None:
            now.since = since
        elif has_ended and since is not None and not live.stretches[agent]:
            # It worked in a process that is gone, which could not send the span that its calls are in.
            self._begin_agent(live, agent, datetime.fromisoformat(since), is_first=True)
            self._end_agent(live, at, update)
        if agent not in live.agents and state == "working" and since is not None:
            began = datetime.fromisoformat(since)
            self._begin_agent(live, agent, began, is_first=not live.continues).since = since

    def _begin_agent(self, live: LiveTask, agent: str, at: datetime, *, is_first: bool) -> OpenSpan:
        """Begin the span of an agent; the process that is the first to work on the task derives its id."""
        derived = live.context.trace_id, span_id(live.task.task_id, agent, str(live.stretches[agent]))
        span = self._open(
            f"{INVOKE_AGENT} {agent}",
            at,
            live.own.inside,
            {OPERATION: INVOKE_AGENT, "gen_ai.agent.name": agent},
            ids=derived if is_first else None,
        )
        live.stretches[agent] += 1
        live.agents[agent] = span
        return span

    def _end_agent(self, live: LiveTask, at: datetime, update: Mapping[str, Any]) -> None:
        ended = {"detour.agent.state": update["state"], "detour.agent.results": update["count"]}
        error = OTHER_ERROR if update["state"] == "failed" else ""
        live.agents.pop(update["agent"]).end(at, ended, error=error)

    def _inside(self, live: LiveTask, agent: str, at: datetime) -> Context:
        """Return the context of what an agent does, perhaps before its first update; "" is no agent."""
        if not agent:
            return live.own.inside
        with self._beginning:  # models are called in any thread
            now = live.agents.get(agent)
            return (now or self._begin_agent(live, agent, at, is_first=not live.continues)).inside

    # --- tool calls ----------------------------------------------------------------------------------

    def _fold_call(self, live: LiveTask, call: ToolCall) -> None:
        now = live.calls.get(call.call_id)
        if now is not None and call.state != "running":
            self._end_call(live, now, call)
        elif now is None and call.outcome is None and call.state == "running":
            self._begin_call(live, call)
        elif now is None and call.outcome is not None and call.started_at is not None and not call.done:
            # It ran in a process that is gone.
            self._end_call(live, self._begin_call(live, call), call)
        elif now is None and call.outcome is not None:
            # It was not made: refused, or its result was found just before.
            about = {TOOL_NAME: call.tool, TOOL_CALL_ID: call.call_id, TOOL_OUTCOME: str(call.outcome)}
            live.event("detour.tool_call", self._clock(), about)
            if call.done:
                live.link("reuses", self._calls.get(call.call_id))

    def _begin_call(self, live: LiveTask, call: ToolCall) -> OpenSpan:
        # A call that is adopted keeps its id, and has run before its task began.
        made = self._calls.get(call.call_id)
        began = max(call.started_at or self._clock(), live.own.began)
        span = self._open(
            f"{EXECUTE_TOOL} {call.tool}",
            began,
            self._inside(live, call.agent, began),
            {
                OPERATION: EXECUTE_TOOL,
                TOOL_NAME: call.tool,
                "gen_ai.tool.type": "function",
                TOOL_CALL_ID: call.call_id,
                "detour.tool.effect": call.effect,
            },
            links=[] if made is None else [Link(made, {LINK: "adopts"})],
        )
        live.calls[call.call_id] = span
        self._calls[call.call_id] = span.context
        return span

    def _end_call(self, live: LiveTask, span: OpenSpan, call: ToolCall) -> None:
        ended: Attributes = {TOOL_OUTCOME: call.outcome or call.state}
        if call.found is not None:
            ended["detour.tool.found"] = call.found
        if self._words:
            ended["gen_ai.tool.call.arguments"] = encode(call.arguments).decode()
            ended["gen_ai.tool.call.result"] = encode(call.result).decode()
        error = OTHER_ERROR if call.outcome in ("failed", "unknown") else ""
        span.end(call.ended_at or self._clock(), ended, error=error)
        del live.calls[call.call_id]

    # --- model calls ---------------------------------------------------------------------------------

    def follow_models(self, live: LiveTask, meter: UsageMeter) -> None:
        """Make a span for each call that the meter of a task counts."""
        live.meter = meter

        def began(call: MeteredCall) -> OnCallEnd:
            now = self._clock()
            of_model = {"gen_ai.provider.name": call.provider, "gen_ai.request.model": call.model}
            span = self._open(
                f"{CHAT} {call.model}".rstrip(),
                now,
                self._inside(live, call.agent, now),
                {OPERATION: CHAT} | {name: value for name, value in of_model.items() if value},
                kind=SpanKind.CLIENT,
            )
            live.models[id(call)] = span, call

            def ended(call: MeteredCall, failed: bool) -> None:
                if live.models.pop(id(call), None) is not None:
                    span.end(self._clock(), _used(call.usage), error=OTHER_ERROR if failed else "")

            return ended

        meter.on_begin = began
