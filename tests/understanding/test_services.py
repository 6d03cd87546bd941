"""Other services, and questions about the assistant: each is named, and their values are never ours."""

import pytest

from backend.travel.understanding.english.talk.small_talk import (
    NOT_UNDERSTOOD,
    NOTHING_TO_ALLOW,
    SERVICES,
    small_talk,
    what_we_do,
)
from backend.travel.understanding.slot_table import NO_CAR
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import LISBON, TODAY, flight, hotel, told

ALONE = (
    ("I need a motorbike in Palermo from 10 to 14 December", "motorbikes and campers"),
    ("rent a scooter in Rome 3-5 May", "motorbikes and campers"),
    ("a campervan for 4 people from 3 to 8 June", "motorbikes and campers"),
    ("rent a van with a driver in Rome 3-5 May", "taxis and transfers"),
    ("a car with driver in Rome from 3 to 5 May", "taxis and transfers"),
    ("we also need a car with a driver", "taxis and transfers"),
    ("train from Rome to Milan on Friday", "trains"),
    ("any trains to Paris tomorrow?", "trains"),
    ("bus to Prague tomorrow for two", "buses"),
    ("ferry from Athens to Crete on 3 May", "ferries and cruises"),
    ("book us a cruise in June", "ferries and cruises"),
    ("I need a taxi to the airport at 9", "taxis and transfers"),
    ("and an airport transfer for 4 please", "taxis and transfers"),
    ("and recommend a nice restaurant", "restaurants"),
    ("book a table for two tomorrow", "restaurants"),
    ("where to eat in Lisbon", "restaurants"),
    ("any good concerts in Lisbon?", "events and tickets to them"),
    ("2 tickets to see Hamilton on Friday", "events and tickets to them"),
    ("what are the best things to do there", "sights and things to do"),
    ("which museums are open on Monday", "sights and things to do"),
    ("what's the weather like there in December", "the weather"),
    ("will it rain on the 5th", "the weather"),
    ("do I need a visa for Japan", "visas and entry rules"),
    ("I want travel insurance for 2 people", "insurance"),
    ("which vaccines do I need", "vaccinations"),
    ("I've got a dog with me", "pets"),
)
ABOUT = (
    ("are you a bot?", "Yes, I am a program"), ("am I talking to a human", "Yes, I am a program"),
    ("can I talk to a person please", "There is no person here"), ("who are you", "I look for flights"),
    ("what can you actually do?", "I look for flights"), ("so what can you do", "I look for flights"),
    ("what's your name", "I look for flights"), ("is my data safe?", "What you tell me is stored"),
    ("what do you store about me", "What you tell me is stored"), ("can I pay by card?", "You need no card"),
    ("how do I pay", "You need no card"), ("which languages do you speak", "I read English only"),
    ("ok go", NOTHING_TO_ALLOW), ("go ahead", NOTHING_TO_ALLOW), ("do it", NOTHING_TO_ALLOW), ("ok",
    "All right."),
)  # fmt: skip


@pytest.mark.requirement("OTHER-SERVICES-ARE-NAMED")
@pytest.mark.parametrize(("said", "name"), ALONE)
def test_another_service_is_named_and_none_of_its_values_is_taken(said: str, name: str) -> None:
    service = next(one for one in SERVICES if one.name == name)
    assert small_talk(said).startswith(service.reply)
    assert small_talk(said).endswith(what_we_do())
    for conversation in ([said], [LISBON, said]):
        after = told(*conversation)
        assert (after.relation, after.agents) == ("other", ())
    assert (flight(after), hotel(after)) == (flight(told(LISBON)), hotel(told(LISBON)))


@pytest.mark.requirement("OTHER-SERVICES-ARE-NAMED")
@pytest.mark.parametrize(
    ("said", "agents", "values", "names"),
    [
        ("a hotel in Rome and two tickets for the Colosseum on Friday", ("hotel",), {"city": "Rome"},
         ["events and tickets to them"]),
        ("a hotel in Rome from 3 to 5 January, plus an airport transfer for 4 people", ("hotel",),
         {"city": "Rome", "guests": None}, ["taxis and transfers"]),
        ("find me a train from Milan to Rome, and a hotel in Rome on Friday", ("hotel",),
         {"city": "Rome", "guests": None}, ["trains"]),
        ("a hotel in Oslo from 3 to 5 January and a scooter rental for 3 days", ("hotel",),
         {"city": "Oslo", "nights": None}, ["motorbikes and campers"]),
        ("a hotel in Oslo from 3 to 5 January and a table for six on the 4th", ("hotel",),
         {"city": "Oslo", "guests": None}, ["restaurants"]),
    ],
)  # fmt: skip
def test_beside_a_hotel_another_service_is_left_out_by_name(said, agents, values, names) -> None:
    after = told(said)
    assert after.agents == agents
    slots = hotel(after)
    assert {name: slots.get(name) for name in values} == values
    assert [one.said for one in after.refused if one.reason == "other_service"] == names


@pytest.mark.parametrize(
    "said",
    [
        "a hotel in Paris near the museum from 3 to 5 January", "hotels close to a metro station in Paris",
        "hotel in Rome with parking and breakfast", "flights to Nice for the festival on 5 May from Oslo",
        "a hotel next to the train station in Basel", "flights from Berlin to Rome on 5 December for 2",
    ],
)  # fmt: skip
def test_what_only_tells_where_or_why_is_no_other_service(said: str) -> None:
    after = told(said)
    assert after.agents
    assert "other_service" not in [one.reason for one in after.refused]


@pytest.mark.requirement("OTHER-SERVICES-ARE-NAMED")
@pytest.mark.parametrize(("said", "reply"), ABOUT)
def test_questions_about_the_assistant_get_a_plain_answer(said: str, reply: str) -> None:
    assert small_talk(said).startswith(reply)
    assert small_talk(said) != NOT_UNDERSTOOD
    assert told(LISBON, said).relation in ("other", "answer")


OURS_OR_NOT = (
    ("I need a rental car in Palermo from 10 to 14 December", ("car",)),
    ("rent a car in Rome 3-5 May", ("car",)),
    ("can you find me a car for 4 people", ("car",)),
    ("a hotel in Oslo from 3 to 5 January and a rental car for 3 days", ("hotel", "car")),
)


@pytest.mark.requirement("OTHER-SERVICES-ARE-NAMED")
@pytest.mark.parametrize(("said", "agents"), OURS_OR_NOT)
def test_rental_cars_are_another_service_only_where_nobody_offers_them(said, agents) -> None:
    ours = understand(said, previous=None, today=TODAY)
    assert ours.agents == agents
    assert "other_service" not in [one.reason for one in ours.refused]
    without = understand(said, previous=None, today=TODAY, offered=("flight", "hotel"))
    assert without.agents == tuple(agent for agent in agents if agent != "car")
    assert without.car == NO_CAR
    reply = "I cannot look up rental cars. I find flights and hotels."
    assert without.agents or small_talk(said, ("flight", "hotel")) == reply
    assert not without.agents or [one.said for one in without.refused] == ["rental cars"]


@pytest.mark.parametrize("said", ["do you rent cars?", "do you have rental cars", "can I rent a car here"])
def test_question_whether_cars_are_found_is_answered(said: str) -> None:
    assert small_talk(said).startswith("I find flights, hotels and rental cars.")
