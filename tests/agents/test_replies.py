"""The reply tells what arrived, what failed, and what became of the interrupted task before."""

import asyncio

import pytest
import structlog

from backend.domain.task import InterruptReason
from backend.tasks.settlement import interrupted_context
from backend.tasks.task_owner import TaskOwner
from backend.travel.agents.response import DEMO, NOTHING_TO_STOP, STOPPED
from backend.travel.tools.search import SOURCE_TIMEOUT_S
from tests.agents.ann import TOKYO, Ann, opened
from tests.agents.sources import AT, Provider, Source, Travel, a_flight, a_hotel
from tests.records import ANN, a_context, a_tool_call

pytestmark = pytest.mark.virtual_time
FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"
BOTH = "flights and hotels in Tokyo from Berlin, 10 to 11 December"


def both(flights: str = "end", hotels: str = "end") -> Travel:
    """Two flights and one hotel, from a source each, which then end as told."""
    return Travel(
        Provider(
            [Source("one", [a_flight("612.40")], [a_flight("590.00", "Larch Demo")], then=flights)],
            [Source("chains", [a_hotel("120.00")], then=hotels)],
        )
    )


async def test_reply_names_the_cheapest_of_each_kind():
    reply, context = await both().reply(BOTH)
    assert reply == (
        "I found 2 flights from Berlin to Tokyo, Thu 10 to Fri 11 December: "
        f"cheapest Larch Demo, 08:30-08:30, €590.00; 1 hotel for €120.00. {DEMO}"
    )
    assert {name: each.state for name, each in context.agents.items()} == {"flight": "done", "hotel": "done"}


@pytest.mark.parametrize(
    "messages",
    [
        ["flights from Berlin to Lisbon on 10 December"],
        ["flights from Berlin to Lisbon on 10 December and a hotel for 3 nights"],
        [BOTH],
        [BOTH, "make it Porto"],
        [BOTH, "leaving after 8:00"],
        ["a hotel in Rome from 12 to 13 December"],
    ],
    ids=lambda messages: messages[-1],
)
async def test_reply_to_a_search_is_of_25_words_at_most(messages):
    travel, context = both(), None
    for message in messages:
        reply, context = await travel.reply(message, after=context)
    assert reply.startswith("I found")
    assert len(reply.removesuffix(DEMO).split()) <= 25, reply
    assert "2026" not in reply


async def test_change_of_the_flight_says_nothing_of_a_stay_that_it_leaves_alone():
    travel = both()
    _, first = await travel.reply(BOTH)
    reply, second = await travel.reply("only direct ones", after=first)
    assert reply == "I found 2 flights, nonstop: cheapest Larch Demo, 08:30-08:30, €590.00."
    assert second.partial_results.count("hotel") == 1


async def test_stay_is_told_with_the_flight_when_more_people_come():
    travel = both()
    _, first = await travel.reply(BOTH)
    reply, _ = await travel.reply("make that 3 adults", after=first)
    assert "3 passengers" in reply
    assert "1 hotel" in reply


async def test_hotel_that_a_message_adds_is_told_beside_what_it_changes():
    travel = both()
    _, first = await travel.reply("flights from Berlin to Tokyo, 10 to 11 December")
    reply, _ = await travel.reply("2 adults, one room", after=first)
    assert "2 flights" in reply
    assert "1 hotel" in reply


@pytest.mark.requirement("FAILURES-STAY-ALONE")
@pytest.mark.parametrize("how", ["fail", "break", "hang"])
async def test_failed_agent_leaves_the_results_of_the_other(how):
    travel = Travel(Provider([Source("one", [a_flight("590.00")])], [Source("chains", then=how)]))
    reply, context = await travel.reply(BOTH)
    assert "I found 1 flight" in reply
    assert "The hotel search did not work: none of the sellers of hotels answered." in reply
    assert [context.agents[name].state for name in ("flight", "hotel")] == ["done", "failed"]
    assert [call.outcome for call in context.tool_calls.values()] == ["completed", "failed"]


@pytest.mark.requirement("FAILURES-STAY-ALONE")
@pytest.mark.parametrize(
    ("then", "told"), [("fail", "no answer from two"), ("refuse: It has passed.", "refused by two")]
)
async def test_failed_source_is_left_out_and_named(then, told):
    sources = [Source("one", [a_flight("590.00")]), Source("two", then=then)]
    reply, context = await Travel(Provider(sources)).reply(FLIGHTS)
    assert "I found 1 flight" in reply
    assert context.agents["flight"].detail == f"1 flight from 1 of 2 sources; {told}"


@pytest.mark.parametrize(
    ("refusal", "told"),
    [
        ("10 December 2020 has passed.", "10 December 2020 has passed."),
        (
            "Flights are sold to 1 to 9 passengers together.",
            "flights are sold to 1 to 9 passengers together.",
        ),
    ],
)
async def test_refusal_of_all_sources_is_the_reason(refusal, told):
    sources = [Source(name, then=f"refuse: {refusal}") for name in ("one", "two")]
    with structlog.testing.capture_logs() as logs:
        reply, context = await Travel(Provider(sources)).reply(FLIGHTS)
    assert reply.endswith(f"economy. The flight search did not work: {told}")
    assert context.agents["flight"].detail == refusal
    assert [(entry["event"], entry["log_level"]) for entry in logs] == [("a source refused", "info")] * 2


@pytest.mark.parametrize("other", ["fail", "refuse: Nobody flies there."])
async def test_refusal_of_some_sources_is_not_the_reason(other):
    sources = [Source("one", then="refuse: It has passed."), Source("two", then=other)]
    reply, _ = await Travel(Provider(sources)).reply(FLIGHTS)
    assert "did not work: none of the sellers of flights answered." in reply
    assert "passed" not in reply


async def test_results_of_a_source_before_it_failed_are_kept():
    reply, context = await both(hotels="break").reply(BOTH)
    assert "The hotel search did not work" in reply
    assert "1 hotel had arrived before." in reply
    assert context.partial_results.count("hotel") == 1


async def test_source_that_hangs_is_given_up_after_its_time():
    loop = asyncio.get_running_loop()
    began = loop.time()
    await Travel(Provider([Source("one", [a_flight("590.00")], then="hang")])).reply(FLIGHTS)
    assert loop.time() - began == pytest.approx(SOURCE_TIMEOUT_S)


async def test_interruption_closes_every_source_and_cancels_its_calls():
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


@pytest.mark.parametrize(
    ("message", "told"),
    [
        (
            "Flights from Rome to Rome on 10 December",
            "Start and destination are both Rome. Where would you like to go?",
        ),
        (
            "Flights from Osaka to Kyoto on 10 December",
            "Osaka and Kyoto share an airport. Where would you like to go?",
        ),
        ("Flights from Rome to Moab on 10 December", "There is no airport in Moab that I know of."),
    ],
)
async def test_journey_that_cannot_be_flown_says_why(message, told):
    reply, context = await both().reply(message)
    assert reply == told
    assert context.tool_calls == {}


async def test_impossible_change_is_named_and_changes_nothing():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    reply, second = await travel.reply("for 0 people", after=first)
    assert reply == "I cannot search for 0 people. Nothing else has changed."
    assert second.tool_calls == {}


async def test_stop_tells_what_is_kept_and_promises_nothing_else():
    travel = both()
    _, first = await travel.reply(BOTH)
    reply, _ = await travel.reply("stop", after=first, previous=interrupted_context(first, AT))
    assert reply == f"{STOPPED} Kept: 2 flights and 1 hotel."
    early = travel.context(BOTH)
    assert (await travel.reply("stop", after=early, previous=interrupted_context(early, AT)))[0] == STOPPED
    assert (await both().reply("stop"))[0] == NOTHING_TO_STOP


@pytest.mark.parametrize(
    ("reason", "message", "told"),
    [
        (
            InterruptReason.SUPERSEDED,
            "a hotel in Rome from 12 to 13 December",
            "Kept from before: 2 flights and 1 hotel.",
        ),
        (
            InterruptReason.STOPPED,
            "a hotel in Rome from 12 to 13 December",
            "Kept from before: 2 flights and 1 hotel.",
        ),
    ],
)
async def test_results_of_before_that_are_not_found_again_are_mentioned(reason, message, told):
    travel = both()
    _, first = await travel.reply(BOTH)
    first.request_interruption(reason)
    assert told in (await travel.reply(message, after=first, previous=interrupted_context(first, AT)))[0]


async def test_results_of_what_is_no_longer_wanted_are_not_mentioned():
    travel = both()
    _, first = await travel.reply(BOTH)
    first.request_interruption(InterruptReason.SUPERSEDED)
    left = interrupted_context(first, AT)
    reply, _ = await travel.reply("forget the flights, just hotels", after=first, previous=left)
    assert reply.startswith("I found 1 hotel")
    assert "flight" not in reply


async def test_results_that_are_found_again_are_not_mentioned():
    travel = both()
    _, first = await travel.reply(FLIGHTS)
    left = interrupted_context(first, AT)
    for message, after in ((FLIGHTS, None), ("make it 11 December", first)):
        reply, second = await travel.reply(message, after=after, previous=left)
        assert second.task.relation == ("new" if after is None else "refine")
        assert reply.startswith("I found 2 flights")
        assert "had found" not in reply


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("only direct ones", "I found 1 flight, nonstop: Aurora Demo, 08:30-08:30, €612.40."),
        (
            "make it 11 December",
            "I found 2 flights on Fri 11 December: cheapest Larch Demo, 08:30-08:30, €590.00.",
        ),
        (
            "at most 100 euros",
            "I found no flights for that: up to €100. "
            'Without "up to €100" I have 2 flights: the cheapest Larch Demo at 08:30 (11 h 40 min, 1 stop) '
            "for €590.00.",
        ),
    ],
)
async def test_change_is_answered_by_what_changed_and_what_is_cheapest(message, told):
    travel = Travel(
        Provider([Source("one", [a_flight("612.40"), a_flight("590.00", "Larch Demo", stops=1)])])
    )
    _, first = await travel.reply(FLIGHTS)
    assert (await travel.reply(message, after=first))[0] == told


@pytest.mark.parametrize(
    ("limits", "still"),
    [("nonstop and at most 700 euros", "nonstop, up to €700"), ("in business class", "")],
)
async def test_change_that_finds_nothing_names_the_limits_still_in_force(limits, still):
    travel = Travel(Provider([Source("one", [a_flight("612.40")])]))
    _, first = await travel.reply(FLIGHTS)
    _, second = await travel.reply(limits, after=first)
    reply, _ = await Travel(Provider([Source("one")])).reply("make it Osaka", after=second)
    assert reply.startswith(f"I found no flights to Osaka{f' (still {still})' if still else ''}.")


async def test_change_before_any_reply_is_answered_with_the_whole_request():
    travel = both()
    first = travel.context(FLIGHTS)
    first.request_interruption(InterruptReason.SUPERSEDED)
    reply, _ = await travel.reply("for 2 people", after=first, previous=interrupted_context(first, AT))
    assert reply.startswith("I found 2 flights from Berlin to Tokyo on Thu 10 December, 2 passengers")


BOOKING = {"agent": "booking", "tool": "book_flight", "effect": "write"}


async def reply_after(*calls, reason="superseded", previous_task_id="ann-0"):
    travel = Travel(Provider([Source("one", [a_flight("100")])]))
    await travel.log.open()
    for number, call in enumerate(calls):
        await travel.log.commit(ANN, a_tool_call(turn=0, number=number, **call))
    left = a_context(turn=0, reason=reason, request=None, partial_results=b"{}", counts={}, text="")
    context = travel.context(FLIGHTS, previous=left)
    context.revise(previous_task_id=previous_task_id)
    return await travel.workflow.run(context)


@pytest.mark.parametrize(
    ("call", "reason", "told"),
    [
        (
            {"state": "ended", "outcome": "completed_after_interrupt", "summary": "booked as DEMO-7K2Q4M"},
            "stopped",
            "Booking the flight went through before the stop: booked as DEMO-7K2Q4M.",
        ),
        (
            {"state": "ended", "outcome": "completed", "summary": "booked as DEMO-7K2Q4M"},
            "superseded",
            "Booking the flight went through before you changed your mind: booked as DEMO-7K2Q4M.",
        ),
        ({"state": "running"}, "superseded", "Booking the flight had begun and is being finished"),
        ({"state": "ended", "outcome": "unknown"}, "superseded", "is not known yet"),
        (
            {"state": "ended", "outcome": "failed", "summary": "Declined."},
            "stopped",
            "did not go through: Declined.",
        ),
        (
            {"state": "ended", "outcome": "not_started"},
            "superseded",
            "You changed your mind before the flight was booked.",
        ),
    ],
)
async def test_outcome_of_the_interrupted_booking_is_told(call, reason, told):
    assert told in await reply_after({**BOOKING, **call}, reason=reason)


async def test_outcome_that_the_user_knows_is_not_repeated():
    booked = {**BOOKING, "state": "ended", "outcome": "completed", "summary": "booked"}
    assert (await reply_after({**BOOKING, "outcome": "denied"})).startswith("I found")
    assert (await reply_after(booked, previous_task_id="ann-00")).startswith("I found")


async def test_interrupted_search_is_told_unless_it_is_repeated():
    hotels = {
        "agent": "hotel",
        "tool": "search_hotels",
        "outcome": "cancelled",
        "summary": "cut short: 2 of 3 sources",
    }
    flights = {**hotels, "agent": "flight", "tool": "search_flights", "summary": "cut short: 1 of 3 sources"}
    reply = await reply_after(hotels, flights)
    assert reply.startswith("The hotel search was cut short: 2 of 3 sources. I found")
    assert "1 of 3 sources" not in reply


@pytest.mark.virtual_time
@pytest.mark.parametrize("then_wait_s", [1.5, None])
async def test_what_a_message_adds_is_told_first(then_wait_s):
    async with opened(Ann()) as ann:
        await ann.send(TOKYO, then_wait_s=then_wait_s)
        reply = await ann.ask("and a hotel there for 3 nights")
        assert reply.startswith("I found 4 hotels"), reply
        assert "cheapest" in reply.partition(";")[0]


@pytest.mark.parametrize(
    ("limits", "told"),
    [
        (
            "nonstop, under 600 euros",
            'Without "up to €600" I have 1 flight: Aurora Demo at 08:30 (11 h 40 min, nonstop) for €612.40; '
            'without "nonstop" I have 1 flight: Larch Demo at 08:30 (11 h 40 min, 1 stop) for €590.00.',
        ),
        (
            "leaving between 10 am and 11 am",
            'Without "leaving between 10:00 and 11:00" I have 2 flights: the cheapest Larch Demo at 08:30 '
            "(11 h 40 min, 1 stop) for €590.00.",
        ),
        (
            "leaving after 10 am, under 300 euros",
            "The nearest is Larch Demo at 08:30 (11 h 40 min, 1 stop) for €590.00.",
        ),
        ("leaving after 8 am, nonstop", ""),
    ],
)
async def test_first_search_that_nothing_fits_tells_what_each_limit_keeps_out(limits, told):
    some = [a_flight("612.40"), a_flight("590.00", "Larch Demo", stops=1)]
    reply, _ = await Travel(Provider([Source("one", some)])).reply(f"{FLIGHTS}, {limits}")
    assert reply.endswith(told)
    assert bool(told) == ("Without" in reply or "nearest" in reply)
