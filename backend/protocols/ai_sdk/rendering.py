"""Renders one run as one assistant message: its chunks are a function of the stored events alone."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..thread.fold import Step
from ..thread.state import Frame, Run, TaskState, ThreadState
from . import chunks
from .chunks import Chunk
from .texts import Texts

REPLIES = frozenset({"assistant"})


class RunChunks:
    """The chunks of one run; call it with every event of the thread, in order."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._texts = Texts()
        self._begun = False
        self._lost = False
        self._questions: dict[str, Frame] = {}
        self._requests: dict[str, Any] = {}
        # A message waits for the next event of its run, which tells whether it is a reply or a failure.
        self._last: Frame | None = None
        self._show: Mapping[str, Callable[[Frame, ThreadState], Iterator[Chunk]]] = {
            "message": self._message,
            "text_delta": self._text,
            "partial_result": self._partial,
            "agent_update": self._agent,
            "tool_update": self._tool,
            "input_request": self._asked,
            "input_resolved": self._resolved,
        }

    def step(self, step: Step, state: ThreadState) -> Iterator[Chunk]:
        """Yield the chunks of an event; `state` is that after it."""
        run = step.run
        if run is not None and run.run_id == self._run_id:
            if self._begun or step.began:
                if not self._begun:
                    self._begun = True
                    yield chunks.start(run)
                yield from self._event(step, state)
            else:  # its first events are not stored any more
                yield from self._known(run, state)
        if step.ended is not None and step.ended.run_id == self._run_id:
            yield from self._end(step.ended, state)

    def present(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        """Yield the chunks of what is known of the run, without its events."""
        yield from self._known(run, state)
        if run.ended:
            yield from self._end(run, state)

    def _known(self, run: Run, state: ThreadState) -> Iterator[Chunk]:
        yield chunks.anew() if self._begun else chunks.start(run)
        self._begun, self._lost, self._texts, self._last = True, False, Texts(), None
        tasks = [each for each in state.tasks.values() if each.first_task_id == run.task_id]
        for task in tasks:
            for agent, items in task.found.items():
                yield chunks.partial(agent, items, len(items))
        of_run = {run.task_id, *(each.task_id for each in tasks)}
        for message in state.messages_in_order():
            if message["task_id"] in of_run and message["role"] in REPLIES:
                yield from self._said(state)
                self._last = message
        for request in state.requests.values():
            if request["task_id"] in of_run:
                yield from self._said(state)
                yield from self._asked(request, state)

    def _event(self, step: Step, state: ThreadState) -> Iterator[Chunk]:
        frame, kind = step.frame, step.frame["type"]
        if self._lost:
            yield chunks.anew()
            self._lost, self._texts, self._questions, self._last = False, Texts(), {}, None
        if step.ended is None and kind != "message":
            yield from self._said(state)
        if kind == "receipt" and step.ended is None:
            # Its process has ended, and the message is answered once more. What was shown stays until then.
            self._lost = True
        elif kind in self._show:
            yield from self._show[kind](frame, state)

    def _message(self, frame: Frame, state: ThreadState) -> Iterator[Chunk]:
        # What an interruption has cut short was streamed, and its marker is the receipt's.
        if frame["role"] in REPLIES and not frame["interrupted"]:
            yield from self._said(state)
            self._last = frame

    def _text(self, frame: Frame, _: ThreadState) -> Iterator[Chunk]:
        return self._texts.piece(frame)

    def _partial(self, frame: Frame, state: ThreadState) -> Iterator[Chunk]:
        found = state.tasks[frame["task_id"]].found[frame["agent"]]
        yield chunks.partial(frame["agent"], found, frame["count"])

    def _agent(self, frame: Frame, _: ThreadState) -> Iterator[Chunk]:
        name = frame["agent"]
        if frame.get("until") is not None:
            yield from self._texts.close_of(name)
        # What it was asked to find is told once, and a chunk replaces the one before.
        self._requests[name] = frame.get("request", self._requests.get(name))
        yield chunks.agent(frame, self._requests[name])

    def _tool(self, frame: Frame, _: ThreadState) -> Iterator[Chunk]:
        yield chunks.tool(frame)

    def _asked(self, frame: Frame, _: ThreadState) -> Iterator[Chunk]:
        self._questions[frame["request_id"]] = frame
        yield chunks.question(frame)

    def _resolved(self, frame: Frame, _: ThreadState) -> Iterator[Chunk]:
        question = self._questions.get(frame["request_id"])
        if question is not None:
            yield chunks.question(question, frame["outcome"])

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
        if run.status in {"interrupted", "timeout"}:
            receipt = next((each.receipt for each in _attempts(run, state) if each.receipt is not None), None)
            if receipt is not None:
                yield chunks.interruption(receipt)
        yield from chunks.ending(run, failure)


class RunFrames:
    """The encoded chunks of one run, for `run_pieces`."""

    def __init__(self, run_id: str) -> None:
        self._chunks = RunChunks(run_id)

    def step(self, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render an event."""
        return [chunks.encoded(each) for each in self._chunks.step(step, state)]

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes]:
        """Render what is known of a run without its events."""
        return [chunks.encoded(each) for each in self._chunks.present(run, state)]


def _attempts(run: Run, state: ThreadState) -> list[TaskState]:
    """Return the tasks of a run's message, the newest first."""
    return [each for each in reversed(state.tasks.values()) if each.first_task_id == run.task_id]
