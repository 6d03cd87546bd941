"""Searches LiteAPI for rooms: rates arrive as server-sent events, the names of hotels after all of them.

So the hotels of the place are read first, once an hour; rates of others wait for their names. A stream that
ends without its last word is an answer with gaps. Closing a search closes the stream; there is nothing else
to undo.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any

import structlog

from ....domain.errors import ProviderError
from ...values.offers import UNTOLD
from ...values.travel import HotelOffer, HotelQuery
from ..base import CutShort, Notice
from ..service import Busy, Service, ServiceError, listed, mapped
from .offers import MOST_HOTELS, SOURCE, Hotel, asked, hotels_in, offers_of, place_of, unnamed

READ_S = 10.0
SEARCH_S = 55.0
"""A search in all, whoever is waited for."""

_NOTHING_FOUND = "2001"
_FAILED = "2013"
_KEPT_S = 3600.0
_PLACES_KEPT = 64
_AT_ONCE = 25

_log = structlog.get_logger(__name__)


class LiteapiHotels:
    """A `Source` of hotels. `live` tells whether rooms are really bought with the key."""

    name = SOURCE
    prices_by_age = True

    def __init__(self, service: Service, *, nationality: str, live: bool) -> None:
        self._service = service
        self._nationality = nationality
        self._live = live
        self._places: dict[tuple[Any, ...], tuple[float, Mapping[str, Hotel]]] = {}

    async def search(self, query: HotelQuery, user_id: str) -> AsyncGenerator[Sequence[HotelOffer]]:
        """Yield offers as rates arrive. See `Source`; closing it closes the stream."""
        body = asked(query, nationality=self._nationality)
        by = asyncio.get_running_loop().time() + SEARCH_S
        async for notice in self._service.turn(by):
            yield notice
        hotels = dict(await self._hotels(query))
        waiting: list[Mapping[str, Any]] = []
        asked_of, is_whole, seen = 0, False, set[str]()
        async for told in self._events(body, by):
            if isinstance(told, Notice):
                yield told
                continue
            hotels.update(hotels_in(told.get("hotels")))
            is_whole = is_whole or "end" in told
            rates: list[Mapping[str, Any]] = [*waiting, *listed(told.get("rates") or told.get("data"))]
            waiting = [rate for rate in rates if rate.get("hotelId") not in hotels]
            asked_of += len(rates) - len(waiting)
            async for offers in self._offers(rates, hotels.get, query, seen):
                yield offers
        async for offers in self._offers(waiting, unnamed, query, seen):
            yield offers
        if not is_whole:
            raise ServiceError(f"The answer of {SOURCE} was cut short.", fault="cut_short")
        if asked_of + len(waiting) >= MOST_HOTELS:
            yield CutShort()

    async def _offers(
        self,
        rates: Sequence[Mapping[str, Any]],
        hotel_of: Callable[[str], Hotel | None],
        query: HotelQuery,
        seen: set[str],
    ) -> AsyncGenerator[Sequence[HotelOffer]]:
        found = list[HotelOffer]()
        for count, rate in enumerate(rates, start=1):
            hotel = hotel_of(str(rate.get("hotelId")))
            for offer in offers_of(rate, hotel, query, live=self._live) if hotel is not None else ():
                if offer.offer_id not in seen:
                    seen.add(offer.offer_id)
                    found.append(offer)
            if count % _AT_ONCE == 0:
                await asyncio.sleep(0)
        if found:
            yield found

    async def _events(self, body: Mapping[str, Any], by: float) -> AsyncGenerator[Mapping[str, Any] | Notice]:
        """Yield what the stream tells, and last `{"end": True}`, unless it was cut."""
        is_asked = False
        while not is_asked:
            async for notice in self._service.turn(by):
                yield notice
            within_s = self._service.within(SEARCH_S, by)
            try:
                async with self._service.stream(
                    "POST", "/hotels/rates", body=body, within_s=within_s
                ) as response:
                    is_asked = True
                    if not response.headers.get("content-type", "").startswith("text/event-stream"):
                        answer = await self._service.read(response)
                        yield {**_of_stream(answer), "end": True}
                        return
                    async for line in self._service.lines(response):
                        said = line.removeprefix("data:").strip() if line.startswith("data:") else ""
                        if said == "[DONE]":
                            yield {"end": True}
                            return
                        if said:
                            yield _of_stream(self._service.parsed(said))
            except Busy:
                continue
            except ServiceError as error:
                if error.fault == _NOTHING_FOUND:
                    yield {"end": True}
                    return
                raise

    async def _hotels(self, query: HotelQuery) -> Mapping[str, Hotel]:
        """Return the hotels of the place by their ids; none where they cannot be read."""
        place = place_of(query)
        key, now = tuple(place.items()), asyncio.get_running_loop().time()
        read_at, known = self._places.get(key, (-_KEPT_S, {}))
        if now - read_at < _KEPT_S:
            return known
        try:
            params = {**place, "limit": MOST_HOTELS}
            answer = await self._service.call("GET", "/data/hotels", params=params, within_s=READ_S)
            known = dict(hotels_in(answer["data"]))
        except (ProviderError, *UNTOLD) as error:
            _log.info("the hotels of a place were not read", reason=str(error))
            return {}
        if len(self._places) >= _PLACES_KEPT:
            del self._places[next(iter(self._places))]
        self._places[key] = now, known
        return known


def _of_stream(told: Any) -> Mapping[str, Any]:
    """Return what an event tells; nothing found is no fault. Raises `ServiceError` for an error."""
    said = mapped(told)
    if "error" in said:
        code = fault_of(said)
        if code == _NOTHING_FOUND:
            return {}
        raise ServiceError(f"{SOURCE} refused the search.", fault=code)
    return said


def fault_of(answer: Any) -> str:
    """Return LiteAPI's code for what went wrong, and behind the one that has two meanings its description."""
    error = answer["error"]
    code = str(error["code"])
    return f"{code} {error.get('description', '')}" if code == _FAILED else code
