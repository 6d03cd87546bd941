"""What is chosen, as it is sold now: the offer that a search makes of it, and the places it takes.

Computed from the flights, the hotel or the car that the choice names; what they cost is a matter of the day.
"""

from collections.abc import Iterable
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple, get_args

from ....domain.encoding import encode_sorted
from ....domain.errors import NotOnSale
from ...values.booking import Choice, Departure, FlightChoice, Offer, RentalChoice, StayChoice, choice_of
from ...values.travel import HOME_CURRENCY, CarQuery, FlightQuery, HotelQuery, Money
from .cars import CarMarket, cars, priced_car
from .flights import flight_offer, market_of
from .hotels import cities_meant, hotels, priced_stay, rooms_on_sale
from .inventory import Inventory
from .journeys import Leg, TicketCounter, fare_of, journey_of
from .rules import MOST_ROOMS, check_car_query, check_flight_query, check_hotel_query
from .world import fingerprint

_NOT_OFFERED = "That is not offered."
SOLD_OUT = "That is sold out by now."

Place = tuple[str, int]
"""What can run out: a flight, a hotel or a car, and the day or night (an ordinal)."""


class Claim(NamedTuple):
    """So many seats of a flight, rooms of a night or cars of a day (an ordinal), `of` those there are."""

    item: str
    day: int
    places: int
    of: int


class Sale(NamedTuple):
    """An offer as it is sold now, what booking it takes, and `subject`, the same for equal choices only."""

    offer: Offer
    claims: tuple[Claim, ...]
    subject: str


def places_of(choice: Choice, *, seed: int) -> list[Place]:
    """Return all that a choice takes places of, in order."""
    if isinstance(choice, StayChoice):
        item = f"room {seed} {choice.hotel} {choice.latitude} {choice.longitude}"
        return [(item, night) for night in range(choice.check_in.toordinal(), choice.check_out.toordinal())]
    if isinstance(choice, RentalChoice):
        which = (choice.supplier, choice.model, choice.car_class, choice.transmission, choice.station)
        item = f"car {seed} {choice.city} {choice.subdivision} {choice.country} {' '.join(which)}"
        # The day of the return counts: whoever takes the car next gets it the day after.
        return [(item, day) for day in range(choice.pick_up.toordinal(), choice.drop_off.toordinal() + 1)]
    return [
        (f"seat {seed} {flight.carrier} {flight.number}", flight.day.toordinal())
        for direction in choice.directions
        for flight in direction
    ]


def sale_of(choice: Choice, inventory: Inventory, *, today: date) -> Sale:
    """Return what is chosen as it is sold today, whether or not there is room for it.

    Raises `NotOnSale` where it is no longer sold, or never was.
    """
    # A price limit asks for a currency, as in a search.
    is_foreign = choice.currency != HOME_CURRENCY
    currency = Money(amount=Decimal(0), currency=choice.currency) if is_foreign else None
    if isinstance(choice, StayChoice):
        offer, count, of = _stay(choice, currency, inventory, today)
    elif isinstance(choice, RentalChoice):
        offer, count, of = _rental(choice, currency, inventory, today)
    else:
        offer, count, of = _flights(choice, currency, inventory, today)
    places = places_of(choice, seed=inventory.seed)
    claims = (Claim(item, day, count, there) for (item, day), there in zip(places, of, strict=True))
    return Sale(offer, tuple(claims), fingerprint(encode_sorted(choice)))


_Sold = tuple[Offer, int, Iterable[int]]
"""An offer, how many places it takes of each, and how many of each there are."""


def _flights(choice: FlightChoice, currency: Money | None, inventory: Inventory, today: date) -> _Sold:
    there, back = choice.directions[0], choice.directions[1:]
    query = FlightQuery(
        origins=(there[0].origin,),
        destinations=(there[-1].destination,),
        departure_date=there[0].day,
        return_date=back[0][0].day if back else None,
        passengers=choice.passengers,
        cabin_class=choice.cabin_class,
        max_price=currency,
    )
    check_flight_query(query, today=today)
    cabin, passengers = choice.cabin_class, choice.passengers
    counter = TicketCounter(inventory, today=today.toordinal(), cabin=cabin, passengers=passengers)
    directions = [tuple(_leg(flight, counter) for flight in each) for each in choice.directions]
    journeys = tuple(map(journey_of, directions))
    market, fare = market_of(journeys), fare_of(journeys)
    offer = flight_offer(journeys, fare, query=query, source=market, inventory=inventory, today=today)
    return offer, choice.passengers, [leg.seats for legs in directions for leg in legs]


def _leg(flight: Departure, counter: TicketCounter) -> Leg:
    ends, day = (flight.origin, flight.destination), flight.day.toordinal()
    leg = counter.flight(flight.carrier, flight.number, origin=ends[0], destination=ends[1], day=day)
    if leg is None:
        raise NotOnSale(_NOT_OFFERED)
    return leg


def _stay(choice: StayChoice, currency: Money | None, inventory: Inventory, today: date) -> _Sold:
    query = HotelQuery(
        city=choice.city,
        country=choice.country,
        check_in=choice.check_in,
        check_out=choice.check_out,
        guests=choice.guests,
        rooms=choice.rooms,
        max_price=currency,
    )
    check_hotel_query(query, today=today)
    # Among cities of one name, the place on the map tells which hotel is meant.
    of_name = (
        hotel
        for city in cities_meant(query)
        for hotel in hotels(city, seed=inventory.seed)
        if (hotel.name, hotel.latitude, hotel.longitude) == (choice.hotel, choice.latitude, choice.longitude)
    )
    hotel = next(of_name, None)
    if hotel is None or hotel.sleeps * choice.rooms < choice.guests:
        raise NotOnSale(_NOT_OFFERED)
    market = "hotel chains" if hotel.chain else "independent hotels"
    offer = priced_stay(hotel, query, market=market, today=today, seed=inventory.seed)
    if offer is None:
        raise NotOnSale(SOLD_OUT)
    nights = (choice.check_in + timedelta(days=night) for night in range(query.nights))
    rooms = (rooms_on_sale(hotel, night, most=MOST_ROOMS, seed=inventory.seed) for night in nights)
    return offer, choice.rooms, rooms


def _rental(choice: RentalChoice, currency: Money | None, inventory: Inventory, today: date) -> _Sold:
    query = CarQuery(
        city=choice.city,
        country=choice.country,
        subdivision=choice.subdivision,
        pick_up=choice.pick_up,
        drop_off=choice.drop_off,
        max_price=currency,
    )
    check_car_query(query, today=today)
    for market in get_args(CarMarket):
        for city in cities_meant(query):
            for car in cars(city, market=market, seed=inventory.seed):
                offer = priced_car(car, query, market=market, today=today, seed=inventory.seed)
                if choice_of(offer) == choice:
                    return offer, 1, [car.at_most] * len(places_of(choice, seed=inventory.seed))
    raise NotOnSale(_NOT_OFFERED)
