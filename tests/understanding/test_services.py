"""Other services, and questions about the assistant: each is named, and their values are never ours."""

import pytest

from backend.travel.understanding.english.talk.remarks import SERVICES, small_talk, what_we_do
from backend.travel.understanding.slot_table import NO_CAR
from backend.travel.understanding.understand import understand
from tests.understanding.conversation import LISBON, TODAY, flight, hotel, told

ALONE = (
    ("I need a motorbike in Palermo from 10 to 14 December", "motorbikes and campers"),
    ("rent a scooter in Rome 3-5 May", "motorbikes and campers"),
    ("a car with driver in Rome from 3 to 5 May", "taxis and transfers"),
    ("train from Rome to Milan on Friday", "trains"),
    ("bus to Prague tomorrow for two", "buses"),
    ("ferry from Athens to Crete on 3 May", "ferries and cruises"),
    ("I need a taxi to the airport at 9", "taxis and transfers"),
    ("book a table for two tomorrow", "restaurants"),
    ("where to eat in Lisbon", "restaurants"),
    ("any good concerts in Lisbon?", "events and tickets to them"),
    ("what are the best things to do there", "sights and things to do"),
    ("what's the weather like there in December", "the weather"),
    ("do I need a visa for Japan", "visas and entry rules"),
    ("I want travel insurance for 2 people", "insurance"),
    ("which vaccines do I need", "vaccinations"),
    ("I've got a dog with me", "pets"),
)


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
