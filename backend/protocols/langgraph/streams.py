"""Follows one run: as the frames of its stream, or until it has ended."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from ...domain.encoding import encode
from ..following import Following
from ..run_stream import Place
from ..thread.reading import ThreadReader
from ..thread.state import Run, ThreadState
from .branches import Asked
from .checkpoints import Checkpoints, rest_of
from .rendering import RunRenderer, encoded
from .views import failure_of, questions_of, values_of, with_questions

HEARTBEAT_S = 10.0
"""Clients take a line for dead after three intervals between the first two comments, 6 to 30 s."""


class Follower:
    """Follows the runs of threads."""

    def __init__(self, checkpoints: Checkpoints) -> None:
        self._checkpoints = checkpoints

    async def frames(
        self,
        reader: ThreadReader,
        thread_id: str,
        following: Following,
        renderer: RunRenderer,
        after: Place,
        *,
        opening: bytes = b"",
    ) -> AsyncGenerator[bytes, None]:
        """Yield a run's frames after a place, encoded, until nothing more comes of it; `opening` comes first.

        Raises `SubscriptionEnded` and `StoreUnavailable`.
        """
        yield opening
        begun = False
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                out: list[bytes] = []
                run = None if begun else following.known_before(reader.state)
                if run is not None:
                    out += await self._known(thread_id, run, renderer, after, reader.state)
                begun, anew, over = True, run is None, following.over(reader.state)
                for step in steps if not over else ():
                    anew = False
                    run = following.take(step, reader.state)
                    ended = run if run is not None and run.ended else step.ended
                    if ended is not None and ended.run_id == following.run_id:
                        renderer.rest = await self._rest(thread_id, ended)
                    frames = (
                        renderer.step(step, reader.state)
                        if run is None
                        else renderer.go_on(run, step, reader.state)
                    )
                    out += _after(after, step.seq, frames)
                    over = following.over(reader.state)
                    if over:
                        break
                run = following.look(reader.state) if anew else None
                if run is not None:
                    over = following.over(reader.state)
                    out += await self._known(thread_id, run, renderer, after, reader.state)
                if out:
                    yield b"".join(out)
                if over:
                    return

    async def _known(
        self, thread_id: str, run: Run, renderer: RunRenderer, after: Place, state: ThreadState
    ) -> list[bytes]:
        """Return what is known of a run some of whose events are not stored any more."""
        if run.ended:
            renderer.rest = await self._rest(thread_id, run)
        return _after(after, state.seq, renderer.present(run, state))

    async def outcome(
        self, reader: ThreadReader, thread_id: str, following: Following, asked: Asked
    ) -> dict[str, Any] | None:
        """Return the values of a run once it has ended, None if the thread is deleted before.

        With the questions that are open then, or with its error. Raises `SubscriptionEnded`.
        """
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                for step in steps:
                    following.take(step, reader.state)
                    if following.over(reader.state):
                        break
                run = following.look(reader.state)
                if run is not None and following.over(reader.state):
                    return await self._outcome(thread_id, run, reader.state, asked)
        return None

    async def outcome_as_json(
        self, reader: ThreadReader, thread_id: str, following: Following, asked: Asked
    ) -> AsyncGenerator[bytes, None]:
        """Yield the JSON of `outcome`; the first piece is empty."""
        yield b""
        found = await self.outcome(reader, thread_id, following, asked)
        yield encode(found)

    async def _outcome(self, thread_id: str, run: Run, state: ThreadState, asked: Asked) -> dict[str, Any]:
        values = values_of(state, run, asked)
        questions = questions_of(state, run)
        failure = failure_of(state, run) if run.status == "error" else None
        # Only now: while this reads, the state that others fold on would change under it.
        rest = await self._rest(thread_id, run)
        values = with_questions({**rest, **values}, questions)
        return values if failure is None else {**values, "__error__": failure}

    async def _rest(self, thread_id: str, run: Run) -> Mapping[str, Any]:
        return rest_of(await self._checkpoints.last_step(thread_id, run))


def _after(after: Place, seq: int, frames: Sequence[bytes | None]) -> list[bytes]:
    numbered = ((Place(seq, number), frame) for number, frame in enumerate(frames, start=1))
    return [encoded(place, frame) for place, frame in numbered if frame is not None and place > after]
