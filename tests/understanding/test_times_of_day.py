"""When a flight is to leave, and times that tell something else."""

from datetime import date, time

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import told

FLIGHT = "flights from Berlin to Rome on 3 May"
MORNING, AFTERNOON, EVENING = (time(5), time(12)), (time(12), time(18)), (time(18), None)
Span = tuple[time | None, time | None]


def leaves(understood: Understanding) -> Span:
    return understood.flight.departs_after, understood.flight.departs_before


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("in the morning", MORNING),
        ("leaving in the early morning", (time(5), time(9))),
        ("in the late morning", (time(10), time(12))),
        ("in the afternoon please", AFTERNOON),
        ("late afternoon departure", (time(15), time(18))),
        ("mornings only", MORNING),
        ("departing in the evening", EVENING),
        ("leaving late in the evening", (time(20), None)),
        ("leaving after 6 pm", (time(18), None)),
        ("leaving after 6pm", (time(18), None)),
        ("leaving after 18:30", (time(18, 30), None)),
        ("departing before 9 am", (None, time(9))),
        ("leaving before 12 am", (None, time(0))),
        ("by noon", (None, time(12))),
        ("leaving after noon", (time(12), None)),
        ("not before 9 am", (time(9), None)),
        ("not after 6 pm", (None, time(18))),
        ("no later than 18:00", (None, time(18))),
        ("no earlier than 10 am", (time(10), None)),
        ("leaving between 9 and 11 am", (time(9), time(11))),
        ("departing between 6 pm and 9 pm", (time(18), time(21))),
        ("leaving between 10:00 and 14:30", (time(10), time(14, 30))),
    ],
)
def test_time_of_the_departure_is_read(said: str, span: Span) -> None:
    for understood in (told(f"{FLIGHT}, {said}"), told(FLIGHT, said)):
        assert leaves(understood) == span
        assert understood.flight.departure_date == date(2027, 5, 3)
        assert refusals(understood) == ""


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("a morning flight from Berlin to Rome on 3 May", MORNING),
        ("evening flights from Berlin to Rome on 3 May", EVENING),
        ("flights from Berlin to Rome on 3 May, evening preferred", EVENING),
        ("flights and a hotel in Rome from Berlin on 3 May in the morning", MORNING),
        ("flights from Berlin to Rome on 3 May leaving after 6 pm returning on 9 May", EVENING),
    ],
)
def test_part_of_the_day_is_read_beside_what_flies(said: str, span: Span) -> None:
    assert leaves(told(said)) == span


def test_part_of_a_day_is_no_other_day() -> None:
    understood = told("flights from Berlin to Rome tomorrow evening for 2 people")
    assert leaves(understood) == EVENING
    assert (understood.flight.departure_date, understood.flight.passengers) == (date(2026, 11, 21), 2)


@pytest.mark.parametrize(
    "said",
    [
        "arriving before 6 pm",
        "I need to land before 18:00",
        "back on 8 May in the evening",
        "returning after 6 pm",
        "check in after 6 pm",
        "we leave the hotel by 10:00",
        "not in the afternoon",
        "I have a meeting until 5 pm",
        "at 9",
        "leaving between 9 and 11",
        "leaving after 25:00",
        "leaving after 13 pm",
        "good morning",
        "from Friday morning to Monday evening",
    ],
)
def test_other_times_limit_no_departure(said: str) -> None:
    assert leaves(told(f"{FLIGHT}, {said}")) == (None, None)
    assert leaves(told(FLIGHT, said)) == (None, None)


def test_time_that_limits_no_flight_is_still_told_as_not_searched_by() -> None:
    assert 'I cannot search by "in the afternoon"' in refusals(told(FLIGHT, "not in the afternoon please"))


def arrives(understood: Understanding) -> Span:
    return understood.flight.arrives_after, understood.flight.arrives_before


def flies_back(understood: Understanding) -> Span:
    return understood.flight.returns_after, understood.flight.returns_before


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("arrive before 10", (None, time(10))),
        ("arrive before 6pm", (None, time(18))),
        ("land by noon", (None, time(12))),
        ("we need to be there by 5 pm", (None, time(17))),
        ("I want to arrive in the morning", MORNING),
        ("arriving after 14:00", (time(14), None)),
        ("landing no later than 18:30", (None, time(18, 30))),
        ("arrival between 9 and 11 am", (time(9), time(11))),
        ("i have to arrive by nine pm", (None, time(21))),
    ],
)
def test_time_of_the_arrival_is_read(said: str, span: Span) -> None:
    for understood in (told(f"{FLIGHT}, {said}"), told(FLIGHT, said)):
        assert (arrives(understood), leaves(understood)) == (span, (None, None))
        assert understood.flight.departure_date == date(2027, 5, 3)
        assert refusals(understood) == ""


@pytest.mark.parametrize(
    ("said", "span"),
    [
        ("fly back after lunch", (time(13), None)),
        ("back in the evening", EVENING),
        ("return flight after 6 pm", (time(18), None)),
        ("an evening flight back", EVENING),
        ("I want to come back after 5", (time(17), None)),
        ("return in the morning please", MORNING),
        ("and come home in the afternoon", AFTERNOON),
        ("the return should leave before noon", (None, time(12))),
    ],
)
def test_time_of_the_way_back_is_read(said: str, span: Span) -> None:
    understood = told(f"{FLIGHT}, back on 8 May", said)
    assert (flies_back(understood), leaves(understood)) == (span, (None, None))
    assert understood.flight.return_date == date(2027, 5, 8)
    assert refusals(understood) == ""


@pytest.mark.parametrize(
    "said",
    [
        "Geneva to London Monday morning, back Tuesday evening",
        "fly from Geneva to London on Monday morning and return on Tuesday evening",
        "Geneva to London tomorrow in the morning, coming back on Tuesday in the evening",
    ],
)
def test_each_way_has_its_own_time(said: str) -> None:
    understood = told(said)
    assert (leaves(understood), flies_back(understood)) == (MORNING, EVENING)


def test_another_time_takes_the_place_of_the_one_before() -> None:
    morning = f"{FLIGHT} in the morning"
    after = told(morning, "leave after 6 pm instead")
    assert (after.relation, after.agents, leaves(after)) == ("refine", ("flight",), (time(18), None))
    assert after.dropped == ("flight.departs_before",)
    assert leaves(told(morning, "for 2 people")) == MORNING
    assert leaves(told(morning, "any departure time")) == (None, None)


def test_stay_has_no_time_of_departure() -> None:
    assert leaves(told("hotels in Rome from 3 May in the morning")) == (None, None)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("in the morning", "leaving between 05:00 and 12:00"),
        ("leaving after 18:30", "leaving from 18:30"),
        ("by noon", "leaving by 12:00"),
        ("arriving after 9 am", "arriving from 09:00"),
        ("landing between 9 and 11 am", "arriving between 09:00 and 11:00"),
        ("arrive by noon", "arriving by 12:00"),
        ("fly back after 6 pm", "flying back from 18:00"),
        ("fly back before 18:30", "flying back by 18:30"),
    ],
)
def test_reply_tells_the_time_that_was_understood(said: str, words: str) -> None:
    assert describe(told(f"{FLIGHT}, {said}")).endswith(f"economy, {words}")
