"""After a question about flights that were not found, "that one" is no hotel that was."""

from backend.travel.spoken_of import SpokenOf, with_it
from backend.travel.understanding.result import BookingWish

FLIGHTS = "flights from London to New York on 4 December to 9 December with Qantas only and a hotel there"


async def test_that_one_is_of_what_was_asked_about_though_none_was_found(house):
    await house.say("ann", FLIGHTS)
    assert "no flights" in await house.say("ann", "what was the earliest flight you found")
    reply = await house.say("ann", "go with that one")
    assert reply.endswith("There is no flight to choose from.")
    assert (await house.status("ann"))["input_request"] is None


def test_what_tells_its_kind_or_its_offer_is_that():
    spoken = SpokenOf(agent="flight")
    assert with_it(BookingWish(action="book"), spoken).kind == "flight"
    for wish in (
        BookingWish(action="book", kind="hotel"),
        BookingWish(action="book", pick="cheapest"),
        BookingWish(action="cancel"),
    ):
        assert with_it(wish, spoken) == wish
    assert with_it(BookingWish(action="book"), SpokenOf()).kind is None
