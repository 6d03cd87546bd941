"""Permissions answered by words: a plain yes books, a no denies, all else leaves it open."""

import asyncio
import re
from datetime import timedelta

import pytest

from backend.domain.questions import InputRequest, Permission
from backend.travel.agents.response import NOTHING_WAITS, TAKE_YOUR_TIME
from backend.travel.read_in_situation import decided_by
from tests.agents.booking_guest import BOTH, FLIGHTS, HOTELS, NO_BOOKINGS, a_house, total
from tests.records import AT, a_question


async def ask_to_book(house):
    """Have the cheapest flight asked about; return the question."""
    await house.say("ann", FLIGHTS)
    return await house.say("ann", "book the cheapest")


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize("said", ["no, too expensive", "nah", "no thanks, I'll book it later"])
async def test_no_with_its_reason_denies(house, said):
    await ask_to_book(house)
    task_id = (await house.status("ann"))["task_id"]
    assert await house.say("ann", said) == "You did not allow it, so nothing was booked."
    assert ("book_flight", "denied") in await house.calls("ann", task_id)
    assert await house.say("ann", "no") == "All right."
    assert await house.say("ann", "show my bookings") == NO_BOOKINGS


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["ok go", "yes book it please"])
async def test_yes_in_more_words_books(house, said):
    await ask_to_book(house)
    assert (await house.say("ann", said)).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED", "A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said",
    ["hold on", "hmm let me think", "not yet", "need to check with my boss first", "yes later",
     "yes please, I'll decide tonight", "book it under the name Paris Hilton"],
)  # fmt: skip
async def test_request_for_time_leaves_the_permission_open(house, said):
    prompt = await ask_to_book(house)
    request_id = (await house.asked("ann"))["request_id"]
    assert await house.say("ann", said) == f"{TAKE_YOUR_TIME} {prompt}"
    assert (await house.asked("ann"))["request_id"] == request_id
    assert (await house.say("ann", "yes")).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("hold on, what's the cancellation deadline?", "can"),
        ("let me think, what would you pick?", "I would take"),
        ("wait - do they have a trouser press on board?", "trouser press"),
        ("hang on, can my mother in law board before me", "mother in law"),
    ],
)
async def test_question_behind_a_pause_is_answered_and_leaves_the_permission_open(house, said, told):
    prompt = await ask_to_book(house)
    request_id = (await house.asked("ann"))["request_id"]
    reply = await house.say("ann", said)
    assert told in reply
    assert TAKE_YOUR_TIME not in reply
    assert reply.endswith(prompt)
    assert (await house.asked("ann"))["request_id"] == request_id


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_question_that_changes_nothing_leaves_the_permission_for_the_hotel_open(house):
    await house.say("ann", HOTELS)
    prompt = await house.say("ann", "book the cheapest")
    reply = await house.say("ann", "hang on, can my mother in law check in before me")
    assert reply.endswith(prompt)
    assert "changed your mind" not in reply


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["yes, if it is refundable", "yes to the hotel", "make it two people", "no problem", "go",
     "is it refundable?"],
)  # fmt: skip
async def test_anything_but_a_plain_yes_books_nothing(house, said):
    await ask_to_book(house)
    await house.say("ann", said)
    assert NO_BOOKINGS in await house.say("ann", "show my bookings")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    ("said", "left"),
    [("go ahead. Please send the confirmation to his email", "Please send the confirmation to his email"),
     ("yes, and email me the receipt", "email me the receipt"),
     ("ok book it and send the invoice to accounting", "send the invoice to accounting")],
)  # fmt: skip
async def test_papers_wanted_beside_a_yes_are_named_as_not_sent(house, said, left):
    await ask_to_book(house)
    reply = await house.say("ann", said)
    assert reply.startswith("Booked as ")
    assert reply.endswith(f'I did nothing with "{left}".')


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize(
    "said",
    ["please send me the confirmation first", "yes, once I have the invoice",
     "no. Send the confirmation to his email", "ok but send me the invoice before you book",
     "send me a receipt"],
)  # fmt: skip
async def test_papers_wanted_before_it_or_alone_book_nothing(house, said):
    await ask_to_book(house)
    await house.say("ann", said)
    assert NO_BOOKINGS in await house.say("ann", "show my bookings")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["book it", "ja, buchen", "sí, resérvalo", "予約して"])
async def test_words_that_allow_a_booking_do_not_allow_a_cancellation(house, said):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference}")
    await house.say("ann", said)
    assert f"{reference} (booked)" in await house.say("ann", "show my bookings")


async def test_other_offer_that_is_named_is_asked_about_instead(house):
    await house.say("ann", FLIGHTS)
    first = await house.say("ann", "book the cheapest")
    second = await house.say("ann", "no, the second one")
    assert second.startswith("Shall I book")
    assert second != first


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said",
    ["not that one", "wait, not that flight", "I didn't mean that one", "that's the wrong day",
     "anything but this", "hmm not the Demo one",
     "not this one. What stops does the second one have?", "hmm, actually I'd rather see other days",
     "no, show me others", "wait, show me others", "something else please", "the other one then",
     "hold on, what else is there?", "hmm show me the other ones first", "any others?", "wait, show me more"],
)  # fmt: skip
async def test_refused_offer_is_not_booked_by_the_next_yes(house, said):
    await ask_to_book(house)
    await house.say("ann", said)
    await house.say("ann", "ok")
    assert NO_BOOKINGS in await house.say("ann", "show my bookings")


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said", ["not that one, the second cheapest", "the next one", "wrong one, I meant the second"]
)
async def test_yes_behind_a_refusal_books_what_was_named_instead(house, said):
    first = await ask_to_book(house)
    second = await house.say("ann", said)
    assert second.startswith("Shall I book")
    assert second != first
    named = second.removeprefix("Shall I book ").partition("?")[0]
    assert named.partition(" for ")[0] in await house.say("ann", "ok")


@pytest.mark.requirement("A-NO-IS-A-NO")
@pytest.mark.parametrize(
    "said", ["no, the other one", "hmm, actually change the dates instead", "not that booking"]
)
async def test_refused_cancellation_is_not_made_by_the_next_yes(house, said):
    await house.say("ann", HOTELS)
    reference = await house.book("ann", "book the cheapest")
    await house.say("ann", f"cancel {reference}")
    await house.say("ann", said)
    await house.say("ann", "ok")
    assert f"{reference} (booked)" in await house.say("ann", "show my bookings")


@pytest.mark.requirement("A-NO-IS-A-NO")
async def test_next_one_of_a_named_hotel_is_another(house):
    await house.say("ann", HOTELS)
    first = await house.say("ann", "book the cheapest")
    name = first.removeprefix("Shall I book ").partition(" in ")[0]
    asked = {await house.say("ann", f'book the hotel "{name}"')}
    asked |= {
        await house.say("ann", "the next one"),
        await house.say("ann", "not this one either, the next one"),
    }
    assert len(asked) == 3, asked


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
@pytest.mark.parametrize("said", ["yes, book the flight", "yes"])
def test_words_allow_only_tools_that_have_words(said):
    assert decided_by(said, [a_permission("book_flight")]) == {"r1": {"decision": "allow"}}
    assert decided_by(said, [a_permission("book_a_submarine")]) == {}


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
def test_yes_in_another_language_is_told_by_its_own_words_and_not_by_their_english() -> None:
    asked = [a_permission("book_flight")]
    assert decided_by("yes, book it", asked, said="ja, reservieren Sie es doch") == {}
    assert decided_by("yes, please", asked, said="ja, bitte") == {"r1": {"decision": "allow"}}
    assert decided_by("no thanks", asked, said="nein, lieber doch nicht") == {"r1": {"decision": "deny"}}
    assert decided_by("yes", [a_permission("cancel_booking")], said="ja") == {}


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_no_after_a_yes_is_told_that_the_booking_stays(house):
    await house.say("ann", FLIGHTS)
    reference = await house.book("ann", "book the cheapest")
    told = f'{reference} stays as it is: say "cancel it" if you do not want it.'
    assert await house.say("ann", "no") == told


@pytest.mark.parametrize(
    ("said", "asks_again"),
    [
        ("no wait, don't. Is there one on the 12th?", False),
        ("please don't. Make it the 12th", False),
        ("no thanks. What about the 12th?", False),
        ("no, make it the 12th", True),
        ("make it the 12th", True),
    ],
)
async def test_change_behind_a_no_is_searched_and_not_asked_to_be_booked(
    tmp_path, said: str, asks_again: bool
):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await ask_to_book(guests)
        reply = await guests.say("ann", said)
        assert ("Shall I book" in reply) == asks_again, reply
        assert "12 December" in reply


async def test_yes_to_nothing_says_that_nothing_waits_for_it(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await guests.say("ann", FLIGHTS)
        assert await guests.say("ann", "yes") == NOTHING_WAITS
        assert await guests.say("ann", "ok thanks") != NOTHING_WAITS


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_yes_and_no_from_two_windows_at_once_book_once_and_answer_both(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await guests.say("ann", FLIGHTS)
        await guests.say("ann", "book the cheapest")
        yes, _ = await asyncio.gather(guests.chat("ann", "yes"), guests.chat("ann", "no"))
        assert yes["relation"] == "answer"
        await guests.until_ended("ann", yes["task_id"])
        said = [each["text"] for each in (await guests.history("ann"))["messages"]]
        assert "All right." not in said
        assert any("a no does not stop it" in each or "stays as it is" in each for each in said)
        assert len({reference for each in said for reference in re.findall(r"DEMO-\w+", each)}) == 1


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("agreed", ["yes", "ok book it"])
async def test_yes_to_a_proposal_asks_for_permission_and_books_nothing_yet(house, agreed):
    await house.say("ann", FLIGHTS)
    told = await house.say("ann", "ok the second one please")
    assert told.startswith("Number 2, ")
    assert told.endswith("Shall I book it?")
    asked = await house.say("ann", agreed)
    assert asked.startswith("Shall I book ")
    assert (await house.asked("ann"))["kind"] == "permission"
    assert (await house.say("ann", "yes")).startswith("Booked as DEMO-")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
@pytest.mark.parametrize("said", ["no thanks", "is it refundable?"])
async def test_yes_after_another_answer_to_a_proposal_asks_for_no_permission(house, said):
    await house.say("ann", FLIGHTS)
    await house.say("ann", "ok the second one please")
    assert "Shall I book" not in await house.say("ann", said)
    assert "Shall I book" not in await house.say("ann", "yes")


@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_yes_after_no_offer_was_found_to_be_meant_books_nothing(house):
    await house.say("ann", FLIGHTS)
    assert (await house.say("ann", "the 04:03 one")).startswith("None of the ")
    assert "Shall I book" not in await house.say("ann", "yes")


async def test_change_of_what_is_to_be_booked_is_told_by_the_booking_alone(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await ask_to_book(guests)
        assert "Shall I book" in await guests.say("ann", "make it the 12th")
        assert (await guests.say("ann", "yes")).startswith("Booked as DEMO-")


async def test_cheapest_one_behind_a_search_for_hotels_is_a_hotel(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await guests.say("ann", BOTH)
        await guests.say("ann", "only hotels with a pool")
        assert " in New York from Fri 4 December 2026" in await guests.say("ann", "take the cheapest one")


async def test_search_that_is_added_while_a_booking_is_asked_about_is_told(tmp_path):
    async with a_house(tmp_path, demo_pace=0.05) as guests:
        await ask_to_book(guests)
        asked = await guests.say("ann", "and a hotel in New York from 4 to 9 December")
        assert re.search(r"Shall I book .* I found \d+ hotels: cheapest", asked), asked
        assert (await guests.say("ann", "make it nonstop")).count("I found") == 0


STAY = "hotel in Berlin, 11 to 13 December"
ROUND_TRIP = "flights from Zurich to Vienna on 3 December, back on 4 December"


@pytest.mark.parametrize(
    ("request_", "said", "told"),
    [
        (ROUND_TRIP, "yes but only if it's under 2000", 'fits "up to €2,000". Shall I'),
        (ROUND_TRIP, "yes if it's under 20 euros", 'does not fit "up to €20", nor does any other of the '),
        (ROUND_TRIP, "yes as long as it's direct", 'fits "nonstop". Shall I'),
        (ROUND_TRIP, "ok but with one more suitcase", 'does not fit "with 1 checked bag"; the cheapest of '),
        (ROUND_TRIP, "yes, but only if I can cancel it for free later", 'fit "refundable"'),
        (STAY, "yes, only if breakfast is included", 'does not fit "with breakfast"; the cheapest of '),
        (STAY, "book it only if I can cancel", 'fits "with free cancellation". Shall I'),
        (STAY, "yes, provided it has a view of the moon", "Shall I"),
        (STAY, "yes unless it is noisy", 'I did nothing with "yes unless it is noisy". Shall I'),
    ],
)
async def test_yes_on_a_condition_is_answered_and_books_nothing(house, request_, said, told):
    await house.say("ann", request_)
    question = await house.say("ann", "book the cheapest")
    reply = await house.say("ann", said)
    assert told in reply
    assert reply.endswith(question)
    assert (await house.say("ann", "show my bookings")).startswith(NO_BOOKINGS)
    assert (await house.say("ann", "yes")).startswith("Booked as DEMO-")


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("yes, only if breakfast is included", "fine without breakfast then, do it"),
        ("sure, if insurance is in it", "ok whatever, yes"),
        ("ok but with breakfast", "then leave the breakfast, go ahead"),
        ("ok whatever", "oh well, go ahead"),
    ],
)
async def test_yes_beside_what_is_done_without_books_what_is_asked(house, before, said):
    await house.say("ann", STAY)
    question = await house.say("ann", "book the cheapest")
    assert (await house.say("ann", before)).endswith(question)
    assert (await house.say("ann", said)).startswith("Booked as DEMO-")


async def test_yes_without_what_was_searched_for_asks_about_another(house):
    await house.say("ann", f"{STAY} with breakfast")
    with_it = await house.say("ann", "book the cheapest")
    without = await house.say("ann", "fine without breakfast then, do it")
    assert without.startswith("Shall I book ")
    assert without != with_it


@pytest.mark.parametrize("said", ["yes cancel", "hmm, cancel it again", "ok, cancel that", "no, call it off"])
async def test_calling_off_what_is_asked_about_denies_it(house, said):
    await house.say("ann", STAY)
    await house.say("ann", "book the cheapest")
    assert await house.say("ann", said) == "You did not allow it, so nothing was booked."


@pytest.mark.parametrize(
    ("said", "place"),
    [
        ("not the cheapest flight, the one after that. book it", 1),
        ("not the cheapest, the second cheapest. book it", 1),
        ("book the one after the cheapest", 1),
        ("not the first one, the third, book it", 2),
    ],
)
async def test_offer_in_the_place_of_one_that_is_not_meant_is_asked_about(house, said, place):
    await house.say("ann", ROUND_TRIP)
    flights = await house.found("ann", "flight")
    assert f"for {total(flights[place])}?" in await house.say("ann", said)


@pytest.mark.parametrize(
    "said", ["take the cheapest one that isn't Hopscotch", "book the cheapest, but not Hopscotch"]
)
async def test_airline_that_is_not_wanted_is_not_asked_about(house, said):
    await house.say("ann", ROUND_TRIP)
    assert "Shall I book Hopscotch Demo" in await house.say("ann", "book the cheapest")
    await house.say("ann", "no")
    reply = await house.say("ann", said)
    assert reply.startswith("Shall I book ")
    assert "Hopscotch" not in reply


@pytest.mark.parametrize(
    ("said", "place"), [("no, not that one, the next", 1), ("the second one then. no, the third", 2)]
)
async def test_offer_named_instead_is_asked_about(house, said, place):
    await house.say("ann", ROUND_TRIP)
    flights = await house.found("ann", "flight")
    await house.say("ann", "book the cheapest")
    assert f"for {total(flights[place])}?" in await house.say("ann", said)
