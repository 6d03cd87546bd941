"""Messages that narrow or widen a request: what was found is used, and sources are asked for the rest."""

import asyncio
from dataclasses import replace
from datetime import time

import pytest

from backend.travel.providers.base import CutShort
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.disk import DiskStore
from tests.interruption.parts import Parts

pytestmark = pytest.mark.virtual_time

TOKYO = "Find flights from Berlin to Tokyo on 10 December"
DIRECT = "only direct ones"
NONSTOP = ["f590.00", "f610.00"]


class Ann:
    """User ann of a server with a source of flights, two of them nonstop, and one of hotels."""

    def __init__(self, *last, store=None):
        self.flights = Source(
            "one",
            [a_flight("590.00"), a_flight("600.00", stops=1)],
            [a_flight("610.00"), a_flight("620.00", stops=2)],
            *last,
        )
        self.hotels = Source("chains", [a_hotel("120.00"), a_hotel("90.00", stars=3)])
        provider = Provider([self.flights], [self.hotels])
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY), store=store
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


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_the_fates_are_told_in_the_moment_in_which_the_first_offers_are_shown():
    ann = Ann(store=DiskStore())
    await ann.parts.open()
    await ann.say(TOKYO)
    narrowed = await ann.say(DIRECT)
    told = [event for event in await ann.parts.events() if event["task_id"] == narrowed]
    first = next(event for event in told if event["type"] == "partial_result")
    assert (await ann.sorted(narrowed))["at"] == first["at"]
    await ann.parts.close()


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


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("only with Linden", ["f590.00"]),
        ("no Pogo please", ["f590.00"]),
        ("Linden or Pogo", ["f590.00", "f600.00"]),
        ("anything but Linden", ["f600.00"]),
    ],
)
async def test_flights_are_narrowed_by_their_airlines(said, shown):
    ann = Ann()
    ann.flights.batches = ([a_flight("590.00", "Linden Demo"), a_flight("600.00", "Pogo Demo", stops=1)],)
    await ann.parts.open()
    await ann.say(TOKYO)
    assert await ann.shown(await ann.say(said)) == shown
    assert len(ann.flights.asked) == 1
    await ann.parts.close()


async def test_the_reply_names_the_airlines_there_are_where_none_is_the_one_that_is_wanted(ann):
    await ann.say(TOKYO)
    narrowed = await ann.say("with Lufthansa only")
    assert await ann.shown(narrowed) == []
    assert (
        "I found no flights for that: with Lufthansa only. I went through 4 flights, by Aurora Demo."
        in await ann.reply()
    )
    assert len(await ann.shown(await ann.say("any airline is fine"))) == 4
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("with a pool", ["h120.00"]),
        ("with free cancellation", ["h90.00"]),
        ("within 1 km of the centre", ["h90.00"]),
        ("not in Shinjuku", ["h90.00"]),
        ("not the Heron", ["h90.00"]),
        ("it should have a pool and free cancellation", []),
    ],
)
async def test_hotels_are_narrowed_by_what_was_found_of_them(said, shown):
    ann = Ann()
    there = replace(a_hotel("120.00"), amenities=("wifi", "pool"), distance_km=2.5)
    cheap = replace(
        a_hotel("90.00", "Otter Demo", stars=3),
        district="Asakusa",
        distance_km=0.8,
        free_cancellation_until=TODAY,
    )
    ann.hotels.batches = ([there, cheap],)
    await ann.parts.open()
    await ann.say("Hotels in Tokyo from 10 to 12 December")
    assert await ann.shown(await ann.say(said), "hotel") == shown
    assert len(ann.hotels.asked) == 1
    await ann.parts.close()


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("with a checked bag", ["f600.00"]),
        ("at most 5 hours", ["f590.00"]),
        ("refundable please", ["f600.00"]),
        ("600 euros in all", ["f590.00", "f600.00"]),
        ("hand luggage only", ["f590.00", "f600.00"]),
        ("I'd like a window seat", ["f590.00", "f600.00"]),
    ],
)
async def test_flights_are_narrowed_by_what_was_found_of_them(said, shown):
    ann = Ann()
    short = replace(a_flight("590.00"), checked_bags=0)
    short = replace(short, slices=(replace(short.slices[0], duration_minutes=280),))
    ann.flights.batches = ([short, replace(a_flight("600.00"), refundable=True)],)
    await ann.parts.open()
    await ann.say(TOKYO)
    assert await ann.shown(await ann.say(said)) == shown
    assert len(ann.flights.asked) == 1
    await ann.parts.close()


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "field", "asked"),
    [
        ("leaving before 8 am", "departs_before", time(8)),
        ("with a checked bag", "bags", 1),
        ("only with Linden", "airlines", ("Linden Demo",)),
        ("refundable please", "refundable", True),
        ("layovers of at most 2 hours", "max_layover", 120),
    ],
)
async def test_sources_that_had_cut_off_some_are_asked_for_what_fits_now(said, field, asked):
    ann = Ann(CutShort())
    await ann.parts.open()
    await ann.say(TOKYO)
    await ann.say(said)
    assert getattr(ann.flights.asked[0], field) is None
    assert getattr(ann.flights.asked[1], field) == asked
    await ann.parts.close()


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_sources_that_had_told_all_are_not_asked_again(ann):
    await ann.say(TOKYO)
    await ann.say("only with Linden")
    assert len(ann.flights.asked) == 1


class Choosy(Source):
    """A source that honours a limit to airlines: there are no others than Aurora Demo."""

    async def search(self, query):
        batches, self.batches = self.batches, () if query.airlines else self.batches
        async for batch in super().search(query):
            yield batch
        self.batches = batches


async def test_the_reply_tells_what_there_is_where_a_source_has_nothing_within_the_limit():
    ann = Ann()
    ann.flights = Choosy("one", *ann.flights.batches)
    provider = Provider([ann.flights], [ann.hotels])
    ann.parts = Parts(workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY))
    await ann.parts.open()
    task = await ann.say(f"{TOKYO} with Lufthansa")
    assert await ann.shown(task) == []
    assert [query.airlines for query in ann.flights.asked] == [("Lufthansa",), None]
    assert "with Lufthansa only. I went through 4 flights, by Aurora Demo." in await ann.reply()
    await ann.parts.close()


async def test_the_reply_says_among_how_many_nothing_fits_where_sources_have_more():
    ann = Ann(CutShort())
    await ann.parts.open()
    await ann.say(TOKYO)
    await ann.say("with Lufthansa only")
    assert (
        "with Lufthansa only. That is among the 4 flights I looked through, by Aurora Demo; "
        "the sources have more, which I could not look through."
    ) in await ann.reply()
    await ann.parts.close()
