"""The events of one run in another protocol, from any of them on until the run ends."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import NamedTuple, Protocol

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
    """Renders one run. Both methods return encoded frames, or nothing.

    It is called with every event of the thread, in order, and must be a function of these alone.
    """

    def step(self, step: Step, state: ThreadState) -> Sequence[bytes]:
        """Render an event; `state` is that after it."""
        ...

    def present(self, run: Run, state: ThreadState) -> Sequence[bytes]:
        """Render what is known of a run some of whose events are not stored any more."""
        ...


async def run_pieces(
    reader: ThreadReader,
    run_id: str,
    renderer: Renderer,
    *,
    after: Place,
    encode: Encode,
    begun: bool = False,
) -> AsyncGenerator[bytes, None]:
    """Yield the encoded frames of a run after a place, in pieces; returns when the run has ended.

    `begun` if the renderer has rendered what the reader has read so far. The first piece may be empty. Raises
    `SubscriptionEnded` and `StoreUnavailable`.
    """
    yield b""
    async with aclosing(reader.follow()) as batches:
        async for steps in batches:
            out: list[bytes] = []
            anew, over = True, False
            run = None if begun else reader.state.runs.get(run_id)
            if run is not None and run.ended:
                # All its events came before those that are still stored: nothing else would end the stream.
                out += _after(after, reader.state.seq, renderer.present(run, reader.state), encode)
                anew, over = False, True
            begun = True
            for step in steps:
                anew = False
                frames = renderer.step(step, reader.state) if not over else ()
                out += _after(after, step.seq, frames, encode)
                over = over or (step.ended is not None and step.ended.run_id == run_id)
            if anew:
                run = reader.state.runs.get(run_id)
                if run is not None:
                    out += _after(after, reader.state.seq, renderer.present(run, reader.state), encode)
                    over = run.ended
            if out:
                yield b"".join(out)
            if over:
                return


def _after(after: Place, seq: int, frames: Sequence[bytes], encode: Encode) -> list[bytes]:
    places = [Place(seq, number) for number in range(1, len(frames) + 1)]
    return [encode(place, frame) for place, frame in zip(places, frames, strict=True) if place > after]
