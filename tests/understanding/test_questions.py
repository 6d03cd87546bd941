"""Messages that ask about something, and those that ask for something."""

import pytest

from backend.travel.understanding.dialogue.prompt import Prompt, asking
from backend.travel.understanding.dialogue.slots import Slots
from backend.travel.understanding.english.language.text import Text
from backend.travel.understanding.english.talk.questions import asks_about, asks_for_more
from backend.travel.understanding.result import FlightSlots
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, TODAY, flight, hotel, told


@pytest.mark.parametrize("said", ["When does it arrive?", "Nice. Is breakfast included?", "how long is it"])
def test_question_about_a_result_is_told_from_a_request(said: str) -> None:
    assert asks_about(Text(said))


@pytest.mark.parametrize(
    "said", ["Will you find me a hotel?", "Are there hotels in Rome?", "Thanks. Will you look for flights?"]
)
def test_request_may_be_put_as_a_question(said: str) -> None:
    assert not asks_about(Text(said))


@pytest.mark.parametrize("said", ["What else is there?", "any other hotels?", "something cheaper please"])
def test_other_results_are_asked_for(said: str) -> None:
    assert asks_for_more(Text(said))
    understood = told(LISBON, said)
    assert understood.relation == "refine"
    assert understood.agents


def test_flight_asked_for_after_a_word_about_the_weather_is_wanted() -> None:
    said = "That weather sounds nice. Can you find me a flight there from Berlin?"
    understood = told("what's the weather in Rome", said)
    assert (understood.agents, flight(understood)) == (
        ("flight",),
        {"origin": "Berlin", "destination": "Rome"},
    )


def test_restaurant_near_the_hotel_is_no_hotel() -> None:
    assert told(LISBON, "find a restaurant near the hotel").relation == "other"


def test_bags_are_checked_in_for_a_flight() -> None:
    prompt = asking("flight.return_date")
    said = "I have no bags to check in, and return on the 14th"
    understood = understand(said, previous=told(BERLIN_TO_TOKYO), today=TODAY, prompt=prompt)
    assert (understood.relation, understood.agents, hotel(understood)) == ("answer", ("flight",), {})


def test_house_to_stay_in_is_for_the_hotel_agent() -> None:
    assert told(BERLIN_TO_TOKYO, "I also need to find a house there").agents == ("hotel",)
    assert told("what does my house insurance cost").agents == ()


def test_another_day_than_the_proposed_one_is_an_answer() -> None:
    prompt = Prompt(proposed=Slots(flight=FlightSlots(departure_date=TODAY)))
    understood = understand("we leave on the 3rd", previous=told(BERLIN_TO_TOKYO), today=TODAY, prompt=prompt)
    assert (understood.relation, flight(understood)["departure_date"].day) == ("answer", 3)


def test_change_that_may_come_later_changes_nothing_now() -> None:
    before = told("Find flights to Tokyo")
    said = "from Berlin, though I may change that"
    assert understand(said, previous=before, today=TODAY).relation == "answer"


def test_hotel_that_could_not_be_searched_yet_does_not_act_on_a_day_of_the_flight() -> None:
    before = told("hotels in Rome", "and flights from Berlin")
    understood = understand(
        "on the 3rd", previous=before, today=TODAY, prompt=asking("flight.departure_date")
    )
    assert understood.agents == ("flight",)
    assert understood.hotel.check_in == understood.flight.departure_date


def test_places_to_visit_are_no_journey() -> None:
    assert told("Can you show me some places to visit in Rome?").agents == ()
    assert told("I have travel plans, can you help me find a flight?").agents == ("flight",)


def test_request_behind_thanks_is_heard() -> None:
    assert told(BERLIN_TO_TOKYO, "Thanks for the help, can you also find me a hotel?").agents == ("hotel",)
    assert told("All I need is a flight from Berlin to Rome").agents == ("flight",)


@pytest.mark.parametrize(
    "said", ["No, I'll do that later", "I don't want to book a hotel now", "No, not yet. Maybe later."]
)
def test_refusal_asks_for_nothing_else(said: str) -> None:
    understood = understand(said, previous=told(LISBON), today=TODAY, prompt=Prompt())
    assert (understood.relation, understood.agents) == ("other", ())


@pytest.mark.parametrize("said", ["No, find me something else", "No, show me later flights"])
def test_refusal_may_ask_for_something_else(said: str) -> None:
    understood = understand(said, previous=told(LISBON), today=TODAY, prompt=Prompt())
    assert understood.relation == "refine"


def test_what_is_asked_about_a_flight_changes_nothing() -> None:
    said = "When does the flight arrive? And does it land in Rome on the 4th?"
    understood = told(BERLIN_TO_TOKYO, said)
    assert (understood.relation, understood.flight) == ("other", told(BERLIN_TO_TOKYO).flight)


def test_offer_is_not_taken_by_asking_about_it() -> None:
    offer = Prompt(offered=Slots(flight=FlightSlots(airline="Lufthansa")))
    before = told(BERLIN_TO_TOKYO)
    asked = understand("Ok, when does it arrive?", previous=before, today=TODAY, prompt=offer)
    assert (asked.relation, asked.flight.airline) == ("other", None)
    taken = understand("Sounds good. When does it arrive?", previous=before, today=TODAY, prompt=offer)
    assert taken.flight.airline == "Lufthansa"


def test_flight_that_is_liked_is_not_asked_for_again() -> None:
    assert told(BERLIN_TO_TOKYO, "That flight sounds good. Now find me a hotel").agents == ("hotel",)


def test_price_of_what_is_shown_is_a_question_and_that_of_others_a_wish() -> None:
    assert asks_about(Text("How much does it cost for one night?"))
    assert not asks_about(Text("How much are flights to Rome?"))


def test_hotel_near_by_with_stars_is_near_nothing() -> None:
    understood = told("hotels in Rome", "can you find 3 rooms at a nearby four star hotel?")
    assert (understood.hotel.district, understood.hotel.stars, understood.hotel.rooms) == (None, 4, 3)


def test_room_that_is_declined_is_not_asked_for_beside_a_flight() -> None:
    said = "No, I don't want to reserve a room but find me a flight from Berlin"
    assert told("hotels in Rome on 3 May", said).agents == ("flight",)


def test_what_is_asked_about_a_ticket_says_nothing_of_the_class() -> None:
    said = "Can you tell me if this is an economy ticket, and when does it arrive?"
    assert told(BERLIN_TO_TOKYO, said).flight.cabin_class is None
