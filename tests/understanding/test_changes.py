"""Messages that tell why something changes before they tell what."""

from datetime import date

import pytest

from tests.understanding.conversation import told

BEFORE = "a hotel in Rome from 3 to 6 May"


@pytest.mark.parametrize(
    "said",
    [
        "There is a wedding in Oslo on the 17th, so please change the dates to the 8th-12th of June",
        "on 1 May I have a meeting. Can you move it to 8-12 June?",
        "My boss wants me in Berlin on Friday! I have to reschedule my stay, from 8 to 12 June.",
    ],
)
def test_what_is_wanted_stands_behind_the_words_of_change(said: str) -> None:
    hotel = told(BEFORE, said).hotel
    assert (hotel.check_in, hotel.check_out) == (date(2027, 6, 8), date(2027, 6, 12))
    assert hotel.city == told(BEFORE).hotel.city


def test_change_of_something_else_leaves_the_days_before_it() -> None:
    assert told("a hotel in Rome", "from 3 May, and change the hotel please").hotel.check_in == date(
        2027, 5, 3
    )
