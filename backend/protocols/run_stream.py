"""The events of one run in another protocol, from any of them on until the run ends."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import NamedTuple, Protocol

from .following import Following
from .thread.fold import Step
from .thread.reading import ThreadReader
from .thread.state import Run, ThreadState


class Place(NamedTuple):
    """The place of a frame in a thread: the `number`th that the event `seq` made. Ordered and unique."""

    seq: int
    number: int


BEGINNING = Place(0, 0)

Encode = Callable[[Place, bytes], bytes]


class Renderer(Protocol):
    """Renders one run after another. All methods return encoded frames, or nothing.

    It is called with every event of the thread, in order, and must be a function of these alone.
    """

    def step(self, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render an event; `state` is that after it."""
        ...

    def go_on(self, run: Run, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render an event with which another run is followed, and that run from then on."""
        ...

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes]:
        """Render what is known of a run some of whose events are not stored any more, and it from then on."""
        ...


async def run_pieces(
    reader: ThreadReader,
    following: Following,
    renderer: Renderer,
    *,
    after: Place,
    encode: Encode,
    begun: bool = False,
) -> AsyncGenerator[bytes, None]:
    """Yield the encoded frames of a run after a place, in pieces; returns when nothing more comes of it.

    `begun` if the renderer has rendered what the reader has read so far. The first piece may be empty. Raises
    `SubscriptionEnded` and `StoreUnavailable`.
    """
    yield b""
    over = False
    async with aclosing(reader.follow()) as batches:
        async for steps in batches:
            out: list[bytes] = []
            # All its events may have come before those that are still stored: nothing else would end it then.
            run = None if begun else following.known_before(reader.state)
            if run is not None:
                out += _after(after, reader.state.seq, renderer.present(run, reader.state), encode)
                over = following.over(reader.state)
            begun, anew = True, run is None
            for step in steps:
                anew = False
                if not over:
                    out += _after(after, step.seq, rendered(renderer, following, step, reader.state), encode)
                    over = following.over(reader.state)
            run = following.look(reader.state) if anew else None
            if run is not None:
                out += _after(after, reader.state.seq, renderer.present(run, reader.state), encode)
                over = following.over(reader.state)
            if out:
                yield b"".join(out)
            if over:
                return


def rendered(renderer: Renderer, following: Following, step: Step, state: ThreadState) -> Sequence[bytes]:
    """Render an event of the run that is followed, or with which another one is."""
    run = following.take(step, state)
    return renderer.step(step, state) if run is None else renderer.go_on(run, step, state)


def _after(after: Place, seq: int, frames: Sequence[bytes], encode: Encode) -> list[bytes]:
    places = [Place(seq, number) for number in range(1, len(frames) + 1)]
    return [encode(place, frame) for place, frame in zip(places, frames, strict=True) if place > after]
