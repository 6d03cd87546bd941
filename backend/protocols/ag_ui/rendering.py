"""Renders one run as AG-UI's events: whatever it opens is closed before its end, however it ends."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..thread.fold import Step
from ..thread.state import Run, ThreadState
from . import events
from .events import event
from .outcome import INTERRUPTED, ended, failed_before
from .shared_state import SharedState, task_of
from .transcript import Change, Transcript, with_leading

_TOLD_AS_IT_IS = frozenset(
    {"tool_update", "context_transfer", "results_sorted", "offers_pointed_out", "offers_ordered", "steer"}
)
"""Events without a counterpart here: a tool call that the page should carry out would be another matter."""

_BEFORE_ANYTHING_RUNS = frozenset({"message", "input_resolved"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run was asked for with: the client's own ids, which are echoed.

    `versioned` if the client speaks 1.0, where a run may be `cancelled`. `sent` are its messages.
    """

    thread_id: str
    run_id: str
    versioned: bool = False
    sent: Sequence[Any] = ()


class RunRenderer:
    """The events of one run, for one request; of a message that steers (`message_id`), until its answer ends.

    A `Renderer`.
    """

    def __init__(self, run_id: str, asked: Asked, *, message_id: str | None = None) -> None:
        self._run_id = run_id
        self._asked = asked
        self._message_id = message_id
        self._transcript: Transcript | None = None
        self._shared = SharedState()
        self._started = False
        self._snapshots_sent = False
        self._steps: dict[str, None] = {}
        self._texts: dict[str, str | None] = {}

    def step(self, step: Step, state: ThreadState) -> list[bytes]:
        """Render an event; `state` is that after it."""
        changes = self.see(step, state)
        out: list[bytes] = []
        if step.run is not None and step.run.run_id == self._run_id:
            out = self._of_run(step, step.run, changes, state)
        if step.ended is not None and step.ended.run_id == self._run_id:
            if not state.waits(self._message_id, step.ended):
                out += self._end(step.ended, state)
        elif step.ended is not None and step.ended.status in INTERRUPTED and self._snapshots_sent:
            # A superseded task settles after the first events of the run that superseded it.
            out.append(self._shared.interrupted(state))
        return out

    def follow(self, run_id: str, asked: Asked) -> None:
        """Render this run from now on."""
        self._run_id, self._asked = run_id, asked

    def see(self, step: Step, state: ThreadState) -> list[Change]:
        """Take an event without rendering it."""
        if self._transcript is None:
            self._transcript = Transcript()
            self._transcript.begin_with(state)
        return self._transcript.take(step, state)

    def go_on(self, run: Run, step: Step, state: ThreadState) -> list[bytes]:
        """Render another run from this event on."""
        self.see(step, state)
        self._run_id = run.run_id
        return self.as_it_is(run, state)

    def present(self, run: Run, state: ThreadState) -> list[bytes]:
        """Render what is known of a run some of whose events are not stored any more."""
        self.see_anew(state)
        self._run_id = run.run_id
        return self.as_it_is(run, state)

    def see_anew(self, state: ThreadState) -> None:
        """Begin with a state whose events are not stored any more, without rendering it."""
        self._transcript = Transcript()
        self._transcript.begin_with(state)

    def as_it_is(self, run: Run, state: ThreadState, *, was_told: bool = False) -> list[bytes]:
        """Render a run as it is now, with all messages before it; its end, too, if it has ended.

        `was_told` if the user has seen a failure before: then it is not told as an error again.
        """
        out = [*self._close(), *self._start(), self._messages(state), self._state(run, state)]
        self._snapshots_sent = True
        if run.ended and not state.waits(self._message_id, run):
            asked = self._asked
            past = run.status == "error" and was_told
            return [*out, failed_before(asked.thread_id, asked.run_id) if past else self._ended(run, state)]
        for agent, frame in task_of(run, state).agents.items():
            out += self._agent(agent, frame["state"])
        return out

    # --- parts of a run --------------------------------------------------------------------------------

    def _of_run(self, step: Step, run: Run, changes: Iterable[Change], state: ThreadState) -> list[bytes]:
        out = self._start()
        kind = step.frame["type"]
        if not self._snapshots_sent and kind not in _BEFORE_ANYTHING_RUNS:
            self._snapshots_sent = True
            if run.number > 1:
                # The question and its answer, which no event has told this client.
                out.append(self._messages(state))
            out.append(self._state(run, state))
        elif self._snapshots_sent:
            patches = self._shared.changes(step.frame, task_of(run, state))
            out += [self._state(run, state)] if patches is None else patches
        if kind in _TOLD_AS_IT_IS:
            out.append(event("CUSTOM", name=f"detour.{kind}", value=step.frame))
        if kind == "steer" and self._snapshots_sent:
            out.append(self._messages(state))
        for change in changes:
            out += self._said(change, state)
        if kind == "agent_update":
            out += self._agent(step.frame["agent"], step.frame["state"])
        return out

    def _start(self) -> list[bytes]:
        if self._started:
            return []
        self._started = True
        return [run_started(self._asked)]

    def _agent(self, agent: str, now: str) -> list[bytes]:
        """Open the step of an agent that works, close that of any other."""
        if now == "working":
            if agent in self._steps:
                return []
            self._steps[agent] = None
            return [event("STEP_STARTED", stepName=agent)]
        out = [self._end_text(each) for each, node in [*self._texts.items()] if node == agent]
        if agent in self._steps:
            del self._steps[agent]
            out.append(event("STEP_FINISHED", stepName=agent))
        return out

    def _said(self, change: Change, state: ThreadState) -> list[bytes]:
        message_id = change.message_id
        if change.kind == "interruption":
            receipt = self._message(message_id, state)["content"]
            return [*self._close(), events.activity(message_id, receipt)]
        if change.kind == "complete":
            return [self._end_text(message_id)] if message_id in self._texts else []
        out: list[bytes] = []
        if message_id not in self._texts:
            self._texts[message_id] = change.node
            out.append(events.text_start(message_id))
        return [*out, events.text_piece(message_id, change.piece)] if change.piece else out

    def _end_text(self, message_id: str) -> bytes:
        del self._texts[message_id]
        return events.text_end(message_id)

    def _close(self) -> list[bytes]:
        """Close all that is open."""
        out = [events.text_end(each) for each in self._texts]
        out += [event("STEP_FINISHED", stepName=each) for each in self._steps]
        self._texts.clear()
        self._steps.clear()
        return out

    def _end(self, run: Run, state: ThreadState) -> list[bytes]:
        out = [*self._start(), *self._close()]
        if run.ended_waiting:
            out.append(self._messages(state))
        out.append(self._state(run, state))
        return [*out, self._ended(run, state)]

    def _ended(self, run: Run, state: ThreadState) -> bytes:
        asked = self._asked
        return ended(asked.thread_id, asked.run_id, asked.versioned, run, state)

    # --- snapshots -------------------------------------------------------------------------------------

    def _messages(self, state: ThreadState) -> bytes:
        shown = self._transcript.shown(state) if self._transcript is not None else []
        return event("MESSAGES_SNAPSHOT", messages=with_leading(self._asked.sent, shown))

    def _message(self, message_id: str, state: ThreadState) -> dict[str, Any]:
        assert self._transcript is not None
        return next(each for each in self._transcript.shown(state) if each["id"] == message_id)

    def _state(self, run: Run, state: ThreadState) -> bytes:
        return event("STATE_SNAPSHOT", snapshot=self._shared.snapshot(task_of(run, state), state))


def run_started(asked: Asked) -> bytes:
    """Return the first event of a run."""
    version = "1.0" if asked.versioned else None
    return event("RUN_STARTED", threadId=asked.thread_id, runId=asked.run_id, protocolVersion=version)
