"""From events to lines: what each frame adds to the conversation on the screen.

No input or output, and no clock. `hear` takes a frame and returns the lines to show for good; `live` returns
what the active task does just now. A frame that was heard before shows nothing again.
"""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

from ..story import Frame, Story, Task
from .lines import Line
from .offers import best, offer_line
from .words import (
    OUTCOME_OF_REQUEST,
    OUTCOME_OF_STEERING,
    TASK,
    agent_words,
    elapsed,
    permission_lines,
    receipt_lines,
    tool_name,
)

BEST = 3
"""How many offers of an agent are shown."""
EARLIER = 8
"""How many messages of before are shown at the start."""
LONGEST_LIVE_TEXT = 400
"""How many characters of a reply that has no line end yet are shown, the last ones."""


@dataclass(slots=True)
class _Shown:
    """What the screen has of a task: the whole lines of its reply, and each agent's state and progress."""

    text: str = ""
    agents: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])


class Narrator:
    """Tells the story of one user line by line."""

    def __init__(self) -> None:
        self.story = Story()
        self._message_ids: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._offers: list[Line] = []
        self._shown: defaultdict[str, _Shown] = defaultdict(_Shown)
        self._readers: dict[str, Callable[[Frame, Task], list[Line]]] = {
            "status_update": self._status,
            "agent_update": self._agent,
            "text_delta": self._text,
            "message": self._message,
            "input_request": self._asked,
            "input_resolved": self._resolved,
            "context_transfer": self._taken_over,
            "receipt": self._receipt,
        }

    def hear(self, frame: Frame, now_s: float) -> list[Line]:
        """Take a frame, and return what it adds to the conversation. `now_s` is as for `Story.hear`."""
        if not self.story.hear(frame, now_s):
            return []
        if frame["type"] == "snapshot":
            return self._snapshot(frame)
        if frame["type"] == "steer":
            return self._steered(frame)
        if frame.get("steer") == "pending":
            return []  # a message: not said before it is taken in
        reader = self._readers.get(frame["type"])
        return reader(frame, self.story.tasks[frame["task_id"]]) if reader else []

    def waiting_message(self, number: str) -> Frame | None:
        """Return the message that waits to be taken in and has this number; None if there is none."""
        waiting = self.story.pending
        return next((each for each in waiting if str(self._number(each["message_id"])) == number), None)

    def waiting(self) -> list[Line]:
        """Return what waits to be taken in, a line each."""
        return [Line("note", self._waits(each)) for each in self.story.pending]

    def live(self, now_s: float) -> list[Line]:
        """Return what the active task is doing: its state, agents, best offers, and the reply so far."""
        task = self.story.active_task
        if task is None:
            return []
        state = f"{TASK.get(task.status, task.status)}, {elapsed(max(0.0, now_s - task.began_s))}"
        lines = [Line("note", state)]
        lines += [Line("progress", f"  {agent_words(name, agent)}") for name, agent in task.agents.items()]
        if task.status != "input_required":
            lines += best_of(task)
        lines += self.waiting()
        if rest := task.text[len(self._shown[task.task_id].text) :]:
            lines.append(Line("reply", rest[-LONGEST_LIVE_TEXT:]))
        return lines

    def _snapshot(self, frame: Frame) -> list[Line]:
        self._shown.clear()
        history = [each for each in self.story.messages if each.get("steer") != "pending"]
        lines = [line for message in history[-EARLIER:] for line in self._spoken(message, message["text"])]
        self._message_ids |= {message["message_id"] for message in history}
        unheard = [each for each in self.story.pending if each["message_id"] not in self._numbers]
        lines += [Line("note", self._waits(each)) for each in unheard]
        return lines + [line for request in self.story.requests for line in _permission(request)]

    def _steered(self, frame: Frame) -> list[Line]:
        number, text = self._number(frame["message_id"]), frame["text"]
        match frame["steer"]:
            case "pending" if frame["revision"]:
                return [Line("note", f"({number}) is now: {text}")]
            case "pending":
                return [Line("note", self._waits(frame))]
            case "withdrawn":
                return [Line("note", f"({number}) is withdrawn: {text}")]
            case steer:
                said = self._spoken({**frame, "role": "user"}, text)
                return [*said, Line("note", OUTCOME_OF_STEERING.get(steer) or str(steer))]

    def _waits(self, message: Frame) -> str:
        return f"({self._number(message['message_id'])}) waits to be taken in: {message['text']}"

    def _number(self, message_id: str) -> int:
        return self._numbers.setdefault(message_id, len(self._numbers) + 1)

    def _status(self, _: Frame, task: Task) -> list[Line]:
        if task.is_active:
            waits = task.status in {"queued", "cancelling"}
            return [Line("note", f"{TASK[task.status]}.")] if waits else []
        self._shown.pop(task.task_id, None)
        failed = [Line("error", "That failed.")] if task.status == "failed" else []
        offers = best_of(task)
        if not offers or offers == self._offers:
            return failed
        self._offers = offers
        return [*failed, *offers]

    def _agent(self, frame: Frame, task: Task) -> list[Line]:
        name, agent = frame["agent"], task.agents[frame["agent"]]
        now, shown = (agent.state, agent.done), self._shown[task.task_id].agents
        if shown.get(name) == now:
            return []
        shown[name] = now
        return [Line("progress", agent_words(name, agent))] if agent.state != "waiting" else []

    def _text(self, _: Frame, task: Task) -> list[Line]:
        shown = self._shown[task.task_id]
        begin, end = min(len(shown.text), len(task.text)), task.text.rfind("\n")
        shown.text = task.text[: max(begin, end + 1)]
        return [Line("reply", task.text[begin:end])] if end >= begin else []

    def _message(self, frame: Frame, task: Task) -> list[Line]:
        text = frame["text"]
        if frame["role"] == "assistant":
            shown, self._shown[task.task_id].text = self._shown[task.task_id].text, ""
            if shown and text.startswith(shown.rstrip("\n")):
                text = text[len(shown) :]
        return self._spoken(frame, text)

    def _spoken(self, message: Frame, text: str) -> list[Line]:
        if message["message_id"] in self._message_ids:
            return []
        self._message_ids.add(message["message_id"])
        match message["role"]:
            case "user":
                return [Line("you", f"You: {text}")]
            case "assistant":
                cut = [Line("note", "(interrupted here)")] if message.get("interrupted") else []
                return [*([Line("reply", text)] if text else []), *cut]
            case _:
                return [Line("note", text)]

    def _asked(self, frame: Frame, _: Task) -> list[Line]:
        return _permission(frame)

    def _resolved(self, frame: Frame, _: Task) -> list[Line]:
        words = OUTCOME_OF_REQUEST.get(frame["outcome"])
        return [Line("note", words)] if words else []

    def _taken_over(self, _: Frame, task: Task) -> list[Line]:
        names = ", ".join(tool_name(tool).lower() for tool in task.taken_over)
        return [Line("note", f"Taken over from your message before: {names}.")] if names else []

    def _receipt(self, frame: Frame, _: Task) -> list[Line]:
        return [Line("note", f"  {line}") for line in receipt_lines(frame["receipt"])]


def best_of(task: Task) -> list[Line]:
    """Return how much each agent of a task has found, and the cheapest few of it."""
    lines: list[Line] = []
    for agent, offers in task.found.items():
        if offers:
            lines.append(Line("note", f"{agent[:1].upper()}{agent[1:]}: {len(offers)} found, the best:"))
            lines += [Line("offer", f"  {offer_line(offer)}") for offer in best(offers, BEST)]
    return lines


def _permission(request: Frame) -> list[Line]:
    if request["kind"] != "permission":
        return []
    return [Line("ask", line) for line in permission_lines(request)]
