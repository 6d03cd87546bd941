"""What the flight sources answer: every offer obeys its query, and is possible."""

import random
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.errors import NotOnSale, ProviderError
from backend.travel.providers.demo.fares import seat_price
from backend.travel.providers.demo.schedule import Pattern
from backend.travel.values.cities import CITIES
from backend.travel.values.travel import FlightQuery, Money
from tests.providers.conftest import all_flights, flights
from tests.providers.markets import FLIGHT_MARKETS, TODAY

SERVED = [city for city in CITIES if city.airports]
BY_LABEL = {city.label: city for city in CITIES}


@st.composite
def queries(draw):
    origin, destination = draw(st.lists(st.sampled_from(SERVED), min_size=2, max_size=2, unique=True))
    if draw(st.booleans()):  # half of them between world hubs, where there is most to choose from
        hubs = [city for city in SERVED if city.tier == 1]
        origin, destination = draw(st.lists(st.sampled_from(hubs), min_size=2, max_size=2, unique=True))
    departure = TODAY + timedelta(days=draw(st.integers(0, 340)))
    stay = draw(st.none() | st.integers(0, 25))
    limit = draw(st.none() | st.tuples(st.integers(40, 2_500), st.sampled_from(["EUR", "USD", "JPY"])))
    return FlightQuery(
        origins=tuple(sorted(origin.airports)),
        destinations=tuple(sorted(destination.airports)),
        departure_date=departure,
        return_date=None if stay is None else departure + timedelta(days=stay),
        passengers=draw(st.integers(1, 9)),
        cabin_class=draw(st.sampled_from(["economy", "premium_economy", "business", "first"])),
        max_stops=draw(st.sampled_from([None, 0, 1, 2])),
        max_price=limit and Money(amount=Decimal(limit[0]), currency=limit[1]),
    )


def query_between(origin, destination, **more):
    fields = {
        "origins": tuple(sorted(BY_LABEL[origin].airports)),
        "destinations": tuple(sorted(BY_LABEL[destination].airports)),
        "departure_date": date(2026, 12, 4),
    }
    return FlightQuery(**fields | more)


def check_slice(slice_, *, origins, destinations, day, inventory):
    first, last = slice_.segments[0], slice_.segments[-1]
    assert first.origin in origins
    assert last.destination in destinations
    assert first.departs_at.date() == day
    assert slice_.duration_minutes == (last.arrives_at - first.departs_at) / timedelta(minutes=1)
    stations = [segment.origin for segment in slice_.segments] + [last.destination]
    assert len(set(stations)) == len(stations), stations
    for segment in slice_.segments:
        assert (segment.arrives_at - segment.departs_at) == timedelta(minutes=segment.duration_minutes)
        assert segment.duration_minutes > 0
        assert segment.carrier.startswith("demo-")
        on_that_day = inventory.flights(
            segment.origin, segment.destination, weekday=segment.departs_at.weekday()
        )
        assert segment.number in {str(pattern.number) for pattern in on_that_day}
        for at, airport in ((segment.departs_at, segment.origin), (segment.arrives_at, segment.destination)):
            there = at.astimezone(ZoneInfo(inventory.airports[airport].zone))
            assert at.utcoffset() == there.utcoffset(), (at, airport)
    for landed, taken_off in pairwise(slice_.segments):
        assert landed.destination == taken_off.origin
        assert timedelta(minutes=50) <= taken_off.departs_at - landed.arrives_at <= timedelta(hours=15)


def check_offer(offer, query, inventory):
    assert offer.provider == "demo"
    assert offer.live is False
    assert offer.source in FLIGHT_MARKETS
    assert offer.cabin_class == query.cabin_class
    assert offer.passengers == query.passengers
    assert offer.price_per_person.amount > 0
    assert offer.price_total.amount == offer.price_per_person.amount * query.passengers
    assert offer.price_total.currency == offer.price_per_person.currency
    assert len(offer.slices) == (1 if query.return_date is None else 2)
    ends = {"origins": query.origins, "destinations": query.destinations}
    check_slice(offer.slices[0], **ends, day=query.departure_date, inventory=inventory)
    if query.return_date is not None:
        ends = {"origins": query.destinations, "destinations": query.origins}
        check_slice(offer.slices[1], **ends, day=query.return_date, inventory=inventory)
        assert offer.slices[1].segments[0].departs_at > offer.slices[0].segments[-1].arrives_at
    if query.max_stops is not None:
        assert all(slice_.stops <= query.max_stops for slice_ in offer.slices)
    if query.max_price is not None:
        assert offer.price_per_person.currency == query.max_price.currency
        assert offer.price_per_person.amount <= query.max_price.amount


def flown(offer):
    return tuple(
        (segment.carrier, segment.number, segment.departs_at)
        for slice_ in offer.slices
        for segment in slice_.segments
    )


@settings(max_examples=150)
@given(queries())
def test_every_offer_obeys_its_query_and_none_comes_twice(inventory, query):
    offers = all_flights(inventory, query)
    for offer in offers:
        check_offer(offer, query, inventory)
    assert [key for key, count in Counter(offer.offer_id for offer in offers).items() if count > 1] == []
    assert [key for key, count in Counter(map(flown, offers)).items() if count > 1] == []
    assert len(offers) <= 60


@settings(max_examples=25)
@given(queries())
def test_asking_again_gives_the_same_answer(inventory, query):
    assert all_flights(inventory, query) == all_flights(inventory, query)


@settings(max_examples=40)
@given(queries())
def test_no_offer_is_beaten_by_another_of_the_same_carriers(inventory, query):
    for market in FLIGHT_MARKETS:
        seen = {}
        for offer in flights(inventory, query, market=market) if query.return_date is None else ():
            segments = offer.slices[0].segments
            ends = (segments[0].origin, segments[-1].destination, *(segment.carrier for segment in segments))
            quality = (segments[0].departs_at, segments[-1].arrives_at, offer.price_per_person.amount)
            for departs, arrives, price in seen.setdefault(ends, []):
                assert not (departs >= quality[0] and arrives <= quality[1] and price < quality[2])
            seen[ends].append(quality)


def test_popular_searches_have_a_good_choice_from_several_sources(inventory):
    for origin, destination in (
        ("New York, New York, US", "London, GB"),
        ("London, GB", "Barcelona, ES"),
        ("Tokyo, JP", "Seoul, KR"),
        ("Los Angeles, California, US", "New York, New York, US"),
    ):
        offers = all_flights(inventory, query_between(origin, destination, return_date=date(2026, 12, 11)))
        assert 20 <= len(offers) <= 60, (origin, destination, len(offers))
        assert len({offer.source for offer in offers}) >= 2
        assert len({segment.carrier for offer in offers for segment in offer.slices[0].segments}) >= 2


def test_nearly_every_pair_of_cities_has_an_itinerary_and_the_way_back(inventory):
    random_pairs = random.Random(11)
    without, without_return = [], []
    for _ in range(300):
        origin, destination = random_pairs.sample(SERVED, 2)
        departure = TODAY + timedelta(days=random_pairs.randrange(1, 330))
        there = query_between(origin.label, destination.label, departure_date=departure)
        back = query_between(destination.label, origin.label, departure_date=departure + timedelta(days=7))
        if not all_flights(inventory, there):
            without.append(there)
        elif not all_flights(inventory, back):
            without_return.append(back)
    assert len(without) < 10
    assert len(without_return) < 10


def test_where_nobody_flies_the_answer_is_empty(inventory):
    assert all_flights(inventory, query_between("Oxford, GB", "Paris, FR")) == []
    unknown = FlightQuery(origins=("QQQ",), destinations=("CDG",), departure_date=date(2026, 12, 4))
    assert all_flights(inventory, unknown) == []
    same = FlightQuery(origins=("CDG",), destinations=("CDG",), departure_date=date(2026, 12, 4))
    assert all_flights(inventory, same) == []


def test_nobody_flies_between_neighbours(inventory):
    assert all_flights(inventory, query_between("Osaka, JP", "Kyoto, JP")) == []
    assert all_flights(inventory, query_between("Miami, Florida, US", "Fort Lauderdale, Florida, US")) == []


def test_nonstop_only_silences_connections(inventory):
    query = query_between("New York, New York, US", "London, GB", max_stops=0)
    assert flights(inventory, query, market="connections") == []
    assert flights(inventory, query, market="network carriers")


def test_flights_across_the_date_line_arrive_before_they_left_by_the_clock_on_the_wall(inventory):
    offers = all_flights(inventory, query_between("Auckland, NZ", "Honolulu, Hawaii, US", max_stops=0))
    assert offers
    for offer in offers:
        (segment,) = offer.slices[0].segments
        assert segment.arrives_at > segment.departs_at
        assert segment.arrives_at.replace(tzinfo=None) < segment.departs_at.replace(tzinfo=None)


@pytest.mark.parametrize("day", [date(2027, 3, 13), date(2027, 3, 14), date(2027, 3, 27), date(2027, 3, 28)])
def test_a_flight_takes_the_same_time_whatever_the_clocks_do(inventory, day):
    usual = query_between(
        "New York, New York, US", "London, GB", max_stops=0, departure_date=day - timedelta(days=28)
    )
    changed = query_between("New York, New York, US", "London, GB", max_stops=0, departure_date=day)
    durations = {}
    for query in (usual, changed):
        for offer in all_flights(inventory, query):
            (segment,) = offer.slices[0].segments
            elapsed = segment.arrives_at - segment.departs_at
            assert durations.setdefault((segment.carrier, segment.number), elapsed) == elapsed
    assert durations


@given(st.integers(0, 365), st.integers(0, 60), st.integers(151, 15_000), st.integers(0, 2**31))
def test_a_fare_is_positive_and_depends_on_nothing_but_its_arguments(days, waited, km, seed):
    pattern = Pattern("JFK", "LHR", 600, 420, 127, 0, 100)
    today = TODAY.toordinal()
    once = seat_price(pattern, km=km, day=today + days, today=today, seed=seed)
    assert once == seat_price(pattern, km=km, day=today + days, today=today, seed=seed)
    assert once.fare > 10
    assert 1 <= once.seats <= 9
    earlier = seat_price(pattern, km=km, day=today + days, today=today - waited, seed=seed)
    assert earlier.seats == once.seats
    assert once.fare / earlier.fare < 3


def test_a_large_group_finds_what_one_person_finds_except_where_seats_are_short(inventory):
    route = ("New York, New York, US", "London, GB")
    alone = {flown(offer) for offer in all_flights(inventory, query_between(*route, max_stops=0))}
    group = {
        flown(offer) for offer in all_flights(inventory, query_between(*route, max_stops=0, passengers=9))
    }
    assert group < alone
    assert group


def test_the_last_days_are_dearer_than_two_months_before(inventory):
    def cheapest(days):
        query = query_between("Madrid, ES", "Rome, IT", departure_date=date(2027, 5, 19), max_stops=0)
        return min(
            offer.price_per_person.amount
            for offer in all_flights(inventory, query, today=query.departure_date - timedelta(days=days))
        )

    assert cheapest(1) > cheapest(14) > cheapest(60)


def test_higher_cabins_cost_more(inventory):
    query = {"max_stops": 0}
    cheapest = {
        cabin: min(
            offer.price_per_person.amount
            for offer in all_flights(
                inventory, query_between("Paris, FR", "Tokyo, JP", cabin_class=cabin, **query)
            )
        )
        for cabin in ("economy", "premium_economy", "business", "first")
    }
    assert sorted(cheapest, key=cheapest.get) == list(cheapest)


def test_short_flights_have_no_first_class_and_low_cost_carriers_no_business(inventory):
    assert (
        all_flights(inventory, query_between("Paris, FR", "Rome, IT", cabin_class="first", max_stops=0)) == []
    )
    business = query_between("Paris, FR", "Rome, IT", cabin_class="business")
    assert flights(inventory, business, market="low-cost carriers") == []
    assert flights(inventory, business, market="network carriers")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"departure_date": TODAY - timedelta(days=1)}, "19 November 2026 has passed"),
        ({"departure_date": TODAY + timedelta(days=366)}, "sales reach to 20 November 2027"),
        ({"return_date": date(2026, 12, 3)}, "before the outbound"),
        ({"passengers": 10}, "1 to 9 passengers"),
        ({"max_price": Money(amount=Decimal(500), currency="XTS")}, "no prices in XTS"),
    ],
)
@pytest.mark.parametrize("market", FLIGHT_MARKETS)
def test_what_is_not_sold_at_all_is_refused_with_a_sentence(inventory, changes, sentence, market):
    query = query_between("Paris, FR", "Rome, IT", **changes)
    with pytest.raises(NotOnSale, match=sentence) as refused:
        flights(inventory, query, market=market)
    assert isinstance(refused.value, ProviderError)
    assert refused.value.retryable is False


def test_the_first_and_the_last_day_on_sale_are_sold(inventory):
    for day in (TODAY, TODAY + timedelta(days=365)):
        assert all_flights(inventory, query_between("Paris, FR", "Rome, IT", departure_date=day))


@pytest.mark.parametrize(
    ("origin", "goal", "ahead", "hour"),
    [
        ("London, GB", "New York, New York, US", 0, 15),
        ("Auckland, NZ", "Sydney, New South Wales, AU", 1, 22),  # it is eleven in the morning in Auckland
    ],
)
def test_a_flight_that_has_left_by_now_is_not_offered(inventory, origin, goal, ahead, hour):
    query = FlightQuery(
        origins=tuple(sorted(BY_LABEL[origin].airports)),
        destinations=tuple(sorted(BY_LABEL[goal].airports)),
        departure_date=TODAY + timedelta(days=ahead),
    )
    now = datetime.combine(TODAY, time(hour), UTC)

    def leaves(offers):
        return {offer.slices[0].segments[0].departs_at for offer in offers}

    without_clock, by_now = (
        leaves(all_flights(inventory, query)),
        leaves(all_flights(inventory, query, now=now)),
    )
    assert min(without_clock) <= now < min(by_now, default=now + timedelta(days=1))
    assert by_now >= {one for one in without_clock if one > now}
