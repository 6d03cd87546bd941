"""Questions in few words: whether somebody is there, for the results again, what it costs."""

import pytest

from tests.understanding.conversation import told

STAY = "hotel in Turin from 11 to 13 December"


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("still there?", "state"),
        ("you still there", "state"),
        ("hello, still there?", "state"),
        ("anybody there?", "state"),
        ("repeat the last results", "found"),
        ("can you repeat the results", "found"),
        ("repeat the list please", "found"),
        ("the results again please", "found"),
        ("what's the damage per person then", "price"),
        ("so what is the damage", "price"),
    ],
)
def test_curt_question_is_one(said: str, topic: str) -> None:
    understood = told(STAY, said)
    assert understood.question
    assert (understood.question.topic, understood.question.which.name) == (topic, "")
    assert understood.hotel == told(STAY).hotel


@pytest.mark.parametrize(
    "said",
    ["is the Blue Anchor still there?", "repeat the search", "a hotel in Cork, still from 11 December"],
)
def test_others_are_none_about_the_results(said: str) -> None:
    question = told(STAY, said).question
    assert question is None or question.topic not in ("state", "found")
