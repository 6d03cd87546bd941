"""`GET` of the lowest fares on the days around a date, for a chart of prices by day."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from datetime import date
from decimal import Decimal
from typing import Annotated

from fastapi import Query, Request, Response

from ...domain.errors import TooManyRequests
from ...http.routes.calls import CallRouter
from ...http.wire.bodies import json_response
from ..providers.base import FareCalendar
from ..values.travel import CabinClass, DayFare, FlightQuery, Money
from .travel_schemas import RECORDED_TRAVEL, DayFareView, FaresAnswer, money_view

MOST_DAYS = 7
MOST_WAITING = 8
_MOST_AIRPORTS = 8  # of a city: London has six, and more would only make the search longer
_Airports = Annotated[
    str,
    Query(
        pattern=rf"^[A-Za-z]{{3}}(,[A-Za-z]{{3}}){{0,{_MOST_AIRPORTS - 1}}}$",
        description=f"IATA codes of a city's airports with commas between them, {_MOST_AIRPORTS} at most",
        examples=[RECORDED_TRAVEL["AIRPORT_CODES"]],
    ),
]


class FareDesk:
    """Asks the provider for one week at a time, so that charts never hold up the searches for long."""

    def __init__(self, calendar: FareCalendar) -> None:
        self._calendar = calendar
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def around(self, query: FlightQuery, *, days: int, request: Request) -> Sequence[DayFare]:
        """Return the days' fares; if the client has left, those found so far, which nobody reads.

        Raises `TooManyRequests` where too many wait already. May be cancelled.
        """
        if self._waiting >= MOST_WAITING:
            raise TooManyRequests("Too many ask for prices by day; try again in a second.", retry_after_s=1)
        self._waiting += 1
        try:
            async with self._turn:
                return await _read(self._calendar, query, days=days, request=request)
        finally:
            self._waiting -= 1


async def _read(
    calendar: FareCalendar, query: FlightQuery, *, days: int, request: Request
) -> Sequence[DayFare]:
    found: list[DayFare] = []
    async with aclosing(calendar.cheapest_by_day(query, days=days)) as fares:
        async for fare in fares:
            found.append(fare)
            if await request.is_disconnected():
                break
    return found


def fares_router(calendar: FareCalendar | None) -> CallRouter:
    """Return the route; without a calendar it knows no day's fare."""
    router = CallRouter("Travel")
    desk = FareDesk(calendar) if calendar is not None else None

    @router.call("GET /fares", "Compare the fares of days", FaresAnswer, (422, 429, 502))
    async def fares(
        request: Request,
        origins: _Airports,
        destinations: _Airports,
        departure_date: Annotated[date, Query(examples=["2026-12-10"])],
        return_date: date | None = None,
        passengers: Annotated[int, Query(ge=1, le=99)] = 1,
        cabin_class: CabinClass = "economy",
        max_stops: Annotated[int | None, Query(ge=0, le=9)] = None,
        max_price: Annotated[
            Decimal | None, Query(gt=0, max_digits=10, decimal_places=2, description="For one person")
        ] = None,
        currency: Annotated[str, Query(pattern="^[A-Z]{3}$", description="That of `max_price`")] = "EUR",
        days: Annotated[int, Query(ge=1, le=MOST_DAYS, description="How many before and after")] = 3,
    ) -> Response:
        """Tell the least that a journey costs on each day around its date of departure.

        It is the price of the cheapest offer that a search for that day finds, null where it finds none; the
        return stays on its day. Days that have passed or are not on sale yet are left out; all are where the
        seller of flights tells no fares by day.
        """
        query = FlightQuery(
            origins=_sorted_codes(origins),
            destinations=_sorted_codes(destinations),
            departure_date=departure_date,
            return_date=return_date,
            passengers=passengers,
            cabin_class=cabin_class,
            max_stops=max_stops,
            max_price=None if max_price is None else Money(amount=max_price, currency=currency),
        )
        found = await desk.around(query, days=days, request=request) if desk is not None else ()
        return json_response(FaresAnswer(days=[_day_view(each) for each in found]))

    return router


def _day_view(fare: DayFare) -> DayFareView:
    lowest = money_view(fare.price_total) if fare.price_total else None
    return {"date": fare.date.isoformat(), "price_total": lowest}


def _sorted_codes(codes: str) -> tuple[str, ...]:
    return tuple(sorted(set(codes.upper().split(","))))
