"""Journeys to several cities: in any order, in one that is told, flight by flight, and how they change."""

from datetime import date
from functools import partial

import pytest

from backend.travel.understanding.english.wording import describe, refusals
from backend.travel.understanding.queries import tour_query
from backend.travel.understanding.understand import understand
from tests.understanding import tours
from tests.understanding.conversation import BERLIN_TO_TOKYO, TODAY, flight, hotel, name, told
from tests.understanding.tours import nights, way, wish

MAY = {"earliest": date(2027, 5, 1), "latest": date(2027, 5, 31)}
ROME_ATHENS_LISBON = (
    "I want to visit Rome, Athens and Lisbon from Berlin, 3 nights each, between 3 and 20 May, and back"
)


def tour(understood):
    wish = understood.tour
    if wish is None:
        return None
    names = ("nights", "earliest", "latest", "passengers")
    shown = {key: getattr(wish, key) for key in names if getattr(wish, key) is not None}
    shown |= {"start": name(wish.start)} if wish.start else {}
    return (
        shown | {"cities": [name(city) for city in wish.cities]} | ({"returns": True} if wish.returns else {})
    )


@pytest.mark.parametrize(
    ("said", "wished"),
    [
        (
            "Berlin, Rome, Athens and Lisbon in any order in May, cheapest",
            {"cities": ["Berlin", "Rome", "Athens", "Lisbon"], **MAY},
        ),
        (
            ROME_ATHENS_LISBON,
            {
                "start": "Berlin",
                "cities": ["Rome", "Athens", "Lisbon"],
                "nights": 3,
                "earliest": date(2027, 5, 3),
                "latest": date(2027, 5, 20),
                "returns": True,
            },
        ),
        (
            "plan a trip through Vienna, Prague and Budapest in May for two people",
            {"cities": ["Vienna", "Prague", "Budapest"], "passengers": 2, **MAY},
        ),
        (
            "multi-city from Oslo: Rome, Nice and Madrid, 2 nights per city, back to Oslo, in May",
            {"start": "Oslo", "cities": ["Rome", "Nice", "Madrid"], "nights": 2, "returns": True, **MAY},
        ),
        ("rome, athens, lisbon any order", {"cities": ["Rome", "Athens", "Lisbon"]}),
        (
            "I'd like a tour of Tokyo, Osaka and Seoul starting in London on 3 May",
            {"start": "London", "cities": ["Tokyo", "Osaka", "Seoul"], "earliest": date(2027, 5, 3)},
        ),
        (
            "we want to visit Rome and Athens in either order, round trip from Berlin, from 3 to 20 May",
            {
                "start": "Berlin",
                "cities": ["Rome", "Athens"],
                "earliest": date(2027, 5, 3),
                "latest": date(2027, 5, 20),
                "returns": True,
            },
        ),
        (
            "plan a multi-city trip: Berlin -> Rome -> Athens -> Lisbon -> Berlin in May",
            {"start": "Berlin", "cities": ["Rome", "Athens", "Lisbon"], "returns": True, **MAY},
        ),
    ],
)
def test_list_of_cities_in_any_order_is_a_tour(said, wished):
    for before in ([], [BERLIN_TO_TOKYO]):
        after = told(*before, said)
        assert tour(after) == wished
        assert (after.relation, after.agents, after.wanted) == ("new", ("planner",), ("planner",))
        assert (flight(after), after.missing) == ({}, ())


@pytest.mark.parametrize(
    ("said", "changed"),
    [
        ("make it 2 nights each", {"nights": 2}),
        ("4 nights in each city", {"nights": 4}),
        ("and Madrid", {"cities": ["Rome", "Athens", "Lisbon", "Madrid"]}),
        ("add Madrid and Vienna please", {"cities": ["Rome", "Athens", "Lisbon", "Madrid", "Vienna"]}),
        ("without Athens", {"cities": ["Rome", "Lisbon"]}),
        ("skip Athens", {"cities": ["Rome", "Lisbon"]}),
        ("Madrid instead of Athens", {"cities": ["Rome", "Madrid", "Lisbon"]}),
        ("in June instead", {"earliest": date(2027, 6, 1), "latest": date(2027, 6, 30)}),
        ("start from Munich", {"start": "Munich"}),
        ("for 2 people", {"passengers": 2}),
        ("one way please", {"returns": None}),
        ("try again", {}),
    ],
)
def test_tour_is_changed_in_few_words(said, changed):
    before, after = told(ROME_ATHENS_LISBON), told(ROME_ATHENS_LISBON, said)
    expected = {key: value for key, value in (tour(before) | changed).items() if value is not None}
    assert tour(after) == expected
    assert (after.relation, after.agents) == ("refine", ("planner",))


@pytest.mark.parametrize(
    ("said", "relation"), [("thanks", "other"), ("stop", "stop"), ("tell me a joke", "other")]
)
def test_small_talk_and_stops_leave_a_tour_as_it_is(said, relation):
    after = told(ROME_ATHENS_LISBON, said)
    assert (after.relation, after.agents) == (relation, ())
    assert tour(after) == tour(told(ROME_ATHENS_LISBON))
    assert tour(told(ROME_ATHENS_LISBON, said, "2 nights each"))["nights"] == 2


def test_request_for_flights_takes_the_place_of_a_tour():
    after = told(ROME_ATHENS_LISBON, "find flights from Oslo to Rome on 5 December")
    assert (after.tour, after.relation, after.agents) == (None, "new", ("flight",))
    assert (told(ROME_ATHENS_LISBON, "flights from Oslo to Rome on 5 May", "make it Milan").tour) is None


@pytest.mark.parametrize(
    "said",
    [
        "flights from Berlin to Rome",
        "flights from Berlin to Rome or Athens in May",
        "plan a trip to Rome in May",
        "I want to visit Rome from Berlin in May",
        "flights to Rome and a hotel in Florence",
        "fly to Tokyo via Dubai on 5 May",
        "hotels in Rome, not Athens and not Lisbon",
        "I have seen Rome, Athens and Lisbon",
        "which is nicer, Rome, Athens or Lisbon?",
        "cheapest flight from Berlin to Rome in May, any airline",
        "Rome",
        "a city tour of Rome",
    ],
)
def test_one_city_at_a_time_stays_so(said):
    assert told(said).tour is None


def test_value_that_a_tour_cannot_take_is_told():
    nine = "visit Rome, Athens, Lisbon, Madrid, Vienna, Prague, Budapest, Oslo and Tokyo in any order in May"
    assert [(one.said, one.reason) for one in told(nine).refused] == [("Tokyo", "too_many_cities")]
    assert len(told(nine).tour.cities) == 8
    unknown = told("visit Rome, Xanadu and Lisbon in any order in May")
    assert [(one.said, one.reason) for one in unknown.refused] == [("Xanadu", "unknown_place")]
    assert tour(unknown)["cities"] == ["Rome", "Lisbon"]
    past = told("visit Rome, Athens and Lisbon in any order between 3 and 20 May 2025")
    assert [one.reason for one in past.refused] == ["day_has_passed"]


def test_tour_that_was_left_is_taken_up_again():
    left = told(ROME_ATHENS_LISBON)
    flights = told(ROME_ATHENS_LISBON, BERLIN_TO_TOKYO)
    said = "go back to the previous search"
    again = understand(said, previous=flights, today=TODAY, recent=[left])
    assert (again.resumes, again.agents, again.tour) == (0, ("planner",), left.tour)
    assert set(again.dropped) == {"flight.origin", "flight.destination", "flight.departure_date"}


def test_booking_is_cancelled_and_told_of_beside_a_tour():
    cancelled = told(ROME_ATHENS_LISBON, "cancel my booking DEMO-7K2Q4M")
    assert (cancelled.relation, cancelled.agents, cancelled.booking.action) == ("add", (), "cancel")
    assert tour(cancelled) == tour(told(ROME_ATHENS_LISBON))
    assert told(ROME_ATHENS_LISBON, "what have I booked?").relation == "other"
    assert told(ROME_ATHENS_LISBON, "book it").booking is None


@pytest.mark.parametrize(
    "said",
    [
        "only count nonstop flights for the short ones",
        "nonstop only please",
        "business class",
        "now hotels too, around 70 eur a night each place",
        "flights only for now",
        "which order is cheaper overall",
    ],
)
def test_value_that_a_tour_cannot_take_changes_nothing(said):
    asked = "Amsterdam > Singapore 2 Feb, Singapore > Bangkok 7 Feb, Bangkok > Amsterdam 22 Feb. 2 people."
    before, after = told(asked), told(asked, said)
    assert (after.relation, after.agents, after.wanted) == ("other", (), before.wanted)
    assert after.tour == before.tour


SUNDAY = date(2026, 11, 22)
in_turn = partial(told, today=SUNDAY)
wished = partial(tours.wish, today=SUNDAY)
ROME_ATHENS = "Berlin to Rome to Athens and back, starting 8 January, 3 nights each"


def test_flights_that_go_on_to_another_city_are_a_journey_in_that_order() -> None:
    tour = wished("flights from Oslo to Lima on 3 May, then on to Quito")
    assert (way(tour), tour.ordered, tour.first_day) == (["Oslo", "Lima", "Quito"], True, date(2027, 5, 3))


@pytest.mark.parametrize(
    ("message", "cities", "stays", "first_day"),
    [
        (ROME_ATHENS, "Berlin Rome Athens Berlin", [3, 3], date(2027, 1, 8)),
        ("A trip Berlin - Rome - Athens - Berlin on 8 January", "Berlin Rome Athens Berlin", [None, None],
         date(2027, 1, 8)),
        ("LON>VIE>MUC>LON 5 jan", "London Vienna Munich London", [None, None], date(2027, 1, 5)),
        ("lon-vie-muc-lon 5 jan", "London Vienna Munich London", [None, None], date(2027, 1, 5)),
        ("first Rome for 3 nights then Athens 4 nights, then home", "Rome Athens Rome", [3, 4], None),
        ("fly from Berlin to Rome on 5 May for 3 nights, then to Athens for 4 nights, then back to Berlin",
         "Berlin Rome Athens Berlin", [3, 4], date(2027, 5, 5)),
        ("Berlin to Rome, on the way back two days in Paris", "Berlin Rome Paris Berlin", [None, 2], None),
        ("from Berlin to Rome, then to Athens", "Berlin Rome Athens", [None, None], None),
        ("rome then athens then istanbul, one way, from berlin, 2 nights each", "Berlin Rome Athens Istanbul",
         [2, 2, 2], None),
        ("go to Lisbon first, after that Porto, and home to Hamburg", "Hamburg Lisbon Porto Hamburg",
         [None, None], None),
        ("from Munich to Vienna (2 nights), then 3 nights in Prague and back", "Munich Vienna Prague Munich",
         [2, 3], None),
        ("Oslo → Rome → Lisbon", "Oslo Rome Lisbon", [None, None], None),
        ("we fly from Oslo to Rome, followed by Lisbon", "Oslo Rome Lisbon", [None, None], None),
    ],
)  # fmt: skip
def test_order_that_is_told_is_kept(
    message: str, cities: str, stays: list[int | None], first_day: date | None
) -> None:
    tour = wished(message)
    assert tour.ordered
    assert way(tour) == cities.split()
    assert nights(tour) == stays
    assert tour.first_day == first_day


@pytest.mark.parametrize(
    "message",
    [
        "flights from Berlin to Rome", "Berlin to Rome on 5 May then back to Berlin on 9 May",
        "flight from Berlin to Rome then a hotel there", "Berlin to Tokyo via Dubai",
        "from Berlin to Rome to see the pope", "fly to Rome, no then Athens instead",
        "Berlin to Rome or to Athens", "to Rome, not to Athens", "Berlin to Rome, return to Berlin",
        "flights to Rome and then a hotel in Florence", "I need to get to Rome to talk to Paul",
    ],
)  # fmt: skip
def test_one_goal_is_no_order(message: str) -> None:
    assert in_turn(message).tour is None


def test_any_order_stays_any_order() -> None:
    tour = wished("Vienna, Budapest, Prague in whatever order is cheapest, starting from London on 5 January")
    assert not tour.ordered
    assert tour.first_day == date(2027, 1, 5)


@pytest.mark.parametrize(
    ("changes", "cities", "stays"),
    [
        (["4 nights in Athens"], "Berlin Rome Athens Berlin", [3, 4]),
        (["Athens for 4 nights please"], "Berlin Rome Athens Berlin", [3, 4]),
        (["add Istanbul after Athens, 2 nights"], "Berlin Rome Athens Istanbul Berlin", [3, 3, 2]),
        (["add Istanbul after Rome"], "Berlin Rome Istanbul Athens Berlin", [3, 3, 3]),
        (["also Istanbul before Rome for 2 nights"], "Berlin Istanbul Rome Athens Berlin", [2, 3, 3]),
        (["4 nights in Athens", "add Istanbul", "skip Rome"], "Berlin Athens Istanbul Berlin", [4, 3]),
        (["4 nights in Athens", "2 nights each"], "Berlin Rome Athens Berlin", [2, 2]),
        (["Vienna instead of Rome, add"], "Berlin Vienna Athens Berlin", [3, 3]),
    ],
)
def test_change_keeps_the_order(changes: list[str], cities: str, stays: list[int]) -> None:
    tour = wished(ROME_ATHENS, *changes)
    assert tour.ordered
    assert way(tour) == cities.split()
    assert nights(tour) == stays
    assert tour.first_day == date(2027, 1, 8)


def test_day_in_one_of_the_cities_is_of_that_city_alone() -> None:
    before = "I want to see Vienna, Budapest and Prague in any order, starting from London on 5 January"
    tour = wished(before, "I must be in Budapest on 10 January")
    assert [(stay.city.city.name, stay.on) for stay in tour.stays] == [("Budapest", date(2027, 1, 10))]
    assert tour.first_day == date(2027, 1, 5)


def test_query_keeps_order_days_and_nights() -> None:
    query = tour_query(in_turn(ROME_ATHENS, "4 nights in Athens"), today=SUNDAY)
    assert query is not None
    assert query.ordered
    assert query.begins == date(2027, 1, 8)
    assert [(stop.city.name, stop.least_nights, stop.most_nights) for stop in query.stops] == [
        ("Rome", 3, 3),
        ("Athens", 4, 4),
    ]


def test_reply_tells_the_order() -> None:
    told = describe(in_turn(ROME_ATHENS, "4 nights in Athens"))
    assert told == (
        "a trip from Berlin to Rome, then Athens (4 nights) and back to Berlin, 3 nights in each, "
        "starting on Fri 8 January 2027, 1 passenger"
    )


@pytest.mark.parametrize(
    ("messages", "city"),
    [
        (["fly from Berlin to Milan on 5 May, back from Venice"], "Venice"),
        (["flights from Frankfurt to Tokyo on 14 January", "into Tokyo but back from Osaka please"], "Osaka"),
        (["flights from Frankfurt to Tokyo on 14 January", "returning from Osaka on the 28th"], "Osaka"),
    ],
)
def test_way_back_from_another_city_is_refused_by_its_name(messages: list[str], city: str) -> None:
    understood = in_turn(*messages)
    assert [(one.said, one.reason) for one in understood.refused] == [(city, "open_jaw")]
    assert f"left out the way back from {city}" in refusals(understood)


def test_way_back_from_where_the_flight_goes_is_no_other_city() -> None:
    assert in_turn("fly from Berlin to Milan on 5 May, back from Milan on 9 May").refused == ()


SPAIN = "tour Madrid Seville Granada from Paris 1-10 May"


@pytest.mark.parametrize(
    ("message", "cities", "stays"),
    [
        ("Berlin to Rome 3 may, Rome to Athens 7 may, Athens back to Berlin 11 may",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("Berlin to Rome 3 may, then Rome to Athens 7 may", "Berlin Rome Athens", [4, None]),
        ("berlin to rome 3 may, rome to athens 7 may, athens to berlin 11 may for 2",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("BER-FCO 3 may, FCO-ATH 7 may, ATH-BER 11 may", "Berlin Rome Athens Berlin", [4, 4]),
        ("fly from Berlin to Rome on 3 May, from Rome to Athens on 7 May and from Athens to Berlin on 11 May",
         "Berlin Rome Athens Berlin", [4, 4]),
        ("3 May Berlin to Rome, 7 May Rome to Athens", "Berlin Rome Athens", [4, None]),
        ("Berlin to Rome 3 may, Athens 7 may, back to Berlin 11 may", "Berlin Rome Athens Berlin", [4, 4]),
        ("from Berlin to Rome 3 may, Athens 7 may, Oslo 11 may", "Berlin Rome Athens Oslo", [4, 4, None]),
        ("3 days Paris, 2 days Lyon, 4 days Nice from Berlin starting 3 may", "Berlin Paris Lyon Nice",
         [3, 2, 4]),
        ("Paris 3 days, Lyon 2 days, Nice 4 days from Berlin starting 3 may", "Berlin Paris Lyon Nice",
         [3, 2, 4]),
        ("3 nights in Rome and 2 nights in Naples from Berlin, starting 3 may, and back",
         "Berlin Rome Naples Berlin", [3, 2]),
        ("a loop: Copenhagen, Hamburg, Berlin, Prague, starting 3 may, 3 nights each",
         "Copenhagen Hamburg Berlin Prague Copenhagen", [3, 3, 3]),
    ],
)  # fmt: skip
def test_journey_told_in_its_parts_is_one_in_that_order(
    message: str, cities: str, stays: list[int | None]
) -> None:
    tour = wish(message)
    assert tour.ordered
    assert (way(tour), nights(tour), tour.first_day) == (cities.split(), stays, date(2027, 5, 3))


@pytest.mark.parametrize(
    ("message", "cities", "ordered"),
    [
        (SPAIN, "Paris Madrid Seville Granada", False),
        (
            "round trip from Paris: Madrid, Seville, Granada, 1-10 may",
            "Paris Madrid Seville Granada Paris",
            True,
        ),
        (
            "round trip: Madrid, Seville, Granada from Paris, 1-10 may",
            "Paris Madrid Seville Granada Paris",
            True,
        ),
        ("itinerary from Paris: Madrid, Seville, 1-10 may", "Paris Madrid Seville", False),
    ],
)
def test_all_cities_of_a_list_are_gone_to(message: str, cities: str, ordered: bool) -> None:
    tour = wish(message)
    assert (way(tour), tour.ordered) == (cities.split(), ordered)
    assert (tour.earliest, tour.latest) == (date(2027, 5, 1), date(2027, 5, 10))


@pytest.mark.parametrize(
    "message",
    [
        "flights Oslo to Rome 3 may, Rome to Oslo 9 may",
        "flights from Berlin to Rome 3 may back 9 may",
        "I was in Rome, now from Rome to Oslo 3 may",
        "hotel in Rome for 3 nights or 2 nights in Rome",
        "hotels: 3 nights in Rome and 2 nights in Naples",
        "round trip Paris Madrid 1-10 may",
        "round trip from Paris to Madrid, 1-10 may",
        "Berlin to Rome 3 may or Berlin to Athens 7 may",
        "Rome 3 nights, no, 2 nights",
        "2 nights in Rome from 3 may",
    ],
)
def test_one_goal_is_no_journey_through_several(message: str) -> None:
    understood = told(message)
    assert understood.tour is None
    assert flight(understood) or hotel(understood)


@pytest.mark.parametrize(
    ("said", "cities", "ordered"),
    [
        ("start with Granada", "Paris Granada Madrid Seville", True),
        ("Granada first", "Paris Granada Madrid Seville", True),
        ("end in Madrid", "Paris Seville Granada Madrid", True),
        ("Madrid last please", "Paris Seville Granada Madrid", True),
        ("in that order", "Paris Madrid Seville Granada", True),
        ("skip Granada", "Paris Madrid Seville", False),
        ("add Malaga", "Paris Madrid Seville Granada Málaga", False),
        ("3 nights in Seville", "Paris Madrid Seville Granada", False),
        ("for 2", "Paris Madrid Seville Granada", False),
        ("and back", "Paris Madrid Seville Granada Paris", False),
        ("start on 3 May", "Paris Madrid Seville Granada", False),
    ],
)
def test_list_that_is_gone_through_is_changed_in_few_words(said: str, cities: str, ordered: bool) -> None:
    tour = wish(SPAIN, said)
    assert (way(tour), tour.ordered) == (cities.split(), ordered)


def test_order_is_given_up_again() -> None:
    assert not wish(SPAIN, "in that order", "any order is fine").ordered


MONDAY = date(2026, 11, 23)
asked = partial(tours.wish, today=MONDAY)
ARROWS = "Lisbon -> Madrid -> Barcelona -> Lisbon"
WHOLE = f"{ARROWS}, start 1 February, 3 nights Madrid, 4 nights Barcelona, 2 people"


@pytest.mark.parametrize(
    "said",
    [
        WHOLE,
        f"{ARROWS}, starting 1 February. Madrid: 3 nights, Barcelona: 4 nights",
        "Lisbon to Madrid to Barcelona to Lisbon, 3 nights in Madrid, 4 in Barcelona, from 1 February",
        "Lisbon - Madrid - Barcelona - Lisbon from 1 February, Madrid 3 nights, Barcelona 4 nights",
        "Lisbon > Madrid > Barcelona > Lisbon (3 nights Madrid, 4 nights Barcelona) 1 Feb",
        "Lisbon to Madrid then Barcelona and back, 3 nights in Madrid, 4 nights in Barcelona, starting 1 Feb",
        "Lisbon, Madrid, Barcelona and back to Lisbon, starting 1 Feb, 3 nights in Madrid, 4 in Barcelona",
        "Lisbon, Madrid and Barcelona, then back to Lisbon, 3 nights Madrid, 4 nights Barcelona, start 1 Feb",
    ],
)
def test_nights_told_behind_the_way_are_those_of_its_cities(said: str) -> None:
    tour = asked(said)
    assert (way(tour), nights(tour)) == (["Lisbon", "Madrid", "Barcelona", "Lisbon"], [3, 4])
    assert (tour.first_day, tour.latest, tour.ordered) == (date(2027, 2, 1), None, True)


@pytest.mark.parametrize(
    ("said", "cities", "stayed"),
    [
        ("what if we do Barcelona first", "Lisbon Barcelona Madrid Lisbon", [4, 3]),
        ("add Valencia in between for 1 night", "Lisbon Madrid Valencia Barcelona Lisbon", [3, 1, 4]),
        ("add 1 night in Valencia between the two", "Lisbon Madrid Valencia Barcelona Lisbon", [3, 1, 4]),
        ("add Valencia for 1 night", "Lisbon Madrid Barcelona Valencia Lisbon", [3, 4, 1]),
    ],
)
def test_such_a_journey_is_changed_in_few_words(said: str, cities: str, stayed: list[int]) -> None:
    tour = asked(WHOLE, said)
    assert (way(tour), nights(tour)) == (cities.split(), stayed)


@pytest.mark.parametrize(
    "said",
    [
        "Lisbon to Madrid on 1 February, hotel in Madrid for 3 nights",
        "Lisbon to Madrid 1 February, 3 nights in Madrid",
        "flights Lisbon - Madrid - Lisbon 1 February, 3 nights in Madrid",
        "Lisbon to Madrid or Barcelona and back to Lisbon, 1 to 5 February",
        "flights from Lisbon to Madrid on 1 February and back to Lisbon on 5 February",
    ],
)
def test_there_and_back_is_no_such_journey(said: str) -> None:
    assert told(said, today=MONDAY).tour is None
