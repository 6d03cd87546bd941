"""Who stays behind by a name or an age: "Anna just texted, she's out", "the oldest stays with his dad"."""

import pytest

from tests.understanding.conversation import told

FOUR = "hotel in Turin 11-13 December for 4"
FAMILY = "2 adults + 3 kids (3, 6, 11) hotel in Rovaniemi 19-22 December"


@pytest.mark.parametrize(
    "message",
    [
        "Anna just texted, she's out",
        "Anna is not coming after all",
        "Tom dropped out",
        "Anna can't make it",
        "oh, Tom can't come",
        "so he's out",
        "Declan's out",
        "oh no, Declan's out.",
        "sean can't make it",
        "sorry, priya isn't coming any more",
        "Sean's not coming after all",
        "Sean is out",
        "he's not coming",
        "Anna just dropped out",
        "the eldest is staying home",
        "my youngest stays with grandma",
    ],
)
def test_one_traveller_fewer(message):
    assert told(FOUR, message).hotel.guests == 3


@pytest.mark.parametrize(
    ("message", "ages"),
    [
        ("the oldest stays with his dad", (3, 6)),
        ("the oldest one isn't coming", (3, 6)),
        ("our youngest stays with grandma", (6, 11)),
        ("the middle one stays at home", (3, 11)),
    ],
)
def test_child_that_is_told_by_its_age_stays_behind(message, ages):
    understood = told(FAMILY, "and flights from Copenhagen", message)
    assert (understood.hotel.guests, understood.flight.passengers) == (4, 4)
    assert (understood.hotel.children, understood.flight.children) == (ages, ages)


@pytest.mark.parametrize(
    "message",
    [
        "Naples can't be it",
        "she's out of milk",
        "he's out until Monday, so call me",
        "the oldest hotel",
        "she's staying with us",
        "Ryanair's out",
        "Naples' out",
        "Friday's out",
        "the price isn't coming down",
        "it can't come soon enough",
        "Christmas is coming",
        "Hilton is out",
        "KLM is out",
        "is Anna out?",
        "she stays with us",
        "the youngest stays with us",
    ],
)
def test_of_others_and_other_things_nothing_is_made(message):
    assert told(FOUR, message).hotel.guests == 4
