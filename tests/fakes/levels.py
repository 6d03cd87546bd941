"""The levels that replicas share, without a database: in memory, updated in time or late."""

import asyncio
from asyncio import Future
from collections.abc import Callable, Sequence

from backend.domain.errors import StoreUnavailable
from backend.domain.token_bucket import Level, Take, Taken


class MemoryLevels:
    """Answers at once; not at all while `held`, and with an error while `away`. `asked` are all the takes."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._levels: dict[tuple[str, str], Level] = {}
        self._unanswered: list[tuple[Future[Taken], Taken]] = []
        self.asked: list[Sequence[Take]] = []
        self.held = False
        self.away = False

    def take(self, takes: Sequence[Take], *, owed: bool = False) -> "Future[Taken]":
        future: Future[Taken] = asyncio.get_running_loop().create_future()
        self.asked.append(takes)
        if self.away:
            future.set_exception(StoreUnavailable("The levels are away."))
        elif self.held:
            self._unanswered.append((future, self._take(takes, owed)))
        else:
            future.set_result(self._take(takes, owed))
        return future

    def answer(self) -> None:
        """Tell all who wait, in order."""
        unanswered, self._unanswered = self._unanswered, []
        for future, taken in unanswered:
            if not future.done():
                future.set_result(taken)

    def _take(self, takes: Sequence[Take], owed: bool) -> Taken:
        now = self._clock()
        tokens = [each.bucket.tokens(self._levels.get((each.kind, each.key)), now) for each in takes]
        enough = all(each.tokens <= held + 1e-9 for each, held in zip(takes, tokens, strict=True))
        if enough or owed:
            tokens = [
                max(held - each.tokens, -each.bucket.capacity)
                for each, held in zip(takes, tokens, strict=True)
            ]
            for each, left in zip(takes, tokens, strict=True):
                self._levels[each.kind, each.key] = Level(left, now)
        return Taken(enough, tuple(tokens))
