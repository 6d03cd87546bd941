"""Sources of flights and hotels that do as they are told, and one task to search for."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from backend.domain.context import InterruptedContext
from backend.domain.errors import NotOnSale, ProviderError
from backend.store.event_bus import EventBus
from backend.store.event_log import EventLog
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.ledger.ledger import Ledger
from backend.tasks.task_context import TaskContext, TaskRuntime
from backend.tasks.task_owner import TaskOwner
from backend.tasks.workflow import Situation
from backend.travel.values.travel import FlightOffer, FlightSegment, FlightSlice, HotelOffer, Money
from backend.travel.workflow import TravelWorkflow
from tests.records import AT, a_task

TODAY = date(2026, 11, 20)


def a_flight(price: str, carrier: str = "Aurora Demo", *, stops: int = 0) -> FlightOffer:
    """An offer of a flight one way."""
    segment = FlightSegment(
        carrier="demo-aurora",
        carrier_name=carrier,
        number="1",
        origin="BER",
        destination="HND",
        departs_at=AT,
        arrives_at=AT,
        duration_minutes=700,
        aircraft="wide-body jet",
    )
    money = Money(amount=Decimal(price))
    return FlightOffer(
        offer_id=f"f{price}",
        provider="scripted",
        source="one",
        live=False,
        slices=(FlightSlice(segments=(segment,) * (stops + 1), duration_minutes=700),),
        passengers=1,
        cabin_class="economy",
        price_total=money,
        price_per_person=money,
        checked_bags=1,
        refundable=False,
        changeable=True,
    )


def a_hotel(price: str, name: str = "Heron Demo", *, stars: int = 4) -> HotelOffer:
    """An offer of one night."""
    money = Money(amount=Decimal(price))
    return HotelOffer(
        offer_id=f"h{price}",
        provider="scripted",
        source="one",
        live=False,
        name=name,
        city="Tokyo",
        country="JP",
        district="Shinjuku",
        latitude=35.7,
        longitude=139.7,
        distance_km=1.0,
        stars=stars,
        score=8.5,
        amenities=(),
        check_in=date(2026, 12, 10),
        check_out=date(2026, 12, 11),
        rooms=1,
        guests=1,
        price_total=money,
        price_per_night=money,
        free_cancellation_until=None,
    )


class Source:
    """Yields `batches`, then does as told: "end", "fail", "break", "hang", or "refuse: " and a sentence.

    `closed` tells that its search was over, `asked` what it was searched by.
    """

    prices_by_age = False

    def __init__(self, name: str, *batches: Sequence[Any], then: str = "end") -> None:
        self.name = name
        self.batches = batches
        self.then = then
        self.closed = False
        self.asked: list[Any] = []

    async def search(self, query: Any, user_id: str) -> AsyncIterator[Sequence[Any]]:
        self.asked.append(query)
        try:
            for batch in self.batches:
                await asyncio.sleep(1)
                yield batch
            if self.then == "hang":
                await asyncio.Event().wait()
            if self.then == "fail":
                raise ProviderError("It is closed today.")
            if self.then.startswith("refuse: "):
                raise NotOnSale(self.then.removeprefix("refuse: "))
            if self.then == "break":
                raise ZeroDivisionError
        finally:
            self.closed = True


class ClosedOffice:
    """Where nothing can be booked."""

    name = "scripted"
    live = False
    hold_minutes = 20


class Provider:
    """An inventory of such sources."""

    name = "scripted"

    def __init__(
        self, flights: Sequence[Source], hotels: Sequence[Source] = (), cars: Sequence[Source] = ()
    ) -> None:
        self.flight_sources = flights
        self.hotel_sources = hotels
        self.car_sources = cars
        self.bookings = ClosedOffice()


class Travel:
    """The travel workflow over a provider, and the task of a message."""

    def __init__(self, provider: Provider) -> None:
        self.owner = TaskOwner()
        self.store = MemoryStateStore()
        self.log = EventLog(self.store, EventBus())
        self.ledger = Ledger(
            self.owner,
            store=self.store,
            log=self.log,
            clock=lambda: AT,
            new_id=iter(map(str, range(100))).__next__,
        )
        self.workflow = TravelWorkflow(provider, self.ledger, today=lambda: TODAY)

    def context(
        self, message: str, *, after: TaskContext | None = None, previous: InterruptedContext | None = None
    ) -> TaskContext:
        """The context of the task that this message gets, after the task of another one."""
        situation = Situation(previous=after.task.request if after else None, unfinished=previous is not None)
        reading = self.workflow.read(message, situation)
        task = a_task(message=message, relation=reading.relation, request=reading.request)
        day = timedelta(days=1)
        runtime = TaskRuntime(
            store=self.store, log=self.log, clock=lambda: AT, answer_within=day, allow_within=day
        )
        return TaskContext(task, runtime, previous=previous)

    async def reply(self, message: str, **others: Any) -> tuple[str, TaskContext]:
        """Run the task of a message; its reply and its context."""
        context = self.context(message, **others)
        return await self.workflow.run(context), context
