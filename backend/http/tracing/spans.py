"""The names of attributes, links and events of spans.

Those that begin with `gen_ai` are the GenAI semantic conventions'. They are spelled out here, since the
installed package calls its own deprecated: the conventions have moved to a repository that publishes none. A
test holds them to that package.
"""

import contextlib
import threading
from collections import Counter, OrderedDict
from collections.abc import Generator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any, Literal, NamedTuple

import orjson
import structlog
from opentelemetry.context import Context
from opentelemetry.sdk.trace.id_generator import IdGenerator, RandomIdGenerator
from opentelemetry.trace import (
    Link,
    NonRecordingSpan,
    Span,
    SpanContext,
    SpanKind,
    Status,
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

OPERATION = "gen_ai.operation.name"
CONVERSATION_ID = "gen_ai.conversation.id"
WORKFLOW_NAME = "gen_ai.workflow.name"
AGENT_NAME = "gen_ai.agent.name"
TOOL_NAME = "gen_ai.tool.name"
TOOL_TYPE = "gen_ai.tool.type"
TOOL_CALL_ID = "gen_ai.tool.call.id"
TOOL_ARGUMENTS = "gen_ai.tool.call.arguments"
TOOL_RESULT = "gen_ai.tool.call.result"
PROVIDER = "gen_ai.provider.name"
REQUEST_MODEL = "gen_ai.request.model"
INPUT_TOKENS = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS = "gen_ai.usage.output_tokens"
CACHE_READ_TOKENS = "gen_ai.usage.cache_read.input_tokens"
CACHE_CREATION_TOKENS = "gen_ai.usage.cache_creation.input_tokens"
REASONING_TOKENS = "gen_ai.usage.reasoning.output_tokens"
INPUT_MESSAGES = "gen_ai.input.messages"
OUTPUT_MESSAGES = "gen_ai.output.messages"

INVOKE_WORKFLOW = "invoke_workflow"
INVOKE_AGENT = "invoke_agent"
EXECUTE_TOOL = "execute_tool"
CHAT = "chat"

USER_ID = "user.id"
USER_HASH = "user.hash"
ERROR_TYPE = "error.type"
OTHER_ERROR = "_OTHER"

TASK_ID = "detour.task.id"
TASK_TURN = "detour.task.turn"
TASK_STATUS = "detour.task.status"
TASK_REASON = "detour.task.reason"
TASK_RELATION = "detour.task.relation"
TASK_POLICY = "detour.task.policy"
TASK_ATTEMPT = "detour.task.attempt"
TASK_ASIDE = "detour.task.aside"
MODEL_CALLS = "detour.model_calls"
USAGE_ESTIMATED = "detour.usage.estimated"
AGENT_STATE = "detour.agent.state"
AGENT_RESULTS = "detour.agent.results"
TOOL_EFFECT = "detour.tool.effect"
TOOL_OUTCOME = "detour.tool.outcome"
TOOL_FOUND = "detour.tool.found"
REQUEST_ID = "detour.input_request.id"
REQUEST_KIND = "detour.input_request.kind"
REQUEST_RESOLUTION = "detour.input_request.resolution"
FROM_TASK = "detour.from_task.id"
ADOPTED = "detour.adopted_calls"

LINK = "detour.link"
"""The attribute of a link that says what the linked span is to this one: one of the words below."""

INTERRUPTS, INTERRUPTED_BY = "interrupts", "interrupted_by"
RETRIES, RETRIED_BY = "retries", "retried_by"
RESUMES, TAKES_OVER, ADOPTS, REUSES = "resumes", "takes_over", "adopts", "reuses"

INTERRUPTION_EVENT = "detour.interruption"
ASKED_EVENT = "detour.input_request"
RESOLVED_EVENT = "detour.input_resolved"
TRANSFER_EVENT = "detour.context_transfer"
CALL_EVENT = "detour.tool_call"


# --- span ids ------------------------------------------------------------------------------------------
# The ids of spans, derived from what they are spans of.
#
# So a process that takes a task up after another has died continues the very span that the other had begun,
# and the spans that the other had sent still have their parent.


_GIVEN: ContextVar[tuple[int, int] | None] = ContextVar("given_span_ids", default=None)


class GivenIds(IdGenerator):
    """Gives the ids that are `given`, and random ones to all other spans, such as those of a graph's own."""

    def __init__(self) -> None:
        self._random = RandomIdGenerator()

    @contextlib.contextmanager
    def given(self, trace_id: int, span_id: int) -> Generator[None]:
        """Give these to the span that is started within."""
        token = _GIVEN.set((trace_id, span_id))
        try:
            yield
        finally:
            _GIVEN.reset(token)

    def generate_trace_id(self) -> int:
        """Return the id for a new trace."""
        given = _GIVEN.get()
        return given[0] if given is not None else self._random.generate_trace_id()

    def generate_span_id(self) -> int:
        """Return the id for a new span."""
        given = _GIVEN.get()
        return given[1] if given is not None else self._random.generate_span_id()


def span_id(*parts: str) -> int:
    """Return the id of the span of a task, or of a part of it."""
    return _number("\x1f".join(parts), 8)


def caller_of(traceparent: str | None) -> SpanContext | None:
    """Return the span of whoever sent a message; None without a valid `traceparent`."""
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
    """Return the span of a task: in its caller's trace, or in one of its own."""
    caller = caller_of(traceparent)
    trace_id = caller.trace_id if caller is not None else _number(task_id, 16)
    flags = caller.trace_flags if caller is not None else TraceFlags(TraceFlags.SAMPLED)
    return SpanContext(trace_id, span_id(task_id), is_remote=True, trace_flags=flags)


def _number(text: str, size: int) -> int:
    digest = blake2b(text.encode(), digest_size=size, person=b"detour span").digest()
    return int.from_bytes(digest, "big") or 1  # 0 is no id


# --- opening -------------------------------------------------------------------------------------------
# Spans that are open, how they are opened, and the ids of late ones, which is all that a link needs.


MOST_RECENT = 10_000
"""How many spans can be linked to."""


@dataclass(slots=True)
class OpenSpan:
    """A span that has not ended; an agent's has the time `since` when it works, once that is told."""

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

    def end(self, at: datetime, attributes: Mapping[str, Any], *, error: str = "") -> None:
        """End it, with an error of that type if there was one."""
        self.span.set_attributes(attributes)
        if error:
            self.span.set_attribute(ERROR_TYPE, error)
            self.span.set_status(Status(StatusCode.ERROR))
        self.span.end(nanoseconds(max(at, self.began)))


class SpanOpener:
    """Opens spans."""

    def __init__(self, tracer: Tracer, ids: GivenIds) -> None:
        self._tracer = tracer
        self._ids = ids

    def open(
        self,
        name: str,
        at: datetime,
        within: Context,
        attributes: Mapping[str, Any],
        *,
        ids: tuple[int, int] | None = None,
        links: Sequence[Link] = (),
        kind: SpanKind = SpanKind.INTERNAL,
    ) -> OpenSpan:
        """Open a span that began `at` a time; `ids` are its trace's and its own, random ones by default."""
        if ids is not None:
            with self._ids.given(*ids):
                return self.open(name, at, within, attributes, links=links, kind=kind)
        span = self._tracer.start_span(
            name, within, kind, attributes=attributes, links=links, start_time=nanoseconds(at)
        )
        return OpenSpan(span, at)


class RecentSpans:
    """The ids of the latest spans, by a name each."""

    def __init__(self) -> None:
        self._spans: OrderedDict[str, SpanContext] = OrderedDict()

    def __contains__(self, name: str) -> bool:
        """Return whether that one is known."""
        return name in self._spans

    def get(self, name: str) -> SpanContext | None:
        """Return the ids of one, if it is known."""
        return self._spans.get(name)

    def add(self, name: str, span: SpanContext) -> None:
        """Know one more; the oldest is forgotten."""
        self._spans[name] = span
        self._spans.move_to_end(name)
        if len(self._spans) > MOST_RECENT:
            self._spans.popitem(last=False)


def nanoseconds(at: datetime) -> int:
    """Return a time as spans have it, since 1970."""
    return int(at.timestamp() * 1_000_000) * 1000


# --- live task -----------------------------------------------------------------------------------------
# The spans of one task that has not ended: its own, and those of its agents, tool calls and model calls.


class OpenModel(NamedTuple):
    """The span of a model's call that has not ended, and the meter of the call."""

    span: OpenSpan
    call: MeteredCall


@dataclass(slots=True)
class LiveTask:
    """A task that has not ended, as it was last written; `meter` knows what its models have used.

    It `continues` if another process has worked on it. `stretches` counts how often each agent began to work.
    """

    task: Task
    own: OpenSpan
    continues: bool
    stretches: Counter[str] = field(default_factory=Counter[str])
    agents: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    calls: dict[str, OpenSpan] = field(default_factory=dict[str, OpenSpan])
    models: dict[int, OpenModel] = field(default_factory=dict[int, OpenModel])
    meter: UsageMeter | None = None
    reply: str = ""

    @property
    def context(self) -> SpanContext:
        """The ids of its span."""
        return self.own.context

    def event(self, name: str, at: datetime, attributes: Mapping[str, Any]) -> None:
        """Add an event to the task's span."""
        self.own.span.add_event(name, dict(attributes), nanoseconds(at))

    def link(self, kind: str, target: SpanContext) -> None:
        """Link the task's span to another."""
        self.own.span.add_link(target, {LINK: kind})

    def end_parts(self, at: datetime) -> None:
        """End what is still open within the task: it ends with it."""
        for span, call in list(self.models.values()):
            span.end(at, used(call.usage))
        self.models.clear()
        for part in (self.calls, self.agents):
            for each in list(part.values()):
                each.end(at, {})
            part.clear()


def used(usage: Usage) -> dict[str, Any]:
    """Return what models have used, as attributes."""
    of_parts = {
        CACHE_READ_TOKENS: usage.cache_read,
        CACHE_CREATION_TOKENS: usage.cache_creation,
        REASONING_TOKENS: usage.reasoning,
    }
    return {
        INPUT_TOKENS: usage.input_tokens,
        OUTPUT_TOKENS: usage.output_tokens,
        MODEL_CALLS: usage.calls,
        USAGE_ESTIMATED: usage.estimated,
    } | {name: tokens for name, tokens in of_parts.items() if tokens}


# --- words ---------------------------------------------------------------------------------------------
# What users, agents and tools have said, as attributes of spans; only where that was switched on.


def message_words(attribute: str, role: str, text: str) -> dict[str, str]:
    """Return one message, in the form of the conventions."""
    said = [{"role": role, "parts": [{"type": "text", "content": text}]}]
    return {attribute: orjson.dumps(said).decode()}


def call_words(call: ToolCall) -> dict[str, Any]:
    """Return what a tool was asked and what it answered."""
    return {
        TOOL_ARGUMENTS: encode(call.arguments).decode(),
        TOOL_RESULT: encode(call.result).decode(),
    }


# --- part spans ----------------------------------------------------------------------------------------
# The spans within a task's: those of its agents, of their tool calls, and of their models' calls.


class PartSpans:
    """Opens and ends them; `words` says whether they tell what tools are asked and answer."""

    def __init__(self, opener: SpanOpener, *, clock: Clock, words: bool) -> None:
        self._opener = opener
        self._clock = clock
        self._words = words
        self._calls = RecentSpans()
        self._beginning = threading.Lock()

    # --- agents --------------------------------------------------------------------------------------

    def see_agent(self, live: LiveTask, told: Mapping[str, Any]) -> None:
        """Take the fields of an `agent_update`."""
        agent, state, since = told["agent"], told["state"], told["since"]
        at = datetime.fromisoformat(told["until"] or told["at"])
        has_ended = state in ENDED_AGENT_STATES
        now = live.agents.get(agent)
        if now is not None and (has_ended or now.since not in (None, since)):
            self._end_agent(live, agent, at, told)
        elif now is not None:
            now.since = since
        elif has_ended and since is not None and not live.stretches[agent]:
            # It worked in a process that is gone, which could not send the span that its calls are in.
            self._begin_agent(live, agent, datetime.fromisoformat(since), is_first=True)
            self._end_agent(live, agent, at, told)
        if agent not in live.agents and state == "working" and since is not None:
            began = self._begin_agent(live, agent, datetime.fromisoformat(since), is_first=not live.continues)
            began.since = since

    def _begin_agent(self, live: LiveTask, agent: str, at: datetime, *, is_first: bool) -> OpenSpan:
        """Begin the span of an agent; the process that is the first to work on the task derives its id."""
        derived = live.context.trace_id, span_id(live.task.task_id, agent, str(live.stretches[agent]))
        span = self._opener.open(
            f"{INVOKE_AGENT} {agent}",
            at,
            live.own.inside,
            {OPERATION: INVOKE_AGENT, AGENT_NAME: agent},
            ids=derived if is_first else None,
        )
        live.stretches[agent] += 1
        live.agents[agent] = span
        return span

    def _end_agent(self, live: LiveTask, agent: str, at: datetime, told: Mapping[str, Any]) -> None:
        error = OTHER_ERROR if told["state"] == "failed" else ""
        ended = {AGENT_STATE: told["state"], AGENT_RESULTS: told["count"]}
        live.agents.pop(agent).end(at, ended, error=error)

    def _inside(self, live: LiveTask, agent: str, at: datetime) -> Context:
        """Return the context of what an agent does, which may be told before the agent is; "" is none."""
        if not agent:
            return live.own.inside
        with self._beginning:  # models are called in any thread
            now = live.agents.get(agent)
            return (now or self._begin_agent(live, agent, at, is_first=not live.continues)).inside

    # --- tool calls ----------------------------------------------------------------------------------

    def see_call(self, live: LiveTask, call: ToolCall) -> None:
        """Take a call as it is now."""
        now = live.calls.get(call.call_id)
        if now is not None and call.state != "running":
            self._end_call(live, now, call)
        elif now is None and call.outcome is None and call.state == "running":
            self._begin_call(live, call)
        elif now is None and call.outcome is not None and call.started_at is not None and not call.done:
            # It ran in a process that is gone.
            self._end_call(live, self._begin_call(live, call), call)
        elif now is None and call.outcome is not None:
            self._note_call(live, call)

    def _begin_call(self, live: LiveTask, call: ToolCall) -> OpenSpan:
        # A call that is adopted keeps its id, and has run before its task began.
        made = self._calls.get(call.call_id)
        began = max(call.started_at or self._clock(), live.own.began)
        span = self._opener.open(
            f"{EXECUTE_TOOL} {call.tool}",
            began,
            self._inside(live, call.agent, began),
            {
                OPERATION: EXECUTE_TOOL,
                TOOL_NAME: call.tool,
                TOOL_TYPE: "function",
                TOOL_CALL_ID: call.call_id,
                TOOL_EFFECT: call.effect,
            },
            links=[] if made is None else [Link(made, {LINK: ADOPTS})],
        )
        live.calls[call.call_id] = span
        self._calls.add(call.call_id, span.context)
        return span

    def _end_call(self, live: LiveTask, span: OpenSpan, call: ToolCall) -> None:
        ended: dict[str, Any] = {TOOL_OUTCOME: call.outcome or call.state}
        if call.found is not None:
            ended[TOOL_FOUND] = call.found
        if self._words:
            ended |= call_words(call)
        error = OTHER_ERROR if call.outcome in ("failed", "unknown") else ""
        span.end(call.ended_at or self._clock(), ended, error=error)
        del live.calls[call.call_id]

    def _note_call(self, live: LiveTask, call: ToolCall) -> None:
        """Note a call that was not made: refused, or what it would find was found just before."""
        told = {
            TOOL_NAME: call.tool,
            TOOL_CALL_ID: call.call_id,
            TOOL_OUTCOME: str(call.outcome),
        }
        live.event(CALL_EVENT, self._clock(), told)
        if call.done and (made := self._calls.get(call.call_id)) is not None:
            live.link(REUSES, made)

    # --- model calls ---------------------------------------------------------------------------------

    def follow_models(self, live: LiveTask, meter: UsageMeter) -> None:
        """Make a span for each call that the meter of a task is told of."""
        live.meter = meter

        def began(call: MeteredCall) -> OnCallEnd:
            now = self._clock()
            of_model = {PROVIDER: call.provider, REQUEST_MODEL: call.model}
            span = self._opener.open(
                f"{CHAT} {call.model}".rstrip(),
                now,
                self._inside(live, call.agent, now),
                {OPERATION: CHAT} | {name: value for name, value in of_model.items() if value},
                kind=SpanKind.CLIENT,
            )
            live.models[id(call)] = OpenModel(span, call)

            def ended(call: MeteredCall, failed: bool) -> None:
                if live.models.pop(id(call), None) is not None:
                    span.end(self._clock(), used(call.usage), error=OTHER_ERROR if failed else "")

            return ended

        meter.on_begin = began


# --- task spans ----------------------------------------------------------------------------------------
# Folds the records that are written into spans.
#
# A task's span lasts from its acceptance until its ending is durable. Whatever raises in here is logged and
# costs a span: the log, which tells it of each record, must not fail for it.


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
            links.append(Link(related.target, {LINK: related.kind}))
            if related.back and related.other in self._live:
                self._live[related.other].link(related.back, own)
        caller = caller_of(task.traceparent)
        workflow = task.graph or self._workflow
        span = self._opener.open(
            f"{INVOKE_WORKFLOW} {workflow}",
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
            yield _Related(RETRIES, RETRIED_BY, previous, target)
        else:
            for other in together:
                if other.task_id != task.task_id and other.reason is not None:
                    target = task_context(other.task_id, other.traceparent)
                    yield _Related(INTERRUPTS, INTERRUPTED_BY, other.task_id, target)
        resumed = self._seen(task.resumed_task_id)
        if task.resumed_task_id is not None and resumed is not None:
            yield _Related(RESUMES, "", task.resumed_task_id, resumed)

    def _attributes(self, task: Task, workflow: str) -> dict[str, Any]:
        attributes: dict[str, Any] = {
            OPERATION: INVOKE_WORKFLOW,
            WORKFLOW_NAME: workflow,
            TASK_ID: task.task_id,
            TASK_TURN: task.turn,
            TASK_POLICY: task.policy,
            TASK_ASIDE: task.aside,
        }
        if task.relation is not None:
            attributes[TASK_RELATION] = task.relation
        if self._users == "plain":
            attributes |= {USER_ID: task.user_id, CONVERSATION_ID: task.user_id}
        elif self._users == "hashed":
            user = blake2b(task.user_id.encode(), digest_size=8).hexdigest()
            attributes |= {USER_HASH: user, CONVERSATION_ID: user}
        if self._words:
            attributes |= message_words(INPUT_MESSAGES, "user", task.message)
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
            live.event(TRANSFER_EVENT, at, {FROM_TASK: before, ADOPTED: told["adopted"]})
            target = self._seen(before)
            if target is not None:
                live.link(TAKES_OVER, target)

    def _see_input(self, live: LiveTask, request: InputRequest) -> None:
        about = {REQUEST_ID: request.request_id, REQUEST_KIND: request.kind}
        if request.resolution is None:
            live.event(ASKED_EVENT, request.asked_at, about)
        else:
            about[REQUEST_RESOLUTION] = request.resolution
            live.event(RESOLVED_EVENT, self._clock(), about)

    def _see_task(self, live: LiveTask, task: Task) -> None:
        before, live.task = live.task, task
        if task.reason is not None and before.reason is None:
            at = task.interrupt_requested_at or task.updated_at
            live.event(INTERRUPTION_EVENT, at, {TASK_REASON: task.reason.value})
        if task.status.terminal:
            self._end(live)

    def _end(self, live: LiveTask) -> None:
        task = live.task
        live.end_parts(task.updated_at)
        attributes: dict[str, Any] = {TASK_STATUS: task.status.value, TASK_ATTEMPT: task.attempt}
        error = OTHER_ERROR if task.status is TaskStatus.FAILED else ""
        if task.status is TaskStatus.INTERRUPTED and task.reason is not None:
            attributes[TASK_REASON] = task.reason.value
            error = "" if task.reason in _NO_FAULT else task.reason.value
        if live.meter is not None and (total := live.meter.total()).calls:
            attributes |= used(total)
        if self._words and live.reply:
            attributes |= message_words(OUTPUT_MESSAGES, "assistant", live.reply)
        live.own.end(task.updated_at, attributes, error=error)
        del self._live[task.task_id]
        self._ended.add(task.task_id, live.context)

    def _seen(self, task_id: str | None) -> SpanContext | None:
        """Return the ids of the span of a task, if it was seen here."""
        live = self._live.get(task_id or "")
        return live.context if live is not None else self._ended.get(task_id or "")
