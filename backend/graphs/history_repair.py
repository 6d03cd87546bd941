"""Completes the conversation that a run has left, before its next model call.

An interrupted run may have left tool calls without a result, which every provider refuses, and half an answer
that its user has read. So each open call gets the result that the ledger knows of by now, directly behind the
message that asks for it, and the half answer becomes a message that says it was cut short. Both are derived
when the next run begins: nothing is stored twice, and a call that ended meanwhile has its true result.

The ids of calls are the model's, and many models name their calls alike in each answer (`call_0`). So a
result answers the message that it follows, and a call of the ledger the message that was answered last.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence, Set
from contextlib import asynccontextmanager
from itertools import takewhile
from typing import Any

from langchain_core.messages import (
    AIMessage,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    ToolMessage,
    convert_to_messages,
)
from langchain_core.messages import ToolCall as Asked
from langchain_core.runnables import RunnableConfig, RunnableLambda
from langgraph.prebuilt import ToolNode

from ..domain.encoding import encode
from ..domain.errors import GraphFailedError
from ..domain.questions import PageResult
from ..domain.task import TakenIn, Task, TaskStatus
from ..domain.tool_call import ToolCall
from .graph_options import Graph
from .langgraph_internals import answering, is_sent, skip_answers, step_number, with_nodes
from .page_tools import NOT_TOLD, message_of

CUT_SHORT = "[The answer was cut short here: the user interrupted it.]"
NOT_STARTED = "Not started: the run was interrupted before."

_OUTCOMES = {
    "completed": "Completed: {}",
    "completed_after_interrupt": "Completed, although the user had interrupted: {}",
    "failed": "Failed: {}",
    "denied": "Not allowed by the user.",
    "not_started": NOT_STARTED,
    "cancelled": "Cancelled before it was done. It may have had an effect.",
}
_NOT_KNOWN = (
    "Not known: it had begun, and what became of it cannot be told yet. It may have had its effect, so do "
    "not repeat it unless the user asks for it."
)
_NOT_KEPT = "Not known: what became of it was not kept."
_UNREADABLE = "Not started: its arguments could not be read."

_NOT_KNOWN_ID = "not-known."
"""The id of such a result begins so, and names the turn and the call: it is replaced once that is known."""

_NO_PAGE: Mapping[str, PageResult | None] = {}

Given = dict[str, Any]
"""A message as a mapping, as graphs keep them that call their provider themselves."""


def complete_conversation(
    said: Sequence[Any],
    left: Sequence[ToolCall],
    half_an_answer: str,
    *,
    earlier: Iterable[ToolCall] = (),
    page: Mapping[str, PageResult | None] = _NO_PAGE,
) -> list[Any] | None:
    """Return a conversation with all that an interruption has left open; None if nothing is.

    `left` are the ledger's calls of the step that was cut off, and `half_an_answer` is all text that the run
    had shown. `page` has the calls that were left to the page, by their ids, and what it has told of each.
    A result told as not known that is known by now (`earlier` are the calls of
    `turns_of_unknown`) is replaced: a plain tool may have ended long after its run. None as well for
    messages that LangChain cannot read.
    """
    try:
        messages = convert_to_messages(said)
    except (ValueError, TypeError, KeyError):
        return None
    calls = {call.call_id: call for call in (*earlier, *left)}
    whole: list[Any] = []
    is_changed = False
    for at, each in enumerate(said):
        now = _known_by_now(each, calls)
        whole.append(now)
        is_changed = is_changed or now is not each
        place = _place_of_results(messages, at)
        if place is not None:
            results = _results(said[place], messages[place:], left, page)
            whole += results
            is_changed = is_changed or bool(results)
    rest = _not_said(half_an_answer, messages)
    if rest:
        text = f"{rest}\n\n{CUT_SHORT}"
        whole.append({"role": "assistant", "content": text} if _are_mappings(said) else AIMessage(text))
    return whole if is_changed or rest else None


def find_unheard(
    task: Task, before: Iterable[Task], said: set[Any], *, turn: int, has_input: bool
) -> list[TakenIn]:
    """Return the messages of interrupted runs that are not in the conversation that the runs have left.

    A run that is interrupted before its first step has stored nothing, and what a graph within has taken in
    is lost with that graph. `before` are the user's tasks, `said` the ids of the conversation's messages.
    The run of `turn` has stored its last step, and with it its own message if that `has_input`.
    """
    known = {*said, task.message_id, *(each.message_id for each in task.took_in)}
    found: list[TakenIn] = []
    for run in _last_first(task, before):
        given = run.request or {}
        is_last, is_done = run.turn == turn, run.message_id in said or run.status is TaskStatus.COMPLETED
        own = TakenIn(message_id=run.message_id, text=run.message)
        # What it has stored was said, though a summary may have taken its place by now.
        is_said = is_done or (is_last and has_input)
        messages = [] if is_said else [*(each for each in run.took_in if each.before), own]
        messages += [each for each in run.took_in if each.within]
        # The newest may still be ending. One that has failed may have failed by its message.
        if run.reason is not None and run.status is not TaskStatus.FAILED:
            found = [each for each in messages if each.message_id not in known] + found
            known |= {each.message_id for each in messages}
        # One that began at a step of its user's choice has left what came behind that.
        if is_said or "checkpoint_id" in given:
            break
    return found


def _last_first(task: Task, before: Iterable[Task]) -> list[Task]:
    """Return the runs before that of a task, of the same graph, the one that began last first."""
    # A message that was withdrawn from the queue never ran, and one that steered a run is among those that
    # this took in. One that was queued may have run behind one of a later turn.
    begun = [
        (each.started_at, each.turn, each)
        for each in before
        if each.started_at is not None
        and each.taken_in_by is None
        and each.graph == task.graph
        and each.task_id != task.task_id
    ]
    return [run for _, _, run in sorted(begun, key=lambda each: each[:2], reverse=True)]


def ids_of(said: Sequence[Any]) -> set[Any]:
    """Return the ids of the messages of a conversation."""
    return {each.get("id") if isinstance(each, Mapping) else getattr(each, "id", None) for each in said}  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def turns_of_unknown(said: Iterable[Any]) -> set[int]:
    """Return the turns of the calls whose outcome the model was told is not known."""
    return {int(each.id.split(".")[1]) for each in said if _is_unknown(each)}


def open_calls(said: Sequence[Any]) -> list[Asked]:
    """Return the calls that the last message asks for and that have no result, some of them or all."""
    try:
        messages = convert_to_messages(said)
    except (ValueError, TypeError, KeyError):
        return []
    place = _place_of_results(messages, len(messages) - 1)
    return _unanswered(messages[place:])[0] if place is not None else []


def ends_with_answer(said: Sequence[Any]) -> bool:
    """Tell whether the last message of a conversation is a model's."""
    try:
        return bool(said) and isinstance(convert_to_messages(said[-1:])[0], AIMessage)
    except (ValueError, TypeError, KeyError):
        return False


def pairs_of(asked: Sequence[Asked], calls: Iterable[ToolCall]) -> list[tuple[Asked, ToolCall | None]]:
    """Return with each call that a message asks for its entry in the ledger, None if it never began.

    The newest of several: a call that asks its user runs again after the answer.
    """
    left = [*calls][::-1]
    named = Counter((each["id"], each["name"]) for each in asked)
    pairs: list[tuple[Asked, ToolCall | None]] = []
    for each in asked:
        # Some models name parallel calls alike, and some not at all.
        by_arguments = not each["id"] or named[each["id"], each["name"]] > 1
        call = next((call for call in left if _is_of(call, each, by_arguments=by_arguments)), None)
        pairs.append((each, call))
        if call is not None:
            left.remove(call)
    return pairs


def result_of(asked: Asked, call: ToolCall | None) -> ToolMessage:
    """Return the result for the model of a call that was cut off, or never began (`call` is None)."""
    words = NOT_STARTED if call is None else _in_words(call)
    message = _message(asked, words, is_done=call is not None and call.done)
    if call is not None and words == _NOT_KNOWN:
        message.id = f"{_NOT_KNOWN_ID}{call.turn}.{call.call_id}"
    return message


def as_mapping(result: ToolMessage) -> Given:
    """Return a result as a mapping, with no more than what every provider takes."""
    return {"role": "tool", "content": result.content, "tool_call_id": result.tool_call_id}


# --- open calls ----------------------------------------------------------------------------------------


def _place_of_results(messages: Sequence[BaseMessage], at: int) -> int | None:
    """Return where the message stands whose results end at a place; None if none do."""
    if at < 0 or (at + 1 < len(messages) and isinstance(messages[at + 1], ToolMessage)):
        return None
    while at > 0 and isinstance(messages[at], ToolMessage):
        at -= 1
    return at if isinstance(messages[at], AIMessage) else None


def _unanswered(messages: Sequence[BaseMessage]) -> tuple[list[Asked], list[InvalidToolCall]]:
    """Return the calls of the first of some messages that the results behind it leave open.

    And those whose arguments could not be read: the providers get them like the others.
    """
    asks, *rest = messages
    results = takewhile(lambda each: isinstance(each, ToolMessage), rest)
    answered = Counter(each.tool_call_id for each in results if isinstance(each, ToolMessage))
    if not isinstance(asks, AIMessage):
        return [], []

    def is_open(call: Asked | InvalidToolCall) -> bool:
        answered[call["id"] or ""] -= 1
        return answered[call["id"] or ""] < 0

    return [*filter(is_open, asks.tool_calls)], [*filter(is_open, asks.invalid_tool_calls)]


def _results(
    said: Any,
    messages: Sequence[BaseMessage],
    left: Sequence[ToolCall],
    page: Mapping[str, PageResult | None],
) -> list[Any]:
    """Return the results that a message lacks; `messages` are it and all that follow, `said` it as kept."""
    asked, unreadable = _unanswered(messages)
    of_page = [each for each in asked if each["id"] in page]
    asked = [each for each in asked if each not in of_page]
    is_last = all(isinstance(each, ToolMessage) for each in messages[1:])
    if is_last:
        results = [result_of(each, call) for each, call in pairs_of(asked, left)]
    else:
        # An earlier version has left it open; its entry cannot be told from those of later calls.
        results = [_message(each, _NOT_KEPT, is_done=False) for each in asked]
    results += [_told_by_page(each, page[each["id"] or ""]) for each in of_page]
    results += [_message(each, _UNREADABLE, is_done=False) for each in unreadable]
    return [as_mapping(each) for each in results] if isinstance(said, Mapping) else results


def _told_by_page(asked: Asked, result: PageResult | None) -> ToolMessage:
    return _message(asked, NOT_TOLD, is_done=False) if result is None else message_of(asked, result)


def _is_of(call: ToolCall, asked: Asked, *, by_arguments: bool) -> bool:
    is_named_so = call.tool == asked["name"] and call.purpose == (asked["id"] or "")
    return is_named_so and (call.arguments == asked["args"] or not by_arguments)


def _message(asked: Asked | InvalidToolCall, words: str, *, is_done: bool) -> ToolMessage:
    return ToolMessage(
        words,
        name=asked["name"] or None,
        tool_call_id=asked["id"] or "",
        status="success" if is_done else "error",
    )


def _in_words(call: ToolCall) -> str:
    value = call.result if isinstance(call.result, str) else encode(call.result).decode()
    return _OUTCOMES.get(call.outcome or "", _NOT_KNOWN).format(value)


# --- results known since -------------------------------------------------------------------------------


def _is_unknown(said: Any) -> bool:
    """Tell whether a message is a result that was not known when it was told.

    As a message alone: a mapping has no id by which its call could be found.
    """
    is_ours = isinstance(said, ToolMessage) and (said.id or "").startswith(_NOT_KNOWN_ID)
    return is_ours and said.text == _NOT_KNOWN


def _known_by_now(said: Any, calls: Mapping[str, ToolCall]) -> Any:
    """Return a message, or its update if it is a result that is known by now."""
    call = calls.get(said.id.split(".", 2)[2]) if _is_unknown(said) else None
    words = _NOT_KNOWN if call is None else _in_words(call)
    if call is None or words == _NOT_KNOWN:
        return said
    return said.model_copy(update={"content": words, "status": "success" if call.done else "error"})


# --- half an answer ------------------------------------------------------------------------------------


def _not_said(text: str, messages: Sequence[BaseMessage]) -> str:
    """Return the part of a text that is in none of the answers to the last message of the user."""
    for message in _since_the_user(messages):
        said = message.text.strip()
        if said and text.lstrip().startswith(said):
            text = text.lstrip()[len(said) :]
    return text.strip()


def _since_the_user(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    begin = max((at for at, each in enumerate(messages) if isinstance(each, HumanMessage)), default=-1)
    return [each for each in messages[begin + 1 :] if isinstance(each, AIMessage)]


def _are_mappings(said: Sequence[Any]) -> bool:
    return bool(said) and all(isinstance(each, Mapping) for each in said)


# --- answered calls ------------------------------------------------------------------------------------
# Lets a run go on with a step that was cut off, and not make the tool calls again that it had begun.
#
# LangGraph runs the nodes of such a step once more, and one that makes the calls that a model has asked for
# would make them twice. So a stand-in takes its place in this run: it returns what is known of each call,
# and the graph goes on by its own edges, as if the node had ended. It adds no message of the user, and what
# a node or an edge reads at the end of the conversation is what it would have read.
#
# The same holds for a step of which one call has asked its user while another ended: LangGraph runs both
# again after the answer.


CUT_OFF = (
    "The server was cut off while this ran: {}. It may have had its effect, so it is not repeated by itself; "
    "say so if it shall be done again."
)


class AnsweredCalls:
    """The calls begun by the step from which a run goes on, and their results.

    `said` is the conversation as the step of that number has it in `field`, `made` are all calls of the step,
    and `cut_off` those that a lost process had begun in it. Without any that was cut off, the run has asked
    its user, and goes on with the answer; `unanswered` are the ids of the questions that are open.
    `told_by_page` are the calls whose results its page has told.
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
        told_by_page: Set[str],
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
        self._asking += len(told_by_page & {each["id"] for each in asked})
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
        """Return the result of a call for a `ToolNode`; None if it shall make the call."""
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
        """Return a stand-in for a node that cannot be made to leave out some calls."""

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
