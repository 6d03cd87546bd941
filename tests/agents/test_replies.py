"""The reply is made from whatever arrived: all, some, nothing, or one agent that failed."""

import asyncio
from dataclasses import replace
from decimal import Decimal

import pytest
import structlog

from backend.domain.task import InterruptReason
from backend.tasks.settlement import left_by
from backend.tasks.task_owner import TaskOwner
from backend.travel.agents.response import DEMO, NOTHING_TO_STOP, STOPPED
from backend.travel.tools.search import SOURCE_TIMEOUT_S
from backend.travel.values.travel import Money
from tests.agents.sources import AT, Provider, Source, Travel, a_flight, a_hotel

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"
BOTH = "flights and hotels in Tokyo from Berlin, 10 to 11 December"

pytestmark = pytest.mark.virtual_time


def both(flights: str = "end", hotels: str = "end") -> Travel:
    """Two flights and one hotel, from a source each, which then end as told."""
    return Travel(
        Provider(
            [Source("one", [a_flight("612.40")], [a_flight("590.00", "Larch Demo")], then=flights)],
            [Source("chains", [a_hotel("120.00")], then=hotels)],
        )
    )


async def test_all_that_was_found_is_told_with_the_cheapest_of_each():
    reply, context = await both().reply(BOTH)
    assert reply == (
        "I found 2 flights from Berlin to Tokyo on Thu 10 December 2026, returning Fri 11 December 2026, "
        "1 passenger, economy: the cheapest is Larch Demo for 590.00 EUR; "
        "and 1 hotel in Tokyo from Thu 10 December 2026 to Fri 11 December 2026 (1 night): "
        f"the cheapest is Heron Demo (4 stars, Shinjuku) for 120.00 EUR. {DEMO}"
    )
    assert {name: each.state for name, each in context.agents.items()} == {"flight": "done", "hotel": "done"}


@pytest.mark.requirement("FAILURES-STAY-ALONE")
@pytest.mark.parametrize("how", ["fail", "break", "hang"])
async def test_an_agent_that_fails_leaves_the_results_of_the_other_standing(how):
    travel = Travel(Provider([Source("one", [a_flight("590.00")])], [Source("chains", then=how)]))
    reply, context = await travel.reply(BOTH)
    assert "I found 1 flight" in reply
    assert "The hotel search did not work: none of the sources of hotels answered." in reply
    assert [context.agents[name].state for name in ("flight", "hotel")] == ["done", "failed"]
    assert [call.outcome for call in context.tool_calls.values()] == ["completed", "failed"]


@pytest.mark.requirement("FAILURES-STAY-ALONE")
async def test_one_source_that_fails_is_left_out_and_named():
    sources = [Source("one", [a_flight("590.00")]), Source("two", then="fail")]
    reply, context = await Travel(Provider(sources)).reply(FLIGHTS)
    assert "I found 1 flight" in reply
    assert context.agents["flight"].detail == "1 flight from 1 of 2 sources; no answer from two"


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("10 December 2020 has passed.", "10 December 2020 has passed."),
        (
            "Flights are sold to 1 to 9 passengers together.",
            "flights are sold to 1 to 9 passengers together.",
        ),
        ("Aurora is on strike", "Aurora is on strike."),
    ],
)
async def test_what_all_sources_refuse_for_is_told_as_the_reason(refusal, told):
    sources = [Source(name, then=f"refuse: {refusal}") for name in ("one", "two")]
    with structlog.testing.capture_logs() as logs:
        reply, context = await Travel(Provider(sources)).reply(FLIGHTS)
    assert reply.endswith(f"economy. The flight search did not work: {told}")
    assert context.agents["flight"].detail == refusal
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("a source refused", "info")] * 2


@pytest.mark.parametrize("other", ["fail", "refuse: Nobody flies there."])
async def test_what_only_some_sources_refuse_for_is_not_told_as_the_reason(other):
    sources = [Source("one", then="refuse: It has passed."), Source("two", then=other)]
    reply, _ = await Travel(Provider(sources)).reply(FLIGHTS)
    assert "did not work: none of the sources of flights answered." in reply
    assert "passed" not in reply


async def test_one_source_that_refuses_is_left_out_and_named():
    sources = [Source("one", [a_flight("590.00")]), Source("two", then="refuse: It has passed.")]
    reply, context = await Travel(Provider(sources)).reply(FLIGHTS)
    assert "I found 1 flight" in reply
    assert context.agents["flight"].detail == "1 flight from 1 of 2 sources; refused by two"


async def test_what_a_source_had_found_before_it_failed_is_kept():
    reply, context = await both(hotels="break").reply(BOTH)
    assert "The hotel search did not work" in reply
    assert "1 hotel had arrived before." in reply
    assert context.partial_results.count("hotel") == 1


async def test_a_source_that_hangs_is_waited_for_no_longer_than_its_time():
    loop = asyncio.get_running_loop()
    began = loop.time()
    await Travel(Provider([Source("one", [a_flight("590.00")], then="hang")])).reply(FLIGHTS)
    assert loop.time() - began == pytest.approx(SOURCE_TIMEOUT_S)


async def test_nothing_found_is_said():
    reply, _ = await Travel(Provider([Source("one")])).reply(FLIGHTS)
    assert reply == "I found no flights from Berlin to Tokyo on Thu 10 December 2026, 1 passenger, economy."


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Flights from Rome to Rome on 10 December",
            "Start and destination are both Rome. Where would you like to go?",
        ),
        (
            "Flights from FCO to Rome on 10 December",
            "Start and destination are both Rome. Where would you like to go?",
        ),
        (
            "Flights from Osaka to Kyoto on 10 December",
            "Osaka and Kyoto share an airport. Where would you like to go?",
        ),
        ("Flights from Rome to Moab on 10 December", "There is no airport in Moab that I know of."),
        ("Flights from Moab to Rome on 10 December", "There is no airport in Moab that I know of."),
    ],
)
async def test_where_nobody_can_fly_the_reply_says_why(message, told):
    reply, context = await both().reply(message)
    assert reply == told
    assert context.tool_calls == {}


async def test_the_airport_that_a_small_town_is_reached_by_is_named():
    reply, _ = await both().reply("Flights from Tübingen to Bath on 10 December")
    assert "I fly from Stuttgart (STR), 22 km from Tübingen." in reply
    assert "I fly to Bristol (BRS), 25 km from Bath." in reply


@pytest.mark.parametrize(
    "question", ["which airport is that?", "what's the nearest airport?", "ok and which airports do you mean"]
)
async def test_who_asks_which_airport_it_is_gets_its_name(question):
    travel = both()
    _, first = await travel.reply("Flights from Tübingen to Rome on 10 December")
    reply, context = await travel.reply(question, after=first)
    assert reply == "From Stuttgart (STR), 22 km from Tübingen, to Rome (FCO, CIA)."
    assert context.tool_calls == {}


async def test_no_more_is_asked_about_a_flight_that_cannot_be():
    reply, _ = await both().reply("flights from Rome to Moab")
    assert reply == "There is no airport in Moab that I know of."


async def test_a_hotel_is_found_also_where_nobody_can_fly():
    reply, _ = await both().reply("flights and hotels in Moab from Rome, 10 to 12 December")
    assert "I found 1 hotel" in reply
    assert "There is no airport in Moab that I know of." in reply


async def test_a_change_that_cannot_be_is_named_and_leaves_the_rest_alone():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    reply, second = await travel.reply("for 0 people", after=first)
    assert reply == "I cannot search for 0 people. Nothing else has changed."
    assert second.tool_calls == {}


async def test_what_was_taken_is_told_with_what_else_it_could_have_meant():
    reply, _ = await both().reply("a hotel in Saint Petersburg on 10 December")
    assert "I took Saint Petersburg, Russia; did you mean Saint Petersburg, Florida?" in reply


async def test_a_search_that_was_called_off_is_not_done_again():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    left = left_by(first, AT)
    _, second = await travel.reply("forget the flights, just hotels", after=first, previous=left)
    assert sorted(second.agents) == ["hotel"]


async def test_small_talk_is_answered_without_a_search():
    reply, context = await both().reply("thanks!")
    assert reply == "You are welcome."
    assert context.tool_calls == {}


async def test_a_stop_tells_what_is_kept_of_what_it_ended():
    travel = both()
    _, first = await travel.reply(BOTH)
    reply, _ = await travel.reply("stop", after=first, previous=left_by(first, AT))
    assert reply == f"{STOPPED} What I had found is kept: 2 flights and 1 hotel."


async def test_a_stop_before_anything_was_found_promises_nothing():
    travel = both()
    first = travel.context(BOTH)
    reply, _ = await travel.reply("stop", after=first, previous=left_by(first, AT))
    assert reply == STOPPED


async def test_a_stop_that_ended_nothing_says_so():
    assert (await both().reply("stop"))[0] == NOTHING_TO_STOP


async def test_what_was_found_before_the_change_of_mind_is_mentioned_where_it_is_not_found_again():
    travel = both()
    _, first = await travel.reply(BOTH)
    first.request_interruption(InterruptReason.SUPERSEDED)
    left = left_by(first, AT)
    reply, _ = await travel.reply("forget the flights, just hotels", after=first, previous=left)
    assert "Before you changed your mind I had found 2 flights; they are kept." in reply


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Flights from Paris to Rome on 12 December", "2 flights and 1 hotel"),
        ("a hotel in Rome from 12 to 13 December", "2 flights and 1 hotel"),
    ],
)
async def test_what_was_found_is_also_mentioned_where_something_new_is_asked_for(message, kept):
    travel = both()
    _, first = await travel.reply(BOTH)
    first.request_interruption(InterruptReason.SUPERSEDED)
    reply, second = await travel.reply(message, after=first, previous=left_by(first, AT))
    assert second.task.relation == "new"
    assert f". Before you changed your mind I had found {kept}; they are kept." in reply


async def test_where_several_fly_the_price_for_each_is_told_beside_that_for_all():
    each = a_flight("300.00")
    for_two = replace(each, passengers=2, price_total=Money(amount=Decimal("600.00")))
    travel = Travel(Provider([Source("one", [for_two])]))
    reply, _ = await travel.reply("flights from Berlin to Tokyo on 10 December for 2 people, max 300 euros")
    assert "2 passengers, economy, up to €300 for each" in reply
    assert "the cheapest is Aurora Demo for 600.00 EUR (300.00 EUR each)." in reply


async def test_a_single_find_is_told_in_the_singular():
    travel = Travel(Provider([Source("one", [a_flight("590.00")])], [Source("chains", [a_hotel("120.00")])]))
    _, first = await travel.reply(FLIGHTS)
    left = left_by(first, AT)
    hotels = "forget the flights, hotels in Rome from 12 to 13 December"
    reply, _ = await travel.reply(hotels, after=first, previous=left)
    assert "I had found 1 flight; it is kept." in reply


async def test_what_was_found_before_a_stop_is_not_called_a_change_of_mind():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    first.request_interruption(InterruptReason.STOPPED)
    left = left_by(first, AT)
    reply, _ = await travel.reply("Hotels in Rome from 12 to 13 December", previous=left)
    assert ". Earlier I had found 2 flights; they are kept." in reply


async def test_what_is_searched_for_once_more_and_found_again_is_not_mentioned():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    left = left_by(first, AT)
    for message, after in ((FLIGHTS, None), ("make it 11 December", first)):
        reply, second = await travel.reply(message, after=after, previous=left)
        assert second.task.relation == ("new" if after is None else "refine")
        assert reply.startswith("I found 2 flights")
        assert "had found" not in reply


async def test_a_search_that_is_cut_short_by_an_addition_is_done_again_beside_it():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    left = left_by(first, AT)
    _, second = await travel.reply("and hotels there", after=first, previous=left)
    assert sorted(second.agents) == ["flight", "hotel"]


async def test_when_a_task_is_interrupted_every_source_is_closed_and_its_calls_say_so():
    travel = both(flights="hang", hotels="hang")
    context = travel.context(BOTH)
    work = TaskOwner().spawn(travel.workflow.run(context), name="work")
    await asyncio.sleep(2.5)
    travel.ledger.interrupt_calls(context)
    work.cancel()
    await asyncio.wait({work})
    await travel.ledger.settle(context, patience_s=1)
    assert [call.outcome for call in travel.ledger.account(context)] == ["cancelled", "cancelled"]
    sources = [source for tool in travel.workflow._search_tools.values() for source in tool._sources]
    assert [source.closed for source in sources] == [True, True]
    assert len(travel.owner) == 0


async def test_only_what_fits_a_limit_that_no_source_is_asked_by_is_shown_and_counted():
    hotels = [a_hotel("120.00"), replace(a_hotel("90.00", "Stork Demo"), score=7.9)]
    reply, context = await Travel(Provider([], [Source("chains", hotels)])).reply(
        "hotels in Tokyo from 10 December rated 8 or better"
    )
    assert reply.startswith("I found 1 hotel in Tokyo")
    assert "1 guest, rated 8 or better: the cheapest is Heron Demo" in reply
    assert [item["name"] for item in context.partial_results.to_json()["hotel"]] == ["Heron Demo"]
    assert context.agents["hotel"].detail == "1 fit of 2 hotels from 1 of 1 sources"


async def test_a_limit_that_nothing_fits_leaves_nothing_found():
    reply, context = await Travel(Provider([Source("one", [a_flight("590.00")])])).reply(
        "flights from Berlin to Tokyo on 10 December by 00:01 departure"
    )
    assert "leaving by 00:01" in reply
    assert reply.startswith("I found no flights from Berlin to Tokyo on Thu 10 December 2026, 1 passenger")
    assert context.partial_results.count("flight") == 0


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("only direct ones", "I found 1 flight, nonstop: the cheapest is Aurora Demo for 612.40 EUR."),
        (
            "make it 11 December",
            "I found 2 flights on Fri 11 December 2026: the cheapest is Larch Demo for 590.00 EUR.",
        ),
        ("at most 100 euros", "I found no flights for that: up to €100. I went through 2 flights."),
        (
            "make it business class for 2 people",
            "I found 2 flights, 2 passengers, business class: the cheapest is Larch Demo for 590.00 EUR.",
        ),
    ],
)
async def test_a_change_is_answered_in_one_sentence_of_what_changed_and_what_is_cheapest(message, told):
    travel = Travel(
        Provider([Source("one", [a_flight("612.40"), a_flight("590.00", "Larch Demo", stops=1)])])
    )
    _, first = await travel.reply(FLIGHTS)
    assert (await travel.reply(message, after=first))[0] == told


@pytest.mark.parametrize(
    ("limits", "still"),
    [
        ("only nonstop", "nonstop"),
        ("at most 700 euros", "up to €700"),
        ("nonstop and at most 700 euros", "nonstop, up to €700"),
        ("in business class", ""),
        ("for 2 people", ""),
    ],
)
async def test_a_change_that_leaves_nothing_names_the_limits_of_before(limits, still):
    travel = Travel(Provider([Source("one", [a_flight("612.40")])]))
    _, first = await travel.reply(FLIGHTS)
    _, second = await travel.reply(limits, after=first)
    reply, _ = await Travel(Provider([Source("one")])).reply("make it Osaka", after=second)
    assert reply.startswith(f"I found no flights to Osaka{f' (still {still})' if still else ''}.")


async def test_a_change_that_finds_something_names_no_limits_of_before():
    travel = Travel(Provider([Source("one", [a_flight("612.40")])]))
    _, first = await travel.reply(FLIGHTS)
    _, second = await travel.reply("only nonstop", after=first)
    reply, _ = await travel.reply("make it Osaka", after=second)
    assert reply.startswith("I found 1 flight to Osaka: the cheapest")


async def test_a_question_stands_alone_behind_what_was_found():
    reply, context = await both().reply("a hotel in Saint Petersburg on 10 December")
    found, question = reply.split("\n\n")
    assert found.startswith("I found 1 hotel in Saint Petersburg")
    assert question == "I took Saint Petersburg, Russia; did you mean Saint Petersburg, Florida?"
    assert context.suggestions == ()


async def test_after_changes_that_came_before_any_reply_all_that_is_asked_for_is_told():
    travel = both()
    first = travel.context(FLIGHTS)
    first.request_interruption(InterruptReason.SUPERSEDED)
    reply, _ = await travel.reply("for 2 people", after=first, previous=left_by(first, AT))
    assert reply.startswith("I found 2 flights from Berlin to Tokyo on Thu 10 December 2026, 2 passengers")
