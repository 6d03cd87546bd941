"""How old the children are who are counted already: their ages make nobody one more."""

import pytest

from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
FAMILY = f"{FLIGHT} for 2 adults and 2 kids"


@pytest.mark.parametrize(
    ("said", "people", "ages"),
    [
        ("3 adults 2 kids, the kids are 4 and 8", 5, (4, 8)),
        ("2 adults and 2 children. The children are 4 and 8 years old", 4, (4, 8)),
        ("2 adults, 3 kids. they're 4, 8 and 12", 5, (4, 8, 12)),
        ("two adults and two kids, they are 4 and 8", 4, (4, 8)),
        ("2 adults and 2 kids, our kids are four and eight", 4, (4, 8)),
        ("2 adults and 2 kids, one is 4 and the other is 8", 4, (4, 8)),
        ("2 adults and 2 kids, one's 4, the other one 8", 4, (4, 8)),
        ("me and my daughter (she's 6)", 2, (6,)),
        ("me and my daughter, she is six", 2, (6,)),
        ("me and my son - he is 6", 2, (6,)),
        ("me and my daughter who's 6", 2, (6,)),
        ("me, my wife and our son. He's 6.", 3, (6,)),
        ("2 adult and 1 baby of 10 month", 3, (0,)),
        ("2 adults and a child of 5 years", 3, (5,)),
        ("2 adults and a baby (14 months)", 3, (1,)),
        ("2 adults and a baby, she is 10 months old", 3, (0,)),
        ("family of five me my wife and three kids they're four seven and eleven", 5, (4, 7, 11)),
        ("me my wife and three kids four seven and eleven", 5, (4, 7, 11)),
        ("2 adults and 3 kids aged 4 7 and 11", 5, (4, 7, 11)),
        ("2 adults 2 kids btw (8 and 12)", 4, (8, 12)),
        ("2 adults and 2 kids though (3 and 9)", 4, (3, 9)),
        ("me + partner and our 9 month old", 3, (0,)),
        ("my wife and I with a 10-month-old", 3, (0,)),
        ("me and my partner with an 8 month old", 3, (0,)),
        ("me and my wife with a baby", 3, (0,)),
    ],
)
def test_ages_told_of_counted_children_count_nobody_again(
    said: str, people: int, ages: tuple[int, ...]
) -> None:
    flight = told(f"{FLIGHT}, {said}").flight
    assert (flight.passengers, flight.children) == (people, ages)


@pytest.mark.parametrize(
    "said",
    [
        "the kids are 4 and 8",
        "the kids are eight and four",
        "the children are 4 and 8 years old",
        "our kids are 4 and 8",
        "my kids are 4 and 8 btw",
        "they're 4 and 8",
        "they are 4 and 8",
        "ages 4 and 8",
        "aged 4 & 8",
        "4 and 8 years old",
        "4 and 8 yrs",
        "one is 4, the other 8",
        "one is 4 and the other one is 8",
        "the older one is 8 and the little one is 4",
        "the girl is 4 and the boy is 8",
        "my daughter is 4 and my son is 8",
        "she's 4 and he's 8",
        "their ages are 4 and 8",
    ],
)
def test_ages_of_known_children_are_told_later(said: str) -> None:
    flight = told(FAMILY, said).flight
    assert (flight.passengers, sorted(flight.children)) == (4, [4, 8])
    counted = told(f"{FLIGHT} for 4 people", said).flight
    assert (counted.passengers, sorted(counted.children)) == (4, [4, 8])


@pytest.mark.parametrize(
    "said", ["she's 6", "he is 6", "6 years old", "my son is 6", "the child is 6", "aged 6"]
)
def test_age_of_the_only_child_is_told_later(said: str) -> None:
    flight = told(f"{FLIGHT} for me and my child", said).flight
    assert (flight.passengers, flight.children) == (2, (6,))


def test_age_of_one_child_fills_one_of_several() -> None:
    assert told(FAMILY, "the little one is 3").flight.children == (3, -1)
    assert told(FAMILY, "the little one is 3", "the older one is 7").flight.children == (3, 7)


def test_children_come_with_adults_where_only_their_ages_are_told() -> None:
    opened = told("flights from Berlin to Rome on 3 May, the kids are 4 and 8").flight
    assert (opened.passengers, opened.children) == (4, (4, 8))
    assert told(f"{FLIGHT} for me and the kids, they are 4 and 8").flight.passengers == 3


@pytest.mark.parametrize(
    "said",
    [
        "the kids are 2",
        "the flights are 4 and 8 hours long",
        "they are 4 and 5 star hotels",
        "one is 90 euros and the other is 120",
        "the first one is at 8",
        "we leave between 4 and 8",
        "from 4 to 8 May",
        "4 and 8 May",
        "he is 45",
        "my husband is 40",
        "my son is 25",
    ],
)
def test_other_numbers_are_no_ages(said: str) -> None:
    assert told(f"{FLIGHT} for 2 adults", said).flight.children in ((), (-1, -1))
