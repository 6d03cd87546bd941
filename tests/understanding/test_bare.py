"""Messages that say when, how long and for how many, and nothing else."""

import pytest

from tests.understanding.conversation import hotel, told


@pytest.mark.parametrize(
    ("said", "agents"),
    [
        ("2 adults and a child, 3 nights from Friday", ("hotel",)),
        ("I'd like to make a reservation for 5 people from Sunday", ("hotel",)),
        ("we are arriving tomorrow and staying for a week", ("hotel",)),
        ("I want to make a booking", ("hotel",)),
        ("from Monday until Thursday", ("flight", "hotel")),
        ("we are two adults", ("flight", "hotel")),
    ],
)
def test_what_is_said_of_no_other_thing_opens_a_journey(said: str, agents: tuple[str, ...]) -> None:
    understood = told(said)
    assert (understood.relation, understood.agents) == ("new", agents)


@pytest.mark.parametrize(
    "said", ["meet me tomorrow", "wake me at 7 tomorrow", "I was born on 3 May", "a table for two on Friday"]
)
def test_day_in_another_matter_opens_nothing(said: str) -> None:
    assert told(said).relation == "other"


def test_what_was_said_first_holds_for_the_place_said_after() -> None:
    understood = told("2 adults, 3 nights", "in Rome from 3 May")
    assert understood.agents == ("hotel",)
    assert (hotel(understood)["city"], hotel(understood)["nights"], hotel(understood)["guests"]) == (
        "Rome",
        3,
        2,
    )
