"""What is understood once a form is filled in."""

from datetime import date

from backend.travel.agents.answers import with_answer
from tests.understanding.conversation import TODAY, told


def test_days_that_are_answered_are_assumed_no_longer_and_those_that_follow_from_them_are() -> None:
    asked = told("a hotel in Rome on 5 December", "and flights")
    assert asked.assumed == ("flight.departure_date",)
    given = {"origin": "Berlin", "destination": "Rome", "departure_date": "2026-12-05"}
    assert with_answer(asked, "flight", given, today=TODAY).assumed == ()
    both = told("flights and hotels in Rome")
    answered = with_answer(both, "flight", given, today=TODAY)
    assert (answered.hotel.check_in, answered.assumed) == (date(2026, 12, 5), ("hotel.check_in",))
