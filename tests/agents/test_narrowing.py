"""Messages that narrow or widen a request: what was found is used, and sources are asked for the rest."""

import asyncio
from dataclasses import replace

import pytest

from backend.travel.providers.base import CutShort
from tests.agents.ann import HOTELS, TOKYO, Ann, opened
from tests.agents.sources import TODAY, Source, a_flight, a_hotel
from tests.interruption.disk import DiskStore

pytestmark = pytest.mark.virtual_time
DIRECT = "only direct ones"
NONSTOP = ["f590.00", "f610.00"]


def a_user(*last, store=None):
    """Ann with a source of four flights, two of them nonstop, and one of two hotels."""
    flights = Source(
        "one",
        [a_flight("590.00"), a_flight("600.00", stops=1)],
        [a_flight("610.00"), a_flight("620.00", stops=2)],
        *last,
    )
    return Ann(flights, Source("chains", [a_hotel("120.00"), a_hotel("90.00", stars=3)]), store=store)


@pytest.fixture
async def ann():
    async with opened(a_user()) as ann:
        yield ann


@pytest.fixture
async def ann_of_many():
    """Ann, whose source of flights has more than it returns."""
    async with opened(a_user(CutShort())) as ann:
        yield ann


async def fates(ann, task_id):
    """What a task made of the results of the one before it."""
    [event] = await ann.events("results_sorted", task_id)
    return event


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_narrowing_change_is_answered_at_once_from_what_was_found(ann):
    await ann.say(TOKYO)
    before = asyncio.get_running_loop().time()
    narrowed = await ann.say(DIRECT)
    assert asyncio.get_running_loop().time() - before < 0.1
    assert await ann.shown(narrowed) == NONSTOP
    assert len(ann.flights.asked) == 1
    assert "2 flights" in await ann.reply()


async def test_preference_narrows_where_something_fits_it(ann):
    task = await ann.say(f"{TOKYO}, ideally nonstop")
    assert await ann.shown(task) == NONSTOP
    assert "prefer" not in await ann.reply()


async def test_preference_that_nothing_fits_is_left_out_and_told(ann):
    task = await ann.say(f"{TOKYO}, preferably under 500 euros")
    assert len(await ann.shown(task)) == 4
    reply = await ann.reply()
    assert "I found 4 flights" in reply
    assert "I found nothing up to \u20ac500, which you would prefer, so this is without it." in reply


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_a_finished_search_stay_or_go(ann):
    found = await ann.say(TOKYO)
    event = await fates(ann, await ann.say(DIRECT))
    assert event["from_task_id"] == found
    assert event["results"] == {"flight": {"stays": [0, 2], "waits": [], "goes": [1, 3]}}


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_fates_are_reported_at_the_moment_the_first_offers_are_shown():
    async with opened(a_user(store=DiskStore())) as ann:
        await ann.say(TOKYO)
        narrowed = await ann.say(DIRECT)
        [first, *_] = await ann.events("partial_result", narrowed)
        assert (await fates(ann, narrowed))["at"] == first["at"]


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_running_search_continues_for_a_narrowing_change(ann):
    await ann.say(TOKYO, then_wait_s=1.5)
    narrowed = await ann.say(DIRECT, then_wait_s=0.1)
    assert await ann.shown(narrowed) == NONSTOP[:1]
    await ann.parts.quiet()
    assert await ann.shown(narrowed) == NONSTOP
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_offers_of_a_search_that_was_taken_over_count_where_nothing_fits(ann):
    await ann.say(TOKYO, then_wait_s=1.5)
    await ann.say("under 100 euros")
    reply = await ann.reply()
    assert 'Without "up to €100" I have 4 flights: the cheapest ' in reply
    assert "€590.00" in reply
    assert "Kept from before" not in reply
    await ann.say("and a hotel there until 15 December")
    assert 'Without "up to €100" I have 4 flights: the cheapest ' in await ann.reply()


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE", "FOUND-IS-KEPT")
async def test_receipt_of_the_interrupted_task_counts_what_stays_and_what_goes(ann):
    interrupted = await ann.say(TOKYO, then_wait_s=1.5)
    await ann.say(DIRECT)
    receipt = await ann.parts.receipt(interrupted)
    assert receipt["partial_results"] == {"flight": 2}
    assert receipt["sorted_results"] == {"flight": {"stays": 1, "waits": 0, "goes": 1}}


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_left_out_offers_come_back_at_once_when_the_limit_is_removed(ann):
    await ann.say(TOKYO)
    await ann.say(DIRECT)
    widened = await ann.say("any number of stops is fine")
    assert len(await ann.shown(widened)) == 4
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_search_that_was_narrow_from_the_start_is_repeated_when_the_limit_is_removed(ann):
    narrow = await ann.say(f"{TOKYO}, {DIRECT}")
    assert await ann.shown(narrow) == NONSTOP
    widened = await ann.say("any number of stops is fine")
    assert len(await ann.shown(widened)) == 4
    assert [query.max_stops for query in ann.flights.asked] == [0, None]


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_another_day_wait(ann):
    await ann.say(TOKYO)
    event = await fates(ann, await ann.say("make it 12 December"))
    assert event["results"] == {"flight": {"stays": [], "waits": [0, 1, 2, 3], "goes": []}}
    assert len(ann.flights.asked) == 2


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_another_place_go(ann):
    await ann.say(TOKYO)
    event = await fates(ann, await ann.say("actually, make it Osaka"))
    assert event["results"] == {"flight": {"stays": [], "waits": [], "goes": [0, 1, 2, 3]}}


@pytest.mark.requirement("WHAT-FITS-STAYS")
async def test_source_that_has_more_is_asked_for_the_rest_and_each_offer_is_shown_once(ann_of_many):
    await ann_of_many.say(TOKYO)
    narrowed = await ann_of_many.say(DIRECT)
    assert [query.max_stops for query in ann_of_many.flights.asked] == [None, 0]
    assert await ann_of_many.shown(narrowed) == NONSTOP


@pytest.mark.requirement("EACH-RESULT-HAS-A-FATE")
async def test_offers_of_the_agent_that_a_message_is_not_about_stay(ann):
    await ann.say("Flights from Berlin to Tokyo on 10 December, and hotels there for 2 nights")
    event = await fates(ann, await ann.say("hotels with 4 stars only"))
    assert event["results"]["flight"] == {"stays": [0, 1, 2, 3], "waits": [], "goes": []}
    assert event["results"]["hotel"] == {"stays": [0], "waits": [], "goes": [1]}


async def test_reply_names_the_airlines_found_where_the_wanted_one_is_not_among_them(ann):
    await ann.say(TOKYO)
    narrowed = await ann.say("with Lufthansa only")
    assert await ann.shown(narrowed) == []
    assert (
        "I found no flights for that: with Lufthansa only. I went through 4 flights, by Aurora Demo."
        in await ann.reply()
    )
    assert len(await ann.shown(await ann.say("any airline is fine"))) == 4
    assert len(ann.flights.asked) == 1


SHORT = replace(a_flight("590.00", "Linden Demo"), checked_bags=0)
SHORT = replace(SHORT, slices=(replace(SHORT.slices[0], duration_minutes=280),))
REFUNDABLE = replace(a_flight("600.00", "Pogo Demo"), refundable=True)


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("only with Linden", ["f590.00"]),
        ("no Pogo please", ["f590.00"]),
        ("with a checked bag", ["f600.00"]),
        ("at most 5 hours", ["f590.00"]),
        ("refundable please", ["f600.00"]),
        ("I'd like a window seat", ["f590.00", "f600.00"]),
    ],
)
async def test_flights_are_narrowed_by_their_facts(ann, said, shown):
    ann.flights.batches = ([SHORT, REFUNDABLE],)
    await ann.say(TOKYO)
    assert await ann.shown(await ann.say(said)) == shown
    assert len(ann.flights.asked) == 1


@pytest.mark.requirement("WHAT-FITS-STAYS")
@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("at least 4 stars please", ["h120.00"]),
        ("with a pool", ["h120.00"]),
        ("with free cancellation", ["h90.00"]),
        ("within 1 km of the centre", ["h90.00"]),
        ("not in Shinjuku", ["h90.00"]),
        ("it should have a pool and free cancellation", []),
    ],
)
async def test_hotels_are_narrowed_by_their_facts(ann, said, shown):
    there = replace(a_hotel("120.00"), amenities=("wifi", "pool"), distance_km=2.5)
    cheap = replace(a_hotel("90.00", "Otter Demo", stars=3), district="Asakusa", distance_km=0.8)
    ann.hotels.batches = ([there, replace(cheap, free_cancellation_until=TODAY)],)
    await ann.say(HOTELS)
    assert await ann.shown(await ann.say(said), "hotel") == shown
    assert len(ann.hotels.asked) == 1


async def test_reply_says_that_sources_have_more_than_was_looked_through(ann_of_many):
    await ann_of_many.say(TOKYO)
    assert (
        "with Lufthansa only. That is among the 4 flights I looked through, by Aurora Demo; "
        "there are more, which I could not look through."
    ) in await ann_of_many.ask("with Lufthansa only")
