"""Farewells: they want nobody, whatever else they say."""

import pytest

from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.remarks import is_closing
from tests.understanding.conversation import LISBON, told


@pytest.mark.parametrize(
    "said",
    [
        "That's all for today, thank you!",
        "No, I'm all set. Have a great weekend",
        "Perfect. Thanks for all your help",
        "ok bye, I will call back later about the hotel",
        "Oh well. I guess I will look elsewhere. Goodbye.",
    ],
)
def test_farewell_changes_nothing_even_if_it_names_a_day_or_a_hotel(said: str) -> None:
    before, understood = told(LISBON), told(LISBON, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)


@pytest.mark.parametrize(
    "said",
    [
        "Thank you. I also need a hotel there",
        "That's all for the flights. Now find me a hotel",
        "thanks for your help. Can you make it 3 nights?",
        "thanks",
    ],
)
def test_goodbye_with_a_wish_is_no_goodbye(said: str) -> None:
    assert not is_closing(Text(said))
