"""Messages as LangChain writes them: which one a client has sent, and those of a thread."""

import dataclasses
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any, cast

from ...domain.errors import BadInput
from ..content import Content, content_of
from ..thread.state import AskedCall, Frame, Run, TaskState, Text, ThreadState, stands_before

View = dict[str, Any]

_HUMAN = frozenset({"human", "user"})


@dataclass(frozen=True, slots=True)
class SentMessage:
    """The message of a user that a client has sent; `field` is where in the body, for errors.

    `content` is what comes with it for its graph if it is more than text.
    """

    text: str
    field: str
    message_id: str | None = None
    id_field: str = ""
    content: Mapping[str, Any] = dataclasses.field(default_factory=dict[str, Any])


def sent_message(given: Any) -> SentMessage | None:
    """Return the last message of the user in the input of a run, None if there is none. Raises `BadInput`.

    Clients send the whole conversation, or a parent graph's whole state: the last message alone is new.
    """
    if isinstance(given, str):
        return SentMessage(given, "input")
    if isinstance(given, list):
        return _last_of(cast("list[Any]", given), "input")
    if not isinstance(given, Mapping):
        if given is None:
            return None
        raise BadInput("input: it should be an object.")
    fields = cast("Mapping[str, Any]", given)
    sent: Any = fields.get("messages") or []
    if isinstance(sent, Mapping | str):
        return _sent(sent, "input.messages")
    if not isinstance(sent, list):
        raise BadInput("input.messages: it should be a list.")
    found = _last_of(cast("list[Any]", sent), "input.messages")
    if found is not None:
        return found
    message = fields.get("message")
    if isinstance(message, str):
        return SentMessage(message, "input.message")
    # A graph whose only text field is its message, as `question`.
    words = [(name, value) for name, value in fields.items() if isinstance(value, str)]
    return SentMessage(words[0][1], f"input.{words[0][0]}") if len(words) == 1 and len(fields) == 1 else None


def _last_of(messages: list[Any], field: str) -> SentMessage | None:
    for number in reversed(range(len(messages))):
        found = _sent(messages[number], f"{field}[{number}]")
        if found is not None:
            return found
    return None


def _sent(given: Any, field: str) -> SentMessage | None:
    """Return a message, None if it is not the user's. Raises `BadInput`."""
    if isinstance(given, str):
        return SentMessage(given, field)
    if isinstance(given, list):
        pair = cast("list[Any]", given)
        given = {"role": pair[0], "content": pair[1]} if len(pair) == 2 else {}
    if not isinstance(given, Mapping):
        raise BadInput(f"{field}: it should be an object.")
    message = cast("Mapping[str, Any]", given)
    if message.get("type") == "constructor":  # how LangChain's classes write themselves in JavaScript
        message = _constructed(message, field)
        field = f"{field}.kwargs"
    if not any(
        isinstance(kind, str) and kind in _HUMAN for kind in (message.get("role"), message.get("type"))
    ):
        return None
    message_id = message.get("id")
    content = _content(message.get("content"), f"{field}.content")
    return SentMessage(
        content.text,
        f"{field}.content",
        message_id if isinstance(message_id, str) and message_id else None,
        f"{field}.id",
        content.given,
    )


def _constructed(message: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    names: Any = message.get("id")
    kwargs: Any = message.get("kwargs")
    path = cast("list[Any]", names) if isinstance(names, list) else []
    is_human = bool(path) and "Human" in str(path[-1])
    if not isinstance(kwargs, Mapping):
        raise BadInput(f"{field}.kwargs: it should be an object.")
    return {**cast("Mapping[str, Any]", kwargs), "type": "human" if is_human else "other"}


def _content(content: Any, field: str) -> Content:
    if isinstance(content, str):
        return Content(content)
    if not isinstance(content, list):
        raise BadInput(f"{field}: it should be text, or a list of blocks.")
    return content_of(cast("list[Any]", content), field)


# --- of a thread -----------------------------------------------------------------------------------------


def messages_of(state: ThreadState, shown: Set[str]) -> list[View]:
    """Return the messages of the tasks `shown`, each by the task of its message, in order.

    What a model has said so far is a message under the id that its pieces were sent with, and stays one. The
    prompt of an open question is left out, since clients show the question itself.
    """
    by_task: dict[str, list[Frame]] = {}
    for message in state.messages_in_order():
        by_task.setdefault(message["task_id"], []).append(message)
    firsts = {
        each: state.tasks[each].first_task_id if each in state.tasks else each
        for each in (*by_task, *state.tasks)
    }
    found: list[View] = []
    is_written = False
    # A task that retries a message after a crash is newer than those whose messages were waiting already.
    for task_id, first in sorted(firsts.items(), key=lambda each: (each[1], each[0])):
        task = state.tasks.get(task_id)
        if first not in shown:
            continue
        if task is not None and task.written is not None:
            found = _as_written(found, task.written, state)
            is_written = True
        else:
            found += _of_task(by_task.get(task_id, []), task, state)
    return [*_without_overtaken(found)] if is_written else found


def _without_overtaken(found: Sequence[View]) -> Iterator[View]:
    """Yield messages without outcomes of calls that have got a result: runs go on from written states."""
    for at, each in enumerate(found):
        call_id = each.get("tool_call_id")
        if call_id is None or each["id"] != outcome_id(call_id):
            yield each
            continue
        later = (more for more in found[at + 1 :] if _is_about(more, call_id))
        if next(later, {"type": "ai"})["type"] == "ai":
            yield each


def _is_about(message: View, call_id: str) -> bool:
    asks = any(each.get("id") == call_id for each in message.get("tool_calls") or ())
    return asks or message.get("tool_call_id") == call_id


def outcome_id(call_id: str) -> str:
    """Return the id of the message that tells the outcome of a call without a result."""
    return f"{call_id}.outcome"


def _as_written(found: Sequence[View], written: Frame, state: ThreadState) -> list[View]:
    """Return the messages before what a client wrote, with that."""
    gone = {shown_id(each, state) for each in written["removed"]}
    changed = {shown_id(each["id"], state): _shown_as(each, state) for each in written["messages"]}
    kept = [] if REMOVE_ALL in gone else [each for each in found if each["id"] not in gone]
    return [*(changed.pop(each["id"], each) for each in kept), *changed.values()]


REMOVE_ALL = "__remove_all__"
"""LangGraph's id of a message that removes all others."""


def shown_id(message_id: str, state: ThreadState) -> str:
    """Return the id under which clients know a message of the graph's state."""
    message = state.messages.get(message_id)
    return message["client_id"] or message_id if message is not None else message_id


def conversation_ids(state: ThreadState) -> Mapping[str, str]:
    """Return the ids that users' messages have in the state of the graph, by those that clients know."""
    return {
        each["client_id"]: each["message_id"]
        for each in state.messages.values()
        if each["client_id"] and not _is_written(each["task_id"], state)
    }


def _is_written(task_id: str, state: ThreadState) -> bool:
    task = state.tasks.get(task_id)
    return task is not None and task.written is not None


def _shown_as(message: View, state: ThreadState) -> View:
    return {**message, "id": shown_id(message["id"], state)}


def pending_of(state: ThreadState, run: Run) -> list[View]:
    """Return the messages that wait for a run to take them in; the newest run shows those of all.

    They are the last ones, since a page that has sent one would lose it otherwise.
    """
    newest = next(reversed(state.runs.values()), None)
    return [
        human(each)
        for each in state.pending.values()
        if run is newest or state.run_of(each["task_id"]) is run
    ]


def reply_of(state: ThreadState, task_id: str, since: int) -> list[View]:
    """Return what the assistant has said in a task from the event `since` on, apart from an open question."""
    task = state.tasks.get(task_id)
    messages = [
        each
        for each in state.messages_in_order()
        if each["task_id"] == task_id and each["role"] == "assistant" and each.get("seq", 0) >= since
    ]
    before = _texts_before(task, since)
    said = (each for each in _of_task(messages, task, state) if each["type"] == "ai" and each["content"])
    return [each for each in said if each["id"] not in before]


def _texts_before(task: TaskState | None, since: int) -> Set[str]:
    return (
        {each.message_id for each in task.texts.values() if each.seq < since} if task is not None else set()
    )


def _of_task(messages: list[Frame], task: TaskState | None, state: ThreadState) -> list[View]:
    texts = {each.message_id: each for each in task.texts.values() if is_shown(each)} if task else {}
    # What a task had said that a crash ended is said anew by the one that retries its message.
    said_anew = task is not None and _is_retried(task, state)
    prompts = _open_prompts(messages, state)
    placed: list[tuple[int, int, View]] = []
    for number, message in enumerate(messages):
        if message["message_id"] in prompts or message.get("unsaid"):
            continue
        place = message.get("seq", 0), number
        if message["role"] == "user":
            seq = -1 if stands_before(message) else place[0]
            placed.append((seq, number, human(message)))
        elif message["role"] == "system":
            placed.append((*place, _marker(message, task, state)))
        elif message["interrupted"] and texts and _is_all_of(message["text"], texts):
            said_anew = (
                False  # it is kept: shown piece by piece, under the ids that the pieces were sent with
            )
        else:
            # The last one: a model may say the same before a call and after it.
            alike = [each for each in texts.values() if _is_of(message["text"], each)]
            same = alike[-1] if alike else None
            if message["interrupted"]:
                # It holds all that was said of the reply.
                texts = {name: each for name, each in texts.items() if not each.is_reply}
            elif same is not None:
                del texts[same.message_id]
            message_id = same.message_id if same is not None else message["message_id"]
            placed.append((*place, ai(message["text"], message_id)))
    if not said_anew:
        placed += [(text.seq, -1, ai(text.text, text.message_id)) for text in texts.values()]
    if task is not None:
        _place_calls(placed, task, answered_alone=said_anew)
        _place_earlier_calls(placed, task, state)
    return [view for _, _, view in sorted(placed, key=lambda each: each[:2])]


def _place_calls(
    placed: list[tuple[int, int, View]], task: TaskState, *, answered_alone: bool = False
) -> None:
    """Add the calls that a task's models ask for to the messages that ask for them, and their results.

    With `answered_alone` those that have no result are left out: the next attempt at the message makes them.
    """
    said = {view["id"]: (seq, number, view) for seq, number, view in placed if view["type"] == "ai"}
    places: dict[str, tuple[int, int]] = {}  # of results, by their ids
    for call in task.asked.values():
        if not call.is_whole or call.namespace or (answered_alone and call.answer is None):
            continue
        if call.message_id not in said:
            said[call.message_id] = (call.seq, -1, ai("", call.message_id))
            placed.append(said[call.message_id])
        seq, number, view = said[call.message_id]
        _add_call(view, call)
        if call.answer is not None:
            places[call.answer["message_id"]] = seq, number
        elif (outcome := _outcome_of(call, task)) is not None:
            placed.append((seq, number, outcome))
    # Right after the message that asks, also where a question was asked and answered in between: pages join
    # a result to its call only there.
    for result in task.results.values():
        if "namespace" not in result:
            place = places.get(result["message_id"], (result["seq"], -1))
            placed.append((*place, tool_result(result)))


def _place_earlier_calls(placed: list[tuple[int, int, View]], task: TaskState, state: ThreadState) -> None:
    """Add the calls of a failed run that a task has answered, as it goes on from where that run stopped."""
    if not task.results:
        return
    for earlier in state.tasks.values():
        if earlier.first_task_id == task.first_task_id:
            continue
        said: dict[str, View] = {}
        for call in earlier.asked.values():
            if call.answer is None or call.namespace or call.answer["task_id"] != task.task_id:
                continue
            if call.message_id not in said:
                text = earlier.texts.get(call.message_id)
                said[call.message_id] = ai(text.text if text is not None else "", call.message_id)
                placed.append((call.answer["seq"], -2, said[call.message_id]))
            _add_call(said[call.message_id], call)


def _add_call(view: View, call: AskedCall) -> None:
    arguments = call.input
    if isinstance(arguments, dict):
        asked: View = {"name": call.tool, "args": arguments, "id": call.call_id, "type": "tool_call"}
        view["tool_calls"].append(asked)
    else:
        invalid = {"name": call.tool, "args": call.arguments, "id": call.call_id, "error": None}
        view["invalid_tool_calls"].append({**invalid, "type": "invalid_tool_call"})


def _outcome_of(call: AskedCall, task: TaskState) -> View | None:
    """Return the outcome of a call without a result in the state of the graph; None while it may have one."""
    result = task.result_of(call)
    if result is None:
        return None
    status = "error" if result.is_error else "success"
    return _tool(outcome_id(call.call_id), call.call_id, call.tool, result.text, status)


def _is_retried(task: TaskState, state: ThreadState) -> bool:
    return any(
        each.first_task_id == task.first_task_id and each.task_id > task.task_id
        for each in state.tasks.values()
    )


def is_shown(text: Text) -> bool:
    """Return whether a text is a message: what only parts two of them has no words, and no message."""
    return (text.is_reply or text.in_graph) and bool(text.text.strip())


def _is_of(said: str, text: Text) -> bool:
    """Return whether what was said is a text, of which only the end may be known."""
    return said == text.text or (not text.is_whole and said.endswith(text.text))


def _is_all_of(said: str, texts: Mapping[str, Text]) -> bool:
    """Return whether what was said is just the texts of the reply among these, one after another."""
    texts = {name: each for name, each in texts.items() if each.is_reply}
    return all(each.is_whole for each in texts.values()) and _letters(texts) == _letters(said)


def _letters(said: str | Mapping[str, Text]) -> str:
    """Return what was said without the space that parts two messages."""
    words = said if isinstance(said, str) else " ".join(each.text for each in said.values())
    return "".join(words.split())


def _open_prompts(messages: list[Frame], state: ThreadState) -> Set[str]:
    found: set[str] = set()
    for request in state.requests.values():
        of_task = (each for each in reversed(messages) if each["task_id"] == request["task_id"])
        said = (each for each in of_task if each["role"] == "assistant" and each["text"] == request["prompt"])
        prompt: Iterator[str] = (each["message_id"] for each in said)
        found.update(list(prompt)[:1])
    return found


def human(message: Frame) -> View:
    """Return a message of the user, under the id that it was sent with; marked, if it was to steer a run."""
    return {
        "type": "human",
        "content": message.get("content") or message["text"],
        "id": message["client_id"] or message["message_id"],
        "name": None,
        "additional_kwargs": {"detour": {"steer": message["steer"]}} if message.get("steer") else {},
        "response_metadata": {},
    }


def ai(content: str, message_id: str) -> View:
    """Return a message of the assistant."""
    return {
        "type": "ai",
        "content": content,
        "id": message_id,
        "name": None,
        "additional_kwargs": {},
        "response_metadata": {},
        "tool_calls": [],
        "invalid_tool_calls": [],
    }


def chunk(piece: str, message_id: str, calls: Sequence[View] = ()) -> View:
    """Return a piece of a message of the assistant; clients append those of one id."""
    return {**ai(piece, message_id), "type": "AIMessageChunk", "tool_call_chunks": [*calls]}


def asking(message_id: str, task: TaskState) -> View:
    """Return a message of a model as it is so far, with the whole calls that it asks for."""
    text = task.texts.get(message_id)
    view = ai(text.text if text is not None else "", message_id)
    for call in task.asked.values():
        if call.message_id == message_id and call.is_whole:
            _add_call(view, call)
    return view


def call_chunk(frame: Frame, task: TaskState) -> View:
    """Return a piece of a call that a model asks for; clients append those of one index."""
    call = task.asked[frame["tool_call_id"]]
    of_message = [each for each in task.asked.values() if each.message_id == call.message_id]
    index = next(number for number, each in enumerate(of_message) if each is call)
    begins = call.seq == frame["seq"]
    return {
        "name": frame["tool"] if begins else None,
        "args": frame["arguments"],
        "id": frame["tool_call_id"] if begins else None,
        "index": index,
        "type": "tool_call_chunk",
    }


def tool_result(frame: Frame) -> View:
    """Return the result of a tool call."""
    name, text = frame.get("tool"), frame.get("text", "")
    return _tool(frame["message_id"], frame["tool_call_id"], name, text, frame["status"])


def _tool(message_id: str, call_id: str, name: str | None, text: str, status: str) -> View:
    return {
        "type": "tool",
        "content": text,
        "id": message_id,
        "name": name,
        "tool_call_id": call_id,
        "status": status,
        "artifact": None,
        "additional_kwargs": {},
        "response_metadata": {},
    }


def _marker(message: Frame, task: TaskState | None, state: ThreadState) -> View:
    """Return the marker of an interruption: as the assistant's, since models refuse a late system message."""
    left = state.interrupted.get(message["task_id"], {})
    receipt = (task.receipt if task is not None else None) or left.get("receipt")
    view = ai(message["text"], message["message_id"])
    view["additional_kwargs"] = {"detour": {"kind": "interruption", "receipt": receipt}}
    return view
