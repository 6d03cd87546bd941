"""Follow-ups that change, narrow or take back a request, as travellers word them."""

from datetime import date, time

import pytest

from tests.understanding.conversation import hotel, in_turn, told

MALAGA = "manchester to malaga 10-17 april 2 adults"
DENVER = "flights chicago to denver on february 9 in the morning, coming back on the 12th in the evening"
VIENNA = "hotel in vienna 18-21 dec for two"
UNDER_150 = "under 150 euros a night"


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("any going before noon?", (None, 12)),
        ("do you have any that go in the morning", (5, 12)),
        ("any that go after 3pm?", (15, None)),
        ("got anything in the evening?", (18, None)),
        ("what do you have in the afternoon", (12, 18)),
        ("are there any in the morning", (5, 12)),
        ("do any of them leave after 10", (10, None)),
        ("which ones leave before 9 in the morning", (None, 9)),
        ("any afternoon ones", (12, 18)),
        ("the afternoon would work", (12, 18)),
        ("afternoon works better", (12, 18)),
        ("move it to the evening", (18, None)),
        ("change the flight to the evening", (18, None)),
        ("in the morning on the way out", (5, 12)),
        ("can we go in the morning", (5, 12)),
    ],
)
def test_flights_are_narrowed_to_hours_in_few_words(said: str, hours: tuple[int | None, int | None]) -> None:
    slots = told(MALAGA, said).flight
    after, before = (time(hour) if hour else None for hour in hours)
    assert (slots.departs_after, slots.departs_before) == (after, before)


@pytest.mark.parametrize(
    ("said", "hours"),
    [
        ("make it afternoon on the way back", (12, 18)),
        ("afternoon on the way back", (12, 18)),
        ("evening for the return please", (18, None)),
        ("morning coming back would be better", (5, 12)),
        ("switch the return to the morning", (5, 12)),
        ("evening out and morning back", (5, 12)),
        ("can we fly out in the morning and back at night", (18, None)),
    ],
)
def test_hours_of_the_way_back_are_told_in_few_words(said: str, hours: tuple[int, int | None]) -> None:
    slots = told(MALAGA, said).flight
    after, before = (time(hour) if hour else None for hour in hours)
    assert (slots.returns_after, slots.returns_before) == (after, before)


@pytest.mark.parametrize(
    "said", ["i have a meeting in the morning", "what time does it leave", "good morning"]
)
def test_mornings_of_something_else_limit_no_flight(said: str) -> None:
    assert told(MALAGA, said).flight.departs_after is None


@pytest.mark.parametrize(
    "said", ["february 9 in the morning", "on feb 9 in the morning", "9 february in the morning"]
)
def test_day_before_in_the_morning_is_no_hour(said: str) -> None:
    slots = told(f"flights chicago to denver {said}").flight
    assert (slots.departure_date, slots.departs_after) == (date(2027, 2, 9), time(5))


@pytest.mark.parametrize(
    "said",
    [
        "the return can be any time",
        "return time doesnt matter",
        "any time on the way back is fine",
        "the time on the way back doesn't matter",
        "can you make the return the thirteenth and it can be any time",
        "return on the thirteenth any time",
    ],
)
def test_hour_of_the_way_back_that_is_no_longer_minded_is_taken_away(said: str) -> None:
    slots = told(DENVER, said).flight
    assert (slots.returns_after, slots.departs_after) == (None, time(5))
    assert slots.return_date in (date(2027, 2, 12), date(2027, 2, 13))


def test_any_time_of_a_month_is_a_day_that_is_still_to_be_said() -> None:
    understood = told(DENVER, "any time in march")
    assert understood.missing == ("flight.departure_date",)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("make the return the thirteenth", date(2027, 2, 13)),
        ("no actually can you make the return the fourteenth please", date(2027, 2, 14)),
        ("change the return to the thirteenth", date(2027, 2, 13)),
        ("i'll come back the fifteenth", date(2027, 2, 15)),
        ("return can be also 14", date(2027, 2, 14)),
        ("the return could also be 14", date(2027, 2, 14)),
        ("wednesday back instead of friday", date(2027, 2, 10)),
        ("return wednesday instead of friday", date(2027, 2, 10)),
        ("thursday back please", date(2027, 2, 11)),
    ],
)
def test_another_day_of_the_way_back(said: str, day: date) -> None:
    slots = told(DENVER, said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 2, 9), day)


@pytest.mark.parametrize("said", ["take the third one", "the second", "the thirteenth floor", "the first"])
def test_places_in_a_list_and_floors_are_no_days(said: str) -> None:
    slots = told(DENVER, said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 2, 9), date(2027, 2, 12))


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("8 feb instead of 9 feb", date(2027, 2, 8)),
        ("the 8th instead of the 9th", date(2027, 2, 8)),
        ("monday rather than tuesday", date(2027, 2, 8)),
        ("wednesday or thursday", date(2027, 2, 10)),
        ("the 10th or the 11th", date(2027, 2, 10)),
        ("and if i go the 8 or the 10?", date(2027, 2, 8)),
    ],
)
def test_days_that_are_told_beside_others(said: str, day: date) -> None:
    assert told(DENVER, said).flight.departure_date == day


@pytest.mark.parametrize(
    "said",
    [
        "sorry, march", "i meant march not february", "i meant march", "march not february", "oops march",
        "march instead of february",
    ],
)  # fmt: skip
def test_month_that_is_corrected_keeps_its_days(said: str) -> None:
    slots = told(DENVER, said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 3, 9), date(2027, 3, 12))


def test_month_that_is_only_wished_for_leaves_the_day_open() -> None:
    assert told(DENVER, "in march instead").missing == ("flight.departure_date",)


@pytest.mark.parametrize(
    "said",
    [
        "the following week", "same days the following week", "what about the weekend after?",
        "that's pricier than i hoped. what about the weekend after?", "push it to the week after",
    ],
)  # fmt: skip
def test_week_after_moves_all_days(said: str) -> None:
    slots = told(DENVER, said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 2, 16), date(2027, 2, 19))


def test_following_week_of_an_opening_message_tells_when() -> None:
    assert told("hotel in rome the following week").period is not None


@pytest.mark.parametrize(
    "said",
    [
        "actually leave the date as it was before", "go back to the original dates",
        "no the first dates were better", "keep the old dates", "back to 10-17 then",
        "no sorry go back to the dates i had", "ok original dates", "stick with the first dates",
        "the earlier dates were cheaper, use those", "put the dates back", "undo the dates",
        "change the dates back please", "first dates please", "the previous dates", "dates as they were",
        "ok the first dates were best. which one has no stops",
    ],
)  # fmt: skip
def test_days_of_an_earlier_request_are_wanted_again(said: str) -> None:
    slots = in_turn(MALAGA, "make it the 12th to the 18th", said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 4, 10), date(2027, 4, 17))


@pytest.mark.parametrize(
    "said",
    ["what were the first dates", "earlier dates please", "the dates are fine", "same dates as before"],
)
def test_words_about_days_that_take_none_back(said: str) -> None:
    slots = in_turn(MALAGA, "make it the 12th to the 18th", said).flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 4, 12), date(2027, 4, 18))


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("make that 170", 170), ("160 then", 160), ("bump it up to 200", 200), ("a bit more, say 180", 180),
        ("lower it to 120", 120), ("can you go down to 100", 100), ("maybe 175", 175), ("175?", 175),
        ("ok 200 max", 200), ("sorry i meant 140", 140), ("140 is fine too", 140),
    ],
)  # fmt: skip
def test_amount_alone_is_the_new_limit_of_price(said: str, amount: int) -> None:
    limit = told(VIENNA, UNDER_150, said).hotel.max_price
    assert limit is not None
    assert limit.amount == amount


@pytest.mark.parametrize("said", ["make it 3", "2027", "the 22", "make it 4 nights", "2 rooms"])
def test_other_numbers_are_no_limit_of_price(said: str) -> None:
    limit = told(VIENNA, UNDER_150, said).hotel.max_price
    assert limit is not None
    assert limit.amount == 150


def test_amount_alone_is_no_limit_where_none_is_known() -> None:
    assert "max_price" not in hotel(told(VIENNA, "make that 170"))


@pytest.mark.parametrize(
    "said", ["no the 6th was fine. 2 pax", "the 6th was right, 2 people", "the 6th was ok. two of us"]
)
def test_what_is_told_beside_a_day_that_was_right_is_kept(said: str) -> None:
    understood = in_turn("flights from malta to rome 6 dec", "7th", said)
    assert (understood.flight.departure_date, understood.flight.passengers) == (date(2026, 12, 6), 2)


def test_people_who_were_right_are_those_of_before() -> None:
    understood = in_turn(
        "flights from malta to rome 6 dec for 2 people", "3 people", "no, 2 people was right"
    )
    assert understood.flight.passengers == 2


@pytest.mark.parametrize(
    ("said", "stars"),
    [
        ("Undo that, the earlier hotel was fine", None),
        ("undo, the previous one was better", None),
        ("undo that please", None),
        ("Undo that, 3 stars was fine", 3),
    ],
)
def test_praise_of_what_was_before_says_no_more_than_undo(said, stars):
    undone = in_turn("flights and hotel in Venice from Vienna, 23-26 April", "a 4 star hotel", said).hotel
    assert (undone.stars, undone.name) == (stars, None)
