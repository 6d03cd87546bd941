"""Permissions answered by words: what plainly allows books, a no with its reason denies,
all else leaves it open."""

from datetime import timedelta

import pytest

from backend.domain.questions import InputRequest, Permission
from backend.travel.agents.response import TAKE_YOUR_TIME
from backend.travel.permissions import decided_by
from tests.agents.booking_guest import FLIGHTS, HOTELS
from tests.records import AT, a_question

NOT_ALLOWED = "You did not allow it, so nothing was booked."


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said", ["no, too expensive", "nah", "no thanks, that's too much", "nope, we're driving"]
)
async def test_a_no_with_its_reason_denies(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert await house.say("ann", said) == NOT_ALLOWED
    assert await house.say("ann", "show my bookings") == "You have no bookings."


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["ok go", "go ahead then", "yes book it please"])
async def test_a_yes_in_more_words_books(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert (await house.say("ann", said)).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said", ["wait", "hold on", "hmm let me think", "not yet", "hold it", "give me a minute"]
)
async def test_who_asks_for_time_is_asked_again_and_nothing_is_booked(house, said):
    await house.say("ann", FLIGHTS)
    prompt = await house.say("ann", "book the cheapest")
    request_id = (await house.asked("ann"))["request_id"]
    assert await house.say("ann", said) == f"{TAKE_YOUR_TIME} {prompt}"
    assert (await house.asked("ann"))["request_id"] == request_id, "the same permission is still open"
    assert (await house.say("ann", "yes")).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["yes, if it is refundable", "ok but later", "yes to the hotel", "make it two people", "yes, on Saturday",
     "no problem", "go", "ok I guess", "that's right", "is it refundable?"],
)  # fmt: skip
async def test_nothing_else_books(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    await house.say("ann", said)
    assert "You have no bookings." in await house.say("ann", "show my bookings")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_book_it_does_not_allow_a_cancellation(house):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference}")
    await house.say("ann", "book it")
    assert f"{reference} (booked)" in await house.say("ann", "show my bookings")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["ja, buchen", "resérvalo", "sí, resérvalo", "订吧", "予約して"])
async def test_book_it_in_another_language_does_not_allow_a_cancellation(house, said):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference}")
    await house.say("ann", said)
    assert f"{reference} (booked)" in await house.say("ann", "show my bookings")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["need to check with my boss first", "I'll decide tonight", "ask me again on Friday", "yes later",
     "book it under the name Paris Hilton", "looks good but I need to ask my wife",
     "yes please, I'll decide tonight", "book it, let me check with my boss first"],
)  # fmt: skip
async def test_what_puts_the_answer_off_is_no_change_and_leaves_the_permission_open(house, said):
    await house.say("ann", FLIGHTS)
    prompt = await house.say("ann", "book the cheapest")
    request_id = (await house.asked("ann"))["request_id"]
    assert await house.say("ann", said) == f"{TAKE_YOUR_TIME} {prompt}"
    assert (await house.asked("ann"))["request_id"] == request_id, "the same permission is still open"


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said", ["no thanks, I'll book it later", "No, my daughter Florence already bought it"]
)
async def test_a_no_stays_one_whatever_is_said_beside_it(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "book the cheapest")
    assert await house.say("ann", said) == NOT_ALLOWED


async def test_another_offer_that_is_named_is_asked_about_instead(house):
    await house.say("ann", FLIGHTS)
    first = await house.say("ann", "book the cheapest")
    second = await house.say("ann", "no, the second one")
    assert second.startswith("Shall I book")
    assert second != first


def a_permission(tool: str) -> InputRequest:
    return InputRequest(
        request_id="r1",
        user_id="ann",
        task_id="t1",
        turn=1,
        number=1,
        question=a_question("booking"),
        pause_id="p1",
        branch="",
        asked_at=AT,
        expires_at=AT + timedelta(hours=1),
        kind="permission",
        permission=Permission(call_id="c1", tool=tool, key="k1"),
    )


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["book it", "yes, book the flight", "go ahead", "yes"])
def test_words_decide_the_flight_they_name_and_nothing_that_has_no_words(said):
    assert decided_by(said, [a_permission("book_flight")]) == {"r1": {"decision": "allow"}}
    assert decided_by(said, [a_permission("book_a_submarine")]) == {}
