"""The seam between the tools and whoever sells flights and hotels.

A provider is a handful of *sources* (suppliers, channels) that answer independently and in batches: each
batch is worth showing at once, and a search that is cut short keeps the batches that had arrived.

Cancellation: a source is an async generator; the caller closes it (`contextlib.aclosing`), and nothing
of the search may go on after that.
"""

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from backend.domain.travel import FlightOffer, FlightQuery, HotelOffer, HotelQuery


class FlightSource(Protocol):
    """One supplier of flights."""

    @property
    def name(self) -> str:
        """Short, stable, shown to people: "network carriers"."""
        ...

    def search(self, query: FlightQuery) -> AsyncGenerator[Sequence[FlightOffer], None]:
        """Yield batches of offers, no offer twice. Raises `ProviderError` when it cannot answer."""
        ...


class HotelSource(Protocol):
    """One supplier of hotels."""

    @property
    def name(self) -> str:
        """Short, stable, shown to people: "hotel chains"."""
        ...

    def search(self, query: HotelQuery) -> AsyncGenerator[Sequence[HotelOffer], None]:
        """Yield batches of offers, no offer twice. Raises `ProviderError` when it cannot answer."""
        ...


class Provider(Protocol):
    """All sources of one inventory."""

    @property
    def name(self) -> str:
        """Short and stable: "demo"."""
        ...

    @property
    def flight_sources(self) -> Sequence[FlightSource]:
        """The suppliers that a flight search asks, all at once."""
        ...

    @property
    def hotel_sources(self) -> Sequence[HotelSource]:
        """The suppliers that a hotel search asks, all at once."""
        ...
