"""Groups: who drops out of one, how many are left, and how they share rooms."""

import pytest

from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "hotels in Rome from 3 to 5 May"


@pytest.mark.parametrize(
    "said",
    [
        "one girl dropped out, so we're 6 now",
        "one girl dropped out",
        "one of the guys dropped out",
        "one of my friends can't make it",
        "one of the lads has pulled out",
        "one friend cancelled",
        "one person has had to cancel",
        "one dropped out",
        "we are down to 6 now",
        "one of them isn't coming anymore",
        "1 less now",
        "one of the girls bailed",
        "sorry, one of us can't come after all",
        "someone dropped out so it's 6 of us now",
        "a friend of mine can't come",
        "6 of us now",
        "so that makes six",
        "that makes it 6 people",
        "that makes 6 of us",
        "6 in total now",
    ],
)
def test_one_of_seven_drops_out(said: str) -> None:
    flight = told(f"{FLIGHT} for 7 people", said).flight
    assert (flight.passengers, flight.children) == (6, ())
    assert flight.destination == told(FLIGHT).flight.destination


@pytest.mark.parametrize(
    "said",
    [
        "oh wait my mum's coming as well so that makes five",
        "my mum is coming too, so five",
        "oh my mum's coming as well",
        "mum's coming too",
        "my brother's joining us",
        "my brother will join",
        "plus my mum",
        "that makes 5",
        "that makes us five",
        "so 5 in total",
        "we'll be 5 then",
        "actually 5 of us",
        "there'll be 5 of us",
        "my mum's decided to come along",
        "add one more adult",
        "we're bringing my mum too",
        "my dad wants to come too",
    ],
)
def test_somebody_joins_four(said: str) -> None:
    assert told(f"{FLIGHT} for 4 people", said).flight.passengers == 5


@pytest.mark.parametrize(
    "said",
    [
        "that makes sense",
        "one of my friends lives there",
        "one of the flights was cancelled",
        "one of the girls is vegetarian",
        "my mum's place is near the station",
        "does that make it 300 each?",
        "that makes 5 nights",
        "so that makes 3 hours",
        "my friend cancelled last year",
        "one of us has a bad knee",
    ],
)
def test_mentioned_people_neither_join_nor_leave(said: str) -> None:
    assert told(f"{FLIGHT} for 4 people", said).flight.passengers == 4


@pytest.mark.parametrize(
    ("said", "rooms"),
    [
        ("we need three rooms one for mum one for me and one for my sister and the kids", 3),
        ("a room for 2 and a room for 3", 2),
        ("one room for two and one for three", 2),
        ("one double and one triple", 2),
        ("a double and a triple room", 2),
        ("a double and a twin", 2),
        ("2 doubles and a single", 3),
        ("two doubles, one single", 3),
        ("one double room and a single", 2),
        ("2 rooms: one for my parents and one for us", 2),
        ("two rooms, one for the kids", 2),
        ("a double for us and a twin for the kids", 2),
        ("one room for us and another one for the kids", 2),
        ("a room for my parents and one for us three", 2),
        ("1 x double, 1 x triple", 2),
        ("two twins and a single please", 3),
        ("1 triple 1 double", 2),
        ("a family room and a double", 2),
    ],
)
def test_rooms_are_shared_by_the_people_who_are_known(said: str, rooms: int) -> None:
    stay = told(f"{STAY} for 5 people", said).hotel
    assert (stay.rooms, stay.guests) == (rooms, 5)


@pytest.mark.parametrize(
    ("said", "rooms", "guests"),
    [
        ("a room for 2 and a room for 3", 2, 5),
        ("one room for two and another for four", 2, 6),
        ("a room for 2 adults and another room for 3 adults", 2, 5),
        ("3 rooms for 2", 3, 2),
        ("a room for two", 1, 2),
        ("a double room", 1, None),
        ("5 twins and one single", 6, None),
        ("one for me please", None, None),
        ("a single", None, None),
    ],
)
def test_rooms_tell_how_many_sleep_in_them(said: str, rooms: int | None, guests: int | None) -> None:
    stay = told(STAY, said).hotel
    assert (stay.rooms, stay.guests) == (rooms, guests)


def test_happy_to_share_is_no_place() -> None:
    said = "most of us are happy to share, so 5 twins and one single"
    flight = told(f"{FLIGHT} for 11 people", said).flight
    assert flight.destination == told(FLIGHT).flight.destination
