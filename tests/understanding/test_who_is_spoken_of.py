"""Who is only spoken of changes no party, and who joins by name or tells a total does."""

import pytest

from .conversation import told

FIVE = "flights from Dublin to Faro on 6 May, back 10 May, for 5 people"


def people_after(*messages: str) -> int | None:
    return told(*messages).flight.passengers


@pytest.mark.parametrize(
    "said",
    [
        "oh and the wife says no stops if possible with the little one",
        "Perhaps a week is too long for my wife. Let us say from the 2nd to the 6th of May.",
        "nonstop please, changing planes is hard for my dad",
        "lovely, in business class then with my husband",
        "leave after 10, early flights are difficult for my mother",
        "back on the 9th, the 10th is not good for my boss",
    ],
)
def test_mentioned_person_does_not_change_the_party(said: str) -> None:
    assert people_after(FIVE, said) == 5


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("hang on, 2 ppl might drive down themselves so maybe flights for 4 only", 4),
        ("two people will take the train", 5),
        ("3 friends would rather drive, so flights for 2 only", 2),
        ("there are 4 of us", 4),
        ("we would be 4", 4),
        ("we'd be 6", 6),
        ("we are now 4", 4),
        ("there'd be 3 of us now", 3),
        ("make that 7, Declan's out", 7),
        ("make it 3, sean can't make it", 3),
        ("make that 7, Declan's out. 3 twins and a single", 7),
        ("only with my husband", 2),
        ("just me and my husband", 2),
    ],
)
def test_total_that_is_told_is_the_party(said: str, people: int) -> None:
    assert people_after(FIVE, said) == people


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("jake is coming too", 6),
        ("Priya will join us too", 6),
        ("Jake's coming along", 6),
        ("Jake and Anna are coming with us", 7),
        ("a friend is coming too", 6),
        ("jake isn't coming", 4),
        ("is jake coming too?", 5),
        ("if jake is coming too we'll see", 5),
        ("Jake is coming too, so we're 7", 7),
    ],
)
def test_named_companion_is_one_more_traveller(said: str, people: int) -> None:
    assert people_after(FIVE, said) == people


def test_single_traveller_is_not_removed() -> None:
    assert people_after("flights from Dublin to Faro on 6 May for 1 person", "Declan's out") == 1
