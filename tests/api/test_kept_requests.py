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


async def test_a_title_tells_limits_apart(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "only direct ones under 900 euros")
    narrowed, first = await kept(house, "ann")
    assert narrowed["title"] == f"{first['title']}, nonstop, up to €900"


async def test_a_request_is_told_with_what_it_goes_on_from_and_its_cheapest_offers(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "actually, make it Paris")
    paris, first = await kept(house, "ann")
    assert (paris["from_task_id"], paris["relation"]) == (first["task_id"], "refine")
    assert (first["from_task_id"], first["relation"]) == (None, "new")
    found = (await offers(house, "ann", first["task_id"]))["offers"]["flight"]
    least = min(found, key=lambda offer: float(offer["price_total"]["amount"]))
    assert first["cheapest"] == {"flight": least["price_total"]}
    assert first["requests"]["flight"]["destination"]["label"] == "New York, New York, US"


async def test_a_request_that_was_made_again_is_listed_once(house):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert len(await kept(house, "ann")) == 1


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_the_fates_of_what_was_found_before_are_told_after_a_restart(tmp_path):
    async with a_house(tmp_path, store="sqlite") as guests:
        await guests.say("ann", FLIGHTS)
        before = await guests.partial_results("ann")
        assert "results_sorted" not in before
        await guests.say("ann", "only direct ones")
        told = (await guests.partial_results("ann"))["results_sorted"]
    async with a_house(tmp_path, store="sqlite") as guests:
        after = await guests.partial_results("ann")
        assert after["results_sorted"] == told
    assert told["from_task_id"] == before["task_id"]
    sorted_ = told["results"]["flight"]
    assert sorted((*sorted_["stays"], *sorted_["goes"])) == list(
        range(len(before["partial_results"]["flight"]))
    )
    stays = [before["partial_results"]["flight"][at]["offer_id"] for at in sorted_["stays"]]
    assert set(stays) <= {offer["offer_id"] for offer in after["partial_results"]["flight"]}
