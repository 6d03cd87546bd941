"""The spans within a task's: those of its agents, of their tool calls, and of their models' calls."""

import threading
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import Link, SpanKind

from ...domain.clock import Clock
from ...domain.task import ENDED_AGENT_STATES
from ...domain.tool_call import ToolCall
from ...domain.usage import MeteredCall, OnCallEnd, UsageMeter
from . import names
from .live_task import LiveTask, OpenModel, used
from .opening import OpenSpan, RecentSpans, SpanOpener
from .span_ids import span_id
from .words import call_words


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
            f"{names.INVOKE_AGENT} {agent}",
            at,
            live.own.inside,
            {names.OPERATION: names.INVOKE_AGENT, names.AGENT_NAME: agent},
            ids=derived if is_first else None,
        )
        live.stretches[agent] += 1
        live.agents[agent] = span
        return span

    def _end_agent(self, live: LiveTask, agent: str, at: datetime, told: Mapping[str, Any]) -> None:
        error = names.OTHER_ERROR if told["state"] == "failed" else ""
        ended = {names.AGENT_STATE: told["state"], names.AGENT_RESULTS: told["count"]}
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
            f"{names.EXECUTE_TOOL} {call.tool}",
            began,
            self._inside(live, call.agent, began),
            {
                names.OPERATION: names.EXECUTE_TOOL,
                names.TOOL_NAME: call.tool,
                names.TOOL_TYPE: "function",
                names.TOOL_CALL_ID: call.call_id,
                names.TOOL_EFFECT: call.effect,
            },
            links=[] if made is None else [Link(made, {names.LINK: names.ADOPTS})],
        )
        live.calls[call.call_id] = span
        self._calls.add(call.call_id, span.context)
        return span

    def _end_call(self, live: LiveTask, span: OpenSpan, call: ToolCall) -> None:
        ended: dict[str, Any] = {names.TOOL_OUTCOME: call.outcome or call.state}
        if call.found is not None:
            ended[names.TOOL_FOUND] = call.found
        if self._words:
            ended |= call_words(call)
        error = names.OTHER_ERROR if call.outcome in ("failed", "unknown") else ""
        span.end(call.ended_at or self._clock(), ended, error=error)
        del live.calls[call.call_id]

    def _note_call(self, live: LiveTask, call: ToolCall) -> None:
        """Note a call that was not made: refused, or what it would find was found just before."""
        told = {
            names.TOOL_NAME: call.tool,
            names.TOOL_CALL_ID: call.call_id,
            names.TOOL_OUTCOME: str(call.outcome),
        }
        live.event(names.CALL_EVENT, self._clock(), told)
        if call.done and (made := self._calls.get(call.call_id)) is not None:
            live.link(names.REUSES, made)

    # --- model calls ---------------------------------------------------------------------------------

    def follow_models(self, live: LiveTask, meter: UsageMeter) -> None:
        """Make a span for each call that the meter of a task is told of."""
        live.meter = meter

        def began(call: MeteredCall) -> OnCallEnd:
            now = self._clock()
            of_model = {names.PROVIDER: call.provider, names.REQUEST_MODEL: call.model}
            span = self._opener.open(
                f"{names.CHAT} {call.model}".rstrip(),
                now,
                self._inside(live, call.agent, now),
                {names.OPERATION: names.CHAT} | {name: value for name, value in of_model.items() if value},
                kind=SpanKind.CLIENT,
            )
            live.models[id(call)] = OpenModel(span, call)

            def ended(call: MeteredCall, failed: bool) -> None:
                if live.models.pop(id(call), None) is not None:
                    span.end(self._clock(), used(call.usage), error=names.OTHER_ERROR if failed else "")

            return ended

        meter.on_begin = began
