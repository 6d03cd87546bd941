"""What a user holds and has booked, over HTTP."""

import asyncio

import pytest

from backend.domain.errors import ProviderError
from backend.travel.routes import travel_schemas
from backend.travel.routes.bookings import ANSWERED_WITHIN_S, MOST_BOOKINGS, bookings_router
from tests.agents.booking_guest import FLIGHTS, HOTELS, NOON, a_house
from tests.api.live import BOUND_S, answer, refusal


@pytest.fixture
async def house(tmp_path):
    async with a_house(tmp_path) as guests:
        yield guests


async def bookings(house, user_id):
    found = await house.call("GET", f"/bookings/{user_id}")
    return answer(found, 200, travel_schemas.BookingsAnswer)["bookings"]


async def test_a_hold_is_told_until_when_it_is_held_and_then_as_expired(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "hold the cheapest flight")
    (held,) = await bookings(house, "ann")
    assert (held["reference"], held["kind"], held["state"]) == (reference, "hold", "held")
    assert held["expires_at"] == "2026-11-20T12:20:00.000Z"
    assert (held["cancellable"], held["demo"], held["refund"]) == (True, True, None)
    assert held["title"].endswith("on Fri 4 December 2026")
    assert held["price_total"] == held["offer"]["price_total"]
    house.later(minutes=21)
    (expired,) = await bookings(house, "ann")
    assert (expired["kind"], expired["state"]) == ("hold", "expired")
    assert (expired["expires_at"], expired["cancellable"]) == (None, False)


async def test_bookings_are_told_latest_first_with_what_became_of_them(house):
    await house.say("ann", FLIGHTS)
    flight = await house.book("ann", "book the cheapest flight")
    house.later(minutes=1)
    await house.say("ann", HOTELS)
    hotel = await house.book("ann", "book the cheapest hotel")
    assert [(each["reference"], each["kind"]) for each in await bookings(house, "ann")] == [
        (hotel, "hotel"),
        (flight, "flight"),
    ]
    await house.say("ann", f"cancel {hotel}")
    await house.decide("ann", "allow")
    cancelled, booked = await bookings(house, "ann")
    assert (cancelled["state"], cancelled["cancellable"]) == ("cancelled", False)
    assert cancelled["refund"]["currency"] == "EUR"
    assert (booked["state"], booked["cancellable"], booked["expires_at"]) == ("booked", True, None)


async def test_what_has_begun_can_no_longer_be_cancelled(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "book the cheapest flight")
    await house.say("ann", HOTELS)
    await house.book("ann", "book the cheapest hotel")
    house.later(days=15, hours=23)
    assert [each["cancellable"] for each in await bookings(house, "ann")] == [False, False]


async def test_a_user_sees_no_bookings_of_another(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "book the cheapest flight")
    await house.say("bob", "hello")
    assert await bookings(house, "bob") == []


async def test_an_unknown_user_and_a_graph_that_books_nothing_are_told_so(house, api):
    refusal(await house.call("GET", "/bookings/nobody"), 404, "unknown_user")
    refusal(await house.call("GET", "/bookings/a b"), 422, "bad_input")
    await api.chat("ada", "find 1")
    refusal(await api.call("GET", "/bookings/ada"), 404, "not_found")


async def test_they_are_told_while_something_is_being_booked(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest flight")
    office = house.detour._plugin.workflow._provider.bookings
    office._pace = 0.5
    body = {"request_id": (await house.asked("ann"))["request_id"], "decision": "allow"}
    assert (await house.call("POST", "/answer/ann", json=body)).status_code == 202
    async with asyncio.timeout(BOUND_S):
        while not office._under_way:  # noqa: ASYNC110
            await asyncio.sleep(0)
    assert await bookings(house, "ann") == []
    assert office._under_way


class Office:
    """Has many bookings, or never answers."""

    def __init__(self, found=None):
        self.found = found

    async def bookings(self, _user_id):
        return self.found if self.found is not None else await asyncio.Event().wait()


class Known:
    async def position(self, _user_id):
        return "somewhere"


def told(office):
    router = bookings_router(office, store=Known(), clock=lambda: NOON)
    return router.routes[0].endpoint("ann")


@pytest.mark.virtual_time
async def test_a_provider_that_does_not_answer_is_not_waited_for():
    began = asyncio.get_running_loop().time()
    with pytest.raises(ProviderError, match="in time"):
        await told(Office())
    assert asyncio.get_running_loop().time() - began == ANSWERED_WITHIN_S


async def test_only_the_latest_are_told_of_very_many(house):
    await house.say("ann", FLIGHTS)
    await house.book("ann", "hold the cheapest flight")
    (held,) = await house.detour._plugin.workflow._provider.bookings.bookings("ann")
    response = await told(Office([held] * (MOST_BOOKINGS + 1)))
    assert response.body.count(held.reference.encode()) == MOST_BOOKINGS
