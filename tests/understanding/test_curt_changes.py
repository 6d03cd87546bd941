"""Curt changes of business travellers and of those who book for others, and what only looks like them."""

from datetime import date, time

import pytest

from backend.travel.understanding.english.found.questions import find_question
from backend.travel.understanding.english.language.text import Text
from tests.understanding.conversation import flight, hotel, told

FLIGHT = "flight Paris to Lisbon 12 dec back 15 dec"
STAY = "hotel in Rome 5-8 dec"


@pytest.mark.parametrize(
    "said",
    ["or Lufthansa", "also lufthansa", "or with Lufthansa", "and Lufthansa", "Lufthansa too",
     "plus Lufthansa", "Lufthansa as well", "Lufthansa is fine too", "Lufthansa is ok too", "add Lufthansa"],
)  # fmt: skip
def test_further_airline_comes_beside_the_one_wanted_before(said: str) -> None:
    assert told(f"{FLIGHT} with KLM", said).flight.airlines == ("KLM", "Lufthansa")


@pytest.mark.parametrize("said", ["Lufthansa", "Lufthansa instead", "only Lufthansa", "with Lufthansa"])
def test_airline_alone_takes_the_place_of_the_one_before(said: str) -> None:
    assert told(f"{FLIGHT} with KLM", said).flight.airlines == ("Lufthansa",)


def test_airline_that_is_fine_limits_nothing_where_none_was_wanted() -> None:
    assert told(FLIGHT, "Lufthansa is fine too").flight.airlines == ()


@pytest.mark.parametrize(
    "said", ["I'm done with Ryanair", "i am done with ryanair", "we are done with Ryanair"]
)
def test_being_done_with_an_airline_is_no_goodbye(said: str) -> None:
    assert told(FLIGHT, said).flight.not_airlines == ("Ryanair",)


@pytest.mark.parametrize(
    "said", ["I'm done", "I'm done with this", "i am done with the search", "I'm done, bye"]
)
def test_end_of_the_search_is_a_goodbye(said: str) -> None:
    assert told(FLIGHT, said).relation in ("other", "stop")


@pytest.mark.parametrize(
    "said",
    ["make it business", "nope make it business", "no, make that business", "change to business",
     "upgrade us to business", "we want business", "I prefer business"],
)  # fmt: skip
def test_business_is_a_cabin_behind_words_of_change(said: str) -> None:
    assert told(FLIGHT, said).flight.cabin_class == "business"


@pytest.mark.parametrize("said", ["it's a business trip", "I travel on business", "my business partner"])
def test_business_is_no_cabin_elsewhere(said: str) -> None:
    assert told(FLIGHT, said).flight.cabin_class is None


@pytest.mark.parametrize(
    "said",
    ["make that 6-9", "make that 6 to 9", "change to 6-9", "move it to 6-9", "change it to 6 to 9",
     "switch to 6-9", "shift to 6-9", "please move it to 6-9", "reschedule to 6-9"],
)  # fmt: skip
def test_two_numbers_behind_words_of_change_are_days(said: str) -> None:
    stay = hotel(told(STAY, said))
    assert (stay["check_in"], stay["check_out"]) == (date(2026, 12, 6), date(2026, 12, 9))


@pytest.mark.parametrize("said", ["from 6 to 9 stars", "make that 2 to 3 rooms"])
def test_two_numbers_that_count_are_no_days(said: str) -> None:
    assert hotel(told(STAY, said))["check_in"] == date(2026, 12, 5)


@pytest.mark.parametrize(
    "said",
    ["prepone by one day", "please prepone the flight by one day", "prepone it by a day",
     "prepone my trip by 1 day",
     "kindly prepone the dates by one day", "advance it by one day"],
)  # fmt: skip
def test_to_prepone_is_to_move_to_an_earlier_day(said: str) -> None:
    moved = flight(told(FLIGHT, said))
    assert (moved["departure_date"], moved["return_date"]) == (date(2026, 12, 11), date(2026, 12, 14))


@pytest.mark.parametrize(
    "said", ["stop. Munich instead", "stop, Munich instead", "stop! Munich please", "Munich then"]
)
def test_place_alone_behind_a_stop_is_the_new_goal(said: str) -> None:
    assert flight(told(FLIGHT, said))["destination"] == "Munich"


def test_stop_alone_stops() -> None:
    assert told(FLIGHT, "stop please").relation == "stop"


@pytest.mark.parametrize(
    "said", ["back on 16.12. after 17:00", "return 16.12. after 17:00", "back 16.12.2026 after 17:00"]
)
def test_stop_of_a_date_ends_no_clause(said: str) -> None:
    slots = told("flight Paris to Lisbon 12 dec", said).flight
    assert (slots.return_date, slots.returns_after, slots.departs_after) == (
        date(2026, 12, 16),
        time(17),
        None,
    )


@pytest.mark.parametrize(
    "said",
    [
        "nothing under 4 stars",
        "nothing below 4 stars please",
        "no hotels under 4 stars",
        "not less than 4 stars",
    ],
)
def test_what_bounds_stars_under_a_negation_is_read(said: str) -> None:
    understood = told(STAY, said)
    assert (understood.hotel.stars, understood.refused) == (4, ())


@pytest.mark.parametrize(
    "said",
    [
        "rated under 8 i don't want",
        "rated below 8 is no good",
        "a rating under 8 is not ok",
        "score below 8 is out",
    ],
)
def test_score_is_denied_behind_it_too(said: str) -> None:
    understood = told(STAY, said)
    assert (understood.hotel.min_score, understood.hotel.max_price) == (8.0, None)


@pytest.mark.parametrize(
    ("said", "pick", "number"),
    [
        ("book the cheapest, no wait, the fastest", "fastest", None),
        ("book the cheapest, actually the fastest", "fastest", None),
        ("book the first one, sorry, the second one", None, 2),
        ("book the first one - no, the third one", None, 3),
        ("reserve the fastest, no, the cheapest", "cheapest", None),
        ("book the cheapest", "cheapest", None),
        ("do the needful and book cheapest one", "cheapest", None),
        ("book the cheapest, and no sooner than noon", "cheapest", None),
    ],
)
def test_offer_is_booked_that_is_named_last(said: str, pick: str | None, number: int | None) -> None:
    wish = told(FLIGHT, said).booking
    assert wish is not None
    assert (wish.pick, wish.number) == (pick, number)


@pytest.mark.parametrize(
    ("said", "topic", "wanted"),
    [
        ("what is the baggage allowance", "bags", ""),
        ("luggage policy?", "bags", ""),
        ("kindly tell the baggage allowance", "bags", ""),
        ("please share the fare break up", "price", "taxes and fees"),
        ("price breakdown?", "price", "taxes and fees"),
        ("what's the price breakdown?", "price", "taxes and fees"),
        ("is that price per room or per person", "price", ""),
        ("is the price per room?", "price", ""),
        ("what did I ask for so far?", "state", "asked"),
        ("what have I asked for?", "state", "asked"),
        ("summarise my request please", "state", "asked"),
        ("what are my filters?", "state", "asked"),
    ],
)
def test_what_is_found_and_asked_for_is_asked_about(said: str, topic: str, wanted: str) -> None:
    question = find_question(Text(said), (), ("flight", "hotel"))
    assert question is not None
    assert (question.topic, question.wanted) == (topic, wanted)


@pytest.mark.parametrize(
    "said", ["one way as well please, and business", "one way too", "just one way though"]
)
def test_one_way_as_well_is_of_the_flight_that_is_on(said: str) -> None:
    assert told(FLIGHT, said).flight.return_date is None


@pytest.mark.parametrize(
    ("said", "age"),
    [("add a baby", 0), ("also an infant", 0), ("there's also a baby", 0), ("we also have a baby", 0),
     ("oh and a baby", 0), ("and a baby", 0), ("add a 3 year old", 3), ("can we add my 5-year-old?", 5)],
)  # fmt: skip
def test_one_more_child_joins_those_who_are_known(said: str, age: int) -> None:
    understood = told(f"{FLIGHT} for 2 adults and 2 kids aged 4 and 9", said).flight
    assert (understood.children, understood.passengers) == ((4, 9, age), 5)


@pytest.mark.parametrize(
    "said", ["4 and 9", "4, 9", "ok, 4 and 9", "4 and 9 btw", "ages 4 and 9", "they are 4 and 9"]
)
def test_ages_alone_are_those_of_the_children_who_had_none(said: str) -> None:
    understood = told(f"{FLIGHT} for 2 adults and 2 kids", said).flight
    assert (understood.children, understood.passengers) == ((4, 9), 4)


@pytest.mark.parametrize("said", ["4 and 9", "7, 8 and 9", "4/9"])
def test_numbers_that_are_not_as_many_as_ages_are_missing_are_none(said: str) -> None:
    assert told(f"{FLIGHT} for 2 adults and a kid", said).flight.children == (-1,)
    assert told(f"{FLIGHT} for 4 people", "4 and 9").flight.children == ()
