"""Who cancels what was booked, and wants the same hotel on other days, in one message."""

import pytest

HOTEL = "hotel in Copenhagen, 4-6 December, 1 person"


@pytest.mark.parametrize(
    "said",
    [
        "Ah no, my meeting got moved. Can you cancel that and find the same hotel 11-13 December?",
        "please cancel it and look for the same hotel on 11-13 December",
        "cancel that one, then find me the same hotel for 11-13 December",
        "cancel it. Search the same hotel 11-13 December",
    ],
)
@pytest.mark.requirement("CANCEL-IS-ABOUT-THE-BOOKING")
async def test_what_was_booked_is_cancelled_and_the_same_hotel_looked_for(house, said):
    await house.say("ann", HOTEL)
    booked = await house.book("ann", "book the second one")
    asked = await house.say("ann", said)
    assert booked in asked
    assert (await house.asked("ann"))["tool"] == "cancel_booking"
    reply = await house.decide("ann", "allow")
    assert "11 December" in reply or "no hotels" in reply
    assert "1 hotel" in reply or "no hotels" in reply
    assert f"cancelled {booked}" in reply.lower().replace(booked.lower(), booked)


@pytest.mark.parametrize("said", ["ok book the new dates", "book those dates", "book it for the new dates"])
async def test_the_new_dates_are_booked_at_the_same_hotel(house, said):
    await house.say("ann", HOTEL)
    await house.say("ann", "book the second one")
    title = (await house.asked("ann"))["prompt"]
    await house.decide("ann", "allow")
    await house.say("ann", "the same hotel on 11-13 December please")
    asked = await house.say("ann", said)
    assert title.partition(" from ")[0] in asked
    assert "Fri 11 December" in asked


@pytest.mark.parametrize(
    ("search", "said", "city"),
    [
        (HOTEL, "book the cheapest hotel", "in Copenhagen from Fri 4 December"),
        ("hotels in Florence, 12-15 February", "book it", "in Florence from Fri 12 February"),
        ("rental car in Lisbon 4-6 December", "book the second one", "in Lisbon from Fri 4 December"),
        ("rental car in Munich 5-8 December", "book the cheapest", "in Munich from Sat 5 December"),
    ],
)
@pytest.mark.requirement("WRITES-ARE-ALLOWED")
async def test_the_question_whether_to_book_names_the_city(house, search, said, city):
    await house.say("ann", search)
    assert city in await house.say("ann", said)
