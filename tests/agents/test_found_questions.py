"""Questions about what was found are answered from it: no source is asked, no search is interrupted."""

from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import orjson
import pytest

from backend.domain.encoding import encode
from backend.domain.partials import ShownResults
from backend.domain.task import TaskStatus
from backend.travel.agents.found.found_offers import read_found
from backend.travel.stored_requests import NOTHING, UnderstoodRequest
from backend.travel.values.offers import cheapest, cheapest_of_each_currency, in_order, lowest_price
from backend.travel.values.travel import FlightSlice
from tests.agents.ann import BOTH, HOTELS, Ann, opened
from tests.agents.ann import TOKYO as FLIGHTS
from tests.agents.sources import Source, a_flight, a_hotel
from tests.understanding.conversation import told

pytestmark = [pytest.mark.virtual_time, pytest.mark.requirement("FOUND-ANSWERS-QUESTIONS")]


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


def a_user(flights=FOUND_FLIGHTS, hotels=FOUND_HOTELS, **more):
    """Ann, for whom three flights and two hotels are found."""
    return Ann(Source("one", flights[:2], flights[2:]), Source("chains", hotels), **more)


@pytest.fixture
async def ann():
    async with opened(a_user()) as ann:
        yield ann


async def pointed_out(ann):
    """The ids of the offers that were pointed out last."""
    return (await ann.events("offers_pointed_out"))[-1]["offer_ids"]


@pytest.mark.parametrize(
    ("asked", "told", "pointed"),
    [
        ("which is the cheapest?", "The cheapest of the 3 flights is Larch Demo at", ["f590.00"]),
        ("which one arrives first?", "The first to arrive of the 3 flights is", None),
        ("shortest layover?", "is nonstop. The shortest layover is with Sable Demo", ["f610.00"]),
        ("how long is the layover of the second?", "has a layover of 50 min in IST", ["f610.00"]),
        ("are bags included?", "2 of the 3 flights include a checked bag", None),
        ("which ones are refundable?", "1 of the 3 flights can be cancelled for a refund", ["f640.00"]),
        ("which ones are not direct?", "2 of the 3 flights are not nonstop: Larch", ["f590.00", "f610.00"]),
        ("who operates it?", "is operated as Larch Demo 1 and Larch Demo 2", ["f590.00"]),
        ("which one gets in first", "It lands at 19:30 in", None),
        ("will it go down if I wait?", "tell anything about how prices will change", None),
        ("which has the least time in the air", "The fastest of the 3 flights is Aurora Demo", None),
        ("which airlines are there?", "are with Larch Demo (1, from €590.00), Sable Demo (1, from", None),
        ("can the baby sit on my lap?", "do not tell anything about babies on a lap", None),
        ("difference between the first two?", "The first of these is €20.00", ["f590.00", "f610.00"]),
        ("is there anything under 600?", "Yes, 1 of the 3 flights costs at most €600", ["f590.00"]),
        ("is there anything under 200?", "No flight costs €200 a person or less", ["f590.00"]),
        ("what have you found?", "I found 3 flights, the cheapest Larch Demo", None),
        ("how much is number 2?", "Number 2, Sable Demo at 06:30, costs €610.00", ["f610.00"]),
        ("is there a meal?", "The offers do not tell whether the flights have meal", None),
        ("which would you pick", "I would take Aurora Demo", ["f640.00"]),
        ("how much more is the direct one?", "is €50.00 dearer: €640.00 against €590.00", None),
        ("what's the cheapest direct flight", "The cheapest and only flight that is nonstop is Aurora", None),
        ("number 7, is it direct?", "There is no number 7: there are only 3 flights.", None),
        ("what are you doing?", "Nothing is running right now: the last search has ended with 3", None),
        ("too late", "2 of the 3 flights are earlier than Larch Demo", None),
        ("cheaper", "None of the 3 flights is cheaper than Larch Demo", None),
        ("do they take skis", "do not tell anything about sports gear", None),
        ("what did I ask for so far?", "You have asked for", None),
        ("why is the first one so long", "The shortest of the 3 flights is Aurora Demo at 08:30 (11 h", None),
        ("why so expensive", "the dearest Aurora Demo at 08:30 (11 h, nonstop) for €640.00.", None),
        ("Which is cheapest and does it include a bag?", "Larch Demo at 10:30 includes no checked bag", None),
        ("how long is the fastest and can I change it?", "Aurora Demo at 08:30 is refundable, and can", None),
        ("is it direct, and is the pilot nice?", 'I cannot answer "is the pilot nice".', None),
        ("how much with a checked bag?", "of the 2 flights that include a checked bag is Sable", ["f610.00"]),
        ("how much with a 23kg bag?", "tell anything about how heavy bags may be.", ["f610.00"]),
        ("whichever is first", "Sable Demo at 06:30, leaves", ["f610.00"]),
        ("which is the second fastest?", "The second fastest of the 3 flights is Sable Demo", ["f610.00"]),
        ("which is the ninth fastest?", "There is no number 9 of 3 flights.", None),
        ("compare the two fastest", "The second fastest, Sable Demo at 06:30: 13 h", ["f640.00", "f610.00"]),
        ("no not that one, the next cheaper one", "the next cheapest is Sable Demo at 06:30", ["f610.00"]),
        ("the next fastest one", "Of the 3 flights Larch Demo at 10:30 is the last in that.", ["f590.00"]),
        ("don't book yet, is it in the evening?", "leaves BER at 10:30", ["f590.00"]),
        ("has it a bag? if not, what's the cheapest that does", "include a checked bag is Sable", None),
        ("what have we got so far?", "I found 3 flights, the cheapest Larch Demo", None),
        ("is the pilot nice", 'I cannot answer "is the pilot nice": I know what the offers tell', None),
    ],
)  # fmt: skip
async def test_question_about_flights_is_answered_from_them(ann, asked, told, pointed):
    await ann.say(FLIGHTS)
    assert told in await ann.ask(asked)
    assert ann.searches == (1, 0)
    if pointed is not None:
        assert await pointed_out(ann) == pointed


@pytest.mark.parametrize(
    ("asked", "told", "pointed"),
    [
        ("which one has the best rating?", "The best rated of the 2 hotels is Blue", ["h120.00"]),
        ("does the Blue Anchor have a pool?", "Blue Anchor Demo, has a pool.", ["h120.00"]),
        ("does the second have a sauna?", "does not tell in its offer whether", ["h120.00"]),
        ("how far is it from the centre?", "Heron Demo Inn, is 2.5 km from the centre", ["h90.00"]),
        ("which ones have wifi?", "All 2 hotels have wifi", ["h90.00", "h120.00"]),
        ("which hotels don't have a pool?", "1 of the 2 hotels do not have a pool: Heron", ["h90.00"]),
        ("does the second have a gym and a pool", "has a pool, but lists no gym; it lists", ["h120.00"]),
        ("what's the best value", "it is the best rated of those that cost no more than", ["h120.00"]),
        ("difference between the first two?", "Only the second lists pool.", ["h90.00", "h120.00"]),
        ("which have wifi and 24h reception", "All 2 hotels have wifi: Heron", ["h90.00", "h120.00"]),
        ("which have a pool and sauna", "The offers do not tell which have sauna.", ["h120.00"]),
        ("do they have a pool and a balcony?", "1 of the 2 hotels have a pool; the cheapest", None),
        ("does the second have a pool and a rooftop bar", "has a pool, and does not tell", ["h120.00"]),
        ("whichever is best rated", "costs €120.00. Shall I book it?", ["h120.00"]),
        ("is that under 100?", "Yes, 1 of the 2 hotels costs at most €100 a night", ["h90.00"]),
        ("is it within my budget?", "You have told me no budget for that", ["h90.00"]),
        ("recap please", "You have asked for hotels in Tokyo", None),
        ("how much is dinner?", 'I did not understand "how much is dinner".', None),
        ("does the Ritz have wifi?", "None of the 2 hotels is called Ritz.", None),
        ("is it closer than 2 miles to the Dome?", "tell how far Dome is.", ["h90.00"]),
        ("are they less than 1 km from the centre?", "Blue Anchor Demo, is 0.4 km from the", ["h120.00"]),
        ("what's left of my 200 euros?", "Of your €200 that leaves €110.00.", ["h90.00"]),
        ("something closer", "1 of the 2 hotels is nearer to the centre than Heron Demo Inn", None),
        ("me and my dog", "room for pets", None),
    ],
)  # fmt: skip
async def test_question_about_hotels_is_answered_from_them(ann, asked, told, pointed):
    await ann.say(HOTELS)
    assert told in await ann.ask(asked)
    assert ann.searches == (0, 1)
    if pointed is not None:
        assert await pointed_out(ann) == pointed


def returning(price, out_h, back_h, *, layover_min=None):
    """A flight there and back."""
    out, back = flight(price, "Larch Demo", takes_h=out_h), flight(price, "Larch Demo", takes_h=back_h)
    way_back = flight(price, "Larch Demo", takes_h=back_h, layover_min=layover_min) if layover_min else back
    return replace(out, slices=(*out.slices, *way_back.slices))


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (returning("300.00", 3, 4), "takes 3 h out and 4 h back (nonstop)"),
        (returning("300.00", 3, 3), "takes 3 h each way (nonstop)"),
        (returning("300.00", 5, 5, layover_min=50), "takes 5 h each way (nonstop out and 1 stop back)"),
    ],
)
async def test_hours_and_stops_are_told_each_way_as_on_the_card(found, told):
    async with opened(a_user([found])) as ann:
        await ann.say(FLIGHTS)
        assert told in await ann.ask("tell me more about the first one")


@pytest.mark.parametrize(
    ("wish", "asked", "told"),
    [
        (f"{BOTH}, 700 euros in all", "is it within my budget?", "Of your €700 that leaves €20.00."),
        (f"{BOTH}, 700 euros in all", "is it all under 600?", "That is €80.00 more than your €600."),
        (f"{BOTH}, budget 700", "how much is left?", "Of your €700 that leaves €20.00."),
        (f"{FLIGHTS}, up to 700 euros", "are we over budget?", "Of your €700 that leaves €110.00."),
        (
            f"{HOTELS}, up to 100 euros a night",
            "does that fit our budget?",
            "Of your €100 that leaves €10.00.",
        ),
        (f"{BOTH}, hotel up to 100 euros a night", "can we afford it?", "You have told me no budget"),
    ],
)
async def test_budget_is_held_against_what_it_is_for(ann, wish, asked, told):
    await ann.say(wish)
    assert told in await ann.ask(asked)


async def test_total_adds_the_flight_and_the_hotel_that_was_spoken_of(ann):
    await ann.say(BOTH)
    cheapest = "In all it is €680.00: €590.00 for Larch Demo at 10:30, the cheapest flight"
    assert (await ann.ask("what would it be in all?")).startswith(cheapest)
    await ann.say("which hotel has the best rating?")
    assert "In all it is €710.00" in await ann.ask("and in total?")
    assert ann.searches == (1, 1)


async def test_prices_of_two_currencies_are_told_and_shared_one_by_one():
    stay = hotel("90.00", "Heron Demo Inn")
    stay = replace(stay, price_total=replace(stay.price_total, currency="USD"))
    flights = [replace(one, passengers=2) for one in FOUND_FLIGHTS]
    async with opened(a_user(flights, [stay])) as ann:
        await ann.say(f"{BOTH} for 2")
        told = "these are not of one currency. That is €295.00 and $45.00 each."
        assert told in await ann.ask("what would it all cost together, flights + hotel?")
        assert told in await ann.ask("and each?")


async def test_each_ones_share_is_of_what_was_told_last(ann):
    await ann.say(BOTH)
    await ann.say("what would it be in all?")
    assert "€680.00 each" in await ann.ask("and per person?")
    assert "In all it is €590.00 for Larch Demo at 10:30" in await ann.ask("total without the hotel?")
    await ann.say("which hotel is the cheapest?")
    assert (await ann.ask("how much is that each?")).startswith("Heron Demo Inn costs €90.00")


async def test_it_means_the_offer_spoken_of_last_also_after_a_restart():
    async with opened(a_user()) as first:
        await first.say(FLIGHTS)
        await first.say("which is the fastest?")
        await first.say("thanks")
        assert (await first.ask("when does it land?")).startswith("Aurora Demo at 08:30 lands at 19:30")
    async with opened(a_user(store=first.parts.store, new_id=first.parts.new_id)) as second:
        assert (await second.ask("when does it land?")).startswith("Aurora Demo at 08:30 lands at 19:30")
        assert second.searches == (0, 0)


async def test_question_while_a_search_runs_leaves_it_running(ann):
    searching = await ann.say(FLIGHTS, then_wait_s=1.5)
    assert (await ann.ask("which is the fastest?", then_wait_s=0.1)).startswith(
        "So far, with 2 flights found: The fastest of the 2 flights is Aurora Demo"
    )
    assert await ann.ask("what are you doing?", then_wait_s=0.1) == (
        "I am searching for Berlin to Tokyo, 10 December: flights "
        "(0 of 1 sellers have answered, 2 found so far)."
    )
    assert (await ann.parts.task(searching)).status is TaskStatus.RUNNING
    [call] = ann.parts.interruptions.context_of(searching).tool_calls.values()
    assert call.outcome is None
    await ann.parts.quiet()
    task = await ann.parts.task(searching)
    assert (task.status, task.reason) == (TaskStatus.COMPLETED, None)
    assert ann.searches == (1, 0)
    assert not await ann.events("receipt")


async def test_question_before_anything_has_arrived_says_so(ann):
    assert await ann.ask("what are you doing?") == "Nothing is running right now; tell me what to look for."
    await ann.say(FLIGHTS, then_wait_s=0.5)
    asked = await ann.ask("which is the cheapest?", then_wait_s=0.1)
    assert asked == "So far no flights have arrived; the search is still running."


async def test_offers_of_a_stopped_search_can_be_asked_about(ann):
    await ann.say(FLIGHTS, then_wait_s=1.5)
    await ann.say("stop")
    assert "The cheapest of the 2 flights is Larch Demo" in await ann.ask("which is the cheapest?")


async def test_order_is_told_and_lasts_over_other_requests(ann):
    await ann.say(FLIGHTS)
    assert (await ann.ask("fastest first")).startswith(
        "The 3 flights are in order of duration, the shortest first: number 1 is Aurora Demo"
    )
    [event] = await ann.events("offers_ordered")
    assert (event["agent"], event["by"], event["descending"]) == ("flight", "duration", False)
    assert ann.searches == (1, 0)
    await ann.say("at most 1 stop")
    assert "Number 1, Aurora Demo" in await ann.ask("how much is the first?")
    await ann.say("Find flights from Berlin to Osaka on 12 December")
    assert "Number 2, Sable Demo" in await ann.ask("how much is the second?")


async def test_order_may_be_told_beside_a_search_or_a_change(ann):
    assert "number 1 is Blue Anchor Demo" in await ann.ask(f"{HOTELS}, best rated first")
    await ann.say(FLIGHTS)
    reply = await ann.ask("for 2 people, sorted by arrival")
    assert "I found 3 flights" in reply
    assert "in order of arrival" in reply


async def test_answer_about_both_kinds_has_a_paragraph_for_each(ann):
    await ann.say(BOTH)
    flights, hotels = (await ann.ask("what is the difference between the first two?")).split("\n\n")
    assert "Number 2, Sable Demo" in flights
    assert hotels.startswith("Number 1, Heron Demo Inn")


async def test_number_that_only_one_list_has_is_of_that_list(ann):
    await ann.say(BOTH)
    assert (await ann.ask("how much is number 3?")).startswith("Number 3, ")


async def test_first_few_are_named(ann):
    await ann.say(FLIGHTS)
    reply = await ann.ask("just the three cheapest")
    assert reply.count("€") == 3
    assert "The second cheapest, " in reply


async def test_others_are_the_next_of_the_list_until_there_are_none(ann):
    await ann.say(FLIGHTS)
    assert (await ann.ask("list the first two")).startswith("The first of the 3 flights: number 1, ")
    assert (await ann.ask("any others?")).startswith("The next of the 3 flights: number 3, ")
    assert (await ann.ask("show me more")) == "There are no more flights: that is the last of the 3."


async def test_earlier_requests_can_be_asked_about(ann):
    await ann.say(FLIGHTS)
    await ann.say("what about Osaka instead?")
    answer = await ann.ask("what did you find before?")
    assert answer == (
        "Berlin to Tokyo, 10 December: 3 flights, the cheapest Larch Demo at 10:30 for €590.00."
    )
    assert await ann.ask("what did you find for Lima?") == "I have no offers of a search for Lima."
    for asked in ("which of the two was cheapest", "better deal, Tokyo or Osaka?", "was Tokyo cheaper?"):
        assert (await ann.ask(asked)).startswith("The cheapest was Berlin to Osaka")


async def test_limit_that_leaves_nothing_names_the_nearest_offer(ann):
    await ann.say(FLIGHTS)
    answer = await ann.ask("under 200")
    assert answer.endswith(
        'Without "up to €200" I have 3 flights: the cheapest Larch Demo at 10:30 (14 h, 1 stop) for €590.00.'
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("how long is the layover on the cheapest", "The cheapest, Larch Demo at 10:30, "),
        ("what's the cancellation policy on the first?", "Number 1, Larch Demo at 10:30, is "),
        ("send me the two best options", "The best, "),
        ("is the second one nonstop?", "Number 2, "),
    ],
)
async def test_question_where_nothing_fits_is_answered_from_what_was_kept(ann, said, told):
    await ann.say(FLIGHTS)
    await ann.ask("under 200")
    answer = await ann.ask(said)
    assert answer.startswith(f"None of the 3 flights kept from before fits all you asked for. {told}")
    assert await ann.ask("how many are there?") == "Nothing has been found yet."


STORED_FLIGHTS, STORED_HOTELS = orjson.loads(encode(FOUND_FLIGHTS)), orjson.loads(encode(FOUND_HOTELS))
TRIP = told("Flights and hotels from Berlin to Tokyo from 10 to 14 December")
ROME = told("Hotels in Rome from 10 to 14 December")


class Requests:
    """The requests of a conversation, the current one first, and how many of them have been read."""

    def __init__(self, *found: tuple[Any, dict[str, Any]]) -> None:
        self._found = found
        self.read = 0

    async def shown(self) -> AsyncGenerator[ShownResults]:
        """Read them one after the other."""
        for understanding, results in self._found:
            self.read += 1
            request = UnderstoodRequest(understanding)
            yield ShownResults(task_id=str(self.read), request=request, results=results, agents={})


async def kinds_found(requests):
    run = SimpleNamespace(context=requests, understanding=TRIP, spoken_of=NOTHING)
    return list((await read_found(run)).kinds)


async def test_earlier_requests_are_read_only_for_what_the_current_one_lacks():
    whole = Requests((TRIP, {"flight": STORED_FLIGHTS, "hotel": STORED_HOTELS}), (TRIP, {}))
    assert (await kinds_found(whole), whole.read) == (["flight", "hotel"], 1)
    flights, hotels = (TRIP, {"flight": STORED_FLIGHTS}), (TRIP, {"hotel": STORED_HOTELS})
    lacking = Requests((TRIP, {}), *([flights] * 9), hotels, hotels)
    assert (await kinds_found(lacking), lacking.read) == (["flight", "hotel"], 11)
    other_city = Requests(flights, (ROME, {"hotel": STORED_HOTELS}))
    assert (await kinds_found(other_city), other_city.read) == (["flight"], 2)


def in_dollars(flight):
    price = replace(flight.price_total, currency="USD")
    return replace(flight, price_total=price, price_per_person=price)


LARCH, AURORA, SABLE = FOUND_FLIGHTS
MIXED = [replace(in_dollars(LARCH), offer_id="usd"), AURORA, SABLE]


def offer(offer_id, amount, currency, **facts):
    money = {"amount": amount, "currency": currency}
    return {"offer_id": offer_id, "name": offer_id, "price_total": money, "score": 8, **facts}


OFFERS = [
    offer("cheap dollars", "90", "USD"),
    offer("dear euros", "900", "EUR"),
    {"offer_id": "unpriced"},
    offer("euros", "100", "EUR"),
]


def ids(offers):
    return [each["offer_id"] for each in offers]


def test_prices_are_sorted_within_their_currency():
    assert ids(in_order(OFFERS, "price")) == ["euros", "dear euros", "cheap dollars", "unpriced"]
    assert ids(in_order(OFFERS, "score")) == ["euros", "dear euros", "cheap dollars", "unpriced"]
    cars = [{**each, "pick_up": "BER"} for each in OFFERS]
    assert ids(in_order(cars, "best")) == ["euros", "dear euros", "cheap dollars", "unpriced"]
    assert cheapest(OFFERS)["offer_id"] == "euros"
    assert lowest_price(OFFERS) is None
    assert lowest_price([OFFERS[1], OFFERS[3]]) == {"amount": "100", "currency": "EUR"}
    assert ids(cheapest_of_each_currency(OFFERS)) == ["euros", "cheap dollars"]


async def test_answers_name_the_currency_they_are_about():
    async with opened(a_user(MIXED)) as ann:
        reply = await ann.ask(FLIGHTS)
        cheapest = (
            "in EUR Sable Demo, 06:30-19:30 for €610.00 and in USD Larch Demo, 10:30-00:30 +1 for $590.00"
        )
        assert f"the cheapest {cheapest}" in reply
        for asked, told in {
            "what would it be in all?": "€610.00 for Sable Demo at 06:30, the cheapest flight in EUR",
            "which is the cheapest?": "The cheapest in EUR of the 3 flights is Sable Demo",
            "anything under 620?": "1 more is priced in USD, which I cannot compare.",
            "anything cheaper?": "None of the 2 flights in EUR is cheaper than Sable Demo",
        }.items():
            assert told in await ann.ask(asked)


async def test_limit_in_another_currency_is_not_applied_and_the_reply_says_so():
    async with opened(a_user([in_dollars(each) for each in FOUND_FLIGHTS])) as ann:
        reply = await ann.ask(f"{FLIGHTS} under 600 euros")
        assert "3 flights" in reply
        assert "I cannot hold prices in USD to a limit in EUR" in reply
        asked = await ann.ask("is there anything under 100 euros?")
        assert asked == "The flights are priced in USD, not in EUR."


async def test_changes_and_waits_are_told_of_the_cheapest_beside_how_many_are_nonstop(ann):
    await ann.say(FLIGHTS)
    asked = "How many changes would I have to make and how long is the wait in between?"
    told = await ann.ask(asked)
    assert told.startswith("1 of the 3 flights are nonstop")
    assert told.endswith("The cheapest, Larch Demo at 10:30, has 1 stop, 1 h 35 min in IST.")


async def test_changes_of_flights_that_all_have_some_are_told_of_the_cheapest():
    async with opened(a_user([FOUND_FLIGHTS[0], FOUND_FLIGHTS[2]])) as ann:
        await ann.say(FLIGHTS)
        told = await ann.ask("how many changes do I have to make?")
        cheapest = "The cheapest, Larch Demo at 10:30, has 1 stop, 1 h 35 min in IST."
        assert told == f"None of the 2 flights are nonstop. {cheapest}"
