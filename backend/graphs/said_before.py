"""The messages that a run adds to its thread: what became of the run before, then the new message.

An interrupted run may have left tool calls without a result, which every provider refuses, and half an answer
that its user has read. So each open call gets the result that the ledger knows of by now, and the half answer
becomes a message that says it was cut short. Both are derived when the next run begins: nothing is stored
twice, and a call that ended in the meantime is told as it ended.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage, convert_to_messages

from ..domain.encoding import encode
from ..domain.tool_call import ToolCall

CUT_SHORT = "[The answer was cut short here: the user interrupted it.]"
NOT_STARTED = "Not started: the run was interrupted before."

_OUTCOMES = {
    "completed": "Completed: {}",
    "completed_after_interrupt": "Completed, although the user had interrupted: {}",
    "failed": "Failed: {}",
    "denied": "Not allowed by the user.",
    "not_started": NOT_STARTED,
    "cancelled": "Cancelled before it was done, since the user interrupted. It may have had an effect.",
}
_NOT_KNOWN = (
    "Not known: it had begun, and what became of it cannot be told yet. It may have had its effect, so do "
    "not repeat it unless the user asks for it."
)

_NOT_KNOWN_ID = "not-known."
"""The id of such a result begins so, and names the turn and the call: it is replaced once that is known."""

Given = Mapping[str, Any]
"""A message as a mapping, of which `add_messages` makes one of LangChain's."""


def repairs(said: Sequence[Any], calls: Sequence[ToolCall], half_an_answer: str) -> list[Given]:
    """Return the messages that complete a conversation which an interruption has left as it was.

    `said` are its messages, `calls` those of the ledger for the run before and for `turns_of_unknown`, and
    `half_an_answer` is all text that the run had shown. What the model was told is not known, and is by now,
    is replaced: a plain tool may have ended long after its run.
    """
    messages = convert_to_messages(said)
    by_id = {call.purpose: call for call in calls if call.purpose}
    results = [_result(call_id, by_id.get(call_id)) for call_id in _open_calls(messages)]
    results += _known_since(said, {call.call_id: call for call in calls})
    rest = _not_said(half_an_answer, messages)
    return [*results, {"role": "assistant", "content": f"{rest}\n\n{CUT_SHORT}"}] if rest else results


def turns_of_unknown(said: Sequence[Any]) -> set[int]:
    """Return the turns of the calls of which the model was told that their outcome is not known."""
    return {int(each.split(".")[1]) for each in _unknown(said)}


def asks_for(said: Sequence[Any], call_ids: Iterable[str]) -> bool:
    """Tell whether the messages of a conversation ask for all of these tool calls."""
    asked = [message for message in convert_to_messages(said) if isinstance(message, AIMessage)]
    return {call["id"] for message in asked for call in message.tool_calls}.issuperset(call_ids)


def _open_calls(messages: Sequence[BaseMessage]) -> list[str]:
    """Return the ids of the last tool calls that have no result."""
    answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            return [str(call["id"]) for call in message.tool_calls if call["id"] not in answered]
        if isinstance(message, HumanMessage):
            break
    return []


def _result(call_id: str, call: ToolCall | None) -> Given:
    if call is None:
        return {"role": "tool", "content": NOT_STARTED, "tool_call_id": call_id}
    words = _in_words(call)
    named = {"id": f"{_NOT_KNOWN_ID}{call.turn}.{call.call_id}"} if words == _NOT_KNOWN else {}
    return {"role": "tool", "content": words, "tool_call_id": call_id, **named}


def _in_words(call: ToolCall) -> str:
    value = call.result if isinstance(call.result, str) else encode(call.result).decode()
    return _OUTCOMES.get(call.outcome or "", _NOT_KNOWN).format(value)


def _unknown(said: Sequence[Any]) -> dict[str, ToolMessage]:
    """Return the results that were not known when they were told, by their ids.

    As messages alone: a reducer that leaves them mappings, as they were given, replaces nothing by its id.
    """
    return {
        each.id: each
        for each in said
        if isinstance(each, ToolMessage)
        and each.id is not None
        and each.id.startswith(_NOT_KNOWN_ID)
        and each.text == _NOT_KNOWN
    }


def _known_since(said: Sequence[Any], calls: Mapping[str, ToolCall]) -> list[Given]:
    """Return the results that are known by now, each under the id of the one that it replaces."""
    found: list[Given] = []
    for name, told in _unknown(said).items():
        call = calls.get(name.split(".", 2)[2])
        words = _NOT_KNOWN if call is None else _in_words(call)
        if words != _NOT_KNOWN:
            found.append({"role": "tool", "content": words, "tool_call_id": told.tool_call_id, "id": name})
    return found


def _not_said(text: str, messages: Sequence[BaseMessage]) -> str:
    """Return what of a text is in none of the answers to the last message of the user."""
    for message in _since_the_user(messages):
        said = message.text.strip()
        if said and text.lstrip().startswith(said):
            text = text.lstrip()[len(said) :]
    return text.strip()


def _since_the_user(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    begin = max((at for at, each in enumerate(messages) if isinstance(each, HumanMessage)), default=-1)
    return [each for each in messages[begin + 1 :] if isinstance(each, AIMessage)]
