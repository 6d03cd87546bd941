"""Places that are changed, left to choose, or not wanted."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import doubts, noted, steps_to_others
from tests.understanding.conversation import BERLIN_TO_TOKYO, LISBON, flight, hotel, name, told

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


after = partial(told, today=date(2026, 11, 23))
ISLANDS = "London to Tenerife or Lanzarote on 5 December for a week"


@pytest.mark.parametrize(
    ("before", "said", "goal", "others"),
    [
        ("Munich to Male on 1 Feb for 2", "otherwise zanzibar or mauritius", "Zanzibar", ["Mauritius"]),
        ("Munich to Male on 1 Feb for 2", "or Zanzibar or Mauritius", "Zanzibar", ["Mauritius"]),
        ("Berlin to Rome on 5 December", "no, Lisbon or Porto", "Lisbon", ["Porto"]),
        ("Berlin to Rome on 5 December", "make it Oslo or Bergen", "Oslo", ["Bergen"]),
        (
            "Berlin to Rome on 5 December",
            "Athens or Crete or Rhodes please",
            "Athens",
            ["Rhodes"],
        ),
    ],
)
def test_all_that_are_named_are_held(before: str, said: str, goal: str, others: list[str]) -> None:
    understood = after(before, said)
    assert name(understood.flight.destination) == goal
    steps = " ".join(steps_to_others(understood))
    assert all(f"{other} instead" in steps for other in others)
    assert understood.refused == ()
    assert doubts(understood) == ""


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("Lanzarote it is!", "Lanzarote"),
        ("Tenerife it is", "Tenerife"),
        ("ok lanzarote then", "Lanzarote"),
        ("Tenerife wins", "Tenerife"),
        ("Right, Lanzarote it is! Could you find us a nice hotel with a pool, two rooms", "Lanzarote"),
        ("it'll be great: Lanzarote it'll be, and add a hotel please", "Lanzarote"),
        ("Tenerife wins, add a hotel", "Tenerife"),
    ],
)
def test_what_is_chosen_is_searched_by_all_and_asked_no_more(said: str, goal: str) -> None:
    understood = after(ISLANDS, said)
    assert name(understood.flight.destination) == goal
    assert understood.hotel.city is None or name(understood.hotel.city) == goal
    assert understood.flight.departure_date == date(2026, 12, 5)
    assert steps_to_others(understood) == []
    assert doubts(understood) == ""


@pytest.mark.parametrize(
    ("said", "start", "goal"),
    [
        ("flights from JFK or ewr to Boston on 4 December", "New York", "Boston"),
        ("from jfk or ewr to Boston on 4 December", "New York", "Boston"),
        ("Boston to Newark or JFK on 4 December", "Boston", "New York"),
        ("flights from Heathrow or Gatwick to Rome on 5 December", "London", "Rome"),
        ("flights from Rome to ORY or CDG on 5 December", "Rome", "Paris"),
    ],
)
def test_airports_of_one_city_are_that_city(said: str, start: str, goal: str) -> None:
    understood = after(said)
    assert (name(understood.flight.origin), name(understood.flight.destination)) == (start, goal)
    assert understood.alternatives == ()
    assert understood.refused == ()


@pytest.mark.parametrize("said", ["lisbon it is", "Lisbon it is then", "ok lisbon it'll be", "lisbon wins"])
def test_chosen_place_is_not_asked_about(said: str) -> None:
    understood = after("flight London to Madrid 4 dec back 8 dec", said)
    assert name(understood.flight.destination) == "Lisbon"
    assert doubts(understood) == ""


TO_LISBON = "flights from London to Lisbon on 12 January"


@pytest.mark.parametrize(
    "by",
    [
        "instead, whichever is cheaper", ", whichever is cheapest", " whatever's cheapest",
        ". Whichever costs less", " instead, whichever has the lower fares", " instead, the cheaper one",
        ", the cheaper of the two please",
        ", depending on the price", " instead, wherever is less expensive", " if they are cheaper",
        " instead, whichever you prefer", ", whichever works out cheaper for us",
    ],
)  # fmt: skip
@pytest.mark.parametrize("start", ["", "either ", "make it ", "to ", "no, "])
def test_cities_are_held_whatever_tells_how_to_choose(start: str, by: str) -> None:
    understood = after(TO_LISBON, f"{start}Rome or Madrid {by}")
    assert name(understood.flight.destination) == "Rome"
    assert steps_to_others(understood) == ["Madrid instead"]
    assert understood.refused == ()
    assert understood.flight.departure_date == date(2027, 1, 12)


@pytest.mark.parametrize(
    "by",
    [
        "whichever is nicer", "whichever's warmer", "whichever is closer to the beach",
        "the sunnier of the two",
        "whichever has the better weather", "whichever is quicker to get to", "depending on the weather",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "said", ["Rome or Madrid instead, {}", "Rome, Madrid or Paris, {}", "{}: Rome or Madrid"]
)
def test_what_cities_are_not_compared_by_is_left_to_the_user(said: str, by: str) -> None:
    understood = after(TO_LISBON, said.format(by))
    assert name(understood.flight.destination) == "Rome"
    assert "Madrid instead" in steps_to_others(understood)
    assert [(one.said, one.reason) for one in understood.refused] == [(by, "not_compared")]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("hotel in Lisbon from 3 to 6 May", "Rome or Madrid instead, whichever is cheaper"),
        ("flights to Lisbon on 12 January", "from Berlin or Hamburg, whichever is cheaper"),
    ],
)
def test_stays_and_starts_are_not_compared(before: str, said: str) -> None:
    assert [one.reason for one in after(before, said).refused] == ["not_compared"]


@pytest.mark.parametrize(
    "said", ["or Rome, whichever is cheaper", "or to Rome if it's cheaper", "or Rome, the cheaper of the two"]
)
def test_city_beside_the_known_one_is_a_choice(said: str) -> None:
    understood = after(TO_LISBON, said)
    assert name(understood.flight.destination) == "Lisbon"
    assert steps_to_others(understood) == ["Rome instead"]
    assert understood.refused == ()


@pytest.mark.parametrize(
    ("said", "others"),
    [
        ("flights from London to Rome, Madrid or Paris on 12 January", ["Madrid instead", "Paris instead"]),
        ("flights from London to Rome, Madrid, Oslo, or Paris on 12 January", 3),
        ("flights from Rome, Madrid on 12 January", []),
    ],
)
def test_list_with_commas_is_held_as_a_whole(said: str, others: list[str] | int) -> None:
    steps = steps_to_others(after(said))
    assert others in (steps, len(steps))


@pytest.mark.parametrize(
    ("said", "goal", "day"),
    [
        ("Rome or Madrid on 14 January", "Rome", 14),
        ("Rome or Madrid on 14 January instead, whichever is cheaper", "Rome", 14),
        ("13 or 14 January, whichever is cheaper", "Lisbon", 13),
    ],
)
def test_days_beside_a_choice_are_read(said: str, goal: str, day: int) -> None:
    flight = after(TO_LISBON, said).flight
    assert (name(flight.destination), flight.departure_date) == (goal, date(2027, 1, day))


@pytest.mark.parametrize(
    ("said", "start", "goal"),
    [
        ("jfk or ewr to lax on 12 January", "New York", "Los Angeles"),
        ("flights jfk, lga or ewr to lax 12 jan", "New York", "Los Angeles"),
        ("lhr or lgw to rome 12 jan", "London", "Rome"),
        ("flight lgw or lhr - bcn 12 jan", "London", "BCN"),
        ("lax to jfk or ewr 12 jan", "Los Angeles", "New York"),
    ],
)
def test_codes_in_small_letters_of_one_city_are_that_city(said: str, start: str, goal: str) -> None:
    understood = after(said)
    assert (name(understood.flight.origin), name(understood.flight.destination)) == (start, goal)
    assert understood.refused == ()


def test_second_one_of_a_place_that_was_decided_for_is_no_other_place() -> None:
    understood = after("flights from London to Rome or Madrid on 12 January", "Rome wins, the second one")
    assert name(understood.flight.destination) == "Rome"
    assert understood.refused == ()


OPEN = "anywhere cheap from Berlin on 15 January"


@pytest.mark.parametrize(
    ("said", "cities"),
    [
        ("not prague or vienna tho been there", ["Prague", "Vienna"]),
        ("no dubai pls", ["Dubai"]),
        ("no dubai pls, and max 12h flights", ["Dubai"]),
        ("neither Rome nor Paris", ["Rome", "Paris"]),
        ("not Oslo, Rome or Paris", ["Oslo", "Rome", "Paris"]),
        ("anywhere but Hamburg or Munich", ["Hamburg", "Munich"]),
        ("except Prague, Vienna, or Rome", ["Prague", "Vienna", "Rome"]),
        ("we don't want to go to Cairo or to Tunis", ["Cairo", "Tunis"]),
    ],
)
def test_list_of_places_is_spoken_against_as_a_whole(said: str, cities: list[str]) -> None:
    understood = after(OPEN, said)
    assert understood.agents == ("flight",)
    assert understood.flight.destination is None
    assert understood.open_goal
    assert [place.city.name for place in understood.open_goal.left_out] == cities
    assert understood.refused == ()
    assert f"not to {cities[0]}" in noted(understood)


def test_they_add_up_and_last_until_a_place_is_chosen() -> None:
    said = (OPEN, "not Prague", "no Vienna either", "up to 100 euros")
    still = after(*said)
    assert still.open_goal
    assert [place.city.name for place in still.open_goal.left_out] == ["Prague", "Vienna"]
    chosen = after(*said, "ok Prague after all")
    assert chosen.open_goal is None
    assert chosen.flight.destination
    assert chosen.flight.destination.city.name == "Prague"


@pytest.mark.parametrize(
    ("said", "goal"),
    [
        ("not Rome, Paris", "Paris"), ("Paris not Rome or Vienna", "Paris"),
        ("not Rome or Vienna, Paris", "Paris"), ("instead of Rome: Paris or Vienna", "Paris"),
    ],
)  # fmt: skip
def test_what_is_wanted_in_their_place_is_searched(said: str, goal: str) -> None:
    flight = after("flights from Berlin to Rome on 5 December", said).flight
    assert flight.destination
    assert flight.destination.city.name == goal


def test_that_it_has_to_be_warm_is_kept() -> None:
    later = after("somewhere warm from Munich on 1 February", "no Dubai please", "2 people")
    assert later.open_goal
    assert later.open_goal.is_warm


@pytest.mark.parametrize(
    "said",
    [
        "avoid London",
        "avoid London and find hotels with breakfast",
        "skip London, hotels with a pool",
        "don't go to London",
        "please don't fly to London",
        "any city but London",
        "any place other than London",
        "anywhere except London",
        "no airport in London",
        "not via London, and a hotel with breakfast",
        "without a stop in London",
        "w/o a stopover in London",
        "leave out London, 4 stars please",
    ],
)
@pytest.mark.parametrize("before", [TRIP, "a hotel in Tokyo from 10 to 13 December"])
def test_city_that_is_spoken_against_is_no_goal(before: str, said: str) -> None:
    after = told(before, said)
    assert hotel(after)["city"] == "Tokyo"
    assert name(after.flight.destination) in ("Tokyo", None)
    assert "London" not in [name(one) for one in after.flight.via]


@pytest.mark.parametrize("said", ["to London instead", "London, without a stop"])
def test_city_that_is_proposed_is_the_goal(said: str) -> None:
    assert name(told(TRIP, said).flight.destination) == "London"
