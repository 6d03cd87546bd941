"""Detour whose tools search and book at real sellers' services, of which stand-ins run beside the runner.

The stand-ins are those of the tests, and keep to the runner's world: a search has found one thing, and the
next part of it waits at the gate `search`; a room that is ordered is taken, and the answer waits at `order`.
So the table is the same as for tools of the kit's own. Whose request it is says a header.
"""

import asyncio
import json
import os
from contextlib import AsyncExitStack
from dataclasses import asdict

from checks.conformance.adapter import Detour
from checks.conformance.gates import CONFORMANCE_WORLD, order, wait_at
from checks.conformance.sellers_graph import CONFORMANCE_SELLERS, GATE, USER, Addresses
from tests.fakes.duffel import Duffel
from tests.fakes.duffel_offers import Flight
from tests.fakes.liteapi import LiteApi
from tests.fakes.service import Answer, Request, Stream, route


class GatedDuffel(Duffel):
    """Tells one flight at once, and another one past the gate."""

    def __init__(self) -> None:
        super().__init__(held=True)
        self.script("BER", "ROM", [[Flight("120.00")], [Flight("99.00")]])
        self._begun = set[str]()

    @route("GET /air/batch_offer_requests/{id}")
    async def read_batches(self, request: Request) -> Answer | Stream:
        """Wait at the gate with each read but a search's first."""
        [search] = [each for each in self.searches if each.query["id"] == request.ids[0]]
        if request.ids[0] in self._begun:
            await wait_at(request.headers[USER], "search")
            search.release()
        else:
            self._begun.add(request.ids[0])
            search.release(1)
        return await super().read_batches(request)


class GatedLiteApi(LiteApi):
    """Takes an order at once, and confirms it past the gate."""

    @route("POST /rates/prebook", host=1)
    async def prebook(self, request: Request) -> Answer | Stream:
        """Wait at a gate where the request names one."""
        if gate := request.headers.get(GATE):
            await wait_at(request.headers[USER], gate)
        return await super().prebook(request)

    @route("POST /rates/book", writes=True, host=1)
    async def book(self, request: Request) -> Answer | Stream:
        """Book, and wait at the gate as long as somebody waits for the answer."""
        before = {*self.bookings}
        answer = await super().book(request)
        (taken,) = self.bookings.keys() - before
        async with asyncio.TaskGroup() as group:
            at_gate = group.create_task(order(request.headers[USER], taken))
            gone = group.create_task(request.exchange.ended.wait())
            await asyncio.wait([at_gate, gone], return_when=asyncio.FIRST_COMPLETED)
            at_gate.cancel()
            gone.cancel()
        return answer


class WithSellers(Detour):
    """A `Server`, to which all of the table applies."""

    described = f"{Detour.described}, over stand-ins of Duffel and LiteAPI"

    def __init__(self) -> None:
        super().__init__("checks.conformance.sellers_graph:graph")
        self._sellers = AsyncExitStack()

    async def start(self, world: str) -> None:
        """Start it, the first time with its sellers."""
        if CONFORMANCE_SELLERS not in self._world:
            os.environ[CONFORMANCE_WORLD] = world  # for the stand-ins, which come to the same gates
            self._sellers.callback(os.environ.pop, CONFORMANCE_WORLD)
            duffel = await self._sellers.enter_async_context(GatedDuffel())
            liteapi = await self._sellers.enter_async_context(GatedLiteApi())
            addresses = Addresses(
                duffel=duffel.url,
                token=duffel.token,
                liteapi=liteapi.url,
                booking=liteapi.book_url,
                key=liteapi.key,
                folder=self._folder.name,
            )
            self._world[CONFORMANCE_SELLERS] = json.dumps(asdict(addresses))
        await super().start(world)

    async def close(self) -> None:
        """End it and its sellers."""
        await super().close()
        await self._sellers.aclose()
