"""No message whatever is too much: nothing raises, and what is understood is in order."""

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.travel.understanding.codec import from_json, to_json
from backend.travel.understanding.english.wording import ask_for, describe
from backend.travel.understanding.queries import flight_query, hotel_query
from backend.travel.understanding.understand import understand

TODAY = date(2026, 11, 20)
SAID = """
    flights hotel hotels there from to in near for Berlin Tokyo paris BER Nice 10 3 2 December May may on
    the next Friday weekend week nights people rooms stars under 900 euros a night - , . ? actually make
    it instead stop no not cancel and return returning until 12th tomorrow between business class nonstop
    Hilton Inn house called stay Larkspur hate my wife me we're party of adults child family double star
    rating : change dates following month 3rd 22nd arriving that's all bye how about instead cheap north
    restaurant taxi table same as booked budget plan reservation do any one with
    thanks trip want go leave plus also $ € 10/12 2026-12-10
"""
WORDS = SAID.split()
texts = st.text(max_size=60) | st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)


@given(
    st.lists(
        st.one_of(st.text(max_size=60), st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)),
        max_size=4,
    )
)
@settings(max_examples=300, deadline=None)
def test_any_conversation_is_understood_as_something(messages: list[str]) -> None:
    previous = None
    for message in messages:
        previous = understand(message, previous=previous, today=TODAY)
        assert from_json(to_json(previous)) == previous
        for slot in previous.missing:
            assert ask_for((slot,))
        assert (describe(previous) == "") == (previous.agents == ())
        flight, hotel = flight_query(previous), hotel_query(previous)
        assert flight is None or not set(flight.origins) & set(flight.destinations)
        assert hotel is None or hotel.nights >= 1


@given(
    st.dates(date(1990, 1, 1), date(9000, 1, 1)), st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join)
)
@settings(max_examples=200, deadline=None)
def test_any_day_can_be_today(today: date, message: str) -> None:
    understand(message, previous=None, today=today)


@pytest.mark.parametrize(
    "piece",
    [
        "a b! ",
        "10 ",
        "10-",
        "in the ",
        "\u0301",
        "🎉",
        "next ",
        "Find flights from Berlin to Tokyo ",
        "\x00",
        "İ",
        "١٢ ",
        "²",
    ],
)
def test_eight_thousand_characters_of_anything_are_understood_as_something(piece: str) -> None:
    message = (piece * 8_000)[:8_000]
    assert understand(message, previous=None, today=TODAY).relation in ("new", "other")


def test_more_digits_than_python_makes_a_number_of_are_no_error() -> None:
    assert understand("2" * 8000, previous=None, today=date(2026, 11, 20)).relation == "other"
