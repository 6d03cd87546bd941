"""What is understood, and stored, once a form is filled in or a question is answered."""

from datetime import date

import pytest

from backend.travel.agents.answers import with_answer
from backend.travel.readings import answer_of
from backend.travel.stored_requests import UnderstoodRequest
from tests.understanding.conversation import TODAY, told


def test_days_that_are_answered_are_assumed_no_longer_and_those_that_follow_from_them_are() -> None:
    asked = told("a hotel in Rome on 5 December", "and flights")
    assert asked.assumed == ("flight.departure_date",)
    given = {"origin": "Berlin", "destination": "Rome", "departure_date": "2026-12-05"}
    assert with_answer(asked, "flight", given, today=TODAY).assumed == ()
    both = told("flights and hotels in Rome")
    answered = with_answer(both, "flight", given, today=TODAY)
    assert (answered.hotel.check_in, answered.assumed) == (date(2026, 12, 5), ("hotel.check_in",))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("spoken_of", {"orders": {"flight": {"by": "duration", "descending": True}}}),
        ("stands_for", 3),
        ("drops_previous", True),
        ("of a later version", {"any": ["value"]}),
    ],
)
def test_an_answer_keeps_each_field_of_the_request_but_what_it_changes(field: str, value: object) -> None:
    request = UnderstoodRequest(told("flights to Tokyo on 10 December"), **{field: value})
    answered = answer_of(told("flights from Berlin to Tokyo on 10 December"), {}, before=request).request
    assert answered is not None
    assert answered[field] == value
    assert answered["understanding"] != request["understanding"]


def test_an_answer_leaves_no_search_and_no_prompt_of_the_request_before() -> None:
    before = {"asks_on": ["From where?"], "searches": {"flight": {"origins": ["OSL"]}}}
    request = UnderstoodRequest(told("flights to Tokyo on 10 December"), **before)
    answered = answer_of(told("flights from Berlin to Tokyo on 10 December"), {}, before=request).request
    assert answered is not None
    assert {"asks_on", "searches"}.isdisjoint(answered)
