"""Offers of earlier requests are looked for with few reads, and no task fails because they cannot be read."""

from types import SimpleNamespace
from typing import Any

import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.memory import MemoryStateStore
from backend.travel.agents.earlier_offers import CANNOT_LOOK, earlier_offer
from backend.travel.agents.nearest_left import nearest_left
from backend.travel.kept import KeptRequests
from backend.travel.spoken_of import SpokenOf
from backend.travel.stored_requests import UnderstoodRequest
from tests.agents.sources import a_flight
from tests.records import ANN, a_partial, a_task
from tests.understanding.conversation import told

NOW = "flights from Berlin to Paris on 10 December"
CITIES = ("Tokyo", "Rome", "Oslo", "Madrid", "Lisbon")


class CountingStore(MemoryStateStore):
    """Counts the reads of a user's tasks and of what belongs to them; all fail once it `is_down`."""

    reads = 0
    is_down = False

    def _read(self) -> None:
        self.reads += 1
        if self.is_down:
            raise StoreUnavailable("The disk is gone.")

    async def recent_tasks(self, user_id: str, *, limit: int) -> Any:
        self._read()
        return await super().recent_tasks(user_id, limit=limit)

    async def get_task_metadata(self, user_id: str, task_id: str) -> Any:
        self._read()
        return await super().get_task_metadata(user_id, task_id)

    async def get_partials(self, user_id: str, turn: int) -> Any:
        self._read()
        return await super().get_partials(user_id, turn)

    async def get_tool_calls(self, user_id: str, turn: int) -> Any:
        self._read()
        return await super().get_tool_calls(user_id, turn)


@pytest.fixture
async def store() -> CountingStore:
    """A store with fifty requests of ann's to five cities in turn, each with an offer."""
    store = CountingStore()
    for turn in range(1, 51):
        understanding = told(f"flights from Berlin to {CITIES[turn % 5]} on {1 + turn % 28} January")
        await store.commit(ANN, a_task(turn=turn, request=UnderstoodRequest(understanding)))
        await store.commit(ANN, a_partial(turn, 0, a_flight(f"{turn}.00")))
    return store


def run_of(store: CountingStore, said: str) -> Any:
    """What the router may use for a message after a search of now."""
    return SimpleNamespace(
        understanding=told(NOW, said),
        kept=KeptRequests(store),
        context=SimpleNamespace(user_id="ann"),
        spoken_of=SpokenOf(),
    )


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
@pytest.mark.parametrize(
    ("said", "price", "reads"),
    [
        ("book the Hilton", None, 1),
        ("book the Lufthansa one", None, 1),
        ("book the cheapest", None, 0),
        ("book the second flight", None, 0),
        ("book the cheapest Lisbon one", "49.00", 3),
        ("book the cheapest one from before", "50.00", 3),
    ],
)
async def test_a_name_is_looked_for_among_the_requests_to_a_city_of_that_name_alone(
    store: CountingStore, said: str, price: str | None, reads: int
) -> None:
    found = await earlier_offer(run_of(store, said))
    item = found["item"] if found else None
    assert (item["price_total"]["amount"] if item else None, store.reads) == (price, reads)


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
@pytest.mark.parametrize(
    ("said", "why_none"),
    [
        ("book the Hilton", None),
        ("book the cheapest Lisbon one", None),
        ("book the cheapest one from before", CANNOT_LOOK),
    ],
)
async def test_a_store_that_cannot_be_read_does_not_fail_a_wish_to_book(
    store: CountingStore, said: str, why_none: str | None
) -> None:
    store.is_down = True
    found = await earlier_offer(run_of(store, said))
    assert (found["why_none"] if found else None) == why_none


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_a_store_that_cannot_be_read_does_not_hide_how_a_booking_has_ended(
    store: CountingStore,
) -> None:
    run = run_of(store, "book the cheapest Lisbon one")
    gone = await earlier_offer(run)
    assert gone is not None
    store.is_down = True
    assert await nearest_left(run, gone) == ""
