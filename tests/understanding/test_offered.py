"""Where rental cars are offered, messages about flights and hotels mean what they mean without."""

from datetime import date

import pytest

from backend.travel.understanding.result import Understanding
from backend.travel.understanding.slot_table import NO_CAR
from backend.travel.understanding.understand import understand
from tests.understanding.travellers.play import Conversation, read_conversations

TODAY = date(2026, 11, 20)
ABOUT_CARS = {"other-services"}
"""The conversation in which somebody wants a rental car."""


def _understood(conversation: Conversation, **offered: tuple[str, ...]) -> list[Understanding]:
    understood: list[Understanding] = []
    for turn in conversation["turns"]:
        previous = understood[-1] if understood else None
        understood.append(understand(turn["say"], previous=previous, today=TODAY, **offered))
    return understood


@pytest.mark.parametrize("conversation", read_conversations(), ids=lambda one: one["id"])
def test_travellers_are_understood_alike_with_cars_offered_and_without(conversation: Conversation) -> None:
    with_cars, without = _understood(conversation), _understood(conversation, offered=("flight", "hotel"))
    assert all(one.car == NO_CAR for one in without)
    assert (with_cars == without) == (conversation["id"] not in ABOUT_CARS)
