"""The requests of a user and their offers, over HTTP."""

import pytest

from backend.travel.routes import travel_schemas
from tests.agents.booking_guest import FLIGHTS, HOTELS, a_house
from tests.api.live import answer, refusal


@pytest.fixture
async def house(tmp_path):
    async with a_house(tmp_path) as guests:
        yield guests


async def kept(house, user_id):
    found = await house.call("GET", f"/requests/{user_id}")
    return answer(found, 200, travel_schemas.KeptRequestsAnswer)["requests"]


async def offers(house, user_id, task_id):
    found = await house.call("GET", f"/requests/{user_id}/{task_id}")
    return answer(found, 200, travel_schemas.KeptOffersAnswer)


@pytest.mark.requirement("EARLIER-REQUESTS-RETURN")
async def test_finished_requests_keep_their_offers_under_their_names(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "actually, make it Paris")
    await house.say("ann", "hello")
    paris, first = await kept(house, "ann")
    assert paris["title"].endswith("to Paris, 4 December")
    assert first["message"] == FLIGHTS
    found = await offers(house, "ann", first["task_id"])
    assert found["partial_results"] == first["partial_results"] == {"flight": len(found["offers"]["flight"])}
    assert found["found_at"] == first["found_at"]


async def test_prices_that_were_taken_over_are_as_old_as_the_search_that_found_them(house):
    await house.say("ann", FLIGHTS)
    house.later(minutes=2)
    await house.say("ann", "only direct ones")
    narrowed, first = await kept(house, "ann")
    assert narrowed["found_at"] == first["found_at"]


async def test_a_request_for_hotels_is_named_by_its_city(house):
    await house.say("ann", HOTELS)
    [request] = await kept(house, "ann")
    assert ", " in request["title"]
    assert set(request["partial_results"]) == {"hotel"}


async def test_nobody_reads_the_offers_of_another_user(house):
    await house.say("ann", FLIGHTS)
    await house.say("bob", HOTELS)
    [request] = await kept(house, "ann")
    refusal(await house.call("GET", f"/requests/bob/{request['task_id']}"), 404, "unknown_task")
    refusal(await house.call("GET", "/requests/carl"), 404, "unknown_user")


async def test_a_request_that_found_nothing_is_not_listed(house):
    await house.say("ann", "hello")
    assert await kept(house, "ann") == []
