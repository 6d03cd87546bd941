"""Turns the stream and the writes of a run into progress and partial results of its task, and its reply.

LangGraph calls `streamed` and `written` within the run; neither waits.
"""

import asyncio
import dataclasses
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Set
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any, TypeVar, cast

import orjson
from langchain_core.messages import BaseMessage
from langgraph.graph import END
from pydantic import BaseModel

from ..domain.encoding import encode
from ..domain.errors import GraphFailedError
from ..domain.task import ENDED_AGENT_STATES
from ..tasks.task_context import TaskContext, TooMuchShownError
from .graph_input import FILLED, REPLY_KEYS
from .graph_options import Graph
from .langgraph_internals import Chunk, is_cached, is_paused, outermost_node, outermost_node_of

# --- loop calls ----------------------------------------------------------------------------------------
# Brings calls from the threads of plain nodes, tools and models to the event loop of their run.

MOST_UNDELIVERED = 256
"""Calls of threads that may wait for the event loop; a thread that makes them faster waits for it.

The loop does all that waits in one step: a plain node that wrote a million items held it up for 3 s.
"""

T = TypeVar("T")
_MAKING = threading.Lock()

BLOCKED_AFTER_S = 0.1
"""Seconds for which a thread waits for a place. The loop may be blocked until this very thread has ended."""

MOST_WHILE_BLOCKED = 10_000
"""Further calls that may wait for a loop that is blocked."""

FAILS_AFTER_S = 30.0
"""Seconds for which a thread waits that has made so many: the loop may be blocked by another user's node."""


class LoopCalls:
    """Calls functions on the event loop that this is made on: at once there, soon from any other thread.

    Calls of one thread run in their order.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self._free: threading.Semaphore | None = None
        self._free_while_blocked: threading.Semaphore | None = None
        self._is_blocked = False

    @property
    def is_on_loop(self) -> bool:
        """Whether the caller runs on the event loop."""
        return threading.get_ident() == self._thread

    def __call__(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function. Raises what it raises on the event loop alone.

        From another thread, `TooMuchShownError` is dropped: the task has noted it, and fails by it. Raises
        `GraphFailedError` there once far too many calls wait for a blocked loop.
        """
        if self.is_on_loop:
            call(*arguments)
            return
        place = self._take_place()
        try:
            self._loop.call_soon_threadsafe(self._deliver, place, call, *arguments)
        except RuntimeError:  # the loop is closed: the process is about to end
            place.release()

    def soon(self, call: Callable[..., None], *arguments: Any) -> None:
        """Call a function as this does, but never have a thread wait, however many of its calls do."""
        if self.is_on_loop:
            call(*arguments)
            return
        with suppress(RuntimeError):  # the loop is closed: the process is about to end
            self._loop.call_soon_threadsafe(_within_bounds, call, *arguments)

    def answer(self, call: Callable[[], T], *, within_s: float) -> T | None:
        """Call a function on the event loop and return what it returns; raises what it raises.

        None in another thread if the loop does not get to it in time: then it is not called at all.
        """
        if self.is_on_loop:
            return call()
        answer = Future[T]()

        def make() -> None:
            if answer.set_running_or_notify_cancel():
                try:
                    answer.set_result(call())
                except Exception as error:  # noqa: BLE001 - raised in the thread that has asked
                    answer.set_exception(error)

        try:
            self._loop.call_soon_threadsafe(make)
        except RuntimeError:  # the loop is closed: the process is about to end
            return None
        try:
            return answer.result(within_s)
        except TimeoutError:
            return None if answer.cancel() else answer.result()

    def _places(self) -> tuple[threading.Semaphore, threading.Semaphore]:
        """Return the semaphores, made for the first thread: most runs have none, and each takes 1 KiB."""
        with _MAKING:
            if self._free is None or self._free_while_blocked is None:
                self._free = threading.Semaphore(MOST_UNDELIVERED)
                self._free_while_blocked = threading.Semaphore(MOST_WHILE_BLOCKED)
            return self._free, self._free_while_blocked

    def _take_place(self) -> threading.Semaphore:
        free, free_while_blocked = self._places()
        # Once blocked, until the loop runs again: else each call would wait.
        if free.acquire(timeout=0 if self._is_blocked else BLOCKED_AFTER_S):
            return free
        self._is_blocked = True
        if not free_while_blocked.acquire(timeout=FAILS_AFTER_S):
            raise GraphFailedError("A node showed too much while another one blocked the event loop.")
        return free_while_blocked

    def _deliver(self, place: threading.Semaphore, call: Callable[..., None], *arguments: Any) -> None:
        self._is_blocked = False
        # First: a call that raises must not take a place for ever.
        place.release()
        _within_bounds(call, *arguments)


def _within_bounds(call: Callable[..., None], *arguments: Any) -> None:
    with suppress(TooMuchShownError):  # the context has noted it, which fails the task
        call(*arguments)


# --- stream --------------------------------------------------------------------------------------------


MOST_IN_ONE_STEP = 25_000
"""Writes of a run in one step of the event loop, for which all other users wait: some 0.2 s (measured)."""

_TOO_MANY_AT_ONCE = (
    f"The node {{!r}} wrote more than {MOST_IN_ONE_STEP:,} times without an await in between, and everybody "
    "else had to wait. It can write lists of items instead, or `await asyncio.sleep(0)` now and then."
)


Added = Callable[[str, str, Any], None]
"""Takes what a node has written: its name, the namespace of its graph, and the values by channel."""


def _told_nowhere(node: str, namespace: str, written: Any) -> None:
    """Do nothing with what a node has written. An `Added`."""


@dataclass(slots=True)
class _NodeRuns:
    """Counts the overlapping runs of one node: `Send` may start it several times at once."""

    started: int = 0
    ended: int = 0
    failed: bool = False


class GraphStream:
    """Follows one run.

    `state` is the last state, `wrote` names for each channel that its nodes have written the last that did;
    `paused` tells whether the graph stopped to wait for input.
    """

    def __init__(
        self, context: TaskContext, nodes: Set[str], on_loop: LoopCalls, added: Added = _told_nowhere
    ) -> None:
        self._added = added
        self.state: Any = None
        self.wrote: dict[str, str] = {}
        self.paused = False
        self._ended_before = {name for name, now in context.agents.items() if now.state in ENDED_AGENT_STATES}
        self._not_run_again: set[str] = set()
        self._context = context
        self._nodes = nodes
        self._runs: dict[str, _NodeRuns] = {}
        self._names: dict[str, str] = {}
        self._on_loop = on_loop
        self._in_this_step = 0

    @property
    def has_failed(self) -> bool:
        """Whether a node has failed, rather than LangGraph between the nodes."""
        return any(each.failed for each in self._runs.values())

    def has_run(self, path: tuple[str, ...]) -> bool:
        """Whether a node of the outermost graph has begun to run; of those within nothing is known."""
        return len(path) == 1 and path[0] in self._runs

    def streamed(self, chunk: Chunk) -> None:
        """Take a chunk of the modes `tasks`, `updates` and `values`: a node's start or end, a pause, a state.

        Chunks of subgraphs are ignored: a subgraph belongs to the node that runs it.
        """
        namespace, mode, payload = chunk
        if mode == "tasks" and "triggers" in payload:
            self._begin_no_step_after_an_interruption()
        elif mode == "tasks" and payload["result"]:
            self._on_loop(self._added, payload["name"], "|".join(namespace), payload["result"])
        if namespace:
            return
        if mode == "values":
            self.state = payload
        elif mode == "updates":
            self.paused |= is_paused(payload)
            if is_cached(payload):  # its start was streamed, and no end will be
                for name, update in payload.items():
                    channels = cast("Mapping[str, Any]", update) if isinstance(update, Mapping) else ()
                    self.wrote.update((channel, name) for channel in channels)
                    self._ended(name)
        elif "triggers" in payload:
            self._names[payload["id"]] = payload["name"]
            # A resumed run streams a start and an end for each node of its first step that had ended before
            # the pause, though LangGraph only applies their stored writes and does not run them.
            if payload["name"] in self._ended_before:
                self._not_run_again.add(payload["id"])
            else:
                self._started(payload["name"])
        else:
            # The first end: all starts of that step were streamed. A node that starts later does run.
            self._ended_before.clear()
            self.wrote.update(dict.fromkeys(payload["result"], payload["name"]))
            if payload["id"] not in self._not_run_again and not payload["interrupts"]:
                self._ended(payload["name"], failed=payload["error"] is not None)

    def _begin_no_step_after_an_interruption(self) -> None:
        # A node that lost its cancellation has returned: LangGraph would begin the next one.
        if self._context.reason is not None or self._context.life.suspended:
            if self._on_loop.is_on_loop:
                raise asyncio.CancelledError
            raise GraphFailedError("The task was interrupted before this step began.")

    def agent_of(self, branch: str, namespace: str) -> str:
        """Return the node of the outermost graph to which a branch belongs."""
        return outermost_node_of(namespace) or self._names.get(branch, "graph")

    def written(self, value: Any) -> None:
        """Publish a write of a node, from the event loop's thread or any other.

        Encodes the value before it returns: so a value without a JSON form fails the node that wrote it, and
        a node may mutate what it wrote. Raises `GraphFailedError` for such a value and for too many in one
        step of the event loop, and the failure of a task that has one.
        """
        if self._context.failure is not None:
            raise self._context.failure
        node = outermost_node()
        if self._on_loop.is_on_loop:  # a thread that is too fast waits for the loop
            self._count_in_step(node)
        try:
            try:
                self._take(node, value)
            except TypeError:
                # Only now: looking through each value for messages would copy all that nodes write.
                self._take(node, with_plain_objects(value))
        except TypeError as error:
            raise GraphFailedError(f"The node {node!r} wrote what has no JSON form: {error}.") from error

    def _count_in_step(self, node: str) -> None:
        if not self._in_this_step:
            asyncio.get_running_loop().call_soon(self._begin_step)
        self._in_this_step += 1
        if self._in_this_step > MOST_IN_ONE_STEP:
            raise GraphFailedError(_TOO_MANY_AT_ONCE.format(node))

    def _begin_step(self) -> None:
        self._in_this_step = 0

    def _take(self, node: str, value: Any) -> None:
        """Publish a value; from another thread, soon. Raises `TypeError` before it does."""
        agent, items, source = _found(value, node)
        if not self._on_loop.is_on_loop:
            # Here and not on the loop: the node may mutate an item before the loop gets to it.
            encode((agent, source))
            items = [orjson.Fragment(encode(item)) for item in items]
        self._on_loop(partial(self._context.publish, agent, items, source=source))

    def _started(self, name: str) -> None:
        if name not in self._nodes:
            return  # a `@task` that a node calls: part of that node
        runs = self._runs.get(name)
        if runs is None or runs.ended == runs.started:
            runs = self._runs[name] = _NodeRuns()
            self._context.progress(name, "working")
        runs.started += 1

    def _ended(self, name: str, *, failed: bool = False) -> None:
        runs = self._runs.get(name)
        if runs is None:
            return  # a `@task`, or the error handler of a node, which streams an end and no start
        runs.ended += 1
        runs.failed |= failed
        total = runs.started if runs.started > 1 else 0
        if runs.ended < runs.started:
            self._context.progress(name, "working", done=runs.ended, total=total)
        else:
            self._context.progress(name, "failed" if runs.failed else "done", done=total, total=total)


def _found(value: Any, node: str) -> tuple[str, list[Any], str | None]:
    """Return agent, items and source that a mapping names; any other value is the node's only item."""
    if not isinstance(value, Mapping):
        return node, [value], None
    written: Mapping[str, Any] = value  # pyright: ignore[reportUnknownVariableType]
    agent, source, items = written.get("agent"), written.get("source"), written.get("items")
    return (
        agent if isinstance(agent, str) and agent else node,
        [*items] if isinstance(items, list | tuple) else [written],  # pyright: ignore[reportUnknownVariableType]
        source if isinstance(source, str) else None,
    )


def with_plain_objects(value: Any) -> Any:
    """Return a value in which pydantic objects, such as LangChain's messages, are mappings of their fields.

    Looks into mappings, lists, tuples and dataclasses. Raises `TypeError` for a field without a JSON form.
    """
    try:
        return _plain(value)
    except (ValueError, RecursionError) as error:  # pydantic's error, and a value that holds itself
        raise TypeError(f"{type(value).__name__}: {error}") from error


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json", warnings=False)
    if isinstance(value, Mapping):
        items: Mapping[Any, Any] = value  # pyright: ignore[reportUnknownVariableType]
        return {key: _plain(each) for key, each in items.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
    return value


# --- readable ------------------------------------------------------------------------------------------
# Turns a structured answer, which a program reads, into text for people: a list of its fields.


def readable(structure: Any) -> str:
    """Return a structure as a list of its fields, nested ones indented; the text of one that has only that.

    Fields that hold nothing are left out. "" if there is nothing to show, or the structure has no JSON form.
    """
    try:
        value = with_plain_objects(structure)
    except TypeError:
        return ""
    if isinstance(value, Mapping):
        fields = [*cast("Mapping[Any, Any]", value).values()]
        if len(fields) == 1 and isinstance(fields[0], str):
            return fields[0]
    return "\n".join(_lines(value, "")) if isinstance(value, Mapping | list) else _word(value)


def _lines(value: Any, indent: str) -> Iterator[str]:
    if isinstance(value, Mapping):
        fields = cast("Mapping[Any, Any]", value)
        for name, each in fields.items():
            if _is_flat(each):
                yield f"{indent}- {_label(name)}: {_word(each)}"
            elif each:
                yield f"{indent}- {_label(name)}:"
                yield from _lines(each, f"{indent}  ")
        return
    for each in value:
        if _is_flat(each):
            yield f"{indent}- {_word(each)}"
        elif isinstance(each, Mapping) and all(map(_is_flat, each.values())):  # pyright: ignore[reportUnknownArgumentType,reportUnknownMemberType]
            row: Mapping[Any, Any] = each  # pyright: ignore[reportUnknownVariableType]
            yield f"{indent}- " + ", ".join(f"{_label(name)}: {_word(one)}" for name, one in row.items())
        elif each:
            yield from _lines(each, indent)


def _is_flat(value: Any) -> bool:
    return value is not None and not isinstance(value, Mapping | list)


def _word(value: Any) -> str:
    plain = value.value if isinstance(value, Enum) else value
    return ("no", "yes")[plain] if isinstance(plain, bool) else str(plain)


def _label(name: Any) -> str:
    words = str(name).replace("_", " ").strip()
    return words[:1].upper() + words[1:]


# --- graph reply ---------------------------------------------------------------------------------------
# Finds the reply in the final state of a graph, or in the value of a functional graph.
#
# In this order: the key of `DETOUR_GRAPH_REPLY`, `answer`, `response`, the last message, and the only text
# that is not what the graph was given. A result that is no text is the reply as JSON: the value of the
# chosen key, of the only key of a graph's output, or what a function returned.
#
# An agent that was made with a `response_format` ends with a message for programs. It replies what its
# model has said beside that, or else the structured response as a list that people can read.


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
