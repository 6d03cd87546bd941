"""The thread protocol: the events of a thread over its runs, as a pure function of Detour's; its commands.

`client.threads.stream()` and the newer hooks speak it. Each event of Detour's makes at most 15 of
these; their numbers are its own times 16, and up.
"""

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

from fastapi import Request, Response

from ...domain.encoding import encode
from ...domain.errors import BadInput, Conflict, DetourError, NotFound
from ...domain.task import Policy
from ...http.event_stream import EventStream
from ...http.wire.bodies import json_response
from ...http.wire.requests import policy_in
from ..thread.fold import FoldedEvent
from ..thread.reading import ThreadReader
from ..thread.state import AskedCall, Frame, Run, ThreadState
from .api import Api
from .checkpoints import Rests
from .messages import is_shown, reply_of
from .rendering import CUSTOM, ENDED_AGENT, HEARTBEAT_S
from .starting import Starting
from .views import Options, failure_of, interrupt, values_of
from .wire import body_of, mapping, names, run_request, text, thread_id_of

PER_EVENT = 16

_TERMINAL = {
    "success": "completed",
    "error": "failed",
    "interrupted": "interrupted",
    "timeout": "interrupted",
}

Data = Mapping[str, Any]
_Made = tuple[str, Data, str | None]
"""Method, data, and the event's id where clients find something by it."""


@dataclass(slots=True)
class _Said:
    """A message of a model as far as it was told; `text` is None while it has only asked for calls."""

    text: str | None = None
    calls: dict[str, AskedCall] = field(default_factory=dict[str, AskedCall])


class ThreadRenderer:
    """Renders the events of a thread for a client that asked for some channels.

    `rest` is what the state of the graph holds beside its messages, at the end of the run that ends next.
    """

    def __init__(self, channels: Sequence[str], options: Options, agent_of: Callable[[Run], str]) -> None:
        self._channels = frozenset(channels)
        self._options = options
        self._agent_of = agent_of
        self._with_values: set[str] = set()
        self._said: dict[str, dict[str, _Said]] = {}
        """Of each run that has not ended, what its messages have said so far."""
        self._speaking: dict[str, str] = {}
        """Of each such run, the message that is being said."""
        self._tools: dict[tuple[str, str], bool] = {}
        """The tool calls that were told of each run, and whether each still runs."""
        self.rest: Mapping[str, Any] | None = None

    @property
    def shows_values(self) -> bool:
        """Whether the client asked for values."""
        return "values" in self._channels

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[tuple[int, bytes]]:
        """Render an event; `state` is that after it. Returns each with its number, those asked for alone."""
        made: list[_Made] = []
        run = step.run
        if step.ended is not None and (run is None or step.ended.run_id != run.run_id):
            made += self._end(step.ended, state)
        if run is not None:
            if step.began:
                made.append(self._lifecycle(run, "running"))
            made += self._news(step.frame, run, state)
            if step.ended is not None and step.ended.run_id == run.run_id:
                made += self._end(run, state)
        return self._numbered(made, step.seq, step.frame["at"])

    def present(self, state: ThreadState) -> Sequence[tuple[int, bytes]]:
        """Render what is known of the present, where the events before it are not stored any more."""
        made: list[_Made] = []
        for run in [*state.runs.values()][-1:]:
            made += [self._lifecycle(run, "running"), self._values(run, state)]
            self._with_values.add(run.run_id)
            made += [_asked(run, each) for each in state.requests.values()]
            if run.ended:
                made += self._end(run, state)
        return self._numbered(made, state.seq, state.at)

    def _numbered(self, made: Sequence[_Made], seq: int, at: str | None) -> list[tuple[int, bytes]]:
        stamp = int(datetime.fromisoformat(at).timestamp() * 1000) if at is not None else 0
        found: list[tuple[int, bytes]] = []
        for number, (method, data, event_id) in enumerate(made[: PER_EVENT - 1], start=seq * PER_EVENT):
            if not self._is_asked_for(method, data):
                continue
            event: dict[str, Any] = {
                "type": "event",
                "event_id": event_id or f"{number}",
                "seq": number,
                "method": method,
                "params": {"namespace": [], "timestamp": stamp, "data": data},
            }
            frame = b"event: %b\nid: %d\ndata: %b\n\n" % (method.encode(), number, encode(event))
            found.append((number, frame))
        return found

    def _is_asked_for(self, method: str, data: Data) -> bool:
        channel = method.partition(".")[0]
        return channel in self._channels or (
            channel == "custom" and f"custom:{data['name']}" in self._channels
        )

    def _lifecycle(self, run: Run, event: str, **more: Any) -> _Made:
        data = {"event": event, "graph_name": self._agent_of(run), **more}
        return "lifecycle", data, f"synth:{run.run_id}:lc||{event}"

    def _values(self, run: Run, state: ThreadState, rest: Mapping[str, Any] | None = None) -> _Made:
        return "values", values_of(state, run, self._options, rest=rest), None

    def _news(self, frame: Frame, run: Run, state: ThreadState) -> list[_Made]:
        kind = frame["type"]
        made: list[_Made] = []
        if run.run_id not in self._with_values and (run.number == 1 or kind == "status_update"):
            self._with_values.add(run.run_id)
            made.append(self._values(run, state))
        if kind in CUSTOM:
            made.append(("custom", {"name": kind, "payload": frame}, None))
        if kind == "text_delta":
            made += self._piece(frame, run, state)
        elif kind == "tool_call":
            made += self._call(frame, run, state)
        elif kind == "graph_message":
            made += self._in_graph(frame, run, state)
        elif kind == "tool_update" and frame["state"] == "running" and "tool_call_id" in frame:
            made += self._tool_started(run, frame["tool_call_id"], frame["tool"], frame.get("arguments"))
        elif kind == "tool_update" and frame["state"] != "waiting" and "tool_call_id" in frame:
            made += self._tool_left(frame, run, state)
        elif kind == "agent_update" and frame["state"] in ENDED_AGENT:
            # Not later: a client waits for the whole of a message while a tool runs that it has called.
            made += [*self._finished_by(frame["agent"], run, state), self._values(run, state)]
        elif kind == "steer":
            made.append(self._values(run, state))
        elif kind == "input_request":
            made += [_asked(run, frame), self._values(run, state)]
        elif kind == "input_resolved":
            made.append(("input.answered", {"interrupt_ids": [frame["request_id"]]}, None))
        return made

    def _piece(self, frame: Frame, run: Run, state: ThreadState) -> list[_Made]:
        message_id = frame.get("message_id") or _reply_id(frame["task_id"])
        task = state.task_of(run)
        text = task.texts.get(message_id) if task is not None else None
        if text is None or not is_shown(text):
            return []
        return self._say(message_id, frame["text"], text.node, run)

    def _say(self, message_id: str, piece: str, node: str | None, run: Run) -> list[_Made]:
        made, said = self._speak(message_id, node, run)
        if said.text is None:
            said.text = ""
            made.append(_message("content-block-start", message_id, index=0, content=_text("")))
        said.text += piece
        delta = {"type": "text-delta", "text": piece}
        return [*made, _message("content-block-delta", message_id, index=0, delta=delta)]

    def _call(self, frame: Frame, run: Run, state: ThreadState) -> list[_Made]:
        """Render a piece of a call that a model asks for, as a block of its message."""
        task = state.task_of(run)
        call = task.asked.get(frame["tool_call_id"]) if task is not None else None
        if call is None or call.namespace or call.is_repeated_by(frame):
            return []
        message_id = call.message_id
        made, said = self._speak(message_id, call.node, run)
        index = 1 + list({**said.calls, call.call_id: call}).index(call.call_id)
        if call.call_id not in said.calls:
            said.calls[call.call_id] = call
            begun = {"type": "tool_call_chunk", "id": call.call_id, "name": call.tool, "args": ""}
            made.append(_message("content-block-start", message_id, index=index, content=begun))
        if frame["arguments"]:
            delta = {"type": "tool-call-delta", "args": frame["arguments"]}
            made.append(_message("content-block-delta", message_id, index=index, delta=delta))
        if call.is_whole:
            # At once: what ends a message with many calls would be more than one event may make.
            made.append(_message("content-block-finish", message_id, index=index, content=_block_of(call)))
        return made

    def _in_graph(self, frame: Frame, run: Run, state: ThreadState) -> list[_Made]:
        """Render the result of a call, or what a node says by itself."""
        if "namespace" in frame:
            return []
        if frame["role"] == "tool":
            call_id, text = frame["tool_call_id"], frame.get("text", "")
            made = self._tool_started(run, call_id, frame.get("tool", "tool"), None)
            return [*made, *self._tool_ended(run, call_id, text, is_error=frame["status"] == "error")]
        task = state.task_of(run)
        text = task.texts.get(frame["message_id"]) if task is not None else None
        if text is None or text.seq < frame["seq"] or not frame.get("text") or not is_shown(text):
            return []
        return [*self._say(text.message_id, text.text, text.node, run), *self._finish(run)]

    def _tool_left(self, frame: Frame, run: Run, state: ThreadState) -> list[_Made]:
        """Render the end of a tool whose call no message in the state of the graph asks for."""
        task, call_id = state.task_of(run), frame["tool_call_id"]
        if task is None or state.call_of(task, call_id) is not None:
            return []
        return self._tool_ended(run, call_id, frame["summary"], is_error=frame["state"] != "completed")

    def _tool_started(self, run: Run, call_id: str, tool: str, arguments: Any) -> list[_Made]:
        if (run.run_id, call_id) in self._tools:
            return []
        self._tools[run.run_id, call_id] = True
        more = {} if arguments is None else {"input": arguments}
        return [
            ("tools", {"event": "tool-started", "tool_call_id": call_id, "tool_name": tool, **more}, None)
        ]

    def _tool_ended(self, run: Run, call_id: str, text: str, *, is_error: bool) -> list[_Made]:
        if not self._tools.get((run.run_id, call_id)):
            return []
        self._tools[run.run_id, call_id] = False
        came_to = {"message": text} if is_error else {"output": text}
        event = "tool-error" if is_error else "tool-finished"
        return [("tools", {"event": event, "tool_call_id": call_id, **came_to}, None)]

    def _speak(self, message_id: str, node: str | None, run: Run) -> tuple[list[_Made], "_Said"]:
        """Begin a message, or go on with it once another one was begun."""
        made: list[_Made] = []
        of_run = self._said.setdefault(run.run_id, {})
        said = of_run.setdefault(message_id, _Said())
        if self._speaking.get(run.run_id) != message_id:
            # JavaScript clients add every piece, and the finish, to the message that was started last,
            # whatever its `message_id`: two that are open at once would get each other's text.
            made += self._finish(run)
            self._speaking[run.run_id] = message_id
            about = {"langgraph_node": node or "agent", "run_id": run.run_id}
            made.append(_message("message-start", message_id, role="ai", id=message_id, metadata=about))
            if said.text is not None:
                begun = _text(said.text)
                made.append(_message("content-block-start", message_id, index=0, content=begun))
        return made, said

    def _finished_by(self, agent: str, run: Run, state: ThreadState) -> list[_Made]:
        """Finish what a model of an agent is saying."""
        task, speaking = state.task_of(run), self._speaking.get(run.run_id)
        # The text that no model says may go on in the next agent, under the same id.
        if task is None or speaking is None or speaking == _reply_id(task.task_id):
            return []
        text, calls = task.texts.get(speaking), self._said[run.run_id][speaking].calls.values()
        nodes = {each.node for each in calls} if text is None else {text.node}
        return self._finish(run) if agent in nodes else []

    def _finish(self, run: Run) -> list[_Made]:
        message_id = self._speaking.pop(run.run_id, None)
        if message_id is None:
            return []
        said = self._said[run.run_id][message_id]
        made: list[_Made] = []
        if said.text is not None:
            made.append(_message("content-block-finish", message_id, index=0, content=_text(said.text)))
        cut = ((index, call) for index, call in enumerate(said.calls.values(), 1) if not call.is_whole)
        for index, call in cut:
            made.append(_message("content-block-finish", message_id, index=index, content=_block_of(call)))
        return [*made, _message("message-finish", message_id, reason="stop")]

    def _end(self, run: Run, state: ThreadState) -> list[_Made]:
        made = self._finish(run)
        task = state.task_of(run)
        if task is not None:
            for each in reply_of(state, task.task_id, run.began_seq):
                if each["id"] not in task.texts:  # of which no piece was streamed
                    made += [*self._say(each["id"], each["content"], None, run), *self._finish(run)]
            for call in task.asked.values():
                result = task.result_of(call)
                if result is not None:
                    made += self._tool_ended(run, call.call_id, result.text, is_error=result.is_error)
        made = made[: PER_EVENT - 3]  # room for the two that must not be missing
        made.append(self._values(run, state, self.rest))
        self._said.pop(run.run_id, None)
        self._tools = {key: runs for key, runs in self._tools.items() if key[0] != run.run_id}
        if run.ended_waiting:
            return [*made, self._lifecycle(run, "interrupted")]
        if run.status == "error":
            return [*made, self._lifecycle(run, "failed", error=failure_of(state, run)["message"])]
        return [*made, self._lifecycle(run, _TERMINAL[run.status])]


def _block_of(call: AskedCall) -> Data:
    """Return a whole call as a block; one whose arguments are no JSON object is an invalid one."""
    arguments = call.input
    if call.is_whole and isinstance(arguments, dict):
        return {"type": "tool_call", "id": call.call_id, "name": call.tool, "args": arguments}
    invalid = {"type": "invalid_tool_call", "id": call.call_id, "name": call.tool}
    return {**invalid, "args": call.arguments, "error": "The arguments are not whole."}


def _message(event: str, message_id: str, **data: Any) -> _Made:
    return "messages", {"event": event, "message_id": message_id, **data}, None


def _reply_id(task_id: str) -> str:
    return f"{task_id}.reply"


def _text(text: str) -> Data:
    return {"type": "text", "text": text}


def _asked(run: Run, request: Frame) -> _Made:
    question = interrupt(request)
    data = {"interrupt_id": question["id"], "payload": question["value"], "value": question["value"]}
    return "input.requested", data, f"synth:{run.run_id}:input||{question['id']}"


# --- thread stream routes ------------------------------------------------------------------------------
# The thread protocol: commands, and the events of a thread over its runs.


Params = Mapping[str, Any]


class ThreadStreams:
    """Answers the calls of the thread protocol."""

    def __init__(self, api: Api, starting: Starting) -> None:
        self._api = api
        self._services = api.services
        self._starting = starting

    async def command(self, request: Request) -> Response:
        """Carry out a command; what it cannot do is said with 200 as well."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        command_id = body.get("id")
        try:
            method, params = text(body, "method") or "", mapping(body, "params")
            result, run = await self._carry_out(thread_id, method, params, policy_in(request.headers))
        except (BadInput, Conflict, NotFound) as error:
            refused = {"type": "error", "id": command_id, "error": _code(error), "message": error.message}
            return json_response(refused)
        # What a client has not seen of the run must come after this number.
        meta = {"applied_through_seq": run.began_seq * PER_EVENT - 1}
        return json_response({"type": "success", "id": command_id, "result": result, "meta": meta})

    async def _carry_out(
        self, thread_id: str, method: str, params: Params, header: Policy | None
    ) -> tuple[dict[str, Any], Run]:
        if method == "run.start":
            state = await self._api.threads.state(thread_id)
            request = _as_request(params)
            if state is not None and _is_answer(request["input"], state.requests):
                resume = run_request({"assistant_id": None, "command": {"resume": request["input"]}})
                wanted = replace(resume, resume_fields={"": "input"})
            else:
                wanted = run_request(request, header)
            begun = await self._starting.begin(thread_id, wanted, creates_thread=True)
            return {"run_id": begun.run.run_id, **(begun.steering or {})}, begun.run
        if method == "input.respond":
            answers, fields = _answers(params)
            state = await self._api.threads.state(thread_id)
            if state is None or not answers.keys() <= state.requests.keys():
                raise Conflict("A question that this answers is not open.", code="not_open")
            resume = run_request({"assistant_id": None, "command": {"resume": answers}})
            wanted = replace(resume, resume_fields=fields)
            begun = await self._starting.begin(thread_id, wanted, creates_thread=False)
            return {}, begun.run
        unserved = _NotSupportedError if method in _UNSERVED else _UnknownCommandError
        raise unserved(f"This server has no command {method!r}.")

    async def events(self, request: Request) -> Response:
        """Stream the events of a thread from a number on, over its runs, until the client leaves."""
        thread_id = thread_id_of(request)
        body = await body_of(request)
        channels = names(body, "channels") or ()
        namespaces: Any = body.get("namespaces")
        since = body.get("since")
        if since is not None and (not isinstance(since, int) or isinstance(since, bool)):
            raise BadInput("since: it should be a whole number.")
        if namespaces is not None and not isinstance(namespaces, list):
            raise BadInput("namespaces: it should be a list.")
        if namespaces is not None and [] not in namespaces:
            channels = ()  # of subgraphs, of which nothing is told
        options = await self._api.options(thread_id)
        renderer = ThreadRenderer(channels, options, lambda run: run.graph or self._api.agents.default)
        position = await self._services.store.position(thread_id)
        rests = Rests(self._api.checkpoints, thread_id, position.seq if position is not None else 0)
        reader = await self._api.threads.reader(thread_id)
        return EventStream(
            self._services,
            thread_id,
            _pieces(reader, renderer, rests, -1 if since is None else since),
            heartbeat_s=min(self._services.heartbeat_s, HEARTBEAT_S),
        )


_UNSERVED = frozenset(
    {
        *("agent.getTree", "input.inject", "state.fork", "state.get", "state.listCheckpoints"),
        *("subscription.reconnect", "subscription.subscribe", "subscription.unsubscribe"),
    }
)
"""The commands of the thread protocol (langchain-protocol 0.0.20) that this server does not carry out."""


class _NotSupportedError(BadInput):
    """The thread protocol has the command, and this server does not."""


class _UnknownCommandError(BadInput):
    """The thread protocol has no such command."""


async def _pieces(
    reader: ThreadReader, renderer: ThreadRenderer, rests: Rests, since: int
) -> AsyncGenerator[bytes, None]:
    yield b""
    async with aclosing(reader.follow()) as batches:
        async for steps in batches:
            out: list[bytes] = []
            is_read_anew = True
            for step in steps:
                is_read_anew = False
                if step.ended is not None and renderer.shows_values:
                    renderer.rest = await rests.at_end_of(step.ended)
                out += [frame for number, frame in renderer.step(step, reader.state) if number > since]
            if is_read_anew:
                last = next(reversed(reader.state.runs.values()), None)
                if last is not None and last.ended and renderer.shows_values:
                    renderer.rest = await rests.at_end_of(last)
                out += [frame for number, frame in renderer.present(reader.state) if number > since]
            if out:
                yield b"".join(out)


def _as_request(params: Params) -> dict[str, Any]:
    """Return the parameters of `run.start` as the body of a request for a run."""
    strategy = params.get("multitask_strategy") or params.get("multitaskStrategy")
    taken = {name: params.get(name) for name in ("assistant_id", "input", "config", "metadata", "context")}
    return {**taken, "multitask_strategy": strategy}


def _is_answer(given: Any, requests: Mapping[str, Frame]) -> bool:
    """Return whether the input of a run is answers by question, or the fields of a question that is open.

    `RemoteGraph` sends what it resumes with as the input of a run. Text is a message, which answers as well.
    """
    if not isinstance(given, Mapping) or not given:
        return False
    named = set(cast("Mapping[str, Any]", given))
    fields = (set[str](each["schema"].get("properties", ())) for each in requests.values())
    return named <= set(requests) or any(named <= each for each in fields)


def _answers(params: Params) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the answers of `input.respond`, by question, and the field of each. Raises `BadInput`."""
    several: Any = params.get("responses")
    sent = (
        [(f"responses[{number}].", each) for number, each in enumerate(cast("list[Any]", several))]
        if isinstance(several, list)
        else [("", params)]
    )
    answers: dict[str, Any] = {}
    fields: dict[str, str] = {}
    for within, each in sent:
        response: Params = cast("Params", each) if isinstance(each, Mapping) else {}
        interrupt_id: Any = response.get("interrupt_id")
        if not isinstance(interrupt_id, str):
            raise BadInput(f"{within}interrupt_id: name the question that this answers.")
        answers[interrupt_id] = response.get("response")
        fields[interrupt_id] = f"{within}response"
    return answers, fields


def _code(error: DetourError) -> str:
    if isinstance(error, _NotSupportedError):
        return "not_supported"
    if isinstance(error, _UnknownCommandError):
        return "unknown_command"
    return "no_such_interrupt" if isinstance(error, Conflict | NotFound) else "invalid_argument"
