"""What is taken out of a request and comes back, who joins or drops out, and what no search takes."""

from datetime import date

import pytest

from backend.travel.understanding.english.wording import refusals
from backend.travel.understanding.understand import understand
from checks.understanding.assistant import read_prompt
from tests.understanding.conversation import TODAY, flight, hotel, told

LIMA = "flights from Oslo to Lima on 3 May"
BOTH = "flights and a hotel in Lima from Oslo on 3 May, in business class"
STAY = "a hotel in Lima from 3 to 9 May"


def test_what_was_waived_comes_back_with_all_that_was_known_of_it() -> None:
    understood = told(BOTH, "forget the flights", "ok, flights after all")
    assert understood.wanted == ("flight", "hotel")
    assert flight(understood) == flight(told(BOTH))


def test_what_comes_back_follows_what_was_said_meanwhile() -> None:
    understood = told(BOTH, "forget the flights", "make it Quito from 5 May", "and flights again please")
    assert flight(understood) == flight(told(BOTH)) | {
        "destination": "Quito",
        "departure_date": date(2027, 5, 5),
    }


def test_hotel_that_was_waived_comes_back_as_well() -> None:
    understood = told(f"{BOTH}, 4 star hotel", "no hotel please", "thanks", "actually we do need a hotel")
    assert hotel(understood)["stars"] == 4


def test_nothing_comes_back_into_a_new_request() -> None:
    understood = told(
        BOTH, "forget the flights", "new search: a hotel in Cork from 2 June", "and flights from Bath"
    )
    assert "cabin_class" not in flight(understood)


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("add my mum please", 3),
        ("my two sons will join us", 4),
        ("my wife is coming along", 3),
        ("one of us can't come", 1),
        ("we're one fewer", 1),
        ("one person less", 1),
    ],
)
def test_people_join_and_drop_out(said: str, people: int) -> None:
    assert told(f"{LIMA}, 2 adults", said).flight.passengers == people


@pytest.mark.parametrize("said", ["two people fewer", "my mother told me about the wedding"])
def test_nobody_is_left_out_who_cannot_be(said: str) -> None:
    assert told(f"{LIMA}, 2 adults", said).flight.passengers == 2


@pytest.mark.parametrize(
    ("before", "said", "agent", "wish"),
    [
        (LIMA, "only flights with a vegan meal", "flight", "vegan meal"),
        (LIMA, "a bassinet for the baby please", "flight", "bassinet"),
        (STAY, "further from the harbour please", "hotel", "further from the harbour"),
    ],
)
def test_wish_that_no_search_takes_is_told(before: str, said: str, agent: str, wish: str) -> None:
    understood = told(before, said)
    assert (understood.relation, understood.agents) == ("refine", (agent,))
    assert refusals(understood) == f'I cannot search by "{wish}", so please look for it in the list.'


def test_such_a_wish_is_told_with_an_opening_request_too() -> None:
    understood = told(f"{LIMA}, with a vegan meal")
    assert flight(understood) == flight(told(LIMA))
    assert [one.said for one in understood.refused] == ["with a vegan meal"]


def test_question_about_luggage_is_no_wish() -> None:
    understood = told(LIMA, "what are the rules for hand luggage?")
    assert (understood.relation, understood.refused) == ("other", ())


def test_coming_back_to_where_one_started_is_no_city_too_many() -> None:
    assert told(f"{LIMA}, then back to Oslo on 9 May").refused == ()


def test_city_that_is_not_meant_is_replaced_at_its_end_of_the_journey() -> None:
    assert flight(told(LIMA, "not Oslo, Bergen")) == flight(told(LIMA)) | {"origin": "Bergen"}
    assert flight(told(LIMA, "not Lima, Quito")) == flight(told(LIMA)) | {"destination": "Quito"}
    assert flight(told(LIMA, "replace Oslo with Bergen")) == flight(told(LIMA)) | {"origin": "Bergen"}
    assert flight(told(LIMA, "swap Lima for Quito")) == flight(told(LIMA)) | {"destination": "Quito"}


def test_what_is_named_only_as_not_wanted_is_not_searched() -> None:
    assert told(LIMA, "actually I need a hotel there, not a flight").agents == ("hotel",)
    assert told("I want flights from Oslo to Lima on 3 May rather than a hotel").agents == ("flight",)


@pytest.mark.parametrize(
    "said", ["ok scratch that, Quito", "on second thought let's do Quito", "no wait, Quito"]
)
def test_city_in_a_clause_of_its_own_is_the_new_goal(said: str) -> None:
    assert flight(told(LIMA, said)) == flight(told(LIMA)) | {"destination": "Quito"}


def test_place_that_is_only_named_where_a_flight_joins_a_stay_is_where_it_starts() -> None:
    understood = told(STAY, "flights as well, Bergen, economy")
    assert (flight(understood)["origin"], flight(understood)["destination"]) == ("Bergen", "Lima")


def test_tickets_beside_rooms_are_for_the_flight() -> None:
    assert told(BOTH, "2 tickets and 2 rooms").agents == ("flight", "hotel")


@pytest.mark.parametrize("said", ["the Excelsior please", "the Grand Bolivar then"])
def test_name_that_is_all_that_is_said_is_a_hotel_where_one_is_looked_for(said: str) -> None:
    assert told(STAY, said).hotel.name == " ".join(said.split()[1:-1])
    assert told(LIMA, said).hotel.name is None


@pytest.mark.parametrize("said", ["plan me a weekend in Lima", "a trip to Lima with hotel, please"])
def test_break_is_planned_with_its_bed_and_its_way(said: str) -> None:
    assert told(said).agents == ("flight", "hotel")


@pytest.mark.parametrize("said", ["I love reading on planes, that's so nice", "you're slow today"])
def test_chat_changes_nothing(said: str) -> None:
    understood = told(LIMA, said)
    assert (understood.relation, understood.agents) == ("other", ())
    assert understood.flight == told(LIMA).flight


def test_limit_is_put_right_in_another_currency() -> None:
    limit = told(f"{LIMA}, at most 80 euros", "80 dollars I mean").flight.max_price
    assert limit is not None
    assert limit.currency == "USD"


def test_assistant_that_reports_the_cheapest_has_not_offered_it() -> None:
    before = told(STAY)
    report = "I found 27 hotels; the cheapest is Casa Azul (4 stars, Alfama) for 182.00 EUR."
    prompt = read_prompt(report, previous=before, today=TODAY)
    understood = understand("ok cool", previous=before, today=TODAY, prompt=prompt)
    assert (understood.agents, understood.hotel.name) == ((), None)


def test_price_of_an_assistant_counts_no_people() -> None:
    before = told(LIMA)
    prompt = read_prompt("Shall I hold Aurora for 96.00 EUR?", previous=before, today=TODAY)
    understood = understand("yes please", previous=before, today=TODAY, prompt=prompt)
    assert understood.flight.passengers is None


def test_one_of_two_days_that_an_assistant_puts_forward_is_chosen() -> None:
    before = told("flights from Oslo to Lima on friday")
    question = "Do you mean Friday 27 November or Friday 4 December?"
    prompt = read_prompt(question, previous=before, today=TODAY)
    understood = understand("the later one", previous=before, today=TODAY, prompt=prompt)
    assert understood.flight.departure_date == date(2026, 12, 4)


@pytest.mark.parametrize(
    "said",
    [
        "book me a hotel instead", "hotels instead please", "actually, a hotel instead",
        "instead, find me a hotel",
        "can you look for hotels instead?", "I need a hotel instead, 5 stars",
    ],
)  # fmt: skip
def test_what_is_wanted_instead_of_the_flights_takes_their_place(said):
    understood = told(LIMA, said)
    assert (understood.wanted, understood.agents, flight(understood)) == (("hotel",), ("hotel",), {})
    assert hotel(understood)["city"] == "Lima"
    assert "flight.destination" in understood.dropped
    again = told(LIMA, said, "flights after all")
    assert flight(again) == flight(told(LIMA))


def test_hotel_in_another_city_instead_leaves_the_flights():
    assert told(LIMA, "a hotel in Rome instead").wanted == ("flight", "hotel")


@pytest.mark.parametrize(
    "said",
    [
        "no flights only i meant", "no flights only please", "no, flights only", "No. Flights only.",
        "no flights just",
        "stop looking at hotels, i only asked for flights", "stop looking at hotels", "stop searching hotels",
        "I didn't ask for hotels", "never asked for a hotel, flights only", "stop showing me hotels",
        "no need for a hotel", "scratch the hotel", "quit searching for hotels", "stop with the hotels",
    ],
)  # fmt: skip
def test_refused_hotel_keeps_the_flights(said: str) -> None:
    both, alone = told(BOTH, said), told(LIMA, said)
    assert (both.wanted, both.relation) == (("flight",), "refine")
    assert (alone.wanted, alone.flight) == (("flight",), told(LIMA).flight)
    assert alone.relation != "stop"


@pytest.mark.parametrize(
    "said", ["no flights, only hotels", "no flights just the hotel", "no flights", "I didn't want flights"]
)
def test_no_before_flights_that_are_not_alone_takes_them_out(said: str) -> None:
    assert told(BOTH, said).wanted == ("hotel",)
