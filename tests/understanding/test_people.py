"""How many travel, whichever way it is told."""

import pytest

from backend.travel.understanding.english.details.people import find_people
from backend.travel.understanding.english.language.text import Text


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
    ],
)
def test_who_travels_is_counted(said: str, count: int) -> None:
    text = Text(said)
    assert find_people(text, 0, text.length) == count


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
    ],
)
def test_people_who_are_only_mentioned_are_not_counted(said: str) -> None:
    text = Text(said)
    assert find_people(text, 0, text.length) is None
