"""Lets a run go on with a step that was cut off, and not make the tool calls again that it had begun.

LangGraph runs the nodes of such a step once more, and one that makes the calls that a model has asked for
would make them twice. So a stand-in takes its place in this run: it returns what is known of each call, and
the graph goes on by its own edges, as if the node had ended. It adds no message of the user, and what a node
or an edge reads at the end of the conversation is what it would have read.

The same holds for a step of which one call has asked its user while another ended: LangGraph runs both again
after the answer.
"""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage, convert_to_messages
from langchain_core.messages import ToolCall as Asked
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.prebuilt import ToolNode

from ..domain.tool_call import ToolCall
from ..errors import GraphFailedError
from .graph_options import Graph
from .langgraph_internals import answering, is_sent, skip_answers, step_number, with_nodes
from .said_before import as_mapping, open_calls, pairs_of, result_of

CUT_OFF = (
    "The server was cut off while this ran: {}. It may have had its effect, so it is not repeated by itself; "
    "say so if it shall be done again."
)


class AnsweredCalls:
    """The calls that the step had begun which a run goes on with, and what their nodes return for them.

    `said` is the conversation as the step of that number has it in `field`, `made` are all calls of the step,
    and `cut_off` those that a lost process had begun in it. Without any that was cut off, the run has asked
    its user, and goes on with the answer; `unanswered` are the ids of the questions that are open.
    """

    def __init__(
        self,
        field: str,
        said: Sequence[Any],
        step: int,
        *,
        made: Sequence[ToolCall],
        cut_off: Sequence[ToolCall],
        unanswered: Set[str],
    ) -> None:
        self._field = field
        self._step = step
        self._cut_off = cut_off
        asked = open_calls(said)
        calls = [*{call.call_id: call for call in (*made, *cut_off)}.values()]
        answered = [call for call in calls if self._is_answered(call)]
        self._open = pairs_of(asked, answered)
        found = [call for _, call in self._open if call is not None]
        # Made again, since the answer is theirs; in the order in which they were asked.
        others = [call for call in calls if call not in answered and call.asks]
        again = [pair for pair in pairs_of(asked, others) if pair[1] is not None] if len(asked) > 1 else []
        self._again = sorted(again, key=lambda pair: pair[1].asks["questions"] if pair[1] else ())
        self._asking = sum(
            each not in unanswered for _, call in again if call for each in call.asks["questions"]
        )
        self._ended = {id(asked): asyncio.Event() for asked, _ in self._again}
        self._skipped = False
        self._nodes = {call.agent for call in (cut_off or [*found, *(call for _, call in again if call)])}
        # A graph with a conversation of mappings calls its provider itself.
        self._as_mappings = bool(said) and isinstance(said[-1], Mapping)
        self._unfollowed = {call.agent for call in cut_off} - {call.agent for call in found}
        self.told: set[str] = {""}

    def _is_answered(self, call: ToolCall) -> bool:
        if not call.begun or call.outcome == "failed":
            return False  # it asks its user still, or it has failed, and the graph may try it again
        if self._cut_off or not call.done:
            return bool(self._cut_off) or call.outcome is not None  # one that was cut short is not made again
        # What a tool returned that is no text may be more than its result: a `Command` to the graph.
        return isinstance(call.result, str)

    def __bool__(self) -> bool:
        """Whether a node needs a stand-in."""
        return bool(self._nodes)

    def check(self, graph: Graph) -> None:
        """Raise `GraphFailedError` if a node has called tools by itself: it would call them again."""
        if self._unfollowed or (self._cut_off and not graph.nodes.keys() >= self._nodes):
            raise self.failure()

    def failure(self) -> GraphFailedError:
        """Return the error that names the tools that were cut off."""
        return GraphFailedError(CUT_OFF.format(", ".join(sorted({each.tool for each in self._cut_off}))))

    def stand_in(self, graph: Graph) -> Graph:
        """Return a copy of a graph in which no node makes these calls again."""
        stand_ins: dict[str, Any] = {}
        for name in self._nodes & graph.nodes.keys():
            bound: Any = graph.nodes[name].bound
            if isinstance(bound, ToolNode):
                stand_ins[name] = answering(bound, self._answer, self._turn)
            elif self._cut_off:
                stand_ins[name] = self._in_place_of(name, bound)
        return with_nodes(graph, stand_ins)

    def _answer(self, asked: Asked, config: RunnableConfig) -> ToolMessage | None:
        """Return what a `ToolNode` takes for the result of a call; None if it shall make the call."""
        if step_number(config) != self._step:
            return None
        if not self._skipped and not is_sent(config):
            self._skipped = True
            skip_answers(config, self._asking)
        pair = self._take(asked)
        return self._told(asked, pair[1]) if pair is not None and pair[1] is not None else None

    @asynccontextmanager
    async def _turn(self, asked: Asked, config: RunnableConfig) -> AsyncGenerator[None, None]:
        """Let the calls that have asked run before the others, in their order: LangGraph numbers interrupts.

        An answer would otherwise go to the call that is first to ask. A node that is sent its calls one by
        one has answers for each.
        """
        is_numbered = step_number(config) == self._step and not is_sent(config)
        again = [each for each, _ in self._again] if is_numbered else []
        own = next((at for at, each in enumerate(again) if _is_same(each, asked)), None)
        for each in again[:own]:
            await self._ended[id(each)].wait()
        try:
            yield
        finally:
            if own is not None:
                self._ended[id(again[own])].set()

    def _in_place_of(self, name: str, bound: Any) -> Any:
        """Return what stands in for a node of which nobody knows how to have it make some calls alone."""

        async def answer(given: Any, config: RunnableConfig) -> Any:
            if step_number(config) != self._step:
                return await bound.ainvoke(given, config)
            pairs = [pair for each in _asked_in(given, self._field) if (pair := self._take(each)) is not None]
            if any(call is not None for _, call in pairs):
                told = [self._told(asked, call) for asked, call in pairs]
                results = [*map(as_mapping, told)] if self._as_mappings else told
                return results if isinstance(given, list) else {self._field: results}
            if not pairs and any(call is not None and call.agent == name for _, call in self._open):
                raise self.failure()  # it was sent its call in a form of its own
            return await bound.ainvoke(given, config)

        return RunnableLambda(answer, name=name)

    def _told(self, asked: Asked, call: ToolCall | None) -> ToolMessage:
        result = result_of(asked, call)
        if call is not None and call.outcome == "completed" and isinstance(call.result, str):
            result.content = call.result  # as the node would have returned it
        self.told.add(result.text)
        return result

    def _take(self, asked: Asked) -> tuple[Asked, ToolCall | None] | None:
        """Take a call from those that are open: the next may have the same id and arguments."""
        for at, (each, _) in enumerate(self._open):
            if _is_same(each, asked):
                return self._open.pop(at)
        return None


def _is_same(one: Asked, other: Asked) -> bool:
    return (one["id"], one["name"], one["args"]) == (other["id"], other["name"], other["args"])


def _asked_in(given: Any, field: str) -> Sequence[Asked]:
    """Return the calls that a node was given: sent to it, alone or beside other fields, or in messages."""
    whole: Any = given
    fields: Mapping[str, Any] = whole if isinstance(given, Mapping) else {}
    sent: list[Any] = [each for each in (whole, *fields.values()) if _is_call(each)]
    if sent:
        return sent
    found: Any = fields.get(field) if fields else getattr(whole, field, whole)
    messages: list[Any] = found if isinstance(found, list) else []  # pyright: ignore[reportUnknownVariableType]
    if messages and all(map(_is_call, messages)):
        return messages
    asks = [each for each in convert_to_messages(messages) if isinstance(each, AIMessage)]
    return asks[-1].tool_calls if asks else ()


def _is_call(value: Any) -> bool:
    return isinstance(value, Mapping) and {"name", "args", "id"} <= value.keys()  # pyright: ignore[reportUnknownMemberType]
