"""The events of a whole thread, over its runs, in the thread protocol: a pure function of Detour's events.

The wire of `client.threads.stream()` and of the newer hooks. Each event of Detour's makes at most 15 of
these; their numbers are its own times 16, and up.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ...domain.encoding import encode
from ..thread.fold import Step
from ..thread.state import Frame, Run, ThreadState
from .branches import Asked
from .messages import is_shown
from .rendering import CUSTOM, ENDED_AGENT
from .views import failure_of, interrupt, task_of, values_of

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


class ThreadRenderer:
    """Renders the events of a thread for a client that asked for some channels.

    `rest` is what the state of the graph holds beside its messages, at the end of the run that ends next.
    """

    def __init__(self, channels: Sequence[str], asked: Asked, agent_of: Callable[[Run], str]) -> None:
        self._channels = frozenset(channels)
        self._asked = asked
        self._agent_of = agent_of
        self._with_values: set[str] = set()
        self._said: dict[str, dict[str, str]] = {}
        """Of each run that has not ended, what its messages have said so far."""
        self._speaking: dict[str, str] = {}
        """Of each such run, the message that is being said."""
        self.rest: Mapping[str, Any] | None = None

    @property
    def shows_values(self) -> bool:
        """Whether the client asked for values."""
        return "values" in self._channels

    def step(self, step: Step, state: ThreadState) -> Sequence[tuple[int, bytes]]:
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
        return "values", values_of(state, run, self._asked, rest=rest), None

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
        task = task_of(state, run)
        text = task.texts.get(message_id) if task is not None else None
        if text is None or not is_shown(text):
            return []
        made: list[_Made] = []
        said = self._said.setdefault(run.run_id, {})
        if self._speaking.get(run.run_id) != message_id:
            # JavaScript clients add every piece, and the finish, to the message that was started last,
            # whatever its `message_id`: two that are open at once would get each other's text.
            made += self._finish(run)
            self._speaking[run.run_id] = message_id
            about = {"langgraph_node": text.node or "agent", "run_id": run.run_id}
            before = _text(said.get(message_id, ""))
            made.append(_message("message-start", message_id, role="ai", id=message_id, metadata=about))
            made.append(_message("content-block-start", message_id, index=0, content=before))
        said[message_id] = said.get(message_id, "") + frame["text"]
        delta = {"type": "text-delta", "text": frame["text"]}
        return [*made, _message("content-block-delta", message_id, index=0, delta=delta)]

    def _finished_by(self, agent: str, run: Run, state: ThreadState) -> list[_Made]:
        """Finish what a model of an agent is saying."""
        task, speaking = task_of(state, run), self._speaking.get(run.run_id)
        text = task.texts.get(speaking) if task is not None and speaking is not None else None
        # The text that no model says may go on in the next agent, under the same id.
        if task is None or text is None or text.node != agent or speaking == _reply_id(task.task_id):
            return []
        return self._finish(run)

    def _finish(self, run: Run) -> list[_Made]:
        message_id = self._speaking.pop(run.run_id, None)
        if message_id is None:
            return []
        said = self._said[run.run_id][message_id]
        return [
            _message("content-block-finish", message_id, index=0, content=_text(said)),
            _message("message-finish", message_id, reason="stop"),
        ]

    def _end(self, run: Run, state: ThreadState) -> list[_Made]:
        made = [*self._finish(run), self._values(run, state, self.rest)]
        self._said.pop(run.run_id, None)
        if run.ended_waiting:
            return [*made, self._lifecycle(run, "interrupted")]
        if run.status == "error":
            return [*made, self._lifecycle(run, "failed", error=failure_of(state, run)["message"])]
        return [*made, self._lifecycle(run, _TERMINAL[run.status])]


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
