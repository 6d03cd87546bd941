"""Messages that narrow or widen a request: what was found is used, and sources are asked for the rest."""

import asyncio

import pytest

from backend.travel.providers.base import CutShort
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import Parts

pytestmark = pytest.mark.virtual_time

TOKYO = "Find flights from Berlin to Tokyo on 10 December"
DIRECT = "only direct ones"
NONSTOP = ["f590.00", "f610.00"]


class Ann:
    """User ann of a server with a source of flights, two of them nonstop, and one of hotels."""

    def __init__(self, *last):
        self.flights = Source(
            "one",
            [a_flight("590.00"), a_flight("600.00", stops=1)],
            [a_flight("610.00"), a_flight("620.00", stops=2)],
            *last,
        )
        self.hotels = Source("chains", [a_hotel("120.00"), a_hotel("90.00", stars=3)])
        provider = Provider([self.flights], [self.hotels])
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY)
        )

    async def say(self, message, *, then_wait_s=None):
        """Say something, and wait; return the task's id."""
        task_id = await self.parts.post(message)
        if then_wait_s is None:
            await self.parts.quiet()
        else:
            await asyncio.sleep(then_wait_s)
        return task_id

    async def shown(self, task_id, agent="flight"):
        """The ids of the offers that a task has shown, in order."""
        return [
            item["offer_id"]
            for event in await self.parts.events()
            if event["type"] == "partial_result" and (event["task_id"], event["agent"]) == (task_id, agent)
            for item in event["items"]
        ]

    async def sorted(self, task_id):
        """What a task made of the results of the one before it."""
        [event] = [
            event
            for event in await self.parts.events()
            if event["type"] == "results_sorted" and event["task_id"] == task_id
        ]
        return event

    async def reply(self):
        return (await self.parts.history())[-1][1]


@pytest.fixture
async def ann():
    ann = Ann()
    await ann.parts.open()
    yield ann
    await ann.parts.close()


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_a_change_that_only_narrows_is_answered_at_once_from_what_was_found(ann):
    await ann.say(TOKYO)
    before = asyncio.get_running_loop().time()
    narrowed = await ann.say(DIRECT)
    assert asyncio.get_running_loop().time() - before < 0.1
    assert await ann.shown(narrowed) == NONSTOP
    assert len(ann.flights.asked) == 1
    assert "2 flights" in await ann.reply()


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_each_offer_of_a_finished_search_is_told_to_stay_or_to_go(ann):
    found = await ann.say(TOKYO)
    event = await ann.sorted(await ann.say(DIRECT))
    assert event["from_task_id"] == found
    assert event["results"] == {"flight": {"stays": [0, 2], "waits": [], "goes": [1, 3]}}


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_a_search_that_still_runs_goes_on_for_a_change_that_only_narrows(ann):
    await ann.say(TOKYO, then_wait_s=1.5)
    narrowed = await ann.say(DIRECT, then_wait_s=0.1)
    assert await ann.shown(narrowed) == NONSTOP[:1]
    await ann.parts.quiet()
    assert await ann.shown(narrowed) == NONSTOP
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE", "FOUND-IS-KEPT")
async def test_the_receipt_of_an_interrupted_task_counts_what_stays_and_what_goes(ann):
    interrupted = await ann.say(TOKYO, then_wait_s=1.5)
    await ann.say(DIRECT)
    receipt = await ann.parts.receipt(interrupted)
    assert receipt["partial_results"] == {"flight": 2}
    assert receipt["sorted_results"] == {"flight": {"stays": 1, "waits": 0, "goes": 1}}


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_what_was_left_out_comes_back_at_once_when_the_limit_is_taken_away(ann):
    await ann.say(TOKYO)
    await ann.say(DIRECT)
    widened = await ann.say("any number of stops is fine")
    assert len(await ann.shown(widened)) == 4
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_a_search_that_was_narrow_from_the_start_is_made_anew_when_the_limit_is_taken_away(ann):
    narrow = await ann.say(f"{TOKYO}, {DIRECT}")
    assert await ann.shown(narrow) == NONSTOP
    widened = await ann.say("any number of stops is fine")
    assert len(await ann.shown(widened)) == 4
    assert [query.max_stops for query in ann.flights.asked] == [0, None]


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_another_day_wait_to_be_found_anew(ann):
    await ann.say(TOKYO)
    event = await ann.sorted(await ann.say("make it 12 December"))
    assert event["results"] == {"flight": {"stays": [], "waits": [0, 1, 2, 3], "goes": []}}
    assert len(ann.flights.asked) == 2


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_another_place_go(ann):
    await ann.say(TOKYO)
    event = await ann.sorted(await ann.say("actually, make it Osaka"))
    assert event["results"] == {"flight": {"stays": [], "waits": [], "goes": [0, 1, 2, 3]}}


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_what_a_source_had_cut_off_is_asked_for_and_each_offer_is_shown_once():
    ann = Ann(CutShort())
    await ann.parts.open()
    await ann.say(TOKYO)
    narrowed = await ann.say(DIRECT)
    assert [query.max_stops for query in ann.flights.asked] == [None, 0]
    assert await ann.shown(narrowed) == NONSTOP
    await ann.parts.close()


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_hotels_are_narrowed_by_their_stars(ann):
    await ann.say("Hotels in Tokyo from 10 to 12 December")
    narrowed = await ann.say("at least 4 stars please")
    assert await ann.shown(narrowed, "hotel") == ["h120.00"]
    assert len(ann.hotels.asked) == 1


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_stay_that_the_message_says_nothing_of(ann):
    await ann.say("Flights from Berlin to Tokyo on 10 December, and hotels there for 2 nights")
    event = await ann.sorted(await ann.say("hotels with 4 stars only"))
    assert event["results"]["flight"] == {"stays": [0, 1, 2, 3], "waits": [], "goes": []}
    assert event["results"]["hotel"] == {"stays": [0], "waits": [], "goes": [1]}


async def test_an_agent_says_how_many_of_the_offers_that_were_found_fit(ann):
    await ann.say(TOKYO)
    narrowed = await ann.say(DIRECT)
    agents = await ann.parts.agents(narrowed)
    assert agents["flight"].detail == "2 fit of 4 flights from 1 of 1 sources"
