"""Renders one run as one assistant message: its chunks are a function of the stored events alone.

Where the run has taken a message of the user in, another assistant message begins after that.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ..following import Following
from ..thread.fold import Step
from ..thread.state import Frame, Run, TaskState, ThreadState
from . import chunks
from .chunks import Chunk
from .texts import Texts

REPLIES = frozenset({"assistant"})


_PART = "-s"

TAKEN_IN = "taken-in"
"""The type of what stands between the chunks of two messages of a run. It is none of the protocol's."""


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
            "steer": self._steered,
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
        number = 1
        for message in state.messages_in_order():
            if message["task_id"] in of_run and message["role"] in REPLIES:
                yield from self._said(state)
                self._last = message
            elif message["task_id"] in of_run and message.get("steer") == "taken_in":
                number += 1
                yield from self._parted(message, run, number, state)
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

    def _steered(self, frame: Frame, state: ThreadState) -> Iterator[Chunk]:
        if frame["steer"] == "taken_in":
            run = state.runs[self._run_id]
            yield from self._parted(frame, run, 1 + len(_taken_in(run, state)), state)

    def _parted(self, message: Frame, run: Run, number: int, state: ThreadState) -> Iterator[Chunk]:
        """End the assistant message before one of the user's; the next one is the `number`th of its task."""
        yield from self._said(state)
        yield from self._texts.close()
        start = chunks.start(run, part_id(run, number))
        yield {"type": TAKEN_IN, "after": message["message_id"], "start": start}

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
    """The encoded chunks of one assistant message of a run. A `Renderer`.

    By default that is the first one. With `after` it is the one behind the message of the user of that id, in
    whatever run that is; nothing is shown before it has its place. Either has all that comes, up to a message
    that is taken in and of which `shows_own` says that its sender is shown the rest.
    """

    def __init__(
        self,
        following: Following,
        *,
        after: str | None = None,
        shows_own: Callable[[Frame], bool] = lambda _: False,
    ) -> None:
        self._following = following
        self._shows_own = shows_own
        self._run_id = following.run_id or ""
        self._chunks = RunChunks(self._run_id)
        self._after = after
        self._shown = after is None

    def step(self, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render an event."""
        frames = self._encoded(self._chunks.step(step, state), state)
        if step.ended is not None and step.ended.run_id == self._run_id and not self._shown:
            frames += self._asked(step.ended, state)
        return frames

    def go_on(self, run: Run, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render another run from this event on."""
        self._follow(run, state)
        frames = self._encoded(self._chunks.step(step, state), state)
        return frames if self._shown or not run.ended else [*frames, *self._asked(run, state)]

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes]:
        """Render what is known of a run without its events."""
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
                frames += [chunks.encoded(chunk)] if self._shown else []
            elif chunk["after"] == self._after:
                self._shown = True
                frames.append(chunks.encoded(chunk["start"]))
            elif self._shown and self._shows_own(state.messages[chunk["after"]]):
                frames.append(chunks.encoded(chunks.parted(state.runs[self._run_id])))
                self._following.end()
                break
        return frames

    def _asked(self, run: Run, state: ThreadState) -> list[bytes]:
        """Show what a run asks before it takes the message in: its user must answer that first."""
        asked = [each for each in state.requests.values() if state.run_of(each["task_id"]) is run]
        if not asked or self._after not in state.pending:
            return []
        start = chunks.start(run, part_id(run, 1 + len(_taken_in(run, state)) + 1))
        return [
            chunks.encoded(each) for each in (start, *map(chunks.question, asked), *chunks.ending(run, None))
        ]


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
    of_run = {run.task_id, *(each.task_id for each in _attempts(run, state))}
    return [
        each
        for each in state.messages_in_order()
        if each["task_id"] in of_run and each.get("steer") == "taken_in"
    ]


def _attempts(run: Run, state: ThreadState) -> list[TaskState]:
    """Return the tasks of a run's message, the newest first."""
    return [each for each in reversed(state.tasks.values()) if each.first_task_id == run.task_id]
