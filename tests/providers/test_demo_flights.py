"""What the flight sources answer: every offer obeys its query, and is possible."""

from collections import Counter
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backend.domain.errors import NotOnSale, ProviderError
from backend.travel.values.places import CITIES
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
def test_offers_obey_the_query_and_none_comes_twice(inventory, query):
    offers = all_flights(inventory, query)
    for offer in offers:
        check_offer(offer, query, inventory)
    assert [key for key, count in Counter(offer.offer_id for offer in offers).items() if count > 1] == []
    assert [key for key, count in Counter(map(flown, offers)).items() if count > 1] == []
    assert len(offers) <= 60
    assert offers == all_flights(inventory, query)


@settings(max_examples=40)
@given(queries())
def test_offer_is_not_beaten_by_another_of_the_same_carriers(inventory, query):
    for market in FLIGHT_MARKETS:
        seen = {}
        for offer in flights(inventory, query, market=market) if query.return_date is None else ():
            segments = offer.slices[0].segments
            ends = (segments[0].origin, segments[-1].destination, *(segment.carrier for segment in segments))
            quality = (segments[0].departs_at, segments[-1].arrives_at, offer.price_per_person.amount)
            for departs, arrives, price in seen.setdefault(ends, []):
                assert not (departs >= quality[0] and arrives <= quality[1] and price < quality[2])
            seen[ends].append(quality)


def test_route_that_nobody_flies_has_no_offers(inventory):
    assert all_flights(inventory, query_between("Oxford, GB", "Paris, FR")) == []
    assert all_flights(inventory, query_between("Osaka, JP", "Kyoto, JP")) == []
    unknown = FlightQuery(origins=("QQQ",), destinations=("CDG",), departure_date=date(2026, 12, 4))
    assert all_flights(inventory, unknown) == []
    same = FlightQuery(origins=("CDG",), destinations=("CDG",), departure_date=date(2026, 12, 4))
    assert all_flights(inventory, same) == []


@pytest.mark.parametrize("day", [date(2027, 3, 14), date(2027, 3, 28)])
def test_flight_takes_the_same_time_when_clocks_change(inventory, day):
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
def test_query_that_is_never_sold_is_refused_with_a_sentence(inventory, changes, sentence):
    query = query_between("Paris, FR", "Rome, IT", **changes)
    with pytest.raises(NotOnSale, match=sentence) as refused:
        flights(inventory, query, market="connections")
    assert isinstance(refused.value, ProviderError)
    assert refused.value.retryable is False


def test_first_and_last_day_on_sale_are_sold(inventory):
    for day in (TODAY, TODAY + timedelta(days=365)):
        assert all_flights(inventory, query_between("Paris, FR", "Rome, IT", departure_date=day))


@pytest.mark.parametrize(
    ("origin", "goal", "ahead", "hour"),
    [
        ("London, GB", "New York, New York, US", 0, 15),
        ("Auckland, NZ", "Sydney, New South Wales, AU", 1, 22),  # it is eleven in the morning in Auckland
    ],
)
def test_departed_flight_is_not_offered(inventory, origin, goal, ahead, hour):
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
