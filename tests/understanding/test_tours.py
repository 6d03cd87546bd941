"""Journeys to several cities, taken up again, asked of the planner and told; what they are is in `cases/`."""

from datetime import date

from backend.travel.understanding.english.wording import describe
from backend.travel.understanding.queries import tour_query
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, told

ANY_ORDER = (
    "I want to visit Rome, Athens and Lisbon from Berlin, 3 nights each, between 3 and 20 May, and back"
)
IN_TURN = ("Berlin to Rome to Athens and back, starting 8 January, 3 nights each", "4 nights in Athens")


def test_tour_that_was_left_is_taken_up_again() -> None:
    left, flights = told(ANY_ORDER), told(ANY_ORDER, BERLIN_TO_TOKYO)
    again = understand("go back to the previous search", previous=flights, today=TODAY, recent=[left])
    assert (again.resumes, again.agents, again.tour) == (0, ("planner",), left.tour)
    assert set(again.dropped) == {"flight.origin", "flight.destination", "flight.departure_date"}


def test_booking_is_spoken_of_beside_a_tour() -> None:
    assert told(ANY_ORDER, "cancel my booking DEMO-7K2Q4M").booking.action == "cancel"
    assert told(ANY_ORDER, "what have I booked?").relation == "other"
    assert told(ANY_ORDER, "book it").booking is None


def test_tour_is_changed_after_small_talk() -> None:
    assert told(ANY_ORDER, "tell me a joke", "2 nights each").tour.nights == 2


def test_day_in_one_of_the_cities_is_of_that_city_alone() -> None:
    before = "I want to see Vienna, Budapest and Prague in any order, starting from London on 5 January"
    tour = told(before, "I must be in Budapest on 10 January").tour
    assert [(stay.city.city.name, stay.on) for stay in tour.stays] == [("Budapest", date(2027, 1, 10))]
    assert tour.first_day == date(2027, 1, 5)


def test_query_keeps_order_days_and_nights() -> None:
    query = tour_query(told(*IN_TURN), today=TODAY)
    assert (query.ordered, query.begins) == (True, date(2027, 1, 8))
    stops = [(stop.city.name, stop.least_nights, stop.most_nights) for stop in query.stops]
    assert stops == [("Rome", 3, 3), ("Athens", 4, 4)]


def test_reply_tells_the_order() -> None:
    assert describe(told(*IN_TURN)) == (
        "a trip from Berlin to Rome, then Athens (4 nights) and back to Berlin, 3 nights in each, "
        "starting on Fri 8 January 2027, 1 passenger"
    )
