"""Days of a journey told by those of an event, of a feast or of a month, and parts of a day in short."""

from datetime import date, time

import pytest

from backend.travel.understanding.understand import understand
from tests.understanding.conversation import told

TODAY = date(2026, 11, 23)  # a Monday


def days(*messages: str) -> tuple[str, str]:
    flight = told(*messages, today=TODAY).flight
    return str(flight.departure_date or ""), str(flight.return_date or "")


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("I've got a conference in Lisbon from the 3rd to the 5th of December, I'll need to get there from"
         " Bristol the night before and can come home the morning after", "2026-12-02", "2026-12-06"),
        ("the fair is in Oslo 3-5 December, I'd fly from London the day before and return the day after",
         "2026-12-02", "2026-12-06"),
        ("wedding in Rome on 12 June, arrive two days before and leave the day after, flying from London",
         "2027-06-10", "2027-06-13"),
        ("London to Oslo for a fair on 8 December, get there the evening before, back the following day",
         "2026-12-07", "2026-12-09"),
        ("meeting in Oslo on 8 December, fly in from Berlin the day before and back the same evening",
         "2026-12-07", "2026-12-08"),
        ("interview in Paris on 9 December, fly from Nice that morning and back that evening",
         "2026-12-09", "2026-12-09"),
        ("London to Rome on 12 June, two days before the wedding", "2027-06-10", ""),
        ("London to Rome 5 May, back the day after", "2027-05-05", "2027-05-06"),
        ("London to Rome 5 May, return the following day", "2027-05-05", "2027-05-06"),
        ("London to Rome 5 to 7 May, but flying out the previous evening and home the next day",
         "2027-05-04", "2027-05-08"),
    ],
)  # fmt: skip
def test_day_beside_another_is_counted_from_it(message: str, start: str, end: str) -> None:
    assert days(message) == (start, end)


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("My cousin is getting married in Florence on Saturday 12 June so I need to be there by Friday"
         " lunchtime at the latest, I live in Dublin", "2027-06-11", ""),
        ("wedding in Rome on Saturday 12 June, want to fly from London on the Thursday and come back on the"
         " Monday", "2027-06-10", "2027-06-14"),
        ("my brother gets married in Rome on 12 June, fly out of London 10 June and back 14 June",
         "2027-06-10", "2027-06-14"),
        ("My graduation is on Friday 4 June in Boston. Parents fly from Denver, arriving on the Wednesday,"
         " leaving Sunday.", "2027-06-02", "2027-06-06"),
        ("I've a meeting in Berlin on Thursday 10 December, from London, go on Wednesday, back Friday",
         "2026-12-09", "2026-12-11"),
        ("party in Madrid Saturday 6 March, from Porto Friday to Sunday", "2027-03-05", "2027-03-07"),
        ("party on Saturday in Lisbon, flying from Porto on Saturday morning, back Sunday",
         "2026-11-28", "2026-11-29"),
        ("London to Rome for a conference on 3 December, back on Friday", "2026-12-03", "2026-12-04"),
        ("flying from London to the wedding in Rome on 12 June", "2027-06-12", ""),
        ("My sister marries in Porto on 6 June, need to get there from Leeds", "2027-06-06", ""),
        ("meeting in Oslo on 8 December from Berlin", "2026-12-08", ""),
    ],
)  # fmt: skip
def test_days_of_a_journey_to_an_event_are_those_next_to_it(message: str, start: str, end: str) -> None:
    assert days(message) == (start, end)


@pytest.mark.parametrize(
    "said",
    ["would I arrive the same day or the day after?", "I can't wait for this spring break", "what a week"],
)
def test_question_or_hope_moves_no_day(said: str) -> None:
    assert days("London to Rome 5 May, back 9 May", said) == ("2027-05-05", "2027-05-09")


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("two weeks in Tokyo from Frankfurt, leaving 6 April", "2027-04-06", "2027-04-20"),
        ("a week in Rome from London leaving 5 May", "2027-05-05", "2027-05-12"),
        ("ten days in Bali from Sydney, leaving 3 July", "2027-07-03", "2027-07-13"),
        ("I'd like to spend 5 days in Lisbon from Berlin, leaving 3 July", "2027-07-03", "2027-07-08"),
        ("a week away from Leeds to Malaga leaving 5 May", "2027-05-05", "2027-05-12"),
        ("sydney to bali 2 weeks over christmas leaving around the 20th", "2026-12-20", "2027-01-03"),
        ("London to Rome in 2 weeks", "2026-12-07", ""),
        ("London to Rome 5 May, book 2 weeks in advance", "2027-05-05", ""),
        ("London to Rome 5 May, never 3 days in a row", "2027-05-05", ""),
    ],
)
def test_time_spent_at_a_place_is_a_length(message: str, start: str, end: str) -> None:
    assert days(message) == (start, end)


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("only 10 days actually", "2027-05-15"), ("just 3 days", "2027-05-08"),
        ("actually 4 days", "2027-05-09"),
        ("make it two weeks", "2027-05-19"), ("just a week", "2027-05-12"),
        ("maybe 5 days instead", "2027-05-10"),
        ("cut it to 3 days", "2027-05-08"), ("only 2 days left?", ""), ("that was 3 days ago", ""),
        ("a week off is music to my ears", ""),
    ],
)  # fmt: skip
def test_length_is_put_right_in_few_words(said: str, end: str) -> None:
    assert days("London to Rome 5 May", said) == ("2027-05-05", end)


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("Chicago to Miami MLK weekend", "2027-01-16", "2027-01-18"),
        ("Chicago to Miami over Martin Luther King day", "2027-01-16", "2027-01-18"),
        ("Boston to Dublin for St Patricks weekend", "2027-03-20", "2027-03-21"),
        ("columbus day weekend NYC to Boston", "2027-10-09", "2027-10-11"),
        ("Vancouver to LA veterans day", "2027-11-11", ""),
        ("LA to NYC 4th of july weekend", "2027-07-03", "2027-07-04"),
        ("london to rome bank holiday weekend", "2027-03-27", "2027-03-29"),
        ("london to rome for the bank holiday in May", "2027-05-03", ""),
        ("London to Rome over the august bank holiday", "2027-08-28", "2027-08-30"),
        ("leaving on a Friday in March, London to Rome, back on Sunday", "2027-03-05", "2027-03-07"),
        ("Sat to Sat in Majorca from Bristol, second week of July", "2027-07-10", "2027-07-17"),
        (
            "flights to Lisbon from London going on the 3rd and coming back 7 march",
            "2027-03-03",
            "2027-03-07",
        ),
        ("London to Rome leaving the 28th and back the 3rd of March", "2027-02-28", "2027-03-03"),
        ("Leeds to Paris on the 12 back on the 15", "2026-12-12", "2026-12-15"),
        ("lon rome 12-16 feb", "2027-02-12", "2027-02-16"),
        ("bank transfer London to Rome 5 may", "", ""),
    ],
)
def test_named_days_and_days_of_a_month_told_once(message: str, start: str, end: str) -> None:
    assert days(message) == (start, end)


@pytest.mark.parametrize(
    ("said", "first", "last"),
    [
        ("in february half term", date(2027, 2, 13), date(2027, 2, 21)),
        ("in half term", date(2027, 2, 13), date(2027, 2, 21)),
        ("half term in May", date(2027, 5, 29), date(2027, 6, 6)),
        ("October half-term", date(2027, 10, 23), date(2027, 10, 31)),
        ("easter holidays", date(2027, 3, 19), date(2027, 4, 11)),
        ("over the christmas holidays", date(2026, 12, 19), date(2027, 1, 4)),
        ("spring break", date(2027, 3, 1), date(2027, 3, 31)),
    ],
)
def test_weeks_off_school_are_a_period(said: str, first: date, last: date) -> None:
    understood = understand(f"London to Rome {said}", previous=None, today=TODAY)
    assert understood.period is not None
    assert (understood.period.start, understood.period.end) == (first, last)


def test_days_of_half_term_answer_when_to_leave() -> None:
    said = "half term is the thirteenth to the twenty first here"
    assert days("London to Tenerife in february half term", said) == ("2027-02-13", "2027-02-21")


@pytest.mark.parametrize(
    ("message", "leaves", "returns"),
    [
        ("Paris from London thu eve", (time(18), None), (None, None)),
        ("London to Paris fri am back sun pm", (time(5), time(12)), (time(12), None)),
        ("London to Paris friday pm, back sunday eve", (time(12), None), (time(18), None)),
        ("London to Paris friday morning back sunday evening", (time(5), time(12)), (time(18), None)),
        ("London to Paris 5 may am, back 8 may pm", (time(5), time(12)), (time(12), None)),
        ("MUC-LHR tmrw, return thu eve", (None, None), (time(18), None)),
        ("London to Rome christmas eve", (None, None), (None, None)),
        ("i am going from London to Rome on 5 May", (None, None), (None, None)),
    ],
)
def test_part_of_a_day_in_short_is_one(
    message: str, leaves: tuple[time | None, time | None], returns: tuple[time | None, time | None]
) -> None:
    flight = understand(message, previous=None, today=TODAY).flight
    assert (flight.departs_after, flight.departs_before) == leaves
    assert (flight.returns_after, flight.returns_before) == returns


@pytest.mark.parametrize(
    ("said", "by"),
    [
        ("be in Rome by friday lunchtime, from London", time(14)),
        ("London to Rome arriving friday by lunch", time(13)),
        ("need to be in Rome by Friday morning, from London", time(12)),
        ("must be there by the 5th of May afternoon, London to Rome", time(18)),
    ],
)
def test_by_a_part_of_a_day_is_up_to_its_end(said: str, by: time) -> None:
    flight = understand(said, previous=None, today=TODAY).flight
    assert (flight.arrives_after, flight.arrives_before) == (None, by)


@pytest.mark.parametrize(
    ("said", "back"),
    [
        ("flight and hotel for Amsterdam, leaving 14 January from Newcastle, 3 nights", "2027-01-17"),
        ("flight and hotel to Rome from London 14 January for 4 nights", "2027-01-18"),
        ("need flight + hotel, London to Rome, 14 January, 4 nights", "2027-01-18"),
        ("flight from Riga to Oslo on 14 January, a hotel there for two nights", ""),
        ("flight London Rome 14 January and a hotel for 2 nights", ""),
        ("hotel and flight one way to Rome from London on 14 January, 3 nights", ""),
    ],
)
def test_nights_of_a_flight_and_a_hotel_are_those_of_the_journey(said: str, back: str) -> None:
    assert days(said) == ("2027-01-14", back)


def test_anywhere_in_a_country_is_no_word_left_over() -> None:
    understood = understand("from Berlin to anywhere in Italy in December", previous=None, today=TODAY)
    assert understood.unused == ()


@pytest.mark.parametrize(
    ("said", "start"),
    [
        ("no wait, easter is then. make it the week after", "2027-04-13"),
        ("easter is that weekend, make it a week later", "2027-04-13"),
        ("make it Easter", "2027-03-28"),
    ],
)
def test_feast_that_is_in_the_way_is_not_the_day(said: str, start: str) -> None:
    assert days("Frankfurt to Tokyo 6 April", said)[0] == start
