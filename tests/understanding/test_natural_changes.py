"""Changes of mind in everyday words: reasons told beside them, days told twice, requests broken off."""

from datetime import date

import pytest

from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, flight, hotel, told

LIMA = "flights from Oslo to Lima on 3 May"
STAY = "a hotel in Lima from 3 to 9 May"


@pytest.mark.parametrize(
    "said",
    [
        "scrap the whole plan",
        "call the whole thing off",
        "we're not travelling after all",
        "I've changed my mind, please don't look for anything",
        "oh forget about the entire trip",
        "drop it",
        "don't bother, I give up",
    ],
)
def test_search_is_stopped_in_many_words(said: str) -> None:
    assert (told(LIMA, said).relation, told(LIMA, said).agents) == ("stop", ())


@pytest.mark.parametrize("said", ["don't stop", "drop my bags at the hotel", "I can't leave it, can I?"])
def test_other_words_with_a_stop_in_them_stop_nothing(said: str) -> None:
    assert told(LIMA, said).relation != "stop"


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("my sister's wedding is on the 8th, so go on the 6th", date(2027, 5, 6)),
        ("the conference opens on the 9th so let's fly on the 7th", date(2027, 5, 7)),
        ("a week later please, school only ends on the 8th and term starts on the 20th", date(2027, 5, 10)),
        ("we must be in Lima on the 8th, fly on the 7th", date(2027, 5, 7)),
    ],
)
def test_day_of_an_event_is_not_the_day_of_the_flight(said: str, day: date) -> None:
    assert told(LIMA, said).flight.departure_date == day


def test_event_is_all_that_tells_the_day_where_nothing_else_does() -> None:
    understood = told("flights from Oslo to Lima", "the wedding is on 8 May")
    assert understood.flight.departure_date == date(2027, 5, 8)


@pytest.mark.parametrize(
    ("said", "day"),
    [("the same day in June", date(2027, 6, 3)), ("in April, same date", date(2027, 4, 3)),
     ("same day next month", date(2027, 6, 3)), ("in January instead, same day", date(2027, 1, 3))],
)  # fmt: skip
def test_same_day_of_another_month_keeps_its_number(said: str, day: date) -> None:
    understood = told(LIMA, said)
    assert (understood.relation, understood.flight.departure_date) == ("refine", day)


def test_same_dates_of_another_month_move_the_whole_journey() -> None:
    understood = told(LISBON, "the same dates in March")
    assert (understood.flight.departure_date, understood.flight.return_date) == (
        date(2027, 3, 12),
        date(2027, 3, 15),
    )
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2027, 3, 12), date(2027, 3, 15))


@pytest.mark.parametrize(
    "back", ["back the same evening", "returning the same day", "and home the same night"]
)
def test_return_on_the_same_day_is_the_day_of_departure(back: str) -> None:
    understood = told(f"{LIMA}, {back}")
    assert understood.flight.return_date == understood.flight.departure_date == date(2027, 5, 3)


def test_same_day_is_no_day_where_nobody_returns() -> None:
    assert told(LIMA, "would I arrive the same day?").flight == told(LIMA).flight


@pytest.mark.parametrize(
    ("said", "end"),
    [("3 May until 9", 9), ("3 May to the 9th", 9), ("the 3rd of May till 12", 12), ("3 May - 9", 9)],
)
def test_last_day_may_leave_out_its_month(said: str, end: int) -> None:
    understood = told(f"flights from Oslo to Lima, {said}")
    assert understood.flight.return_date == date(2027, 5, end)


@pytest.mark.parametrize("said", ["3 May - 9 people", "3 May to 4 June"])
def test_number_behind_a_day_is_not_always_a_day_of_its_month(said: str) -> None:
    assert told(f"flights from Oslo to Lima, {said}").flight.return_date in (None, date(2027, 6, 4))


@pytest.mark.parametrize("said", ["3/5, I'm American", "3/5 (that's 5 March)", "3/5, US format"])
def test_day_told_in_figures_is_taken_as_it_is_explained(said: str) -> None:
    understood = told(f"flight from Oslo to Lima on {said}")
    assert understood.flight.departure_date == date(2027, 3, 5)


def test_nights_of_a_hotel_are_no_wish_to_fly_back() -> None:
    understood = told("flights to Lima from Oslo on 3 May, and a hotel there for 4 nights")
    assert (understood.flight.return_date, understood.hotel.nights) == (None, 4)


@pytest.mark.parametrize(
    "said",
    [
        "return flights and a hotel in Lima from Oslo on 3 May, 4 nights",
        "book a trip to Lima from Oslo on 3 May, 4 nights",
    ],
)
def test_nights_of_a_whole_journey_tell_when_it_ends(said: str) -> None:
    assert told(said).flight.return_date == date(2027, 5, 7)


@pytest.mark.parametrize(
    "said", ["sorry, 4 not 3 people", "we are four not three", "we're four now", "4 ppl"]
)
def test_number_of_people_is_put_right(said: str) -> None:
    assert told(LIMA, said).flight.passengers == 4


@pytest.mark.parametrize(
    ("said", "stars"),
    [("3 to 4 stars", 3), ("only 4 and 5 star ones", 4), ("four or five stars", 4), ("4-star for 2", 4)],
)
def test_of_two_numbers_of_stars_the_lower_is_the_least(said: str, stars: int) -> None:
    assert told(STAY, said).hotel.stars == stars


@pytest.mark.parametrize(
    ("said", "amount"),
    [("budget 2.25k", 2250), ("at most 1 500 euros", 1500), ("raise the limit to under 1.5k", 1500)],
)
def test_amounts_are_read_as_people_write_them(said: str, amount: int) -> None:
    limit = told(LIMA, said).flight.max_price
    assert limit is not None
    assert limit.amount == amount


def test_hotel_only_for_part_of_a_journey_leaves_the_flight() -> None:
    understood = told(LIMA, "hotel only for the first night")
    assert understood.wanted == ("flight", "hotel")
    assert hotel(understood) == {"city": "Lima", "check_in": date(2027, 5, 3), "nights": 1}


@pytest.mark.parametrize(
    ("before", "said", "slot", "day"),
    [
        (STAY, "a flight from Oslo the day before", "flight.departure_date", date(2027, 5, 2)),
        (LIMA, "a hotel there from the day after we land", "hotel.check_in", date(2027, 5, 4)),
        (LIMA, "and a room for the night before", "hotel.check_in", date(2027, 5, 2)),
    ],
)
def test_what_joins_may_begin_a_day_beside_what_is_known(
    before: str, said: str, slot: str, day: date
) -> None:
    understood = told(before, said)
    holder, _, name = slot.partition(".")
    assert getattr(understood.flight if holder == "flight" else understood.hotel, name) == day


def test_stay_with_friends_needs_no_hotel() -> None:
    assert "hotel" not in told(LIMA, "boxing day instead, we're staying with my parents").wanted
    assert "hotel" in told(LIMA, "we're staying at a resort").wanted


@pytest.mark.parametrize("said", ["keep the 9th but fly business", "business class, and keep the 9th"])
def test_day_that_is_kept_stays_what_it_is(said: str) -> None:
    before = told(LIMA, "back on the 9th")
    understood = told(LIMA, "back on the 9th", said)
    assert flight(understood) == flight(before) | {"cabin_class": "business"}


@pytest.mark.parametrize("said", ["take the return out", "leave the return off please"])
def test_what_is_taken_away_may_stand_within_its_verb(said: str) -> None:
    assert told(f"{LIMA}, returning on 9 May", said).flight.return_date is None


@pytest.mark.parametrize(
    "said", ["my friend says Quito is nicer", "Quito would be cheaper", "no, keep Quito"]
)
def test_place_that_is_put_forward_is_the_new_goal(said: str) -> None:
    assert flight(told(LIMA, said))["destination"] == "Quito"


def test_place_named_before_its_start_is_the_goal() -> None:
    understood = told("Lima from Oslo on 3 May")
    assert flight(understood) == {"origin": "Oslo", "destination": "Lima", "departure_date": date(2027, 5, 3)}


@pytest.mark.parametrize(
    "said",
    [
        "Something completely different: flights from Cork to Malaga on 3 June",
        "new plan: Cork to Malaga on 3 June, flights",
        "now another trip: a flight from Cork to Malaga on 3 June",
    ],
)
def test_fresh_start_keeps_nothing(said: str) -> None:
    understood = told("flights from Oslo to Lima on 3 May, business class, 2 adults", said)
    assert understood.relation == "new"
    assert flight(understood) == {
        "origin": "Cork",
        "destination": "Málaga",
        "departure_date": date(2027, 6, 3),
    }


@pytest.mark.parametrize("said", ["nice", "Nice!", "nice, thanks"])
def test_praise_is_no_city(said: str) -> None:
    assert told(BERLIN_TO_TOKYO, said).agents == ()


def test_city_that_sounds_like_praise_is_meant_where_one_is_asked_for() -> None:
    assert flight(told("find me flights from Berlin", "Nice"))["destination"] == "Nice"


@pytest.mark.parametrize(
    "said", ["my phone fell in the bath", "what does nonstop mean?", "what is meant by layover?"]
)
def test_talk_and_questions_about_words_change_nothing(said: str) -> None:
    understood = told(STAY, said)
    assert (understood.relation, understood.agents, hotel(understood)) == ("other", (), hotel(told(STAY)))


def test_place_to_go_instead_is_not_lost_beside_the_start_that_was_asked_for() -> None:
    understood = told("I want to fly to Rome on 3 May", "Oslo, but make it Milan instead of Rome")
    assert flight(understood)["origin"] == "Oslo"
    assert flight(understood)["destination"] == "Milan"


def test_hotel_joins_for_the_days_and_people_of_the_flight() -> None:
    understood = told(f"{LIMA}, 2 adults", "and a hotel there")
    assert hotel(understood) == {"city": "Lima", "check_in": date(2027, 5, 3), "guests": 2}
    assert understood.assumed == ("hotel.check_in", "hotel.guests")


@pytest.mark.parametrize(
    ("before", "message", "people", "nights"),
    [
        ("LHR to Rome 4 Dec for 8", "make that 7, Declan's out", 7, None),
        ("flight and hotel Rome from Berlin 4 Dec to 8 Dec for 4", "actually make it 5 please", 5, None),
        ("hotel in Rome 4 Dec 3 nights", "make it 5", None, 5),
        ("hotel in Rome 4 Dec for 2 people", "make it 5th to 16th instead", 2, None),
        ("hotel in Rome 4 Dec 3 nights for 2 people", "make it 5", 2, 3),  # either may be meant
    ],
)
def test_make_it_changes_the_only_count_that_was_told(
    before: str, message: str, people: int | None, nights: int | None
) -> None:
    understood = told(before, message)
    assert (understood.flight.passengers or understood.hotel.guests) == people
    assert understood.hotel.nights == nights
