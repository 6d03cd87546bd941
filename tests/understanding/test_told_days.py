"""Days that are told by others: of the message, of an event, of the request."""

from datetime import date, time

import pytest

from backend.travel.understanding.result import FlightSlots
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import hotel, told

TODAY = date(2026, 11, 22)  # a Sunday


def in_turn(*messages: str) -> FlightSlots:
    return told(*messages, today=TODAY).flight


def day(spelled: str) -> date | None:
    return date.fromisoformat(spelled) if spelled else None


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("Berlin to Rome on 11 December for the weekend", "2026-12-11", "2026-12-13"),
        ("Berlin to Rome on Friday over the weekend", "2026-11-27", "2026-11-29"),
        ("Berlin to Rome on 5 January, back a week later", "2027-01-05", "2027-01-12"),
        ("Berlin to Rome on 5 January and return two weeks later", "2027-01-05", "2027-01-19"),
        ("Berlin to Rome on 5 January, back the Sunday after", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome on 5 January, back the following Sunday", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome on 5 January for a month", "2027-01-05", "2027-02-05"),
        ("Berlin to Rome for two months from 5 January", "2027-01-05", "2027-03-05"),
        ("Berlin to Rome on 5 January for about ten days", "2027-01-05", "2027-01-15"),
        ("Berlin to Rome around the 9th of January for roughly 5 days", "2027-01-09", "2027-01-14"),
        ("Berlin to Rome 5 January five days", "2027-01-05", "2027-01-10"),
        ("Berlin to Rome 12/12 - 15/12", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome 12.12.-15.12.", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome 12.12. - 15.12.", "2026-12-12", "2026-12-15"),
        ("Berlin to Rome from 9 to 15 jan", "2027-01-09", "2027-01-15"),
        ("Berlin to Rome for New Year's, 30 december to 2 january", "2026-12-30", "2027-01-02"),
        ("Berlin to Rome over Christmas, 23 to 27 December", "2026-12-23", "2026-12-27"),
        ("Berlin to Rome on the first of december until the third", "2026-12-01", "2026-12-03"),
        ("Berlin to Rome on Friday 12 December", "2026-12-12", ""),
        ("Berlin to Rome asap", "2026-11-22", ""),
        ("I need to fly from Berlin to Rome as soon as possible", "2026-11-22", ""),
        ("Berlin to Rome nxt fri", "2026-11-27", ""),
        ("Berlin to Rome on wendsday", "2026-11-25", ""),
        ("Berlin to Rome tmrw", "2026-11-23", ""),
        ("Berlin to Rome on 5 January, the day before please", "2027-01-04", ""),
        ("i must be in Rome on 5 January so i fly the evening before from Berlin", "2027-01-04", ""),
        ("fly from Berlin to Rome on the second of december and come back on the fourth after five pm",
         "2026-12-02", "2026-12-04"),
    ],
)  # fmt: skip
def test_first_and_last_day_of_a_flight(message: str, start: str, end: str) -> None:
    flight = understand(message, previous=None, today=TODAY).flight
    assert (flight.departure_date, flight.return_date) == (day(start), day(end))


@pytest.mark.parametrize(
    ("message", "check_in", "last"),
    [
        ("hotel in Lisbon for a month from 1 February", "2027-02-01", "2027-03-01"),
        ("hotel in Rome from 5 January, a week or so", "2027-01-05", "2027-01-12"),
        ("hotel in Rome 2 wks from 5 jan", "2027-01-05", "2027-01-19"),
        ("hotel in Rome on 11 December for the weekend", "2026-12-11", "2026-12-13"),
        ("hotel in Rome 5 January for around 5 nights", "2027-01-05", "2027-01-10"),
    ],
)
def test_first_and_last_day_of_a_stay(message: str, check_in: str, last: str) -> None:
    hotel = understand(message, previous=None, today=TODAY).hotel
    assert (hotel.check_in, hotel.last_day) == (day(check_in), day(last))


@pytest.mark.parametrize(
    ("messages", "start", "end"),
    [
        (["and home the Sunday after that"], "2026-12-01", "2026-12-06"),
        (["coming back two weeks later"], "2026-12-01", "2026-12-15"),
        (["return 3 days later"], "2026-12-01", "2026-12-04"),
        (["coming back a month later"], "2026-12-01", "2027-01-01"),
        (["back on the 6th", "one day earlier there"], "2026-11-30", "2026-12-06"),
        (["a week later"], "2026-12-08", None),
        (["the Sunday after that"], "2026-12-06", None),
        (["no sry on wendsday"], "2026-11-25", None),
        (["one more night"], "2026-12-01", None),
        (["stay a night longer"], "2026-12-01", None),
    ],
)
def test_days_told_from_those_before(messages: list[str], start: str, end: str | None) -> None:
    flight = in_turn("flights from Zurich to Lisbon on 1 December", *messages)
    assert (flight.departure_date, flight.return_date) == (day(start), day(end or ""))


@pytest.mark.parametrize("part", ["end of next week", "the end of next week", "late next week"])
def test_end_of_a_week_is_a_period_of_four_days(part: str) -> None:
    period = understand(f"Berlin to Rome {part}", previous=None, today=TODAY).period
    assert period is not None
    assert (period.start, period.end) == (date(2026, 11, 26), date(2026, 11, 29))


def test_weekday_that_the_day_is_not_is_told_as_another_reading() -> None:
    understood = understand("Berlin to Rome on Friday 12 December", previous=None, today=TODAY)
    (other,) = understood.alternatives
    assert (other.taken, other.others) == ("2026-12-12", ("2026-12-11",))
    assert understand("Berlin to Rome, Sat 12 December", previous=None, today=TODAY).alternatives == ()


@pytest.mark.parametrize(
    "message",
    [
        "can somebody clean my room asap", "let me know asap", "please answer as soon as possible",
        "rated 8.5. or better", "for the month", "on the second floor", "my third trip",
        "it is after all the best",
        "later please", "the first one", "maybe in a later life",
    ],
)  # fmt: skip
def test_what_only_sounds_like_a_day_moves_none(message: str) -> None:
    flight = in_turn("flights from Zurich to Lisbon on 1 December", message)
    assert (flight.departure_date, flight.return_date) == (date(2026, 12, 1), None)


def test_departure_is_no_check_out() -> None:
    told = understand(
        "We're thinking the Maldives, leaving from Manchester around the 9th of January, for about ten days."
        " Somewhere really nice to stay, 5 stars",
        previous=None,
        today=TODAY,
    )
    assert told.agents == ("flight", "hotel")
    assert (told.hotel.check_in, told.hotel.last_day) == (date(2027, 1, 9), date(2027, 1, 19))
    assert (told.flight.departure_date, told.flight.return_date) == (date(2027, 1, 9), date(2027, 1, 19))


def test_leaving_a_hotel_is_its_check_out() -> None:
    hotel = understand("a hotel in Rome, leaving on the 9th of January", previous=None, today=TODAY).hotel
    assert (hotel.check_in, hotel.check_out) == (None, date(2027, 1, 9))


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("weekend after next", "2026-12-05", "2026-12-06"),
        ("weekend of 14 march", "2027-03-13", "2027-03-14"),
        ("easter weekend", "2027-03-26", "2027-03-29"),
        ("for the easter weekend", "2027-03-26", "2027-03-29"),
        ("valentine's weekend", "2027-02-13", "2027-02-14"),
        ("canadian thanksgiving", "2027-10-11", ""),
        ("canadian thanksgiving weekend", "2027-10-09", "2027-10-11"),
        ("thanksgiving", "2026-11-26", ""),
        ("may bank holiday weekend", "2027-05-01", "2027-05-03"),
        ("august bank holiday weekend", "2027-08-28", "2027-08-30"),
        ("sat to mon", "2026-11-28", "2026-11-30"),
        ("sat-sun", "2026-11-28", "2026-11-29"),
        ("fri-mon", "2026-11-27", "2026-11-30"),
        ("thursday to sunday", "2026-11-26", "2026-11-29"),
        ("31st", "2026-12-31", ""),
        ("the 3. of May", "2027-05-03", ""),
        ("5th thru 9th", "2026-12-05", "2026-12-09"),
        ("over new year", "2026-12-31", "2027-01-02"),
    ],
)
def test_spans_that_have_a_name_are_read(said: str, start: str, end: str) -> None:
    slots = in_turn(f"flights from London to Rome {said}")
    assert (slots.departure_date, slots.return_date) == (day(start), day(end))


@pytest.mark.parametrize(
    "said", ["3rd week of january", "the 3rd week of january", "the third week of january"]
)
def test_week_of_a_month_is_counted_in_figures_too(said: str) -> None:
    understood = told(f"flights from London to Rome {said}", today=TODAY)
    assert understood.flight.departure_date is None
    assert understood.period
    assert understood.period.start == date(2027, 1, 15)


def test_weekend_of_a_stay_is_that_of_the_journey() -> None:
    understood = told("flight from Berlin to Rome on 8 December", "and a hotel for the weekend", today=TODAY)
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2026, 12, 12), date(2026, 12, 13))


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("this weekend instead", "2026-11-21", "2026-11-22"),
        ("thursday to sunday next week", "2026-11-26", "2026-11-29"),
        ("monday to wednesday next week", "2026-11-23", "2026-11-25"),
    ],
)
def test_days_told_from_today_are_the_coming_ones(said: str, start: str, end: str) -> None:
    slots = told("flight from Berlin to Rome on 11 December", said, today=date(2026, 11, 18)).flight
    assert (slots.departure_date, slots.return_date) == (day(start), day(end))


def test_day_to_leave_lies_in_the_month_that_was_told() -> None:
    slots = in_turn("flights from London to Rome in July, 2 weeks", "leave 4th")
    assert (slots.departure_date, slots.return_date) == (date(2027, 7, 4), date(2027, 7, 18))


@pytest.mark.parametrize(
    "said", ["I sat in the sun", "take the 2nd", "the 3rd hotel was nice", "what a weekend"]
)
def test_other_words_name_no_day(said: str) -> None:
    assert in_turn("flights from London to Rome on 5 May", said).departure_date == date(2027, 5, 5)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("4th Feb to 11th Feb and a hotel from the 6th to the 9th", ("2027-02-06", "2027-02-09")),
        ("4-11 february, hotel the 6th to the 9th only", ("2027-02-06", "2027-02-09")),
        ("28 feb - 10 march and hotel from the 5th to the 9th", ("2027-03-05", "2027-03-09")),
        ("28 feb return 10 march and hotel from the 5th to the 9th", ("2027-03-05", "2027-03-09")),
    ],
)
def test_days_behind_those_of_the_journey_are_some_of_them(said: str, days: tuple[str, str]) -> None:
    stay = hotel(told(f"flight Dublin - Rome {said}"))
    assert (str(stay["check_in"]), str(stay["check_out"])) == days


@pytest.mark.parametrize(
    ("opening", "said", "days"),
    [
        (
            "one week from saturday 6 february",
            "can we go on the monday instead",
            ("2027-02-08", "2027-02-15"),
        ),
        ("5 dec for a week", "make it the tuesday", ("2026-12-08", "2026-12-15")),
        ("5 dec for a week", "actually the 8th", ("2026-12-08", "2026-12-15")),
        ("5 dec for a week", "leave a day earlier", ("2026-12-04", "2026-12-12")),
        ("5 dec for a week", "actually the 8th, back on the 14th", ("2026-12-08", "2026-12-14")),
        ("sat 12 dec back sat 19 dec", "leave on monday instead", ("2026-12-14", "2026-12-19")),
    ],
)
def test_journey_stays_as_long_as_was_told_where_its_first_day_moves(
    opening: str, said: str, days: tuple[str, str]
) -> None:
    slots = told(f"flight Oslo to Rome {opening}", said).flight
    assert (str(slots.departure_date), str(slots.return_date)) == days


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("sunday instead", "2026-12-06"),
        ("make it thursday", "2026-12-03"),
        ("actually monday", "2026-12-07"),
        ("actually I have to be there by thursday", "2026-12-03"),
    ],
)
def test_weekday_to_which_a_day_is_moved_is_the_nearest_one(said: str, day: str) -> None:
    assert str(told("flight Oslo to Rome friday 4 dec", said).flight.departure_date) == day


MONDAY = date(2026, 11, 23)  # a Monday


def days(*messages: str) -> tuple[str, str]:
    flight = told(*messages, today=MONDAY).flight
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
    understood = understand(f"London to Rome {said}", previous=None, today=MONDAY)
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
    flight = understand(message, previous=None, today=MONDAY).flight
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
    flight = understand(said, previous=None, today=MONDAY).flight
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
    understood = understand("from Berlin to anywhere in Italy in December", previous=None, today=MONDAY)
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


FARO = "flights from Birmingham to Faro on 2 March, back 16 March, for 2"
KOCHI = "Toronto to Kochi"
BUSINESS = "FRA to JFK, Tue 12 Jan, return Thu 14 Jan. Hotel 2 nights"


@pytest.mark.parametrize(
    ("message", "start", "end"),
    [
        ("a wedding in Kochi on 16 Jan, arrive by the 14th from Toronto", date(2027, 1, 14), None),
        (
            "My cousin's wedding is in Kochi on 16 Jan. I need to arrive by the 14th latest from Toronto"
            " and can fly back on 20th or 21st",
            date(2027, 1, 14),
            date(2027, 1, 20),
        ),
        (
            f"{KOCHI}, wedding on Jan 16, fly on the 12th, back on the 20th",
            date(2027, 1, 12),
            date(2027, 1, 20),
        ),
        (f"{KOCHI}, the conference starts 3 Feb, must be there by the 2nd", date(2027, 2, 2), None),
        (f"{KOCHI}, conference is 2 Feb, need to be there by the 31st", date(2027, 1, 31), None),
        (
            f"{KOCHI}, concert on 30 January, fly on the 28th, back on the 2nd",
            date(2027, 1, 28),
            date(2027, 2, 2),
        ),
    ],
)
def test_bare_day_beside_an_event_is_in_its_month(message: str, start: date, end: date | None) -> None:
    flight = told(message).flight
    assert (flight.departure_date, flight.return_date) == (start, end)


@pytest.mark.parametrize(
    ("said", "start", "end"),
    [
        ("We shall remain with Tuesday.", (3, 2), (3, 16)),
        ("it would be easier on us to leave on Thursday", (3, 4), (3, 16)),
        ("leave on a saturday instead", (2, 27), (3, 16)),
        ("what about a thursday", (3, 4), (3, 16)),
        ("come back on Sunday instead", (3, 2), (3, 14)),
        ("back on Friday please", (3, 2), (3, 19)),
        ("be back before Tuesday", (3, 2), (3, 15)),
    ],
)
def test_weekday_is_the_one_nearest_to_its_day(
    said: str, start: tuple[int, int], end: tuple[int, int]
) -> None:
    flight = told(FARO, said).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, *start), date(2027, *end))


def test_weekday_of_a_stay_that_joins_is_in_the_journey() -> None:
    joined = told(FARO, "and a hotel in Faro from Wednesday")
    assert joined.hotel.check_in == date(2027, 3, 3)


@pytest.mark.parametrize(
    ("message", "start"),
    [
        ("Paris to Rome, need to be there before Friday", date(2026, 11, 26)),
        ("Paris to Rome, I must arrive before 5 May", date(2027, 5, 4)),
        ("Paris to Rome, fly before the 5th of May", date(2027, 5, 4)),
        ("Paris to Rome, fly the day before Friday", date(2026, 11, 26)),
        ("Paris to Rome, leave 2 days before Friday", date(2026, 11, 25)),
        ("Paris to Rome, arrive before 10 am on Friday", date(2026, 11, 27)),
        ("Paris to Rome, arrive by Friday", date(2026, 11, 27)),
        ("Paris to Rome, arrive on or before 5 May", date(2027, 5, 5)),
    ],
)
def test_before_a_day_is_the_day_before_it(message: str, start: date) -> None:
    assert told(message).flight.departure_date == start


@pytest.mark.parametrize(
    "said", ["leaving 8 Dec, back before 11 Dec", "leaving 8 Dec, returning before the 11th"]
)
def test_back_before_a_day_is_the_day_before_it(said: str) -> None:
    assert told(f"Paris to Rome, {said}").flight.return_date == date(2026, 12, 10)


@pytest.mark.parametrize(
    ("messages", "start", "nights"),
    [
        ((BUSINESS, "he flies Monday 11th, hotel 3 nights accordingly"), date(2027, 1, 11), 3),
        (("FRA to JFK, 12 Jan, return 14 Jan", "fly on the 11th, hotel 3 nights"), date(2027, 1, 11), 3),
        ((BUSINESS, "fly on the 11th, and the hotel for 1 night"), date(2027, 1, 11), 1),
        ((BUSINESS, "leave on the 11th"), date(2027, 1, 11), 2),
    ],
)
def test_nights_of_a_hotel_move_no_return_that_was_told(
    messages: tuple[str, ...], start: date, nights: int
) -> None:
    understood = told(*messages)
    assert (understood.flight.departure_date, understood.flight.return_date) == (start, date(2027, 1, 14))
    assert (hotel(understood)["check_in"], hotel(understood)["nights"]) == (start, nights)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Toronto to Kochi, arrive by 14 January", "by 14 January"),
        ("Toronto to Kochi, we need to be there by Friday", "by Friday"),
        ("a wedding in Kochi on 16 Jan, arrive by the 14th from Toronto", "by the 14th"),
        ("Paris to Rome, get there before 5 May", "before 5 May"),
        ("Paris to Rome on Friday, arrive by 6 pm", None),
        ("Paris to Rome, arrive on 5 May", None),
        ("hotel in Rome, arriving by 5 May for 2 nights", None),
    ],
)
def test_day_to_be_there_by_is_told_to_be_that_of_the_departure(message: str, said: str | None) -> None:
    told_of = [one.said for one in told(message).refused if one.reason == "arrive_by"]
    assert told_of == ([said] if said else [])
