"""What is told of people, prices, days and wishes, and where it is compared with offers."""

from dataclasses import replace

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import fits, flight_query
from backend.travel.understanding.requested import requested
from backend.travel.values.travel import ASSUMED_AGE
from tests.understanding.conversation import BERLIN_TO_TOKYO, flight, told

FLIGHT = "flights from Berlin to Rome on 3 May"
STAY = "a hotel in Rome from 5 to 8 December"


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("flexible by 2 days", 2),
        ("I'm flexible by one day", 1),
        ("give or take a day", 1),
        ("plus or minus three days", 3),
        ("+/- 3 days", 3),
        ("±2 days", 2),
        ("2 days either side", 2),
        ("my dates are flexible", None),
        ("I am flexible with the dates", None),
    ],
)
def test_other_days_are_told_as_not_searched_by_whenever_they_are_said(said, days):
    alone, at_once = told(BERLIN_TO_TOKYO, said), told(f"{BERLIN_TO_TOKYO}, {said}")
    for understood in (alone, at_once):
        assert [one.reason for one in understood.refused] == ["other_days"]
        assert understood.flexible_days == days
        assert flight(understood) == flight(told(BERLIN_TO_TOKYO))
        assert "I search one day at a time" in refusals(understood)
    assert requested("flight", at_once)["flexible_days"] == days


@pytest.mark.parametrize(
    "said", ["2 days later", "a flexible ticket", "for 5 days", "the flexible fare please", "stay 2 days"]
)
def test_other_words_tell_of_no_other_days(said):
    assert told(BERLIN_TO_TOKYO, said).flexible_days is None
    assert "other_days" not in [one.reason for one in told(BERLIN_TO_TOKYO, said).refused]


def test_ages_of_children_are_told_shown_and_searched_by() -> None:
    family = told(f"{FLIGHT} for 2 adults and 2 kids (4 and 7)")
    assert "4 passengers, 2 of them children (aged 4 and 7)" in describe(family)
    assert requested("flight", family)["children"] == [4, 7]
    people = flight_query(told(f"{FLIGHT} for 4 people"))
    assert people is not None
    assert people.children is None
    assert flight_query(family) == replace(people, children=(4, 7))
    twins = flight_query(told(f"{FLIGHT} for 2 adults and 2 kids (7 and 7)"))
    assert twins == replace(people, children=(7, 7))
    untold = flight_query(told(f"{FLIGHT} for 2 adults and 2 kids"))
    assert untold == replace(people, children=(ASSUMED_AGE, ASSUMED_AGE))


def test_limit_in_all_is_told_and_holds_for_what_all_pay() -> None:
    understood = told(f"{FLIGHT} for 2 people", "600 euros altogether")
    assert describe(understood).endswith("up to €600 in all")
    assert not fits("flight", understood.flight, {"price_total": {"amount": "601", "currency": "EUR"}})
    assert fits("flight", understood.flight, {"price_total": {"amount": "600", "currency": "EUR"}})


def test_limit_in_another_currency_says_what_it_is_compared_with() -> None:
    understood = told(f"{FLIGHT} for 2 people", "600 dollars in all")
    assert describe(understood).endswith("up to $600 in all")
    assert "Prices are in euros unless you set a limit in another currency" in refusals(
        told(FLIGHT, "prices in £ please")
    )


@pytest.mark.requirement("NOTHING-SAID-IS-LOST-IN-SILENCE")
@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("with a sea view", "a sea view"),
        ("put it on my company card", "put it on my company card"),
        ("airport parking under 50 euros", "parking under 50 euros"),
    ],
)
def test_wish_that_no_search_takes_is_told_in_a_plain_sentence(said: str, wish: str) -> None:
    assert refusals(told(STAY, said)) == f'I cannot search by "{wish}".'
