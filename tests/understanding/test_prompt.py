"""What an answer means depends on what the assistant said, on Friday 20 November 2026."""

from datetime import date

import pytest

from backend.travel.understanding.dialogue.prompt import Prompt, asking
from backend.travel.understanding.dialogue.slots import Slots
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.decisions import assent
from backend.travel.understanding.result import FlightSlots, HotelSlots, Understanding
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, flight, hotel, told


def answered(before: str, prompt: Prompt, said: str) -> Understanding:
    return understand(said, previous=told(before), today=TODAY, prompt=prompt)


@pytest.mark.parametrize(
    ("before", "asked", "said", "filled"),
    [
        ("Find flights to Tokyo", "flight.origin", "Berlin", {"origin": "Berlin"}),
        ("Find flights from Rome", "flight.destination", "Berlin", {"destination": "Berlin"}),
        (BERLIN_TO_TOKYO, "flight.return_date", "the 14th", {"return_date": date(2026, 12, 14)}),
        (BERLIN_TO_TOKYO, "flight.departure_date", "the 14th", {"departure_date": date(2026, 12, 14)}),
        (BERLIN_TO_TOKYO, "flight.passengers", "2", {"passengers": 2}),
        (BERLIN_TO_TOKYO, "flight.passengers", "just one, please", {"passengers": 1}),
    ],
)
def test_bare_answer_fills_the_slot_that_was_asked_for(
    before: str, asked: str, said: str, filled: dict[str, object]
) -> None:
    understood = answered(before, asking(asked), said)
    assert (understood.relation, understood.agents) == ("answer", ("flight",))
    assert flight(understood) == flight(told(before)) | filled


@pytest.mark.parametrize(
    ("asked", "filled"),
    [("hotel.rooms", {"rooms": 2}), ("hotel.nights", {"nights": 2}), ("hotel.guests", {"guests": 2})],
)
def test_bare_number_counts_what_was_asked_for(asked: str, filled: dict[str, object]) -> None:
    understood = answered("a hotel in Rome from 3 May", asking(asked), "two")
    assert hotel(understood) == {"city": "Rome", "check_in": date(2027, 5, 3)} | filled


def test_number_that_counts_something_else_is_no_answer() -> None:
    understood = answered(BERLIN_TO_TOKYO, asking("flight.passengers"), "with 1 stop")
    assert (understood.flight.passengers, understood.flight.max_stops) == (None, 1)


PROPOSED = Prompt(
    proposed=Slots(flight=FlightSlots(departure_date=date(2026, 12, 3), passengers=1, cabin_class="economy"))
)


@pytest.mark.parametrize("said", ["yes", "That's correct.", "Sounds good to me", "ok, go ahead"])
def test_yes_takes_what_was_proposed(said: str) -> None:
    understood = answered(BERLIN_TO_TOKYO, PROPOSED, said)
    assert (understood.relation, understood.agents) == ("answer", ("flight",))
    assert flight(understood) == {
        **flight(told(BERLIN_TO_TOKYO)),
        "departure_date": date(2026, 12, 3),
        "passengers": 1,
        "cabin_class": "economy",
    }


@pytest.mark.parametrize("said", ["no", "No, thanks", "not really", "hm"])
def test_no_leaves_what_was_proposed(said: str) -> None:
    assert flight(answered(BERLIN_TO_TOKYO, PROPOSED, said)) == flight(told(BERLIN_TO_TOKYO))


def test_no_with_another_day_takes_the_other_day_and_nothing_else() -> None:
    understood = answered(BERLIN_TO_TOKYO, PROPOSED, "no, on the 5th")
    assert (understood.flight.departure_date, understood.flight.passengers) == (date(2026, 12, 5), None)


def test_yes_with_a_change_takes_both() -> None:
    understood = answered(BERLIN_TO_TOKYO, PROPOSED, "yes, but for 3 people")
    assert (understood.flight.departure_date, understood.flight.passengers) == (date(2026, 12, 3), 3)


def test_offer_that_is_taken_is_taken_by_name() -> None:
    offer = Prompt(offered=Slots(hotel=HotelSlots(name="Hotel Artemide")), about=("hotel",))
    assert answered("hotels in Rome on 3 May", offer, "that works for me").hotel.name == "Hotel Artemide"
    assert answered("hotels in Rome on 3 May", offer, "anything cheaper?").hotel.name is None


def test_answer_to_an_assistant_that_speaks_of_something_else_is_not_for_us() -> None:
    elsewhere = Prompt(is_elsewhere=True)
    understood = answered(BERLIN_TO_TOKYO, elsewhere, "for 3 people on Sunday")
    assert (understood.relation, understood.agents, understood.is_elsewhere) == ("other", (), True)
    assert understood.flight == told(BERLIN_TO_TOKYO).flight


def test_days_and_people_of_the_other_side_are_only_assumed() -> None:
    before = BERLIN_TO_TOKYO + " returning on 17 December for 2 people"
    assert told(before, "and hotels there").assumed == ("hotel.check_in", "hotel.check_out", "hotel.guests")
    assert told(before, "and hotels there", "check in on 11 December").assumed == (
        "hotel.check_out",
        "hotel.guests",
    )
    assert told("flights and hotels in Rome from London, 12-15 January for 2").assumed == ()


def test_request_without_a_place_is_for_the_place_that_was_spoken_of() -> None:
    understood = told("what's the weather in Paris?", "find me a hotel there for next Friday")
    assert hotel(understood) == {"city": "Paris", "check_in": date(2026, 11, 27)}


def test_nobody_flies_to_where_they_start() -> None:
    understood = told("what's the weather in Paris?", "find me a flight from Paris next Friday")
    assert understood.missing == ("flight.destination",)


@pytest.mark.parametrize(
    ("said", "answer"),
    [
        ("Yeah, that would be great", "yes"),
        ("I think that works for me", "yes"),
        ("Nope", "no"),
        ("That's not right", "no"),
        ("I don't think that is fine", "no"),
        ("No problem, book it", "yes"),
        ("What is good there?", ""),
        ("from Berlin", ""),
        ("", ""),
    ],
)
def test_agreeing_is_told_from_declining(said: str, answer: str) -> None:
    assert assent(Text(said)) == answer


def test_where_somebody_goes_is_said_of_the_flight_that_was_asked_about() -> None:
    understood = answered("Find flights from Berlin", asking("flight.destination"), "I want to go to Rome")
    assert (understood.agents, flight(understood)["destination"]) == (("flight",), "Rome")
    assert hotel(understood) == {}


def test_to_go_somewhere_needs_a_flight_and_to_spend_nights_there_a_hotel_as_well() -> None:
    assert told("We'd like to go to Rome").agents == ("flight",)
    assert told("We'd like to go to Rome for 3 nights").agents == ("flight", "hotel")
    assert told("We'd like a holiday in Rome").agents == ("flight", "hotel")


@pytest.mark.parametrize(
    "said", ["Berlin", "in Berlin", "Berlin works for me", "My city of departure is Berlin", "just Berlin"]
)
def test_place_is_where_to_start_when_that_was_asked(said: str) -> None:
    understood = answered("Find flights to Tokyo", asking("flight.origin"), said)
    assert (flight(understood), hotel(understood)) == ({"origin": "Berlin", "destination": "Tokyo"}, {})


def test_of_two_bare_places_the_first_is_the_start() -> None:
    understood = answered("Find flights", asking("flight.origin", "flight.destination"), "Berlin, Tokyo")
    assert flight(understood) == {"origin": "Berlin", "destination": "Tokyo"}


def test_place_with_its_own_preposition_keeps_its_role() -> None:
    understood = answered("Find flights", asking("flight.origin"), "to Berlin")
    assert flight(understood) == {"destination": "Berlin"}


@pytest.mark.parametrize("said", ["something in the north, please", "it doesn't matter", "Alexis"])
def test_detail_that_fills_no_slot_is_an_answer_if_it_was_asked_for(said: str) -> None:
    understood = answered("a hotel in Rome from 3 May", Prompt(about=("hotel",), asks_details=True), said)
    assert (understood.relation, understood.agents) == ("answer", ("hotel",))
    assert understood.hotel == told("a hotel in Rome from 3 May").hotel


def test_words_of_change_are_an_answer_as_long_as_they_change_nothing() -> None:
    before = "a hotel in Rome for 2 people"
    assert answered(before, asking("hotel.check_in"), "let's try 3 May").relation == "answer"
    assert answered(before, asking("hotel.check_in"), "actually make it 4 people").relation == "refine"


@pytest.mark.parametrize("said", ["That works, bye", "Sounds good. Is there a restaurant nearby?"])
def test_what_is_agreed_to_is_known_though_nothing_is_left_to_do(said: str) -> None:
    understood = answered(BERLIN_TO_TOKYO, PROPOSED, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert understood.flight.passengers == 1


def test_week_s_stay_in_an_answer_about_flights_asks_for_no_hotel() -> None:
    said = "I'm going to stay for a week, so the 17th"
    understood = answered(BERLIN_TO_TOKYO, asking("flight.return_date"), said)
    assert understood.flight.return_date == date(2026, 12, 17)
    assert (understood.agents, hotel(understood)) == (("flight",), {})


def test_only_an_agent_that_has_searched_acts_on_what_the_other_side_changes() -> None:
    assert told(BERLIN_TO_TOKYO, "and hotels there", "leave on the 12th").agents == ("flight", "hotel")
    before = told("hotels in Rome", "and flights from Berlin")
    assert (before.searched, before.wanted) == ((), ("flight", "hotel"))


def test_one_more_traveller_is_counted() -> None:
    understood = answered(BERLIN_TO_TOKYO, PROPOSED, "I will bring my girlfriend, make it two please")
    assert understood.flight.passengers == 2


def test_greeting_answers_nothing() -> None:
    prompt = Prompt(asks_details=True, about=("flight",))
    assert answered(BERLIN_TO_TOKYO, prompt, "hey how's it going").relation == "other"


def test_not_today_is_no_day() -> None:
    assert told(BERLIN_TO_TOKYO, "No, not today.").flight == told(BERLIN_TO_TOKYO).flight


def test_bare_number_corrects_the_number_that_was_proposed() -> None:
    prompt = Prompt(proposed=Slots(hotel=HotelSlots(rooms=1, nights=4)), about=("hotel",))
    understood = answered("hotels in Rome on 3 May", prompt, "I want 3")
    assert (understood.hotel.rooms, understood.hotel.nights) == (3, None)


def test_next_week_counts_from_today_also_for_the_way_back() -> None:
    prompt = asking("flight.return_date")
    before = "Find flights from Berlin to Tokyo on 23 November"
    understood = answered(before, prompt, "Friday next week")
    assert understood.flight.return_date == date(2026, 11, 27)
    assert answered(BERLIN_TO_TOKYO, prompt, "next Friday").flight.return_date == date(2026, 12, 11)
