"""The threads of one user in the store in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from .thread_steps import ThreadStep, kept_of, one_page, unknown_step


@dataclass(slots=True)
class MemoryThread:
    """The steps of one thread by number, and its pieces by id."""

    steps: dict[int, ThreadStep] = field(default_factory=dict[int, ThreadStep])
    pieces: dict[bytes, bytes] = field(default_factory=dict[bytes, bytes])

    def keep(self, step: ThreadStep) -> None:
        """Keep a step, and drop those beyond the bounds when it is time."""
        self.pieces.update(step.held)
        self.steps[step.number] = replace(step, held={})
        if step.trims:
            references = [(each.number, each.pages, each.pieces) for each in self._newest_first()]
            sizes = {each: len(body) for each, body in self.pieces.items()}
            oldest, used = kept_of(references, sizes, self._fetch, upto=step.number)
            self.steps = {number: each for number, each in self.steps.items() if number >= oldest}
            self.pieces = {each: body for each, body in self.pieces.items() if each in used}

    def drop(self, *, before: int) -> None:
        """Drop the steps before a number, and the pieces of no kept step."""
        if any(number < before for number in self.steps):
            self.steps = {number: each for number, each in self.steps.items() if number >= before}
            references = [(each.number, each.pages, each.pieces) for each in self._newest_first()]
            sizes = {each: len(body) for each, body in self.pieces.items()}
            _, used = kept_of(references, sizes, self._fetch, upto=0)
            self.pieces = {each: body for each, body in self.pieces.items() if each in used}

    def step(self, step_id: str | None) -> ThreadStep | None:
        """Return a step with its pieces, by default the newest."""
        found = [each for each in self._newest_first() if step_id in (None, each.step_id)]
        return one_page(found[:1], self._fetch, most_bytes=0)[0] if found else None

    def newest(self, *, limit: int, before: str | None, most_bytes: int) -> tuple[ThreadStep, ...]:
        """Return the newest steps, or the newest before one. Raises `NotFound`."""
        steps = self._newest_first()
        if before is not None:
            ids = [each.step_id for each in steps]
            if before not in ids:
                raise unknown_step(before, field_name="before")
            steps = steps[ids.index(before) + 1 :]
        return one_page(steps[:limit], self._fetch, most_bytes=most_bytes)

    def _newest_first(self) -> list[ThreadStep]:
        return [self.steps[number] for number in sorted(self.steps, reverse=True)]

    def _fetch(self, ids: Sequence[bytes]) -> dict[bytes, bytes]:
        return {each: self.pieces[each] for each in ids if each in self.pieces}
