"""Changes told in a word or two, to a request that is known."""

from datetime import date, time
from decimal import Decimal

import pytest

from backend.travel.values.travel import UNKNOWN_AGE, Money
from tests.understanding.conversation import LISBON, flight, hotel, told

ROME = "flights from Berlin to Rome on 10 December"
RETURN = "return flights from Berlin to Rome, 10 to 17 December, 2 people"
STAY = "a hotel in Lisbon from 12 to 15 January"


@pytest.mark.parametrize(
    ("before", "said", "changed"),
    [
        (ROME, "business then", {"cabin_class": "business"}),
        (ROME, "biz class", {"cabin_class": "business"}),
        (ROME, "upgrade to business", {"cabin_class": "business"}),
        (ROME, "flying business", {"cabin_class": "business"}),
        (ROME, "Milan rather", {"destination": "Milan"}),
        (ROME, "weekend instead", {"departure_date": date(2026, 11, 21), "return_date": date(2026, 11, 22)}),
        (ROME, "3 tix", {"passengers": 3}),
        (ROME, "and my brother", {"passengers": 2}),
        (ROME, "plus a kid", {"passengers": 2, "children": (UNKNOWN_AGE,)}),
        (ROME, "push it a day", {"departure_date": date(2026, 12, 11)}),
        (RETURN, "plus one", {"passengers": 3}),
        (RETURN, "minus one", {"passengers": 1}),
        (RETURN, "and my brother", {"passengers": 3}),
        (RETURN, "18th back", {"return_date": date(2026, 12, 18)}),
        (RETURN, "return 18th", {"return_date": date(2026, 12, 18)}),
        (RETURN, "extend to the 20th", {"return_date": date(2026, 12, 20)}),
        (ROME, "sooner", {}),
        (ROME, "fewer stops", {"max_stops": 1}),
        (ROME, "mornings only", {"departs_after": time(5), "departs_before": time(12)}),
        (ROME, "solo", {"passengers": 1}),
    ],
)
def test_flight_is_changed_in_few_words(before, said, changed):
    after = told(before, said)
    assert flight(after) == flight(told(before)) | changed
    assert (after.relation, after.agents) == ("refine", ("flight",))


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("100 per night", {"max_price": Money(amount=Decimal(100))}),
        ("80 euros a night", {"max_price": Money(amount=Decimal(80))}),
        ("central", {"max_km": 2.0}),
        ("extend until the 17th", {"check_out": date(2027, 1, 17)}),
    ],
)
def test_stay_is_changed_in_few_words(said, changed):
    after = told(STAY, said)
    assert hotel(after) == hotel(told(STAY)) | changed
    assert (after.relation, after.agents) == ("refine", ("hotel",))


@pytest.mark.parametrize(
    "said",
    [
        "my brother paid 300 euros", "I have 300 euros in my account", "it is 80 euros a night there",
        "one plus one", "and my brother says hello", "300", "300 euros",
        "central heating is nice", "no business like show business",
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_change_changes_nothing(said):
    after = told(LISBON, said)
    assert (flight(after), hotel(after)) == (flight(told(LISBON)), hotel(told(LISBON)))
