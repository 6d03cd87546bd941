"""Offers that are chosen by a word for them: told and proposed, never booked by that."""

from typing import Any

import pytest

from backend.travel.understanding.found import Which
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, told

NINE = (("09:15", "09:15"), ("21:15", "21:15"))
MORNING = (("04:00", "11:59"),)
STAY = "hotels in Lisbon from 12 to 15 January"


@pytest.mark.parametrize(
    ("said", "which"),
    [
        ("ok the first one please", Which(numbers=(1,))), ("the second one please", Which(numbers=(2,))),
        ("perfect, the second flight then", Which(numbers=(2,))), ("number 2", Which(numbers=(2,))),
        ("option 3 looks good", Which(numbers=(3,))), ("i like the second one", Which(numbers=(2,))),
        ("can i have the first one", Which(numbers=(1,))), ("2nd one", Which(numbers=(2,))),
        ("yes the first one", Which(numbers=(1,))), ("hmm ok the third", Which(numbers=(3,))),
        ("I think the first one is best", Which(numbers=(1,))), ("the first flight looks great", None),
        ("the 2nd one for us please", Which(numbers=(2,))), ("no the second one", Which(numbers=(2,))),
        ("ok that one", Which()), ("this one please", Which()), ("I prefer that one", Which()),
        ("that flight please", Which()), ("yeah that one is good", Which()), ("ok this one then", Which()),
        ("the 9:15 one", Which(hours=NINE)), ("the 9.15 flight please", Which(hours=NINE)),
        ("ok the one at 9:15", Which(hours=NINE)), ("the one leaving at 9:15 please", Which(hours=NINE)),
        ("the 9:15am one", Which(hours=NINE[:1])), ("i prefer the 18:40", Which(hours=(("18:40", "18:40"),))),
        ("the 6pm flight please", Which(hours=(("18:00", "18:59"),))),
        ("All right the morning one then", Which(hours=MORNING)),
        ("the morning flight", Which(hours=MORNING)),
        ("fine, the cheapest one", Which(by="price")), ("ok the fastest", Which(by="duration")),
        ("the earliest one please", Which(by="departure")), ("the direct one please", Which(is_nonstop=True)),
        ("the non-stop one", Which(is_nonstop=True)), ("ok the last one", Which(is_last=True)),
        ("the other one", Which(is_other=True)), ("the cheaper one", Which(by="price", is_of_two=True)),
        ("the earlier one please", Which(by="departure", is_of_two=True)),
        ("the hopscotch one please", Which(name="hopscotch")),
    ],
)  # fmt: skip
def test_offer_that_is_chosen_is_asked_about_and_not_booked(said: str, which: Which | None) -> None:
    before, after = told(BERLIN_TO_TOKYO), told(BERLIN_TO_TOKYO, said)
    assert after.question is not None
    assert after.question.topic == "chosen"
    assert which in (None, after.question.which)
    assert after.booking is None
    assert (after.flight, after.relation) == (before.flight, "other")


@pytest.mark.parametrize(
    "said",
    [
        "the cheapest is too expensive", "the 12th", "first class", "the flight", "that one is too expensive",
        "the first one and a hotel", "that flight on friday", "one", "2", "the second of may",
        "the first week",
        "the other day", "the last week of march", "the one to Osaka", "the first one was better?",
        "the morning", "not the first one", "the first one is too late", "the first flight on friday",
        "how long is the first one", "the ones with a pool", "another one", "the cheapest business class one",
        "what about the one at 9:15 tomorrow", "one more person", "the 9:15 one if it is refundable",
    ],
)  # fmt: skip
def test_what_only_resembles_it_chooses_nothing(said: str) -> None:
    question = told(BERLIN_TO_TOKYO, said).question
    assert question is None or question.topic != "chosen"


@pytest.mark.parametrize("said", ["the first one", "the first", "ok that one", "the morning one"])
def test_nothing_is_chosen_while_something_is_asked_or_nothing_was_found(said: str) -> None:
    for messages in (("flights to Tokyo", said), (said,), ("hello", said)):
        assert told(*messages).question is None


@pytest.mark.parametrize(
    ("said", "which"),
    [
        ("ok book the last one", Which(is_last=True)), ("nah go with the other one", Which(is_other=True)),
        ("I'll take the 9:15 flight", Which(hours=NINE)), ("take the morning one", Which(hours=MORNING)),
        ("book the earliest one please", Which(by="departure")),
        ("please reserve the direct one", Which(is_nonstop=True)),
        ("go for the cheaper one", Which(by="price", is_of_two=True)),
        ("I'll have the evening flight", Which(hours=(("17:30", "23:59"),))),
    ],
)  # fmt: skip
def test_wish_to_book_one_that_only_the_list_tells_is_for_that_one(said: str, which: Which) -> None:
    after = told(BERLIN_TO_TOKYO, said)
    assert after.booking is not None
    assert after.booking.which == which
    assert after.refused == ()


@pytest.mark.parametrize(
    ("said", "kind"), [("no, the 9:15 one", "flight"), ("the last one instead", "flight")]
)
def test_another_offer_is_asked_about_instead_of_the_one_that_is_asked_about(said: str, kind: str) -> None:
    before = told(BERLIN_TO_TOKYO, "book the cheapest")
    after = understand(said, previous=before, today=TODAY, deciding=True)
    assert after.booking is not None
    assert after.booking.kind == kind
    assert after.booking.which is not None


@pytest.mark.parametrize("said", ["the second one?", "the 9:15 one?"])
def test_with_a_question_mark_its_facts_are_asked_for(said: str) -> None:
    question: Any = told(LISBON, said).question
    assert question.topic == "details"


def test_head_tells_whose_offer_it_is() -> None:
    hotel, flight = (told(LISBON, f"ok the first {noun} please").question for noun in ("hotel", "flight"))
    assert hotel is not None
    assert flight is not None
    assert (hotel.agent, flight.agent) == ("hotel", "flight")
    assert told(STAY, "ok the first flight please").question is None
