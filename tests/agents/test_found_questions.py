"""Questions about what was found are answered from it: no source is asked, no search is interrupted."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest

from backend.domain.task import TaskStatus
from backend.travel.values.travel import FlightSlice, Money
from backend.travel.workflow import TravelWorkflow
from tests.agents.sources import TODAY, Provider, Source, a_flight, a_hotel
from tests.interruption.parts import Parts

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")]

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"
HOTELS = "Hotels in Tokyo from 10 to 11 December"
BOTH = "Flights from Berlin to Tokyo on 10 December, and hotels there for 1 night"


def flight(price, carrier, *, leaves_h=0, takes_h=11, layover_min=None, bags=1, refundable=False):
    """A flight that leaves so many hours after 08:30, maybe with a stop in IST."""
    whole = a_flight(price, carrier)
    [first] = whole.slices[0].segments
    start = first.departs_at + timedelta(hours=leaves_h)
    end = start + timedelta(hours=takes_h)
    if layover_min is None:
        segments = (replace(first, departs_at=start, arrives_at=end),)
    else:
        lands = start + timedelta(hours=3)
        goes_on = lands + timedelta(minutes=layover_min)
        segments = (
            replace(first, departs_at=start, arrives_at=lands, destination="IST"),
            replace(first, departs_at=goes_on, arrives_at=end, origin="IST", number="2"),
        )
    way = FlightSlice(segments=segments, duration_minutes=takes_h * 60)
    return replace(whole, slices=(way,), checked_bags=bags, refundable=refundable)


def hotel(price, name, *, stars=4, score=8.5, km=1.0, amenities=()):
    """A hotel for one night."""
    stay = a_hotel(price, name, stars=stars)
    return replace(stay, score=score, distance_km=km, amenities=tuple(amenities))


FOUND_FLIGHTS = [
    flight("590.00", "Larch Demo", leaves_h=2, takes_h=14, layover_min=95, bags=0),
    flight("640.00", "Aurora Demo", takes_h=11, refundable=True),
    flight("610.00", "Sable Demo", leaves_h=-2, takes_h=13, layover_min=50),
]
FOUND_HOTELS = [
    hotel("90.00", "Heron Demo Inn", stars=3, score=7.9, km=2.5, amenities=["wifi"]),
    hotel("120.00", "Blue Anchor Demo", score=9.1, km=0.4, amenities=["wifi", "pool"]),
]


class Ann:
    """User ann of a server that finds three flights and two hotels."""

    def __init__(self, flights=FOUND_FLIGHTS, **others):
        self.flights = Source("one", flights[:2], flights[2:])
        self.hotels = Source("chains", FOUND_HOTELS)
        provider = Provider([self.flights], [self.hotels])
        self.parts = Parts(
            workflow=lambda ledger, _owner: TravelWorkflow(provider, ledger, today=lambda: TODAY),
            **others,
        )

    async def say(self, message, *, then_wait_s=None):
        """Say something, and wait; return the task's id."""
        task_id = await self.parts.post(message)
        if then_wait_s is None:
            await self.parts.quiet()
        else:
            await asyncio.sleep(then_wait_s)
        return task_id

    async def ask(self, message):
        """Ask something; return the answer."""
        await self.say(message)
        return await self.reply()

    async def reply(self):
        return (await self.parts.history())[-1][1]

    async def pointed_out(self):
        """The ids of the offers that were pointed out last."""
        events = [each for each in await self.parts.events() if each["type"] == "offers_pointed_out"]
        return events[-1]["offer_ids"]

    async def told(self, kind):
        """The events of a kind."""
        return [each for each in await self.parts.events() if each["type"] == kind]

    @property
    def searches(self):
        return len(self.flights.asked) + len(self.hotels.asked)


@pytest.mark.parametrize(
    ("asked", "told", "pointed"),
    [
        ("which is the cheapest?", "The cheapest of the 3 flights is Larch Demo at", ["f590.00"]),
        ("fastest?", "The fastest of the 3 flights is Aurora Demo", ["f640.00"]),
        ("which one leaves first?", "The earliest of the 3 flights is Sable Demo", ["f610.00"]),
        ("which one arrives first?", "The first to arrive of the 3 flights is", None),
        ("shortest layover?", "is nonstop. The shortest layover is with Sable Demo", ["f610.00"]),
        ("how long is the layover?", "has a layover of 1 h 35 min in IST", ["f590.00"]),
        ("how long is the layover of the second?", "has a layover of 50 min in IST", ["f610.00"]),
        ("are bags included?", "2 of the 3 flights include a checked bag", None),
        ("does the cheapest include bags?", "includes no checked bag", ["f590.00"]),
        ("which ones are refundable?", "1 of the 3 flights can be cancelled for a refund", ["f640.00"]),
        ("is number 3 refundable?", "Number 3, Aurora Demo at 08:30, is refundable", ["f640.00"]),
        ("which ones are direct?", "1 of the 3 flights are nonstop: Aurora Demo", ["f640.00"]),
        ("which ones are not direct?", "2 of the 3 flights are not nonstop: Larch", ["f590.00", "f610.00"]),
        ("which can't be changed?", "All 3 flights can be changed.", None),
        ("when does it land?", "lands at", ["f590.00"]),
        ("how long is the second flight?", "takes 13 h (1 stop, 50 min in IST)", ["f610.00"]),
        ("who operates it?", "is operated as Larch Demo 1 and Larch Demo 2", ["f590.00"]),
        ("difference between the first two?", "The first of these is 20.00 EUR", ["f590.00", "f610.00"]),
        ("is there anything under 600?", "Yes, 1 of the 3 flights costs at most 600 EUR", ["f590.00"]),
        ("is there anything under 200?", "No flight costs 200 EUR a person or less", ["f590.00"]),
        ("how many did you find?", "I found 3 flights.", None),
        ("what have you found?", "I found 3 flights, the cheapest Larch Demo", None),
        ("what would it be in all?", "In all it is 590.00 EUR for Larch Demo", ["f590.00"]),
        ("how much is number 2?", "Number 2, Sable Demo at 06:30, costs 610.00 EUR", ["f610.00"]),
        ("tell me more about the third", "is refundable, and costs 640.00 EUR", ["f640.00"]),
        ("is there a meal?", "The offers do not tell whether the flights have meal", None),
        ("which would you pick", "I would take Aurora Demo", ["f640.00"]),
        ("how much more is the direct one?", "is 50.00 EUR dearer: 640.00 EUR against 590.00 EUR", None),
        ("which is faster, the first or the second", "is faster: 13 h against 14 h of number 1", None),
        ("what's the cheapest direct flight", "The cheapest and only flight that is nonstop is Aurora", None),
        ("when do I land if I take the fastest", "The fastest, Aurora Demo at 08:30, lands at", ["f640.00"]),
        ("how long is the transfer", "anything about the way between airport and hotel.", None),
        ("number 7, is it direct?", "There is no number 7: there are only 3 flights.", None),
        ("what are you doing?", "Nothing is running right now: the last search has ended with 3", None),
    ],
)  # fmt: skip
async def test_a_question_about_the_flights_is_answered_from_them(ann, asked, told, pointed):
    await ann.say(FLIGHTS)
    assert told in await ann.ask(asked)
    assert len(ann.flights.asked) == 1
    if pointed is not None:
        assert await ann.pointed_out() == pointed


@pytest.mark.parametrize(
    ("asked", "told", "pointed"),
    [
        ("which one has the best rating?", "The best rated of the 2 hotels is Blue", ["h120.00"]),
        ("which is the nearest to the centre?", "is Blue Anchor Demo (4 stars, rated 9.1", ["h120.00"]),
        ("does the Blue Anchor have a pool?", "Blue Anchor Demo, has a pool.", ["h120.00"]),
        ("does the cheapest have a pool?", "Heron Demo Inn, lists no pool; it lists wifi.", ["h90.00"]),
        ("does the second have a sauna?", "does not tell in its offer whether", ["h120.00"]),
        ("how far is it from the centre?", "Heron Demo Inn, is 2.5 km from the centre", ["h90.00"]),
        ("how far is it from the beach?", "its offer does not tell how far the beach is", ["h90.00"]),
        ("which ones have wifi?", "All 2 hotels have wifi", ["h90.00", "h120.00"]),
        ("which ones do not have wifi?", "All 2 hotels have wifi.", None),
        ("which hotels don't have a pool?", "1 of the 2 hotels do not have a pool: Heron", ["h90.00"]),
        ("which ones have no gym", "None of the 2 hotels have a gym.", ["h90.00", "h120.00"]),
        ("does the second have a gym and a pool", "has a pool, but lists no gym; it lists", ["h120.00"]),
        ("which ones have wifi and a pool", "1 of the 2 hotels have wifi and a pool: Blue", ["h120.00"]),
        ("which is closer, the first or the second", "0.4 km from the centre against 2.5 km", None),
        ("what's the best value", "it is the best rated of those that cost no more than", ["h120.00"]),
        ("cheapest with a pool?", "The cheapest and only hotel that has a pool is Blue", ["h120.00"]),
        ("difference between the first two?", "Only the second lists pool.", ["h90.00", "h120.00"]),
        ('how much is dinner?', 'I did not understand "how much is dinner".', None),
        ("does the Ritz have wifi?", "None of the 2 hotels is called Ritz.", None),
        ("anything under 100 a night?", "Yes, 1 of the 2 hotels costs at most 100 EUR", ["h90.00"]),
    ],
)  # fmt: skip
async def test_a_question_about_the_hotels_is_answered_from_them(ann, asked, told, pointed):
    await ann.say(HOTELS)
    assert told in await ann.ask(asked)
    assert len(ann.hotels.asked) == 1
    if pointed is not None:
        assert await ann.pointed_out() == pointed


async def test_a_flight_and_a_hotel_are_added_up(ann):
    await ann.say(BOTH)
    answer = await ann.ask("what would it be in all?")
    assert answer.startswith(
        "In all it is 680.00 EUR: 590.00 EUR for Larch Demo at 10:30, the cheapest flight"
    )
    assert ann.searches == 2


async def test_the_total_counts_the_offer_that_was_spoken_of(ann):
    await ann.say(BOTH)
    await ann.say("which hotel has the best rating?")
    assert "In all it is 710.00 EUR" in await ann.ask("and in total?")


async def test_it_is_the_offer_spoken_of_last(ann):
    await ann.say(FLIGHTS)
    await ann.say("which is the fastest?")
    await ann.say("thanks")
    assert (await ann.ask("when does it land?")).startswith("Aurora Demo at 08:30 lands at 19:30")


async def test_a_question_while_a_search_runs_leaves_it_running(ann):
    searching = await ann.say(FLIGHTS, then_wait_s=1.5)
    await ann.say("which is the fastest?", then_wait_s=0.1)
    assert (await ann.reply()).startswith(
        "So far, with 2 flights found: The fastest of the 2 flights is Aurora Demo"
    )
    assert (await ann.parts.task(searching)).status is TaskStatus.RUNNING
    [call] = ann.parts.interruptions.context_of(searching).tool_calls.values()
    assert call.outcome is None
    await ann.parts.quiet()
    task = await ann.parts.task(searching)
    assert (task.status, task.reason) == (TaskStatus.COMPLETED, None)
    assert len(ann.flights.asked) == 1
    assert not await ann.told("receipt")


async def test_what_is_being_done_is_told_while_it_is_done(ann):
    await ann.say(FLIGHTS, then_wait_s=1.5)
    await ann.say("what are you doing?", then_wait_s=0.1)
    searching = "I am searching for Berlin to Tokyo, 10 December: flights"
    assert await ann.reply() == f"{searching} (0 of 1 sources have answered, 2 found so far)."


async def test_a_question_before_anything_has_arrived_says_so(ann):
    await ann.say(FLIGHTS, then_wait_s=0.5)
    await ann.say("which is the cheapest?", then_wait_s=0.1)
    assert await ann.reply() == "So far no flights have arrived; the search is still running."


async def test_the_offers_of_a_stopped_search_can_be_asked_about(ann):
    await ann.say(FLIGHTS, then_wait_s=1.5)
    await ann.say("stop")
    assert "The cheapest of the 2 flights is Larch Demo" in await ann.ask("which is the cheapest?")


async def test_another_order_is_told_and_numbers_follow_it(ann):
    await ann.say(FLIGHTS)
    answer = await ann.ask("fastest first")
    assert answer.startswith(
        "The 3 flights are in order of duration, the shortest first: number 1 is Aurora Demo"
    )
    [event] = await ann.told("offers_ordered")
    assert (event["agent"], event["by"], event["descending"]) == ("flight", "duration", False)
    assert "Number 2, Sable Demo" in await ann.ask("how much is the second?")
    assert len(ann.flights.asked) == 1


async def test_an_order_lasts_over_another_request(ann):
    await ann.say(FLIGHTS)
    await ann.say("fastest first")
    await ann.say("Find flights from Berlin to Osaka on 12 December")
    assert "Number 1, Aurora Demo" in await ann.ask("how much is the first?")


async def test_both_lists_are_sorted_by_price(ann):
    await ann.say(BOTH)
    await ann.say("most expensive first")
    assert [(each["agent"], each["descending"]) for each in await ann.told("offers_ordered")] == [
        ("flight", True),
        ("hotel", True),
    ]


async def test_an_answer_about_each_kind_has_a_paragraph_of_its_own(ann):
    await ann.say(BOTH)
    flights, hotels = (await ann.ask("what is the difference between the first two?")).split("\n\n")
    assert "Number 2, Sable Demo" in flights
    assert hotels.startswith("Number 1, Heron Demo Inn")


async def test_after_a_change_of_one_kind_alone_a_number_is_of_that_kind(ann):
    await ann.say(BOTH)
    await ann.say("at most 1 stop")
    answer = await ann.ask("what is the difference between the first two?")
    assert "Sable Demo" in answer
    assert "Heron" not in answer
    await ann.say("at least 3 stars")
    assert "Heron" in (answer := await ann.ask("how much is the second?")) or "Blue Anchor" in answer
    assert "Demo at" not in answer


async def test_a_number_that_only_one_list_has_is_of_that_list(ann):
    await ann.say(BOTH)
    assert (await ann.ask("how much is number 3?")).startswith("Number 3, ")
    assert "no number" not in await ann.reply()


async def test_an_order_lasts_over_a_change_that_narrows(ann):
    await ann.say(FLIGHTS)
    await ann.say("fastest first")
    await ann.say("at most 1 stop")
    assert "Number 1, Aurora Demo" in await ann.ask("how much is the first?")


async def test_what_was_spoken_of_is_known_after_a_restart():
    first = Ann()
    await first.parts.open()
    await first.say(FLIGHTS)
    await first.say("which is the fastest?")
    await first.parts.close()
    second = Ann(store=first.parts.store, new_id=first.parts.new_id)
    await second.parts.open()
    assert (await second.ask("when does it land?")).startswith("Aurora Demo at 08:30 lands at 19:30")
    assert not second.flights.asked
    await second.parts.close()


async def test_earlier_requests_can_be_asked_about(ann):
    await ann.say(FLIGHTS)
    await ann.say("what about Osaka instead?")
    answer = await ann.ask("what did you find before?")
    assert (
        answer == "Berlin to Tokyo, 10 December: 3 flights, the cheapest Larch Demo at 10:30 for 590.00 EUR."
    )
    assert "Berlin to Tokyo" in await ann.ask("what did you find for Tokyo?")
    assert await ann.ask("what did you find for Lima?") == "I have no offers of a search for Lima."
    assert (await ann.ask("which of the two was cheapest")).startswith("The cheapest was Berlin to Osaka")


async def test_a_limit_that_leaves_nothing_names_what_comes_nearest(ann):
    await ann.say(FLIGHTS)
    answer = await ann.ask("under 200")
    assert "I went through 3 flights. The nearest is Larch Demo at 10:30 (14 h, 1 stop)" in answer


async def test_prices_of_another_currency_are_not_compared():
    dollars = Money(amount=Decimal("90.00"), currency="USD")
    ann = Ann([replace(each, price_total=dollars, price_per_person=dollars) for each in FOUND_FLIGHTS])
    await ann.parts.open()
    await ann.say(FLIGHTS)
    assert await ann.ask("is there anything under 100 euros?") == "The flights are priced in USD, not in EUR."
    await ann.parts.close()


async def test_a_question_before_any_search_is_told_that_nothing_runs(ann):
    assert await ann.ask("what are you doing?") == "Nothing is running right now; tell me what to look for."


async def test_of_many_that_were_spoken_of_it_is_counted_which_have_it():
    hotels = [hotel(f"{90 + each}.00", f"Inn {each} Demo", amenities=["wifi"]) for each in range(5)]
    ann = Ann()
    ann.hotels.batches = (hotels,)
    await ann.parts.open()
    await ann.say(HOTELS)
    await ann.say("which ones have wifi?")
    assert await ann.ask("is it refundable?") == "None of the 5 hotels can be cancelled for a refund."
    assert "Of the 2 others, ask by number or name." in await ann.ask("how far is it from the centre?")
    await ann.parts.close()
