"""The search for tours: its last plan is the cheapest there is, and every plan can be flown as shown.

Planted bugs that were found here by the comparison with every way by hand: a bound that counts the way home
twice, keeping for each order only the cheapest arrival instead of one for each day, forgetting where the tour
began when two orders are compared, and taking the day of arrival from the clock of another place.
"""

import random
from datetime import date
from itertools import pairwise

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.encoding import encode
from backend.travel.providers.demo.flights import journeys_one_way
from backend.travel.providers.demo.journeys import TicketCounter, least_fare
from backend.travel.providers.demo.tours import TourFares, TourSearch, shown_plan
from backend.travel.providers.demo.world import distance_km
from backend.travel.values.travel import (
    MOST_STOPS,
    FlightQuery,
    Stop,
    Tour,
    TourCity,
    fault_of,
    from_json,
)
from tests.providers.conftest import all_flights
from tests.providers.markets import TODAY
from tests.providers.tours import BY_LABEL, a_tour, cheapest_by_hand, tour_city

FOUR = ("Athens, GR", "Berlin, DE", "Lisbon, PT", "Rome, IT")


class InventedHop:
    def __init__(self, leaves, arrives, cents):
        self.leaves, self.arrives, self.cents = leaves, arrives, cents


class InventedFares:
    """Fares drawn from a seed: some pairs and days without flights, some that arrive later or before."""

    def __init__(self, seed, *, flies=0.7):
        self._seed = seed
        self._flies = flies

    def hops(self, origin, destination, day):
        luck = random.Random(f"{self._seed} {origin} {destination} {day}")
        if luck.random() > self._flies:
            return []
        arrivals = luck.sample([day - 1, day, day, day, day + 1, day + 2], luck.randint(1, 2))
        return [InventedHop(day, each, luck.randint(1, 60)) for each in sorted(set(arrivals))]

    def least_cents(self, origin, destination, days):
        return 1


def best_of(search):
    plans = [plan for plan in search.steps() if plan is not None]
    assert all(one.cents > other.cents for one, other in pairwise(plans)), "each is better than those before"
    return plans[-1] if plans else None


tours = st.builds(
    lambda count, start, least, more, days, returns: a_tour(
        *FOUR[:count],
        start="Oslo, NO" if start else None,
        nights=(least, least + more),
        days=days,
        returns=returns,
    ),
    st.integers(2, 4),
    st.booleans(),
    st.integers(1, 2),
    st.integers(0, 1),
    st.integers(4, 9),
    st.booleans(),
)


@pytest.mark.requirement("THE-CHEAPEST-IS-PROVEN")
@settings(max_examples=150)
@given(tours, st.integers(0, 10**6), st.sampled_from([0.3, 0.7, 1.0]))
def test_last_plan_is_the_cheapest_of_all_ways(tour, seed, flies):
    fares = InventedFares(seed, flies=flies)
    search = TourSearch(tour, fares)
    steps = [(plan, search.done) for plan in search.steps()]
    best = next((plan for plan, _ in reversed(steps) if plan), None)
    assert (best and best.cents) == cheapest_by_hand(tour, fares)
    done = [done for _, done in steps]
    assert done == sorted(done)
    assert done[-1] == search.orders


told_tours = st.builds(
    lambda start, more, days, returns, ordered, begins, on, is_left_then: a_tour(
        *FOUR[:3],
        start="Oslo, NO" if start else None,
        nights=(1, 1 + more),
        days=days,
        returns=returns,
        ordered=ordered,
        begins=begins,
        on=on,
        is_left_then=is_left_then,
    ),
    st.booleans(),
    st.integers(0, 2),
    st.integers(4, 9),
    st.booleans(),
    st.booleans(),
    st.none() | st.integers(0, 2),
    st.dictionaries(st.sampled_from(FOUR[:3]), st.integers(0, 4), max_size=2),
    st.booleans(),
)


@pytest.mark.requirement("THE-CHEAPEST-IS-PROVEN")
@settings(max_examples=200)
@given(told_tours, st.integers(0, 10**6), st.sampled_from([0.7, 1.0]))
def test_last_plan_is_the_cheapest_that_keeps_the_given_order_and_days(tour, seed, flies):
    fares = InventedFares(seed, flies=flies)
    search = TourSearch(tour, fares)
    best = best_of(search)
    assert (best and best.cents) == cheapest_by_hand(tour, fares)
    if best and tour.ordered:
        assert (search.orders, best.order) == (1, tuple(range(len(tour.stops))))
    if best and tour.begins:
        assert best.begins == tour.begins.toordinal()


@pytest.mark.parametrize("returns", [True, False])
def test_plan_keeps_the_given_order_and_days(inventory, returns):
    tour = a_tour(
        "Rome, IT", "Athens, GR", "Lisbon, PT", start="Berlin, DE", nights=(2, 4), days=16, returns=returns,
        ordered=True, begins=1, on={"Athens, GR": 7},
    )  # fmt: skip
    plan = list(plans_of(inventory, tour))[-1]
    assert plan["order"] == ["Rome", "Athens", "Lisbon"]
    assert plan["first_day"] == date(2027, 5, 2)
    stay = plan["stays"][1]
    assert stay["arrive"] <= date(2027, 5, 8) <= stay["leave"]
    assert len(plan["legs"]) == (4 if returns else 3)


@pytest.mark.requirement("THE-CHEAPEST-IS-PROVEN")
@pytest.mark.parametrize(
    "tour",
    [
        a_tour(*FOUR[:3], start="Vienna, AT", days=8),
        a_tour(*FOUR[:3], days=6, returns=False),
        a_tour("Tokyo, JP", "Honolulu, Hawaii, US", "London, GB", days=9, nights=(1, 2)),
    ],
    ids=["from a start", "one way", "over the date line"],
)
def test_last_plan_is_the_cheapest_in_the_inventory(inventory, tour):
    cities = [*(stop.city for stop in tour.stops), *([tour.start] if tour.start else [])]
    fares = TourFares(a_counter(inventory), cities)
    assert best_of(TourSearch(tour, fares)).cents == cheapest_by_hand(tour, fares)


def a_counter(inventory, *, passengers=1):
    return TicketCounter(inventory=inventory, today=TODAY, passengers=passengers)


def plans_of(inventory, tour):
    cities = [*(stop.city for stop in tour.stops), *([tour.start] if tour.start else [])]
    counter = a_counter(inventory, passengers=tour.passengers)
    for plan in TourSearch(tour, TourFares(counter, cities)).steps():
        if plan is not None:
            yield shown_plan(plan, tour, counter)


@pytest.mark.parametrize("returns", [True, False])
@pytest.mark.parametrize("start", [None, "Vienna, AT"])
def test_plan_visits_every_stop_once_and_can_be_flown_as_shown(inventory, start, returns):
    tour = a_tour(*FOUR, start=start, returns=returns, nights=(2, 3), days=25, passengers=2)
    for plan in plans_of(inventory, tour):
        legs, stays = plan["legs"], plan["stays"]
        assert sorted(plan["order"]) == [stop.city.name for stop in tour.stops]
        begins_in = plan["start"] or plan["order"][0]
        route = [*([begins_in] if start else []), *plan["order"], *([begins_in] if returns else [])]
        names = {airport: city.name for city in BY_LABEL.values() for airport in city.airports}
        flown = [
            (names[leg.slices[0].segments[0].origin], names[leg.slices[0].segments[-1].destination])
            for leg in legs
        ]
        assert flown == list(pairwise(route))
        for stay in stays:
            assert 2 <= stay["nights"] == (stay["leave"] - stay["arrive"]).days <= 3
        landings = [leg.slices[0].segments[-1].arrives_at.date() for leg in legs]
        departures = [leg.slices[0].segments[0].departs_at.date() for leg in legs]
        assert {stay["arrive"] for stay in stays} <= {*landings, plan["first_day"]}
        assert {stay["leave"] for stay in stays} <= {*departures, plan["last_day"]}
        assert tour.earliest <= plan["first_day"] <= plan["last_day"] <= tour.latest
        assert plan["price_total"].amount == sum(leg.price_total.amount for leg in legs)
        assert plan["price_total"].amount == 2 * plan["price_per_person"].amount
        assert not plan["live"]
        assert not any(leg.live for leg in legs)


def test_flights_of_a_plan_are_offers_of_a_search(inventory):
    *_, plan = plans_of(inventory, a_tour(*FOUR[:3], start="Vienna, AT", days=8))
    for leg in plan["legs"]:
        first, last = leg.slices[0].segments[0], leg.slices[0].segments[-1]
        query = a_query(first, last)
        assert leg in all_flights(inventory, query)


def a_query(first, last):
    from_, to = first.origin, last.destination
    return FlightQuery(origins=(from_,), destinations=(to,), departure_date=first.departs_at.date())


@given(st.lists(st.sampled_from(sorted(BY_LABEL)), min_size=2, max_size=2, unique=True), st.integers(0, 330))
def test_journey_is_not_sold_below_the_least_fare_of_its_distance(inventory, labels, ahead):
    origin, destination = (tour_city(label) for label in labels)
    days = range(TODAY.toordinal() + ahead, TODAY.toordinal() + ahead + 3)
    counter = a_counter(inventory)
    fares = TourFares(counter, [origin, destination])
    least = fares.least_cents(0, 1, days)
    for day in days:
        for journey in journeys_one_way(counter, origin.airports, destination.airports, day=day):
            ends = (journey.legs[0].pattern.origin, journey.legs[-1].pattern.destination)
            km = distance_km(*(inventory.airports[code] for code in ends))
            assert journey.fare >= least_fare(km, days=days, today=TODAY)
        assert all(hop.cents >= least for hop in fares.hops(0, 1, day))


@pytest.mark.requirement("A-BEST-SO-FAR")
def test_search_through_eight_cities_has_its_first_plan_after_a_few_fares(inventory):
    labels = [city.label for city in BY_LABEL.values() if city.tier == 1 and city.airports][:8]
    tour = a_tour(*labels, nights=(2, 3), days=40)
    fares = CountingFares(TourFares(a_counter(inventory), [stop.city for stop in tour.stops]))
    search = TourSearch(tour, fares)
    first = next(search.steps())
    assert (search.orders, search.done, fares.asked) == (40_320, 0, 8)
    assert first is not None


class CountingFares:
    def __init__(self, fares):
        self.asked = 0
        self.least_cents = fares.least_cents
        self._hops = fares.hops

    def hops(self, origin, destination, day):
        self.asked += 1
        return self._hops(origin, destination, day)


# --- what cannot be planned ----------------------------------------------------------------------------


def stop(name, nights=(1, 2), airports=("AAA",)):
    return Stop(
        city=TourCity(name=name, country="XX", airports=airports),
        least_nights=nights[0],
        most_nights=nights[1],
    )


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"stops": (stop("A"),)}, "A trip is planned through 2 to 8 cities; this one has 1."),
        ({"stops": tuple(map(stop, "ABCDEFGHI"))},
         "A trip is planned through 2 to 8 cities; this one has 9."),
        ({"stops": (stop("A"), stop("B", airports=()))}, "B has no airport."),
        ({"stops": (stop("A"), stop("A"))}, "A is in the trip twice."),
        ({"start": stop("A").city}, "A is in the trip twice."),
        ({"stops": (stop("A"), stop("B", nights=(0, 1)))}, "The nights in B must be 1 to 30."),
        ({"stops": (stop("A"), stop("B", nights=(3, 2)))}, "The nights in B must be 1 to 30."),
        ({"stops": (stop("A"), stop("B", nights=(3, 31)))}, "The nights in B must be 1 to 30."),
        ({"passengers": 0}, "A trip needs at least one passenger."),
        ({"latest": date(2027, 4, 30)}, "The last day of the trip is before its first."),
        ({"latest": date(2027, 7, 3)}, "A trip is planned within 62 days; these are 63."),
        ({"latest": date(2027, 5, 2)}, "2 nights do not fit between 1 May and 2 May."),
        ({}, ""),
    ],
)  # fmt: skip
def test_tour_that_cannot_be_planned_is_refused_with_a_sentence(changes, sentence):
    fields = {
        "start": None,
        "stops": (stop("A"), stop("B")),
        "earliest": date(2027, 5, 1),
        "latest": date(2027, 5, 9),
        "returns": True,
    }
    assert fault_of(Tour(**fields | changes)) == sentence
    assert MOST_STOPS == 8


@given(tours)
def test_tour_is_read_back_from_its_json(tour):
    assert from_json(Tour, orjson.loads(encode(tour))) == tour
