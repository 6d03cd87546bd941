"""Every clause is heard: what no reader takes is named, and what "it" is after a booking."""

import pytest

from backend.travel.understanding.result import Understanding
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import TODAY, flight, in_turn, told

FLIGHTS = "flights from Berlin to Lisbon on 10 December"
BOTH = "hotel in Lisbon from 10 to 12 December and flights from Berlin"


def named(understood: Understanding) -> list[str]:
    return [one.said for one in understood.refused]


@pytest.mark.parametrize(
    ("asks", "after"),
    [
        ("can i still cancel that?", "ok cancel it"),
        ("can we still cancel it?", "cancel it then"),
        ("could i still cancel", "ok cancel that please"),
        ("is it too late to cancel?", "cancel it"),
        ("am i still able to cancel it?", "i changed my mind, cancel it"),
        ("may we still cancel this one?", "please cancel it"),
    ],
)
def test_question_after_a_booking_stops_nothing_and_it_is_the_booking(asks: str, after: str) -> None:
    booked = told(FLIGHTS, "book the cheapest")
    assert booked.booking is not None
    asked = told(FLIGHTS, "book the cheapest", asks)
    assert (asked.relation, asked.question and asked.question.topic) == ("other", "refund")
    cancelled = told(FLIGHTS, "book the cheapest", after).booking
    assert (cancelled and (cancelled.action, cancelled.kind)) == ("cancel", "flight")


@pytest.mark.parametrize("said", ["stop", "can i stop now", "cancel the search", "ok stop that"])
def test_stop_after_a_booking_is_a_stop(said: str) -> None:
    assert told(FLIGHTS, "book the cheapest", said).relation == "stop"


@pytest.mark.parametrize(
    "said",
    [
        "undo that last thing", "undo my last step please", "undo the latest change",
        "take back the last thing", "can you undo the previous change", "undo our last request",
    ],
)  # fmt: skip
def test_last_change_is_taken_back(said: str) -> None:
    understood = in_turn(FLIGHTS, "make it Porto", "only nonstop", said)
    assert understood.flight.destination is not None
    assert (understood.flight.destination.city.name, understood.flight.max_stops) == ("Porto", None)


@pytest.mark.parametrize(
    "said",
    ["undo both", "undo the last two changes", "take both back please", "no, revert both of them"],
)
def test_last_two_changes_are_taken_back(said: str) -> None:
    understood = in_turn(FLIGHTS, "make it Porto", "only nonstop", "for 3 people", said)
    taken_back = understood.flight
    assert taken_back.destination is not None
    told_still = (taken_back.destination.city.name, taken_back.max_stops, taken_back.passengers)
    assert told_still == ("Porto", None, None)


@pytest.mark.parametrize(
    "said",
    [
        "hmm ok, back to what I had at the start", "no, the first idea", "as it was at the beginning",
        "back to the original plan", "my first idea was better", "undo everything", "as at the start please",
    ],
)  # fmt: skip
def test_all_changes_of_a_trip_are_taken_back(said: str) -> None:
    understood = in_turn("hotel in Oslo", FLIGHTS, "make it Porto", "only nonstop", said)
    assert understood.flight == told(FLIGHTS).flight


def test_first_idea_is_no_request_that_lacks_something() -> None:
    understood = in_turn(
        "fly to Prague", "from London", "on 12 January", "make it Porto", "no, the first idea"
    )
    assert (understood.missing, flight(understood)["destination"]) == ((), "Prague")


@pytest.mark.parametrize(
    "said",
    [
        "no, leave it at Berlin",
        "keep Berlin",
        "stick to Berlin",
        "let's stay with Berlin",
        "Berlin after all",
    ],
)
def test_city_that_was_the_start_is_the_start_again(said: str) -> None:
    understood = in_turn(FLIGHTS, "from Hamburg", said)
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("Berlin", "Lisbon")


@pytest.mark.parametrize(
    "said", ["do keep the way back", "put the return flight back in", "we need the return again"]
)
def test_way_back_that_was_dropped_comes_back(said: str) -> None:
    understood = in_turn(FLIGHTS + " to 14 December", "we no longer need the way back", said)
    assert flight(understood) == flight(told(FLIGHTS + " to 14 December"))


def test_way_back_that_is_kept_stays() -> None:
    understood = in_turn(FLIGHTS + " to 14 December", "I mean keep the return")
    assert (understood.relation, flight(understood)) == ("refine", flight(told(FLIGHTS + " to 14 December")))


def test_place_and_number_that_were_right_come_back() -> None:
    understood = in_turn(FLIGHTS + " for 3 people", "make it Porto", "for 4", "Lisbon and three was right")
    assert (flight(understood)["destination"], understood.flight.passengers) == ("Lisbon", 3)


@pytest.mark.parametrize(
    "said",
    [
        "go back to what we had at the beginning", "back to what we had at the start",
        "back to what i had in the beginning", "go back to what we had originally",
        "can we go back to what we had first",
    ],
)  # fmt: skip
def test_first_request_comes_back(said: str) -> None:
    recent = [told(FLIGHTS, "make it Porto"), told(FLIGHTS)]
    last = told(FLIGHTS, "make it Porto", "only nonstop")
    assert understand(said, previous=last, recent=recent, today=TODAY).resumes == 1


@pytest.mark.parametrize("said", ["the last thing i need is a car", "fly at the beginning of january"])
def test_words_of_a_wish_bring_no_request_back(said: str) -> None:
    understood = in_turn(FLIGHTS, "make it Porto", "only nonstop", said)
    assert understood.flight.destination is not None
    assert (understood.flight.destination.city.name, understood.flight.max_stops) == ("Porto", 0)


@pytest.mark.parametrize(
    ("said", "told_of"),
    [
        ("book the cheapest and put it on my company card", "put it on my company card"),
        ("book the cheapest, pay with my amex", "with my amex"),
        ("book the second one, i want to pay with paypal", "with paypal"),
        ("book the cheapest and send it to my boss", "send it to my boss"),
        ("take the first one and split the bill", "split the bill"),
        ("hold the first one, charge it to the company", "charge it to the company"),
    ],
)
def test_clause_beside_an_act_is_named(said: str, told_of: str) -> None:
    understood = told(FLIGHTS, said)
    assert understood.booking is not None
    assert told_of in named(understood)


@pytest.mark.parametrize(
    "said",
    [
        "book the cheapest please", "book the cheapest, thanks for the help", "book it and add a hotel",
        "book the flight for my wife and me", "can you put the second one on hold",
    ],
)  # fmt: skip
def test_nothing_is_named_beside_an_act_that_says_all(said: str) -> None:
    assert named(told(FLIGHTS, said)) == []


@pytest.mark.parametrize(
    ("said", "service"),
    [
        ("then only places with breakfast, and we'd rather take the train home", "trains"),
        ("only with breakfast and find me a taxi", "taxis and transfers"),
        ("only with a pool, and is there a restaurant nearby?", "restaurants"),
        ("4 stars please, and book us a table", "restaurants"),
        ("with free wifi, and get us train tickets", "trains"),
        ("in Alfama, and can you get us tickets to see a show", "events and tickets to them"),
    ],
)
def test_wish_beside_a_service_of_others_is_searched_for(said: str, service: str) -> None:
    understood = told(BOTH, said)
    assert (understood.relation, understood.agents, named(understood)) == ("refine", ("hotel",), [service])


@pytest.mark.parametrize("said", ["is there a train instead?", "we take the train", "what about a bus?"])
def test_service_of_others_alone_changes_nothing(said: str) -> None:
    assert told(BOTH, said).relation == "other"


@pytest.mark.parametrize(
    ("said", "told_of"),
    [
        ("i need a tkt to lisbon from berlin 10 dec", []),
        ("cheap tkts berlin to lisbon 10 dec", []),
        ("a short break in Lisbon from Berlin, 10 to 12 December", []),
        ("a quick city trip to Lisbon from Berlin, 10 to 12 December", []),
        ("need a short flight from Berlin to Lisbon on 10 December", ["short flight"]),
        ("a short one from Berlin to Lisbon on 10 December", ["a short one"]),
    ],
)
def test_words_of_a_journey_are_no_wish(said: str, told_of: list[str]) -> None:
    assert named(told(said)) == told_of
