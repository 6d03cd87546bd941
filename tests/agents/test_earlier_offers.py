"""Offers of earlier requests: booked as quoted anew, without a search, with few reads of the store."""

import re
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest

from backend.domain.errors import StoreUnavailable
from backend.store.sqlite.memory import MemoryStateStore
from backend.tasks.workflow import Situation
from backend.travel.agents.choosing import CANNOT_LOOK, earlier_offer
from backend.travel.agents.writes import nearest_left
from backend.travel.read_in_situation import read_in_situation
from backend.travel.stored_requests import KeptRequests, SpokenOf, UnderstoodRequest, understanding_in
from tests.agents.booking_guest import FLIGHTS, HOTELS, a_house, total
from tests.agents.sources import a_flight
from tests.frontend.saying import said
from tests.inventory import lend_inventory
from tests.records import ANN, a_partial, a_task
from tests.understanding.conversation import told

PARIS = "actually, make it Paris"
SHOWN = "Book the flight Amberwing Demo 253 on 10 December 2026 at 09:05."


def click(offer):
    [sentence] = said([("bookHotel" if "check_in" in offer else "bookFlight", [offer])])
    return sentence


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_hotel_of_an_earlier_request_is_booked_beside_a_search_for_flights(house):
    await house.say("ann", HOTELS)
    offer = (await house.found("ann", "hotel"))[2]
    await house.say("ann", FLIGHTS)
    flights = await house.found("ann", "flight")
    await house.say("ann", click(offer))
    asked = await house.asked("ann")
    assert (asked["tool"], offer["name"] in asked["facts"]["What"]) == ("book_hotel", True)
    assert await house.found("ann", "flight") == flights, "what is searched for now is still on the board"
    assert set((await house.status("ann"))["agents"]) == {"flight", "booking"}
    assert (await house.decide("ann", "allow")).startswith("Booked as DEMO-")


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_price_that_has_changed_since_is_told_before_it_is_allowed(house):
    await house.say("ann", FLIGHTS)
    offer = (await house.found("ann", "flight"))[0]
    await house.say("ann", PARIS)
    house.later(days=1)
    prompt = await house.say("ann", click(offer))
    asked = await house.asked("ann")
    assert prompt.startswith(f"That has changed since it was found ({total(offer)}). Shall I book ")
    assert asked["facts"]["Total when found"] == total(offer)
    assert asked["facts"]["Total"] != total(offer)
    assert asked["facts"]["Total"] in await house.decide("ann", "allow")


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_sold_out_offer_is_answered_with_the_nearest_that_is_left(house):
    await house.say("ann", FLIGHTS)
    gone = (await house.found("ann", "flight"))[0]
    await house.say("ann", PARIS)
    for each in range(9):
        await house.say(f"guest-{each}", FLIGHTS)
        if gone["offer_id"] not in {
            offer["offer_id"] for offer in await house.found(f"guest-{each}", "flight")
        }:
            break
        await house.book(f"guest-{each}", click(gone))
    else:
        raise AssertionError("there is no end of seats")
    reply = await house.say("ann", click(gone))
    assert reply.startswith("I could not book that. That is sold out by now.")
    [left] = re.findall(r"The nearest that is left is (the flight .+?) for (€[\d,.]+\d)\.", reply)
    assert (await house.status("ann"))["input_request"] is None
    await house.say("ann", f"Book {left[0]}.")
    assert (await house.asked("ann"))["facts"]["Total"] == left[1]


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("book the second New York flight", 1),
        ("book the cheapest one from before", 0),
        ("reserve the third flight you found before", 2),
    ],
)
async def test_earlier_offer_is_booked_by_words(house, words, place):
    await house.say("ann", FLIGHTS)
    offers = await house.found("ann", "flight")
    await house.say("ann", PARIS)
    await house.say("ann", words)
    asked = await house.asked("ann")
    assert asked["facts"]["Total"] == total(offers[place])
    first = offers[place]["slices"][0]["segments"][0]
    assert f"{first['carrier_name']} {first['number']}" in asked["facts"]["What"]


@pytest.mark.parametrize("words", ["book the cheapest", "book the cheapest Paris flight"])
async def test_words_about_the_current_search_mean_its_offers(house, words):
    await house.say("ann", FLIGHTS)
    assert "I have no offers from before" in await house.say("ann", "book the cheapest one from before")
    await house.say("ann", PARIS)
    offers = await house.found("ann", "flight")
    await house.say("ann", words)
    assert (await house.asked("ann"))["facts"]["Total"] == total(offers[0])


async def test_offer_of_an_earlier_request_is_booked_after_a_restart(tmp_path):
    lend_inventory(tmp_path)
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", FLIGHTS)
        offer = (await guests.found("ann", "flight"))[1]
        await guests.say("ann", PARIS)
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", click(offer))
        assert (await guests.asked("ann"))["facts"]["Total"] == total(offer)


def test_trip_told_beside_what_is_not_looked_up_serves_the_flight_asked_for_next():
    beside = UnderstoodRequest(told("do you also book trains? Vienna to Prague on the 12th"))
    reading = read_in_situation(
        "flight then", Situation(previous=None, beside=beside), today=date(2026, 11, 20)
    )
    flight = understanding_in(reading.request).flight
    ends = [place.city.name for place in (flight.origin, flight.destination)]
    assert (ends, flight.departure_date) == (["Vienna", "Prague"], date(2026, 12, 12))


@pytest.mark.parametrize(
    ("stopped", "said", "agents"),
    [
        (("flights from Berlin to Rome on 10 December",), SHOWN, ()),
        (("flights from Berlin to Rome on 10 December and a hotel",), SHOWN, ()),
        (("flights from Berlin to Rome on 10 December",), "book the cheapest one from before", ()),
        (("a hotel in Rome from 10 to 12 December",), SHOWN, ()),
        (("flights from Berlin to Rome on 10 December",), "book the cheapest", ("flight",)),
        (("flights from Berlin to Rome on 10 December",), f"{SHOWN} And find me a hotel there.", ("hotel",)),
        (("flights from Berlin to Rome on 10 December",), "the flights to Rome on 11 December", ("flight",)),
    ],
)
def test_booking_from_what_was_kept_starts_no_search_that_was_stopped(stopped, said, agents):
    before = UnderstoodRequest(told(*stopped))
    reading = read_in_situation(
        said,
        Situation(previous=before, unfinished=True, stopped=True),
        today=date(2026, 11, 26),
    )
    assert understanding_in(reading.request).agents == agents


async def test_offer_of_another_user_is_not_booked(house):
    await house.say("bob", FLIGHTS)
    offer = (await house.found("bob", "flight"))[0]
    await house.say("ann", HOTELS)
    assert "There is no flight to choose from." in await house.say("ann", click(offer))


NOW = "flights from Berlin to Paris on 10 December"


CITIES = ("Tokyo", "Rome", "Oslo", "Madrid", "Lisbon")


class CountingStore(MemoryStateStore):
    """Counts the reads of a user's tasks and of what belongs to them; all fail once it `is_down`."""

    reads = 0
    is_down = False

    def _count(self) -> None:
        self.reads += 1
        if self.is_down:
            raise StoreUnavailable("The disk is gone.")

    async def recent_tasks(self, user_id: str, *, limit: int) -> Any:
        self._count()
        return await super().recent_tasks(user_id, limit=limit)

    async def get_task_metadata(self, user_id: str, task_id: str) -> Any:
        self._count()
        return await super().get_task_metadata(user_id, task_id)

    async def get_partials(self, user_id: str, turn: int) -> Any:
        self._count()
        return await super().get_partials(user_id, turn)

    async def get_tool_calls(self, user_id: str, turn: int) -> Any:
        self._count()
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
        ("book the cheapest", None, 0),
        ("book the cheapest Lisbon one", "49.00", 3),
        ("book the cheapest one from before", "50.00", 3),
    ],
)
async def test_name_is_looked_for_only_among_requests_to_a_city_of_that_name(
    store: CountingStore, said: str, price: str | None, reads: int
) -> None:
    found = await earlier_offer(run_of(store, said))
    item = found["item"] if found else None
    assert (item["price_total"]["amount"] if item else None, store.reads) == (price, reads)


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
@pytest.mark.parametrize(
    ("said", "why_none"),
    [("book the cheapest Lisbon one", None), ("book the cheapest one from before", CANNOT_LOOK)],
)
async def test_unreadable_store_does_not_fail_a_wish_to_book(
    store: CountingStore, said: str, why_none: str | None
) -> None:
    store.is_down = True
    found = await earlier_offer(run_of(store, said))
    assert (found["why_none"] if found else None) == why_none


@pytest.mark.requirement("KEPT-OFFERS-ARE-BOOKED")
async def test_unreadable_store_does_not_hide_how_a_booking_has_ended(
    store: CountingStore,
) -> None:
    run = run_of(store, "book the cheapest Lisbon one")
    gone = await earlier_offer(run)
    assert gone is not None
    store.is_down = True
    assert await nearest_left(run, gone) == ""
