"""The search tools: ask every source of a provider at once, and show each batch as it arrives.

A source that fails or does not answer in time is left out, and the summary names it; the search fails only if
all sources do. If all refuse for the same reason, the search fails with that reason.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

import structlog

from ...domain.tool_call import Effect, ToolCall
from ...errors import DetourError, NotOnSale, ProviderError
from ...tasks.ledger.base import Report, ToolResult
from ..providers.base import CutShort, Provider
from ..values.travel import FlightQuery, HotelQuery

Q = TypeVar("Q")
Q_contra = TypeVar("Q_contra", contravariant=True)

SOURCE_TIMEOUT_S = 20.0
"""How long one source may take in all before the search goes on without it."""

FRESH_S = 300.0
"""How long a repeated search is answered from the results of the first."""

_log = structlog.get_logger(__name__)


class Source(Protocol[Q_contra]):
    """Any source of a provider."""

    @property
    def name(self) -> str:
        """What people call it."""
        ...

    def search(self, query: Q_contra) -> AsyncGenerator[Sequence[object], None]:
        """Yield batches."""
        ...


class SearchTool(Generic[Q]):
    """A read over some sources; `nouns` are one and several of what it finds ("flight", "flights")."""

    effect: Effect = "read"
    fresh_s = FRESH_S

    def __init__(self, name: str, nouns: tuple[str, str], sources: Sequence[Source[Q]]) -> None:
        self.name = name
        self._nouns = nouns
        self._sources = sources

    async def run(self, arguments: Q, report: Report) -> ToolResult:
        """Search, and return a summary: "41 flights from 3 of 3 sources".

        Raises `NotOnSale` if all sources refuse for the same reason, `ProviderError` if none answered. When
        cancelled, every source's search is closed.
        """
        search = _Search(report, nouns=self._nouns, total=len(self._sources))
        search.report_progress()
        # `ask` raises nothing but a cancellation, so that the failure of one source does not end the others.
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(search.ask(source.name, lambda source=source: source.search(arguments)))
        if search.refused_by_all:
            raise NotOnSale(search.refusals.pop())
        if search.answered == 0 and self._sources:
            raise ProviderError(f"None of the sources of {self._nouns[1]} answered. Please try again.")
        return ToolResult(search.summary(), search.value, whole=search.is_whole)


class _Search:
    """A running search: what has been found, and which sources have answered."""

    def __init__(self, report: Report, *, nouns: tuple[str, str], total: int) -> None:
        self._report = report
        self._nouns = nouns
        self._total = total
        self._found = 0
        self._silent: list[str] = []
        self._refusing: list[str] = []
        self._cut_short: list[str] = []
        self.refusals: set[str] = set()
        self.answered = 0

    @property
    def refused_by_all(self) -> bool:
        """Whether every source refuses, and all say the same."""
        return len(self._refusing) == self._total and len(self.refusals) == 1

    @property
    def value(self) -> Mapping[str, Sequence[str]] | None:
        """What agents are told beside the offers: the sources that have more."""
        return {"cut_short": self._cut_short} if self._cut_short else None

    @property
    def is_whole(self) -> bool:
        """Whether every source answered or refused; only then the same search may reuse the results."""
        return not self._silent

    async def ask(self, name: str, search: Callable[[], AsyncGenerator[Sequence[object], None]]) -> None:
        """Ask one source and publish its batches."""
        try:
            async with asyncio.timeout(SOURCE_TIMEOUT_S), contextlib.aclosing(search()) as batches:
                async for batch in batches:
                    if isinstance(batch, CutShort):
                        self._cut_short.append(name)
                        continue
                    self._found += len(batch)
                    self._report.found(list(batch), source=name)
                    self.report_progress()
            self.answered += 1
        except NotOnSale as refusal:
            self._refusing.append(name)
            self.refusals.add(refusal.message)
            _log.info("a source refused", source=name, reason=refusal.message)
        except Exception as error:  # noqa: BLE001 - whatever a source raises, the others go on
            self._silent.append(name)
            reason = error.message if isinstance(error, DetourError) else repr(error)
            _log.warning("a source did not answer", source=name, reason=reason)
        self.report_progress()

    def summary(self) -> str:
        """Return in words what was found so far, and which sources are missing. `gaps_in` reads it back."""
        noun = self._nouns[0] if self._found == 1 else self._nouns[1]
        found = f"{self._found} {noun} from {self.answered} of {self._total} sources"
        refused = f"refused by {', '.join(self._refusing)}" if self._refusing else ""
        silent = f"no answer from {', '.join(self._silent)}" if self._silent else ""
        return "; ".join(filter(None, [found, refused, silent]))

    def report_progress(self) -> None:
        """Publish how many sources are done."""
        done = self.answered + len(self._refusing) + len(self._silent)
        self._report.progress(self.summary(), done=done, total=self._total)


def has_more(call: ToolCall) -> bool:
    """Return whether a source that a finished search has asked has more offers than it returned."""
    return call.done and bool(call.result and call.result.get("cut_short"))


def fitting(summary: str, count: int) -> str:
    """Return a summary with how many of its offers fit: "23 fit of 45 flights from 3 of 3 sources"."""
    return summary if summary.startswith(f"{count} ") else f"{count} fit of {summary}"


def gaps_in(summary: str) -> str:
    """Return what a search's summary says of the sources that refused or did not answer; "" if all did."""
    return summary.partition("; ")[2]


FLIGHT_SEARCH = "search_flights"
HOTEL_SEARCH = "search_hotels"


def flight_search(provider: Provider) -> SearchTool[FlightQuery]:
    """Return the tool that searches a provider's flights."""
    return SearchTool(FLIGHT_SEARCH, ("flight", "flights"), provider.flight_sources)


def hotel_search(provider: Provider) -> SearchTool[HotelQuery]:
    """Return the tool that searches a provider's hotels."""
    return SearchTool(HOTEL_SEARCH, ("hotel", "hotels"), provider.hotel_sources)
