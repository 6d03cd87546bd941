"""Openings in short, homes of others, the way home as a goal, and who travels with whom."""

from datetime import date

import pytest

from backend.travel.understanding.english.details.people import find_people
from backend.travel.understanding.english.language.text import Text
from tests.understanding.conversation import flight, told


def _route(*said: str) -> tuple[str | None, str | None]:
    slots = told(*said).flight
    start, goal = slots.origin, slots.destination
    return start.city.name if start else None, goal.city.name if goal else None


@pytest.mark.parametrize(
    ("said", "route"),
    [
        ("nyc to miami nxt fri", ("New York", "Miami")),
        ("lon to rome 12 feb, back 16", ("London", "Rome")),
        ("need lon to paris 3 march", ("London", "Paris")),
        ("chi to la 12/15", ("Chicago", "Los Angeles")),
        ("sf to dc dec 15", ("San Francisco", "Washington")),
        ("la to new york dec 15", ("Los Angeles", "New York")),
        ("par to lon 3 march", ("Paris", "London")),
        ("rom to mil 3 march", ("Rome", "Milan")),
        ("from lon to par on friday", ("London", "Paris")),
        ("del to bom 3 march", ("Delhi", "Mumbai")),
        ("2 adults 1 infant bom to lhr 20 dec", ("Mumbai", "London")),
        ("dub to barcelona 3 march", ("Dublin", "Barcelona")),
        ("lhr to new york 3 march", ("London", "New York")),
        ("flights nyc to london in may", ("New York", "London")),
        ("nyc - boston 3 march", ("New York", "Boston")),
        ("cork oslo 5 may", ("Cork", "Oslo")),
        ("cork-oslo out 5 may return 9 may", ("Cork", "Oslo")),
        ("I want to travel to Paris since Madrid on 3 March", ("Madrid", "Paris")),
        ("flight to Paris on 3 march since Berlin is cold", (None, "Paris")),
        ("Oslo on 5 May. My home airport is Cork", ("Cork", "Oslo")),
        ("I want to go to Oslo on 5 May, my nearest airport is Cork", ("Cork", "Oslo")),
        ("Oslo on 5 May. Departure Cork.", ("Cork", "Oslo")),
        ("Oslo 5 May ex Cork", ("Cork", "Oslo")),
        ("i live in cork n wanna see oslo in may", ("Cork", "Oslo")),
        ("I live near Cork, thinking of Oslo in May", ("Cork", "Oslo")),
        ("I want to go to Oslo on 5 May. We're based out of Cork", ("Cork", "Oslo")),
        ("go home to dublin for xmas, im in frankfurt", ("Frankfurt", "Dublin")),
        ("I want to go home to Dublin from Frankfurt for Christmas", ("Frankfurt", "Dublin")),
        ("going back to Manila for Christmas from Dubai", ("Dubai", "Manila")),
        ("stuck in Frankfurt, need to get home to Dublin tonight", ("Frankfurt", "Dublin")),
        ("need a flight home to Oslo from Rome on 5 May", ("Rome", "Oslo")),
        ("home to Cork from London on 22 December", ("London", "Cork")),
        ("heading back to Sydney on 3 March, from Tokyo", ("Tokyo", "Sydney")),
        ("flights Berlin to Rome on 3 May and back to Berlin on 9 May", ("Berlin", "Rome")),
        ("my sister lives in Oslo and I want to visit her on 5 May from Rome", ("Rome", "Oslo")),
        ("My parents live in Delhi, I want to go in May", (None, "Delhi")),
        ("nice paris hotel 5 may", (None, None)),
        ("man to man talk", (None, None)),
        ("mum dad and 3 kids Cork to Faro 4 May", ("Cork", "Faro")),
    ],
)  # fmt: skip
def test_where_an_opening_starts_and_goes_to(said: str, route: tuple[str | None, str | None]) -> None:
    assert _route(said) == route


@pytest.mark.parametrize(
    "said",
    ["go home to dublin for xmas, im in frankfurt", "going back to Manila for Christmas from Dubai"],
)
def test_journey_home_for_christmas_has_that_day(said: str) -> None:
    slots = flight(told(said))
    assert slots["departure_date"] == date(2026, 12, 25)
    assert "return_date" not in slots


@pytest.mark.parametrize(
    "said",
    [
        "my mother in law might be joining us, she lives in Pittsburgh", "my sister lives in Porto",
        "my parents live in Porto", "he works in Porto",
    ],
)  # fmt: skip
def test_where_others_live_is_no_new_goal(said: str) -> None:
    assert _route("flights Columbus to Orlando 14 March", said)[1] == "Orlando"


def test_where_others_live_is_the_goal_that_was_asked_for() -> None:
    said = "Los Angeles, my girlfriend lives in Detroit and she wants me to come"
    assert _route("I need a flight on 5 May", said) == ("Los Angeles", "Detroit")


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("Oslo to Rome 5 may return 9 may", (date(2027, 5, 5), date(2027, 5, 9))),
        ("Oslo to Rome 5 may return on 9 may", (date(2027, 5, 5), date(2027, 5, 9))),
        ("dublin-oslo out 5 may return 9 may", (date(2027, 5, 5), date(2027, 5, 9))),
    ],
)
def test_return_before_a_day_is_of_that_day(said: str, days: tuple[date, date]) -> None:
    slots = flight(told(said))
    assert (slots["departure_date"], slots["return_date"]) == days


@pytest.mark.parametrize(
    ("said", "count"),
    [
        ("holiday for 2 in june", 2),
        ("4 girls hen do in barcelona", 4),
        ("stag do for 10 lads", 10),
        ("hen party, 6 ladies", 6),
        ("2 men and 2 women", 4),
        ("me and 3 mates", 4),
        ("We want to fly with our 3 kids", 5),
        ("we're going with our daughter", 3),
        ("I want to fly with my 3 kids", 4),
        ("we are going with my parents", 3),
        ("my husband and I are taking the kids (ages 4 and 9)", 4),
        ("my wife and I plus the kids aged 4 and 9", 4),
        ("my wife, me and our two kids (4 and 9)", 4),
        ("it's me, my husband, and our 2 year old", 3),
        ("my son (12) and me", 2),
        ("me and my son (12)", 2),
        ("senior couple", 2),
        ("couple + baby", 3),
        ("couple with 2 kids", 4),
        ("for a couple", 2),
        ("mum dad and 3 kids", 5),
        ("mum, dad and 3 kids", 5),
        ("for me and the missus", 2),
        ("my mother in law and I", 2),
        ("my mother-in-law, my wife and I", 3),
        ("for a colleague and me", 2),
        ("a friend and I want to go", 2),
        ("I need to get my parents to Toronto", 2),
        ("My parents want to go to Toronto", 2),
        ("my parents are visiting us, they fly on 12 December", 2),
        ("my wife and daughter are flying to Toronto", 2),
        ("we have a toddler", 3),
        ("we are travelling with a baby", 3),
        ("I travel with a baby", 2),
        ("I want to take my wife to Paris", 2),
        ("taking my mum to Paris", 2),
        ("treating my parents to a weekend in Paris", 3),
        ("planning a trip with 3 friends", 4),
        ("me and 2 roommates", 3),
        ("8 colleagues", 8),
        ("2x adults", 2),
        ("leeds - porto, 2 pers", 2),
        ("my husband and our two children aged 3 and 5 and me", 4),
        ("just us two in May", 2),
        ("we are newlyweds", 2),
        ("granny and grandad", 2),
        ("2 adults and a 6 month old baby", 3),
        ("flying with a 6 month old", 2),
    ],
)
def test_travellers_are_counted_with_children_and_without_the_speaker(said: str, count: int) -> None:
    text = Text(said)
    assert find_people(text) == count


@pytest.mark.parametrize(
    "said",
    [
        "My parents want me to fly to Toronto", "my parents live in Toronto", "a couple of days in Rome",
        "for a couple nights", "visit mum and dad", "a friend and I talked about it", "we have a child seat",
        "I want to see my parents", "to visit my daughter",
    ],
)  # fmt: skip
def test_host_or_mentioned_person_does_not_travel(said: str) -> None:
    text = Text(said)
    assert find_people(text) is None


@pytest.mark.parametrize(
    ("said", "children"),
    [
        ("4 girls hen do in Rome from Cork on 5 May", None),
        ("group of 12 girls from Cork to Rome on 5 May", None),
        ("girls trip from Cork to Rome on 5 May, 5 girls", None),
        ("2 adults and 2 girls from Cork to Rome on 5 May", 2),
        ("me and my 2 girls from Cork to Rome on 5 May", 2),
        ("2 girls aged 4 and 6 and 2 adults from Cork to Rome on 5 May", 2),
        ("visit my two daughters in Rome from Cork on 5 May", None),
    ],
)
def test_girls_among_themselves_are_no_children(said: str, children: int | None) -> None:
    ages = told(said).flight.children
    assert (len(ages) if ages else None) == children


@pytest.mark.parametrize(
    ("said", "nights"),
    [
        ("3 nights in Prague, 2 in Vienna, then 4 in Budapest, starting from Dublin on 10 April", [3, 2, 4]),
        ("2 nights in Rome, 3 in Florence and 1 in Venice from Dublin on 10 April", [2, 3, 1]),
    ],
)
def test_nights_without_their_unit_are_of_the_next_city(said: str, nights: list[int]) -> None:
    tour = told(said).tour
    assert tour is not None
    assert [stay.nights for stay in tour.stays] == nights


@pytest.mark.parametrize(
    "said", ["hotel for 3 nights in Prague, 2 in the room", "3 nights in Prague for 2 in May"]
)
def test_number_that_counts_people_is_of_no_city(said: str) -> None:
    assert told(said).tour is None


@pytest.mark.parametrize(
    ("said", "route"),
    [
        ("not from Berlin", (None, "Lisbon")), ("not Lisbon please", ("Berlin", None)),
        ("anywhere but Lisbon", ("Berlin", None)), ("why not Lisbon", ("Berlin", "Lisbon")),
        ("no Lisbon is fine", ("Berlin", "Lisbon")), ("no, Lisbon", ("Berlin", "Lisbon")),
        ("I don't want to fly from Berlin", (None, "Lisbon")),
        ("is it not in Berlin?", ("Berlin", "Lisbon")),
        ("not Rome", ("Berlin", "Lisbon")),
    ],
)  # fmt: skip
def test_place_that_is_spoken_against_is_left_out(said: str, route: tuple[str | None, str | None]) -> None:
    assert _route("flights Berlin to Lisbon on 12 May", said) == route
