"""What the words of an assistant ask for and put forward, on Friday 20 November 2026."""

from datetime import date

import pytest

from backend.travel.understanding.dialogue.prompt import Prompt
from backend.travel.understanding.english.language.text import Text
from checks.understanding.assistant import offered_hotel, read_prompt
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, name, told


def read(said: str, before: str = BERLIN_TO_TOKYO) -> Prompt:
    return read_prompt(said, previous=told(before), today=TODAY)


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Where are you leaving from?", ("flight.origin",)),
        ("Sure, where would you like to go?", ("flight.destination",)),
        ("What is your departure city? And where are you headed?", ("flight.origin", "flight.destination")),
        ("When would you like to leave?", ("flight.departure_date",)),
        ("On which day will you come back?", ("flight.return_date",)),
        ("How many people are travelling?", ("flight.passengers",)),
        ("Which class do you prefer?", ("flight.cabin_class",)),
        ("Here you are.", ()),
    ],
)
def test_questions_about_a_flight_name_its_slots(said: str, asked: tuple[str, ...]) -> None:
    assert read(said).asked == asked


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("In which city?", ("hotel.city",)),
        ("When will you check in?", ("hotel.check_in",)),
        ("When do you check out?", ("hotel.check_out",)),
        ("How long will you stay?", ("hotel.nights",)),
        ("How many rooms do you need?", ("hotel.rooms",)),
        ("How many guests will there be?", ("hotel.guests",)),
    ],
)
def test_questions_about_a_stay_name_its_slots(said: str, asked: tuple[str, ...]) -> None:
    assert read(said, "find me a hotel").asked == asked


def test_question_with_a_value_proposes_it() -> None:
    prompt = read("Would you like to leave on 3 December? Where from?")
    assert (prompt.proposed.flight.departure_date, prompt.asked) == (date(2026, 12, 3), ("flight.origin",))


def test_what_is_to_be_confirmed_is_proposed_as_a_whole() -> None:
    flight = read(
        "Please confirm: 2 economy seats with Lufthansa from Rome to Oslo on 4 May."
    ).proposed.flight
    assert (name(flight.origin), name(flight.destination)) == ("Rome", "Oslo")
    assert (flight.passengers, flight.cabin_class, flight.airline) == (2, "economy", "Lufthansa")
    assert flight.departure_date == date(2027, 5, 4)


def test_of_an_offer_only_the_name_can_be_taken() -> None:
    prompt = read("I found 3 flights. There is one with Lufthansa at 7:20 am, 1 stop, for $300 in economy.")
    assert prompt.offered.flight.airline == "Lufthansa"
    assert (prompt.offered.flight.cabin_class, prompt.offered.flight.max_stops) == (None, None)
    assert prompt.proposed.filled == frozenset()


def test_assistant_that_speaks_of_restaurants_has_gone_elsewhere() -> None:
    assert read("What time should I book the restaurant for?").is_elsewhere
    assert not read("How many people are flying?").is_elsewhere


def test_trip_in_a_question_is_the_journey_that_is_spoken_of() -> None:
    assert read("Where are you planning a trip to?").about == ()


def test_what_is_asked_of_another_service_is_not_proposed() -> None:
    prompt = read("Shall I buy 2 tickets to the concert on 8 March?")
    assert (prompt.asked, prompt.proposed.filled, prompt.is_elsewhere) == ((), frozenset(), True)


# Names and phrasing after the Schema-Guided Dialogue dataset (A. Rastogi et al., AAAI 2020, CC BY-SA 4.0).
@pytest.mark.parametrize(
    ("said", "hotel"),
    [
        ("How about the 4 star 28 Hotel Sydney?", "28 Hotel Sydney"),
        ("Bahia Resort Hotel is a nice 3 star hotel.", "Bahia Resort Hotel"),
        ("There is one called Park Inn & Suites.", "Park Inn & Suites"),
        ("ace hotel chicago 4 stars", "ace hotel chicago"),
        ("I found 10 hotels in Paris.", None),
        ("The address is 45 Park Lane, London.", None),
        ("The hotel is free on Monday.", None),
    ],
)
def test_hotel_is_offered_by_its_whole_name(said: str, hotel: str | None) -> None:
    assert offered_hotel(Text(said)) == hotel


def test_remark_about_a_result_proposes_nothing() -> None:
    assert read("It would be for 1 passenger.").proposed.filled == frozenset()
    assert read("Will that be all for today?").proposed.filled == frozenset()


def test_what_sums_up_the_request_is_proposed_without_a_question() -> None:
    assert read("flight berlin to tokyo 3 december economy 1 person").proposed.filled == {
        "flight.origin",
        "flight.destination",
        "flight.departure_date",
        "flight.passengers",
        "flight.cabin_class",
    }


@pytest.mark.parametrize("said", ["When is your return flight?", "When will you fly back?"])
def test_day_of_a_return_flight_is_that_of_the_return_alone(said: str) -> None:
    assert read(said).asked == ("flight.return_date",)


def test_offer_stands_while_the_user_only_asks_about_it() -> None:
    before = told(BERLIN_TO_TOKYO)
    offer = read_prompt("How about a flight with Lufthansa for $300?", previous=before, today=TODAY)
    asking_back = told(BERLIN_TO_TOKYO, "When does it arrive?")
    then = read_prompt("It arrives at 8 pm.", previous=asking_back, today=TODAY, earlier=offer)
    assert then.offered.flight.airline == "Lufthansa"
    changed = told(BERLIN_TO_TOKYO, "make it Osaka")
    then = read_prompt("One moment.", previous=changed, today=TODAY, earlier=offer)
    assert then.offered.flight.airline is None


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("Where and when are you leaving from?", ("flight.departure_date", "flight.origin")),
        (
            "When are you leaving and where are you travelling to?",
            ("flight.departure_date", "flight.destination"),
        ),
        ("What are your departure and return dates?", ("flight.departure_date", "flight.return_date")),
        ("What city are you going to and from?", ("flight.destination", "flight.origin")),
        ("It departs from Heathrow in an economy seat.", ()),
    ],
)
def test_clauses_lend_each_other_what_they_leave_out(said: str, asked: tuple[str, ...]) -> None:
    assert set(read(said).asked) == set(asked)


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("Is there a part of town that you prefer?", True),
        ("May I have your name, please?", True),
        ("There are 12 hotels. Which price range do you have in mind?", True),
        ("Is there anything else that you need?", False),
        ("How about the 3 star Hilton?", False),
    ],
)
def test_assistant_may_ask_for_what_is_no_slot(said: str, asks: bool) -> None:
    assert read_prompt(said, previous=told("a hotel in Rome"), today=TODAY).asks_details is asks


@pytest.mark.parametrize(
    ("said", "before", "asked"),
    [
        ("Which city?", "Find flights to Rome", "flight.origin"),
        ("Which city?", "Find flights from Rome", "flight.destination"),
        ("Departing from?", "Find flights to Rome", "flight.origin"),
        ("Where are you going from?", "Find flights", "flight.origin"),
    ],
)
def test_clipped_question_asks_for_what_is_not_known(said: str, before: str, asked: str) -> None:
    assert read(said, before).asked == (asked,)


def test_address_of_a_house_is_no_name_of_a_hotel() -> None:
    assert offered_hotel(Text("How about the house at 10 Park Lane?")) is None


def test_of_two_hotels_put_side_by_side_none_is_taken() -> None:
    two = read("There are the Ashley Inn and Lovell Lodge. Shall I book?", "a hotel in Rome")
    assert (two.offered.hotel.name, two.proposed.hotel.name) == (None, None)
    one = read("I recommend Lovell Lodge. Shall I book it?", "a hotel in Rome")
    assert "Lovell Lodge" in (one.offered.hotel.name, one.proposed.hotel.name)
