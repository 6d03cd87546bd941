"""Whether another day is cheaper: one day is searched at a time, which is told."""

import pytest

from tests.understanding.conversation import told

FLIGHT = "flights from Milan to Naples on 5 December"


def _days_refused(said: str) -> list[str]:
    return [one.said for one in told(FLIGHT, said).refused if one.reason == "other_days"]


@pytest.mark.parametrize(
    "said",
    [
        "is other day more cheap?",
        "it is too much expensive, is other day more cheap?",
        "is another day cheaper",
        "are other days cheaper?",
        "is it cheaper on other days?",
        "cheaper on another day?",
        "would a different day be cheaper?",
        "are any other days less expensive",
    ],
)
def test_other_days_are_told_to_be_left_out(said: str) -> None:
    assert len(_days_refused(said)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "anything cheaper that day?",
        "is there a cheaper one",
        "the other day I saw a cheaper one",
        "another day",
    ],
)
def test_other_questions_of_price_are_not(said: str) -> None:
    assert _days_refused(said) == []
