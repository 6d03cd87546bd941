"""An offer that is named just before "book it" is what "it" means: "second cheapest please, book it"."""

import pytest

from tests.understanding.conversation import told

FLIGHTS = "flight Prague to Paris 10 feb, back 13 feb"


@pytest.mark.parametrize(
    ("message", "pick", "number"),
    [
        ("second cheapest please, book it", "cheapest", 2),
        ("the second cheapest, book it please", "cheapest", 2),
        ("2nd cheapest, book that", "cheapest", 2),
        ("ok the fastest one please. book it", "fastest", None),
        ("fastest please, reserve it", "fastest", None),
        ("third one then, reserve it", None, 3),
        ("i like the second one, book it", None, 2),
        ("the second one looks good, book it", None, 2),
        ("the third flight is perfect, book it for us", None, 3),
        ("the 4th one please, book it", None, 4),
        ("yes the second one and book it", None, 2),
    ],
)
def test_what_is_named_before_is_booked(message, pick, number):
    wish = told(FLIGHTS, message).booking
    assert (wish.action, wish.kind, wish.pick, wish.number) == ("book", "flight", pick, number)


@pytest.mark.parametrize(
    "message",
    [
        "book it",
        "make it 2, book it",
        "the 3rd, book it",
        "leave on the second, book it",
        "the first is too expensive, book it",
        "not the second one, book it",
        "is the second one direct? book it",
        "great, book it",
    ],
)
def test_what_is_no_offer_or_another_is_not_taken_for_it(message):
    wish = told(FLIGHTS, message).booking
    assert (wish.action, wish.pick, wish.number) == ("book", None, None)
