"""Words that take back the last change, all changes, or a value, and words that only look like these."""

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.undoing import find_right, redoes, starts_over, undoes

UNDOES = (
    "undo", "Undo that!", "undo it please", "oops undo", "no, undo the last change", "can you undo that?",
    "go back",
    "please go back one step", "as it was before", "no, make it as it was before", "like it was before",
    "the way it was", "put it back", "put it back as it was", "change it back please", "revert that",
    "roll back",
    "scratch that", "sorry, ignore that", "take that back", "let's go back",
    "ok go back to how it was before",
    "forget what I just said", "that was a mistake", "it was better before", "leave it as it was",
    "step back",
    "back to what I had before", "could you revert the last change please", "wait, undo", "as before",
    "restore it",
)  # fmt: skip
UNDOES_NOT = (
    "go back on Friday", "I want to go back to Paris", "flights back", "undo the dates and make it Friday",
    "back",
    "back to the Tokyo flights", "put the flights back in", "go back to Berlin on the 10th",
    "what was it before?",
    "the flight back", "come back", "as cheap as before 5 pm", "don't undo that", "take the train back",
    "before 9",
    "revert to the hotel in Rome", "the day before", "not as before, two people", "start over", "redo",
    "stop",
)  # fmt: skip
STARTS_OVER = (
    "start over", "you know what start over", "Start over please", "let's start over",
    "start again from scratch", "ok, from scratch", "reset",
    "forget everything I said", "forget everything", "clean slate please", "let's start again", "restart",
    "clear everything", "back to square one", "no wait, start all over again", "fresh start",
)  # fmt: skip
STARTS_OVER_NOT = (
    "start over with a flight to Rome", "starting from Berlin", "start on Friday",
    "flights from the start of May",
    "from scratch: hotels in Oslo for 2", "forget the hotel", "start searching", "the start of January",
    "undo",
    "forget it", "reset the price to 200", "start in Rome",
)  # fmt: skip


@pytest.mark.requirement("UNDO-GOES-BACK")
@pytest.mark.parametrize("said", UNDOES)
def test_words_of_undo_take_back_the_last_change(said: str) -> None:
    assert undoes(Text(said))


@pytest.mark.parametrize("said", UNDOES_NOT)
def test_other_words_do_not(said: str) -> None:
    assert not undoes(Text(said))


@pytest.mark.parametrize("said", ["redo", "redo that please", "undo the undo", "no, put the change back"])
def test_words_of_redo_take_back_an_undo(said: str) -> None:
    assert redoes(Text(said))
    assert not undoes(Text(said))


@pytest.mark.requirement("START-OVER-FORGETS")
@pytest.mark.parametrize("said", STARTS_OVER)
def test_words_of_a_new_start_begin_again(said: str) -> None:
    assert starts_over(Text(said))


@pytest.mark.parametrize("said", STARTS_OVER_NOT)
def test_other_wish_or_meaning_is_not_taken_so(said: str) -> None:
    assert not starts_over(Text(said))


@pytest.mark.parametrize(
    ("said", "what", "is_oldest"),
    [
        ("Paris was right", "", False), ("ugh no, Paris was right", "", False), ("the 5th was right",
        "", False),
        ("no the first date was right", "day", True), ("the original destination was fine", "place", True),
        ("the previous day was better, it was right", "day", False), ("the first airport was right",
        "start", True),
        ("the earlier number of people was correct", "people", False), ("the first city was right",
        "place", True),
    ],
)  # fmt: skip
def test_what_was_right_is_told_by_its_value_or_its_kind(said: str, what: str, is_oldest: bool) -> None:
    right = find_right(Text(said))
    assert right is not None
    assert (right.what, right.is_oldest) == (what, is_oldest)


@pytest.mark.parametrize(
    "said", ["that's right", "right", "Paris is right", "turn right at Paris", "was it right?"]
)
def test_to_agree_is_not_to_say_that_something_was_right(said: str) -> None:
    assert find_right(Text(said)) is None
