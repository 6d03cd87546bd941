"""Tells the messages of a run as events: the tool calls that its models ask for, and what enters its state.

A call is told piece by piece while its model streams it. A message is told as its node ends, once, with no
text that was told before.
"""

import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage, convert_to_messages
from langgraph.types import Overwrite

from ..domain.encoding import encode
from ..domain.events import Speaker
from ..domain.tool_call import told_text
from ..tasks.task_context import TaskContext
from .graph_output import with_plain_objects
from .history_repair import ids_of

MOST_MESSAGES = 500
"""Messages of one run that are told as they enter the state: each is an event, and a log keeps some 2,000."""

_SEVERAL = "$writes"
"""The key under which a chunk of the mode `tasks` has several writes of a node to one channel."""


@dataclass(slots=True)
class _Call:
    """A call as far as its model has asked for it."""

    tool: str
    call_id: str
    length: int = 0
    whole: bool = False


@dataclass(slots=True)
class _Answer:
    """A message of a model: the id under which it was told, its text so far, and its calls by their place."""

    by: Speaker
    text: list[str] = field(default_factory=list[str])
    calls: dict[Any, _Call] = field(default_factory=dict[Any, _Call])


class ToldMessages:
    """What was told of the messages of one run, on its event loop.

    `channel` has the conversation in the graph's state, to which what is written is added if it `adds`;
    `before` are the messages with which the run began: those are told by the runs before it. `of_page` are
    the names of the tools that its page executes.
    """

    def __init__(
        self,
        context: TaskContext,
        channel: str,
        before: Callable[[], Sequence[Any]],
        *,
        adds: bool = True,
        of_page: Set[str] = frozenset(),
    ) -> None:
        self._context = context
        self._of_page = of_page
        self._channel = channel
        self._before = before
        self._adds = adds
        self._seen: set[str] | None = None
        self._alike = Counter[_Content]()
        self._told = 0
        self._answers: dict[str, _Answer] = {}
        self._by_own_id: dict[str, _Answer] = {}
        self._by_content: dict[tuple[str, frozenset[str]], _Answer] = {}

    # --- what models stream ----------------------------------------------------------------------------

    def said(self, by: Speaker, text: str) -> None:
        """Note a piece of a model's text, which is told by itself."""
        self._answer(by).text.append(text)

    def asked(self, by: Speaker, chunks: Sequence[Mapping[str, Any]]) -> None:
        """Tell pieces of tool calls as a model streams them. Raises `TooMuchShownError`."""
        answer = self._answer(by)
        for chunk in chunks:
            place, piece = chunk.get("index"), chunk.get("args") or ""
            place = chunk.get("id") if place is None else place
            call = answer.calls.get(place)
            if call is None or (chunk.get("id") and chunk["id"] != call.call_id):
                if call is not None:
                    answer.calls[call.call_id] = call  # some services give all calls of a message one place
                if not (chunk.get("id") and chunk.get("name")):
                    continue  # the rest of a call without a beginning is told whole, with its message
                call = answer.calls[place] = _Call(str(chunk["name"]), str(chunk["id"]))
            if not call.whole:
                self._tell_piece(by, call, str(piece), whole=False)

    def ended(self, by: Speaker, message: Any) -> None:
        """Tell the calls of a whole message that were not streamed, and that those which were are whole."""
        answer = self._answer(by)
        own_id = getattr(message, "id", None)
        if own_id:
            self._by_own_id[own_id] = answer
        self._tell_calls(answer, getattr(message, "tool_calls", ()))
        asked = frozenset(call.call_id for call in answer.calls.values())
        if asked or answer.text:
            self._by_content["".join(answer.text), asked] = answer

    def _answer(self, by: Speaker) -> _Answer:
        return self._answers.setdefault(by.message_id, _Answer(by))

    def _tell_calls(self, answer: _Answer, calls: Sequence[Any]) -> None:
        streamed = {each.call_id: each for each in answer.calls.values()}
        for number, asked in enumerate(calls):
            call_id = str(asked["id"] or f"{answer.by.message_id}-{number}")
            call = streamed.get(call_id)
            if call is None:
                call = answer.calls[call_id] = _Call(str(asked["name"]), call_id)
                self._tell_piece(answer.by, call, _json(asked["args"]), whole=True)
            elif not call.whole:
                self._tell_piece(answer.by, call, "" if call.length else _json(asked["args"]), whole=True)

    def _tell_piece(self, by: Speaker, call: _Call, piece: str, *, whole: bool) -> None:
        piece = piece.encode(errors="replace").decode()  # a model may say half a character
        how: Any = {"offset": call.length, "whole": whole, "for_page": call.tool in self._of_page}
        self._context.ask(call.call_id, call.tool, piece, by=by, **how)
        call.length += len(piece)
        call.whole = whole

    # --- what enters the state -------------------------------------------------------------------------

    def added(self, node: str, namespace: str, written: Any) -> None:
        """Tell the messages that a node has written to the conversation, those of tools and of models."""
        if not isinstance(written, Mapping):
            return
        value: Any = cast("Mapping[str, Any]", written).get(self._channel)
        if value is None or isinstance(value, Overwrite):
            return  # a conversation that is replaced has nothing new in it: it was summarised or cut
        several = cast("Mapping[str, Any]", value).get(_SEVERAL) if isinstance(value, Mapping) else None
        writes: list[Any] = [value] if several is None else several
        for each in writes:
            occurred = Counter[_Content]()
            for message, is_made_here in _messages_in(each):
                if is_made_here and not self._adds:
                    # The whole conversation is written again, by messages without ids.
                    content = _content_of(message)
                    occurred[content] += 1
                    if occurred[content] <= self._counted()[content]:
                        continue
                    self._alike[content] = occurred[content]
                self._tell(node, namespace, message)

    def _counted(self) -> "Counter[_Content]":
        if not self._alike:
            before = [message for message, _ in _messages_in([*self._before()])]
            self._alike.update(map(_content_of, before))
        return self._alike

    def _tell(self, node: str, namespace: str, message: AIMessage | ToolMessage) -> None:
        if message.id is None:
            # As LangGraph does where it streams messages; the reducer keeps the id.
            message.id = str(uuid.uuid4())
        if self._is_known(message.id, namespace) or self._told >= MOST_MESSAGES:
            return
        if isinstance(message, ToolMessage) and self._came_with_answer(message):
            return
        told: dict[str, Any] = {"message_id": message.id, "role": "assistant", "node": node}
        if namespace:
            told["namespace"] = namespace
        if isinstance(message, ToolMessage):
            told |= {"role": "tool", "tool_call_id": message.tool_call_id, "status": message.status}
            told |= {"tool": message.name} if message.name else {}
            told |= told_text(_text_of(message))
        else:
            answer = self._same(message)
            is_new = answer is None
            if answer is None:
                answer = self._answers[message.id] = _Answer(Speaker(node, message.id, True, namespace))
                told |= told_text(message.text) if message.text else {}
            self._tell_calls(answer, message.tool_calls)
            is_here = answer.by.namespace == namespace
            if answer.by.is_reply and is_here and not (is_new and message.text):
                return  # its text and its calls are all there is to tell
            told["message_id"] = answer.by.message_id
        self._told += 1
        self._context.tell_message(told)

    def _came_with_answer(self, message: ToolMessage) -> bool:
        """Return whether a message is the result of a call of the page, which was told as it came."""
        if message.name not in self._of_page:
            return False
        told = [each.told_by_page.get(message.tool_call_id) for each in self._context.inputs.all]
        return any(each is not None and each.message_id == message.id for each in told)

    def _same(self, message: AIMessage) -> _Answer | None:
        """Return the model's answer that a message is: by its id, or a copy that its node has made."""
        answer = self._by_own_id.get(message.id or "") or self._answers.get(message.id or "")
        if answer is not None:
            return answer
        asked = frozenset(str(each["id"]) for each in message.tool_calls)
        return self._by_content.get((message.text, asked))

    def _is_known(self, message_id: str, namespace: str) -> bool:
        """Return whether a message was told of this graph; a graph within hands its messages on."""
        if self._seen is None:
            self._seen = {str(each) for each in ids_of(self._before()) if each}
        if message_id in self._seen:
            return True
        if not namespace:
            self._seen.add(message_id)
            return False
        key = f"{namespace} {message_id}"
        if key in self._seen:
            return True
        self._seen.add(key)
        return False


_Content = tuple[str, str, str]
"""What tells messages without ids apart: whose it is, the call that it answers, its text."""


def _content_of(message: AIMessage | ToolMessage) -> _Content:
    if isinstance(message, ToolMessage):
        return "tool", message.tool_call_id, _text_of(message)
    return "ai", "", message.text


def _messages_in(written: Any) -> list[tuple[AIMessage | ToolMessage, bool]]:
    """Return the messages of models and tools in what was written; with each, whether it was made here."""
    parts = cast("list[Any]", written) if isinstance(written, list) else [written]
    found: list[tuple[AIMessage | ToolMessage, bool]] = []
    for each in parts:
        message: Any = each
        if not isinstance(each, BaseMessage):
            # A mapping or a pair, which the reducer makes a message of: under another id than is told here.
            with suppress(Exception):  # what is no message fails there, if it does
                message = convert_to_messages([each])[0]
        if isinstance(message, AIMessage | ToolMessage):
            found.append((message, message is not each))
    return found


def _text_of(message: ToolMessage) -> str:
    content: Any = message.content
    return content if isinstance(content, str) else _json(content)


def _json(value: Any) -> str:
    try:
        return encode(with_plain_objects(value)).decode()
    except TypeError:
        return str(value)
