"""The search tools: ask every source of a provider at once, and show each batch as it arrives.

A source that fails or does not answer in time is left out, and the summary names it; the search fails only if
all sources do. If all refuse for the same reason, the search fails with that reason.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Generic, TypeVar

import structlog

from ...domain.errors import DetourError, NotOnSale, ProviderError
from ...domain.tool_call import Effect, ToolCall
from ...tasks.ledger.base import Report, ToolResult
from ..providers.base import CutShort, Notice, Provider, Source
from ..providers.service import ServiceError
from ..understanding.result import Agent
from ..values.travel import FlightOffer, Money

Q = TypeVar("Q")

SOURCE_TIMEOUT_S = 60.0
"""How long one source may take in all before the search goes on without it: Duffel's batches live so long."""

MOST_OF_A_SOURCE = 500
"""How many offers of one source are taken; what follows counts as cut short. One source must not take
the room of the others: those of seven come to 3.5 MiB, and a task that shows more than 4 MiB fails."""

FRESH_S = 300.0
"""How long a repeated search is answered from the results of the first."""

_log = structlog.get_logger(__name__)


class SearchTool(Generic[Q]):
    """A read over some sources; `nouns` are one and several of what it finds ("flight", "flights")."""

    effect: Effect = "read"
    fresh_s = FRESH_S

    def __init__(self, name: str, nouns: tuple[str, str], sources: Sequence[Source[Q, object]]) -> None:
        self.name = name
        self._nouns = nouns
        self._sources = sources
        self.prices_by_age = any(source.prices_by_age for source in sources)

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
                group.create_task(search.ask(source.name, partial(source.search, arguments, report.user_id)))
        if search.refused_by_all:
            raise NotOnSale(search.refusals.pop())
        if search.answered == 0 and self._sources:
            none = f"None of the sellers of {self._nouns[1]} answered. Please try again."
            raise ProviderError(" ".join(search.faults) or none)
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
        self._carriers: dict[str, None] = {}
        self._notices: dict[str, str] = {}
        self.refusals: set[str] = set()
        self.faults: list[str] = []
        self.answered = 0

    @property
    def refused_by_all(self) -> bool:
        """Whether every source refuses, and all say the same."""
        return len(self._refusing) == self._total and len(self.refusals) == 1

    @property
    def value(self) -> Mapping[str, Sequence[str]] | None:
        """What agents are told beside the offers: the sources that have more, and who flies."""
        told = {"cut_short": self._cut_short, "carriers": list(self._carriers)}
        return {name: values for name, values in told.items() if values} or None

    @property
    def is_whole(self) -> bool:
        """Whether every source answered or refused; only then the same search may reuse the results."""
        return not self._silent

    async def ask(self, name: str, search: Callable[[], AsyncGenerator[Sequence[object], None]]) -> None:
        """Ask one source and publish its batches."""
        try:
            async with asyncio.timeout(SOURCE_TIMEOUT_S), contextlib.aclosing(search()) as batches:
                count = 0
                async for batch in batches:
                    self._hear(batch, name)
                    taken = batch[: MOST_OF_A_SOURCE - count]
                    if taken:
                        count += len(taken)
                        self._publish(taken, name)
                    if isinstance(batch, CutShort) or len(taken) < len(batch):
                        self._cut_short.append(name)
                        break
            self.answered += 1
        except NotOnSale as refusal:
            self._refusing.append(name)
            self.refusals.add(refusal.message)
            _log.info("a source refused", source=name, reason=refusal.message)
        except Exception as error:  # noqa: BLE001 - whatever a source raises, the others go on
            reason = error.message if isinstance(error, DetourError) else repr(error)
            self._silent.append("" if isinstance(error, ServiceError) else name)
            self.faults += [reason] if isinstance(error, ServiceError) else []
            _log.warning("a source did not answer", source=name, reason=reason)
        self._notices.pop(name, None)
        self.report_progress()

    def _hear(self, batch: Sequence[object], name: str) -> None:
        """Tell what a source says of its search, until it says or brings something else."""
        if isinstance(batch, Notice):
            self._notices[name] = batch.text
            self.report_progress()
        elif self._notices.pop(name, None):
            self.report_progress()

    def _publish(self, batch: Sequence[object], name: str) -> None:
        offers = [offer for offer in batch if _has_price(offer)]
        if len(offers) < len(batch):
            _log.warning("offers without a price were left out", source=name, count=len(batch) - len(offers))
        self._report.found(offers, source=name)
        self._found += len(offers)
        self._carriers |= dict.fromkeys(_carriers_of(offers))
        self.report_progress()

    def summary(self) -> str:
        """Return in words what was found so far, and which sources are missing. `gaps_in` reads it back."""
        noun = self._nouns[0] if self._found == 1 else self._nouns[1]
        found = f"{self._found} {noun} from {self.answered} of {self._total} sources"
        refused = f"refused by {', '.join(self._refusing)}" if self._refusing else ""
        unheard = ", ".join(filter(None, self._silent))
        silent = f"no answer from {unheard}" if unheard else ""
        faults = [fault.removesuffix(".") for fault in self.faults]
        return "; ".join(filter(None, [found, *self._notices.values(), refused, silent, *faults]))

    def report_progress(self) -> None:
        """Publish how many sources are done."""
        done = self.answered + len(self._refusing) + len(self._silent)
        self._report.progress(self.summary(), done=done, total=self._total)


def _has_price(offer: object) -> bool:
    """Whether it can be compared and booked: NaN, infinite and negative prices break every order and sum."""
    money: Money | None = getattr(offer, "price_total", None)
    return money is not None and Decimal(money.amount).is_finite() and money.amount >= 0


def _carriers_of(offers: Sequence[object]) -> Iterator[str]:
    """The airlines of flights, by name."""
    for offer in offers:
        if isinstance(offer, FlightOffer):
            yield from (flight.carrier_name for way in offer.slices for flight in way.segments)


def told_to_models(call: ToolCall) -> Any:
    """Return what models get of a call's result, without the airlines of offers that may not be shown."""
    if call.tool != FLIGHT_SEARCH or not call.result:
        return call.result
    return {name: values for name, values in call.result.items() if name != "carriers"} or None


def has_more(call: ToolCall) -> bool:
    """Return whether a source that a finished search has asked has more offers than it returned."""
    return call.done and bool(call.result and call.result.get("cut_short"))


def has_found_none(call: ToolCall) -> bool:
    """Return whether a finished search has found nothing at all."""
    return call.done and call.summary.startswith("0 ")


def fitting(summary: str, count: int) -> str:
    """Return a summary with how many of its offers fit: "23 fit of 45 flights from 3 of 3 sources"."""
    return summary if summary.startswith(f"{count} ") else f"{count} fit of {summary}"


def gaps_in(summary: str) -> str:
    """Return what a search's summary says of the sources that refused or did not answer; "" if all did."""
    return summary.partition("; ")[2]


FLIGHT_SEARCH = "search_flights"
HOTEL_SEARCH = "search_hotels"
CAR_SEARCH = "search_cars"


@dataclass(frozen=True, slots=True)
class Search:
    """How an agent searches: the name of its tool, one and several of what it finds, and whom it asks."""

    tool: str
    nouns: tuple[str, str]
    sources: Callable[[Provider], Sequence[Source[Any, object]]]


SEARCHES: Mapping[Agent, Search] = {
    "flight": Search(FLIGHT_SEARCH, ("flight", "flights"), lambda provider: provider.flight_sources),
    "hotel": Search(HOTEL_SEARCH, ("hotel", "hotels"), lambda provider: provider.hotel_sources),
    "car": Search(CAR_SEARCH, ("rental car", "rental cars"), lambda provider: provider.car_sources),
}
"""The search of each agent that has slots."""


def search_tools(provider: Provider) -> Mapping[Agent, SearchTool[Any]]:
    """Return the tools that search what a provider has, by the agents that use them."""
    return {
        agent: SearchTool(search.tool, search.nouns, search.sources(provider))
        for agent, search in SEARCHES.items()
    }
