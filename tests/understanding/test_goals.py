"""Goals that are not one city: open ones, several, regions, and places to fly back from."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import steps_to_others
from backend.travel.understanding.result import Understanding
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, flight, hotel, in_turn, told

SEVERAL_GOALS = "a flight from Hamburg to Athens on 3 December and a hotel in {}"


@pytest.mark.parametrize(
    "said",
    ["Actually, make it Kyoto", "make it Kyoto", "Kyoto instead", "rather Kyoto", "Kyoto, actually"],
)
def test_correction_changes_the_goal_while_the_start_is_asked_for(said: str) -> None:
    understood = told("find flights to Sapporo on 4 December", said)
    assert (understood.relation, understood.missing) == ("refine", ("flight.origin",))
    assert flight(understood) | {"departure_date": None} == {"destination": "Kyoto", "departure_date": None}


def test_correction_changes_the_goal_of_flight_and_stay() -> None:
    understood = told("flights and hotels in Athens", "make it Lisbon")
    assert (flight(understood), hotel(understood)) == ({"destination": "Lisbon"}, {"city": "Lisbon"})


@pytest.mark.parametrize("said", ["Kyoto", "actually from Kyoto", "Kyoto, and make it 2 people"])
def test_what_corrects_no_place_still_answers_where_to_start(said: str) -> None:
    understood = told("find flights to Sapporo on 4 December", said)
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("Kyoto", "Sapporo")


@pytest.mark.parametrize("place", ["Portugal", "Qwertyville"])
def test_hotel_in_no_city_that_is_known_is_not_put_where_the_flight_goes(place: str) -> None:
    understood = told(SEVERAL_GOALS.format(place))
    assert (understood.missing, "city" in hotel(understood)) == (("hotel.city",), False)


@pytest.mark.parametrize("place", ["Portugal", "Qwertyville"])
def test_city_of_the_hotel_stays_open_until_it_is_said(place: str) -> None:
    understood = told(SEVERAL_GOALS.format(place), "for 2 people")
    assert understood.missing == ("hotel.city",)
    understood = told(SEVERAL_GOALS.format(place), "for 2 people", "Porto")
    assert (hotel(understood)["city"], flight(understood)["destination"]) == ("Porto", "Athens")


def test_hotel_in_a_country_is_added_without_a_city() -> None:
    understood = told("flights from Hamburg to Athens on 3 December", "add a hotel in Portugal")
    assert (understood.agents, understood.missing) == (("hotel",), ("hotel.city",))


FLIGHT_TO_LISBON = "flights from London to Lisbon 12 January to 19 January"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("hmm what about the canaries", None),
        ("what about the canary islands instead", None),
        ("Canaries maybe", None),
        ("maybe the greek islands", None),
        ("how about greece", None),
        ("hmm, tuscany?", None),
        ("I would rather go to the Canaries", None),
        ("make it the canaries", None),
        ("or the algarve", "Faro"),
        ("the canaries are too far", "Lisbon"),
        ("we were in greece last year", "Lisbon"),
        ("what about the weather in the canaries", "Lisbon"),
    ],
)
def test_region_in_the_place_of_the_goal_is_asked_for_its_city(said: str, goal: str | None) -> None:
    understood = told(FLIGHT_TO_LISBON, said)
    assert flight(understood).get("destination") == goal
    assert (understood.missing == ("flight.destination",)) == (goal is None)


then = partial(told, today=date(2026, 11, 22))


@pytest.mark.parametrize(
    "message",
    [
        "somewhere warm in January under 300, from Cologne",
        "anywhere warm in january from cologne under 300",
        "from Cologne to somewhere sunny in January, max 300",
        "where can I fly from Cologne for under 300 in january?",
        "surprise me, from Cologne in January, up to 300 euros",
        "a warm place in January from Cologne under 300 please",
    ],
)
def test_open_goal_is_a_wish_to_fly(message: str) -> None:
    after = then(message)
    assert after.agents == ("flight",)
    assert after.flight.origin is not None
    assert after.flight.origin.city.name == "Cologne"
    assert after.flight.destination is None
    assert after.period is not None
    assert (after.period.start, after.period.end) == (date(2027, 1, 1), date(2027, 1, 31))
    assert after.flight.max_price is not None
    assert after.flight.max_price.amount == 300


def test_what_was_told_before_a_place_is_picked_is_kept() -> None:
    after = then(
        "somewhere warm in January under 300, from Cologne", "ok Gran Canaria then", "second week, any day"
    )
    assert after.flight.origin is not None
    assert after.flight.destination is not None
    assert (after.flight.origin.city.name, after.flight.destination.city.name) == ("Cologne", "Gran Canaria")
    assert after.period is not None
    assert (after.period.start, after.period.end) == (date(2027, 1, 8), date(2027, 1, 14))


@pytest.mark.parametrize(
    ("message", "days"),
    [
        ("the first week", (1, 7)), ("second week, any day", (8, 14)), ("third week please", (15, 21)),
        ("the last week", (25, 31)), ("week 2", None),
    ],
)  # fmt: skip
def test_week_of_the_month_told_before(message: str, days: tuple[int, int] | None) -> None:
    period = then("flights from Berlin to Rome in January", message).period
    assert period is not None
    assert (period.start.day, period.end.day) == (days or (1, 31))


@pytest.mark.parametrize(
    "message",
    [
        "a hotel somewhere near the station in Rome", "is it warm anywhere", "somewhere else please",
        "a room somewhere quiet", "I have put it somewhere", "put me somewhere central",
    ],
)  # fmt: skip
def test_other_words_leave_no_goal_open(message: str) -> None:
    assert "flight" not in then(message).agents


def test_during_a_search_for_a_hotel_somewhere_is_in_its_city() -> None:
    after = then("hotel in Rome from 5 January", "somewhere warm with a pool")
    assert "flight" not in after.wanted


@pytest.mark.parametrize(
    "said",
    [
        "please get me a taxi from the hotel to the museum",
        "before I book the flight, what's the weather in Oslo?",
        "Great, and can you book a table for two on Friday",
        "I need room service right away",
        "actually, is there a nightclub near our hotel?",
    ],
)
def test_another_service_wants_nobody_though_it_names_the_hotel(said: str) -> None:
    before, understood = told(LISBON), told(LISBON, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert (understood.flight, understood.hotel) == (before.flight, before.hotel)


def test_what_has_been_booked_already_is_not_wanted_again() -> None:
    understood = told("a hotel in Oslo from 3 May", "my brother already booked us a flight, 2 nights please")
    assert understood.agents == ("hotel",)
    assert understood.hotel.nights == 2


def test_hotel_that_is_wanted_is_looked_for_although_something_else_is_mentioned() -> None:
    assert told("a hotel in Oslo near the museum from 3 May").agents == ("hotel",)
    assert told(BERLIN_TO_TOKYO, "and a hotel with a good restaurant").agents == ("hotel",)


def test_what_a_sentence_says_of_another_service_is_not_said_of_the_hotel() -> None:
    understood = told("Book a table for 6 people on Thursday. I am also looking for a 4 star hotel in Oslo.")
    assert understood.agents == ("hotel",)
    assert (understood.hotel.stars, understood.hotel.guests, understood.hotel.check_in) == (4, None, None)


def test_we_would_is_no_wednesday() -> None:
    understood = told("a hotel in Oslo", "we arrive on 3 May and we'd like to stay for 2 nights")
    assert (understood.hotel.nights, understood.hotel.check_out) == (2, None)


def test_what_a_journey_is_for_tells_where_and_when() -> None:
    understood = told("I have a meeting in Rome on 3 May. I need a flight from Berlin.")
    assert understood.agents == ("flight",)
    assert understood.flight.destination is not None
    assert understood.flight.departure_date is not None


@pytest.mark.parametrize("said", ["with parking, near the museum", "something cheap close to the museum"])
def test_sight_only_tells_where_a_hotel_should_be(said: str) -> None:
    assert told("a hotel in Oslo from 3 May", said).agents == ("hotel",)


def test_place_called_like_another_service_is_a_place() -> None:
    understood = told("find flights from Berlin on 3 May", "to College Station")
    assert understood.flight.destination is not None


ROME = "flights from Berlin to Rome on 10 December and a hotel there for 3 nights"
PARIS = "actually flights to Paris instead"


@pytest.mark.parametrize(
    "there",
    [
        "a hotel there",
        "and a hotel there please",
        "find me a room there",
        "I need a hotel there, is there one with a pool?",
        "is there a cheaper hotel there?",
        "hotels there under 150 euros",
    ],
)
def test_hotel_there_is_where_the_flights_go_by_now(there: str) -> None:
    for understood in (told(ROME, PARIS, there), in_turn(ROME, PARIS, there)):
        assert understood.agents == ("hotel",)
        assert hotel(understood)["city"] == "Paris"
        assert (hotel(understood)["check_in"], hotel(understood)["nights"]) == (date(2026, 12, 10), 3)
        assert flight(understood)["destination"] == "Paris"


@pytest.mark.parametrize(
    "said",
    [
        "a hotel with a pool",
        "is there a hotel with a pool",
        "are there any hotels under 150 euros",
        "keep the hotel there",
        "the hotel can stay there",
        "hi there, a cheaper hotel please",
        "the hotel is fine but there has to be breakfast",
        "could there be a cheaper hotel?",
        "I want a hotel there should be wifi",
        "find a hotel, there you go",
        "there should be wifi in the hotel",
        "the hotel should stay in the same place",
    ],
)
def test_hotel_keeps_its_place_until_somebody_asks_for_one_there(said: str) -> None:
    assert hotel(told(ROME, PARIS, said))["city"] == "Rome"
    assert hotel(told(ROME, "is Naples nice in december?", said))["city"] == "Rome"


def test_hotel_there_is_not_where_the_flights_start_nor_where_nobody_flies() -> None:
    assert hotel(told(ROME, "any airline", "Berlin", "and hotels there"))["city"] == "Rome"
    assert hotel(told(ROME, "is Naples nice in december?", "a hotel there"))["city"] == "Rome"


def test_place_that_is_taken_over_from_the_flights_is_named_as_carried() -> None:
    assert "hotel.city" in told(ROME, PARIS, "a hotel there").carried


@pytest.mark.parametrize("said", ["direct flights there", "business class on the flight there"])
def test_flights_there_keep_their_goal_beside_a_hotel_elsewhere(said: str) -> None:
    assert flight(told(ROME, "make it a hotel in Naples instead", said))["destination"] == "Rome"


def test_car_there_is_where_the_flights_go_by_now() -> None:
    understood = told(f"{ROME} and a car", PARIS, "a car there")
    assert understood.car.city is not None
    assert understood.car.city.city.name == "Paris"


MONDAY = date(2026, 11, 23)
IN_FEBRUARY = "flights from Manchester to Lisbon, 5 to 8 February"


@pytest.mark.parametrize(
    ("first", "then", "days"),
    [
        ("how much to fly from toronto to vancouver in july, 2 weeks", "leaving 4th", (7, 4, 7, 18)),
        ("fly from Dublin to Rome in May for a week", "the 4th", (5, 4, 5, 11)),
        ("flights from leeds to krakow, 3 nights in march", "12th march then", (3, 12, 3, 15)),
        ("flights from oslo to rome in may for 5 days", "3 may please", (5, 3, 5, 8)),
        ("a week in rome from oslo in may", "the 4th", (5, 4, 5, 11)),
        ("flights from gatwick to tenerife in april, about a week", "the 3rd", (4, 3, 4, 10)),
        ("flights from oslo to rome in may for 5 days", "3 may, back on the 10th", (5, 3, 5, 10)),
        ("flights from london to tenerife on 3 april", "a week", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "about a week", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "a week please", (4, 3, 4, 10)),
        ("flights from london to tenerife on 3 april", "roughly 2 weeks", (4, 3, 4, 17)),
        ("flights to tenerife on 3 april", "from gatwick, about a week", (4, 3, 4, 10)),
        ("flights to tenerife on 3 april", "from gatwick, a fortnight", (4, 3, 4, 17)),
    ],
)
def test_how_long_is_kept_until_the_first_day_is_told(
    first: str, then: str, days: tuple[int, int, int, int]
) -> None:
    flight = told(first, then, today=MONDAY).flight
    assert flight.departure_date == date(2027, days[0], days[1])
    assert flight.return_date == date(2027, days[2], days[3])


def test_hotel_that_joins_ends_with_the_journey() -> None:
    understood = told(
        "flights from leeds to krakow, 3 nights in march", "hotel too", "12 march", today=MONDAY
    )
    assert understood.hotel.check_out == date(2027, 3, 15)


@pytest.mark.parametrize("message", ["about a week later", "maybe a week earlier", "in about a week"])
def test_week_that_moves_a_day_is_no_length(message: str) -> None:
    assert (
        told("flights from london to tenerife on 3 april", message, today=MONDAY).flight.return_date is None
    )


@pytest.mark.parametrize(
    ("message", "first", "last"),
    [
        ("is it any cheaper if we go thurs instead", (2, 4), (2, 8)),
        ("what about leaving thursday", (2, 4), (2, 8)),
        ("and on saturday?", (2, 6), (2, 8)),
        ("saturday instead", (2, 6), (2, 8)),
        ("fri to tues", (2, 5), (2, 9)),
        ("can we leave wednesday", (2, 3), (2, 8)),
        ("back on tuesday", (2, 5), (2, 9)),
        ("r there evening flights on friday", (2, 5), (2, 8)),
    ],
)
def test_weekday_is_the_one_nearest_to_the_journey(
    message: str, first: tuple[int, int], last: tuple[int, int]
) -> None:
    flight = told(IN_FEBRUARY, message, today=MONDAY).flight
    assert (flight.departure_date, flight.return_date) == (date(2027, *first), date(2027, *last))


@pytest.mark.parametrize(
    "message", ["this friday", "flights from Oslo to Rome on friday", "to Porto on friday"]
)
def test_weekday_of_this_week_or_of_another_journey_is_the_coming_one(message: str) -> None:
    assert told(IN_FEBRUARY, message, today=MONDAY).flight.departure_date == date(2026, 11, 27)


@pytest.mark.parametrize(
    ("message", "origin", "people"),
    [
        ("flights to lisbon from leeds for me n my bf 3 march", "Leeds", 2),
        ("me n my sister wanna fly leeds to lisbon 3 march", "Leeds", 2),
        ("can u find flights leeds to lisbon w my wife 3 march", "Leeds", 2),
        ("hiya flights leeds to lisbon 3 march, 2 adults n 1 child", "Leeds", 3),
        ("we r 4 ppl, leeds to lisbon 3 march", "Leeds", 4),
    ],
)
def test_letters_for_words_are_read_as_the_words(message: str, origin: str, people: int) -> None:
    understood = told(message, today=MONDAY)
    assert understood.flight.origin is not None
    assert understood.flight.origin.city.name == origin
    assert understood.flight.passengers == people
    assert not [one for one in understood.refused if one.reason == "not_understood"]


def test_letters_are_units_and_names_as_before() -> None:
    stay = told("hotel paris fri 3n 2p", today=MONDAY).hotel
    assert (stay.nights, stay.guests) == (3, 2)
    assert told("hotel in Barcelona 3 March, W Barcelona", today=MONDAY).hotel.city is not None


def flight_places(understood: Understanding) -> tuple[str, ...]:
    ends = (understood.flight.origin, understood.flight.destination)
    return tuple(end.city.name for end in ends if end)


@pytest.mark.parametrize(
    "message",
    [
        "fly into Rome and out of Venice, leaving Boston",
        "flights into Rome and out of Venice from Boston",
        "flying into Rome on 3 May and out of Venice on 12 May, from Boston",
        "fly into Rome and home from Venice, from Boston",
        "we land in Rome and fly home out of Venice, starting from Boston",
        "arrive in Rome, leave from Venice, from Boston, 3-12 May",
        "arriving in Rome and departing from Venice, from Boston",
        "Boston to Rome 3 May, Venice to Boston 12 May",
        "boston to rome 3 may, venice to boston 12 may",
        "from Boston to Rome 3 May, back from Venice 12 May",
        "Boston to Rome 3 May, returning from Venice 12 May",
        "fly to Rome from Boston and return from Venice",
        "open jaw Boston to Rome, Venice to Boston",
        "from Boston into Rome and out of Venice in May",
        "leaving Boston, into Rome and out of Venice",
    ],
)
def test_way_home_from_another_city_is_told_and_no_start(message: str) -> None:
    understood = told(message, today=MONDAY)
    assert understood.tour is None
    assert flight_places(understood) == ("Boston", "Rome")
    assert ("venice", "open_jaw") in [(one.said.lower(), one.reason) for one in understood.refused]


@pytest.mark.parametrize(
    "message",
    [
        "I'd like to fly out of Boston into Rome on 3 May",
        "fly out of Boston into Rome on 3 May and return 12 May",
        "fly into Rome out of Boston on 3 May",
        "arrive in Rome on 3 May, leaving from Boston",
        "to Rome from Boston on 3 May",
        "Rome, leaving Boston 3 May",
        "into Rome on 3 May from Boston",
        "Boston to Rome 3 May, Rome to Boston 12 May",
        "get me into Rome by 3 May, departing Boston",
    ],
)
def test_start_is_no_way_home(message: str) -> None:
    understood = told(message, today=MONDAY)
    assert flight_places(understood) == ("Boston", "Rome")
    assert not [one for one in understood.refused if one.reason == "open_jaw"]


@pytest.mark.parametrize(
    "message",
    [
        "Frankfurt to Chicago on 18 January, then Chicago to Denver on the 21st, and back to Frankfurt from"
        " Denver on the 24th",
        "Frankfurt to Chicago on 18 January, Chicago to Denver on the 21st, Denver to Frankfurt on the 24th",
        "Frankfurt to Chicago 18 Jan, Chicago to Denver 21 Jan, back to Frankfurt from Denver 24 Jan",
        "Frankfurt to Chicago on 18 January, Chicago to Denver on the 21st, back to Frankfurt on the 24th",
        "Frankfurt to Chicago on 18 January, then Chicago to Denver on the 21st, and back from Denver on the"
        " 24th",
        "fly Frankfurt to Chicago 18 Jan, then on to Denver 21 Jan, then home from Denver 24 Jan",
        "frankfurt to chicago 18 jan, then chicago to denver 21 jan, then denver back to frankfurt 24 jan",
        "18 January Frankfurt to Chicago, 21 January Chicago to Denver, 24 January Denver to Frankfurt",
        "FRA-ORD 18 Jan, ORD-DEN 21 Jan, DEN-FRA 24 Jan",
        "Frankfurt to Chicago on the 18th of January, Chicago to Denver on the 21st, home to Frankfurt from"
        " Denver on the 24th",
    ],
)
def test_flights_one_after_the_other_are_a_journey_with_its_days(message: str) -> None:
    tour = told(message, today=MONDAY).tour
    assert tour is not None
    assert tour.start is not None
    assert (tour.start.city.name, [one.city.name for one in tour.cities]) == (
        "Frankfurt",
        ["Chicago", "Denver"],
    )
    assert (tour.ordered, tour.returns, tour.first_day) == (True, True, date(2027, 1, 18))
    assert [tour.stay_in(city).nights for city in tour.cities] == [3, 3]


def test_return_is_no_journey_through_several() -> None:
    found = flight(told("Boston to Rome on 3 May, then Rome to Boston on 12 May", today=MONDAY))
    assert (found["departure_date"], found["return_date"]) == (date(2027, 5, 3), date(2027, 5, 12))


TODAY = date(2026, 11, 23)
FLIGHT = "flights from Milan to Naples on 5 December"
STAY = "hotel in Turin from 11 to 13 December"


def _left_out(*messages: str) -> list[str]:
    refused = told(*messages, today=TODAY).refused
    return [one.said for one in refused if one.reason == "one_city_at_a_time"]


@pytest.mark.parametrize(
    ("before", "said", "city"),
    [
        (FLIGHT, "or Palermo, whichever is cheaper", "Palermo"),
        (FLIGHT, "or Palermo if it is cheaper", "Palermo"),
        (FLIGHT, "Palermo or Naples, whichever is cheaper", "Palermo"),
        (FLIGHT, "Naples or Palermo, whichever is cheaper", "Palermo"),
        (FLIGHT, "or to Palermo, whichever is cheaper", "Palermo"),
        (STAY, "actually I'd rather be near the lake, Como", "Como"),
        (STAY, "I'd like to be near the sea, Genoa", "Genoa"),
        (STAY, "somewhere near a lake: Como!", "Como"),
        (STAY, "wait, can you show both side by side? Genoa and Turin", "Genoa"),
        (STAY, "show me Genoa and Turin side by side", "Genoa"),
    ],
)
def test_city_that_is_not_searched_is_named(before: str, said: str, city: str) -> None:
    understood = told(before, said, today=TODAY)
    held = understood.flight.destination or understood.hotel.city
    assert held
    is_offered = f"{city} instead" in steps_to_others(understood)
    assert [held.city.name == city, _left_out(before, said) == [city], is_offered].count(True) == 1


@pytest.mark.parametrize(
    "said",
    [
        "flights from Milan to Naples or Palermo on 5 December",
        "from Gatwick or Heathrow to Rome on 5 December",
        "flights to Portland, Oregon from Boston on 5 May",
        "flights from Milan to Naples on 5 December with Lufthansa or Singapore Airlines",
        "flights from Milan to Naples on 5 December, one way",
        "flights for both of us from Milan to Naples on 5 December",
        "flights from Milan on 5 December, not to Naples or Palermo",
        "flights from Milan to Naples or nice beaches on 5 December",
        "we go together from Milan to Naples on 5 December",
        "my sister lives in Porto, find a hotel in Lisbon on 5 December",
        "hotel in Turin, near the station, Turin, on 5 December",
        "hotel in Turin on 5 December for two or three nights",
    ],
)
def test_cities_that_are_searched_or_offered_are_not_left_out(said: str) -> None:
    assert _left_out(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "and Turin before that", "Turin after that", "and then Turin", "and then on to Turin please",
        "after that to Turin", "Turin on the way", "but before that Turin", "and Turin afterwards",
    ],
)  # fmt: skip
def test_city_beside_the_goal_takes_its_place_nowhere(said: str) -> None:
    goal = told(FLIGHT, said, today=TODAY).flight.destination
    assert goal
    assert goal.city.name == "Naples"
    assert _left_out(FLIGHT, said) == ["Turin"]


@pytest.mark.parametrize("said", ["then Turin", "ok Turin then", "Turin it is", "no, Turin"])
def test_city_in_the_place_of_the_goal_is_searched(said: str) -> None:
    goal = told(FLIGHT, said, today=TODAY).flight.destination
    assert goal
    assert goal.city.name == "Turin"
