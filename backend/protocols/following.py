"""Follows a run to its end: a given one, or the one that answers a message that steers."""

import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Sequence
from contextlib import aclosing
from typing import NamedTuple, Protocol

from .thread.fold import FoldedEvent
from .thread.reading import ThreadReader
from .thread.state import Frame, Run, ThreadState


class Following:
    """A run that is followed to its end. `run_id` is None until it is known.

    With the `message_id` of a message that steers it is the run that is to take it in, from when it was sent;
    then the run that the message comes into, if that is another one.
    """

    def __init__(self, run_id: str | None = None, *, message_id: str | None = None) -> None:
        self.run_id = run_id
        self.message_id = message_id
        self._ended = False

    def take(self, step: FoldedEvent, state: ThreadState) -> Run | None:
        """Return the run that is followed from this event on, None if it stays the same."""
        if self.message_id is None:
            return None
        frame = step.frame
        if frame["type"] == "steer" and frame["message_id"] == self.message_id:
            return self._go_on(state.run_of(frame["task_id"]))
        if step.began and step.run is not None and step.run.message_id == self.message_id:
            return self._go_on(step.run)
        return None

    def known_before(self, state: ThreadState) -> Run | None:
        """Return the run to present before the first stored event, if any.

        A run that is under way, and that no message names, is shown from that event on.
        """
        run = self.look(state)
        return run if run is not None and (run.ended or self.message_id is not None) else None

    def look(self, state: ThreadState) -> Run | None:
        """Return the run that is followed from this state on, None if it is not known."""
        message_id = self.message_id or ""
        message = state.messages.get(message_id) or state.pending.get(message_id)
        if message is not None:
            run = run_with(message, state)
            self.run_id = run.run_id if run is not None else self.run_id
        return state.runs.get(self.run_id or "")

    def over(self, state: ThreadState) -> bool:
        """Return whether nothing more will come."""
        if self._ended:
            return True
        run = state.runs.get(self.run_id or "")
        return run is not None and run.ended and not state.waits(self.message_id, run)

    def end(self) -> None:
        """Follow it no further."""
        self._ended = True

    def _go_on(self, run: Run | None) -> Run | None:
        if run is None or run.run_id == self.run_id:
            return None
        self.run_id = run.run_id
        return run


def run_with(message: Frame, state: ThreadState) -> Run | None:
    """Return the run that a message has come into, or is for; the last one if none is under way for it."""
    if "seq" in message and message["message_id"] in state.messages:
        return state.run_at(message["task_id"], message["seq"])
    return state.run_of(message["task_id"]) or next(reversed(state.runs.values()), None)


class Followers:
    """The runs that clients follow at the moment, by user."""

    def __init__(self) -> None:
        self._of_users: dict[str, list[Following]] = {}

    def follow(self, user_id: str, run_id: str) -> bool:
        """Return whether a client follows a run."""
        return any(each.run_id == run_id for each in self._of_users.get(user_id, ()))

    @contextlib.contextmanager
    def counting(self, user_id: str, following: Following) -> Generator[None]:
        """Count a client within this block."""
        of_user = self._of_users.setdefault(user_id, [])
        of_user.append(following)
        try:
            yield
        finally:
            of_user.remove(following)
            if not of_user:
                self._of_users.pop(user_id, None)


# --- run stream ----------------------------------------------------------------------------------------
# The events of one run in another protocol, from any of them on until the run ends.


class Place(NamedTuple):
    """The place of a frame in a thread: the `number`th that the event `seq` made. Ordered and unique."""

    seq: int
    number: int


BEGINNING = Place(0, 0)

Encode = Callable[[Place, bytes], bytes]


class Renderer(Protocol):
    """Renders one run after another as frames.

    It is called with every event of the thread, in order, and must be a function of these alone. A frame that
    is None is not sent, and keeps its number.
    """

    def step(self, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event; `state` is that after it."""
        ...

    def go_on(self, run: Run, step: FoldedEvent, state: ThreadState) -> Sequence[bytes | None]:
        """Render an event with which another run is followed, and that run from then on."""
        ...

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes | None]:
        """Render a run some of whose events are not stored any more, and follow it from then on."""
        ...


async def see_stored(reader: ThreadReader, renderer: Renderer, run_id: str) -> None:
    """Show a renderer all stored events, for what it knows then; their frames are dropped."""
    async with aclosing(reader.stored()) as batches:
        async for steps in batches:
            is_read_anew = True
            for step in steps:
                is_read_anew = False
                renderer.step(step, reader.state)
            if is_read_anew and run_id in reader.state.runs:
                renderer.present(reader.state.runs[run_id], reader.state)


async def run_pieces(
    reader: ThreadReader,
    following: Following,
    renderer: Renderer,
    *,
    after: Place = BEGINNING,
    encode: Encode = lambda _, frame: frame,
    opening: bytes = b"",
    begun: bool = False,
    before_end: Callable[[Run], Awaitable[None]] | None = None,
) -> AsyncGenerator[bytes, None]:
    """Yield the encoded frames of a run after a place, in pieces; return once it is over.

    `begun` if the renderer has rendered what the reader has read so far. The first piece is the `opening`.
    `before_end` is called with a run that has ended, before that is rendered. Raises `SubscriptionEnded` and
    `StoreUnavailable`.
    """

    async def present(run: Run, state: ThreadState) -> list[bytes]:
        if run.ended and before_end is not None:
            await before_end(run)
        return _after(after, state.seq, renderer.present(run, state), encode)

    yield opening
    async with aclosing(reader.follow()) as batches:
        async for steps in batches:
            out: list[bytes] = []
            state = reader.state
            # If all its events came before those that are still stored, no event will end it.
            run = None if begun else following.known_before(state)
            if run is not None:
                out += await present(run, state)
            begun, is_read_anew, over = True, run is None, following.over(state)
            for step in steps:
                is_read_anew = False
                if over:
                    continue
                run = following.take(step, state)
                ended = run if run is not None and run.ended else step.ended
                if before_end is not None and ended is not None and ended.run_id == following.run_id:
                    await before_end(ended)
                frames = renderer.step(step, state) if run is None else renderer.go_on(run, step, state)
                out += _after(after, step.seq, frames, encode)
                over = following.over(state)
            run = following.look(state) if is_read_anew else None
            if run is not None:
                out += await present(run, state)
                over = following.over(state)
            if out:
                yield b"".join(out)
            if over:
                return


def _after(after: Place, seq: int, frames: Sequence[bytes | None], encode: Encode) -> list[bytes]:
    numbered = ((Place(seq, number), frame) for number, frame in enumerate(frames, start=1))
    return [encode(place, frame) for place, frame in numbered if frame is not None and place > after]
