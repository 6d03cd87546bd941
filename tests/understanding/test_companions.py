"""Who comes along, who stays at home, and how old the children are."""

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import flight_query
from backend.travel.understanding.requested import requested
from backend.travel.values.travel import UNKNOWN_AGE
from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "hotels in Rome from 3 May"
TRIP = "flights and hotels in Lisbon from London, 12-15 January, for 2 people"


@pytest.mark.parametrize(
    ("said", "people", "ages"),
    [
        ("2 adults and 2 kids (4 and 7)", 4, (4, 7)),
        ("we are 2 adult and 2 children 4 and 9 years", 4, (4, 9)),
        ("two adults, kids aged 2, 7 and 13", 5, (2, 7, 13)),
        ("we r 4 (2 kids 3 and 7)", 4, (3, 7)),
        ("2 adults and kids 5 and 7", 4, (5, 7)),
        ("2 adults, 2 kids 5 & 7", 4, (5, 7)),
        ("family of 4, kids 5 and 7", 4, (5, 7)),
        ("kids aged 7, 2 adults", 3, (7,)),
        ("we have a 2 year old", 3, (2,)),
        ("me and my son, 6", 2, (6,)),
        ("2 adults and a 3 year old", 3, (3,)),
        ("my husband, me and our 6-year-old daughter", 3, (6,)),
        ("with a baby", 2, (0,)),
        ("2 adults, 1 child and an infant", 4, (UNKNOWN_AGE, 0)),
        ("2 adults and 2 children", 4, (UNKNOWN_AGE, UNKNOWN_AGE)),
        ("2 adults with twins? no, 2 kids aged 7 and 7", 4, (7, 7)),
    ],
)
def test_children_are_counted_and_their_ages_kept(said: str, people: int, ages: tuple[int, ...]) -> None:
    flight = told(f"{FLIGHT}, {said}").flight
    assert flight.children == ages
    assert flight.passengers == people


@pytest.mark.parametrize(
    "said",
    ["for my 40 year old husband", "at 7 and 9", "no children", "kids love it there", "2 people, 3 nights"],
)
def test_nobody_is_a_child_who_is_not_told_to_be_one(said: str) -> None:
    assert told(FLIGHT, said).flight.children == ()


def test_ages_of_children_are_told_and_shown_and_change_no_search() -> None:
    family = told(f"{FLIGHT} for 2 adults and 2 kids (4 and 7)")
    assert "4 passengers, 2 of them children (aged 4 and 7)" in describe(family)
    assert requested("flight", family)["children"] == [4, 7]
    assert flight_query(family) == flight_query(told(f"{FLIGHT} for 4 people"))


def test_children_of_a_trip_fly_and_sleep() -> None:
    joined = told(f"{FLIGHT} for 2 adults and 2 kids (4 and 7)", "and a hotel there for 3 nights")
    assert (joined.hotel.guests, joined.hotel.children) == (4, (4, 7))


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("my mother she come too", 3),
        ("my sister is coming along", 3),
        ("grandma is joining us", 3),
        ("my wife and my two sons are coming too", 5),
        ("my sister and her 2 kids are coming too", 5),
        ("add my mum", 3),
        ("two more", 4),
        ("one more of us is coming", 3),
        ("plus one", 3),
        ("and her two kids, 5 and 8", 4),
        ("with 2 kids aged 3 and 5", 4),
        ("my 6-year-old daughter is coming too", 3),
        ("we are 4 now", 4),
        ("my friend isn't coming", 1),
        ("my sister can't make it", 1),
        ("actually she isn't coming", 1),
        ("he can't come", 1),
        ("without my wife", 1),
        ("no just me", 1),
        ("for me and my husband, no just me", 1),
        ("my sister can't make it after all, so just me", 1),
        ("one person less", 1),
        ("we're one more", 3),
        ("we are now one more", 3),
        ("make it one more", 3),
        ("there's one more of us", 3),
        ("we're one less now", 1),
        ("minus 1", 1),
        ("one of us can't make it", 1),
    ],
)
def test_people_join_and_leave(said: str, count: int) -> None:
    understood = told(TRIP, said)
    assert (understood.flight.passengers, understood.hotel.guests) == (count, count)
    assert understood.flight.destination == told(TRIP).flight.destination


@pytest.mark.parametrize(
    "said",
    [
        "my mother loves Lisbon",
        "my sister isn't sure yet",
        "show me two more flights",
        "she said it is nice there",
        "is my wife coming too?",
        "my friend told me about it",
        "we'd be 3 if my brother joins",
        "unless my mum comes along",
        "I'll check with my husband",
        "let me talk to my wife",
        "one more thing",
        "there's more",
        "one more night",
    ],
)
def test_mentioned_people_neither_join_nor_leave(said: str) -> None:
    assert told(TRIP, said).flight.passengers == 2


def test_children_join_and_stay_at_home() -> None:
    family = ["flights from Berlin to Rome on 3 May for 2 adults and 2 kids (4 and 7)"]
    assert told(*family, "and my niece, 5").flight.children == (4, 7, 5)
    alone = told(*family, "the kids stay home")
    assert (alone.flight.passengers, alone.flight.children) == (2, ())
    assert told(*family, "no, just me").flight.children == ()


def test_somebody_joins_for_the_hotel_only() -> None:
    joined = told(TRIP, "grandma is joining for the hotel only")
    assert (joined.flight.passengers, joined.hotel.guests) == (2, 3)
    assert joined.wanted == ("flight", "hotel")
    left = told(TRIP, "grandma is joining for the hotel only", "actually she isn't coming")
    assert (left.flight.passengers, left.hotel.guests) == (2, 2)
    between = (
        "grandma is joining for the hotel only",
        "flights and hotels under 900 euros",
        "she isn't coming",
    )
    assert told(TRIP, *between).flight.passengers == 2


@pytest.mark.parametrize(
    ("said", "rooms"),
    [
        ("two twin rooms", 2),
        ("two doubles please", 2),
        ("one double", 1),
        ("separate rooms", 2),
        ("they need their own room", 2),
        ("in 3 rooms", 3),
    ],
)
def test_rooms_are_counted_however_they_are_called(said: str, rooms: int) -> None:
    assert told(f"{STAY} for 2 people", said).hotel.rooms == rooms


@pytest.mark.parametrize(
    "said",
    [
        "the kids stay home",
        "The kids are staying at home",
        "our kids don't come",
        "my children can't make it",
    ],
)
def test_children_nobody_knew_of_cannot_stay_at_home_and_that_is_told(said: str) -> None:
    trip = "flights from Berlin to Rome on 3 May for 4 people"
    understood = told(trip, said)
    assert understood.flight.passengers == 4
    assert refusals(understood) == (
        f'I know of no children on this trip, so "{said}" changes nothing; tell me how many of you travel.'
    )


@pytest.mark.parametrize("said", ["the kids stay home, so for 2 people", "just 2 adults, the kids stay home"])
def test_number_of_travellers_answers_the_question_about_children(said: str) -> None:
    understood = told("flights from Berlin to Rome on 3 May for 4 people", said)
    assert (understood.flight.passengers, refusals(understood)) == (2, "")


@pytest.mark.parametrize(
    ("said", "days", "ages"),
    [
        ("a hotel in Nice for my niece, 3-5 May", (3, 5), (UNKNOWN_AGE,)),
        ("a hotel for my kid, 3-5 May, in Porto", (3, 5), (UNKNOWN_AGE,)),
        ("hotel in Porto with our baby, 3 to 5 May", (3, 5), (0,)),
        ("hotel in Porto, 2 adults and a child, 3 till 5 May", (3, 5), (UNKNOWN_AGE,)),
        ("hotel in Porto for me and my son, May 3-5", (3, 5), (UNKNOWN_AGE,)),
        ("hotel in Porto for my son, 03.05. to 05.05.", (3, 5), (UNKNOWN_AGE,)),
        ("hotel in Porto for me and my son, 3rd to 5th of May", (3, 5), (UNKNOWN_AGE,)),
        ("hotel in Porto for me and my son, 6, 3-5 May", (3, 5), (6,)),
        ("hotel in Porto 3-5 May for me and my daughter (11)", (3, 5), (11,)),
        ("hotel in Porto 3-5 May, 2 adults, 2 kids 5/7", (3, 5), (5, 7)),
    ],
)
def test_days_behind_a_child_are_no_age(said: str, days: tuple[int, int], ages: tuple[int, ...]) -> None:
    stay = told(said).hotel
    assert stay.check_in
    assert stay.check_out
    assert (stay.check_in.day, stay.check_out.day, stay.check_in.month) == (*days, 5)
    assert stay.children == ages


def test_total_that_is_known_holds_when_children_are_told() -> None:
    assert told(f"{FLIGHT} for 4", "we have 2 kids").flight.passengers == 4
    assert told(f"{FLIGHT} for 4", "for me and my son").flight.passengers == 2


@pytest.mark.parametrize(
    ("said", "rooms"),
    [
        ("just me now", 1),
        ("my sister can't come, so just me", 1),
        ("4 people", 3),
        ("just me, 2 rooms", 2),
        ("make it 1 person", 3),
    ],
)
def test_last_traveller_needs_one_room(said: str, rooms: int) -> None:
    assert told("hotel in Lisbon 12-15 January, 5 people, 3 rooms", said).hotel.rooms == rooms
