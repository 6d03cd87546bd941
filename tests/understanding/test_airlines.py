"""Airlines, by name."""

import pytest

from backend.travel.understanding.english.details.airlines import find_airlines
from backend.travel.understanding.english.language.text import Text
from tests.understanding.conversation import flight, told


@pytest.mark.parametrize(
    ("said", "names"),
    [
        ("with Lufthansa", ["Lufthansa"]),
        ("on United Airlines or british airways", ["United Airlines", "British Airways"]),
        ("I'd like Delta, please", ["Delta Airlines"]),
        ("fly with Swiss", ["Swiss"]),
        ("a Swiss hotel in the Mississippi delta", []),
        ("a lot of luggage", []),
        ("from London by tap and train", []),
    ],
)
def test_airlines_are_found_by_name(said: str, names: list[str]) -> None:
    assert [one.name for one in find_airlines(Text(said))] == names


def test_an_airline_is_no_place() -> None:
    understood = told("Find flights from Berlin to Rome with Alaska Airlines")
    assert flight(understood) == {"origin": "Berlin", "destination": "Rome", "airline": "Alaska Airlines"}
