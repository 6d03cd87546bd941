"""Searches Duffel for flights in batches: each read of a request waits for what airlines have answered since.

A request is kept for a minute, and its offers for longer. So a search whose process died is read on, and one
of which a read was lost lists its offers in the end: no read tells an offer twice. Nothing has to be undone
at Duffel where a search is closed.
"""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import structlog

from ....domain.errors import ProviderError
from ...values.travel import FlightOffer, FlightQuery
from ..base import CutShort, Notice
from ..begun_searches import BegunSearches
from ..service import Busy, Service, ServiceError, mapped
from .offers import SOURCE, asked, check_party, offers_in

AIRLINES_MS = 20_000
"""For how long Duffel waits for an airline, of 2,000 to 60,000."""

READ_S = 25.0
SEARCH_S = 55.0
"""A search in all, whoever is waited for."""

LISTING_S = 10.0
"""Of these for the list: reads end before. Airlines have answered by then, after `AIRLINES_MS`."""

UNREADABLE = f"{SOURCE} answered what cannot be read."

PAUSE_S = 0.25
"""Between two reads, at least."""

_MOST_LISTED = 500
_PAGE = 200
_AT_ONCE = 25
"""Offers read at a time: some 3 ms, between which others have their turn."""

_log = structlog.get_logger(__name__)


class DuffelFlights:
    """A `Source` of flights."""

    name = SOURCE
    prices_by_age = True

    def __init__(self, service: Service, begun: BegunSearches) -> None:
        self._service = service
        self._begun = begun

    async def search(self, query: FlightQuery, user_id: str) -> AsyncGenerator[Sequence[FlightOffer]]:
        """Yield offers as airlines answer. See `Source`. Closing it closes a read that waits."""
        check_party(query.passengers, query.children or ())
        by = asyncio.get_running_loop().time() + SEARCH_S
        request_id = await self._begun.take(user_id, query)
        while request_id is None:
            async for notice in self._service.turn(by):
                yield notice
            with contextlib.suppress(Busy):  # then it is its turn later, or never
                request_id = await self._ask(query, by)
        await self._begun.begin(user_id, query, request_id)
        try:
            seen, has_all = set[str](), False
            async for read in self._reads(request_id, by - LISTING_S):
                if isinstance(read, Notice):
                    yield read
                    continue
                async for offers in _new_in(read.get("offers"), query, seen):
                    yield offers
                has_all = read.get("remaining_batches") == 0
            if not has_all:
                async for batch in self._listed(request_id, by):
                    async for offers in _new_in(batch, query, seen):
                        yield offers
                    if len(seen) >= _MOST_LISTED:
                        yield CutShort()
                        break
        finally:
            await self._begun.end(user_id, query)

    async def _ask(self, query: FlightQuery, by: float) -> str:
        answer = await self._service.call(
            "POST",
            "/air/batch_offer_requests",
            params={"supplier_timeout": AIRLINES_MS},
            body={"data": asked(query)},
            within_s=self._service.within(READ_S, by),
        )
        request_id = _data(answer).get("id")
        if not isinstance(request_id, str):
            raise ServiceError(UNREADABLE, fault="unreadable")
        return request_id

    async def _reads(self, request_id: str, by: float) -> AsyncGenerator[Mapping[str, Any] | Notice]:
        """Yield what each read brings until nothing remains; it ends early where reads fail."""
        loop = asyncio.get_running_loop()
        while (began := loop.time()) < by:
            try:
                answer = await self._service.call(
                    "GET",
                    f"/air/batch_offer_requests/{request_id}",
                    within_s=self._service.within(READ_S, by),
                )
            except Busy:
                async for notice in self._service.turn(by):
                    yield notice
                continue
            except ProviderError as error:
                _log.info("a batch of offers was not read", reason=error.message)
                return  # what it had told is in the list
            read = _data(answer)
            yield read
            if not isinstance(left := read.get("remaining_batches"), int) or left <= 0:
                return
            await asyncio.sleep(max(0.0, PAUSE_S - (loop.time() - began)))

    async def _listed(self, request_id: str, by: float) -> AsyncGenerator[Any]:
        """Yield the pages of all offers of a request, the cheapest first."""
        params: dict[str, str | int] = {
            "offer_request_id": request_id, "sort": "total_amount", "limit": _PAGE,
        }  # fmt: skip
        while True:
            within_s = self._service.within(READ_S, by)
            answer: Any = await self._service.call("GET", "/air/offers", params=params, within_s=within_s)
            yield answer["data"]
            meta = mapped(answer.get("meta"))
            if not meta.get("after"):
                return
            params["after"] = meta["after"]


async def _new_in(told: Any, query: FlightQuery, seen: set[str]) -> AsyncGenerator[Sequence[FlightOffer]]:
    found = list[FlightOffer]()
    for count, offer in enumerate(offers_in(told, query), start=1):
        if offer.offer_id not in seen:
            seen.add(offer.offer_id)
            found.append(offer)
        if count % _AT_ONCE == 0:
            await asyncio.sleep(0)
    if found:
        yield found


def _data(answer: Any) -> Mapping[str, Any]:
    data = mapped(mapped(answer).get("data"))
    if not data:
        raise ServiceError(UNREADABLE, fault="unreadable")
    return data


def fault_of(answer: Any) -> str:
    """Return Duffel's code for what went wrong."""
    return answer["errors"][0]["code"]
