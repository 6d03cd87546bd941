"""Renders one run as one assistant message: its chunks are a function of the stored events alone.

Where the run has taken a message of the user in, another assistant message begins after that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.encoding import encode
from ..content import media_in
from ..following import Following
from ..page_tools import call_of
from ..thread.fold import FoldedEvent
from ..thread.reading import ThreadReader
from ..thread.state import AskedCall, CallResult, Frame, Run, TaskState, Text, ThreadState, stands_before

# --- chunks --------------------------------------------------------------------------------------------
# The chunks of a UI message stream, as the schema of `ai` 7.0.173 has them: an unknown one ends the stream.
#
# `start` comes first, `finish` last; after an `error` the client reads nothing more.


Chunk = Mapping[str, Any]

DONE = b"data: [DONE]\n\n"


def encoded(chunk: Chunk) -> bytes:
    """Return a chunk as a server-sent event."""
    return b"data: %b\n\n" % encode(chunk)


def start(run: Run, message_id: str | None = None) -> Chunk:
    """Begin an assistant message of a run, the first has the run's id.

    A resumed stream begins a message of the same id anew.
    """
    metadata = {"runId": run.run_id, "taskId": run.task_id, "createdAt": run.created_at}
    return {"type": "start", "messageId": message_id or run.run_id, "messageMetadata": metadata}


_RESET: Chunk = {"type": "reset-step"}
"""Drops all that the message has shown."""


def partial(agent: str, items: list[Any], count: int) -> Chunk:
    """Show all results of an agent, instead of those before."""
    return {"type": "data-partial", "id": agent, "data": {"agent": agent, "items": items, "count": count}}


def question(frame: Frame, outcome: str | None = None) -> Chunk:
    """Show an open question, or its outcome."""
    data = _plain(frame, **({} if outcome is None else {"outcome": outcome}))
    return {"type": "data-question", "id": frame["request_id"], "data": data}


def interruption(receipt: Frame) -> Chunk:
    """Show the receipt of an interruption."""
    return {"type": "data-interruption", "data": receipt}


def ending(run: Run, failure: str | None = None, *, for_page: bool = False) -> Iterator[Chunk]:
    """End the message of a run that waits `for_page`, or for nothing; `failure` is why it failed, if any."""
    if failure is not None:
        yield {"type": "error", "errorText": failure}
        yield finish(run, "error")
    elif run.status in {"interrupted", "timeout"}:
        yield {"type": "abort", "reason": run.reason or run.status}
        yield finish(run, "interrupted")
    else:
        yield finish(run, "tool-calls" if for_page else "stop")


def finish(run: Run, reason: str) -> Chunk:
    """End a message of a run; its next one may be shown in another stream."""
    metadata = {"status": run.status, "reason": run.reason}
    return {"type": "finish", "finishReason": reason, "messageMetadata": metadata}


def _plain(frame: Frame, **more: Any) -> dict[str, Any]:
    plain = {name: value for name, value in frame.items() if name not in {"seq", "type", "task_id", "at"}}
    return {**plain, **more}


# --- texts ---------------------------------------------------------------------------------------------
# The text parts of one assistant message: one for each message of a model, in the order of their
# beginnings.
#
# The text of a model that replies is a `text` part; that of any other is `reasoning`, which pages show
# folded or not at all. Parts of several models may be open at once.


@dataclass(slots=True)
class _Part:
    part_id: str
    kind: str
    node: str | None = None
    text: str = ""
    open: bool = True

    def is_continued_by(self, text: str) -> bool:
        """Return whether a text begins with the whole words of this one."""
        rest = text[len(self.text) :]
        return text.startswith(self.text) and (self.text[-1:].isspace() or rest[:1].isspace())


class Texts:
    """The text parts of one assistant message."""

    def __init__(self) -> None:
        self._parts: dict[str, _Part] = {}

    def piece(self, frame: Frame) -> Iterator[Chunk]:
        """Show a piece of a model's text, or of a reply that has no message of its own."""
        named = frame.get("message_id")
        part_id = named or f"{frame['task_id']}.reply"
        part = self._parts.get(part_id)
        if part is None or not part.open:
            if named is None and not frame["text"].strip():
                return  # the space between two messages of a reply, which are parts of their own
            part = _Part(part_id, "text" if frame.get("reply", True) else "reasoning", frame.get("node"))
            yield from self._begin(part)
        yield from self._add(part, frame["text"])

    def whole(self, message_id: str, text: str, streamed: Mapping[str, Text]) -> Iterator[Chunk]:
        """Show the text of a message, or its missing rest; `streamed` is all text that was streamed.

        That may be more than this assistant message shows: a task streams on after its user's answer.
        """
        shown = [each for each in self._parts.values() if each.kind == "text"]
        wholes = [each.text for each in shown]
        wholes += [streamed[each.part_id].text for each in shown if each.part_id in streamed]
        if not text.strip() or text.strip() in map(str.strip, wholes):
            return
        last = shown[-1] if shown and shown[-1].is_continued_by(text) else None
        part = last if last is not None and last.open else _Part(message_id, "text")
        if part is not last:
            yield from self._begin(part)
        yield from self._add(part, text if last is None else text[len(last.text) :])
        yield from self._close(part)

    def close_of(self, node: str) -> Iterator[Chunk]:
        """End the parts of a node that has ended."""
        for part in self._parts.values():
            if part.node == node:
                yield from self._close(part)

    def close(self) -> Iterator[Chunk]:
        """End all parts."""
        for part in self._parts.values():
            yield from self._close(part)

    def _begin(self, part: _Part) -> Iterator[Chunk]:
        self._parts[part.part_id] = part
        metadata = {} if part.node is None else {"providerMetadata": {"detour": {"node": part.node}}}
        yield {"type": f"{part.kind}-start", "id": part.part_id, **metadata}

    def _add(self, part: _Part, text: str) -> Iterator[Chunk]:
        part.text += text
        yield {"type": f"{part.kind}-delta", "id": part.part_id, "delta": text}

    def _close(self, part: _Part) -> Iterator[Chunk]:
        if part.open:
            part.open = False
            yield {"type": f"{part.kind}-end", "id": part.part_id}


# --- tool calls ----------------------------------------------------------------------------------------
# The tool parts of one assistant message: the calls that models ask for, and their results.
#
# A page would carry a call out by itself, and send the conversation again, if it were not marked as carried
# out by the provider. The client takes a result only in the message that has the call. Calls of the page's
# own tools are not marked so, and the page has their results.


class ToolParts:
    """The tool parts of one assistant message."""

    def __init__(self) -> None:
        self._open: dict[str, AskedCall] = {}
        self._shown: dict[str, AskedCall] = {}
        self._for_page: set[str] = set()

    def piece(self, frame: Frame, call: AskedCall, *, for_page: bool = False) -> Iterator[Chunk]:
        """Show a piece of a call's arguments, and the whole call with the last one."""
        call_id = call.call_id
        if call.is_repeated_by(frame):
            return
        if self._shown.get(call_id) is not call:
            self._shown[call_id] = self._open[call_id] = call
            if for_page:
                self._for_page.add(call_id)
            yield {"type": "tool-input-start", **self._called(call)}
        if frame["arguments"]:
            yield {"type": "tool-input-delta", "toolCallId": call_id, "inputTextDelta": frame["arguments"]}
        if call.is_whole:
            yield {"type": "tool-input-available", **self._called(call), "input": call.input}

    def result(self, call: AskedCall, result: CallResult) -> Iterator[Chunk]:
        """Show what a call came to, once; the call itself before that, if another message has it."""
        call_id = call.call_id
        is_shown = self._shown.get(call_id) is call
        if is_shown and call_id not in self._open:
            return
        if not is_shown:
            self._shown[call_id] = call
            yield {"type": "tool-input-available", **self._called(call), "input": call.input}
        self._open.pop(call_id, None)
        if result.is_error:
            yield {"type": "tool-output-error", **self._executed(call), "errorText": result.text}
        else:
            yield {"type": "tool-output-available", **self._executed(call), "output": result.text}

    def end(self, task: TaskState) -> Iterator[Chunk]:
        """Show what became of the calls that have no result."""
        for call in [*self._open.values()]:
            result = task.result_of(call)
            if result is not None and not call.is_whole:
                failed = {"input": call.arguments, "errorText": result.text}
                yield {"type": "tool-input-error", **self._called(call), **failed}
            elif result is not None:
                yield from self.result(call, result)

    def _executed(self, call: AskedCall) -> Chunk:
        is_own = call.call_id in self._for_page
        return {"toolCallId": call.call_id, **({} if is_own else {"providerExecuted": True})}

    def _called(self, call: AskedCall) -> Chunk:
        return {**self._executed(call), "toolName": call.tool}


# --- rendering -----------------------------------------------------------------------------------------


_PART = "-s"

TAKEN_IN = "taken-in"
"""The type of our own mark between the chunks of two messages of a run; it is not sent."""


class RunChunks:
    """The chunks of one run; call it with every event of the thread, in order."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._texts = Texts()
        self._tools = ToolParts()
        self._begun = False
        self._lost = False
        self._questions: dict[str, Frame] = {}
        self._requests: dict[str, Any] = {}
        # A message waits for the next event of its run, which tells whether it is a reply or a failure.
        self._last: Frame | None = None

    def step(self, step: FoldedEvent, state: ThreadState) -> Iterator[Chunk]:
        """Yield the chunks of an event; `state` is that after it."""
        run = step.run
        if run is not None and run.run_id == self._run_id:
            if self._begun or step.began:
                if not self._begun:
                    self._begun = True
                    yield start(run)
                yield from self._event(step, state)
            else:  # its first events are not stored any more
                yield from self._known(run, state)
        if step.ended is not None and step.ended.run_id == self._run_id:
            yield from self._end(step.ended, state)

    def outcomes(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        """Yield what became of the calls that have no result, once their task has ended."""
        task = state.task_of(run)
        if task is not None:
            yield from self._tools.end(task)

    def present(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        """Yield the chunks of the run as far as it is known, without its events."""
        yield from self._known(run, state)
        if run.ended:
            yield from self._end(run, state)

    def _known(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        yield _RESET if self._begun else start(run)
        self._begun, self._lost, self._texts, self._last = True, False, Texts(), None
        self._tools = ToolParts()
        tasks = state.tasks_of(run)
        for task in reversed(tasks):
            for agent, items in task.found.items():
                yield partial(agent, items, len(items))
            for call in task.asked.values():
                if call.is_whole and (result := task.result_of(call)) is not None:
                    yield from self._tools.result(call, result)
        of_run = {run.task_id, *(each.task_id for each in tasks)}
        number = 1
        for message in state.messages_in_order():
            if message["task_id"] in of_run and message["role"] == "assistant":
                yield from self._said(state)
                self._last = message
            elif message["task_id"] in of_run and message.get("steer") == "taken_in":
                number += 1
                yield from self._parted(message, run, number, state)
        for request in state.requests.values():
            if request["task_id"] in of_run and call_of(request) is None:
                yield from self._said(state)
                yield self._asked(request)

    def _event(self, step: FoldedEvent, state: ThreadState) -> Iterator[Chunk]:
        frame, kind = step.frame, step.frame["type"]
        if self._lost:
            yield _RESET
            self._lost, self._texts, self._questions, self._last = False, Texts(), {}, None
            self._tools = ToolParts()
        if step.ended is None and kind != "message":
            yield from self._said(state)
        if kind == "receipt" and step.ended is None:
            # Its process has ended; the parts stay until the message is answered once more.
            self._lost = True
        else:
            yield from self._show(frame, state)

    def _show(self, frame: Frame, state: ThreadState) -> Iterator[Chunk]:
        match frame["type"]:
            case "message" if frame["role"] == "assistant" and not frame["interrupted"]:
                # A text cut short was streamed, and the receipt marks the interruption.
                yield from self._said(state)
                self._last = frame
            case "text_delta":
                yield from self._texts.piece(frame)
            case "tool_call":
                call = state.tasks[frame["task_id"]].asked[frame["tool_call_id"]]
                yield from self._tools.piece(frame, call, for_page=frame.get("for_page", False))
            case "graph_message" if frame["role"] == "tool":
                task = state.tasks[frame["task_id"]]
                call = state.call_of(task, frame["tool_call_id"])
                is_from_page = task.for_page.get(frame["tool_call_id"], False)
                if call is not None and not is_from_page and (result := task.result_of(call)) is not None:
                    yield from self._tools.result(call, result)
            case "partial_result":
                found = state.tasks[frame["task_id"]].found[frame["agent"]]
                yield partial(frame["agent"], found, frame["count"])
            case "agent_update":
                yield from self._agent(frame)
            case "tool_update":
                yield {"type": "data-tool", "id": frame["call_id"], "data": _plain(frame)}
            case "input_request" if call_of(frame) is None:
                yield self._asked(frame)
            case "input_resolved" if frame["request_id"] in self._questions:
                yield question(self._questions[frame["request_id"]], frame["outcome"])
            case "steer" if frame["steer"] == "taken_in":
                run = state.runs[self._run_id]
                yield from self._parted(frame, run, 1 + len(_taken_in(run, state)), state)
            case _:
                pass

    def _parted(self, message: Frame, run: Run, number: int, state: ThreadState) -> Iterator[Chunk]:
        """End the assistant message before one of the user's; the next one is the `number`th of its task."""
        yield from self._said(state)
        yield from self._texts.close()
        self._tools = ToolParts()
        began = start(run, part_id(run, number))
        yield {"type": TAKEN_IN, "after": message["message_id"], "start": began}

    def _agent(self, frame: Frame) -> Iterator[Chunk]:
        name = frame["agent"]
        if frame.get("until") is not None:
            yield from self._texts.close_of(name)
        # Only the first update has the request, and a chunk replaces the one before.
        self._requests[name] = frame.get("request", self._requests.get(name))
        request = self._requests[name]
        data = _plain(frame, **({} if request is None else {"request": request}))
        yield {"type": "data-agent", "id": name, "data": data}

    def _asked(self, frame: Frame) -> Chunk:
        self._questions[frame["request_id"]] = frame
        return question(frame)

    def _said(self, state: ThreadState) -> Iterator[Chunk]:
        """Show the message that waits, as text."""
        message, self._last = self._last, None
        if message is not None:
            task = state.tasks.get(message["task_id"])
            streamed = task.texts if task is not None else {}
            yield from self._texts.whole(message["message_id"], message["text"], streamed)

    def _end(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        failure = None
        if run.status == "error":
            failure = self._last["text"] if self._last is not None else "The task has failed."
        else:
            yield from self._said(state)
        yield from self._texts.close()
        yield from self.outcomes(run, state)
        if run.status in {"interrupted", "timeout"}:
            receipt = next((each.receipt for each in state.tasks_of(run) if each.receipt is not None), None)
            if receipt is not None:
                yield interruption(receipt)
        asked = state.questions_of(run)
        yield from ending(run, failure, for_page=any(call_of(each) is not None for each in asked))


class RunFrames:
    """The encoded chunks of one assistant message of a run. A `Renderer`.

    By default the first one; with `after` the one behind the user's message of that id, in any run. It goes
    on to its end, or to a steering message for whose answer `shows_own` knows another stream. That of a run
    with results of the page `continues` the message of this id, which has their calls.
    """

    def __init__(
        self,
        following: Following,
        *,
        after: str | None = None,
        continues: str | None = None,
        shows_own: Callable[[Frame], bool] = lambda _: False,
    ) -> None:
        self._continues = continues
        self._following = following
        self._shows_own = shows_own
        self._run_id = following.run_id or ""
        self._chunks = RunChunks(self._run_id)
        self._after = after
        self._shown = after is None

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes]:
        """Render an event."""
        frames = self._encoded(self._chunks.step(step, state), state)
        if step.ended is not None and step.ended.run_id == self._run_id and not self._shown:
            frames += self._asked(step.ended, state)
        return frames

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes]:
        """Render another run from this event on."""
        self._follow(run, state)
        frames = self._encoded(self._chunks.step(step, state), state)
        return frames if self._shown or not run.ended else [*frames, *self._asked(run, state)]

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes]:
        """Render a run without its events, as far as it is known."""
        if run.run_id != self._run_id:
            self._follow(run, state)
        return self._encoded(self._chunks.present(run, state), state)

    def _follow(self, run: Run, state: ThreadState) -> None:
        self._run_id, self._chunks = run.run_id, RunChunks(run.run_id)
        message = state.messages.get(self._after or "")
        self._shown = self._shown or (message is not None and message.get("steer") != "taken_in")

    def _encoded(self, found: Iterator[Chunk], state: ThreadState) -> list[bytes]:
        frames: list[bytes] = []
        for chunk in found:
            if chunk["type"] != TAKEN_IN:
                frames += map(encoded, self._continued(chunk)) if self._shown else ()
            elif chunk["after"] == self._after:
                self._shown = True
                frames.append(encoded(chunk["start"]))
            elif self._shown and self._shows_own(state.messages[chunk["after"]]):
                frames.append(encoded(finish(state.runs[self._run_id], "stop")))
                self._following.end()
                break
        return frames

    def _continued(self, chunk: Chunk) -> Sequence[Chunk]:
        if self._continues is None or chunk["type"] != "start":
            return [chunk]
        # Without a step of its own, a page would take the calls before for new ones, and send them for ever.
        return [{**chunk, "messageId": self._continues}, {"type": "start-step"}]

    def _asked(self, run: Run, state: ThreadState) -> list[bytes]:
        """Show the questions that the user must answer before the run takes the message in."""
        requests = [each for each in state.requests.values() if call_of(each) is None]
        asked = [each for each in requests if state.run_of(each["task_id"]) is run]
        if not asked or self._after not in state.pending:
            return []
        began = start(run, part_id(run, 1 + len(_taken_in(run, state)) + 1))
        return [encoded(each) for each in (began, *map(question, asked), *ending(run))]


def part_id(run: Run, number: int) -> str:
    """Return the id of an assistant message of a run behind a message that it has taken in."""
    return f"{run.run_id}{_PART}{number}"


def run_id_in(message_id: str) -> str:
    """Return the run of an assistant message."""
    return message_id.partition(_PART)[0]


def last_taken_in(run: Run, state: ThreadState) -> str | None:
    """Return the id of the last message that a run has taken in, None if there is none."""
    ids = [each["message_id"] for each in _taken_in(run, state) if each.get("seq", 0) >= run.began_seq]
    return ids[-1] if ids else None


def _taken_in(run: Run, state: ThreadState) -> list[Frame]:
    """Return the messages that the task of a run has taken in so far."""
    of_run = {run.task_id, *(each.task_id for each in state.tasks_of(run))}
    return [
        each
        for each in state.messages_in_order()
        if each["task_id"] in of_run and each.get("steer") == "taken_in"
    ]


# --- messages ------------------------------------------------------------------------------------------
# A whole conversation as the AI SDK's messages: what `useChat` begins with after a reload.
#
# Assistant messages are reduced from the chunks of their runs, as the client reduces them. So a run that is
# still under way is there as far as it got, and a stream that is resumed replaces it.


Part = dict[str, Any]


class UIMessage:
    """One assistant message, chunk by chunk."""

    def __init__(self) -> None:
        self.message_id = ""
        self.metadata: dict[str, Any] = {}
        self.parts: list[Part] = []
        self._open: dict[str, Part] = {}

    def take(self, chunk: Chunk) -> None:
        """Take the next chunk."""
        kind: str = chunk["type"]
        name, _, step = kind.partition("-")
        if kind == "start":
            self.message_id = chunk["messageId"]
        elif kind == "reset-step":
            self.parts, self._open = [], {}
        elif name == "data":
            self._show(chunk)
        elif name == "tool":
            self._tool(step, chunk)
        elif step == "start":
            part = self._open[chunk["id"]] = {"type": name, "text": "", "state": "streaming"}
            self.parts.append(part)
        elif step == "delta":
            self._open[chunk["id"]]["text"] += chunk["delta"]
        elif step == "end":
            self._open.pop(chunk["id"])["state"] = "done"
        elif kind == "error":
            self.parts.append({"type": "text", "text": chunk["errorText"], "state": "done"})
        self.metadata |= chunk.get("messageMetadata", {})

    def has_call(self, call_id: str) -> bool:
        """Return whether it shows a tool call."""
        return any(each.get("toolCallId") == call_id for each in self.parts)

    def resolve(self, outcomes: Mapping[str, str]) -> None:
        """Show the outcomes of questions whose run may have ended before."""
        for part in self.parts:
            if part["type"] == "data-question" and part["id"] in outcomes:
                part["data"] = {**part["data"], "outcome": outcomes[part["id"]]}

    def to_wire(self) -> dict[str, Any]:
        """Return it as the AI SDK has it."""
        return {"id": self.message_id, "role": "assistant", "metadata": self.metadata, "parts": self.parts}

    def _tool(self, step: str, chunk: Chunk) -> None:
        """Show a step of a tool call: its input as it comes, and what it came to."""
        call_id = chunk["toolCallId"]
        part = next((each for each in self.parts if each.get("toolCallId") == call_id), None)
        if part is None:
            own = {"providerExecuted": True} if "providerExecuted" in chunk else {}
            about = {"type": f"tool-{chunk['toolName']}", "toolCallId": call_id, **own}
            part = {**about, "state": "input-streaming", "input": None}
            self.parts.append(part)
        if step == "input-available":
            part |= {"state": step, "input": chunk["input"]}
        elif step == "output-available":
            part |= {"state": step, "output": chunk["output"]}
        elif step in {"input-error", "output-error"}:
            part |= {"state": "output-error", "errorText": chunk["errorText"]}
            part |= {"input": chunk["input"]} if "input" in chunk else {}

    def _show(self, chunk: Chunk) -> None:
        part = {name: chunk[name] for name in ("type", "id", "data") if name in chunk}
        for number, shown in enumerate(self.parts):
            if "id" in part and (shown["type"], shown.get("id")) == (part["type"], part["id"]):
                self.parts[number] = part
                return
        self.parts.append(part)


class Conversation:
    """All messages of a thread, event by event."""

    def __init__(self) -> None:
        self._shown: dict[str, UIMessage | Frame] = {}
        self._rendered: dict[str, RunChunks] = {}
        self._outcomes: dict[str, str] = {}
        self._current: dict[str, str] = {}
        """Of a run that has taken a message in, the assistant message behind that."""

    def take(self, step: FoldedEvent, state: ThreadState) -> None:
        """Take the next event; `state` is that after it."""
        frame = step.frame
        if step.message is not None and step.message["role"] == "user":
            self._show_users(step.message)
        elif frame["type"] == "input_resolved":
            self._outcomes[frame["request_id"]] = frame["outcome"]
        for run_id in dict.fromkeys(each.run_id for each in (step.run, step.ended) if each is not None):
            rendered = self._rendered.setdefault(run_id, RunChunks(run_id))
            for chunk in rendered.step(step, state):
                if chunk["type"] == TAKEN_IN:
                    chunk = chunk["start"]
                    self._current[run_id] = chunk["messageId"]
                self._message_of(run_id).take(chunk)
        if frame["type"] == "graph_message" and frame["role"] == "tool":
            self._told(frame, state.tasks[frame["task_id"]])
        if step.run is None and frame["type"] == "receipt":
            # A task that waited for its user was interrupted: its run had ended with the question.
            run = state.last_run_of(state.tasks[frame["task_id"]].first_task_id)
            if run is not None and run.run_id in self._shown:
                for chunk in self._rendered[run.run_id].outcomes(run, state):
                    self._message_of(run.run_id).take(chunk)
                self._message_of(run.run_id).take(interruption(frame["receipt"]))

    def _told(self, frame: Frame, task: TaskState) -> None:
        """Show what the page has told of a call, in the message that has it: of the run before."""
        call_id = frame["tool_call_id"]
        if task.for_page.get(call_id):
            shown = [each for each in self._shown.values() if isinstance(each, UIMessage)]
            asking = next((each for each in reversed(shown) if each.has_call(call_id)), None)
            if asking is not None:
                output = {"toolCallId": call_id, "output": frame.get("text", "")}
                asking.take({"type": "tool-output-available", **output})

    def to_wire(self) -> list[dict[str, Any]]:
        """Return the messages that show anything, oldest first."""
        for message in self._shown.values():
            if isinstance(message, UIMessage):
                message.resolve(self._outcomes)
        shown = [
            each.to_wire() if isinstance(each, UIMessage) else _plain_frame(each)
            for each in self._shown.values()
        ]
        return [each for each in shown if each["parts"]]

    def _show_users(self, message: Frame) -> None:
        if not stands_before(message):
            self._shown[message["message_id"]] = message
            return
        shown: dict[str, UIMessage | Frame] = {}
        for name, each in self._shown.items():
            if name == f"{message['task_id']}.0":
                shown[message["message_id"]] = message
            shown[name] = each
        self._shown = {**shown, message["message_id"]: message}

    def _message_of(self, run_id: str) -> UIMessage:
        message = self._shown.setdefault(self._current.get(run_id, run_id), UIMessage())
        assert isinstance(message, UIMessage), "no user's message has the id of a run"
        return message


async def ui_messages(reader: ThreadReader) -> list[dict[str, Any]]:
    """Return all messages of a thread, oldest first. Raises `StoreUnavailable`."""
    conversation, told = Conversation(), set[str]()
    async for steps in reader.stored():
        for step in steps:
            conversation.take(step, reader.state)
            told.add(step.frame.get("message_id", ""))
    # Messages whose events are not stored any more.
    earlier = [each for each in reader.state.messages_in_order() if each["message_id"] not in told]
    shown = [_plain_frame(each) for each in earlier if each["role"] in {"user", "assistant"}]
    shown += conversation.to_wire()
    # A page that has sent one has it at its end, too.
    return [*shown, *map(_plain_frame, reader.state.pending.values())]


def _plain_frame(message: Frame) -> dict[str, Any]:
    """Return a message that is text alone, under the id that it was sent with."""
    steer = {"steer": message["steer"]} if message.get("steer") is not None else {}
    return {
        "id": message["client_id"] or message["message_id"],
        "role": message["role"],
        "metadata": {"taskId": message["task_id"], "createdAt": message["at"], **steer},
        "parts": [*map(_part_of, message.get("content") or [{"type": "text", "text": message["text"]}])],
    }


def _part_of(block: Mapping[str, Any]) -> Part:
    media = media_in(block)
    if media is None:
        return {"type": "text", "text": block.get("text", ""), "state": "done"}
    named = {"filename": media.name} if media.name else {}
    return {"type": "file", "mediaType": media.mime_type, "url": media.url, **named}
