"""What carries over from message to message, on Friday 20 November 2026."""

from dataclasses import dataclass, field, replace
from datetime import date
from decimal import Decimal

import pytest

from backend.travel.understanding.result import Period, Understanding
from backend.travel.understanding.understand import understand
from backend.travel.values.travel import Money
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, flight, hotel, told


def test_request_for_flights_is_new_and_complete() -> None:
    understood = told(BERLIN_TO_TOKYO)
    assert (understood.relation, understood.agents, understood.missing) == ("new", ("flight",), ())
    assert flight(understood) == {
        "origin": "Berlin",
        "destination": "Tokyo",
        "departure_date": date(2026, 12, 10),
    }
    assert hotel(understood) == {}


def test_request_may_say_everything_at_once() -> None:
    understood = told(
        "Flights from BER to JFK next Friday, return on 3 December, "
        "2 people, business class, nonstop under 900 euros"
    )
    assert flight(understood) == {
        "origin": "BER",
        "destination": "JFK",
        "departure_date": date(2026, 11, 27),
        "return_date": date(2026, 12, 3),
        "passengers": 2,
        "cabin_class": "business",
        "max_stops": 0,
        "max_price": Money(amount=Decimal(900), currency="EUR"),
    }


def test_request_for_a_hotel_has_its_stay() -> None:
    understood = told("I need a hotel in Rome from 3 to 7 May for 2 adults, at least 4 stars")
    assert understood.agents == ("hotel",)
    assert hotel(understood) == {
        "city": "Rome",
        "check_in": date(2027, 5, 3),
        "check_out": date(2027, 5, 7),
        "guests": 2,
        "stars": 4,
    }


def test_flights_and_hotels_in_one_breath_share_city_and_dates() -> None:
    understood = told(LISBON)
    assert (understood.relation, understood.agents) == ("new", ("flight", "hotel"))
    assert flight(understood) == {
        "origin": "London",
        "destination": "Lisbon",
        "departure_date": date(2027, 1, 12),
        "return_date": date(2027, 1, 15),
    }
    assert hotel(understood) == {
        "city": "Lisbon",
        "check_in": date(2027, 1, 12),
        "check_out": date(2027, 1, 15),
    }


@pytest.mark.parametrize(
    "said", ["I want to go to Rome from Berlin next Friday for 3 nights", "plan a trip to Rome"]
)
def test_trip_is_for_both_agents(said: str) -> None:
    assert told(said).agents == ("flight", "hotel")


def test_each_part_of_a_message_is_for_its_own_agent() -> None:
    understood = told(
        "Flights from Berlin to Tokyo on 10 December under 900 euros "
        "and a hotel near Shinjuku for 3 nights under 150 a night"
    )
    assert understood.flight.max_price == Money(amount=Decimal(900))
    assert hotel(understood) == {
        "city": "Tokyo",
        "district": "Shinjuku",
        "check_in": date(2026, 12, 10),
        "nights": 3,
        "max_price": Money(amount=Decimal(150)),
    }


def test_hotels_there_takes_city_and_dates_from_the_flight() -> None:
    understood = told(BERLIN_TO_TOKYO + " returning on 17 December for 2 people", "and hotels there")
    assert (understood.relation, understood.agents) == ("add", ("hotel",))
    assert hotel(understood) == {
        "city": "Tokyo",
        "check_in": date(2026, 12, 10),
        "check_out": date(2026, 12, 17),
        "guests": 2,
    }
    assert {"hotel.city", "hotel.check_in", "hotel.check_out", "hotel.guests"} <= set(understood.carried)


def test_flights_for_a_stay_take_city_and_dates_from_it_and_ask_for_the_rest() -> None:
    understood = told("a hotel in Rome from 3 to 7 May for 2", "and flights")
    assert (understood.relation, understood.agents, understood.missing) == (
        "add",
        ("flight",),
        ("flight.origin",),
    )
    assert flight(understood) == {
        "destination": "Rome",
        "departure_date": date(2027, 5, 3),
        "return_date": date(2027, 5, 7),
        "passengers": 2,
    }


@pytest.mark.parametrize(
    "said", ["actually make it Paris", "what about Paris instead?", "how about Paris", "Paris"]
)
def test_another_city_changes_the_destination_and_keeps_the_rest(said: str) -> None:
    understood = told(BERLIN_TO_TOKYO, said)
    assert (understood.relation, understood.agents) == ("refine", ("flight",))
    assert flight(understood) == {
        "origin": "Berlin",
        "destination": "Paris",
        "departure_date": date(2026, 12, 10),
    }
    assert understood.carried == ("flight.departure_date", "flight.origin")


def test_another_city_changes_flight_and_hotel_of_one_trip() -> None:
    understood = told(BERLIN_TO_TOKYO, "and hotels there", "thanks!", "actually make it Paris")
    assert understood.agents == ("flight", "hotel")
    assert (flight(understood)["destination"], hotel(understood)["city"]) == ("Paris", "Paris")


def test_hotel_set_apart_by_hand_stays_apart() -> None:
    understood = told(BERLIN_TO_TOKYO, "also a hotel in Kyoto from 12 December", "leave on 11 December")
    assert (understood.relation, understood.agents) == ("refine", ("flight",))
    assert understood.flight.departure_date == date(2026, 12, 11)
    assert hotel(understood) == {"city": "Kyoto", "check_in": date(2026, 12, 12)}


def test_to_leave_is_to_check_out_where_there_is_only_a_hotel() -> None:
    understood = told("a hotel in Rome from 3 May", "we leave on the 7th")
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2027, 5, 3), date(2027, 5, 7))


def test_change_of_the_hotel_leaves_the_flight_alone() -> None:
    before = told(LISBON)
    understood = told(LISBON, "make the hotel five stars")
    assert (understood.relation, understood.agents) == ("refine", ("hotel",))
    assert understood.flight == before.flight
    assert understood.hotel == replace(before.hotel, stars=5)


@pytest.mark.parametrize(
    ("before", "said", "agents", "city"),
    [
        (BERLIN_TO_TOKYO, "make it Paris and add a hotel", ("flight", "hotel"), "Paris"),
        (
            "a hotel in Oslo from 11 to 14 December",
            "make it Rome, and with flights",
            ("flight", "hotel"),
            "Rome",
        ),
    ],
)
def test_what_goes_before_an_addition_is_for_those_that_are_running(
    before: str, said: str, agents: tuple[str, ...], city: str
) -> None:
    understood = told(before, said)
    assert (understood.relation, understood.agents) == ("add", agents)
    assert (flight(understood)["destination"], hotel(understood)["city"]) == (city, city)


def test_route_with_a_hotel_is_for_flights_too() -> None:
    understood = told("Glasgow to Faro, 13 to 20 February, with hotel, 2 adults")
    assert understood.agents == ("flight", "hotel")
    assert (flight(understood)["origin"], hotel(understood)["city"]) == ("Glasgow", "Faro")


def test_airport_of_the_city_one_starts_from_narrows_the_start() -> None:
    understood = told("flights from New York to Rome on 10 December", "JFK only")
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("JFK", "Rome")


def test_day_between_two_cities_parts_where_from_and_where_to() -> None:
    understood = told("Berlin 3 May Rome")
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("Berlin", "Rome")


def test_back_to_a_city_answers_where_to() -> None:
    assert flight(told("find me flights from Berlin", "back to Oslo"))["destination"] == "Oslo"


def test_district_goes_with_its_city() -> None:
    understood = told("a hotel near Shinjuku tomorrow", "what about Osaka?")
    assert hotel(understood) == {"city": "Osaka", "check_in": date(2026, 11, 21)}
    assert understood.dropped == ("hotel.district",)


def test_journey_moved_past_its_return_keeps_its_length() -> None:
    understood = told(LISBON, "leave on 18 January")
    assert (understood.flight.departure_date, understood.flight.return_date) == (
        date(2027, 1, 18),
        date(2027, 1, 21),
    )
    assert (understood.hotel.check_in, understood.hotel.check_out) == (date(2027, 1, 18), date(2027, 1, 21))


def test_other_nights_move_the_flight_back() -> None:
    understood = told("I want to go to Rome from Berlin next Friday for 3 nights", "actually 4 nights")
    assert understood.agents == ("flight", "hotel")
    assert (understood.flight.return_date, understood.hotel.nights) == (date(2026, 12, 1), 4)


def test_wholly_new_request_drops_the_old_one() -> None:
    understood = told(LISBON, "Find flights from Oslo to Rome on 3 May")
    assert (understood.relation, understood.agents, understood.carried) == ("new", ("flight",), ())
    assert flight(understood) == {"origin": "Oslo", "destination": "Rome", "departure_date": date(2027, 5, 3)}
    assert hotel(understood) == {}
    assert understood.dropped == (
        "flight.return_date",
        "hotel.check_in",
        "hotel.check_out",
        "hotel.city",
    )


def test_request_after_a_stop_is_new() -> None:
    assert told(BERLIN_TO_TOKYO, "stop", "find hotels in Rome tomorrow").relation == "new"


def test_stopped_request_can_be_taken_up_again() -> None:
    understood = told(BERLIN_TO_TOKYO, "stop", "actually make it Paris")
    assert (understood.relation, flight(understood)["origin"]) == ("refine", "Berlin")


@dataclass(frozen=True)
class Asked:
    before: tuple[str, ...]
    answer: str
    filled: dict[str, object] = field(default_factory=dict)


@pytest.mark.parametrize(
    "case",
    [
        Asked(
            ("Find flights to Tokyo",),
            "from Berlin, on the 12th",
            {"origin": "Berlin", "departure_date": date(2026, 12, 12)},
        ),
        Asked(("Find flights to Tokyo on 3 May",), "Berlin", {"origin": "Berlin"}),
        Asked(("Find flights to Tokyo", "thanks"), "from Berlin", {"origin": "Berlin"}),
        Asked(
            ("flights from Berlin to Rome on 31 February",),
            "the 28th then",
            {"departure_date": date(2027, 2, 28)},
        ),
        Asked(
            ("flights from Berlin to Rome in March",),
            "the 12th",
            {"departure_date": date(2027, 3, 12)},
        ),
    ],
)
def test_bare_answer_completes_what_was_missing(case: Asked) -> None:
    understood = told(*case.before, case.answer)
    assert (understood.relation, understood.agents) == ("answer", ("flight",))
    assert flight(understood) == flight(told(*case.before)) | case.filled


def test_stay_is_completed_word_by_word() -> None:
    understood = told("find me a hotel", "in Kyoto", "next Friday for 3 nights")
    assert (understood.relation, understood.missing) == ("answer", ())
    assert hotel(understood) == {"city": "Kyoto", "check_in": date(2026, 11, 27), "nights": 3}


def test_courtesies_between_keep_the_agent_that_was_asked_for() -> None:
    understood = told("Find me a hotel", "thanks", "in Rome")
    assert (understood.relation, understood.agents, hotel(understood)) == (
        "answer",
        ("hotel",),
        {"city": "Rome"},
    )


@pytest.mark.parametrize(
    ("messages", "wanted"),
    [
        (("Find me a hotel",), ("hotel",)),
        (("Find me a hotel", "thanks"), ("hotel",)),
        ((BERLIN_TO_TOKYO, "and hotels there"), ("flight", "hotel")),
        ((LISBON, "make the hotel five stars"), ("flight", "hotel")),
        ((LISBON, "forget the hotel"), ("flight",)),
        ((LISBON, "stop"), ("flight", "hotel")),
        ((LISBON, "Find flights from Oslo to Rome on 3 May"), ("flight",)),
    ],
)
def test_agents_of_the_whole_request_are_known_when_some_have_nothing_to_do(
    messages: tuple[str, ...], wanted: tuple[str, ...]
) -> None:
    assert told(*messages).wanted == wanted


def test_answer_goes_on_with_all_agents_of_the_request() -> None:
    understood = told("plan a trip", "to Rome", "from Paris")
    assert understood.agents == ("flight", "hotel")
    assert understood.missing == ("flight.departure_date", "hotel.check_in")


def test_period_without_a_day_is_still_missing_and_told() -> None:
    understood = told("flights from Berlin to Rome in March")
    assert understood.missing == ("flight.departure_date",)
    assert understood.period == Period(said="March", start=date(2027, 3, 1), end=date(2027, 3, 31))


def test_other_readings_are_told_as_long_as_the_slot_is_kept() -> None:
    assert [one.slot for one in told("hotels in Birmingham").alternatives] == ["hotel.city"]
    assert [one.slot for one in told("hotels in Birmingham", "tomorrow").alternatives] == ["hotel.city"]
    assert told("hotels in Birmingham", "what about Paris?").alternatives == ()


CONVERSATIONS = (
    (
        BERLIN_TO_TOKYO,
        "and hotels there",
        "actually make it Paris",
        "make the hotel five stars",
        "for 3 people",
    ),
    (
        LISBON,
        "forget the hotel",
        "and a hotel near Chiado",
        "leave on 13 January",
        "cheaper options",
        "thanks",
    ),
    (
        "hotels in Kyoto",
        "next Friday for 3 nights",
        "and flights from Berlin",
        "stop",
        "hotels in Rome tomorrow",
    ),
)


@pytest.mark.parametrize("messages", CONVERSATIONS)
def test_carried_and_dropped_values_are_true(messages: tuple[str, ...]) -> None:
    previous: Understanding | None = None
    for message in messages:
        understood = understand(message, previous=previous, today=TODAY)
        if previous:
            before, after = _held(previous), _held(understood)
            assert set(understood.dropped) == before.keys() - after.keys()
            assert set(understood.carried) <= after.keys()
            for slot in after.keys() - set(understood.carried):
                assert understood.relation == "new" or before.get(slot) != after[slot] or slot in message
        previous = understood


def _held(understood: Understanding) -> dict[str, object]:
    held = {f"flight.{key}": value for key, value in flight(understood).items()}
    return held | {f"hotel.{key}": value for key, value in hotel(understood).items()}


@pytest.mark.parametrize("said", ["I want to go to Milan", "we'd like a trip to Milan"])
def test_where_to_go_is_said_of_the_running_request_and_adds_no_other_agent(said: str) -> None:
    assert told("find flights from Berlin", said).agents == ("flight",)
    assert told("find hotels in Rome", said).agents == ("hotel",)


@pytest.mark.parametrize(
    "said",
    [
        "Could you arrange a 3-day trip to Rome? Our accommodation should be quiet.",
        "Draft an itinerary for Rome, and no flying please",
    ],
)
def test_trip_that_is_to_be_planned_is_about_flights_and_hotels(said: str) -> None:
    assert told(said).agents == ("flight", "hotel")
    assert told("I am planning a trip to Rome and need a hotel there").agents == ("hotel",)
