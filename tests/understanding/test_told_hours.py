"""Hours and parts of a day as people say them: in words, roughly, on their own."""

from datetime import time

import pytest

from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
THERE_AND_BACK = "flights from Berlin to Rome on 3 May, back on 9 May"
Span = tuple[int | float | None, int | float | None]


def hours(first: time | None, last: time | None) -> Span:
    return tuple(one and one.hour + one.minute / 60 for one in (first, last))  # type: ignore[return-value]


def leaves(understood: Understanding) -> Span:
    return hours(understood.flight.departs_after, understood.flight.departs_before)


def arrives(understood: Understanding) -> Span:
    return hours(understood.flight.arrives_after, understood.flight.arrives_before)


def returns(understood: Understanding) -> Span:
    return hours(understood.flight.returns_after, understood.flight.returns_before)


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("before ten", (None, 10)),
        ("after six", (18, None)),
        ("after eight please", (8, None)),
        ("not before ten", (10, None)),
        ("half past six at the latest", (None, 18.5)),
        ("half past nine or later", (9.5, None)),
        ("quarter to eight at the earliest", (7.75, None)),
        ("9am or later", (9, None)),
        ("6 pm at the latest", (None, 18)),
        ("7am earliest", (7, None)),
        ("no earlier than eight in the morning", (8, None)),
        ("between eight and eleven in the morning", (8, 11)),
        ("after 18h", (18, None)),
        ("after 18h30", (18.5, None)),
        ("after 18.30", (18.5, None)),
        ("after 1800", (18, None)),
        ("around 6 pm", (17, 19)),
        ("at about 9am", (8, 10)),
        ("10am", (9, 11)),
        ("10:30 please", (9.5, 11.5)),
        ("leave around 3", (14, 16)),
        ("around noon", (11, 14)),
        ("lunchtime", (11, 14)),
        ("around lunchtime please", (11, 14)),
        ("early morning", (5, 9)),
        ("mid morning", (9, 12)),
        ("late evening", (20, None)),
        ("afternoon", (12, 18)),
        ("afternoon or evening", (12, None)),
        ("mornings are better", (5, 12)),
        ("sometime after lunch", (13, None)),
        ("crack of dawn is fine", (5, 8)),
        ("first thing in the morning", (5, 8)),
        ("early bird", (5, 8)),
        ("a red-eye please", (21, None)),
        ("red eye", (21, None)),
        ("no red eyes", (5, 21)),
        ("nothing too early or too late", (9, 20)),
        ("nothing too early", (9, None)),
        ("The flight of the morning is better but not too early, after the 8", (8, 12)),
        ("in the morning, but not too early", (9, 12)),
        ("is there anything around 6 pm?", (17, 19)),
    ],
)
def test_hour_of_the_departure_is_read_as_it_is_said(said: str, span: Span) -> None:
    understood = told(FLIGHT, said)
    assert leaves(understood) == span
    assert understood.relation == "refine"
    assert refusals(understood) == ""


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ("flight from Berlin to Rome on 5 May before ten", (None, 10)),
        ("flight from Berlin to Rome on 5 May after six", (18, None)),
        ("flight from Berlin to Rome on 5 May morning", (5, 12)),
        ("flight from Berlin to Rome on 5 May 10am", (9, 11)),
        ("flight from Berlin to Rome on 5 May at 10am", (9, 11)),
        ("flight from Berlin to Rome friday night", (18, None)),
        ("flight from Berlin to Rome on friday evening after eight", (20, None)),
        ("flight and hotel Berlin to Rome friday night till sunday", (18, None)),
    ],
)
def test_hour_in_a_whole_request_is_read(message: str, span: Span) -> None:
    assert leaves(told(message)) == span


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ("flight from Berlin to Oslo on 5 May, be in Oslo by noon", (None, 12)),
        ("I have to be in Oslo by noon on 5 May, flying from Berlin", (None, 12)),
        ("i need to be in manchester on thursday morning before ten i am coming from edinburgh", (5, 10)),
        ("flight from Berlin to Oslo on 5 May, there in time for lunch", (None, 12)),
    ],
)
def test_hour_to_be_there_is_a_limit_of_arrival(message: str, span: Span) -> None:
    understood = told(message)
    assert (arrives(understood), leaves(understood)) == (span, (None, None))


@pytest.mark.parametrize(
    ("said", "out", "back"),
    [
        ("home in time for dinner", (None, None), (None, 19)),
        ("out in the morning, back in the evening", (5, 12), (18, None)),
        ("morning out, evening back", (5, 12), (18, None)),
        ("back after half past six", (None, None), (18.5, None)),
        ("i want to go back the same evening after six", (None, None), (18, None)),
    ],
)
def test_each_way_has_its_hour(said: str, out: Span, back: Span) -> None:
    understood = told(THERE_AND_BACK, said)
    assert (leaves(understood), returns(understood)) == (out, back)


@pytest.mark.parametrize("said", ["too early", "that's way too early for us", "hmm that is a bit too early"])
def test_too_early_means_a_later_departure(said: str) -> None:
    assert told(FLIGHT, "leaving after 8 am", said).flight.departs_after == time(9)


@pytest.mark.parametrize(
    "said",
    [
        "we have dinner at 7pm",
        "a table for four at 7pm",
        "make a reservation at 8:30 pm",
        "my meeting starts at 9am",
        "i have a meeting at 3pm there",
        "we can be at the airport by 9am",
        "around 6 people",
        "before may",
        "after two weeks",
        "is it too late to cancel",
        "good afternoon",
        "morning!",
        "we need a half board hotel",
        "about a quarter of it",
    ],
)
def test_other_hours_and_numbers_limit_no_departure(said: str) -> None:
    understood = told(FLIGHT, said)
    assert (leaves(understood), arrives(understood)) == ((None, None), (None, None))
