"""Cities that stand for others: "change Berlin to Munich", "not Lisbon, Cascais", "same dates but Seoul"; and
cities beside which hardly anything else is said.
"""

import pytest

from .conversation import BERLIN_TO_TOKYO, LISBON, flight, hotel, name, told

STAY = "a hotel in Lisbon from 12 to 15 January"


@pytest.mark.parametrize(
    ("said", "origin", "goal"),
    [
        ("change Berlin to Munich", "Munich", "Tokyo"),
        ("change Tokyo to Osaka", "Berlin", "Osaka"),
        ("switch Berlin for Munich", "Munich", "Tokyo"),
        ("swap Tokyo with Seoul", "Berlin", "Seoul"),
        ("replace Berlin by Munich please", "Munich", "Tokyo"),
        ("change it from Berlin to Munich", "Munich", "Tokyo"),
        ("can you change Tokyo into Osaka", "Berlin", "Osaka"),
        ("same dates but Seoul", "Berlin", "Seoul"),
        ("same but Seoul", "Berlin", "Seoul"),
        ("the same but to Seoul", "Berlin", "Seoul"),
        ("same dates but from Munich", "Munich", "Tokyo"),
        ("Seoul not Tokyo", "Berlin", "Seoul"),
        ("not Tokyo, Osaka", "Berlin", "Osaka"),
        ("change to Osaka", "Berlin", "Osaka"),
        ("fly from Berlin to Munich", "Berlin", "Munich"),
        ("same but on the 12th", "Berlin", "Tokyo"),
    ],
)
def test_one_city_stands_for_another(said: str, origin: str, goal: str) -> None:
    after = flight(told(BERLIN_TO_TOKYO, said))
    assert (after["origin"], after["destination"]) == (origin, goal)


@pytest.mark.parametrize(
    "said", ["change London to Leeds", "switch London for Leeds", "replace London with Leeds"]
)
def test_another_start_leaves_the_stay_where_it_is(said: str) -> None:
    after = told(LISBON, said)
    assert (flight(after)["origin"], flight(after)["destination"]) == ("Leeds", "Lisbon")
    assert hotel(after)["city"] == "Lisbon"


@pytest.mark.parametrize(
    "said",
    ["not Lisbon, Cascais", "not Lisbon but Cascais", "not in Lisbon, Cascais", "change Lisbon to Cascais",
     "same dates but Cascais", "Cascais not Lisbon"],
)  # fmt: skip
def test_small_town_stands_for_the_city_of_a_stay(said: str) -> None:
    assert hotel(told(STAY, said))["city"] == "Cascais"


@pytest.mark.parametrize("said", ["not Lisbon, please", "not Lisbon, thanks", "same dates but cheaper"])
def test_words_behind_a_city_that_is_not_wanted_are_no_city(said: str) -> None:
    assert hotel(told(STAY, said)).get("city") in ("Lisbon", None)


@pytest.mark.parametrize(
    ("said", "city"),
    [
        ("Rome for 2 people on the 3rd", "Rome"),
        ("Rome for 3 on the 3rd for 3 nights at 3pm", "Rome"),
        ("Rome for two adults next weekend", "Rome"),
        ("2 people, Rome, from the 3rd", "Rome"),
        ("Oslo, 2 adults, 3 nights from 5 May", "Oslo"),
        ("one room, 2 adults, Annecy 8-10 May", "Annecy"),
        ("one room, 2 adults 1 dog, Annecy 8-10 May", "Annecy"),
        ("2 adults, Annecy, 8-10 May", "Annecy"),
    ],
)
def test_no_city_is_lost_beside_people_and_days(said: str, city: str) -> None:
    assert hotel(told(said))["city"] == city


@pytest.mark.parametrize(
    "said", ["2 adults, Perfect 8-10 May", "2 people on the 3rd", "hotel for 2 adults, Thanks 3 nights"]
)
def test_no_word_beside_people_and_days_is_a_city(said: str) -> None:
    assert "city" not in hotel(told(said))


@pytest.mark.parametrize(
    "said", ["Alfama", "alfama please", "Alfama instead", "how about Alfama?", "the Alfama area", "in Alfama"]
)
def test_district_alone_is_one_of_the_city_to_stay_in(said: str) -> None:
    after = hotel(told(STAY, said))
    assert (after["city"], after["district"]) == ("Lisbon", "Alfama")


@pytest.mark.parametrize("said", ["Alfama was nice", "my friend lives near here", "no Alfama", "Porto"])
def test_district_that_is_only_spoken_of_is_not_asked_for(said: str) -> None:
    assert "district" not in hotel(told(STAY, said))


@pytest.mark.parametrize(
    "said", ["pick me up in Porto on 4 May and take me to Faro", "pick us up in Porto on 4 May, to Faro"]
)
def test_pick_up_is_the_start(said: str) -> None:
    after = flight(told(said))
    assert (after["origin"], after["destination"]) == ("Porto", "Faro")


@pytest.mark.parametrize(
    ("said", "origin", "goal"),
    [
        ("amsterdm to barcalona nxt tuesday 2ppl", "Amsterdam", "Barcelona"),
        ("amsterdm to Paris 3 may", "Amsterdam", "Paris"),
        ("flights amsterdm to paris 3 may", "Amsterdam", "Paris"),
        ("flight Londn to Rome 3 may", "London", "Rome"),
        ("reading to bath on 3 march", "Reading", "Bath"),
        ("nice to rome 3 march", "Nice", "Rome"),
        ("flight up to 200 Gdansk Malmo 7 may", "Gdańsk", "Malmo"),
        ("flights Gdansk Malmo 7 may", "Gdańsk", "Malmo"),
    ],
)
def test_start_of_a_route_is_not_lost(said: str, origin: str, goal: str) -> None:
    after = flight(told(said))
    assert (after["origin"], after["destination"]) == (origin, goal)


@pytest.mark.parametrize(
    "said",
    [
        "nice to meet you",
        "nice to see paris again",
        "close to Paris hotel 3 may",
        "closer to rome please",
        "welcome to Paris",
        "trip to Paris 3 may",
        "want to rome 3 may",
        "able to Rome",
        "hotel Berlin Thanks 3 may",
        "hotel in Berlin Sunday 6 December",
    ],
)
def test_words_before_a_goal_are_no_start(said: str) -> None:
    assert "origin" not in flight(told(said))


TRIP = "flights from Berlin to Tokyo on 10 December, a hotel and a rental car there for 3 nights"


@pytest.mark.parametrize(
    "said",
    [
        "actually make it Osaka",
        "actually make it Osaka, and only nonstop",
        "only nonstop, and to Osaka instead",
        "make it Osaka instead and business class",
        "Osaka instead, with a checked bag",
        "change it to Osaka and leave after 9 am",
        "Osaka instead, one way",
        "to Osaka, not Tokyo, and no Lufthansa",
    ],
)
def test_another_goal_moves_all_that_went_to_it(said: str) -> None:
    after = told(TRIP, said)
    assert name(after.flight.destination) == "Osaka"
    assert hotel(after)["city"] == "Osaka"
    assert name(after.car.city) == "Osaka"
    assert after.agents == ("flight", "hotel", "car")


@pytest.mark.parametrize(
    ("before", "said", "city"),
    [
        (TRIP, "a hotel in Kyoto instead", "Kyoto"),
        (TRIP, "the hotel in Nagoya please", "Nagoya"),
        (
            "flights from Berlin to Tokyo on 10 December and a hotel in Kyoto",
            "fly to Osaka, nonstop",
            "Kyoto",
        ),
    ],
)
def test_stay_apart_stays_where_it_was_told(before: str, said: str, city: str) -> None:
    after = told(before, said)
    assert hotel(after)["city"] == city
    assert name(after.flight.destination) == ("Osaka" if "Osaka" in said else "Tokyo")
