"""What the reply tells of the interrupted task before: the truth about each of its calls, once."""

import pytest

from tests.agents.sources import Provider, Source, Travel, a_flight
from tests.records import ANN, a_context, a_tool_call

pytestmark = pytest.mark.virtual_time

FLIGHTS = "find flights from Berlin to Tokyo on 10 December"


async def reply_after(*calls, reason="superseded", previous_task_id="ann-0"):
    travel = Travel(Provider([Source("one", [a_flight("100")])]))
    await travel.log.open()
    for number, call in enumerate(calls):
        await travel.log.commit(ANN, a_tool_call(turn=0, number=number, **call))
    left = a_context(turn=0, reason=reason, request=None, partial_results=b"{}", counts={}, text="")
    context = travel.context(FLIGHTS, previous=left)
    context.revise(previous_task_id=previous_task_id)
    return await travel.workflow.run(context)


BOOKING = {"agent": "booking", "tool": "book_flight", "effect": "write"}


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
        ({"state": "ended", "outcome": "not_started"}, "superseded", "Booking the flight was not begun."),
    ],
)
async def test_what_became_of_a_booking_is_told(call, reason, told):
    assert told in await reply_after({**BOOKING, **call}, reason=reason)


async def test_a_booking_that_the_user_denied_is_not_told_again():
    assert (await reply_after({**BOOKING, "outcome": "denied"})).startswith("I found")


async def test_how_far_a_search_was_is_told_unless_it_is_made_again():
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


async def test_what_an_earlier_task_did_is_not_told_once_more():
    call = {**BOOKING, "state": "ended", "outcome": "completed", "summary": "booked"}
    assert (await reply_after(call, previous_task_id="ann-00")).startswith("I found")
