"""Bounds that a negation turns round: "it can't arrive after 10 pm", "nothing over 500", "not under 500"."""

from datetime import time
from decimal import Decimal

import pytest

from backend.travel.understanding.english.language.sentences import is_waived, negation_before
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.wording import refusals
from tests.understanding.conversation import BERLIN_TO_TOKYO, told

HOTELS = "hotels in Lisbon from 12 to 15 January"
EIGHT, NINE, NOON = time(8), time(9), time(12)

FROM = {
    ("departs", NINE): [
        "I can't leave before 9am", "cannot leave before 9 am", "mustn't depart before 9",
        "i cant leave b4 9am",
        "the flight must not leave before 9am", "not before 9 am", "nothing before 9am",
        "no flights before 9am",
        "no departures before 9:00", "never leave before 9am", "I won't fly before 9am",
        "not leaving before 9",
        "don't want to leave before 9", "do not leave before 9 am", "I wouldn't want to leave before 9am",
        "avoid flights before 9am", "I hate flights before 9am", "unable to leave until 9am",
        "can't leave till 9 am", "not leaving until 9am", "no earlier than 9 am",
        "exclude flights before 9am",
        "it shouldn't leave any earlier than 9 am", "please no flight before 9 in the morning",
    ],
    ("arrives", NOON): [
        "don't want to arrive before noon", "it can't land before 12:00", "we cannot be there before noon",
        "not arriving before noon", "don't want to get in before noon", "no arrivals before 12 pm",
    ],
}  # fmt: skip
UNTIL = {
    ("arrives", time(22)): [
        "it can't arrive after 10pm", "I can't arrive after 10 pm", "it cannot land after 22:00",
        "shouldn't land later than 10 in the evening", "not arriving later than 10pm",
        "don't arrive after 10pm",
        "do not arrive after 10pm", "no arrivals after 10 pm", "it shouldn't get in any later than 10pm",
        "arrive b4 10pm", "I don't want to arrive after 10pm", "nothing landing after 10pm",
    ],
    ("departs", time(15)): [
        "nothing departing after 3pm", "no flights after 3pm", "must not depart after 3 pm", "not after 3 pm",
        "nothing after 3 pm please", "avoid departures after 3pm", "no later than 15:00",
        "can't leave after 3pm",
        "no flights leaving later than 3 pm", "exclude flights after 3pm",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("what", "hour", "said"), [(*key, each) for key, some in FROM.items() for each in some]
)
def test_denied_before_is_from_then_on(what: str, hour: time, said: str) -> None:
    found = told(BERLIN_TO_TOKYO, said)
    assert getattr(found.flight, f"{what}_after") == hour
    assert getattr(found.flight, f"{what}_before") is None
    assert (found.relation, refusals(found)) == ("refine", "")


@pytest.mark.parametrize(
    ("what", "hour", "said"), [(*key, each) for key, some in UNTIL.items() for each in some]
)
def test_denied_after_is_until_then(what: str, hour: time, said: str) -> None:
    found = told(BERLIN_TO_TOKYO, said)
    assert getattr(found.flight, f"{what}_before") == hour
    assert getattr(found.flight, f"{what}_after") is None
    assert (found.relation, refusals(found)) == ("refine", "")


def test_one_negation_turns_all_that_or_joins() -> None:
    said = "the flight mustn't leave before 9 or land after 22:00, Graz to Berlin 17 jan"
    slots = told(said).flight
    assert (slots.departs_after, slots.departs_before) == (NINE, None)
    assert (slots.arrives_after, slots.arrives_before) == (None, time(22))


@pytest.mark.parametrize(
    ("said", "until"),
    [
        ("no stops, leaving before noon", NOON), ("without stops, leaving before noon", NOON),
        ("no Ryanair, leaving before noon", NOON), ("leaving before noon, not Ryanair", NOON),
        ("I can't wait, leave before noon", NOON), ("not nonstop, leave before noon", NOON),
        ("no, leave before noon", NOON), ("not that flight, leave before noon", NOON),
        ("I don't like it, leave before noon", NOON), ("leave before noon not after", NOON),
    ],
)  # fmt: skip
def test_negation_of_something_else_turns_nothing(said: str, until: time) -> None:
    slots = told(BERLIN_TO_TOKYO, said).flight
    assert (slots.departs_after, slots.departs_before) == (None, until)


@pytest.mark.parametrize(
    "said",
    [
        "I don't mind leaving before 6am", "no problem leaving before 9am",
        "not a problem to arrive after 10pm",
        "we don't have to be there before noon", "I don't need to be there before 6pm",
        "no need to leave before 9am", "it doesn't have to be after 6pm",
    ],
)  # fmt: skip
def test_what_somebody_has_nothing_against_limits_nothing(said: str) -> None:
    assert told(BERLIN_TO_TOKYO, said).flight == told(BERLIN_TO_TOKYO).flight


@pytest.mark.parametrize(
    "said",
    [
        "nothing over 400", "not over 400", "no flights over 400", "it can't cost more than 400",
        "not more then 400",
        "I can't pay more than 400 euros", "don't want to pay more than 400", "never above 400",
        "shouldn't cost more than €400", "nothing more expensive than 400", "no more than 400",
        "can't be over 400", "it must not exceed 400", "under 400",
    ],
)  # fmt: skip
def test_denied_more_is_a_limit_of_price(said: str) -> None:
    limit = told(BERLIN_TO_TOKYO, said).flight.max_price
    assert limit is not None
    assert limit.amount == Decimal(400)


@pytest.mark.parametrize(
    "said",
    ["not under 500", "nothing under 500", "not less than 500", "no less than 500 euros", "not below 500",
     "nothing cheaper than 500", "not under €500"],
)  # fmt: skip
def test_denied_less_is_told_to_be_no_limit(said: str) -> None:
    for before in (BERLIN_TO_TOKYO, HOTELS):
        found = told(before, said)
        assert (found.flight.max_price, found.hotel.max_price) == (None, None)
        assert "500" in refusals(found)


@pytest.mark.parametrize("said", ["not under 500 in total", "don't need it under 500", "it can be over 500"])
def test_least_price_is_no_limit_in_all(said: str) -> None:
    slots = told(BERLIN_TO_TOKYO, said).flight
    assert (slots.max_price, slots.max_total) == (None, None)


@pytest.mark.parametrize(
    ("said", "minutes"),
    [
        ("not longer than 12 hours", 720), ("can't take longer than 12 hours", 720),
        ("nothing over 12 hours", 720),
        ("it mustn't take more than 12 hours", 720), ("no flights over 12 hours", 720),
        ("under 12 hours", 720),
        ("not under 10 hours", None), ("not shorter than 10 hours", None),
        ("nothing less than 10 hours", None),
    ],
)  # fmt: skip
def test_denied_span_is_turned_as_well(said: str, minutes: int | None) -> None:
    assert told(BERLIN_TO_TOKYO, said).flight.max_minutes == minutes


@pytest.mark.parametrize(
    ("said", "score"),
    [("nothing rated under 8", 8.0), ("not rated below 8", 8.0), ("no hotels rated below 8.5", 8.5),
     ("rated 8 or better", 8.0)],
)  # fmt: skip
def test_denied_lower_score_is_the_least(said: str, score: float) -> None:
    slots = told(HOTELS, said).hotel
    assert (slots.min_score, slots.max_price) == (score, None)


@pytest.mark.parametrize(
    ("before", "said"),
    [
        (BERLIN_TO_TOKYO, "no flights after 8pm"), (BERLIN_TO_TOKYO, "no flights over 400"),
        (BERLIN_TO_TOKYO, "no flights with 2 stops"), (HOTELS, "no hotels under 4 stars"),
    ],
)  # fmt: skip
def test_no_flights_of_one_kind_keeps_the_search(before: str, said: str) -> None:
    assert told(before, said).relation == "refine"


@pytest.mark.parametrize("said", ["no flights", "no flights please", "no flights needed"])
def test_no_flights_at_all_still_ends_the_search(said: str) -> None:
    assert told(BERLIN_TO_TOKYO, said).relation == "stop"


def test_negation_reaches_no_further_than_what_lets_it_through() -> None:
    assert negation_before(Text("I can't leave before 9"), 3) == 1
    assert negation_before(Text("no Ryanair flight before 9"), 3) == -1
    assert not is_waived(Text("I can't leave before 9"), 3)
    assert is_waived(Text("I don't mind leaving before 9"), 4)
