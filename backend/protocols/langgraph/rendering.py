"""The frames of one run's stream: a pure function of the thread's events.

A frame that a client has not asked for is None, and keeps its number: a client that comes again with other
modes finds its place by the id of the last frame that it has seen.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ...domain.encoding import encode
from ..following import Place
from ..thread.fold import FoldedEvent
from ..thread.state import Frame, Run, TaskState, Text, ThreadState
from .messages import View, asking, call_chunk, chunk, is_shown, reply_of, tool_result
from .views import INTERRUPT, Options, failure_of, interrupt, state_view, values_of, with_questions

CUSTOM = frozenset(
    {
        *("partial_result", "agent_update", "tool_update", "context_transfer", "results_sorted", "steer"),
        *("state_written", "offers_pointed_out", "offers_ordered", "receipt"),
    }
)
ENDED_AGENT = frozenset({"done", "failed", "interrupted"})

HEARTBEAT_S = 10.0
"""Clients take a line for dead after three intervals between the first two comments, 6 to 30 s."""

LAST = 999_999_999
"""The number of a place after all frames of an event; a place that a client names has no larger one."""


def encoded(place: Place, frame: bytes) -> bytes:
    """Return a frame with its id, as it is sent."""
    return b"id: %d-%d\n%b" % (place.seq, place.number, frame)


def place_of(event_id: str) -> Place | None:
    """Return the place of a frame by its id, None for what is no id of ours."""
    seq, _, number = event_id.partition("-")
    plain = seq.isascii() and seq.isdigit() and number.isascii() and number.isdigit()
    return Place(int(seq[:18]), min(int(number[:18]), LAST)) if plain else None


Frames = list[bytes | None]


def frame_of(event: str, data: Any, namespace: str = "") -> bytes:
    """Return a frame without its id."""
    name = f"{event}|{namespace}" if namespace else event
    return b"event: %b\ndata: %b\n\n" % (name.encode(), encode(data))


class RunRenderer:
    """Renders the run `run_id` of a thread for clients that asked for some modes.

    With the `message_id` of a message that steers, one run after another until that message is answered. With
    `subgraphs`, what graphs within say and call is shown as well, under events with their namespaces.
    `rest` is what the state of the run's graph holds beside its messages, once the run has ended.
    """

    def __init__(
        self,
        thread_id: str,
        run_id: str,
        modes: Sequence[str],
        options: Options,
        *,
        message_id: str | None = None,
        subgraphs: bool = False,
    ) -> None:
        self._subgraphs = subgraphs
        self._thread_id = thread_id
        self._run_id = run_id
        self._message_id = message_id
        self._modes = frozenset(modes)
        self._options = options
        self._began_with_values = False
        self._working = set[str]()
        self._last_update = ""
        self._responded = set[str]()
        self._updated = set[str]()
        self.rest: Mapping[str, Any] | None = None

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event; `state` is that after it."""
        ended = step.ended is not None and step.ended.run_id == self._run_id
        run = step.run
        if run is None or run.run_id != self._run_id:
            # It ended with an event of the next one.
            return self._end(step.ended, state) if ended and step.ended is not None else ()
        frames: Frames = []
        if step.began:
            frames.append(self.metadata())
        frames += self._beginning(step, run, state)
        frames += self._news(step.frame, run, state)
        return [*frames, *self._end(run, state)] if ended else frames

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render another run from this event on."""
        begins = step.began and step.run is run
        return [*self.present(run, state), *([] if begins else self._being_said(run, state))]

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes | None]:
        """Render what is known of a run some of whose events are not stored any more, and it from then on."""
        self._run_id, self._began_with_values = run.run_id, True
        self._working, self._last_update = set[str](), ""
        if run.ended:
            return [self.metadata(), *self._end(run, state)]
        return [self.metadata(), *self._values(run, state)]

    def metadata(self) -> bytes:
        """Render the frame that each stream begins with."""
        return frame_of("metadata", {"run_id": self._run_id, "thread_id": self._thread_id, "attempt": 1})

    def _beginning(self, step: FoldedEvent, run: Run, state: ThreadState) -> Frames:
        """Render the values with the user's message, once the questions that it answers are resolved."""
        if self._began_with_values:
            return []
        if run.number == 1 or step.frame["type"] == "status_update":
            self._began_with_values = True
            return self._values(run, state)
        return []

    def _news(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        kind = frame["type"]
        frames: Frames = []
        is_aside = kind == "text_delta" and not frame.get("reply", True)
        if kind in CUSTOM or is_aside:
            frames.append(frame_of("custom", frame) if "custom" in self._modes else None)
        if kind == "text_delta":
            frames += self._piece(frame, run, state)
        elif kind == "tool_call":
            frames += self._asked(frame, run, state)
        elif kind == "graph_message":
            frames += self._in_graph(frame, run, state)
        elif kind == "agent_update" and frame["state"] in ENDED_AGENT:
            frames += self._agent_ended(frame, run, state)
            frames += [*self._task(frame, run, state), *self._checkpoint(run, state)]
        elif kind == "agent_update" and frame["state"] == "working":
            frames += self._task(frame, run, state)
        elif kind == "input_request":
            frames += self._respond(run, state)  # first: the question is the last update
            frames += [*self._update(INTERRUPT, [interrupt(frame)]), *self._values(run, state)]
        elif kind == "steer":
            frames += self._values(run, state)
        return frames

    def _piece(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        task = state.task_of(run)
        message_id = frame.get("message_id") or f"{frame['task_id']}.reply"
        text = task.texts.get(message_id) if task is not None else None
        if task is None or text is None or not (is_shown(text) or text.namespace):
            return []
        about = self._about(frame, run)
        return self._said_of(task, text, frame["text"], about, begins=text.seq == frame["seq"])

    def _asked(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        """Render a piece of a call that a model asks for; the last one is often empty."""
        task = state.task_of(run)
        call = task.asked.get(frame["tool_call_id"]) if task is not None else None
        frames: Frames = [None, None, None]
        is_hidden = call is not None and call.namespace and not self._subgraphs
        if task is None or call is None or is_hidden or call.is_repeated_by(frame):
            return frames
        message_id, about = call.message_id, self._about(frame, run)
        if "messages-tuple" in self._modes and (frame["arguments"] or call.seq == frame["seq"]):
            piece = chunk("", message_id, [call_chunk(frame, task)])
            frames[0] = frame_of("messages", [piece, about], call.namespace)
        if "messages" in self._modes and call.is_whole:
            if message_id not in task.texts:
                about = {message_id: {"metadata": about}}
                frames[1] = frame_of("messages/metadata", about, call.namespace)
            frames[2] = frame_of("messages/partial", [asking(message_id, task)], call.namespace)
        return frames

    def _in_graph(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        """Render a message that is whole as it comes: a result, or what a node says by itself."""
        about, namespace = self._about(frame, run), frame.get("namespace", "")
        if frame["role"] == "tool":
            result = tool_result(frame)
            frames: Frames = [None, None]
            if namespace and not self._subgraphs:
                return frames
            if "messages-tuple" in self._modes:
                frames[0] = frame_of("messages", [result, about], namespace)
            if "messages" in self._modes:
                frames[1] = frame_of("messages/complete", [result], namespace)
            return frames
        task = state.task_of(run)
        text = task.texts.get(frame["message_id"]) if task is not None else None
        # A graph within that is resumed tells its messages once more.
        is_repeated = text is not None and text.seq < frame["seq"]
        is_silent = text is None or not (is_shown(text) or text.namespace)
        if task is None or text is None or is_repeated or not frame.get("text") or is_silent:
            return []
        return self._said_of(task, text, frame["text"], about, begins=True)

    def _being_said(self, run: Run, state: ThreadState) -> Frames:
        """Render what models at work have said so far: clients add the pieces to come to that."""
        task = state.task_of(run)
        frames: Frames = []
        for text in task.texts.values() if task is not None else ():
            at_work = task is not None and task.agents.get(text.node or "", {}).get("state") == "working"
            if task is not None and at_work and (is_shown(text) or text.namespace):
                about = self._about({"node": text.node, "namespace": text.namespace}, run)
                frames += self._said_of(task, text, text.text, about, begins=True)
        return frames

    def _about(self, by: Mapping[str, Any], run: Run) -> View:
        """Return who says something: a node, perhaps of a graph within."""
        return {
            "run_id": self._run_id,
            "thread_id": self._thread_id,
            "langgraph_node": by.get("node") or "agent",
            "langgraph_step": run.number,
            "langgraph_checkpoint_ns": by.get("namespace") or "",
        }

    def _said_of(self, task: TaskState, text: Text, piece: str, about: View, *, begins: bool) -> Frames:
        """Render a piece of a text; one that is no reply is told only where graphs within are."""
        message_id, namespace = text.message_id, text.namespace if self._subgraphs else ""
        frames: Frames = [None, None, None]
        if not (namespace or is_shown(text)):
            return frames
        if "messages-tuple" in self._modes:
            frames[0] = frame_of("messages", [chunk(piece, message_id), about], namespace)
        if "messages" in self._modes:
            if begins:
                frames[1] = frame_of("messages/metadata", {message_id: {"metadata": about}}, namespace)
            frames[2] = frame_of("messages/partial", [asking(message_id, task)], namespace)
        return frames

    def _agent_ended(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        task = state.task_of(run)
        agent = frame["agent"]
        found = task.found.get(agent, []) if task is not None else []
        update: View = {"partial_results": {agent: found}}
        if task is not None and (wrote := self._calls_of(agent, task, since=run.began_seq)):
            update["messages"] = wrote
        return [*self._update(agent, update), *self._values(run, state)]

    def _calls_of(self, node: str, task: TaskState, *, since: int) -> list[View]:
        """Return the messages of a node that ask for tool calls or have their results, those not told yet."""
        asked = [each for each in task.asked.values() if each.is_whole and not each.namespace]
        ids = dict.fromkeys(each.message_id for each in asked if each.node == node and each.seq >= since)
        results = [each for each in task.results.values() if each["node"] == node and "namespace" not in each]
        messages = [asking(each, task) for each in ids]
        messages += [tool_result(each) for each in results if each["seq"] >= since]
        new = [each for each in messages if each["id"] not in self._updated]
        self._updated |= {each["id"] for each in new}
        return new

    def _task(self, frame: Frame, run: Run, state: ThreadState) -> Frames:
        """Render the beginning of a node, or its end."""
        node, is_ended = frame["agent"], frame["state"] in ENDED_AGENT
        if not is_ended and node in self._working:
            return []
        task = state.task_of(run)
        payload: View = {"id": f"{frame['task_id']}-{node}", "name": node}
        if is_ended:
            self._working.discard(node)
            found = task.found.get(node, []) if task is not None else []
            error = frame["detail"] or "It failed." if frame["state"] == "failed" else None
            payload |= {"error": error, "result": {"partial_results": {node: found}}, "interrupts": []}
        else:
            self._working.add(node)
            payload |= {"input": {"messages": self._messages(run, state)}, "triggers": []}
        kind = "task_result" if is_ended else "task"
        return [self._if("tasks", payload), self._debug(kind, payload, run, state)]

    def _checkpoint(self, run: Run, state: ThreadState, *, rest: Mapping[str, Any] | None = None) -> Frames:
        """Render the state of the thread as a checkpoint."""
        if not self._modes & {"checkpoints", "debug"}:
            return [None, None]
        view = state_view(self._thread_id, state, run, self._options, rest=rest, number=run.number)
        kept = {name: view[name] for name in ("values", "metadata", "next", "tasks")}
        config = {"configurable": view["checkpoint"]}
        payload = {"config": config, "parent_config": None, **kept}
        return [self._if("checkpoints", payload), self._debug("checkpoint", payload, run, state)]

    def _debug(self, kind: str, payload: View, run: Run, state: ThreadState) -> bytes | None:
        about = {"step": run.number, "timestamp": state.at, "type": kind}
        return self._if("debug", {**about, "payload": payload})

    def _messages(self, run: Run, state: ThreadState) -> list[View]:
        is_shown = bool(self._modes & {"tasks", "debug"})
        return values_of(state, run, self._options)["messages"] if is_shown else []

    def _if(self, event: str, data: Any, *, mode: str = "") -> bytes | None:
        return frame_of(event, data) if (mode or event) in self._modes else None

    def _update(self, name: str, data: Any) -> Frames:
        self._last_update = name
        return [self._if("updates", {name: data})]

    def _values(self, run: Run, state: ThreadState, *, rest: Mapping[str, Any] | None = None) -> Frames:
        if "values" not in self._modes:
            return [None]
        values = values_of(state, run, self._options, rest=rest)
        return [frame_of("values", with_questions(values, state.questions_of(run)))]

    def _end(self, run: Run | None, state: ThreadState) -> Frames:
        if run is None:
            return []
        frames = self._respond(run, state)
        asked = state.questions_of(run) if run.ended_waiting else ()
        if asked and self._last_update != INTERRUPT:
            # Once more, as the last update: pages drop a question when another one comes.
            frames += self._update(INTERRUPT, [interrupt(each) for each in asked])
        frames += self._values(run, state, rest=self.rest)
        frames += self._checkpoint(run, state, rest=self.rest)
        if state.waits(self._message_id, run):
            return frames  # the message comes next
        if run.status == "error":
            return [*frames, frame_of("error", failure_of(state, run))]
        end: View = {"run_id": run.run_id, "status": run.status}
        if run.reason is not None:
            end["reason"] = run.reason
        return [*frames, frame_of("end", end)]

    def _respond(self, run: Run, state: ThreadState) -> Frames:
        """Render what the assistant has said in the run and no update has told."""
        said = [each for each in self._said(run, state) if each["id"] not in self._responded]
        if not said:
            return []
        self._responded |= {each["id"] for each in said}
        frames = [*self._whole(said, run, state), *self._update("respond", {"messages": said})]
        return [*frames, self._if("messages/complete", said, mode="messages")]

    def _whole(self, said: Sequence[View], run: Run, state: ThreadState) -> Frames:
        """Render the messages of which no piece was streamed."""
        task = state.task_of(run)
        known = task.texts if task is not None else {}
        is_asked_for = "messages-tuple" in self._modes
        return [
            frame_of("messages", [each, self._about({}, run)]) if is_asked_for else None
            for each in said
            if each["id"] not in known
        ]

    def _said(self, run: Run, state: ThreadState) -> list[View]:
        task = state.task_of(run)
        return reply_of(state, task.task_id, run.began_seq) if task is not None else []
