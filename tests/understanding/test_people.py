"""How many travel, whichever way it is told."""

import pytest

from backend.travel.understanding.english.details.people import find_people
from backend.travel.understanding.english.language.text import Text
from tests.understanding.conversation import told


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("2 adults and a toddler", 3),
        ("four adults 2 kids", 6),
        ("6 people, two of whom are children", 6),
        ("5 people: 2 adults and 3 children", 5),
        ("two adults, no children", 2),
        ("a party of 8", 8),
        ("a room for two in May", 2),
        ("we are three and arrive late", 3),
        ("we're 5", 5),
        ("my husband and I", 2),
        ("me, my wife and the little one", 3),
        ("I am coming with our two sons", 3),
        ("my sister and I with our three kids", 5),
        ("it is for my mother", 1),
        ("not for me, only my wife and our daughter", 2),
        ("just me", 1),
        ("we r 4 (2 kids 3 and 7)", 4),
        ("family of 4, kids 5 and 7", 4),
        ("me + 3", 4),
        ("me and 2 others", 3),
        ("myself plus two", 3),
        ("me and 3 friends", 4),
        ("the whole team (9)", 9),
        ("group: 6", 6),
        ("half a dozen people", 6),
        ("a dozen guests", 12),
        ("2 couples", 4),
        ("two couples and 1 child", 5),
        ("2 adults + baby", 3),
        ("we are 2 + baby", 3),
        ("we're 2 plus a baby", 3),
        ("kids 5 and 7", 2),
        ("2 adults and kids 5 and 7", 4),
        ("two adults, kids aged 2, 7 and 13", 5),
        ("kids aged 7, 2 adults", 3),
        ("I have 2 kids", 3),
        ("we have a 2 year old", 3),
        ("travelling with 2 kids", 3),
        ("we travel with 2 kids", 4),
        ("single mom with two kids", 3),
        ("2 adults with 2 kids", 4),
        ("wife and me", 2),
        ("hubby & me", 2),
        ("my gf and I", 2),
        ("me, wife and 2 kids", 4),
        ("me and my wife and her mum", 3),
        ("for my daughter Victoria and me", 2),
        ("for my daughter victoria and my son", 2),
        ("both of us", 2),
        ("just us two", 2),
        ("just the two of us now", 2),
        ("I'm coming with my boss", 2),
    ],
)
def test_travellers_are_counted(said: str, count: int) -> None:
    text = Text(said)
    assert find_people(text) == count


@pytest.mark.parametrize(
    "said",
    [
        "my wife hates that hotel",
        "I go to my brother's wedding",
        "for my birthday",
        "a room for two nights",
        "my parents told me",
        "two rooms",
        "no children",
        "I'll check with my husband",
        "let me talk it over with my wife",
        "discussing this with my boss",
        "need to confirm with my partner first",
        "I stay with my aunt",
        "I am staying with my sister",
        "we live with my parents",
        "only 2 seats left?",
        "just 3 tickets left",
        "I will be visiting a friend and I need a flight",
        "flight for -2 people",
        "2 of us are kids",
        "me and 3 nights in Rome",
    ],
)
def test_people_who_are_only_mentioned_are_not_counted(said: str) -> None:
    text = Text(said)
    assert find_people(text) is None


@pytest.mark.parametrize(
    "said",
    [
        "my wife and I just got married and want to fly from Berlin to Rome on 3 May",
        "flights from Berlin to Rome on 3 May, my husband and I just got married",
        "my fiancée and I just got engaged (yay!), Berlin to Rome on 3 May",
    ],
)
def test_those_who_have_just_got_married_travel(said: str) -> None:
    assert told(said).flight.passengers == 2


@pytest.mark.parametrize(
    "said",
    [
        "I'm from Toulouse btw, so a one way flight as well",
        "I'm from Toulouse, a flight as well",
        "i live in Toulouse, add a flight",
        "from Toulouse, one way",
    ],
)
def test_flight_leaves_from_where_another_clause_says(said: str) -> None:
    understood = told("hotel in Lisbon from 1 to 20 February", said)
    assert understood.flight.origin is not None
    assert understood.flight.origin.city.name == "Toulouse"


def test_new_year_for_which_somebody_travels_leaves_nothing_unread() -> None:
    assert (
        told("I live in Tübingen, need to get to Bath for new year's, 30 december to 2 january").unused == ()
    )


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("my three best friends and i want to go to Porto", 4),
        ("three girlfriends and me", 4),
        ("with three girlfriends", 4),
        ("with my 3 best mates", 4),
        ("me and my two siblings", 3),
        ("two cousins and me", 3),
        ("with two colleagues", 3),
        ("i'm going with 2 work colleagues", 3),
        ("me plus 3 girlfriends", 4),
        ("for my two best mates and me", 3),
        ("travelling with 2 siblings", 3),
        ("going with three old friends", 4),
        ("my best friend and i", 2),
        ("me and my 3 mates", 4),
    ],
)
def test_friends_are_counted_beside_the_speaker(said: str, count: int) -> None:
    text = Text(said)
    assert find_people(text) == count


@pytest.mark.parametrize(
    "said",
    [
        "with two connections",
        "the three best hotels",
        "3 best friends of mine recommended it",
        "my siblings live in Porto",
        "let me discuss it with my girlfriends",
    ],
)
def test_friends_who_stay_at_home_are_not_counted(said: str) -> None:
    text = Text(said)
    assert find_people(text) is None
