"""Typing errors in the words that decide what a message is about."""

import pytest

from backend.travel.understanding.english.language.text import SPELLINGS
from tests.understanding.conversation import BERLIN_TO_TOKYO, flight, hotel, told


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("fligths form Oslo to Lima on 3 Janaury", "flights from Oslo to Lima on 3 January"),
        ("hoetl in Lima on 3rd Febuary, two nihgts", "hotel in Lima on 3rd February, two nights"),
        ("htels in Lima from firday, four geusts", "hotels in Lima from friday, four guests"),
        ("fligth from Oslo to Lima tommorow, busines", "flight from Oslo to Lima tomorrow, business"),
    ],
)  # fmt: skip
def test_mistyped_message_means_what_it_means_when_it_is_typed_well(typed: str, meant: str) -> None:
    understood, expected = told(typed), told(meant)
    assert (understood.agents, flight(understood), hotel(understood)) == (
        expected.agents,
        flight(expected),
        hotel(expected),
    )


@pytest.mark.parametrize("typed", ["sotp", "cnacel", "frget it", "nvm"])
def test_mistyped_stop_stops(typed: str) -> None:
    assert told(BERLIN_TO_TOKYO, typed).relation == "stop"


@pytest.mark.parametrize("word", ["fight", "fights", "guess", "hostel", "hotel"])
def test_word_of_its_own_is_no_typing_error(word: str) -> None:
    assert word not in SPELLINGS
