"""The search tools: ask every source of a provider at once, and show each batch as it arrives.

A source that fails or does not answer in time is left out with a plain word; the search fails only where all
of them do. Where all refuse what is asked for, and for the same reason, that reason is what is told.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Sequence
from typing import Generic, Protocol, TypeVar

import structlog

from ...domain.tool_call import Effect
from ...errors import DetourError, NotOnSale, ProviderError
from ...tasks.ledger.base import Report, ToolResult
from ..providers.base import Provider
from ..values.travel import FlightQuery, HotelQuery

Q = TypeVar("Q")
Q_contra = TypeVar("Q_contra", contravariant=True)

SOURCE_TIMEOUT_S = 20.0
"""How long one source may take in all before the search goes on without it."""

FRESH_S = 300.0
"""How long what a search has found answers the same search once more."""

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
        """Search, and return how it went: "41 flights from 3 of 3 sources".

        Raises `NotOnSale` where all sources refuse for the same reason, else `ProviderError` where none
        answered. When cancelled, every source's search is closed.
        """
        search = _Search(report, nouns=self._nouns, total=len(self._sources))
        search.tell()
        async with asyncio.TaskGroup() as group:
            for source in self._sources:
                group.create_task(search.ask(source.name, lambda source=source: source.search(arguments)))
        if search.refused_by_all:
            raise NotOnSale(search.refusals.pop())
        if search.answered == 0 and self._sources:
            raise ProviderError(f"None of the sources of {self._nouns[1]} answered. Please try again.")
        return ToolResult(search.detail(), whole=search.heard_all)


class _Search:
    """One search under way: what has been found, and which sources have answered."""

    def __init__(self, report: Report, *, nouns: tuple[str, str], total: int) -> None:
        self._report = report
        self._nouns = nouns
        self._total = total
        self._found = 0
        self._silent: list[str] = []
        self._refusing: list[str] = []
        self.refusals: set[str] = set()
        self.answered = 0

    @property
    def refused_by_all(self) -> bool:
        """Whether every source refuses, and all say the same."""
        return len(self._refusing) == self._total and len(self.refusals) == 1

    @property
    def heard_all(self) -> bool:
        """Whether no source failed to answer."""
        return not self._silent

    async def ask(self, name: str, search: Callable[[], AsyncGenerator[Sequence[object], None]]) -> None:
        """Ask one source, and take in what it yields."""
        try:
            async with asyncio.timeout(SOURCE_TIMEOUT_S), contextlib.aclosing(search()) as batches:
                async for batch in batches:
                    self._found += len(batch)
                    self._report.found(list(batch), source=name)
                    self.tell()
            self.answered += 1
        except NotOnSale as refusal:
            self._refusing.append(name)
            self.refusals.add(refusal.message)
            _log.info("a source refused", source=name, reason=refusal.message)
        except Exception as error:  # noqa: BLE001 - whatever a source raises, the others go on
            self._silent.append(name)
            reason = error.message if isinstance(error, DetourError) else repr(error)
            _log.warning("a source did not answer", source=name, reason=reason)
        self.tell()

    def detail(self) -> str:
        """Return how far the search is, in words."""
        noun = self._nouns[0] if self._found == 1 else self._nouns[1]
        found = f"{self._found} {noun} from {self.answered} of {self._total} sources"
        refused = f"refused by {', '.join(self._refusing)}" if self._refusing else ""
        silent = f"no answer from {', '.join(self._silent)}" if self._silent else ""
        return "; ".join(filter(None, [found, refused, silent]))

    def tell(self) -> None:
        """Report how far the search is."""
        done = self.answered + len(self._refusing) + len(self._silent)
        self._report.progress(self.detail(), done=done, total=self._total)


def gaps_in(summary: str) -> str:
    """Return what a search's summary says of sources that did not answer; "" where all did."""
    return summary.partition("; ")[2]


FLIGHT_SEARCH = "search_flights"
HOTEL_SEARCH = "search_hotels"


def flight_search(provider: Provider) -> SearchTool[FlightQuery]:
    """Return the tool that searches a provider's flights."""
    return SearchTool(FLIGHT_SEARCH, ("flight", "flights"), provider.flight_sources)


def hotel_search(provider: Provider) -> SearchTool[HotelQuery]:
    """Return the tool that searches a provider's hotels."""
    return SearchTool(HOTEL_SEARCH, ("hotel", "hotels"), provider.hotel_sources)
