"""Follows one run: as the frames of its stream, or until it has ended."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import Any

from ...domain.encoding import encode
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
        run_id: str,
        renderer: RunRenderer,
        after: Place,
        *,
        opening: bytes = b"",
    ) -> AsyncGenerator[bytes, None]:
        """Yield a run's frames after a place, encoded, until it has ended; `opening` comes first.

        Raises `SubscriptionEnded` and `StoreUnavailable`.
        """
        yield opening
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                out: list[bytes] = []
                anew, ended = True, False
                for step in steps:
                    anew = False
                    if step.ended is not None and step.ended.run_id == run_id:
                        ended = True
                        renderer.rest = await self._rest(thread_id, step.ended)
                    out += _after(after, step.seq, renderer.step(step, reader.state))
                    if ended:
                        break
                run = reader.state.runs.get(run_id) if anew else None
                if run is not None:
                    ended = run.ended
                    if ended:
                        renderer.rest = await self._rest(thread_id, run)
                    out += _after(after, reader.state.seq, renderer.present(run, reader.state))
                if out:
                    yield b"".join(out)
                if ended:
                    return

    async def outcome(
        self, reader: ThreadReader, thread_id: str, run_id: str, asked: Asked
    ) -> dict[str, Any] | None:
        """Return the values of a run once it has ended, None if the thread is deleted before.

        With the questions that are open then, or with its error. Raises `SubscriptionEnded`.
        """
        async with aclosing(reader.follow()) as batches:
            async for steps in batches:
                for step in steps:
                    if step.ended is not None and step.ended.run_id == run_id:
                        return await self._outcome(thread_id, step.ended, reader.state, asked)
                run = reader.state.runs.get(run_id)
                if run is not None and run.ended:
                    return await self._outcome(thread_id, run, reader.state, asked)
        return None

    async def outcome_as_json(
        self, reader: ThreadReader, thread_id: str, run_id: str, asked: Asked
    ) -> AsyncGenerator[bytes, None]:
        """Yield the JSON of `outcome`; the first piece is empty."""
        yield b""
        found = await self.outcome(reader, thread_id, run_id, asked)
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
