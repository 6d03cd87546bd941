"""What somebody wishes that fills no slot goes on with the request all the same."""

import pytest

from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, told

STAY = "a hotel in Rome from 3 May"


@pytest.mark.parametrize(
    "said",
    [
        "something cheap, I don't care where",
        "how about a moderate price range?",
        "is it in the expensive price range?",
        "I would rather be in the north",
        "do any of them have free parking?",
        "are any available on 8 May?",
    ],
)
def test_wish_goes_on_with_the_search_for_a_hotel(said: str) -> None:
    understood = told(STAY, said)
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    assert understood.hotel.city == told(STAY).hotel.city


def test_wish_answers_if_it_was_asked_for() -> None:
    prompt = Prompt(about=("hotel",), asks_details=True)
    understood = understand("in the north, please", previous=told(STAY), today=TODAY, prompt=prompt)
    assert (understood.relation, understood.agents) == ("answer", ("hotel",))


def test_wish_for_a_hotel_says_nothing_without_one() -> None:
    assert told(BERLIN_TO_TOKYO, "in the north").relation == "other"
    assert told("something cheap in the north").relation == "other"
