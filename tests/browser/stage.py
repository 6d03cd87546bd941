"""The demo's inventory, of which a test decides when each source answers, and with what.

A source that is held gives its next batch for each `let`: the demo's own offers, other ones
that the test has made, or an error.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from backend.travel.providers.demo.provider import DemoProvider
from tests.api.live import BOUND_S, LiveServer, serving
from tests.fakes.waiting import until

FLIGHTS = ("network carriers", "low-cost carriers", "connections")
HOTELS = ("hotel chains", "independent hotels")
PERMITS = 10_000


class Stage:
    """What the sources do; `free` at the start: they answer at once, and as the demo does."""

    def __init__(self) -> None:
        self.searches: list[tuple[str, Any]] = []
        self._permits: dict[str, asyncio.Semaphore] = {}
        self._scripts: dict[str, Callable[[Any], Sequence[Sequence[Any]]]] = {}
        self._errors: dict[str, Exception] = {}

    def free(self) -> None:
        """Let everything go that is held, and do again as the demo does."""
        self._scripts.clear()
        self._errors.clear()
        self.searches.clear()
        self.let(*self._permits, batches=PERMITS)
        self._permits.clear()

    def hold(self, *sources: str) -> None:
        """Hold these sources before their next batch; all of them, if none is named."""
        for name in sources or FLIGHTS + HOTELS:
            self._permits[name] = asyncio.Semaphore(0)

    def let(self, *sources: str, batches: int = 1) -> None:
        """Let held sources give so many batches."""
        for name in sources:
            for _ in range(batches):
                self._permits[name].release()

    def script(self, source: str, *batches: Sequence[Any]) -> None:
        """Have a source give these instead of the demo's offers."""
        self._scripts[source] = lambda _query: batches

    def fail(self, source: str, error: Exception) -> None:
        """Have a source raise this once it has given what it is let to."""
        self._errors[source] = error

    async def until_asked(self, source: str, times: int = 1) -> None:
        """Wait until a source has been asked so often."""
        await until(lambda: sum(name == source for name, _ in self.searches) >= times, every_s=0.01)

    async def play(
        self, source: str, query: Any, own: AsyncGenerator[Sequence[Any], None]
    ) -> AsyncGenerator[Sequence[Any], None]:
        """Give what the source is to give, when it may."""
        self.searches.append((source, query))
        permits = self._permits.get(source)
        async with contextlib.aclosing(own):
            if source in self._scripts:
                for batch in self._scripts[source](query):
                    await _permitted(permits)
                    yield batch
            elif source not in self._errors:
                async for batch in own:
                    await _permitted(permits)
                    yield batch
        if source in self._errors:
            await _permitted(permits)
            raise self._errors[source]


@contextlib.asynccontextmanager
async def staged_server(folder: Path, **settings: Any) -> AsyncIterator[tuple[LiveServer, Stage]]:
    """Yield a server of the demo on this loop, and the stage that its sources obey; none is given up."""
    stage = Stage()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("backend.travel.tools.search.SOURCE_TIMEOUT_S", 2 * BOUND_S)
        patch.setattr("backend.travel.plugin.DemoProvider", staged_provider(stage))
        async with serving(folder, graph="", messages_per_minute=600, **settings) as server:
            yield server, stage


async def _permitted(permits: asyncio.Semaphore | None) -> None:
    if permits is not None:
        await permits.acquire()
    else:
        await asyncio.sleep(0)


class _StagedSource:
    def __init__(self, stage: Stage, source: Any) -> None:
        self.name = source.name
        self.prices_by_age = source.prices_by_age
        self._stage = stage
        self._source = source

    def search(self, query: Any, user_id: str) -> AsyncGenerator[Sequence[Any], None]:
        return self._stage.play(self.name, query, self._source.search(query, user_id))


def staged_provider(stage: Stage) -> type[DemoProvider]:
    """Return the demo's provider with sources that obey a stage."""

    class StagedProvider(DemoProvider):
        def __init__(self, *args: Any, **settings: Any) -> None:
            super().__init__(*args, **settings)
            for kind in ("flight_sources", "hotel_sources", "car_sources"):
                setattr(self, kind, tuple(_StagedSource(stage, source) for source in getattr(self, kind)))

    return StagedProvider
