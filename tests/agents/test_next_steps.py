"""Next steps that a reply suggests: from what was found, in words that the rules read as meant."""

from dataclasses import replace
from datetime import time

import pytest

from backend.travel.agents import findings as steps
from backend.travel.understanding.understand import understand
from tests.agents.sources import TODAY, Provider, Source, Travel, a_flight, a_hotel

pytestmark = pytest.mark.virtual_time

FLIGHTS = "Find flights from Berlin to Tokyo on 10 December"


BOTH = "flights and hotels in Tokyo from Berlin, 10 to 11 December"


STOPPING = a_flight("590.00", stops=1)


NONSTOP = a_flight("612.40", "Larch Demo")


PLAIN = replace(a_hotel("120.00"), score=6.5)


GOOD = replace(a_hotel("140.00", "Stork Demo"), score=8.4)


@pytest.mark.parametrize(
    ("message", "flights", "hotels", "suggested"),
    [
        (FLIGHTS, [STOPPING, NONSTOP], [], [steps.ONLY_NONSTOP, steps.BOOK_FLIGHT, steps.ADD_HOTEL]),
        (BOTH, [STOPPING, NONSTOP], [PLAIN, GOOD], [steps.ONLY_NONSTOP, steps.WELL_RATED, steps.BOOK_FLIGHT]),
        (BOTH, [NONSTOP], [GOOD], [steps.BOOK_FLIGHT, steps.BOOK_HOTEL]),
        ("5 star hotels in Tokyo from 10 December", [], [PLAIN], [steps.ANY_STARS]),
    ],
)
async def test_suggestions_follow_from_what_was_found(message, flights, hotels, suggested):
    _, context = await Travel(Provider([Source("one", flights)], [Source("two", hotels)])).reply(message)
    assert list(context.suggestions) == suggested
    assert len(suggested) <= steps.MOST


TRIP = understand(
    "nonstop flights from Berlin to Tokyo on 10 December leaving after 9 am under 900 euros, "
    "and hotels there with 4 stars, rated 8 or better, under 200 euros a night until 14 December",
    previous=None,
    today=TODAY,
)


@pytest.mark.parametrize(
    ("step", "agents", "slot", "value"),
    [
        (steps.ONLY_NONSTOP, ("flight",), "flight.max_stops", 0),
        (steps.ANY_TIME, ("flight",), "flight.departs_after", None),
        (steps.ANY_NIGHT, ("hotel",), "hotel.max_price", None),
        (steps.WELL_RATED, ("hotel",), "hotel.min_score", steps.WELL),
        (steps.DAY_LATER, ("flight", "hotel"), "flight.departure_date", TODAY.replace(month=12, day=11)),
    ],
)
def test_suggestion_is_read_as_the_change_it_means(step, agents, slot, value):
    assert TRIP.flight.departs_after == time(9)
    read = understand(step, previous=TRIP, today=TODAY)
    agent, _, field = slot.partition(".")
    assert (read.relation, read.agents, read.refused) == ("refine", agents, ())
    assert getattr(read.of(agent), field) == value


def test_suggested_booking_or_hotel_is_read_as_that():
    booking = understand(steps.BOOK_FLIGHT, previous=TRIP, today=TODAY).booking
    assert booking is not None
    assert (booking.action, booking.kind, booking.pick) == ("book", "flight", "cheapest")
    booking = understand(steps.BOOK_HOTEL, previous=TRIP, today=TODAY).booking
    assert booking is not None
    assert (booking.action, booking.kind, booking.pick) == ("book", "hotel", "cheapest")
    listed = understand(steps.BOOKED, previous=TRIP, today=TODAY).booking
    assert listed is not None
    assert listed.action == "list"
    flights = understand(FLIGHTS, previous=None, today=TODAY)
    assert understand(steps.ADD_HOTEL, previous=flights, today=TODAY).relation == "add"
