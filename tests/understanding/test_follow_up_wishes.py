"""Follow-ups that wish for something: of hotels, fares, cars, or of those that an answer named."""

from datetime import date, time

import pytest

from tests.understanding.conversation import flight, hotel, in_turn, told

MALAGA = "manchester to malaga 10-17 april 2 adults"
DENVER = "flights chicago to denver on february 9 in the morning, coming back on the 12th in the evening"
ROME = "flights from berlin to rome 3 may to 10 may and a hotel there, 2 people"
VIENNA = "hotel in vienna 18-21 dec for two"


@pytest.mark.parametrize(
    ("said", "of_flight", "of_hotel"),
    [
        ("a 4 star with pool, and flights in the morning", {"departs_after": time(5)}, {"stars": 4}),
        ("make it business class and 5 star", {"cabin_class": "business"}, {"stars": 5}),
        ("not direct, one stop is fine, and a hotel with a pool", {"max_stops": 1}, {"amenities": ("pool",)}),
        (
            "change the hotel to 4 stars and the flight to the morning",
            {"departs_after": time(5)},
            {"stars": 4},
        ),
        ("hotel with pool and leave in the morning", {"departs_after": time(5)}, {"amenities": ("pool",)}),
        ("5 star hotel, nonstop", {"max_stops": 0}, {"stars": 5}),
        ("business class flights and a gym", {"cabin_class": "business"}, {"amenities": ("gym",)}),
        ("direct flights, breakfast included", {"max_stops": 0}, {"amenities": ("breakfast",)}),
        ("2 rooms and business class", {"cabin_class": "business"}, {"rooms": 2}),
        ("no lufthansa, and a hotel with a pool", {"not_airlines": ("Lufthansa",)}, {"amenities": ("pool",)}),
        (
            "any airline but Ryanair and hotels with a gym",
            {"not_airlines": ("Ryanair",)},
            {"amenities": ("gym",)},
        ),
        ("the hotel with a pool, and skip Iberia", {"not_airlines": ("Iberia",)}, {"amenities": ("pool",)}),
        ("not with KLM, and a 4 star hotel", {"not_airlines": ("KLM",)}, {"stars": 4}),
        ("not the Hilton, and flights with one stop", {"max_stops": 1}, {"not_names": ("Hilton",)}),
    ],
)
def test_wishes_for_both_in_one_message_reach_both(
    said: str, of_flight: dict[str, object], of_hotel: dict[str, object]
) -> None:
    understood = told(ROME, said)
    assert understood.agents == ("flight", "hotel")
    assert of_flight.items() <= flight(understood).items()
    assert of_hotel.items() <= hotel(understood).items()


def test_price_beside_stars_is_that_of_the_hotel() -> None:
    understood = told(ROME, "4 star, breakfast, max 150, and fly lufthansa")
    assert understood.flight.max_price is None
    assert understood.hotel.max_price is not None
    assert understood.flight.airline == "Lufthansa"


@pytest.mark.parametrize(
    "said",
    [
        "hotel with a pool",
        "a 4 star hotel",
        "a hotel that is not the Hilton",
        "a hotel with a pool, not the Ritz",
    ],
)
def test_wish_for_the_hotel_alone_leaves_the_flight_alone(said: str) -> None:
    assert told(ROME, said).agents == ("hotel",)


@pytest.mark.parametrize(
    "said", ["show me only those", "ok only those please", "just those", "hide the others"]
)
def test_those_that_were_asked_for_are_wanted_alone(said: str) -> None:
    assert told(VIENNA, "which ones have breakfast", said).hotel.amenities == ("breakfast",)
    assert told(VIENNA, "do any of them let you cancel for free", said).hotel.free_cancellation is True


def test_those_are_none_where_nothing_was_asked() -> None:
    assert told(VIENNA, "show me only those").relation == "other"


@pytest.mark.parametrize(
    ("said", "score"),
    [
        ("only those with at least 8 out of 10", 8.0), ("at least 8/10", 8.0), ("9/10 or better", 9.0),
        ("8.5 out of ten or more", 8.5), ("8 out of 10 is the score i want", 8.0),
    ],
)  # fmt: skip
def test_scores_of_ten_need_no_word_for_a_rating(said: str, score: float) -> None:
    assert told(VIENNA, said).hotel.min_score == score


@pytest.mark.parametrize("said", ["check in 8/10", "2 out of 3 of us want a pool"])
def test_days_and_shares_are_no_scores(said: str) -> None:
    assert told(VIENNA, said).hotel.min_score is None


@pytest.mark.parametrize(
    "said",
    ["sort them by how close they are to the centre", "sort by how far they are from the center",
     "order the hotels by how central they are"],
)  # fmt: skip
def test_hotels_are_sorted_by_how_close_they_are(said: str) -> None:
    understood = told(VIENNA, said)
    assert understood.question is not None
    assert (understood.question.topic, understood.question.by) == ("sort", "distance")


@pytest.mark.parametrize(
    ("said", "airline"),
    [
        ("i'd rather fly united if there's anything", "United Airlines"),
        ("fly delta", "Delta Airlines"),
        ("flying american would be better", "American Airlines"),
    ],
)
def test_airlines_are_flown_however_they_are_written(said: str, airline: str) -> None:
    assert told(MALAGA, said).flight.airline == airline


@pytest.mark.parametrize("said", ["make it 1 way", "1 way", "1-way please", "same but 1 way"])
def test_one_way_is_told_in_a_figure(said: str) -> None:
    assert told(MALAGA, said).flight.return_date is None


CAR = "rental car at phoenix airport from feb 20 to feb 24"


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("something bigger, were 5 people with golf clubs", "estate"), ("a bigger one", "estate"),
        ("too small", "estate"), ("smaller is fine", "small"), ("an suv instead", "suv"),
    ],
)  # fmt: skip
def test_cars_are_wished_for_larger_or_smaller(said: str, kind: str) -> None:
    assert told(CAR, said).car.car_class == kind


def test_car_larger_than_a_known_class_is_of_the_next_one() -> None:
    assert told(CAR, "a compact car", "bigger").car.car_class == "estate"
    assert told(CAR, "an suv", "bigger please").car.car_class == "van"
    assert told(CAR, "a van", "bigger please").car.car_class == "van"


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("drop it a day later", (20, 25)), ("drop it off on the 25th", (20, 25)),
        ("can we pick it up at noon instead and drop it a day later", (20, 25)),
        ("return it on the 25th", (20, 25)), ("pick it up a day earlier", (19, 23)),
    ],
)  # fmt: skip
def test_days_of_a_car_are_moved_apart(said: str, days: tuple[int, int]) -> None:
    slots = told(CAR, said).car
    assert slots.pick_up is not None
    assert slots.drop_off is not None
    assert (slots.pick_up.day, slots.drop_off.day) == days


@pytest.mark.parametrize("said", ["pick it up in the evening", "pick up at 10am", "at noon please"])
def test_hour_of_picking_up_a_car_is_told_to_be_none(said: str) -> None:
    assert [one.reason for one in told(CAR, said).refused] == ["not_searched_by"]


def test_car_from_elsewhere_is_picked_up_there() -> None:
    place = told(CAR, "from tucson instead").car.city
    assert place is not None
    assert place.city.name == "Tucson"


def test_other_gearbox_that_is_fine_too_lifts_the_wish() -> None:
    assert told(CAR, "automatic", "manual is fine too").car.transmission is None


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("we want to stay till the 20th", 20), ("stay longer, until the 15th", 15), ("we'll stay a week", 16),
        ("cut it short by a day", 11), ("shorten it to 2 days", 11), ("make it 5 days", 14),
    ],
)  # fmt: skip
def test_stay_tells_when_the_flight_goes_back(said: str, day: int) -> None:
    understood = told(DENVER, said)
    assert understood.agents == ("flight",)
    assert understood.flight.return_date == date(2027, 2, day)


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("the 3rd doesn't work, 4th is ok", (4, 10)),
        ("3rd is a holiday, lets leave on the 2nd", (2, 10)),
        ("it turns out my daughter has a recital on the 10th, so return on the 9th please", (3, 9)),
        ("my exam is on the 3rd so we can only leave on the 4th", (4, 10)),
        ("the kids have school until the 5th so can we leave the 6th", (6, 10)),
        ("leave on 2 may and stay until 12", (2, 12)),
    ],
)  # fmt: skip
def test_days_that_only_tell_why_are_not_those_of_the_journey(said: str, days: tuple[int, int]) -> None:
    understood = told(ROME, said)
    first, last = (date(2027, 5, day) for day in days)
    assert (understood.flight.departure_date, understood.flight.return_date) == (first, last)
    assert (understood.hotel.check_in, understood.hotel.told_last_day) == (first, last)


@pytest.mark.parametrize("said", ["we found a hotel already", "we already have a hotel", "hotel is sorted"])
def test_hotel_that_is_settled_is_looked_for_no_more(said: str) -> None:
    assert told(ROME, said).wanted == ("flight",)


@pytest.mark.parametrize("said", ["have you found a hotel already", "is the hotel booked already?"])
def test_question_about_the_hotel_settles_nothing(said: str) -> None:
    assert told(ROME, said).wanted == ("flight", "hotel")


@pytest.mark.parametrize("said", ["any later flights", "anything later?", "later flights please"])
def test_later_flights_are_those_after_that_shown_where_no_hour_is_known(said: str) -> None:
    understood = told(MALAGA, said)
    assert understood.flight.departs_after is None
    assert understood.question is not None
    assert (understood.question.topic, understood.question.by) == ("step", "departure")


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("leave 2 days earlier and come back 1 day later", (1, 11)),
        ("come back a day later and leave a day earlier", (2, 11)),
        ("go one day earlier, return one day later", (2, 11)),
        ("one day later", (4, 11)),
        ("come back a day earlier", (3, 9)),
    ],
)
def test_both_ends_of_a_journey_are_moved_in_one_message(said: str, days: tuple[int, int]) -> None:
    slots = told(ROME, said).flight
    assert (slots.departure_date, slots.return_date) == tuple(date(2027, 5, day) for day in days)


@pytest.mark.parametrize(
    "said",
    ["u choose", "you decide, i dont mind", "ok up to you", "surprise me", "pick one for me", "your call"],
)
def test_choice_left_to_us_gets_the_best_offer(said: str) -> None:
    question = told(ROME, said).question
    assert question is not None
    assert (question.topic, question.which.by) == ("which", "best")


@pytest.mark.parametrize(
    "said", ["budget is tight", "we're on a tight budget", "as cheap as possible please"]
)
def test_little_money_gets_the_cheapest_offer(said: str) -> None:
    question = told(ROME, said).question
    assert question is not None
    assert (question.topic, question.which.by) == ("which", "price")


def test_choice_that_is_left_to_us_with_a_wish_is_a_wish() -> None:
    assert told(ROME, "you choose a hotel with a pool").hotel.amenities == ("pool",)


def test_nothing_is_chosen_before_anything_was_found() -> None:
    assert told("flights to Rome", "you choose").question is None


@pytest.mark.parametrize("said", ["better rated one", "a better rated one please"])
def test_one_that_is_better_rated_has_not_one_star(said: str) -> None:
    understood = told(VIENNA, said)
    assert understood.hotel.stars is None
    assert understood.question is not None


def test_limit_in_all_beside_the_hotel_alone_is_that_of_the_stay() -> None:
    understood = told(ROME, "hotel max 200 total")
    assert understood.flight.max_total is None
    assert understood.hotel.max_total is not None
    assert told(ROME, "max 900 in total").flight.max_total is not None


def test_another_length_takes_the_place_of_the_one_before() -> None:
    assert told(ROME, "10 days instead of a week").flight.return_date == date(2027, 5, 13)


def test_cabin_alone_is_wanted_with_all_else_the_same() -> None:
    assert told(ROME, "same but business").flight.cabin_class == "business"


@pytest.mark.parametrize(
    "said", ["ok forget united just show me everything nonstop", "no united", "drop united"]
)
def test_airline_in_small_letters_is_taken_away(said: str) -> None:
    slots = told(MALAGA, "i'd rather fly united", said).flight
    assert (slots.airline, slots.airlines) == (None, ())


def test_dish_is_no_airline_that_is_taken_away() -> None:
    assert told(ROME, "no american breakfast").flight.not_airlines == ()


def test_thing_that_is_taken_off_is_taken_away() -> None:
    understood = told(VIENNA, "at least 8 out of 10", "hm thats too few, take the rating thing off again")
    assert understood.hotel.min_score is None


def test_first_days_that_hold_still_are_left_as_they_are() -> None:
    slots = in_turn(MALAGA, "a week later", "a week earlier", "ok the first dates were best").flight
    assert (slots.departure_date, slots.return_date) == (date(2027, 4, 10), date(2027, 4, 17))


def test_one_way_in_a_figure_leaves_nothing_unread() -> None:
    assert told("flight from dublin to amsterdam tomorrow evening 1 way").refused == ()


@pytest.mark.parametrize(
    ("said", "amenities"),
    [
        ("anything with a spa?", ("spa",)),
        ("is there one with a spa?", ("spa",)),
        ("one that has a sauna", ("spa",)),
        ("with a pool and spa", ("pool", "spa")),
        ("ooh nice. anything with a spa or a rooftop?", ("spa",)),
        ("something with parking and a spa", ("parking", "spa")),
    ],
)
def test_what_a_house_has_is_a_filter_though_it_may_be_looked_for_elsewhere(
    said: str, amenities: tuple[str, ...]
) -> None:
    found = told(VIENNA, said)
    assert found.relation == "refine"
    assert sorted(found.hotel.amenities or ()) == sorted(amenities)


@pytest.mark.parametrize("said", ["book me a spa treatment", "find me a restaurant for tonight"])
def test_service_of_that_name_is_no_filter(said: str) -> None:
    assert not told(VIENNA, said).hotel.amenities
