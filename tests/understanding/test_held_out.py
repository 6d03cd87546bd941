"""Phrases written before the rules that read them: `held_out` has them, and tells what each must come to.

Before the rules were widened 12 of the 30 with dates and 18 of the 30 with places came out right.
"""

from datetime import date

import pytest

from backend.travel.understanding.understand import understand
from tests.understanding.conversation import flight, hotel
from tests.understanding.held_out import DATES, PLACES, Phrase

TODAY = date(2026, 11, 20)
_ROUTE = {"origin": "Berlin", "destination": "Rome"}


def _check(phrase: Phrase, told: dict[str, object]) -> None:
    understood = understand(phrase.said, previous=None, today=TODAY)
    assert flight(understood) == told | phrase.flight
    assert hotel(understood) == phrase.hotel
    period = understood.period
    assert (period and (period.start.isoformat(), period.end.isoformat())) == phrase.period
    assert [one.said for one in understood.refused] == ([phrase.refused] if phrase.refused else [])
    assert set(phrase.choices) <= {other for one in understood.alternatives for other in one.others}


@pytest.mark.parametrize("phrase", DATES, ids=lambda phrase: phrase.said)
def test_date_comes_to_what_a_person_means(phrase: Phrase) -> None:
    _check(phrase, dict(_ROUTE))


@pytest.mark.parametrize("phrase", PLACES, ids=lambda phrase: phrase.said)
def test_place_comes_to_what_a_person_means(phrase: Phrase) -> None:
    _check(phrase, {})
