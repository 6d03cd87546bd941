"""Finds the reply in the final state of a graph, or in what a functional graph returned.

In this order: the key of `DETOUR_GRAPH_REPLY`, `answer`, `response`, the last message, and the only text that
is not what the graph was given. A result that is no text is the reply as JSON: the value of the chosen key,
of the only key of a graph's output, or what a function returned.

An agent that was made with a `response_format` ends with a message for programs. It replies what its model
has said beside that, or else the structured response as a list that people can read.
"""

import json
from collections.abc import Mapping, Set
from typing import Any, cast

from langchain_core.messages import BaseMessage
from langgraph.graph import END

from ..domain.encoding import encode
from .graph_input import FILLED, REPLY_KEYS
from .graph_options import Graph
from .readable import readable
from .stream import with_plain_objects

NO_REPLY = "Done."

NOTHING_SAID = "The model answered nothing."
"""The reply where the last message is a model's that is empty: to say that it is done would be untrue."""

_STRUCTURED = "structured_response"
_BY_TOOL = "Returning structured response: "
"""What the message of `create_agent` begins with that stands for the result of a structured response."""


class GraphReply:
    """How one graph replies. `chosen` is the key of the state that the setting names, "" for none."""

    def __init__(self, graph: Graph, chosen: str = "") -> None:
        outputs = graph.output_channels
        self.keys: Set[str] = set() if isinstance(outputs, str) else {*outputs}
        self._chosen = chosen
        # A router notes in the state where it goes next: `{"next": "__end__"}` is no reply.
        self._places: Set[str] = {*graph.nodes, END}

    @property
    def fault(self) -> str | None:
        """Why the chosen key cannot hold the reply; None if it can."""
        if not self._chosen or not self.keys or self._chosen in self.keys:
            return None
        names = ", ".join(sorted(self.keys))
        return f"has no key {self._chosen} in its output as DETOUR_GRAPH_REPLY says; its keys: {names}"

    def of(self, state: Any, message: str, *, wrote: Set[str] | None = None) -> str:
        """Return the reply to a message in a final state, by default `NO_REPLY`; as `found` looks for it."""
        found = self.found(state, message, wrote=wrote)
        return found or (NOTHING_SAID if _is_empty(self._written(state, wrote)) else NO_REPLY)

    def _written(self, state: Any, wrote: Set[str] | None) -> Any:
        if isinstance(state, Mapping) and self.keys and wrote is not None:
            values: Mapping[str, Any] = state  # pyright: ignore[reportUnknownVariableType]
            return {name: value for name, value in values.items() if name in wrote}
        return state  # pyright: ignore[reportUnknownVariableType]

    def found(self, state: Any, message: str, *, wrote: Set[str] | None = None) -> str:
        """Return the reply to a message in a final state, "" if there is none.

        Only channels that the run `wrote` hold it: what was left from an earlier turn answers that one. With
        None it is not known what was written, and each channel may hold it.
        """
        state = self._written(state, wrote)
        candidates = [_text(state)]
        if isinstance(state, Mapping):
            values: Mapping[str, Any] = state  # pyright: ignore[reportUnknownVariableType]
            chosen = values.get(self._chosen)
            said = [_text(values.get(key)) for key in REPLY_KEYS]
            said += [_structured(values), _text(values.get("messages"))]
            said += [] if self.keys else [_text(values)]  # a function may return one message as a mapping
            candidates = [_text(chosen) or _as_json(chosen), *said, self._only_text(values, message)]
        candidates.append(_as_json(self._only_result(state)))
        reply = next((each for each in candidates if each), "")
        return reply.encode(
            errors="replace"
        ).decode()  # a model may leave half a character, which is no UTF-8

    def _only_text(self, values: Mapping[str, Any], message: str) -> str:
        """Return the text of a state that is no message, in whatever field, no node, nor any of `FILLED`."""
        texts = [text for key, text in values.items() if key not in FILLED and isinstance(text, str)]
        own = [text for text in texts if text and text != message and text not in self._places]
        return own[0] if len(own) == 1 else ""

    def _only_result(self, state: Any) -> Any:
        """Return what a function returned, or the value of a graph's only output key; None for neither."""
        if not self.keys:
            return state
        only = [*self.keys - {*FILLED, *REPLY_KEYS}] if len(self.keys) == 1 else []
        return state.get(only[0]) if only and isinstance(state, Mapping) else None  # pyright: ignore[reportUnknownMemberType,reportUnknownVariableType]


def _structured(values: Mapping[str, Any]) -> str:
    """Return what an agent with a structured response says; "" for a state that does not end with one.

    Of an agent within the graph only the messages are known: LangChain's own words tell that one of them
    stands for a structured response, whose fields are the arguments of its call.
    """
    messages: Any = values.get("messages")
    said = cast("list[Any]", messages) if isinstance(messages, list) else []
    last: Any = said[-1] if said else None
    structure, kind = values.get(_STRUCTURED), getattr(last, "type", "")
    if kind == "ai":
        # Text in JSON is the structure itself, of a provider's own format. Other text was added after it.
        return readable(structure) if structure is not None and _is_json(_text(last)) else ""
    if kind != "tool" or (structure is None and not _text(last).startswith(_BY_TOOL)):
        return readable(structure) if last is None and structure is not None else ""
    asked: Any = next((each for each in reversed(said) if getattr(each, "type", "") == "ai"), None)
    calls = [call for call in getattr(asked, "tool_calls", ()) if call["id"] == last.tool_call_id]
    arguments = calls[0]["args"] if calls else None
    return _text(asked) or readable(arguments if structure is None else structure)


def _is_empty(state: Any) -> bool:
    """Tell whether a state, or what a function returned, ends with a message of a model that says nothing."""
    values = cast("Mapping[str, Any]", state) if isinstance(state, Mapping) else {"messages": state}
    said: Any = values.get("messages")
    several = cast("list[Any]", said) if isinstance(said, list) else [said]
    last: Any = several[-1] if several else None
    if getattr(last, "type", "") != "ai" or last.tool_calls:
        return False
    return all(isinstance(each, str) or each.get("type") == "text" for each in last.content)


def _is_json(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _as_json(result: Any) -> str:
    """Return a result that is neither text nor a conversation as JSON; "" if it is, or has no JSON form."""
    parts: list[Any] = [*result] if isinstance(result, list | Mapping) else [result]  # pyright: ignore[reportUnknownArgumentType]
    if result is None or not parts or any(isinstance(each, BaseMessage) for each in parts):
        return ""
    if isinstance(result, Mapping) and {"role", "messages"} & {*parts}:
        return ""
    try:
        return "" if isinstance(result, str) else encode(with_plain_objects(result)).decode()
    except TypeError:
        return ""


def _text(said: Any) -> str:
    """Return the text of a string, of a message (a mapping or LangChain's) or of the last of several.

    "" for a message of the user. One with a name is an agent's: the agents of a network hand their results to
    each other as user messages, since many models refuse to continue after a message of their own.
    """
    if isinstance(said, list):
        return _text(said[-1]) if said else ""
    if isinstance(said, Mapping):
        message: Mapping[str, Any] = said  # pyright: ignore[reportUnknownVariableType]
        role, name, content = message.get("role"), message.get("name"), message.get("content")
    else:
        role, name, content = (getattr(said, each, None) for each in ("type", "name", "content"))
        content = said if isinstance(said, str) else content
    if role in ("user", "human") and not name:
        return ""
    if isinstance(content, list):
        blocks: list[Any] = content  # pyright: ignore[reportUnknownVariableType]
        return "".join(block if isinstance(block, str) else block.get("text", "") for block in blocks)
    return content if isinstance(content, str) else ""
